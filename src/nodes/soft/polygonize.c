/* soft/polygonize: the surface of a body that a field stands for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-floats.h"
#include "kg-node.h"
#include "soft/number_field.h"
#include "soft/polygonize.h"

typedef struct {
  const KgField *field;
  const KgField *color;
  double cell;
  KgVector origin;
  int bounds;
  KgVector low;
  KgVector high;
  int leveling;
  double level;
  int method;
  int64_t levels;
  double angle;
  double error;
  int surface;
  int ambiguity;
  bool exact;
  bool triangles;
  bool normals;
  bool velocity;
  int64_t limit;
  KgGeometry *geometry;
  int64_t cubes;
  int64_t pieces;
  int64_t euler;
  double volume;
  double area;
} Polygonize;

static const KgChoice polygonize_methods[] = {
  [POLYGONIZE_WALK] = { "walk", N_ ("Walk over the surface from the keys") },
  [POLYGONIZE_FULL] = { "full", N_ ("Search every cell of the box") },
  [POLYGONIZE_OCTREE] = { "octree", N_ ("Halve large cells where the surface is") },
  [POLYGONIZE_ADAPTIVE] = { "adaptive", N_ ("Halve large cells where the surface bends") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (polygonize_methods, POLYGONIZE_N_METHODS);

static const KgChoice polygonize_surfaces[] = {
  [POLYGONIZE_POLYGONS] = { "polygons", N_ ("Polygons") },
  [POLYGONIZE_DUAL] = { "dual", N_ ("Dual: keeps edges sharp") },
  [POLYGONIZE_BOXES] = { "boxes", N_ ("Boxes: the cells of the surface") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (polygonize_surfaces, POLYGONIZE_N_SURFACES);

static const KgChoice polygonize_ambiguities[] = {
  [POLYGONIZE_DECIDE] = { "decide", N_ ("By the values on the face") },
  [POLYGONIZE_SEPARATE] = { "separate", N_ ("Separate") },
  [POLYGONIZE_JOIN] = { "join", N_ ("Join") },
  [POLYGONIZE_TETRAHEDRA] = { "tetrahedra", N_ ("Cut cells into tetrahedra") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (polygonize_ambiguities, POLYGONIZE_N_AMBIGUITIES);

enum { BOUNDS_FIELD, BOUNDS_GIVEN, N_BOUNDS };

static const KgChoice polygonize_bounds[] = {
  [BOUNDS_FIELD] = { "field", N_ ("Bounds of the field") },
  [BOUNDS_GIVEN] = { "given", N_ ("Given box") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (polygonize_bounds, N_BOUNDS);

enum { LEVEL_FIELD, LEVEL_GIVEN, N_LEVELS };

static const KgChoice polygonize_levels[] = {
  [LEVEL_FIELD] = { "field", N_ ("Level of the field") },
  [LEVEL_GIVEN] = { "given", N_ ("Given level") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (polygonize_levels, N_LEVELS);

/* The box to look in; empty: (out) the field is nowhere at its level. */
static bool
polygonize_get_box (const Polygonize *n, double level, KgVector *low, KgVector *high, bool *empty, GError **error)
{
  *low = n->low;
  *high = n->high;
  if (n->bounds == BOUNDS_FIELD && !kg_field_get_bounds_at (n->field, level, low, high)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the field “%s” has no bounds of its own at the level %g: set Search in to Given box, and enter its corners",
        kg_field_get_name (n->field), level);
    return false;
  }
  if (n->bounds == BOUNDS_GIVEN && !(low->x < high->x && low->y < high->y && low->z < high->z)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the box from (%g, %g, %g) to (%g, %g, %g) is empty: the high corner must be above the low one along each axis",
        low->x, low->y, low->z, high->x, high->y, high->z);
    return false;
  }
  *empty = low->x > high->x || low->y > high->y || low->z > high->z;
  return true;
}

static void
polygonize_warn (const PolygonizeResult *result, double cell, const KgContext *ctx)
{
  if (result->n_open > 0)
    kg_context_warn (ctx, "the surface leaves the box and is open there (%zu edges): enlarge the box", result->n_open);
  if (result->n_thin > 0)
    kg_context_warn (
        ctx, "the body is thinner than a cell at %zu of its keys and is missing there: use cells smaller than %g m",
        result->n_thin, cell);
  if (result->n_missed > 0)
    kg_context_warn_plural (
        ctx, result->n_missed,
        "%zu cell belongs to a piece without a key of its own: smaller pieces may be missing; search every cell to be sure",
        "%zu cells belong to pieces without a key of their own: smaller pieces may be missing; search every cell to be sure",
        result->n_missed);
}

/* Whether the field is at its level at the corners of the box, and everywhere between them. */
static bool
polygonize_fills_box (const Polygonize *n, const PolygonizeOptions *options, const KgContext *ctx)
{
  float places[27 * 3], values[27];

  for (size_t i = 0; i < 27; i++)
    for (size_t c = 0; c < 3; c++) {
      const size_t at = c == 0 ? i % 3 : c == 1 ? i / 3 % 3 : i / 9;
      const double low = kg_vector_get (options->low, c), high = kg_vector_get (options->high, c);

      places[3 * i + c] = (float) (low + 0.5 * (double) at * (high - low));
    }
  kg_field_sample_points (n->field, places, 27, ctx->time, values);
  for (size_t i = 0; i < 27; i++)
    if (!((double) values[i] >= options->level))
      return false;
  return true;
}

/* Bodies with a level of their own may be nowhere without a word: keys fade, and what does not overlap has nothing in common. */
static void
polygonize_warn_of_nothing (const Polygonize *n, const PolygonizeOptions *options, const KgContext *ctx)
{
  if (polygonize_fills_box (n, options, ctx))
    kg_context_warn (
        ctx,
        "the field is nowhere below its level of %g in the box, so there is no surface: raise the level, or enlarge the box",
        options->level);
  else if (n->leveling == LEVEL_GIVEN || kg_field_get_class (n->field)->get_level == NULL)
    kg_context_warn (
        ctx,
        "the field does not reach the level of %g anywhere that it was looked at, so there is no surface: lower the level, "
        "or use smaller cells",
        options->level);
}

/* Frames before and after the current one, from which velocities are. */
#define VELOCITY_STEP 0.1

static bool
polygonize_demand (const Polygonize *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const double step = VELOCITY_STEP / ctx->rate, times[] = { ctx->time, ctx->time - step, ctx->time + step };

  (void) error;
  for (guint i = 0; n->velocity && i < G_N_ELEMENTS (times); i++)
    kg_demand_at (demand, offsetof (Polygonize, field), times[i]);
  return true;
}

/* The level of the surface at a sample. */
static double
polygonize_get_level (const Polygonize *n, const KgField *field)
{
  return n->leveling == LEVEL_GIVEN ? n->level : kg_field_get_level (field);
}

/* What is on the surface stays there: ∂F/∂t + ∇F · v = 0, and v along ∇F. */
static void
polygonize_set_velocities (const Polygonize *n, const KgContext *ctx)
{
  const KgField *const fields[] = { kg_context_get_sample (ctx, offsetof (Polygonize, field), 1)->field,
                                    kg_context_get_sample (ctx, offsetof (Polygonize, field), 2)->field };
  const size_t count = kg_geometry_get_n_points (n->geometry);
  const double step = VELOCITY_STEP / ctx->rate;
  const double level = (polygonize_get_level (n, fields[1]) - polygonize_get_level (n, fields[0])) / (2 * step);
  const float *p = kg_geometry_get_positions (n->geometry);
  g_autofree float *before = g_new (float, MAX (count, 1)), *after = g_new (float, MAX (count, 1)),
                   *values = g_new (float, MAX (count, 1)), *gradients = g_new (float, 3 * MAX (count, 1));
  float *v;

  kg_field_sample_points (fields[0], p, count, ctx->time - step, before);
  kg_field_sample_points (fields[1], p, count, ctx->time + step, after);
  kg_field_sample_gradients (n->field, p, count, ctx->time, 1e-2 * n->cell, values, gradients);
  v = kg_geometry_edit_float (n->geometry, KG_POINTS, "v", 3);
  for (size_t i = 0; i < count; i++) {
    const KgVector gradient = kg_floats_get_vector (gradients, i);
    const double change = ((double) after[i] - (double) before[i]) / (2 * step) - level;
    const double squared = kg_vector_dot (gradient, gradient), scale = squared > 0 ? -change / squared : 0;

    kg_floats_set_vector (v, i, kg_vector_scale (gradient, fabs (scale) <= 1e12 ? scale : 0));
  }
}

static bool
polygonize_evaluate (Polygonize *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const KgMemoStore memos = kg_context_get_memo_store (ctx);
  PolygonizeOptions options = { .cell = n->cell,
                                .origin = n->origin,
                                .level = polygonize_get_level (n, n->field),
                                .time = ctx->time,
                                .limit = (size_t) n->limit,
                                .method = (PolygonizeMethod) n->method,
                                .levels = (int) n->levels,
                                .max_angle = n->angle,
                                .max_error = n->error,
                                .graded = true,
                                .surface = (PolygonizeSurface) n->surface,
                                .ambiguity = (PolygonizeAmbiguity) n->ambiguity,
                                .exact = n->exact,
                                .triangles = n->triangles,
                                .normals = n->normals,
                                .color = n->color,
                                .memos = &memos };
  PolygonizeResult result;
  bool empty;

  if (!soft_check_numbers (n->field, error))
    return false;
  if (n->color != NULL && kg_field_get_width (n->color) != 3) {
    kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "color is a field of numbers: link a field of colours");
    return false;
  }
  if (!polygonize_get_box (n, options.level, &options.low, &options.high, &empty, error))
    return false;
  if (empty) {
    n->geometry = kg_geometry_new ();
    return true;
  }
  if (!polygonize (n->field, &options, &monitor, &result, error))
    return false;
  n->geometry = result.mesh;
  n->cubes = (int64_t) result.cubes;
  n->pieces = (int64_t) result.pieces;
  n->euler = result.euler;
  n->volume = result.volume;
  n->area = result.area;
  if (n->velocity)
    polygonize_set_velocities (n, ctx);
  polygonize_warn (&result, n->cell, ctx);
  if (n->cubes == 0 && result.n_thin == 0)
    polygonize_warn_of_nothing (n, &options, ctx);
  return true;
}

static const KgSlot polygonize_slots[] = {
  KG_INPUT (Polygonize, field, FIELD, .label = N_ ("Field"),
            .help = N_ ("Field of numbers: a soft object, combined bodies, a formula, noise.")),
  KG_INPUT (Polygonize, color, FIELD, .label = N_ ("Colour"), .optional = true,
            .help = N_ ("Field of colours for the points.")),
  KG_INPUT (Polygonize, cell, NUMBER, .label = N_ ("Cell"), .unit = KG_METRES, .def = 0.05, .min = 1e-6, .max = 1e6,
            .soft_min = 0.01, .soft_max = 0.5, .draft = true,
            .help = N_ ("Size of the cells: half the size shows finer detail, and takes four times as many polygons.")),
  KG_INPUT (Polygonize, origin, VECTOR, .label = N_ ("Origin"), .unit = KG_METRES,
            .help = N_ ("A corner of a cell. The lattice stays in place while bodies move.")),
  KG_INPUT (
      Polygonize, bounds, CHOICE, .label = N_ ("Search in"), .choices = polygonize_bounds,
      .help = N_ ("The box that is searched: that of the field, or the one below. Formulas and noise have none.")),
  KG_INPUT (Polygonize, low, VECTOR, .label = N_ ("Low corner"), .unit = KG_METRES, .def_v = { -1, -1, -1 },
            .min = -1e6, .max = 1e6, .soft_min = -10, .soft_max = 10, .shown_when = "bounds=given",
            .help = N_ ("Corner of the box with the smallest coordinates.")),
  KG_INPUT (Polygonize, high, VECTOR, .label = N_ ("High corner"), .unit = KG_METRES, .def_v = { 1, 1, 1 }, .min = -1e6,
            .max = 1e6, .soft_min = -10, .soft_max = 10, .shown_when = "bounds=given",
            .help = N_ ("Corner of the box with the largest coordinates.")),
  KG_INPUT (Polygonize, leveling, CHOICE, .label = N_ ("Level from"), .choices = polygonize_levels,
            .help = N_ ("Soft objects and bodies have a level of their own; other fields use 0.5.")),
  KG_INPUT (Polygonize, level, NUMBER, .label = N_ ("Level"), .def = 0.5, .min = -1e6, .max = 1e6, .soft_min = 0,
            .soft_max = 1, .shown_when = "leveling=given",
            .help = N_ ("The surface is where the field has this value.")),
  KG_INPUT (
      Polygonize, method, CHOICE, .label = N_ ("Method"), .choices = polygonize_methods,
      .help = N_ (
          "The first three give the same surface. Walking and octrees are faster, but may miss small pieces far from "
          "any key. The last one makes large polygons where the surface is flat, without cracks. All of them reuse "
          "what no key has changed since the last frame; walking gains most from that.")),
  KG_INPUT (
      Polygonize, levels, INTEGER, .label = N_ ("Levels"), .def = 4, .min = 0, .max = POLYGONIZE_MAX_LEVELS,
      .soft_max = 8, .shown_when = "method=octree|adaptive",
      .help = N_ (
          "How many times the largest cells can be halved, down to Cell: they are 2, 4, 8, 16 … times as large. Fewer "
          "levels find smaller pieces that have no key.")),
  KG_INPUT (Polygonize, angle, NUMBER, .label = N_ ("Largest angle"), .unit = KG_DEGREES, .def = 15, .min = 0.1,
            .max = 180, .shown_when = "method=adaptive",
            .help = N_ ("A cell is halved if the surface within it turns by more than this.")),
  KG_INPUT (
      Polygonize, error, NUMBER, .label = N_ ("Largest error"), .unit = KG_METRES, .def = 0, .max = 1e6,
      .soft_max = 0.05, .shown_when = "method=adaptive",
      .help = N_ ("A cell is also halved if the centre of its polygon is farther from the surface; 0: the angle alone "
                  "decides.")),
  KG_INPUT (Polygonize, surface, CHOICE, .label = N_ ("Surface"), .choices = polygonize_surfaces,
            .help = N_ ("What is made of each cell.")),
  KG_INPUT (Polygonize, ambiguity, CHOICE, .label = N_ ("Diagonal corners"), .choices = polygonize_ambiguities,
            .shown_when = "surface=polygons",
            .help = N_ ("Whether two diagonally opposite corners of a face that are inside are connected.")),
  KG_INPUT (Polygonize, exact, BOOLEAN, .label = N_ ("Exact"), .def = 1, .shown_when = "surface=polygons|dual",
            .help = N_ ("Puts points exactly on the surface, rather than where the corners of the cells suggest.")),
  KG_INPUT (Polygonize, triangles, BOOLEAN, .label = N_ ("Triangles"), .def = 1,
            .help = N_ ("Divides polygons into triangles, and leaves out those without area.")),
  KG_INPUT (Polygonize, normals, BOOLEAN, .label = N_ ("Normals"), .def = 1, .shown_when = "surface=polygons|dual",
            .help = N_ ("Gives the points normals from the slope of the field, for smooth shading.")),
  KG_INPUT (Polygonize, velocity, BOOLEAN, .early = true, .label = N_ ("Velocity"),
            .help = N_ ("Gives the points the attribute v: how fast the surface moves along its normals, measured "
                        "from the field shortly before and after the frame.")),
  KG_INPUT (Polygonize, limit, INTEGER, .label = N_ ("Limit"), .def = 1e7, .min = 8, .max = 4e8, .soft_max = 1e8,
            .help = N_ ("Largest number of cells, checked before memory is allocated.")),
  KG_OUTPUT (Polygonize, geometry, GEOMETRY, .label = N_ ("Geometry"),
             .help = N_ ("Closed mesh, unless the surface leaves the box; faces turn outwards.")),
  KG_OUTPUT (Polygonize, cubes, INTEGER, .label = N_ ("Cells"), .help = N_ ("Cells that the surface passes through.")),
  KG_OUTPUT (Polygonize, pieces, INTEGER, .label = N_ ("Pieces"), .help = N_ ("Connected pieces of the surface.")),
  KG_OUTPUT (Polygonize, euler, INTEGER, .label = N_ ("Euler number"),
             .help = N_ ("Points − edges + polygons: 2 for each piece without holes through it.")),
  KG_OUTPUT (Polygonize, volume, NUMBER, .label = N_ ("Volume"),
             .help = N_ ("Enclosed volume, in cubic metres; cavities are subtracted.")),
  KG_OUTPUT (Polygonize, area, NUMBER, .label = N_ ("Area"), .help = N_ ("Area of the surface, in square metres.")),
};

KG_NODE_WITH_DEMAND (
    soft, polygonize, Polygonize, .label = N_ ("Polygonise"), .version = 2, .since = "0.1", .time = KG_TIME_READS,
    .tags =
        N_ ("marching cubes isosurface surface octree adaptive mesh implicit soft metaball dual contouring convert"),
    .source = "Wyvill, McPheeters and Wyvill, Data Structure for Soft Objects, 1986; Lorensen and Cline 1987; "
              "Nielson and Hamann, The Asymptotic Decider, 1991; Ju and others, Dual Contouring, 2002; "
              "Bloomenthal, Polygonization of Implicit Surfaces, 1988 (cells of several sizes); Nielson, Dual Marching "
              "Cubes, 2004",
    .help = N_ ("Turns a field into a mesh: the surface where the field has its level. Soft objects, combined "
                "bodies, formulas and noise all become geometry this way."));
