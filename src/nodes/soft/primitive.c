/* soft/primitive: the field of soft keys.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "soft/soft_keys.h"
#include "soft/soft_volume.h"

typedef struct {
  KgList keys;
  KgList rest;
  int density;
  double level;
  double blobbiness;
  double cutoff;
  int blend;
  double p;
  const KgTable *blend_groups;
  double soften;
  bool convolve;
  double sharpness;
  bool keep_volume;
  int of;
  double volume;
  int by;
  KgField *field;
  KgField *color;
  KgField *at_rest;
  KgVector low;
  KgVector high;
  int64_t count;
  char *weak;
  double found;
  double factor;
} Primitive;

enum { VOLUME_GIVEN, VOLUME_AT_REST, N_VOLUMES };

static const KgChoice primitive_volumes[] = {
  [VOLUME_GIVEN] = { "given", N_ ("Given volume") },
  [VOLUME_AT_REST] = { "rest", N_ ("That of the keys at rest") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (primitive_volumes, N_VOLUMES);

enum { KEEP_BY_LEVEL, KEEP_BY_SIZE, N_KEEPS };

static const KgChoice primitive_keeps[] = {
  [KEEP_BY_LEVEL] = { "level", N_ ("The level") },
  [KEEP_BY_SIZE] = { "size", N_ ("The size of all keys") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (primitive_keeps, N_KEEPS);

static const KgChoice primitive_densities[] = {
  [DENSITY_WYVILL] = { "wyvill", N_ ("Wyvill: sixth degree") },
  [DENSITY_SMOOTH] = { "smooth", N_ ("Smooth: cubic in the distance") },
  [DENSITY_QUADRATIC] = { "quadratic", N_ ("Quadratic: creases where the influence of a key ends") },
  [DENSITY_METABALL] = { "metaball", N_ ("Metaballs of Nishimura") },
  [DENSITY_GAUSS] = { "gauss", N_ ("Exponential of Blinn: axes are those of the surface") },
  [DENSITY_QUARTIC] = { "quartic", N_ ("Quartic") },
  [DENSITY_CUBIC] = { "cubic", N_ ("Cube of the quadratic") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (primitive_densities, DENSITY_N_KINDS);

static const KgChoice primitive_blends[] = {
  [SOFT_BLEND_SUM] = { "sum", N_ ("Sum: keys flow together") },
  [SOFT_BLEND_MAX] = { "max", N_ ("Largest: a crease between keys") },
  [SOFT_BLEND_POWER] = { "power", N_ ("Sum of powers: flows with less bulge") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (primitive_blends, SOFT_BLEND_N_KINDS);

static const KgTableColumn group_columns[] = {
  { "first", N_ ("First group"), 0, false },
  { "second", N_ ("Second group"), 0, false },
  KG_TABLE_COLUMNS_END,
};

/* Keys that are too weak alone make a surface together where they are dense. */
static bool
primitive_shows (const Primitive *n, const KgContext *ctx)
{
  g_autoptr (GArray) seeds = g_array_new (false, false, sizeof (KgVector));

  kg_field_add_seeds (n->field, seeds);
  for (guint i = 0; i < seeds->len && !kg_context_is_cancelled (ctx); i++) {
    const KgVector p = g_array_index (seeds, KgVector, i);
    float value;

    kg_field_sample_points (n->field, (const float[]){ (float) p.x, (float) p.y, (float) p.z }, 1, 0, &value);
    if ((double) value > n->found)
      return true;
  }
  return false;
}

static void
primitive_warn (const Primitive *n, const SoftKeys *keys, const KgContext *ctx)
{
  const guint skipped = soft_keys_get_n_skipped (keys), limited = soft_keys_get_n_limited (keys);

  if (skipped > 0)
    kg_context_warn_plural (ctx, skipped, "%u key is flat and has no effect: give it a size along each axis",
                            "%u keys are flat and have no effect: give them a size along each axis", skipped);
  if (limited > 0)
    kg_context_warn_plural (ctx, limited, "%u key has a power below %g or above %g: the nearest of these is used",
                            "%u keys have a power below %g or above %g: the nearest of these is used", limited,
                            SOFT_LEAST_POWER, SOFT_MOST_POWER);
  /* Some weak keys are what keys look like that fade; only weak ones make nothing. */
  if (n->count > 0 && soft_keys_get_n_adding (keys) == 0)
    kg_context_warn (
        ctx, "all keys are negative or planes, which shape a body but make none, so there is no surface: add a key "
             "with a positive force");
  else if (n->count > 0 && soft_keys_get_n_weak (keys) == n->count && !primitive_shows (n, ctx))
    kg_context_warn (ctx, "all keys are weaker than the level, so there may be no surface: raise their force");
}

/* (transfer full) (nullable) The keys of a list of geometries. */
static SoftKeys *
primitive_read (const KgList *list, const SoftOptions *options, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autofree const KgGeometry **geometries = g_new (const KgGeometry *, MAX (list->n, 1));

  for (guint i = 0; i < list->n; i++)
    geometries[i] = list->items[i].geometry;
  return soft_keys_new (geometries, list->n, options, &monitor, error);
}

/* What a field of larger or smaller keys is made from. */
typedef struct {
  const Primitive *n;
  const KgContext *ctx;
  SoftOptions options;
} Grower;

static KgField *
grow_keys (gpointer data, double factor, GError **error)
{
  Grower *grower = (Grower *) data;
  g_autoptr (SoftKeys) keys = NULL;

  grower->options.grow = factor - 1;
  keys = primitive_read (&grower->n->keys, &grower->options, grower->ctx, error);
  return keys != NULL ? soft_keys_make_field (keys, error) : NULL;
}

/* The volume that is to be kept. */
static bool
primitive_get_volume (const Primitive *n, SoftKeys *rest, const KgContext *ctx, double *volume, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (KgField) field = NULL;

  *volume = n->volume;
  if (n->of == VOLUME_GIVEN)
    return true;
  if (rest == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "there are no keys at rest, whose volume could be kept: link the keys as they are at rest");
    return false;
  }
  field = soft_keys_make_field (rest, error);
  if (field == NULL || !soft_volume_measure (field, volume, &monitor, error))
    return false;
  if (*volume > 0)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "the keys at rest have no volume that could be kept: give them a body");
  return false;
}

/* Changes the level, or keys for larger or smaller ones, until the body has its volume. */
static bool
primitive_keep_volume (Primitive *n, SoftKeys **keys, SoftKeys *rest, const SoftOptions *options, const KgContext *ctx,
                       GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (KgField) field = soft_keys_make_field (*keys, error);
  Grower grower = { n, ctx, *options };
  double volume;
  bool reached;

  if (field == NULL || !primitive_get_volume (n, rest, ctx, &volume, error))
    return false;
  if (n->by == KEEP_BY_SIZE
          ? !soft_volume_find_factor (grow_keys, &grower, volume, &n->factor, &reached, &monitor, error)
          : !soft_volume_find_level (field, volume, &n->found, &reached, &monitor, error))
    return false;
  if (!reached) {
    if (n->by == KEEP_BY_SIZE)
      kg_context_warn (ctx, "no size gives these keys a volume of %g m³: they stay as they are", volume);
    else
      kg_context_warn (ctx, "no level gives these keys a volume of %g m³: it stays %g", volume, n->level);
    n->found = n->level;
    n->factor = 1;
  }
  if (n->by == KEEP_BY_LEVEL) {
    soft_keys_set_level (*keys, n->found);
    return true;
  }
  grower.options.grow = n->factor - 1;
  soft_keys_unref (*keys);
  *keys = primitive_read (&n->keys, &grower.options, ctx, error);
  return *keys != NULL;
}

static bool
primitive_evaluate (Primitive *n, const KgContext *ctx, GError **error)
{
  const SoftOptions options = { .density = { .kind = (DensityKind) n->density,
                                             .level = n->level,
                                             .blobbiness = n->blobbiness,
                                             .cutoff = MIN (n->cutoff, 0.5 * n->level) },
                                .blend = (SoftBlend) n->blend,
                                .power = n->p,
                                .partners = n->blend_groups,
                                .soften = n->soften,
                                .sharpness = n->convolve ? n->sharpness : 0 };
  g_autoptr (GString) weak = g_string_new (NULL);
  g_autoptr (SoftKeys) keys = primitive_read (&n->keys, &options, ctx, error), rest = NULL;

  if (keys == NULL)
    return false;
  if (n->rest.n > 0 && (rest = primitive_read (&n->rest, &options, ctx, error)) == NULL)
    return false;
  n->found = n->level;
  n->factor = 1;
  if (n->keep_volume && !primitive_keep_volume (n, &keys, rest, &options, ctx, error))
    return false;
  n->field = soft_keys_make_field (keys, error);
  n->color = soft_keys_make_color_field (keys, error);
  n->at_rest = soft_keys_make_rest_field (keys, rest, error);
  if (!soft_keys_get_bounds (keys, &n->low, &n->high))
    n->low = n->high = kg_vector (0, 0, 0);
  n->count = soft_keys_get_n (keys);
  soft_keys_add_weak (keys, weak);
  n->weak = g_string_free (g_steal_pointer (&weak), false);
  if (n->field == NULL || n->color == NULL || n->at_rest == NULL)
    return false;
  primitive_warn (n, keys, ctx);
  return true;
}

static const KgSlot primitive_slots[] = {
  KG_INPUTS (Primitive, keys, GEOMETRY, .label = N_ ("Keys"), .optional = true,
             .help = N_ ("Keys, or any geometry: loose points are balls, lines are limbs, polygons are slabs.")),
  KG_INPUTS (
      Primitive, rest, GEOMETRY, .label = N_ ("Keys at rest"), .optional = true,
      .help =
          N_ ("The same keys, in the same order, at rest: textures that are sampled at Place at rest then stick to the "
              "body while its keys move, rotate and stretch.")),
  KG_INPUT (Primitive, density, CHOICE, .label = N_ ("Density"), .choices = primitive_densities,
            .help = N_ ("How the influence of a key falls off with the distance.")),
  KG_INPUT (Primitive, level, NUMBER, .label = N_ ("Level"), .def = 0.5, .min = 1e-6, .max = 1e6, .soft_min = 0.05,
            .soft_max = 1, .help = N_ ("The surface is where the field has this value; it is larger inside.")),
  KG_INPUT (Primitive, blobbiness, NUMBER, .label = N_ ("Blobbiness"), .def = 2, .min = 1e-3, .max = 1e3,
            .soft_max = 10, .shown_when = "density=gauss", .help = N_ ("Larger values make the fall-off steeper.")),
  KG_INPUT (Primitive, cutoff, NUMBER, .label = N_ ("Cutoff"), .def = 1e-4, .min = 1e-12, .max = 1, .soft_max = 0.01,
            .shown_when = "density=gauss",
            .help = N_ ("The influence of a key ends where it has fallen to this value.")),
  KG_INPUT (Primitive, blend, CHOICE, .label = N_ ("Blend"), .choices = primitive_blends,
            .help = N_ ("How keys of one group are combined. Negative keys are always added.")),
  KG_INPUT (Primitive, p, NUMBER, .label = N_ ("Power"), .def = 4, .min = 1, .max = 64, .soft_max = 16,
            .shown_when = "blend=power", .help = N_ ("1 is the sum; large values come close to the largest.")),
  KG_INPUT (Primitive, blend_groups, TABLE, .label = N_ ("Blending groups"), .columns = group_columns, .def_text = "",
            .help = N_ ("Pairs of groups that flow together. Other groups touch with a crease.")),
  KG_INPUT (Primitive, soften, NUMBER, .label = N_ ("Soften"), .min = 0, .max = 1,
            .help = N_ ("Rounds the crease between groups: 0 keeps it, 1 adds the groups.")),
  KG_INPUT (Primitive, convolve, BOOLEAN, .label = N_ ("Convolve lines"),
            .help = N_ ("Makes convolution surfaces of lines: each of their points adds to the field, so that a line "
                        "has no bulges where its pieces meet, however it is divided. Short lines and ends are thinner "
                        "than their size.")),
  KG_INPUT (Primitive, sharpness, NUMBER, .label = N_ ("Sharpness"), .def = 3, .min = 0.1, .max = 100, .soft_max = 10,
            .shown_when = "convolve=true",
            .help = N_ ("Larger values reduce the reach of the points of a line, so that bends are sharper.")),
  KG_INPUT (
      Primitive, keep_volume, BOOLEAN, .label = N_ ("Keep volume"),
      .help = N_ ("Chooses the level, or the size of the keys, so that the body has the volume below, however its "
                  "keys move and merge.")),
  KG_INPUT (Primitive, of, CHOICE, .label = N_ ("Volume to keep"), .choices = primitive_volumes,
            .shown_when = "keep_volume=true", .help = N_ ("The volume that the body keeps.")),
  KG_INPUT (Primitive, volume, NUMBER, .label = N_ ("Volume"), .def = 1, .min = 1e-9, .max = 1e18, .soft_max = 10,
            .shown_when = "keep_volume=true&of=given",
            .help = N_ ("In cubic metres, as measured by Polygonise for the keys at rest in small cells.")),
  KG_INPUT (Primitive, by, CHOICE, .label = N_ ("Keep it by"), .choices = primitive_keeps,
            .shown_when = "keep_volume=true",
            .help = N_ ("What is changed to keep the volume. Changing the level makes thin parts thinner and may "
                        "part them; changing the size scales the influence of all keys.")),
  KG_OUTPUT (Primitive, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("A field of numbers: at least the level inside, 0 beyond the reach of all keys.")),
  KG_OUTPUT (Primitive, color, FIELD, .label = N_ ("Colour"),
             .help = N_ ("Colours of the keys, mixed by their influence.")),
  KG_OUTPUT (
      Primitive, at_rest, FIELD, .label = N_ ("Place at rest"), .unit = KG_METRES,
      .help = N_ (
          "Position at rest of each point of the body, as a field. Make it an attribute of the surface, and sample a "
          "texture there with another Attribute node.")),
  KG_OUTPUT (Primitive, low, VECTOR, .label = N_ ("Low corner"), .unit = KG_METRES,
             .help = N_ ("Corner of the box that contains the influence of all keys.")),
  KG_OUTPUT (Primitive, high, VECTOR, .label = N_ ("High corner"), .unit = KG_METRES,
             .help = N_ ("Opposite corner of that box.")),
  KG_OUTPUT (Primitive, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of keys.")),
  KG_OUTPUT (Primitive, weak, TEXT, .label = N_ ("Weak keys"),
             .help = N_ ("Indices of the keys that are weaker than the level, counted from 1.")),
  KG_OUTPUT (Primitive, found, NUMBER, .label = N_ ("Level"),
             .help = N_ ("The level of the surface, which differs from the input where the volume is kept.")),
  KG_OUTPUT (Primitive, factor, NUMBER, .label = N_ ("Factor"),
             .help = N_ ("The factor by which the influence of the keys is scaled to keep the volume.")),
};

KG_NODE (soft, primitive, Primitive, .label = N_ ("Soft Object"), .version = 1, .since = "0.1",
         .tags = N_ ("soft object implicit metaball blob clay field blend wyvill"),
         .formula = "F(P) = Σ force · C(ρ), ρ² = (Σ |q/a|ⁿ)^(2/n), q = Rᵀ(P − centre); surface: F = level\n"
                    "Wyvill: C = 1 − 22/9 ρ² + 17/9 ρ⁴ − 4/9 ρ⁶\n"
                    "convolved lines: F(P) = force · ∫ w(t) (h(|P − Q(t)| / R) − h(1)) dt, h(ρ) = 1 / (1 + σ²ρ²)²",
         .source =
             "Wyvill, McPheeters and Wyvill, Data Structure for Soft Objects, 1986; Blinn 1982; "
             "Bloomenthal and Wyvill 1990; McCormack and Sherstyn, Creating and Rendering Convolution Surfaces, 1998",
         .help = N_ ("Creates the field of a soft object: keys that flow together like clay where they come close. "
                     "Polygonise turns it into a surface."));
