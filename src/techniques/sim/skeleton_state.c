/* skeleton_state: what simulations of figures keep from frame to frame, as a geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/skeleton_state.h"

#include "sim/skeleton_solver.h"

#define WORDS 16

G_STATIC_ASSERT (sizeof (SkeletonPoint) == WORDS * sizeof (int32_t));

/* The two limits of a rod or a hinge: four whole numbers. */
typedef struct {
  double low, high;
} Limits;

G_STATIC_ASSERT (sizeof (Limits) == 4 * sizeof (int32_t));

static void
keep_figure (KgGeometry *state, const SkeletonFigure *figure)
{
  const guint n_rods = figure->rods->len, n_hinges = figure->hinges->len;
  g_autofree uint32_t *vertices = g_new (uint32_t, MAX (1, 2 * (size_t) n_rods + 3 * (size_t) n_hinges));
  uint32_t *v = vertices;
  Limits *limits;

  for (guint k = 0; k < n_rods; k++) {
    const SkeletonRod *rod = &g_array_index (figure->rods, SkeletonRod, k);

    *v++ = rod->a;
    *v++ = rod->b;
  }
  for (guint k = 0; k < n_hinges; k++) {
    const SkeletonHinge *hinge = &g_array_index (figure->hinges, SkeletonHinge, k);

    *v++ = hinge->a;
    *v++ = hinge->b;
    *v++ = hinge->c;
  }
  kg_geometry_add_primitives (state, KG_POLYLINE, false, n_rods, 2, vertices);
  kg_geometry_add_primitives (state, KG_POLYLINE, false, n_hinges, 3, vertices + 2 * (size_t) n_rods);
  limits = (Limits *) (void *) kg_geometry_edit_int (state, KG_PRIMITIVES, "limits", 4);
  for (guint k = 0; k < n_rods; k++) {
    const SkeletonRod *rod = &g_array_index (figure->rods, SkeletonRod, k);

    limits[k] = (Limits){ rod->shortest, rod->longest };
  }
  for (guint k = 0; k < n_hinges; k++) {
    const SkeletonHinge *hinge = &g_array_index (figure->hinges, SkeletonHinge, k);

    limits[n_rods + k] = (Limits){ hinge->low, hinge->high };
  }
}

void
skeleton_state_get_figure (const KgGeometry *state, SkeletonFigure *figure)
{
  const Limits *limits = (const Limits *) (const void *) kg_geometry_get_int (state, KG_PRIMITIVES, "limits", 4);

  /* A state that was kept in a file may hold other lines, which are nothing. */
  figure->rods = g_array_new (FALSE, FALSE, sizeof (SkeletonRod));
  figure->hinges = g_array_new (FALSE, FALSE, sizeof (SkeletonHinge));
  for (size_t k = 0; k < kg_geometry_get_n_primitives (state); k++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (state, k, &primitive);
    if (primitive.n_vertices == 2) {
      const SkeletonRod rod = { primitive.vertices[0], primitive.vertices[1], limits[k].low, limits[k].high };

      g_array_append_val (figure->rods, rod);
    } else if (primitive.n_vertices == 3) {
      const SkeletonHinge hinge = { primitive.vertices[0], primitive.vertices[1], primitive.vertices[2], limits[k].low,
                                    limits[k].high };

      g_array_append_val (figure->hinges, hinge);
    }
  }
}

const SkeletonPoint *
skeleton_state_get_points (const KgGeometry *state)
{
  return (const SkeletonPoint *) (const void *) kg_geometry_get_int (state, KG_POINTS, "memory", WORDS);
}

SkeletonPoint *
skeleton_state_edit_points (KgGeometry *state)
{
  return (SkeletonPoint *) (void *) kg_geometry_edit_int (state, KG_POINTS, "memory", WORDS);
}

bool
skeleton_get_mass (const KgGeometry *geometry, double fallback, size_t i, double *mass, GError **error)
{
  const float *masses = kg_geometry_get_float (geometry, KG_POINTS, "mass", 1);

  *mass = masses != NULL ? (double) masses[i] : fallback;
  if (*mass > 0 && *mass < 1e30)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "the mass of point %zu is %g kg: use a mass above 0; to hold the point, give it the attribute pin", i,
                *mass);
  return false;
}

KgVector
skeleton_get_place (const KgGeometry *geometry, bool plane, size_t i)
{
  const float *p = kg_geometry_get_positions (geometry) + 3 * i;

  return kg_vector ((double) p[0], (double) p[1], plane ? 0 : (double) p[2]);
}

static KgVector
find_center (const SkeletonPoint *points, size_t count)
{
  KgVector sum = kg_vector (0, 0, 0);
  double mass = 0;

  for (size_t i = 0; i < count; i++) {
    sum = kg_vector_add_scaled (sum, points[i].mass, points[i].place);
    mass += points[i].mass;
  }
  return kg_vector_scale (sum, mass > 0 ? 1 / mass : 0);
}

static void
set_start_momenta (const KgGeometry *geometry, const SkeletonStart *start, SkeletonPoint *points, size_t count)
{
  const float *v = kg_geometry_get_float (geometry, KG_POINTS, "v", 3);
  const KgVector center = find_center (points, count);
  const bool plane = start->figure.plane;
  const KgVector spin = plane ? kg_vector (0, 0, start->spin.z) : start->spin;

  for (size_t i = 0; i < count; i++) {
    KgVector speed =
        kg_vector_add (start->velocity, kg_vector_cross (spin, kg_vector_subtract (points[i].place, center)));

    for (size_t c = 0; v != NULL && c < 3; c++)
      *kg_vector_component (&speed, c) += (double) v[3 * i + c];
    if (plane)
      speed.z = 0;
    points[i].momentum = kg_vector_scale (speed, points[i].mass);
  }
}

KgGeometry *
skeleton_state_new (const KgGeometry *geometry, const SkeletonStart *start, GError **error)
{
  const size_t count = kg_geometry_get_n_points (geometry);
  g_auto (SkeletonFigure) figure = { NULL, NULL };
  g_autoptr (KgGeometry) state = kg_geometry_new ();
  SkeletonPoint *points;

  if (!skeleton_figure_read (&figure, geometry, &start->figure, error) ||
      !kg_geometry_set_n_points (state, count, error))
    return NULL;
  keep_figure (state, &figure);
  points = skeleton_state_edit_points (state);
  for (size_t i = 0; i < count; i++) {
    points[i].place = skeleton_get_place (geometry, start->figure.plane, i);
    points[i].buried = SKELETON_ALL_WALLS;
    if (!skeleton_get_mass (geometry, start->mass, i, &points[i].mass, error))
      return NULL;
  }
  set_start_momenta (geometry, start, points, count);
  return g_steal_pointer (&state);
}

bool
skeleton_state_check_points (const KgGeometry *state, const KgGeometry *geometry, GError **error)
{
  const size_t count = kg_geometry_get_n_points (state), now = kg_geometry_get_n_points (geometry);

  if (now != count)
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the figure started with %zu points but now has %zu: link a figure that keeps its points", count,
                  now);
  return now == count;
}

bool
skeleton_state_check_finite (const KgGeometry *state, double time, const char *remedy, GError **error)
{
  const SkeletonPoint *points = skeleton_state_get_points (state);

  for (size_t i = 0; i < kg_geometry_get_n_points (state); i++) {
    const double far = fmax (kg_vector_length (points[i].place), kg_vector_length (points[i].momentum));

    if (!(far < 1e30) || !(far / points[i].mass < 1e30)) {
      kg_set_error (error, KG_ERROR_DIVERGED, "point %zu flew off to infinity at %g s: %s", i, time, remedy);
      return false;
    }
  }
  return true;
}

void
skeleton_state_write (const KgGeometry *state, bool plane, KgGeometry *geometry)
{
  const SkeletonPoint *points = skeleton_state_get_points (state);
  float *p = kg_geometry_edit_positions (geometry);
  float *v = kg_geometry_edit_float (geometry, KG_POINTS, "v", 3);

  for (size_t i = 0; i < kg_geometry_get_n_points (state); i++)
    for (size_t c = 0; c < 3; c++) {
      /* In the plane the depth only sorts images. */
      if (c < 2 || !plane)
        p[3 * i + c] = (float) kg_vector_get (points[i].place, c);
      v[3 * i + c] = (float) (kg_vector_get (points[i].momentum, c) / points[i].mass);
    }
}

void
skeleton_state_measure (const KgGeometry *state, KgVector gravity, SkeletonMeasure *measure)
{
  const SkeletonPoint *points = skeleton_state_get_points (state);
  const size_t count = kg_geometry_get_n_points (state);

  *measure = (SkeletonMeasure){ .center = find_center (points, count) };
  for (size_t i = 0; i < count; i++) {
    const SkeletonPoint *point = &points[i];

    measure->momentum = kg_vector_add (measure->momentum, point->momentum);
    measure->angular_momentum =
        kg_vector_add (measure->angular_momentum, kg_vector_cross (point->place, point->momentum));
    measure->energy += 0.5 * kg_vector_dot (point->momentum, point->momentum) / point->mass -
                       point->mass * kg_vector_dot (gravity, point->place);
  }
}
