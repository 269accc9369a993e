/* soft/ray: where rays hit a body that a field stands for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "soft/number_field.h"
#include "soft/field_ray.h"

/* Of gradients where the class of the field has none, metres. */
#define GRADIENT_STEP 1e-4

typedef struct {
  const KgGeometry *samples;
  const KgField *field;
  int directions;
  KgVector direction;
  double reach;
  double step;
  bool move;
  KgGeometry *geometry;
  bool hit;
  int64_t count;
  double nearest;
  KgVector at;
  KgVector normal;
} Ray;

enum { DIRECTION_GIVEN, DIRECTION_NORMALS, DIRECTION_AGAINST, N_DIRECTIONS };

static const KgChoice ray_directions[] = {
  [DIRECTION_GIVEN] = { "given", N_ ("Given direction") },
  [DIRECTION_NORMALS] = { "normals", N_ ("Along the normals of the points") },
  [DIRECTION_AGAINST] = { "against", N_ ("Against the normals of the points") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ray_directions, N_DIRECTIONS);

/* Three floats a point.  (transfer full) (nullable) */
static float *
ray_get_directions (const Ray *n, size_t n_points, GError **error)
{
  const float *normals = kg_geometry_get_float (n->samples, KG_POINTS, "N", 3);
  /* Single precision holds no lengths as those that may be entered. */
  const double largest = kg_vector_get_largest (n->direction);
  float *directions;

  if (n->directions == DIRECTION_GIVEN && !(largest > 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the direction is zero: enter the direction of the rays, such as 0, -1, 0");
    return NULL;
  }
  if (n->directions != DIRECTION_GIVEN && normals == NULL && n_points > 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the samples have no attribute N: give them normals, or set Directions to Given direction");
    return NULL;
  }
  directions = g_new (float, 3 * MAX (n_points, 1));
  for (size_t i = 0; i < 3 * n_points; i++)
    directions[i] = n->directions == DIRECTION_GIVEN     ? (float) (kg_vector_get (n->direction, i % 3) / largest)
                    : n->directions == DIRECTION_AGAINST ? -normals[i]
                                                         : normals[i];
  return directions;
}

/* Writes what was hit to the points; places: where. */
static void
ray_write (Ray *n, const FieldRayHit *hits, const float *directions, float *places, size_t n_points, double time)
{
  int32_t *hit = kg_geometry_edit_int (n->geometry, KG_POINTS, "hit", 1);
  float *distances = kg_geometry_edit_float (n->geometry, KG_POINTS, "distance", 1);
  float *thickness = kg_geometry_edit_float (n->geometry, KG_POINTS, "thickness", 1);
  float *normals = kg_geometry_edit_float (n->geometry, KG_POINTS, "N", 3);
  g_autofree float *values = g_new (float, MAX (n_points, 1)), *gradients = g_new (float, 3 * MAX (n_points, 1));
  size_t nearest = SIZE_MAX;

  for (size_t i = 0; i < n_points; i++) {
    const KgVector d = kg_floats_get_vector (directions, i);

    hit[i] = hits[i].n > 0;
    distances[i] = hits[i].n > 0 ? (float) hits[i].t[0] : -1;
    thickness[i] = hits[i].n > 1 ? (float) (hits[i].t[1] - hits[i].t[0]) : 0;
    if (hits[i].n == 0)
      continue;
    n->count++;
    for (size_t c = 0; c < 3; c++)
      places[3 * i + c] += (float) (hits[i].t[0] / kg_vector_length (d) * kg_vector_get (d, c));
    if (nearest == SIZE_MAX || hits[i].t[0] < hits[nearest].t[0])
      nearest = i;
  }
  kg_field_sample_gradients (n->field, places, n_points, time, GRADIENT_STEP, values, gradients);
  for (size_t i = 0; i < n_points; i++) {
    const KgVector slope = kg_floats_get_vector (gradients, i);
    const KgVector normal = kg_vector_normalize_or (kg_vector_scale (slope, -1), kg_vector (0, 0, 0));

    for (size_t c = 0; hits[i].n > 0 && c < 3; c++)
      normals[3 * i + c] = (float) kg_vector_get (normal, c);
  }
  n->hit = n->count > 0;
  n->nearest = -1;
  if (nearest == SIZE_MAX)
    return;
  n->nearest = hits[nearest].t[0];
  n->at = kg_floats_get_vector (places, nearest);
  n->normal = kg_floats_get_vector (normals, nearest);
}

static bool
ray_evaluate (Ray *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t n_points = kg_geometry_get_n_points (n->samples);
  const FieldRayOptions options = {
    .level = kg_field_get_level (n->field), .time = ctx->time, .reach = n->reach, .step = n->step
  };
  g_autofree float *places = g_memdup2 (kg_geometry_get_positions (n->samples), 3 * n_points * sizeof (float));
  g_autofree float *directions = NULL;
  g_autofree FieldRayHit *hits = g_new (FieldRayHit, MAX (n_points, 1));

  if (!soft_check_numbers (n->field, error))
    return false;
  directions = ray_get_directions (n, n_points, error);
  if (directions == NULL ||
      !field_ray_follow_all (n->field, &options, places, directions, n_points, hits, &monitor, error))
    return false;
  n->geometry = kg_geometry_ref (n->samples);
  kg_geometry_make_writable (&n->geometry);
  ray_write (n, hits, directions, places, n_points, ctx->time);
  if (n->move && n_points > 0)
    memcpy (kg_geometry_edit_positions (n->geometry), places, 3 * n_points * sizeof (float));
  return true;
}

static const KgSlot ray_slots[] = {
  KG_INPUT (Ray, samples, GEOMETRY, .label = N_ ("Samples"), .help = N_ ("A ray begins at each point.")),
  KG_INPUT (Ray, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field of numbers that represents the body.")),
  KG_INPUT (Ray, directions, CHOICE, .label = N_ ("Directions"), .choices = ray_directions,
            .help = N_ ("Direction of the rays.")),
  KG_INPUT (Ray, direction, VECTOR, .label = N_ ("Direction"), .def_v = { 0, -1, 0 }, .shown_when = "directions=given",
            .help = N_ ("Direction of all rays; its length does not matter.")),
  KG_INPUT (Ray, reach, NUMBER, .label = N_ ("Reach"), .unit = KG_METRES, .def = 100, .min = 1e-6, .max = 1e6,
            .soft_max = 100, .help = N_ ("Length of the rays.")),
  KG_INPUT (
      Ray, step, NUMBER, .label = N_ ("Step"), .unit = KG_METRES, .def = 0.01, .min = 1e-6, .max = 1e6, .soft_max = 0.1,
      .help = N_ (
          "Length of the steps along a ray for formulas, noise and combined bodies: thinner parts may be missed. Soft "
          "objects are hit exactly.")),
  KG_INPUT (Ray, move, BOOLEAN, .label = N_ ("Move to the surface"),
            .help = N_ ("Moves points whose rays hit to the surface.")),
  KG_OUTPUT (
      Ray, geometry, GEOMETRY, .label = N_ ("Geometry"),
      .help = N_ ("The samples. Points have hit (0 or 1), distance (metres along the ray; -1: no hit), thickness "
                  "(metres from there until the surface is crossed again; 0: never) and, where they hit, N (out "
                  "of the body).")),
  KG_OUTPUT (Ray, hit, BOOLEAN, .label = N_ ("Hit"), .help = N_ ("Whether any ray hits.")),
  KG_OUTPUT (Ray, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of rays that hit.")),
  KG_OUTPUT (Ray, nearest, NUMBER, .label = N_ ("Nearest"), .unit = KG_METRES,
             .help = N_ ("Shortest distance along a ray to the surface; -1 where none hits.")),
  KG_OUTPUT (Ray, at, VECTOR, .label = N_ ("Place"), .unit = KG_METRES, .help = N_ ("Point at which that ray hits.")),
  KG_OUTPUT (Ray, normal, VECTOR, .label = N_ ("Normal"), .help = N_ ("Direction out of the body there, of length 1.")),
};

KG_NODE (
    soft, ray, Ray, .label = N_ ("Rays against Field"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("soft object ray cast trace project shrink wrap intersection hit distance implicit"),
    .formula = "F(o + t d) = level",
    .source = "Nishita and Nakamae, A Method for Displaying Metaballs by using Bézier Clipping, 1994; Kalra and Barr, "
              "Guaranteed Ray Intersections with Implicit Surfaces, 1989",
    .help = N_ (
        "Sends a ray from each point and finds where it hits a body that is given as a field: at what distance, with "
        "what normal, and through what thickness. Points can be moved there, which projects a shape onto the body."));
