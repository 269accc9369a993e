/* radiosity: the order of the work, and the coloured result, see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/radiosity.h"

#include "geometry/point_pieces.h"
#include "geometry/primitive_attributes.h"
#include "kg-error.h"
#include "render/radiosity_private.h"
#include "value/distribution.h"

#include <float.h>
#include <string.h>

/* The result. */

/* Cells of a facet meet at a lattice of points.  Quadrilaterals have columns + 1 in each of rows + 1 rows, triangles have one fewer in each
 * row. */
static size_t
get_n_points (const RadiosityFacet *facet, uint32_t times)
{
  const size_t columns = (size_t) facet->columns * times, rows = (size_t) facet->rows * times;

  return facet->n == 4 ? (columns + 1) * (rows + 1) : (columns + 1) * (columns + 2) / 2;
}

/* The point of the lattice at (u, v). */
static size_t
find_point (const RadiosityFacet *facet, uint32_t times, const double at[2])
{
  const size_t columns = (size_t) facet->columns * times, rows = (size_t) facet->rows * times;
  const size_t i = (size_t) nearbyint (at[0] * (double) columns), j = (size_t) nearbyint (at[1] * (double) rows);

  return facet->n == 4 ? j * (columns + 1) + i : j * (columns + 1) - j * (j - 1) / 2 + i;
}

/* A point of the result: what the cells around it that belong to its facet have. */
typedef struct {
  KgVector normal;
  RadiosityMaterial material;
  double light[3], area;
  double lift; /* above the face */
} Corner;

typedef struct {
  const RadiosityScene *scene;
  KgGeometry *lit;
  Corner *corners;
  size_t n_corners;
  uint32_t *sources; /* of each face: the primitive it is part of */
} Result;

static void
result_clear (Result *r)
{
  g_clear_pointer (&r->lit, kg_geometry_unref);
  g_free (r->corners);
  g_free (r->sources);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Result, result_clear)

/* The back of a face is above it, so that each side is seen from its own: by a share of its elements, enough for a camera that shows each
 * as some pixels, and by more than rounding.  The front stays where it is: what stands on a floor does not sink in. */
static double
get_lift (const RadiosityScene *scene, const RadiosityPatch *element, KgVector place)
{
  if (!element->back)
    return 0;
  return fmax (fmin (5e-4 * element->size, 1e-4 * scene->size),
               4 * (double) FLT_EPSILON * kg_vector_get_largest (place));
}

/* The faces of one side of a facet, whose points begin at first_point. */
static void
add_faces (Result *r, const RadiosityFacet *facet, bool back, size_t first_element, size_t first_point,
           uint32_t *vertices)
{
  const uint32_t times = r->scene->rule->elements;
  float *p = kg_geometry_edit_positions (r->lit);

  for (size_t k = 0; k < radiosity_get_n_cells (facet, times); k++) {
    const RadiosityCell cell = radiosity_get_cell (facet, times, k);
    const RadiosityPatch *element = &r->scene->result->elements[first_element + k];

    for (int c = 0; c < cell.n; c++) {
      const double *at = cell.at[back ? cell.n - 1 - c : c];
      const size_t point = first_point + find_point (facet, times, at);
      Corner *corner = &r->corners[point];

      if (corner->area == 0) {
        const KgVector place = radiosity_get_point (facet, at[0], at[1]);

        kg_floats_set_vector (p, point, place);
        corner->lift = get_lift (r->scene, element, place);
        corner->normal = element->normal;
        corner->material = radiosity_get_material (facet, at[0], at[1]);
      }
      corner->area += element->area;
      for (int i = 0; i < 3; i++)
        corner->light[i] += element->area * element->shown[i];
      vertices[facet->n * k + (size_t) c] = (uint32_t) point;
    }
    r->sources[first_element + k] = facet->polygon;
  }
  kg_geometry_add_primitives (r->lit, KG_POLYGON, true, radiosity_get_n_cells (facet, times), facet->n, vertices);
}

static bool
add_all_faces (Result *r, GError **error)
{
  const RadiosityScene *scene = r->scene;
  const uint32_t times = scene->rule->elements, n_sides = scene->rule->sides == RADIOSITY_BOTH ? 2 : 1;
  size_t element = 0, point = 0, most = 0;
  g_autofree uint32_t *vertices = NULL;

  for (size_t i = 0; i < scene->n_facets; i++) {
    r->n_corners += n_sides * get_n_points (&scene->facets[i], times);
    most = MAX (most, radiosity_get_n_cells (&scene->facets[i], times));
  }
  vertices = g_new (uint32_t, 4 * most);
  r->lit = kg_geometry_new ();
  if (!kg_geometry_set_n_points (r->lit, r->n_corners, error))
    return false;
  r->corners = g_new0 (Corner, r->n_corners);
  r->sources = g_new (uint32_t, scene->result->n_elements);
  for (size_t i = 0; i < scene->n_facets; i++)
    for (uint32_t side = 0; side < n_sides; side++) {
      add_faces (r, &scene->facets[i], side == 1, element, point, vertices);
      element += radiosity_get_n_cells (&scene->facets[i], times);
      point += get_n_points (&scene->facets[i], times);
      if (kg_progress_is_cancelled (scene->monitor))
        return false;
    }
  return true;
}

/* Which corners are at the same place, but for rounding, which depends on the place.  NULL: cancelled.  (transfer full) */
static uint32_t *
find_same_corners (const Result *r)
{
  /* Binary, the last ones of a float32; and at the origin, what is left of differences of numbers that are larger. */
  enum { MOST_DIGITS = 4 };
  const double least = 1e-8 * r->scene->size;
  const float *p = kg_geometry_get_positions (r->lit);
  g_autofree float *rounded = g_new (float, 3 * r->n_corners);

  for (size_t i = 0; i < r->n_corners; i++) {
    const float *at = p + 3 * i;
    int exponent;
    double step;

    frexp (kg_vector_get_largest (kg_floats_get_vector (at, 0)), &exponent);
    step = fmax (ldexp (1, exponent - FLT_MANT_DIG + MOST_DIGITS), least);
    for (size_t c = 0; c < 3; c++)
      /* Not at halves: there, what divides evenly would be rounded either way. */
      rounded[3 * i + c] = (float) (step * floor ((double) at[c] / step + 0.37));
  }
  return point_pieces_find_same (rounded, r->n_corners, r->scene->monitor);
}

static bool
belong_together (const Corner *a, const Corner *b)
{
  if (kg_vector_dot (a->normal, b->normal) < 0.8)
    return false;
  for (int c = 0; c < 3; c++)
    if (fabs (a->material.reflectance[c] - b->material.reflectance[c]) > 1e-3 ||
        fabs (a->material.emission[c] - b->material.emission[c]) >
            1e-3 * fmax (a->material.emission[c], b->material.emission[c]))
      return false;
  return true;
}

/* Corners at one place are a chain: next[i] is the next one, leaders[i] the first that it belongs together with, whose light is that of
 * all of them. */
static void
join_corner (Result *r, uint32_t *chain, uint32_t *leaders, const uint32_t *same, size_t i)
{
  uint32_t at = same[i], last = at;

  leaders[i] = (uint32_t) i;
  if (at == i)
    return;
  for (; at != G_MAXUINT32; last = at, at = chain[at])
    if (belong_together (&r->corners[at], &r->corners[i])) {
      leaders[i] = at;
      for (int c = 0; c < 3; c++)
        r->corners[at].light[c] += r->corners[i].light[c];
      r->corners[at].area += r->corners[i].area;
      return;
    }
  chain[last] = (uint32_t) i;
}

static bool
color_corners (Result *r)
{
  g_autofree uint32_t *same = find_same_corners (r), *chain = NULL, *leaders = NULL;
  float *p = kg_geometry_edit_positions (r->lit);
  float *color = kg_geometry_edit_float (r->lit, KG_POINTS, "Cd", 3);

  if (same == NULL)
    return false;
  chain = g_new (uint32_t, r->n_corners);
  leaders = g_new (uint32_t, r->n_corners);
  memset (chain, 0xff, r->n_corners * sizeof *chain);
  for (size_t i = 0; i < r->n_corners; i++) {
    join_corner (r, chain, leaders, same, i);
    /* Exactly one place: no pixel falls between two faces. */
    memcpy (p + 3 * i, p + 3 * (size_t) same[i], 3 * sizeof (float));
    if (i % 65536 == 0 && kg_progress_is_cancelled (r->scene->monitor))
      return false;
  }
  for (size_t i = 0; i < r->n_corners; i++) {
    const Corner *corner = &r->corners[leaders[i]];

    if (corner->lift > 0)
      kg_floats_set_vector (p, i, kg_vector_add_scaled (kg_floats_get_vector (p, i), corner->lift, corner->normal));
    for (size_t c = 0; c < 3; c++)
      color[3 * i + c] = (float) (corner->light[c] / corner->area);
  }
  return true;
}

/* Makes result->lit. */
static bool
color_result (RadiosityScene *scene, const KgGeometry *geometry, GError **error)
{
  g_auto (Result) r = { .scene = scene };

  if (!add_all_faces (&r, error) || !color_corners (&r) ||
      !primitive_attributes_copy (r.lit, geometry, r.sources, scene->result->n_elements, "Cd", scene->monitor))
    return false;
  scene->result->lit = g_steal_pointer (&r.lit);
  return true;
}

/* All of it. */

/* Evenly spread in four dimensions (Hammersley 1960).  (transfer full) */
static double *
make_samples (uint32_t n)
{
  double *samples = g_new (double, 4 * (size_t) n);

  for (uint32_t k = 0; k < n; k++) {
    samples[4 * (size_t) k] = (k + 0.5) / n;
    for (guint c = 0; c < 3; c++)
      samples[4 * (size_t) k + 1 + c] = distribution_get_halton (k, c);
  }
  return samples;
}

static void
show_patches (Radiosity *result)
{
  if (result->elements == result->patches)
    return;
  for (size_t i = 0; i < result->n_elements; i++)
    for (int c = 0; c < 3; c++) {
      RadiosityPatch *patch = &result->patches[result->patch[i]];

      patch->shown[c] += result->elements[i].area / patch->area * result->elements[i].shown[c];
    }
}

/* A share of the scene, but more than rounding, which is large far from the origin. */
static double
find_near (const TriangleMesh *mesh)
{
  KgVector low, high;

  kg_geometry_get_bounds (mesh->geometry, &low, &high);
  return fmax (1e-5 * mesh->size,
               8 * (double) FLT_EPSILON * fmax (kg_vector_get_largest (low), kg_vector_get_largest (high)));
}

static BoxTree *
make_tree (const RadiosityScene *scene)
{
  g_autofree BoundingBox *boxes = g_new (BoundingBox, MAX (scene->mesh->n, 1));
  const KgVector margin = { scene->near, scene->near, scene->near };

  for (size_t i = 0; i < scene->mesh->n; i++) {
    KgVector p[3];

    triangle_mesh_get_corners (scene->mesh, i, p);
    boxes[i] = bounding_box_from_vectors (kg_vector_subtract (kg_vector_min (kg_vector_min (p[0], p[1]), p[2]), margin),
                                          kg_vector_add (kg_vector_max (kg_vector_max (p[0], p[1]), p[2]), margin));
  }
  return box_tree_new (boxes, scene->mesh->n, scene->monitor);
}

static void
scene_clear (RadiosityScene *scene)
{
  g_clear_pointer (&scene->tree, box_tree_free);
  g_clear_pointer (&scene->mesh, triangle_mesh_free);
  g_clear_pointer (&scene->result, radiosity_free);
  g_free (scene->triangles);
  g_free (scene->facets);
  g_free (scene->samples);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RadiosityScene, scene_clear)

static bool
solve (RadiosityScene *scene, GError **error)
{
  if (scene->rule->surfaces == RADIOSITY_DIRECTIONAL)
    return radiosity_solve_directions (scene, error);
  return radiosity_find_factors (scene, 0, 0.9) && radiosity_shoot (scene, 0.9, 1);
}

Radiosity *
radiosity_new (const KgGeometry *geometry, const RadiosityRule *rule, const KgProgressMonitor *monitor, GError **error)
{
  g_auto (RadiosityScene) scene = { .rule = rule, .monitor = monitor };

  scene.mesh = triangle_mesh_new (geometry, monitor, error);
  if (scene.mesh == NULL)
    return NULL;
  scene.size = scene.mesh->size;
  scene.near = find_near (scene.mesh);
  scene.tree = make_tree (&scene);
  if (scene.tree == NULL)
    return NULL;
  scene.samples = make_samples (rule->rays);
  scene.result = g_new0 (Radiosity, 1);
  if (!radiosity_divide (&scene, geometry, error) || !solve (&scene, error))
    return NULL;
  show_patches (scene.result);
  if (!color_result (&scene, geometry, error))
    return NULL;
  kg_progress_report (monitor, 1);
  return kg_progress_is_cancelled (monitor) ? NULL : g_steal_pointer (&scene.result);
}

void
radiosity_free (Radiosity *radiosity)
{
  for (size_t i = 0; radiosity->rows != NULL && i < radiosity->n_elements; i++)
    g_free (radiosity->rows[i].factors);
  g_free (radiosity->rows);
  if (radiosity->elements != radiosity->patches)
    g_free (radiosity->elements);
  g_free (radiosity->patches);
  g_free (radiosity->patch);
  g_clear_pointer (&radiosity->lit, kg_geometry_unref);
  g_free (radiosity);
}

double
radiosity_get_factor (const Radiosity *radiosity, size_t element, size_t patch)
{
  const RadiosityRow *row = &radiosity->rows[element];

  for (uint32_t i = 0; i < row->n; i++)
    if (row->factors[i].patch == patch)
      return (double) row->factors[i].share;
  return 0;
}
