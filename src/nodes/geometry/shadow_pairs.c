/* geometry/shadow_pairs: the shadows of chosen bodies on chosen ones.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/shadow_pair.h"
#include "kg-node.h"

typedef struct {
  KgList casters;
  KgList receivers;
  const KgTable *pairs;
  bool self;
  int kind;
  KgVector light;
  KgVector direction;
  double lift;
  int sides;
  KgColor color;
  KgGeometry *shadows;
  int64_t count;
} ShadowPairs;

enum { KIND_POINT, KIND_PARALLEL, N_KINDS };

static const KgChoice shadow_pairs_kinds[] = {
  [KIND_POINT] = { "point", N_ ("Of a light at a point") },
  [KIND_PARALLEL] = { "parallel", N_ ("Of parallel light") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (shadow_pairs_kinds, N_KINDS);

static const KgChoice shadow_pairs_sides[] = {
  [SHADOW_LIT] = { "lit", N_ ("Lit sides") },
  [SHADOW_ALL] = { "all", N_ ("All sides") },
  [SHADOW_OUTLINE] = { "outline", N_ ("Outline: one convex polygon") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (shadow_pairs_sides, SHADOW_N_SIDES);

/* Of an entry of the table: the range of what it names; false where there is none. */
static bool
read_entry (double number, guint n, guint *first, guint *end)
{
  if (number == -1) {
    *first = 0;
    *end = n;
    return true;
  }
  if (!(number >= 0 && number < n && number == floor (number)))
    return false;
  *first = (guint) number;
  *end = *first + 1;
  return true;
}

/* Which caster darkens which receiver: wanted[caster * receivers + receiver]. */
static bool
read_pairs (const ShadowPairs *n, bool *wanted, GError **error)
{
  const guint casters = n->casters.n, receivers = n->receivers.n;

  for (guint i = 0; i < kg_table_get_n_rows (n->pairs); i++) {
    const double *row = kg_table_get_row (n->pairs, i);
    guint first[2], end[2];

    if (!read_entry (row[0], casters, &first[0], &end[0])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "row %u: there is no caster %g: count from 0 to %d, or write -1 for all", i + 1, row[0],
                    (int) casters - 1);
      return false;
    }
    if (!read_entry (row[1], receivers, &first[1], &end[1])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "row %u: there is no receiver %g: count from 0 to %d, or write -1 for all", i + 1, row[1],
                    (int) receivers - 1);
      return false;
    }
    for (guint a = first[0]; a < end[0]; a++)
      for (guint b = first[1]; b < end[1]; b++)
        wanted[(size_t) a * receivers + b] = true;
  }
  return true;
}

static bool
is_same (const KgGeometry *a, const KgGeometry *b)
{
  const KgHash x = kg_geometry_get_fingerprint (a), y = kg_geometry_get_fingerprint (b);

  return a == b || (!kg_hash_is_zero (x) && kg_hash_equal (x, y));
}

static bool
shadow_pairs_evaluate (ShadowPairs *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const PlanarShadow light = { .kind = n->kind == KIND_PARALLEL ? SHADOW_PARALLEL : SHADOW_POINT,
                               .light = n->kind == KIND_PARALLEL ? n->direction : n->light,
                               .lift = n->lift,
                               .sides = (ShadowSides) n->sides };
  const guint receivers = n->receivers.n;
  g_autofree bool *wanted = g_new0 (bool, (size_t) n->casters.n *receivers + 1);
  const double *color = &n->color.r;
  float *rgba;
  size_t count;

  if (n->kind == KIND_PARALLEL && kg_vector_length (n->direction) == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "light without a direction: set it, for example to 0, -1, 0");
    return false;
  }
  if (n->casters.n > 0 && receivers > 0 && !read_pairs (n, wanted, error))
    return false;
  n->shadows = kg_geometry_new ();
  for (guint a = 0; a < n->casters.n; a++)
    for (guint b = 0; b < receivers; b++) {
      const KgGeometry *caster = n->casters.items[a].geometry, *receiver = n->receivers.items[b].geometry;

      if (!wanted[(size_t) a * receivers + b] || (!n->self && is_same (caster, receiver)))
        continue;
      n->count++;
      if (!shadow_pair_add (&n->shadows, caster, receiver, &light, &monitor, error))
        return false;
    }
  count = kg_geometry_get_n_points (n->shadows);
  rgba = kg_geometry_edit_float (n->shadows, KG_POINTS, "Cd", 4);
  for (size_t i = 0; i < 4 * count; i++)
    rgba[i] = (float) color[i % 4];
  return true;
}

static const KgTableColumn shadow_pairs_columns[] = {
  { "caster", N_ ("Caster"), 0, false },
  { "receiver", N_ ("Receiver"), 0, false },
  KG_TABLE_COLUMNS_END,
};

static const KgSlot shadow_pairs_slots[] = {
  KG_INPUTS (ShadowPairs, casters, GEOMETRY, .label = N_ ("Casters"), .optional = true,
             .help = N_ ("The bodies that cast shadows. Their index is their position in the list, from 0.")),
  KG_INPUTS (
      ShadowPairs, receivers, GEOMETRY, .label = N_ ("Receivers"), .optional = true,
      .help =
          N_ ("What receives shadows: flat geometry, within the convex outline of its points, or the convex faces of a "
              "body that face the light, each within its edges. With the default pairs, the first is the ground.")),
  KG_INPUT (ShadowPairs, pairs, TABLE, .columns = shadow_pairs_columns, .label = N_ ("Pairs"), .def_text = "-1 0",
            .help = N_ ("Which caster darkens which receiver, one pair per row, by index; -1 is all of them. Without "
                        "rows there are no shadows.")),
  KG_INPUT (ShadowPairs, self, BOOLEAN, .label = N_ ("Self-shadows"),
            .help = N_ ("Whether a body that is both caster and receiver shadows itself, if the pairs include it.")),
  KG_INPUT (ShadowPairs, kind, CHOICE, .label = N_ ("Kind"), .choices = shadow_pairs_kinds,
            .help = N_ ("The light that casts the shadows.")),
  KG_INPUT (ShadowPairs, light, VECTOR, .label = N_ ("Light"), .unit = KG_METRES, .def_v = { 2, 4, 2 },
            .shown_when = "kind=point", .help = N_ ("Position of the light.")),
  KG_INPUT (ShadowPairs, direction, VECTOR, .label = N_ ("Direction"), .def_v = { -1, -2, -1 },
            .shown_when = "kind=parallel", .help = N_ ("Direction in which the light shines.")),
  KG_INPUT (ShadowPairs, lift, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .def = 0.002, .min = -1e6, .max = 1e6,
            .soft_min = 0, .soft_max = 0.05,
            .help = N_ ("Height of the shadows above the surfaces that receive them.")),
  KG_INPUT (ShadowPairs, sides, CHOICE, .label = N_ ("Sides"), .choices = shadow_pairs_sides, .def = SHADOW_OUTLINE,
            .help = N_ ("Which polygons of the casters have a shadow. The outline has no seams where the shadow is "
                        "transparent, and fits convex bodies.")),
  KG_INPUT (ShadowPairs, color, COLOR, .label = N_ ("Colour"), .def_v = { 0, 0, 0, 0.5 },
            .help = N_ ("Colour of the shadows. Its alpha is their darkness.")),
  KG_OUTPUT (ShadowPairs, shadows, GEOMETRY, .label = N_ ("Shadows"),
             .help = N_ ("All shadows, with their colour and opacity as Cd.")),
  KG_OUTPUT (ShadowPairs, count, INTEGER, .label = N_ ("Pairs"), .help = N_ ("Number of pairs that were computed.")),
};

KG_NODE (
    geometry, shadow_pairs, ShadowPairs, .label = N_ ("Shadow Pairs"), .version = 1, .since = "0.1",
    .tags = N_ ("shadow links sets selective caster receiver light linking drop ground planar projected"),
    .source = "J. Blinn, Me and My (Fake) Shadow, IEEE Computer Graphics and Applications, January 1988",
    .help = N_ ("Makes the shadows of chosen bodies on chosen others, as geometry that is cut off where the receiver "
                "ends. Few pairs are seen in an image: choose those, and only they are computed."));
