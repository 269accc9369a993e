/* morph/soft_keys: one soft object becomes another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "soft/match_keys.h"

typedef struct {
  const KgGeometry *source;
  const KgGeometry *destination;
  double amount;
  int match;
  int64_t cells;
  const KgTable *parts;
  int zero;
  int weights;
  int axes;
  KgGeometry *keys;
  KgTable *pairs;
  KgTable *matches;
  KgTable *levels;
  int64_t matched;
  int64_t growing;
  int64_t shrinking;
  int64_t crossings;
} SoftKeys;

static const KgChoice soft_keys_matches[] = {
  [MATCH_CELLS] = { "cells", N_ ("Cells: keys in the same region of both") },
  [MATCH_ORDER] = { "order", N_ ("Order: the first with the first") },
  [MATCH_ID] = { "id", N_ ("Attribute id") },
  [MATCH_SURFACE] = { "surface", N_ ("None: one fades out, the other fades in") },
  [MATCH_TRANSPORT] = { "transport", N_ ("Shortest ways for all of the clay: keys may split") },
  [MATCH_HIERARCHY] = { "hierarchy", N_ ("Trees of parts, level by level, and the order in each part") },
  [MATCH_HIERARCHY_CELLS] = { "hierarchy_cells", N_ ("Trees of parts, level by level, and cells in each part") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_keys_matches, MATCH_N_METHODS);

static const KgChoice soft_keys_zeros[] = {
  [MATCH_ZERO_FORCE] = { "force", N_ ("Its force") },
  [MATCH_ZERO_AXES] = { "axes", N_ ("Its size") },
  [MATCH_ZERO_BOTH] = { "both", N_ ("Both") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_keys_zeros, MATCH_N_ZEROS);

static const KgChoice soft_keys_weights[] = {
  [MATCH_LINEAR] = { "linear", N_ ("Linear") },
  [MATCH_SINE_COSINE] = { "sine-cosine", N_ ("Sine and cosine") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_keys_weights, MATCH_N_WEIGHTS);

static const KgChoice soft_keys_axes[] = {
  [MATCH_BY_ROTATION] = { "rotation", N_ ("Rotate") },
  [MATCH_BY_VECTORS] = { "vectors", N_ ("Interpolate as vectors: they shorten on the way") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_keys_axes, MATCH_N_AXES);

static const KgTableColumn parts_columns[] = {
  { "part", N_ ("Part"), 0, false },
  { "x", N_ ("Cells along x"), 0, false },
  { "y", N_ ("Cells along y"), 0, false },
  { "z", N_ ("Cells along z"), 0, false },
  KG_TABLE_COLUMNS_END,
};

static bool
soft_keys_report (SoftKeys *n, const KeyMatch *match, GError **error)
{
  static const char *const pair_names[] = { "source", "destination" };
  static const char *const part_names[] = { "part", "source", "destination", "matched", "used" };
  static const char *const level_names[] = { "pairs", "growing", "shrinking" };
  double *cells;

  n->pairs = kg_table_new (2, pair_names, match->pairs->len, error);
  if (n->pairs == NULL)
    return false;
  cells = kg_table_edit (n->pairs);
  for (guint i = 0; i < match->pairs->len; i++) {
    const KeyPair *pair = &g_array_index (match->pairs, KeyPair, i);

    cells[2 * i] = pair->source < 0 ? (double) NAN : (double) pair->source;
    cells[2 * i + 1] = pair->destination < 0 ? (double) NAN : (double) pair->destination;
    n->growing += pair->source < 0;
    n->shrinking += pair->destination < 0;
  }
  n->matched = match->pairs->len - n->growing - n->shrinking;
  n->crossings = (int64_t) match->crossings;
  n->matches = kg_table_new (5, part_names, match->parts->len, error);
  if (n->matches == NULL)
    return false;
  cells = kg_table_edit (n->matches);
  for (guint i = 0; i < match->parts->len; i++) {
    const PartMatch *part = &g_array_index (match->parts, PartMatch, i);
    const double row[] = { part->part, (double) part->source, (double) part->destination, (double) part->matched,
                           (double) part->used };

    memcpy (cells + 5 * i, row, sizeof row);
  }
  n->levels = kg_table_new (3, level_names, match->levels->len, error);
  if (n->levels == NULL)
    return false;
  cells = kg_table_edit (n->levels);
  for (guint i = 0; i < match->levels->len; i++) {
    const LevelMatch *level = &g_array_index (match->levels, LevelMatch, i);
    const double row[] = { (double) level->pairs, (double) level->growing, (double) level->shrinking };

    memcpy (cells + 3 * i, row, sizeof row);
  }
  return true;
}

static bool
soft_keys_evaluate (SoftKeys *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const MatchOptions options = { .method = (MatchMethod) n->match,
                                 .cells = n->cells,
                                 .parts = n->parts,
                                 .zero = (MatchZero) n->zero,
                                 .weights = (MatchWeights) n->weights,
                                 .axes = (MatchAxes) n->axes };
  g_auto (KeyMatch) match = { NULL, NULL, NULL, 0 };

  if (!match_keys (n->source, n->destination, &options, &monitor, &match, error))
    return false;
  n->keys = match_keys_blend (n->source, n->destination, &options, &match, n->amount, error);
  return n->keys != NULL && soft_keys_report (n, &match, error);
}

static const KgSlot soft_keys_slots[] = {
  KG_INPUT (SoftKeys, source, GEOMETRY, .label = N_ ("Source"), .help = N_ ("Keys of the first soft object.")),
  KG_INPUT (SoftKeys, destination, GEOMETRY, .label = N_ ("Destination"),
            .help = N_ ("Keys of the soft object that it becomes.")),
  KG_INPUT (SoftKeys, amount, NUMBER, .label = N_ ("Amount"), .min = 0, .max = 1,
            .help = N_ ("0 is the source, 1 the destination.")),
  KG_INPUT (
      SoftKeys, match, CHOICE, .label = N_ ("Match"), .choices = soft_keys_matches,
      .help = N_ (
          "How keys find their partners. Parts, told apart by the attribute part, are matched one by one. In a tree "
          "the attribute parent is the part that a part hangs on, negative at a root: of the parts that hang on partners those with the same "
          "number are partners, the others in their order; what has no partner grows out of the part it hangs on.")),
  KG_INPUT (SoftKeys, cells, INTEGER, .label = N_ ("Cells"), .def = 2, .min = 1, .max = 100, .soft_max = 8,
            .shown_when = "match=cells|hierarchy_cells",
            .help = N_ ("Number of regions along each side of the box around a part.")),
  KG_INPUT (SoftKeys, parts, TABLE, .label = N_ ("Cells of parts"), .columns = parts_columns, .def_text = "",
            .shown_when = "match=cells|hierarchy_cells", .help = N_ ("Parts that are divided in another way.")),
  KG_INPUT (
      SoftKeys, zero, CHOICE, .label = N_ ("Grow"), .choices = soft_keys_zeros,
      .shown_when = "match=cells|order|id|transport|hierarchy|hierarchy_cells",
      .help = N_ (
          "What grows from zero, or shrinks to it, where a key has no partner. Force keeps the skin in one piece.")),
  KG_INPUT (SoftKeys, weights, CHOICE, .label = N_ ("Fade"), .choices = soft_keys_weights,
            .shown_when = "match=surface",
            .help = N_ ("Linear fades keep the model where both are the same; sine and cosine keep bodies visible that "
                        "are apart.")),
  KG_INPUT (SoftKeys, axes, CHOICE, .label = N_ ("Axes"), .choices = soft_keys_axes,
            .help = N_ ("How keys turn that lie in different directions.")),
  KG_OUTPUT (SoftKeys, keys, GEOMETRY, .label = N_ ("Keys"), .help = N_ ("The keys between.")),
  KG_OUTPUT (
      SoftKeys, pairs, TABLE, .label = N_ ("Pairs"),
      .help = N_ ("Index of the source key and of the destination key, for each key between; blank where it has no "
                  "partner.")),
  KG_OUTPUT (
      SoftKeys, matches, TABLE, .label = N_ ("Parts"),
      .help = N_ ("For each part: keys of the source and of the destination, pairs in cells with keys of both, and "
                  "cells with keys of either.")),
  KG_OUTPUT (
      SoftKeys, levels, TABLE, .label = N_ ("Levels"),
      .help = N_ ("For each level of the trees of parts: pairs of parts, with those that have no partner; those only "
                  "the destination has, and those only the source has.")),
  KG_OUTPUT (SoftKeys, matched, INTEGER, .label = N_ ("Matched"), .help = N_ ("Keys with a partner.")),
  KG_OUTPUT (SoftKeys, growing, INTEGER, .label = N_ ("Growing"), .help = N_ ("Keys only the destination has.")),
  KG_OUTPUT (SoftKeys, shrinking, INTEGER, .label = N_ ("Shrinking"), .help = N_ ("Keys only the source has.")),
  KG_OUTPUT (SoftKeys, crossings, INTEGER, .label = N_ ("Crossings"),
             .help = N_ ("Pairs of keys of a part that pass each other on their way. Many of them mean that the shapes "
                         "between are scrambled: match in another way, or tell more parts apart.")),
};

KG_NODE (morph, soft_keys, SoftKeys, .label = N_ ("Morph Soft Keys"), .version = 1, .since = "0.1",
         .tags = N_ ("metamorphosis morph soft object keys blend transform inbetween clay"),
         .formula = "cell of a key: ⌊N u⌋, u its place in the box of its part, 0 … 1; pairs by the least |u − u′|\n"
                    "surface: forces (1 − t, t), or (cos πt/2, sin πt/2)",
         .source = "Wyvill, Metamorphosis of Implicit Surfaces, 1990; Wyvill, McPheeters and Wyvill 1986",
         .help = N_ ("Turns one soft object into another: keys move to their partners, and those without one grow or "
                     "shrink. The skin between is whole at every amount."));
