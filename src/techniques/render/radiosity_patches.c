/* radiosity_patches: faces, divided into patches and elements.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-error.h"
#include "render/radiosity_private.h"

#include <string.h>

/* Cells. */

size_t
radiosity_get_n_cells (const RadiosityFacet *facet, uint32_t times)
{
  return (size_t) facet->columns * times * facet->rows * times;
}

/* Row j of a triangle with n along each side has 2 (n - j) - 1 parts, which alternate: upright, hanging, upright ... */
static size_t
get_first_of_row (size_t n, size_t j)
{
  return j * (2 * n - j);
}

RadiosityCell
radiosity_get_cell (const RadiosityFacet *facet, uint32_t times, size_t cell)
{
  const size_t columns = (size_t) facet->columns * times, rows = (size_t) facet->rows * times;
  const double n = (double) columns;

  if (facet->n == 4) {
    const double i = (double) (cell % columns), j = (double) (cell / columns), m = (double) rows;

    return (RadiosityCell){
      4, { { i / n, j / m }, { (i + 1) / n, j / m }, { (i + 1) / n, (j + 1) / m }, { i / n, (j + 1) / m } }
    };
  }
  {
    /* The row by the root, and then exactly. */
    size_t row = (size_t) kg_clamp (n - sqrt (fmax (0, n * n - (double) cell)), 0, n - 1);
    double i, j;

    while (row > 0 && get_first_of_row (columns, row) > cell)
      row--;
    while (row + 1 < columns && get_first_of_row (columns, row + 1) <= cell)
      row++;
    i = (double) ((cell - get_first_of_row (columns, row)) / 2);
    j = (double) row;
    if ((cell - get_first_of_row (columns, row)) % 2 == 0)
      return (RadiosityCell){ 3, { { i / n, j / n }, { (i + 1) / n, j / n }, { i / n, (j + 1) / n }, { 0, 0 } } };
    return (
        RadiosityCell){ 3, { { (i + 1) / n, j / n }, { (i + 1) / n, (j + 1) / n }, { i / n, (j + 1) / n }, { 0, 0 } } };
  }
}

size_t
radiosity_find_cell (const RadiosityFacet *facet, uint32_t times, double u, double v)
{
  const size_t columns = (size_t) facet->columns * times, rows = (size_t) facet->rows * times;
  size_t i = (size_t) kg_clamp (u * (double) columns, 0, (double) columns - 1),
         j = (size_t) kg_clamp (v * (double) rows, 0, (double) rows - 1);
  bool hanging;

  if (facet->n == 4)
    return j * columns + i;
  i = MIN (i, columns - 1 - j);
  hanging = u * (double) columns - (double) i + v * (double) rows - (double) j > 1 && i + j + 1 < columns;
  return get_first_of_row (columns, j) + 2 * i + hanging;
}

KgVector
radiosity_get_point (const RadiosityFacet *facet, double u, double v)
{
  const KgVector p = kg_vector_add_scaled (kg_vector_add_scaled (facet->a, u, facet->e), v, facet->f);

  return facet->flat ? p : kg_vector_add_scaled (p, u * v, facet->g);
}

/* Products in the plane. */
static double
cross_in_plane (const RadiosityFacet *facet, KgVector a, KgVector b)
{
  return kg_vector_dot (a, facet->x) * kg_vector_dot (b, facet->y) -
         kg_vector_dot (a, facet->y) * kg_vector_dot (b, facet->x);
}

void
radiosity_find_uv (const RadiosityFacet *facet, KgVector p, double *u, double *v)
{
  const KgVector h = kg_vector_subtract (p, facet->a);
  double a, b, c, root, q, best = INFINITY;
  double roots[2];

  if (facet->flat) {
    *u = kg_vector_dot (h, facet->to_u);
    *v = kg_vector_dot (h, facet->to_v);
    return;
  }
  /* (h - v f) x (e + v g) = 0 */
  a = cross_in_plane (facet, facet->g, facet->f);
  b = cross_in_plane (facet, facet->e, facet->f) + cross_in_plane (facet, h, facet->g);
  c = cross_in_plane (facet, h, facet->e);
  root = sqrt (fmax (0, b * b - 4 * a * c));
  q = -0.5 * (b + copysign (root, b));
  roots[0] = q != 0 ? c / q : 0;
  roots[1] = a != 0 ? q / a : roots[0];
  *u = *v = 0.5;
  for (int k = 0; k < 2; k++) {
    const KgVector along = kg_vector_add_scaled (facet->e, roots[k], facet->g);
    const double length2 = kg_vector_dot (along, along);
    double s, beyond;

    if (!isfinite (roots[k]) || !(length2 > 0))
      continue;
    s = kg_vector_dot (kg_vector_add_scaled (h, -roots[k], facet->f), along) / length2;
    beyond = fmax (fmax (-s, s - 1), fmax (-roots[k], roots[k] - 1));
    if (beyond < best) {
      best = beyond;
      *u = s;
      *v = roots[k];
    }
  }
}

/* Where a density that is from at 0 and to at 1 has passed the share t. */
static double
invert_linear (double from, double to, double t)
{
  const double mean = 0.5 * (from + to);
  const double down = from + sqrt (fmax (0, from * from + 2 * (to - from) * t * mean));

  return down > 0 ? fmin (1, 2 * t * mean / down) : t;
}

/* The area of a facet around (u, v), for each unit of both. */
static double
get_stretch (const RadiosityFacet *facet, double u, double v)
{
  return fmax (0, cross_in_plane (facet, kg_vector_add_scaled (facet->e, v, facet->g),
                                  kg_vector_add_scaled (facet->f, u, facet->g)));
}

KgVector
radiosity_sample_cell (const RadiosityFacet *facet, const RadiosityCell *cell, const double at[2])
{
  double s = at[0], t = at[1];

  if (cell->n == 3) {
    const double root = sqrt (s), b = root * (1 - t), c = root * t;

    return radiosity_get_point (
        facet, cell->at[0][0] + b * (cell->at[1][0] - cell->at[0][0]) + c * (cell->at[2][0] - cell->at[0][0]),
        cell->at[0][1] + b * (cell->at[1][1] - cell->at[0][1]) + c * (cell->at[2][1] - cell->at[0][1]));
  }
  if (!facet->flat) {
    const double u0 = cell->at[0][0], u1 = cell->at[2][0], v0 = cell->at[0][1], v1 = cell->at[2][1];
    const double v = 0.5 * (v0 + v1);

    s = invert_linear (get_stretch (facet, u0, v), get_stretch (facet, u1, v), s);
    t = invert_linear (get_stretch (facet, kg_lerp (u0, u1, s), v0), get_stretch (facet, kg_lerp (u0, u1, s), v1), t);
  }
  return radiosity_get_point (facet, kg_lerp (cell->at[0][0], cell->at[2][0], s),
                              kg_lerp (cell->at[0][1], cell->at[2][1], t));
}

/* Attributes. */

/* Numbers of a name, of primitives or else of points. */
typedef struct {
  const float *x;
  uint8_t size;
  bool of_points;
} Numbers;

static Numbers
find_numbers_of (const KgGeometry *geometry, const char *name, const uint8_t *sizes, bool points)
{
  for (int k = 0; sizes[k] != 0; k++) {
    const float *x = kg_geometry_get_float (geometry, points ? KG_POINTS : KG_PRIMITIVES, name, sizes[k]);

    if (x != NULL)
      return (Numbers){ x, sizes[k], points };
  }
  return (Numbers){ NULL, 0, points };
}

static Numbers
find_numbers (RadiosityScene *scene, const KgGeometry *geometry, const char *name, const uint8_t *sizes)
{
  const Numbers of_primitives = find_numbers_of (geometry, name, sizes, false),
                of_points = find_numbers_of (geometry, name, sizes, true);
  const char **twice = scene->result->twice;

  if (of_primitives.x == NULL)
    return of_points;
  if (of_points.x != NULL) {
    while (*twice != NULL)
      twice++;
    *twice = name;
  }
  return of_primitives;
}

/* One number is that of all three colours. */
static double
get_number (const Numbers *numbers, uint32_t polygon, uint32_t point, size_t c, double missing)
{
  const size_t i = numbers->of_points ? point : polygon;

  if (numbers->x == NULL)
    return missing;
  return fmax (0, (double) numbers->x[i * numbers->size + (numbers->size == 1 ? 0 : c)]);
}

typedef struct {
  Numbers color, emission, mirror, shine;
} Attributes;

/* The mean of the corners. */
static double
get_mean (const Numbers *numbers, const RadiosityFacet *facet, double missing)
{
  double sum = 0;

  for (int k = 0; k < facet->n; k++)
    sum += get_number (numbers, facet->polygon, facet->corners[k], 0, missing);
  return sum / facet->n;
}

static bool
read_material (const RadiosityScene *scene, const Attributes *attributes, RadiosityFacet *facet, GError **error)
{
  facet->mirror = get_mean (&attributes->mirror, facet, 0);
  facet->shine = get_mean (&attributes->shine, facet, scene->rule->shine);
  scene->result->shine = fmax (scene->result->shine, facet->shine);
  facet->shine = fmin (facet->shine, RADIOSITY_MOST_SHINE);
  for (int k = 0; k < facet->n; k++)
    for (size_t c = 0; c < 3; c++) {
      const double reflectance = scene->rule->reflectance *
                                 get_number (&attributes->color, facet->polygon, facet->corners[k], c, 1);

      facet->at[k].reflectance[c] = reflectance;
      facet->at[k].emission[c] = get_number (&attributes->emission, facet->polygon, facet->corners[k], c, 0);
      /* Attributes are rounded. */
      if (reflectance + facet->mirror <= RADIOSITY_MOST_REFLECTED + 1e-6)
        continue;
      if (facet->mirror > 0)
        kg_set_error (error, KG_ERROR_INVALID_VALUE,
                      "primitive %u reflects %.9g of the light, of it %g as a mirror, which hardly ever ends: make "
                      "reflectance, Cd or mirror smaller, so that no more than %g is left",
                      facet->polygon, reflectance + facet->mirror, facet->mirror, RADIOSITY_MOST_REFLECTED);
      else
        kg_set_error (
            error, KG_ERROR_INVALID_VALUE,
            "primitive %u reflects %.9g of the light, which hardly ever ends: make reflectance or Cd smaller, "
            "so that no more than %g is left",
            facet->polygon, reflectance, RADIOSITY_MOST_REFLECTED);
      return false;
    }
  return true;
}

RadiosityMaterial
radiosity_get_material (const RadiosityFacet *facet, double u, double v)
{
  const double quad[4] = { (1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v }, triangle[3] = { 1 - u - v, u, v };
  const double *weights = facet->n == 4 ? quad : triangle;
  RadiosityMaterial material = { { 0, 0, 0 }, { 0, 0, 0 } };

  for (int k = 0; k < facet->n; k++)
    for (int c = 0; c < 3; c++) {
      material.emission[c] += weights[k] * facet->at[k].emission[c];
      material.reflectance[c] += weights[k] * facet->at[k].reflectance[c];
    }
  return material;
}

/* Facets. */

/* As many parts that none is longer than size.  A length that is a multiple of it to rounding is not cut once more. */
static double
get_n_parts (double length, double size)
{
  return fmax (1, ceil (length / size * (1 - 1e-6)));
}

/* A convex quadrilateral in a plane. */
static bool
is_plane_and_convex (const TriangleMesh *mesh, const uint32_t *corners)
{
  KgVector p[4], normal;
  double size2;

  for (int k = 0; k < 4; k++)
    p[k] = triangle_mesh_get_point (mesh, corners[k]);
  normal = kg_vector_cross (kg_vector_subtract (p[2], p[0]), kg_vector_subtract (p[3], p[1]));
  size2 = fmax (kg_vector_dot (kg_vector_subtract (p[2], p[0]), kg_vector_subtract (p[2], p[0])),
                kg_vector_dot (kg_vector_subtract (p[3], p[1]), kg_vector_subtract (p[3], p[1])));
  normal = kg_vector_normalize_or (normal, kg_vector (0, 0, 0));
  if (fabs (kg_vector_dot (kg_vector_subtract (p[1], p[0]), normal)) > 1e-5 * sqrt (size2))
    return false;
  for (int k = 0; k < 4; k++) {
    const KgVector along = kg_vector_subtract (p[(k + 1) % 4], p[k]),
                   next = kg_vector_subtract (p[(k + 2) % 4], p[(k + 1) % 4]);

    if (!(kg_vector_dot (kg_vector_cross (along, next), normal) > 1e-7 * size2))
      return false;
  }
  return true;
}

/* Its shape.  False: no area. */
static bool
shape_facet (const TriangleMesh *mesh, double patch_size, RadiosityFacet *facet)
{
  KgVector p[4], area;
  double size = 0;

  for (int k = 0; k < facet->n; k++)
    p[k] = triangle_mesh_get_point (mesh, facet->corners[k]);
  facet->a = p[0];
  facet->e = kg_vector_subtract (p[1], p[0]);
  facet->f = kg_vector_subtract (p[facet->n - 1], p[0]);
  facet->g = facet->n == 4 ? kg_vector_subtract (kg_vector_subtract (p[2], p[1]), facet->f) : kg_vector (0, 0, 0);
  area = facet->n == 4 ? kg_vector_cross (kg_vector_subtract (p[2], p[0]), kg_vector_subtract (p[3], p[1]))
                       : kg_vector_cross (facet->e, facet->f);
  for (int k = 0; k < facet->n; k++)
    size = fmax (size, kg_vector_distance (p[k], p[(k + 1) % facet->n]));
  if (!(kg_vector_length (area) > 1e-12 * size * size))
    return false;
  facet->normal = kg_vector_normalize_or (area, kg_vector (0, 0, 1));
  facet->x = kg_vector_normalize_or (facet->e, kg_vector_perpendicular (facet->normal));
  facet->y = kg_vector_cross (facet->normal, facet->x);
  facet->flat = facet->n == 3 || kg_vector_length (facet->g) <= 1e-7 * kg_vector_length (facet->e);
  if (facet->flat) {
    const KgVector cross = kg_vector_cross (facet->e, facet->f);
    const double square = kg_vector_dot (cross, cross);

    facet->g = kg_vector (0, 0, 0);
    facet->to_u = kg_vector_scale (kg_vector_cross (facet->f, cross), 1 / square);
    facet->to_v = kg_vector_scale (kg_vector_cross (cross, facet->e), 1 / square);
  }
  if (facet->n == 4) {
    facet->columns = (uint32_t) fmin (
        1e9, get_n_parts (fmax (kg_vector_distance (p[0], p[1]), kg_vector_distance (p[3], p[2])), patch_size));
    facet->rows = (uint32_t) fmin (
        1e9, get_n_parts (fmax (kg_vector_distance (p[1], p[2]), kg_vector_distance (p[0], p[3])), patch_size));
  } else
    facet->columns = facet->rows = (uint32_t) fmin (
        1e9, get_n_parts (fmax (fmax (kg_vector_distance (p[0], p[1]), kg_vector_distance (p[1], p[2])),
                                kg_vector_distance (p[2], p[0])),
                          patch_size));
  return true;
}

/* Joins two triangles of one primitive if they are a quadrilateral. */
static bool
add_facets (RadiosityScene *scene, const KgGeometry *geometry, GError **error)
{
  static const uint8_t color_sizes[] = { 4, 3, 0 }, any_sizes[] = { 1, 3, 4, 0 }, number_sizes[] = { 1, 0 };
  const Attributes attributes = { find_numbers (scene, geometry, "Cd", color_sizes),
                                  find_numbers (scene, geometry, "emission", any_sizes),
                                  find_numbers (scene, geometry, "mirror", number_sizes),
                                  scene->rule->surfaces == RADIOSITY_DIRECTIONAL
                                      ? find_numbers (scene, geometry, "shine", number_sizes)
                                      : (Numbers){ NULL, 0, false } };
  const TriangleMesh *mesh = scene->mesh;

  scene->facets = g_new0 (RadiosityFacet, MAX (mesh->n, 1));
  scene->triangles = g_new0 (RadiosityTriangle, MAX (mesh->n, 1));
  for (size_t i = 0; i < mesh->n; i++)
    scene->triangles[i].facet = RADIOSITY_NO_FACET;
  for (size_t i = 0, n; i < mesh->n; i += n) {
    RadiosityFacet *facet = &scene->facets[scene->n_facets];
    KgPrimitive primitive;

    n = 1;
    *facet = (RadiosityFacet){ .polygon = mesh->polygon[i], .n = 3 };
    memcpy (facet->corners, mesh->corners[i], sizeof mesh->corners[i]);
    kg_geometry_get_primitive (geometry, mesh->polygon[i], &primitive);
    if (primitive.n_vertices == 4 && i + 1 < mesh->n && mesh->polygon[i + 1] == mesh->polygon[i] &&
        is_plane_and_convex (mesh, primitive.vertices)) {
      n = 2;
      facet->n = 4;
      memcpy (facet->corners, primitive.vertices, sizeof facet->corners);
    }
    for (size_t k = 0; k < n; k++) {
      KgVector p[3];

      triangle_mesh_get_corners (mesh, i + k, p);
      scene->triangles[i + k] = (RadiosityTriangle){ p[0], kg_vector_subtract (p[1], p[0]),
                                                     kg_vector_subtract (p[2], p[0]), RADIOSITY_NO_FACET, k == 1 };
    }
    if (!shape_facet (mesh, scene->rule->patch_size, facet))
      continue;
    if (!read_material (scene, &attributes, facet, error))
      return false;
    for (size_t k = 0; k < n; k++)
      scene->triangles[i + k].facet = (uint32_t) scene->n_facets;
    scene->n_facets++;
    if (i % 65536 == 0 && kg_progress_is_cancelled (scene->monitor))
      return false;
  }
  return true;
}

static uint32_t
get_n_sides (const RadiosityScene *scene)
{
  return scene->rule->sides == RADIOSITY_BOTH ? 2 : 1;
}

static RadiosityPatch
make_patch (const RadiosityFacet *facet, uint32_t index, const RadiosityCell *cell, bool back)
{
  RadiosityPatch patch = {
    .facet = index, .polygon = facet->polygon, .back = back, .mirror = facet->mirror, .shine = facet->shine
  };
  KgVector p[4], area;
  double u = 0, v = 0;
  RadiosityMaterial material;

  for (int k = 0; k < cell->n; k++) {
    p[k] = radiosity_get_point (facet, cell->at[k][0], cell->at[k][1]);
    u += cell->at[k][0] / cell->n;
    v += cell->at[k][1] / cell->n;
  }
  area = cell->n == 4 ? kg_vector_cross (kg_vector_subtract (p[2], p[0]), kg_vector_subtract (p[3], p[1]))
                      : kg_vector_cross (kg_vector_subtract (p[1], p[0]), kg_vector_subtract (p[2], p[0]));
  patch.area = 0.5 * kg_vector_length (area);
  for (int k = 0; k < cell->n; k++)
    for (int l = 0; l < k; l++)
      patch.size = fmax (patch.size, kg_vector_distance (p[k], p[l]));
  patch.center = radiosity_get_point (facet, u, v);
  patch.normal = back ? kg_vector_scale (facet->normal, -1) : facet->normal;
  material = radiosity_get_material (facet, u, v);
  memcpy (patch.emission, material.emission, sizeof patch.emission);
  memcpy (patch.reflectance, material.reflectance, sizeof patch.reflectance);
  return patch;
}

static RadiosityPatch *
make_patches (const RadiosityScene *scene, uint32_t times, size_t n)
{
  RadiosityPatch *patches = g_new (RadiosityPatch, n);
  size_t at = 0;

  for (size_t i = 0; i < scene->n_facets; i++)
    for (uint32_t side = 0; side < get_n_sides (scene); side++)
      for (size_t k = 0; k < radiosity_get_n_cells (&scene->facets[i], times); k++) {
        const RadiosityCell cell = radiosity_get_cell (&scene->facets[i], times, k);

        patches[at++] = make_patch (&scene->facets[i], (uint32_t) i, &cell, side == 1);
      }
  return patches;
}

/* A patch of a textured face has the mean of its elements. */
static void
join_elements (RadiosityScene *scene)
{
  Radiosity *result = scene->result;
  const uint32_t times = scene->rule->elements;
  size_t at = 0;

  result->patch = g_new (uint32_t, result->n_elements);
  if (times == 1) {
    for (size_t i = 0; i < result->n_elements; i++)
      result->patch[i] = (uint32_t) i;
    return;
  }
  for (size_t i = 0; i < result->n_patches; i++)
    for (int c = 0; c < 3; c++)
      result->patches[i].emission[c] = result->patches[i].reflectance[c] = 0;
  for (size_t i = 0; i < scene->n_facets; i++) {
    const RadiosityFacet *facet = &scene->facets[i];
    const size_t n = radiosity_get_n_cells (facet, 1);

    for (uint32_t side = 0; side < get_n_sides (scene); side++)
      for (size_t k = 0; k < radiosity_get_n_cells (facet, times); k++, at++) {
        const RadiosityCell cell = radiosity_get_cell (facet, times, k);
        RadiosityPatch *patch;
        double u = 0, v = 0;

        for (int corner = 0; corner < cell.n; corner++) {
          u += cell.at[corner][0] / cell.n;
          v += cell.at[corner][1] / cell.n;
        }
        result->patch[at] = (uint32_t) (facet->first + side * n + radiosity_find_cell (facet, 1, u, v));
        patch = &result->patches[result->patch[at]];
        for (int c = 0; c < 3; c++) {
          patch->emission[c] += result->elements[at].emission[c] * result->elements[at].area / patch->area;
          patch->reflectance[c] += result->elements[at].reflectance[c] * result->elements[at].area / patch->area;
        }
      }
  }
}

static bool
check_limits (const RadiosityScene *scene, double n_patches, GError **error)
{
  const RadiosityRule *rule = scene->rule;
  const double n_elements = n_patches * rule->elements * rule->elements;
  const double samples = rule->factors == RADIOSITY_RAYS ? (double) rule->rays : 3.0 * rule->hemicube * rule->hemicube;
  const double n_factors = n_elements * fmin (samples, n_patches);

  if (n_elements > RADIOSITY_MOST_ELEMENTS) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "patches of %g m make %.0f elements, more than %d: use larger patches, or fewer elements",
                  rule->patch_size, n_elements, RADIOSITY_MOST_ELEMENTS);
    return false;
  }
  if (rule->surfaces == RADIOSITY_DIFFUSE && n_factors > RADIOSITY_MOST_FACTORS) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%.0f elements have up to %.0f form factors, more than %d: use larger patches, fewer elements or "
                  "fewer rays",
                  n_elements, n_factors, RADIOSITY_MOST_FACTORS);
    return false;
  }
  return true;
}

RadiosityCell
radiosity_get_patch_cell (const RadiosityScene *scene, size_t patch)
{
  const RadiosityFacet *facet = &scene->facets[scene->result->patches[patch].facet];

  return radiosity_get_cell (facet, 1, (patch - facet->first) % radiosity_get_n_cells (facet, 1));
}

RadiosityCell
radiosity_get_element_cell (const RadiosityScene *scene, size_t element)
{
  const RadiosityFacet *facet = &scene->facets[scene->result->elements[element].facet];
  const uint32_t times = scene->rule->elements;
  const size_t first = facet->first * times * times;

  return radiosity_get_cell (facet, times, (element - first) % radiosity_get_n_cells (facet, times));
}

bool
radiosity_divide (RadiosityScene *scene, const KgGeometry *geometry, GError **error)
{
  Radiosity *result = scene->result;
  const uint32_t times = scene->rule->elements;
  double n = 0;

  if (!add_facets (scene, geometry, error))
    return false;
  if (scene->n_facets == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "none of the %zu primitives is a polygon with an area: link a mesh",
                  kg_geometry_get_n_primitives (geometry));
    return false;
  }
  for (size_t i = 0; i < scene->n_facets; i++)
    n += (double) scene->facets[i].columns * scene->facets[i].rows * get_n_sides (scene);
  if (!check_limits (scene, n, error))
    return false;
  for (size_t i = 0; i < scene->n_facets; i++) {
    scene->facets[i].first = result->n_patches;
    result->n_patches += radiosity_get_n_cells (&scene->facets[i], 1) * get_n_sides (scene);
  }
  result->n_elements = result->n_patches * times * times;
  result->patches = make_patches (scene, 1, result->n_patches);
  result->elements = times == 1 ? result->patches : make_patches (scene, times, result->n_elements);
  join_elements (scene);
  return !kg_progress_is_cancelled (scene->monitor);
}
