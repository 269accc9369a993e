/* spring_body: laying springs over a geometry, and the state of a simulation.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/spring_body.h"
#include "sim/spring_net_private.h"

#include "geometry/tetrahedra.h"
#include "kg-error.h"
#include "kg-floats.h"
#include "value/disjoint_sets.h"

#include <stdlib.h>
#include <string.h>

#define WORDS 16
/* Interior braces compare all pairs of points. */
#define INTERIOR_MAX 40000
/* Diagonals of faces with more corners would outnumber everything else. */
#define CORNERS_MAX 64
/* Of a point with many edges nearly every pair is braced. */
#define SECOND_MAX 10000000
#define HUB_MAX 4096

/* An edge of a face, from its lower point to its higher one. */
typedef struct {
  uint32_t low, high;
  uint32_t outer; /* the face's next corner, for hinges; UINT32_MAX on lines */
  uint32_t face;
} Side;

static int
compare_sides (const void *a, const void *b)
{
  const Side *p = (const Side *) a, *q = (const Side *) b;

  if (p->low != q->low)
    return p->low < q->low ? -1 : 1;
  if (p->high != q->high)
    return p->high < q->high ? -1 : 1;
  return p->face < q->face ? -1 : p->face > q->face;
}

static int
compare_springs (const void *a, const void *b)
{
  const Spring *p = (const Spring *) a, *q = (const Spring *) b;

  if (p->a != q->a)
    return p->a < q->a ? -1 : 1;
  if (p->b != q->b)
    return p->b < q->b ? -1 : 1;
  return p->kind < q->kind ? -1 : p->kind > q->kind;
}

static void
add_spring (GArray *springs, const float *p, uint32_t a, uint32_t b, SpringKind kind)
{
  const Spring spring = { .a = MIN (a, b),
                          .b = MAX (a, b),
                          .kind = kind,
                          .rest = kg_vector_distance (kg_floats_get_vector (p, (size_t) a),
                                                      kg_floats_get_vector (p, (size_t) b)) };

  if (a != b)
    g_array_append_val (springs, spring);
}

static void
list_sides (const KgGeometry *geometry, GArray *sides)
{
  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;
    const bool closes = (kg_geometry_get_primitive (geometry, i, &primitive), primitive.kind == KG_POLYGON) ||
                        primitive.closed;
    const uint32_t n = primitive.n_vertices, *v = primitive.vertices;

    for (uint32_t k = 0; k + (closes ? 0 : 1) < n; k++) {
      const uint32_t a = v[k], b = v[(k + 1) % n];
      const bool face = primitive.kind == KG_POLYGON && n > 2;
      const Side side = { MIN (a, b), MAX (a, b), face ? v[(k + 2) % n] : UINT32_MAX, (uint32_t) i };

      if (a != b)
        g_array_append_val (sides, side);
    }
  }
  if (sides->len > 0)
    qsort (sides->data, sides->len, sizeof (Side), compare_sides);
}

/* The closed lines of four points that stand for tetrahedra: their corners, four each, and the springs that the line does not
 * have. */
static GArray *
list_tetrahedra (const KgGeometry *geometry, const float *p, GArray *springs)
{
  const int32_t *group = kg_geometry_get_int (geometry, KG_PRIMITIVES, "tetrahedron", 1);
  GArray *tetrahedra = g_array_new (FALSE, FALSE, 4 * sizeof (uint32_t));

  for (size_t i = 0; group != NULL && i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (group[i] == 0 || primitive.kind != KG_POLYLINE || primitive.n_vertices != 4)
      continue;
    add_spring (springs, p, primitive.vertices[0], primitive.vertices[2], SPRING_EDGE);
    add_spring (springs, p, primitive.vertices[1], primitive.vertices[3], SPRING_EDGE);
    g_array_append_vals (tetrahedra, primitive.vertices, 1);
  }
  return tetrahedra;
}

static KgVector *
get_corners (const uint32_t corners[4], const float *p, KgVector x[4])
{
  for (int k = 0; k < 4; k++)
    x[k] = kg_floats_get_vector (p, (size_t) corners[k]);
  return x;
}

static void
add_face_diagonals (const KgGeometry *geometry, const float *p, GArray *springs)
{
  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind != KG_POLYGON)
      continue;
    for (uint32_t a = 0; a < primitive.n_vertices; a++)
      for (uint32_t b = a + 2; b < primitive.n_vertices; b++)
        /* Of faces with very many corners those across two, and to the far side. */
        if ((a > 0 || b + 1 < primitive.n_vertices) &&
            (primitive.n_vertices <= CORNERS_MAX || b == a + 2 || b == a + primitive.n_vertices / 2))
          add_spring (springs, p, primitive.vertices[a], primitive.vertices[b], SPRING_FACE);
  }
}

static void
join (uint32_t *parent, uint32_t a, uint32_t b)
{
  a = disjoint_sets_find (parent, a);
  b = disjoint_sets_find (parent, b);
  parent[MAX (a, b)] = MIN (a, b);
}

static bool
add_interior (const float *p, size_t n, const GArray *sides, GArray *springs, const KgProgressMonitor *monitor,
              GError **error)
{
  g_autofree uint32_t *parent = g_new (uint32_t, n), *farthest = g_new (uint32_t, n);
  bool cancelled = false;

  if (n > INTERIOR_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "interior braces of %zu points are too many, at most %d: use braces of faces, or fewer points", n,
                  INTERIOR_MAX);
    return false;
  }
  for (uint32_t i = 0; i < n; i++)
    parent[i] = i;
  for (guint i = 0; i < sides->len; i++)
    join (parent, g_array_index (sides, Side, i).low, g_array_index (sides, Side, i).high);
  for (uint32_t i = 0; i < n; i++)
    parent[i] = disjoint_sets_find (parent, i);
#pragma omp parallel for schedule(static)
  for (uint32_t i = 0; i < n; i++) {
    const KgVector x = kg_floats_get_vector (p, (size_t) i);
    bool stop;
    double most = 0;

    farthest[i] = i;
    if (i % 64 == 0 && kg_progress_is_cancelled (monitor)) {
#pragma omp atomic write
      cancelled = true;
    }
#pragma omp atomic read
    stop = cancelled;
    for (uint32_t j = 0; !stop && j < n; j++) {
      const KgVector way = kg_vector_subtract (kg_floats_get_vector (p, (size_t) j), x);
      const double distance = kg_vector_dot (way, way);

      /* The first of nearly equal ones. */
      if (distance > most * (1 + 2e-7) && parent[j] == parent[i]) {
        most = distance;
        farthest[i] = j;
      }
    }
  }
  for (uint32_t i = 0; i < n; i++)
    add_spring (springs, p, i, farthest[i], SPRING_INTERIOR);
  return !cancelled;
}

/* Straight ahead: less than 45 degrees off.  A hub of many spokes has more of them than can be. */
static bool
add_second (const float *p, size_t n, const GArray *sides, GArray *springs, const KgProgressMonitor *monitor,
            GError **error)
{
  g_autofree size_t *start = g_new0 (size_t, n + 2);
  g_autofree uint32_t *near = g_new (uint32_t, MAX (2 * (size_t) sides->len, 1));
  const Side *all = (const Side *) (const void *) sides->data;

  for (guint i = 0; i < sides->len; i++)
    if (i == 0 || all[i].low != all[i - 1].low || all[i].high != all[i - 1].high) {
      start[all[i].low + 2]++;
      start[all[i].high + 2]++;
    }
  for (size_t i = 2; i < n + 2; i++)
    start[i] += start[i - 1];
  for (guint i = 0; i < sides->len; i++)
    if (i == 0 || all[i].low != all[i - 1].low || all[i].high != all[i - 1].high) {
      near[start[all[i].low + 1]++] = all[i].high;
      near[start[all[i].high + 1]++] = all[i].low;
    }
  for (uint32_t i = 0; i < n; i++)
    for (size_t j = start[i]; j < start[i + 1]; j++) {
      if (j % 64 == 0 && kg_progress_is_cancelled (monitor))
        return false;
      if (springs->len > SECOND_MAX || start[i + 1] - start[i] > HUB_MAX) {
        kg_set_error (error, KG_ERROR_LIMIT,
                      "braces to second neighbours are too many where %zu edges meet at point %u: use other braces",
                      start[i + 1] - start[i], i);
        return false;
      }
      for (size_t k = j + 1; k < start[i + 1]; k++) {
        const KgVector a =
            kg_vector_subtract (kg_floats_get_vector (p, (size_t) near[j]), kg_floats_get_vector (p, (size_t) i));
        const KgVector b =
            kg_vector_subtract (kg_floats_get_vector (p, (size_t) near[k]), kg_floats_get_vector (p, (size_t) i));

        if (kg_vector_dot (a, b) < -0.7071 * kg_vector_length (a) * kg_vector_length (b))
          add_spring (springs, p, near[j], near[k], SPRING_SECOND);
      }
    }
  return true;
}

/* Duplicate pairs become one spring, of the first kind; those without length are dropped. */
static void
finish_springs (const KgGeometry *geometry, const SpringBodyOptions *options, GArray *springs, SpringBodyNotes *notes)
{
  const float *stiffness = kg_geometry_get_float (geometry, KG_POINTS, "stiffness", 1);
  Spring *all = (Spring *) (void *) springs->data;
  guint count = 0;

  qsort (all, springs->len, sizeof *all, compare_springs);
  for (guint i = 0; i < springs->len; i++) {
    Spring *s = &all[i];

    if (count > 0 && all[count - 1].a == s->a && all[count - 1].b == s->b)
      continue;
    if (!(s->rest > 0)) {
      notes->n_zero++;
      continue;
    }
    s->share = s->damping = s->kind == SPRING_EDGE ? 1 : options->brace_share;
    if (stiffness != NULL)
      s->share *= 0.5 * ((double) stiffness[s->a] + (double) stiffness[s->b]);
    if (options->per_length)
      s->share /= s->rest;
    all[count++] = *s;
  }
  g_array_set_size (springs, count);
}

/* Two faces that share an edge. */
static GArray *
find_hinges (const GArray *sides, const float *p)
{
  GArray *hinges = g_array_new (FALSE, TRUE, sizeof (SpringHinge));
  const Side *all = (const Side *) (const void *) sides->data;

  for (guint i = 0; i + 1 < sides->len; i++) {
    const Side *s = &all[i], *t = &all[i + 1];
    const bool alone = (i == 0 || all[i - 1].low != s->low || all[i - 1].high != s->high) &&
                       (i + 2 >= sides->len || all[i + 2].low != s->low || all[i + 2].high != s->high);
    SpringHinge hinge = { .points = { s->outer, t->outer, s->low, s->high }, .share = 1 };
    KgVector corners[4];

    if (s->low != t->low || s->high != t->high || !alone || s->outer == UINT32_MAX || t->outer == UINT32_MAX)
      continue;
    for (int k = 0; k < 4; k++)
      corners[k] = kg_floats_get_vector (p, (size_t) hinge.points[k]);
    if (spring_hinge_get (corners, &hinge.rest, NULL))
      g_array_append_val (hinges, hinge);
  }
  return hinges;
}

static int
compare_corners (const void *a, const void *b)
{
  const SpringHinge *p = (const SpringHinge *) a, *q = (const SpringHinge *) b;

  if (p->points[2] != q->points[2])
    return p->points[2] < q->points[2] ? -1 : 1;
  if (p->points[0] != q->points[0])
    return p->points[0] < q->points[0] ? -1 : 1;
  return p->points[1] < q->points[1] ? -1 : p->points[1] > q->points[1];
}

static void
add_corners_of (const KgPrimitive *line, const float *p, GArray *corners)
{
  const uint32_t n = line->n_vertices, *v = line->vertices;

  for (uint32_t k = line->closed ? 0 : 1; k + (line->closed ? 0 : 1) < n; k++) {
    const uint32_t one = v[(k + n - 1) % n], other = v[(k + 1) % n];
    SpringHinge corner = { .points = { MIN (one, other), MAX (one, other), v[k], v[k] }, .share = 1 };
    const KgVector x[3] = { kg_floats_get_vector (p, (size_t) corner.points[0]),
                            kg_floats_get_vector (p, (size_t) corner.points[1]),
                            kg_floats_get_vector (p, (size_t) v[k]) };

    if (spring_corner_get (x, &corner.rest, NULL, NULL))
      g_array_append_val (corners, corner);
  }
}

/* Appends the corners of lines to the hinges, one for all lines that share it. */
static void
add_corners (const KgGeometry *geometry, const float *p, GArray *hinges)
{
  const int32_t *tetrahedra = kg_geometry_get_int (geometry, KG_PRIMITIVES, "tetrahedron", 1);
  g_autoptr (GArray) corners = g_array_new (FALSE, TRUE, sizeof (SpringHinge));

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind != KG_POLYGON && primitive.n_vertices > 2 && (tetrahedra == NULL || tetrahedra[i] == 0))
      add_corners_of (&primitive, p, corners);
  }
  if (corners->len > 0)
    qsort (corners->data, corners->len, sizeof (SpringHinge), compare_corners);
  for (guint i = 0; i < corners->len; i++) {
    const SpringHinge *corner = &g_array_index (corners, SpringHinge, i);

    if (i == 0 || compare_corners (corner - 1, corner) != 0)
      g_array_append_vals (hinges, corner, 1);
  }
}

/* Appends the tetrahedra to the hinges. */
static void
add_tetrahedra (const GArray *tetrahedra, const float *p, GArray *hinges, SpringBodyNotes *notes)
{
  for (guint i = 0; i < tetrahedra->len; i++) {
    const uint32_t *corners = &g_array_index (tetrahedra, uint32_t, 4 * i);
    SpringHinge element = { .points = { corners[0], corners[1], corners[2], corners[3] }, .share = 1 };
    KgVector x[4];

    element.volume = tetrahedron_get_volume (get_corners (corners, p, x));
    if (element.volume > 0)
      g_array_append_val (hinges, element);
    else
      notes->n_flat++;
  }
  notes->n_tetrahedra = tetrahedra->len;
}

/* Masses. */

static bool
spread_mass (const KgGeometry *geometry, const SpringBodyOptions *options, const GArray *springs,
             const GArray *tetrahedra, SpringPoint *points, GError **error)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  const float *mass = kg_geometry_get_float (geometry, KG_POINTS, "mass", 1);
  const float *p = kg_geometry_get_positions (geometry);
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    points[i].mass = mass != NULL ? (double) mass[i] : options->spread == SPREAD_EVEN ? 1 : 0;
  if (mass == NULL && options->spread == SPREAD_LENGTH)
    for (guint i = 0; i < springs->len; i++) {
      const Spring *s = &g_array_index (springs, Spring, i);

      if (s->kind == SPRING_EDGE) {
        points[s->a].mass += s->rest;
        points[s->b].mass += s->rest;
      }
    }
  if (mass == NULL && options->spread == SPREAD_AREA)
    for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
      KgPrimitive primitive;

      kg_geometry_get_primitive (geometry, i, &primitive);
      for (uint32_t k = 1; primitive.kind == KG_POLYGON && k + 1 < primitive.n_vertices; k++) {
        const uint32_t corners[3] = { primitive.vertices[0], primitive.vertices[k], primitive.vertices[k + 1] };
        const KgVector a = kg_floats_get_vector (p, (size_t) corners[0]);
        const double area =
            kg_vector_length (kg_vector_cross (kg_vector_subtract (kg_floats_get_vector (p, (size_t) corners[1]), a),
                                               kg_vector_subtract (kg_floats_get_vector (p, (size_t) corners[2]), a)));

        for (int c = 0; c < 3; c++)
          points[corners[c]].mass += area;
      }
    }
  if (mass == NULL && options->spread == SPREAD_VOLUME)
    for (guint i = 0; i < tetrahedra->len; i++) {
      const uint32_t *corners = &g_array_index (tetrahedra, uint32_t, 4 * i);
      KgVector x[4];
      const double volume = fabs (tetrahedron_get_volume (get_corners (corners, p, x)));

      for (int k = 0; k < 4; k++)
        points[corners[k]].mass += volume;
    }
  for (size_t i = 0; i < n; i++)
    sum += points[i].mass;
  for (size_t i = 0; i < n; i++) {
    if (!(points[i].mass > 0)) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          mass != NULL
              ? N_ ("the mass of point %zu is %g kg: use a mass above 0; to hold it, give it the attribute pin")
              : N_ ("point %zu would have the mass %g kg: spread the mass evenly, or delete loose points"),
          i, points[i].mass);
      return false;
    }
    if (mass == NULL)
      points[i].mass *= options->mass / sum;
  }
  return true;
}

/* Springs that push the harder the more they are pushed would only explode. */
static bool
check_stiffness (const KgGeometry *geometry, GError **error)
{
  const float *stiffness = kg_geometry_get_float (geometry, KG_POINTS, "stiffness", 1);

  for (size_t i = 0; stiffness != NULL && i < kg_geometry_get_n_points (geometry); i++)
    if (!(stiffness[i] >= 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the stiffness of point %zu is %g: use a factor of 0 or more", i,
                    (double) stiffness[i]);
      return false;
    }
  return true;
}

/* The state. */

/* (transfer full) (nullable) A point for each element, with its 64 bytes. */
static KgGeometry *
pack (const char *name, const void *elements, size_t n, GError **error)
{
  g_autoptr (KgGeometry) packed = kg_geometry_new ();

  if (!kg_geometry_set_n_points (packed, n, error))
    return NULL;
  if (n > 0)
    memcpy (kg_geometry_edit_int (packed, KG_POINTS, name, WORDS), elements, 64 * n);
  else
    kg_geometry_edit_int (packed, KG_POINTS, name, WORDS);
  return g_steal_pointer (&packed);
}

static void
set_spectrum (KgGeometry *body, const SpringSpectrum *spectrum)
{
  double kept[8] = { spectrum->springs, spectrum->dampers, spectrum->hinges, spectrum->volumes };

  memcpy (kg_geometry_edit_int (body, KG_WHOLE, "spectrum", WORDS), kept, sizeof kept);
}

SpringSpectrum
spring_body_get_spectrum (const KgGeometry *body)
{
  double kept[8];

  memcpy (kept, kg_geometry_get_int (body, KG_WHOLE, "spectrum", WORDS), sizeof kept);
  return (SpringSpectrum){ kept[0], kept[1], kept[2], kept[3] };
}

static bool
measure_spectrum (SpringBodyState *state, const KgProgressMonitor *monitor, GError **error)
{
  g_auto (SpringNet) net = { .n_points = 0 };
  SpringSpectrum spectrum = { 0, 0, 0, 0 };

  set_spectrum (state->body, &spectrum);
  if (!spring_body_load (state, &net, error))
    return false;
  spectrum = spring_net_get_spectrum (&net, monitor);
  set_spectrum (state->body, &spectrum);
  return !kg_progress_is_cancelled (monitor);
}

bool
spring_body_start (const KgGeometry *geometry, const SpringBodyOptions *options, SpringBodyState *state,
                   SpringBodyNotes *notes, const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = kg_geometry_get_n_points (geometry);
  const float *p = kg_geometry_get_positions (geometry), *v = kg_geometry_get_float (geometry, KG_POINTS, "v", 3);
  g_autoptr (GArray) sides = g_array_new (FALSE, FALSE, sizeof (Side));
  g_autoptr (GArray) springs = g_array_new (FALSE, TRUE, sizeof (Spring)), hinges = NULL, tetrahedra = NULL;
  g_autofree SpringPoint *points = g_new0 (SpringPoint, MAX (n, 1));
  g_autofree uint8_t *joined = g_new0 (uint8_t, MAX (n, 1));

  *notes = (SpringBodyNotes){ 0, 0, 0, 0, 0 };
  if (!check_stiffness (geometry, error))
    return false;
  list_sides (geometry, sides);
  for (guint i = 0; i < sides->len; i++)
    add_spring (springs, p, g_array_index (sides, Side, i).low, g_array_index (sides, Side, i).high, SPRING_EDGE);
  tetrahedra = list_tetrahedra (geometry, p, springs);
  if (springs->len == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the geometry has no edges: link one with lines or faces, whose edges become springs");
    return false;
  }
  if (options->brace == BRACE_FACES || options->brace == BRACE_BOTH)
    add_face_diagonals (geometry, p, springs);
  if (options->brace == BRACE_SECOND && !add_second (p, n, sides, springs, monitor, error))
    return false;
  if ((options->brace == BRACE_INTERIOR || options->brace == BRACE_BOTH) &&
      !add_interior (p, n, sides, springs, monitor, error))
    return false;
  finish_springs (geometry, options, springs, notes);
  if (springs->len == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "all edges of the geometry have the length 0: move its points apart");
    return false;
  }
  if (!spread_mass (geometry, options, springs, tetrahedra, points, error))
    return false;
  for (guint i = 0; i < springs->len; i++)
    joined[g_array_index (springs, Spring, i).a] = joined[g_array_index (springs, Spring, i).b] = 1;
  for (uint32_t i = 0; i < n; i++) {
    points[i].x = kg_floats_get_vector (p, (size_t) i);
    points[i].v = v != NULL ? kg_vector_add (options->velocity, kg_floats_get_vector (v, (size_t) i))
                            : options->velocity;
    points[i].origin = i;
    notes->n_loose += !joined[i];
  }
  hinges = options->hinges ? find_hinges (sides, p) : g_array_new (FALSE, TRUE, sizeof (SpringHinge));
  if (options->hinges)
    add_corners (geometry, p, hinges);
  notes->n_hinges = hinges->len;
  add_tetrahedra (tetrahedra, p, hinges, notes);
  state->body = kg_geometry_ref (geometry);
  kg_geometry_make_writable (&state->body);
  memcpy (kg_geometry_edit_int (state->body, KG_POINTS, "motion", WORDS), points, 64 * n);
  if (n > 0)
    memcpy (kg_geometry_edit_float (state->body, KG_POINTS, "goal_from", 3), p, 3 * n * sizeof *p);
  state->springs = pack ("spring", springs->data, springs->len, error);
  state->hinges = state->springs != NULL ? pack ("hinge", hinges->data, hinges->len, error) : NULL;
  return state->hinges != NULL && measure_spectrum (state, monitor, error);
}

bool
spring_body_load (const SpringBodyState *state, SpringNet *net, GError **error)
{
  const size_t n = kg_geometry_get_n_points (state->body), n_springs = kg_geometry_get_n_points (state->springs);
  const size_t n_hinges = kg_geometry_get_n_points (state->hinges);
  g_autoptr (GArray) triangles = g_array_new (FALSE, FALSE, 3 * sizeof (uint32_t));
  guint n_triangles;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (state->body); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (state->body, i, &primitive);
    for (uint32_t k = 1; primitive.kind == KG_POLYGON && k + 1 < primitive.n_vertices; k++) {
      const uint32_t corners[3] = { primitive.vertices[0], primitive.vertices[k], primitive.vertices[k + 1] };

      g_array_append_val (triangles, corners);
    }
  }
  n_triangles = triangles->len;
  return spring_net_init (
      net, (SpringPoint *) g_memdup2 (kg_geometry_get_int (state->body, KG_POINTS, "motion", WORDS), 64 * n), n,
      (Spring *) g_memdup2 (kg_geometry_get_int (state->springs, KG_POINTS, "spring", WORDS), 64 * n_springs),
      n_springs,
      (SpringHinge *) g_memdup2 (kg_geometry_get_int (state->hinges, KG_POINTS, "hinge", WORDS), 64 * n_hinges),
      n_hinges, (uint32_t (*)[3]) (void *) g_array_free (g_steal_pointer (&triangles), n_triangles == 0), n_triangles,
      error);
}

void
spring_body_store (const SpringNet *net, SpringBodyState *state)
{
  kg_geometry_make_writable (&state->body);
  kg_geometry_make_writable (&state->springs);
  kg_geometry_make_writable (&state->hinges);
  memcpy (kg_geometry_edit_int (state->body, KG_POINTS, "motion", WORDS), net->points, 64 * net->n_points);
  if (net->n_springs > 0)
    memcpy (kg_geometry_edit_int (state->springs, KG_POINTS, "spring", WORDS), net->springs, 64 * net->n_springs);
  if (net->n_hinges > 0)
    memcpy (kg_geometry_edit_int (state->hinges, KG_POINTS, "hinge", WORDS), net->hinges, 64 * net->n_hinges);
}

/* Strikes. */

void
spring_net_strike (SpringNet *net, const KgGeometry *body, KgVector place, KgVector impulse, bool face)
{
  double least = INFINITY;
  size_t nearest = 0;
  KgPrimitive primitive;

  for (size_t i = 0; i < net->n_triangles && face; i++) {
    const uint32_t *t = net->triangles[i];
    const KgVector corners[3] = { net->points[t[0]].x, net->points[t[1]].x, net->points[t[2]].x };
    const double distance = kg_vector_distance (triangle_find_nearest (corners, place), place);

    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  if (face && net->n_triangles > 0) {
    /* The polygon that the triangle is a part of. */
    for (size_t i = 0, first = 0; i < kg_geometry_get_n_primitives (body); i++) {
      kg_geometry_get_primitive (body, i, &primitive);
      if (primitive.kind != KG_POLYGON || primitive.n_vertices < 3)
        continue;
      if (nearest < first + primitive.n_vertices - 2) {
        for (uint32_t k = 0; k < primitive.n_vertices; k++)
          net->impulse[primitive.vertices[k]] =
              kg_vector_add_scaled (net->impulse[primitive.vertices[k]], 1.0 / primitive.n_vertices, impulse);
        return;
      }
      first += primitive.n_vertices - 2;
    }
  }
  for (size_t i = 0; i < net->n_points; i++) {
    const double distance = kg_vector_distance (net->points[i].x, place);

    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  if (net->n_points > 0)
    net->impulse[nearest] = kg_vector_add (net->impulse[nearest], impulse);
}
