/* morph/soft_keys: one soft object becomes another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "soft/key_tethers.h"

typedef struct {
  const KgGeometry *source;
  const KgGeometry *destination;
  double amount;
  int match;
  int64_t cells;
  const KgTable *parts;
  const KgTable *by_hand;
  const KgTable *arcs;
  int zero;
  int weights;
  double fading;
  double rising;
  int axes;
  bool tethers;
  KgGeometry *keys;
  KgTable *pairs;
  KgTable *matches;
  KgTable *levels;
  int64_t matched;
  int64_t growing;
  int64_t shrinking;
  int64_t crossings;
  int64_t helpers;
} SoftKeys;

static const KgChoice soft_keys_matches[] = {
  [MATCH_CELLS] = { "cells", N_ ("Cells: keys in the same region of both") },
  [MATCH_ORDER] = { "order", N_ ("Order: the first with the first") },
  [MATCH_ID] = { "id", N_ ("Attribute id") },
  [MATCH_SURFACE] = { "surface", N_ ("None: one fades out, the other fades in") },
  [MATCH_TRANSPORT] = { "transport", N_ ("Shortest paths for all of the clay: keys may split") },
  [MATCH_HIERARCHY] = { "hierarchy", N_ ("Trees of parts, level by level, and the order in each part") },
  [MATCH_HIERARCHY_CELLS] = { "hierarchy_cells", N_ ("Trees of parts, level by level, and cells in each part") },
  [MATCH_BY_HAND] = { "pairs", N_ ("By hand: the pairs of a table") },
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
  [MATCH_GIVEN] = { "given", N_ ("Given weights") },
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

static const KgTableColumn arcs_columns[] = {
  { "part", N_ ("Part"), 0, true }, { "x", N_ ("x"), 0, false }, { "y", N_ ("y"), 0, false },
  { "z", N_ ("z"), 0, false },      KG_TABLE_COLUMNS_END,
};

static const KgTableColumn pairs_columns[] = {
  { "source", N_ ("Source"), NAN, true },
  { "destination", N_ ("Destination"), NAN, true },
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
                                 .pairs = n->by_hand,
                                 .arcs = n->arcs,
                                 .zero = (MatchZero) n->zero,
                                 .weights = (MatchWeights) n->weights,
                                 .fading = n->fading,
                                 .rising = n->rising,
                                 .axes = (MatchAxes) n->axes };
  g_auto (KeyMatch) match = { NULL, NULL, NULL, 0 };
  size_t helpers = 0;

  if (!match_keys (n->source, n->destination, &options, &monitor, &match, error))
    return false;
  n->keys = match_keys_blend (n->source, n->destination, &options, &match, n->amount, error);
  if (n->keys == NULL ||
      (n->tethers && n->match != MATCH_SURFACE &&
       !key_tethers_add (n->keys, n->source, n->destination, &match, n->amount, &monitor, &helpers, error)))
    return false;
  n->helpers = (int64_t) helpers;
  /* Keys are points. */
  if (kg_geometry_get_n_primitives (n->source) > 0 || kg_geometry_get_n_primitives (n->destination) > 0)
    kg_context_warn (
        ctx,
        "lines and polygons come apart into balls at their points: lay keys along them with Along of Soft Keys instead");
  return soft_keys_report (n, &match, error);
}

static const KgSlot soft_keys_slots[] = {
  KG_INPUT (SoftKeys, source, GEOMETRY, .label = N_ ("Source"), .help = N_ ("Keys of the first soft object.")),
  KG_INPUT (SoftKeys, destination, GEOMETRY, .label = N_ ("Destination"),
            .help = N_ ("Keys of the soft object that it becomes.")),
  KG_INPUT (SoftKeys, amount, NUMBER, .label = N_ ("Amount"), .min = 0, .max = 1,
            .help = N_ ("0 is the source, 1 the destination.")),
  KG_INPUT (
      SoftKeys, match, CHOICE, .label = N_ ("Match"), .choices = soft_keys_matches, .manual = "soft-keys",
      .help = N_ (
          "How keys find their partners in the other object. Cells and shortest paths are matched part by part: the attribute part is the index of the part of a key. Trees of parts also need the attribute parent, or a text attribute path such as man/arm/hand.")),
  KG_INPUT (SoftKeys, cells, INTEGER, .label = N_ ("Cells"), .def = 2, .min = 1, .max = 100, .soft_max = 8,
            .shown_when = "match=cells|hierarchy_cells",
            .help = N_ ("Number of regions along each side of the box around a part.")),
  KG_INPUT (SoftKeys, parts, TABLE, .label = N_ ("Cells of parts"), .columns = parts_columns, .def_text = "",
            .shown_when = "match=cells|hierarchy_cells", .help = N_ ("Parts that are divided differently.")),
  KG_INPUT (
      SoftKeys, by_hand, TABLE, .label = N_ ("Pairs by hand"), .columns = pairs_columns, .def_text = "",
      .shown_when = "match=pairs",
      .help = N_ (
          "In each row, a key of the source and the key of the destination that it becomes, counted from 0. Start "
          "with the output Pairs of another way to match, and correct it. A key in several rows is split among them; "
          "a key in no row, or next to a blank, has no partner.")),
  KG_INPUT (
      SoftKeys, arcs, TABLE, .label = N_ ("Arcs"), .columns = arcs_columns, .def_text = "",
      .shown_when = "match=cells|order|id|transport|hierarchy|hierarchy_cells|pairs",
      .help = N_ ("Parts whose keys move along arcs: how far the middle of their paths is from the straight line, in "
                  "metres along each axis.")),
  KG_INPUT (
      SoftKeys, zero, CHOICE, .label = N_ ("Grow"), .choices = soft_keys_zeros,
      .shown_when = "match=cells|order|id|transport|hierarchy|hierarchy_cells|pairs",
      .help = N_ (
          "What grows from zero, or shrinks to it, for a key without a partner. Force keeps the skin in one piece.")),
  KG_INPUT (
      SoftKeys, weights, CHOICE, .label = N_ ("Fade"), .choices = soft_keys_weights, .shown_when = "match=surface",
      .manual = "soft-keys",
      .help = N_ (
          "How one object fades into the other. Linear fades keep the model unchanged where both are the same. Sine and cosine keep separate bodies visible, but swell bodies in the same place.")),
  KG_INPUT (SoftKeys, fading, NUMBER, .label = N_ ("Weight of the source"), .def = 1, .min = 0, .max = 1e6,
            .soft_max = 1, .shown_when = "match=surface&weights=given",
            .help = N_ ("Factor of the forces of the source: key it, or draw it as a curve.")),
  KG_INPUT (SoftKeys, rising, NUMBER, .label = N_ ("Weight of the destination"), .min = 0, .max = 1e6, .soft_max = 1,
            .shown_when = "match=surface&weights=given", .help = N_ ("Factor of the forces of the destination.")),
  KG_INPUT (SoftKeys, axes, CHOICE, .label = N_ ("Axes"), .choices = soft_keys_axes,
            .help = N_ ("How keys with different orientations rotate.")),
  KG_INPUT (
      SoftKeys, tethers, BOOLEAN, .label = N_ ("Keep joined"),
      .shown_when = "match=cells|order|id|transport|hierarchy|hierarchy_cells|pairs",
      .help = N_ (
          "Links keys that flow together in either model, and adds helper keys along links that get too long on the "
          "way, so that the object does not come apart.")),
  KG_OUTPUT (SoftKeys, keys, GEOMETRY, .label = N_ ("Keys"), .help = N_ ("The interpolated keys.")),
  KG_OUTPUT (
      SoftKeys, pairs, TABLE, .label = N_ ("Pairs"),
      .help = N_ (
          "Index of the source key and of the destination key, for each interpolated key; blank if it has no partner.")),
  KG_OUTPUT (
      SoftKeys, matches, TABLE, .label = N_ ("Parts"),
      .help = N_ ("For each part: keys of the source and of the destination, pairs in cells with keys of both, and "
                  "cells with keys of either.")),
  KG_OUTPUT (
      SoftKeys, levels, TABLE, .label = N_ ("Levels"),
      .help = N_ (
          "For each level of the trees of parts: pairs of parts, including those without a partner; parts only in the "
          "destination, and parts only in the source.")),
  KG_OUTPUT (SoftKeys, matched, INTEGER, .label = N_ ("Matched"), .help = N_ ("Number of keys with a partner.")),
  KG_OUTPUT (SoftKeys, growing, INTEGER, .label = N_ ("Growing"),
             .help = N_ ("Number of keys only in the destination.")),
  KG_OUTPUT (SoftKeys, shrinking, INTEGER, .label = N_ ("Shrinking"),
             .help = N_ ("Number of keys only in the source.")),
  KG_OUTPUT (
      SoftKeys, crossings, INTEGER, .label = N_ ("Crossings"),
      .help =
          N_ ("Number of pairs of keys of a part that pass each other on the way. Many of them mean that the shapes in "
              "between are scrambled: match in another way, or distinguish more parts.")),
  KG_OUTPUT (SoftKeys, helpers, INTEGER, .label = N_ ("Helpers"),
             .help = N_ ("Number of keys that were added to keep the object joined.")),
};

KG_NODE (
    morph, soft_keys, SoftKeys, .label = N_ ("Morph Soft Keys"), .version = 1, .since = "0.1",
    .tags = N_ ("metamorphosis morph soft object keys blend transform inbetween clay"),
    .formula = "cell of a key: ⌊N u⌋, u its place in the box of its part, 0 … 1; pairs by the least |u − u′|\n"
               "surface: forces (1 − t, t), or (cos πt/2, sin πt/2); arcs: p = (1 − t) a + t b + 4 t (1 − t) arc",
    .source = "Wyvill, Metamorphosis of Implicit Surfaces, 1990; Wyvill, McPheeters and Wyvill 1986",
    .help = N_ (
        "Turns one soft object into another: keys move to their partners, and those without one grow or shrink. The "
        "skin is closed at every amount."));
