/* tests/techniques/radiosity: form factors against closed forms, and light in rooms that have an exact answer.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/hemicube.h"
#include "render/radiosity.h"
#include "kg-floats.h"
#include "shape-test.h"

#include <omp.h>
#include <string.h>

static const RadiosityRule usual = { .patch_size = 10,
                                     .elements = 1,
                                     .reflectance = 0.5,
                                     .rays = 256,
                                     .hemicube = 64,
                                     .seed = 1,
                                     .tolerance = 1e-9,
                                     .bins = 8,
                                     .gloss = 0.5,
                                     .shine = 10,
                                     .index = 1.5,
                                     .eye = { 0.3, 0.4, 0.2 } };

static Radiosity *
solve (const KgGeometry *geometry, const RadiosityRule *rule)
{
  g_autoptr (GError) error = NULL;
  Radiosity *radiosity = radiosity_new (geometry, rule, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (kg_geometry_check_finite (radiosity->lit, NULL));
  return radiosity;
}

static void
assert_refused (const KgGeometry *geometry, const RadiosityRule *rule, KgError code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (radiosity_new (geometry, rule, NULL, &error));
  g_assert_error (error, KG_ERROR, (gint) code);
  g_assert_cmpstr (error->message, ==, message);
}

/* Appends a polygon. */
static void
add_polygon (KgGeometry *geometry, const KgVector *corners, uint32_t n)
{
  const size_t first = kg_geometry_get_n_points (geometry);
  uint32_t vertices[16];
  float *p;

  g_assert_true (kg_geometry_set_n_points (geometry, first + n, NULL));
  p = kg_geometry_edit_positions (geometry);
  for (uint32_t i = 0; i < n; i++) {
    p[3 * (first + i)] = (float) corners[i].x;
    p[3 * (first + i) + 1] = (float) corners[i].y;
    p[3 * (first + i) + 2] = (float) corners[i].z;
    vertices[i] = (uint32_t) first + i;
  }
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, 1, n, vertices);
}

/* A rectangle from a corner along two sides; it faces where their cross product points. */
static void
add_rectangle (KgGeometry *geometry, KgVector a, KgVector e, KgVector f)
{
  add_polygon (geometry,
               (KgVector[]){ a, kg_vector_add (a, e), kg_vector_add (kg_vector_add (a, e), f), kg_vector_add (a, f) },
               4);
}

/* (transfer full) A box whose faces look inwards, from the origin to size. */
static KgGeometry *
new_room (KgVector size)
{
  KgGeometry *room = kg_geometry_new ();
  const KgVector x = { size.x, 0, 0 }, y = { 0, size.y, 0 }, z = { 0, 0, size.z }, o = { 0, 0, 0 };

  add_rectangle (room, o, x, y); /* at z = 0, faces +z */
  add_rectangle (room, z, y, x);
  add_rectangle (room, o, y, z);
  add_rectangle (room, x, z, y);
  add_rectangle (room, o, z, x);
  add_rectangle (room, y, x, z);
  return room;
}

static float *
set_faces (KgGeometry *geometry, const char *name, float value)
{
  float *x = kg_geometry_edit_float (geometry, KG_PRIMITIVES, name, 1);

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++)
    x[i] = value;
  return x;
}

/* Between the patches of two faces, by their areas. */
static double
get_face_factor (const Radiosity *radiosity, uint32_t from, uint32_t to)
{
  double sum = 0, area = 0;

  for (size_t i = 0; i < radiosity->n_patches; i++) {
    if (radiosity->patches[i].polygon != from)
      continue;
    area += radiosity->patches[i].area;
    for (size_t k = 0; k < radiosity->n_patches; k++)
      if (radiosity->patches[k].polygon == to)
        sum += radiosity->patches[i].area * radiosity_get_factor (radiosity, i, k);
  }
  return sum / area;
}

static double
get_row_sum (const Radiosity *radiosity, size_t row)
{
  double sum = radiosity->rows[row].outside;

  for (uint32_t i = 0; i < radiosity->rows[row].n; i++)
    sum += (double) radiosity->rows[row].factors[i].share;
  return sum;
}

/* Hemicubes. */

/* 20-059: the totals of the pixels' factors, and of the exact ones. */
static void
test_hemicube_totals (void)
{
  static const struct {
    uint32_t n;
    double total;
  } known[] = { { 64, 1.0001323 }, { 16, 1.0021232 } };
  double top = 0, sides[4] = { 0, 0, 0, 0 };

  for (size_t i = 0; i < G_N_ELEMENTS (known); i++) {
    double total = 0;

    for (uint32_t k = 0; k < hemicube_get_n_pixels (known[i].n); k++)
      total += hemicube_get_factor (known[i].n, k);
    assert_near (total, known[i].total, 5e-8);
  }
  for (uint32_t k = 0; k < 64 * 64; k++)
    top += hemicube_get_factor (64, k);
  for (uint32_t k = 64 * 64; k < hemicube_get_n_pixels (64); k++)
    sides[(k - 64 * 64) / (64 * 32)] += hemicube_get_factor (64, k);
  assert_near (top, 0.5541620, 5e-8);
  for (int k = 0; k < 4; k++)
    assert_near (sides[k], 0.1114926, 5e-8);
  /* The four pixels around the centre of the top. */
  assert_near (hemicube_get_factor (64, 31 * 64 + 31), 3.1055e-4, 5e-9);
  assert_near (hemicube_get_factor (64, 32 * 64 + 32), 3.1055e-4, 5e-9);
  for (uint32_t n = 2; n <= 64; n *= 2) {
    double total = 0, on_top = 0;

    for (uint32_t k = 0; k < hemicube_get_n_pixels (n); k++) {
      const double exact = hemicube_get_exact_factor (n, k);

      g_assert_cmpfloat (exact, >, 0);
      total += exact;
      on_top += k < n * n ? exact : 0;
    }
    assert_near (total, 1, 1e-12);
    assert_near (on_top, 4 / (KG_PI * sqrt (2)) * atan (1 / sqrt (2)), 1e-12);
  }
  /* An integral over a pixel, by its density at many places. */
  for (uint32_t k = 0; k < hemicube_get_n_pixels (4); k++) {
    double sum = 0;

    for (int i = 0; i < 100; i++)
      for (int j = 0; j < 100; j++)
        sum += hemicube_get_density (hemicube_get_direction (4, k, (i + 0.5) / 100, (j + 0.5) / 100));
    assert_near (sum * 0.25 / 1e4, hemicube_get_exact_factor (4, k), 1e-5);
  }
}

/* 20-059: directions find the pixel they come from. */
static void
test_hemicube_directions (void)
{
  for (uint32_t n = 2; n <= 32; n += 6)
    for (uint32_t k = 0; k < hemicube_get_n_pixels (n); k++)
      for (int i = 0; i < 3; i++) {
        const KgVector d = hemicube_get_direction (n, k, 0.1 + 0.4 * i, 0.9 - 0.4 * i);

        g_assert_cmpuint (hemicube_find_pixel (n, kg_vector_scale (d, 7)), ==, k);
      }
  /* At the horizon, and of nothing. */
  g_assert_cmpuint (hemicube_find_pixel (8, kg_vector (1, 0, 0)), <, hemicube_get_n_pixels (8));
  g_assert_cmpuint (hemicube_find_pixel (8, kg_vector (0, 0, 0)), <, hemicube_get_n_pixels (8));
}

/* 20-059: random triangles, many of which reach behind the point: each pixel has what a ray through it meets first. */
static void
test_hemicube_drawing (void)
{
  enum { N = 24, N_TRIANGLES = 14 };
  g_autofree HemicubePixel *pixels = g_new (HemicubePixel, hemicube_get_n_pixels (N));
  KgVector corners[N_TRIANGLES][3];
  size_t n_drawn = 0, n_nothing = 0;

  for (uint64_t i = 0; i < N_TRIANGLES; i++)
    for (uint64_t k = 0; k < 3; k++)
      corners[i][k] =
          kg_vector_scale (kg_random_direction (5, 3 * i + k, 0), 1 + 3 * kg_random_uniform (6, 3 * i + k, 0));
  hemicube_clear (N, pixels);
  for (uint32_t i = 0; i < N_TRIANGLES; i++)
    hemicube_draw (N, pixels, corners[i], i);
  for (uint32_t k = 0; k < hemicube_get_n_pixels (N); k++) {
    const KgVector d = hemicube_get_direction (N, k, 0.5, 0.5);
    double nearest = INFINITY;
    uint32_t which = HEMICUBE_NOTHING;

    for (uint32_t i = 0; i < N_TRIANGLES; i++) {
      const KgVector *c = corners[i];
      const KgVector normal = kg_vector_cross (kg_vector_subtract (c[1], c[0]), kg_vector_subtract (c[2], c[0]));
      const double t = kg_vector_dot (normal, c[0]) / kg_vector_dot (normal, d);
      const KgVector x = kg_vector_scale (d, t);
      bool inside = t > 0;

      for (int j = 0; j < 3; j++)
        inside = inside && kg_vector_dot (normal, kg_vector_cross (kg_vector_subtract (c[(j + 1) % 3], c[j]),
                                                                   kg_vector_subtract (x, c[j]))) >= 0;
      if (inside && t < nearest) {
        nearest = t;
        which = i;
      }
    }
    g_assert_cmpuint (pixels[k].id, ==, which);
    n_nothing += which == HEMICUBE_NOTHING;
    if (which == HEMICUBE_NOTHING)
      continue;
    n_drawn++;
    assert_near (1 / pixels[k].nearness, nearest, 1e-9 * nearest);
    {
      const KgVector *c = corners[which];
      const double *b = pixels[k].b;
      const KgVector x =
          kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (c[0], 1 - b[0] - b[1]), b[0], c[1]), b[1], c[2]);

      g_assert_cmpfloat (kg_vector_distance (x, kg_vector_scale (d, nearest)), <, 1e-9 * nearest);
    }
  }
  g_assert_cmpuint (n_drawn, >, 500);
  g_assert_cmpuint (n_nothing, >, 50);
}

/* Form factors. */

/* 20-047: opposite unit squares at distance 1, unit squares with a common edge; and that of all six faces, by rays and by
 * hemicubes.  The area-weighted mean of n rays has a variance of at most F (1 - F) / n; six deviations. */
static void
test_unit_cube (void)
{
  static const double opposite = 0.1998249, beside = 0.2000438;
  g_autoptr (KgGeometry) cube = new_room (kg_vector (1, 1, 1));
  RadiosityRule rule = usual;

  rule.patch_size = 0.25;
  rule.rays = 4096;
  for (int method = 0; method < RADIOSITY_N_FACTORS; method++) {
    g_autoptr (Radiosity) radiosity = NULL;
    /* 16 patches; hemicubes: a row of pixels. */
    const double deviation = 6 * sqrt (0.2 * 0.8 / (16 * 4096));

    rule.factors = (RadiosityFactors) method;
    radiosity = solve (cube, &rule);
    g_assert_cmpuint (radiosity->n_patches, ==, 96);
    for (uint32_t from = 0; from < 6; from++) {
      double sum = 0;

      for (uint32_t to = 0; to < 6; to++) {
        const double factor = get_face_factor (radiosity, from, to);

        sum += factor;
        if (from == to)
          g_assert_cmpfloat (factor, ==, 0);
        else
          assert_near (factor, from / 2 == to / 2 ? opposite : beside, deviation);
      }
      assert_near (sum, 1, 1e-6);
    }
    for (size_t i = 0; i < radiosity->n_patches; i++)
      assert_near (get_row_sum (radiosity, i), 1, 1e-6);
    /* In a cube of patches every corner and edge has pairs that are too near. */
    g_assert_true ((radiosity->n_near > 0) == (method == RADIOSITY_HEMICUBE));
  }
}

/* 20-047: the rays are stratified: their error is far below that of independent ones, and falls as they grow. */
static void
test_ray_error (void)
{
  static const uint32_t counts[] = { 64, 512, 4096 };
  g_autoptr (KgGeometry) cube = new_room (kg_vector (1, 1, 1));
  double before = INFINITY;

  for (size_t i = 0; i < G_N_ELEMENTS (counts); i++) {
    double squares = 0;
    const double independent = sqrt (0.1998249 * (1 - 0.1998249) / counts[i]);

    for (uint64_t seed = 0; seed < 20; seed++) {
      RadiosityRule rule = usual;
      g_autoptr (Radiosity) radiosity = NULL;

      rule.rays = counts[i];
      rule.seed = seed;
      radiosity = solve (cube, &rule);
      for (uint32_t k = 0; k < 6; k++) {
        const double error = get_face_factor (radiosity, k, k ^ 1) - 0.1998249;

        squares += error * error / 120;
      }
    }
    g_assert_cmpfloat (sqrt (squares), <, 0.7 * independent);
    g_assert_cmpfloat (sqrt (squares), <, 0.5 * before);
    before = sqrt (squares);
  }
}

/* Opposite rectangles x by y at distance 1 (Howell C-11). */
static double
get_opposite_factor (double x, double y)
{
  const double x2 = 1 + x * x, y2 = 1 + y * y;

  return 2 / (KG_PI * x * y) *
         (0.5 * log (x2 * y2 / (x2 + y * y)) + x * sqrt (y2) * atan (x / sqrt (y2)) +
          y * sqrt (x2) * atan (y / sqrt (x2)) - x * atan (x) - y * atan (y));
}

/* From a point to a rectangle x by y at distance 1, with a corner above it (Howell B-3). */
static double
get_corner_factor (double x, double y)
{
  const double a = sqrt (1 + x * x), b = sqrt (1 + y * y);

  return (x / a * atan (y / a) + y / b * atan (x / b)) / (2 * KG_PI);
}

/* 20-047: rectangles of other sizes, by rays and by hemicubes. */
static void
test_rectangles (void)
{
  static const double sizes[][2] = { { 1, 1 }, { 2, 1 }, { 0.5, 3 }, { 4, 4 } };

  assert_near (get_opposite_factor (1, 1), 0.1998249, 5e-8);
  for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const double x = sizes[i][0], y = sizes[i][1], exact = get_opposite_factor (x, y);
    g_autoptr (KgGeometry) pair = kg_geometry_new ();
    RadiosityRule rule = usual;

    add_rectangle (pair, kg_vector (0, 0, 0), kg_vector (x, 0, 0), kg_vector (0, y, 0));
    add_rectangle (pair, kg_vector (0, 0, 1), kg_vector (0, y, 0), kg_vector (x, 0, 0));
    rule.rays = 65536;
    {
      g_autoptr (Radiosity) rays = solve (pair, &rule);

      g_assert_cmpuint (rays->n_patches, ==, 2);
      for (uint32_t k = 0; k < 2; k++) {
        assert_near (radiosity_get_factor (rays, k, 1 - k), exact, 4 * sqrt (exact * (1 - exact) / 65536));
        assert_near (rays->rows[k].outside, 1 - radiosity_get_factor (rays, k, 1 - k), 1e-6);
      }
    }
    /* Small patches, so that none is nearer than its size: then it is the hemicube alone that is measured.  From each centre, the
     * exact factor is a sum over the four corners of the rectangle; a border may be off by half a pixel. */
    rule.factors = RADIOSITY_HEMICUBE;
    rule.patch_size = 0.25;
    {
      g_autoptr (Radiosity) cubes = solve (pair, &rule);
      double mean = 0, exact_mean = 0;

      g_assert_cmpuint (cubes->n_near, ==, 0);
      for (size_t k = 0; k < cubes->n_patches; k++) {
        const KgVector c = cubes->patches[k].center;
        const double point = get_corner_factor (c.x, c.y) + get_corner_factor (x - c.x, c.y) +
                             get_corner_factor (c.x, y - c.y) + get_corner_factor (x - c.x, y - c.y);
        double sum = 0;

        for (size_t other = 0; other < cubes->n_patches; other++)
          sum += radiosity_get_factor (cubes, k, other);
        assert_near (sum, point, 0.012);
        assert_near (cubes->rows[k].outside, 1 - sum, 1e-6);
        mean += sum / (double) cubes->n_patches;
        exact_mean += point / (double) cubes->n_patches;
      }
      assert_near (mean, exact_mean, 0.004);
      assert_near (mean, exact, 0.02 * exact + 0.004);
    }
  }
}

/* 20-047: two discs of radius r at distance 1 (Howell C-41), as polygons with 16 corners of the same area: triangles that are no
 * quadrilaterals. */
static void
test_discs (void)
{
  enum { CORNERS = 16 };
  const double r = 0.7, x = 2 + 1 / (r * r), exact = 0.5 * (x - sqrt (x * x - 4));
  const double outer = r * sqrt (2 * KG_PI / (CORNERS * sin (2 * KG_PI / CORNERS)));
  g_autoptr (KgGeometry) pair = kg_geometry_new ();
  KgVector front[CORNERS], back[CORNERS];
  RadiosityRule rule = usual;
  g_autoptr (Radiosity) radiosity = NULL;

  for (int i = 0; i < CORNERS; i++) {
    const double angle = 2 * KG_PI * i / CORNERS;

    front[i] = kg_vector (outer * cos (angle), outer * sin (angle), 0);
    back[i] = kg_vector (outer * cos (angle), -outer * sin (angle), 1);
  }
  add_polygon (pair, front, CORNERS);
  add_polygon (pair, back, CORNERS);
  rule.rays = 4096;
  rule.patch_size = 0.5;
  radiosity = solve (pair, &rule);
  g_assert_cmpuint (radiosity->n_patches, >, 2 * (CORNERS - 2));
  /* A 16-gon of the same area differs in shape by less than 1e-3. */
  assert_near (get_face_factor (radiosity, 0, 1), exact, 2e-3);
  assert_near (get_face_factor (radiosity, 1, 0), exact, 2e-3);
}

/* 20-047: A_i F_ij = A_j F_ji, of faces of different shapes: a trapezoid, a triangle and a slanted rectangle.  Each side is a
 * mean of independent shares with a variance of at most F (1 - F) / n: six deviations of the difference. */
static void
test_reciprocity (void)
{
  g_autoptr (KgGeometry) three = kg_geometry_new ();
  RadiosityRule rule = usual;
  g_autoptr (Radiosity) radiosity = NULL;
  size_t n_seen = 0;

  add_polygon (three, (KgVector[]){ { 0, 0, 0 }, { 2, 0, 0 }, { 1.2, 1, 0 }, { 0.4, 1, 0 } }, 4);
  add_polygon (three, (KgVector[]){ { 0, 0, 1 }, { 0.3, 1.5, 1.2 }, { 1, 0, 0.8 } }, 3);
  add_polygon (three, (KgVector[]){ { 2.5, 0, 0.2 }, { 2.5, 1, 0.2 }, { 2, 1, 1.2 }, { 2, 0, 1.2 } }, 4);
  rule.rays = 16384;
  rule.patch_size = 0.6;
  radiosity = solve (three, &rule);
  for (size_t i = 0; i < radiosity->n_patches; i++)
    for (size_t k = 0; k < i; k++) {
      const double a = radiosity->patches[i].area, b = radiosity->patches[k].area;
      const double f = radiosity_get_factor (radiosity, i, k), g = radiosity_get_factor (radiosity, k, i);
      const double variance = (a * a * f * (1 - f) + b * b * g * (1 - g)) / rule.rays;

      n_seen += f > 0;
      assert_near (a * f, b * g, 6 * sqrt (variance) + 2 * fmax (a, b) / rule.rays);
    }
  g_assert_cmpuint (n_seen, >, 40);
}

/* 20-047: parts of faces: areas add up, none is longer than the size, and rays find the part they meet: of a trapezoid,
 * whose parts are no parallelograms, each receives in proportion to its exact configuration factor. */
static void
test_parts (void)
{
  g_autoptr (KgGeometry) pair = kg_geometry_new ();
  const KgVector trapezoid[] = { { -2, -1, 1 }, { -0.5, 1, 1 }, { 0.5, 1, 1 }, { 2, -1, 1 } };
  RadiosityRule rule = usual;
  g_autoptr (Radiosity) radiosity = NULL;
  double area = 0;
  size_t n = 0;

  /* A small receiver at the origin. */
  add_rectangle (pair, kg_vector (-5e-4, -5e-4, 0), kg_vector (1e-3, 0, 0), kg_vector (0, 1e-3, 0));
  add_polygon (pair, trapezoid, 4);
  rule.patch_size = 0.5;
  rule.rays = 65536;
  radiosity = solve (pair, &rule);
  for (size_t i = 0; i < radiosity->n_patches; i++) {
    const RadiosityPatch *patch = &radiosity->patches[i];
    double exact;

    if (patch->polygon != 1)
      continue;
    n++;
    area += patch->area;
    g_assert_cmpfloat (patch->size, <=, 0.5 * sqrt (2) * 1.2);
    assert_near (patch->center.z, 1, 1e-6);
    assert_vector_near (patch->normal, 0, 0, -1, 1e-9);
    /* cos cos A / (pi r^2), from the centre of the small part: cos = 1 / r. */
    exact = patch->area / (KG_PI * pow (kg_vector_dot (patch->center, patch->center), 2));
    assert_near (radiosity_get_factor (radiosity, 0, i), exact, 0.06 * exact + 4 * sqrt (exact / 65536));
  }
  assert_near (area, 5, 1e-6);
  g_assert_cmpuint (n, ==, 40);
}

/* Light. */

/* 20-047: in a closed room whose surfaces all emit E and reflect rho, B = E / (1 - rho), for any rays, room and levels. */
static void
test_closed_room (void)
{
  static const double shares[] = { 0, 0.3, 0.8, 0.95 };
  g_autoptr (KgGeometry) room = new_room (kg_vector (3, 2, 1.3));

  set_faces (room, "emission", 2);
  add_box (room, kg_vector (1, 0.7, 0.5), kg_vector (0.6, 0.8, 0.4), kg_rotation_identity ());
  for (size_t i = 6; i < 12; i++)
    kg_geometry_edit_float (room, KG_PRIMITIVES, "emission", 1)[i] = 2;
  for (size_t i = 0; i < G_N_ELEMENTS (shares); i++)
    for (int method = 0; method < RADIOSITY_N_FACTORS; method++)
      for (uint32_t elements = 1; elements <= 2; elements++) {
        RadiosityRule rule = usual;
        g_autoptr (Radiosity) radiosity = NULL;
        const double exact = 2 / (1 - shares[i]);
        const float *color;

        rule.patch_size = 0.7;
        rule.reflectance = shares[i];
        rule.factors = (RadiosityFactors) method;
        rule.hemicube = 32;
        rule.elements = elements;
        rule.rays = 64;
        radiosity = solve (room, &rule);
        g_assert_cmpuint (radiosity->n_elements, ==, radiosity->n_patches * elements * elements);
        for (size_t k = 0; k < radiosity->n_patches; k++)
          for (int c = 0; c < 3; c++)
            assert_near (radiosity->patches[k].radiosity[c], exact, 1e-5 * exact);
        for (size_t k = 0; k < radiosity->n_elements; k++)
          for (int c = 0; c < 3; c++)
            assert_near (radiosity->elements[k].shown[c], exact, 1e-5 * exact);
        color = kg_geometry_get_float (radiosity->lit, KG_POINTS, "Cd", 3);
        for (size_t k = 0; k < 3 * kg_geometry_get_n_points (radiosity->lit); k++)
          assert_near ((double) color[k], exact, 1e-5 * exact);
      }
}

/* 20-047, 20-059: the most that a surface may reflect can be done: light of E / (1 - rho), to the tolerance. */
static void
test_most_reflected (void)
{
  g_autoptr (KgGeometry) room = new_room (kg_vector (1, 1, 1));
  RadiosityRule rule = usual;
  g_autoptr (Radiosity) radiosity = NULL;

  set_faces (room, "emission", 1);
  rule.reflectance = 0.9999;
  rule.tolerance = 1e-3;
  radiosity = solve (room, &rule);
  for (size_t i = 0; i < radiosity->n_patches; i++)
    assert_near (radiosity->patches[i].radiosity[0], 1e4, 2e-3 * 1e4);
}

/* 20-047: the solution is that of the linear system: what is left of B - E - rho F B is less than the tolerance, channel
 * by channel. */
static void
test_balance (void)
{
  g_autoptr (KgGeometry) room = new_room (kg_vector (2, 1, 1));
  RadiosityRule rule = usual;
  g_autoptr (Radiosity) radiosity = NULL;
  float *color = kg_geometry_edit_float (room, KG_PRIMITIVES, "Cd", 3);
  double least = INFINITY, most = 0;

  set_faces (room, "emission", 0)[1] = 3;
  for (size_t i = 0; i < 18; i++)
    color[i] = (float) (0.2 + 0.8 * kg_random_uniform (3, i, 0));
  rule.patch_size = 0.4;
  rule.reflectance = 0.9;
  rule.tolerance = 1e-8;
  rule.background[1] = 0.5;
  radiosity = solve (room, &rule);
  for (size_t i = 0; i < radiosity->n_patches; i++)
    for (int c = 0; c < 3; c++) {
      const RadiosityPatch *patch = &radiosity->patches[i];
      double b = patch->emission[c];

      for (size_t k = 0; k < radiosity->n_patches; k++)
        b += patch->reflectance[c] * radiosity_get_factor (radiosity, i, k) * radiosity->patches[k].radiosity[c];
      assert_near (patch->radiosity[c], b, 1e-6);
      least = fmin (least, b);
      most = fmax (most, b);
      assert_near (patch->reflectance[c], 0.9 * (double) color[3 * patch->polygon + (uint32_t) c], 1e-7);
    }
  g_assert_cmpfloat (least, >, 0);
  g_assert_cmpfloat (most, >, 3 * least);
  assert_near (radiosity->patches[0].emission[0], 0, 0);
}

/* 20-047: of elements the mean is their patch. */
static void
test_elements (void)
{
  g_autoptr (KgGeometry) room = new_room (kg_vector (1, 1, 1));
  RadiosityRule rule = usual;
  g_autoptr (Radiosity) radiosity = NULL;
  g_autofree double *means = NULL;
  double spread = 0;

  add_polygon (room, (KgVector[]){ { 0.2, 0.2, 0.5 }, { 0.7, 0.3, 0.5 }, { 0.4, 0.8, 0.5 } }, 3);
  set_faces (room, "emission", 0)[1] = 1;
  rule.patch_size = 0.5;
  rule.elements = 4;
  rule.tolerance = 1e-8;
  radiosity = solve (room, &rule);
  means = g_new0 (double, radiosity->n_patches);
  for (size_t i = 0; i < radiosity->n_elements; i++) {
    const RadiosityPatch *patch = &radiosity->patches[radiosity->patch[i]], *element = &radiosity->elements[i];

    g_assert_cmpuint (element->polygon, ==, patch->polygon);
    g_assert_cmpfloat (kg_vector_distance (element->center, patch->center), <, patch->size);
    means[radiosity->patch[i]] += element->area / patch->area * element->radiosity[0];
    spread = fmax (spread, fabs (element->radiosity[0] - patch->radiosity[0]));
  }
  for (size_t i = 0; i < radiosity->n_patches; i++)
    assert_near (means[i], radiosity->patches[i].radiosity[0], 1e-5);
  g_assert_cmpfloat (spread, >, 0.02);
}

/* 20-047: under an even sky. A single square facing it has B = rho; one that emits, E besides; its back is black.  With both sides,
 * the back sees the sky as well. */
static void
test_sky (void)
{
  g_autoptr (KgGeometry) square = kg_geometry_new ();
  RadiosityRule rule = usual;

  add_rectangle (square, kg_vector (0, 0, 0), kg_vector (1, 0, 0), kg_vector (0, 1, 0));
  set_faces (square, "emission", 0.25);
  rule.background[0] = 2;
  rule.background[2] = 1;
  for (int sides = 0; sides < RADIOSITY_N_SIDES; sides++)
    for (int method = 0; method < RADIOSITY_N_FACTORS; method++)
      for (int surfaces = 0; surfaces < RADIOSITY_N_SURFACES; surfaces++) {
        g_autoptr (Radiosity) radiosity = NULL;

        rule.sides = (RadiositySides) sides;
        rule.factors = (RadiosityFactors) method;
        rule.surfaces = (RadiositySurfaces) surfaces;
        radiosity = solve (square, &rule);
        g_assert_cmpuint (radiosity->n_patches, ==, sides == RADIOSITY_BOTH ? 2 : 1);
        for (size_t i = 0; i < radiosity->n_patches; i++) {
          assert_near (radiosity->patches[i].radiosity[0], 1.25, 1e-6);
          assert_near (radiosity->patches[i].radiosity[1], 0.25, 1e-6);
          assert_near (radiosity->patches[i].radiosity[2], 0.75, 1e-6);
          assert_near (radiosity->patches[i].normal.z, i == 0 ? 1 : -1, 1e-9);
        }
        g_assert_cmpuint (kg_geometry_get_n_primitives (radiosity->lit), ==, radiosity->n_patches);
      }
}

/* 20-047: the back of a face is black, unless both sides scatter: then it shines on what is behind. */
static void
test_sides (void)
{
  g_autoptr (KgGeometry) pair = kg_geometry_new ();
  RadiosityRule rule = usual;

  add_rectangle (pair, kg_vector (0, 0, 0), kg_vector (1, 0, 0), kg_vector (0, 1, 0));
  /* Above, and looking up: its back is towards the first. */
  add_rectangle (pair, kg_vector (0, 0, 1), kg_vector (1, 0, 0), kg_vector (0, 1, 0));
  set_faces (pair, "emission", 0)[1] = 1;
  rule.rays = 16384;
  for (int sides = 0; sides < RADIOSITY_N_SIDES; sides++) {
    g_autoptr (Radiosity) radiosity = NULL;

    rule.sides = (RadiositySides) sides;
    radiosity = solve (pair, &rule);
    if (sides == RADIOSITY_FRONT) {
      g_assert_cmpfloat (radiosity->patches[0].radiosity[0], ==, 0);
      g_assert_cmpuint (radiosity->rows[0].n, ==, 0);
      assert_near (radiosity->rows[0].outside, 1 - 0.1998249, 0.01);
    } else {
      /* Patches: front and back of the lower, then of the upper one.  B0 = rho F B3, B3 = 1 + rho F B0. */
      const double f = 0.5 * 0.1998249;

      assert_near (radiosity->patches[0].radiosity[0], f / (1 - f * f), 2e-3);
      g_assert_cmpfloat (radiosity->patches[1].radiosity[0], ==, 0);
      assert_near (radiosity->patches[3].radiosity[0], 1 / (1 - f * f), 2e-3);
      assert_near (radiosity->patches[2].radiosity[0], 1, 1e-9);
    }
  }
}

/* (transfer full) A box whose faces look outwards, from low to high. */
static KgGeometry *
new_body (KgVector low, KgVector high)
{
  KgGeometry *body = kg_geometry_new ();
  const KgVector x = { high.x - low.x, 0, 0 }, y = { 0, high.y - low.y, 0 }, z = { 0, 0, high.z - low.z };

  add_rectangle (body, low, y, x); /* faces -z */
  add_rectangle (body, kg_vector_add (low, z), x, y);
  add_rectangle (body, low, z, y);
  add_rectangle (body, kg_vector_add (low, x), y, z);
  add_rectangle (body, low, x, z); /* -y: the bottom */
  add_rectangle (body, kg_vector_add (low, y), z, x);
  return body;
}

enum { BOTTOM = 4, TOP, GROUND };

/* Appends a square that faces up at height 0, from (low, low) to (high, high). */
static void
add_ground (KgGeometry *geometry, double low, double high)
{
  add_rectangle (geometry, kg_vector (low, 0, low), kg_vector (0, 0, high - low), kg_vector (high - low, 0, 0));
}

/* Faces have a white Cd unless black. */
static void
blacken (KgGeometry *geometry, uint32_t face)
{
  float *color = kg_geometry_edit_float (geometry, KG_PRIMITIVES, "Cd", 3);

  for (size_t i = 0; i < 3 * kg_geometry_get_n_primitives (geometry); i++)
    color[i] = i / 3 == face ? 0 : 1;
}

/* 20-047: a body covers its own faces from nothing, however thin it is and however large the scene: over black ground in a sky of 1, its top
 * has 0.5, and its sides half of that. */
static void
test_thin_bodies (void)
{
  static const struct {
    double width, height, ground;
  } known[] = { { 1, 0.01, 100 }, { 1, 0.001, 100 }, { 0.01, 0.01, 500 }, { 1, 0.0002, 10 }, { 1, 1e-5, 10 } };

  for (size_t i = 0; i < G_N_ELEMENTS (known); i++)
    for (int method = 0; method < RADIOSITY_N_FACTORS; method++) {
      g_autoptr (KgGeometry)
          scene = new_body (kg_vector (0, 1, 0), kg_vector (known[i].width, 1 + known[i].height, known[i].width));
      g_autoptr (Radiosity) radiosity = NULL;
      RadiosityRule rule = usual;

      add_ground (scene, -known[i].ground, known[i].ground);
      blacken (scene, GROUND);
      rule.patch_size = 2000;
      rule.factors = (RadiosityFactors) method;
      for (int c = 0; c < 3; c++)
        rule.background[c] = 1;
      radiosity = solve (scene, &rule);
      g_assert_cmpuint (radiosity->n_patches, ==, 7);
      assert_near (radiosity->patches[TOP].radiosity[0], 0.5, 1e-6);
      /* What is beyond the ground is light, too. */
      assert_near (radiosity->patches[BOTTOM].radiosity[0], 0, 0.01);
      for (int k = 0; k < 4; k++)
        assert_near (radiosity->patches[k].radiosity[0], 0.25, 0.02 + 0.2 / known[i].ground);
    }
}

/* Turns and then moves a geometry along all axes. */
static void
turn (KgGeometry *geometry, KgRotation rotation, double move)
{
  float *p = kg_geometry_edit_positions (geometry);

  for (size_t i = 0; i < kg_geometry_get_n_points (geometry); i++)
    kg_floats_set_vector (
        p, i, kg_vector_add (kg_rotation_apply (rotation, kg_floats_get_vector (p, i)), kg_vector (move, move, move)));
}

/* 20-047: where a body stands on the ground and both sides scatter, each is dark to the other: a lamp within the body fills it to 1 / (1 - 0.5)
 * and the sky does not get in, whatever is on the other side; what is below the ground sees the sky alone.  By rounding, the body may be a
 * little above the ground or below, all the more if the ground is tilted, and far from the origin. */
static void
test_touching_bodies (void)
{
  for (int place = 0; place < 5; place++)
    for (int method = 0; method < RADIOSITY_N_FACTORS; method++) {
      const double y = place < 3 ? 3e-8 * (place - 1) : 0;
      g_autoptr (KgGeometry) scene = new_body (kg_vector (0.2, y, 0.2), kg_vector (0.8, 0.5, 0.8));
      RadiosityRule rule = usual;

      add_ground (scene, 0, 1);
      if (place >= 3)
        turn (scene,
              kg_rotation_from_axis_angle (kg_vector_normalize_or (kg_vector (1, 2, -0.7), kg_vector (1, 0, 0)), 0.6),
              place == 4 ? 100 : 0);
      rule.sides = RADIOSITY_BOTH;
      rule.factors = (RadiosityFactors) method;
      for (int dark = 0; dark < 2; dark++) {
        g_autoptr (Radiosity) radiosity = NULL;
        float *emission = set_faces (scene, "emission", dark ? 0 : 1);

        emission[GROUND] = 0;
        blacken (scene, dark ? G_MAXUINT32 : GROUND);
        for (int c = 0; c < 3; c++)
          rule.background[c] = dark;
        radiosity = solve (scene, &rule);
        g_assert_cmpuint (radiosity->n_patches, ==, 14);
        for (int face = 0; face < GROUND; face++)
          assert_near (radiosity->patches[2 * face + 1].radiosity[0], dark ? 0 : 2, 1e-6);
        assert_near (radiosity->patches[2 * GROUND + 1].radiosity[0], dark ? 0.5 : 0, 1e-6);
      }
    }
}

/* 20-059: what stands on a patch is near, its dark backs too, and what lies on one covers it: hemicubes then tell the same as rays. */
static void
test_near_bodies (void)
{
  static const struct {
    double size, low, side; /* a box beside or on the centre of the ground */
  } known[] = { { 100, 0, 1 }, { 100, -0.5, 1 }, { 1, -0.6, 1.2 } };

  for (size_t i = 0; i < G_N_ELEMENTS (known); i++)
    for (int sides = 0; sides < RADIOSITY_N_SIDES; sides++) {
      const KgVector low = { known[i].low, 0, known[i].low };
      const KgVector high = { low.x + known[i].side, known[i].side, low.z + known[i].side };
      g_autoptr (KgGeometry) scene = new_body (low, high);
      g_autoptr (Radiosity) rays = NULL, hemicubes = NULL;
      RadiosityRule rule = usual;
      const uint32_t step = sides == RADIOSITY_BOTH ? 2 : 1;

      add_ground (scene, -known[i].size, known[i].size);
      rule.patch_size = 1000;
      rule.rays = 1024;
      rule.sides = (RadiositySides) sides;
      for (int c = 0; c < 3; c++)
        rule.background[c] = 1;
      rays = solve (scene, &rule);
      rule.factors = RADIOSITY_HEMICUBE;
      hemicubes = solve (scene, &rule);
      g_assert_cmpuint (hemicubes->n_patches, ==, 7 * step);
      for (size_t k = 0; k < hemicubes->n_patches; k++)
        assert_near (get_row_sum (hemicubes, k), get_row_sum (rays, k), 0.01);
      if (known[i].size > 1)
        assert_near (hemicubes->patches[GROUND * step].radiosity[0], 0.5, 0.001);
      /* Covered, and all that it sees is the ground, whose mean it has for its light. */
      assert_near (hemicubes->patches[BOTTOM * step].radiosity[0], 0.5 * hemicubes->patches[GROUND * step].radiosity[0],
                   1e-6);
      for (size_t k = 0; k < hemicubes->n_patches; k++)
        assert_near (hemicubes->patches[k].radiosity[0], rays->patches[k].radiosity[0], 0.01);
    }
}

/* Mirrors. */

/* 20-059: a unit square that emits 1 and reflects 0.5 under an ideal mirror of 0.8 at height 1 sees itself at distance 2: its form factor
 * to itself is 0.8 times 0.0685896, and B = 1.0282098. */
static void
test_mirror (void)
{
  g_autoptr (KgGeometry) pair = kg_geometry_new ();
  RadiosityRule rule = usual;
  float *mirror, *color;

  add_rectangle (pair, kg_vector (0, 0, 0), kg_vector (1, 0, 0), kg_vector (0, 1, 0));
  /* So large that nothing is missed. */
  add_rectangle (pair, kg_vector (-20, -20, 1), kg_vector (0, 41, 0), kg_vector (41, 0, 0));
  set_faces (pair, "emission", 0)[0] = 1;
  mirror = set_faces (pair, "mirror", 0);
  mirror[1] = 0.8f;
  color = kg_geometry_edit_float (pair, KG_PRIMITIVES, "Cd", 3);
  for (int c = 0; c < 3; c++) {
    color[c] = 1;
    color[3 + c] = 0;
  }
  assert_near (get_opposite_factor (0.5, 0.5), 0.0685896, 5e-8);
  rule.patch_size = 50;
  rule.rays = 65536;
  for (int surfaces = 0; surfaces < RADIOSITY_N_SURFACES; surfaces++) {
    g_autoptr (Radiosity) radiosity = NULL;

    rule.surfaces = (RadiositySurfaces) surfaces;
    rule.gloss = 0;
    radiosity = solve (pair, &rule);
    assert_near (radiosity->patches[0].radiosity[0], 1.0282098, 1e-3);
    if (surfaces == RADIOSITY_DIFFUSE)
      assert_near (radiosity_get_factor (radiosity, 0, 0), 0.8 * 0.0685896, 1e-3);
  }
  /* By small hemicubes. */
  rule.surfaces = RADIOSITY_DIFFUSE;
  rule.factors = RADIOSITY_HEMICUBE;
  rule.hemicube = 128;
  rule.rays = 64;
  kg_geometry_edit_positions (pair);
  {
    /* The mirror is one patch, larger than its distance: as an image it is not near. */
    g_autoptr (Radiosity) radiosity = NULL;

    rule.patch_size = 0.25;
    rule.tolerance = 1e-6;
    kg_geometry_edit_positions (pair);
    {
      float *p = kg_geometry_edit_positions (pair);

      for (size_t i = 4; i < 8; i++)
        for (size_t c = 0; c < 2; c++)
          p[3 * i + c] = p[3 * i + c] < 0 ? -1 : 2;
    }
    radiosity = solve (pair, &rule);
    for (size_t i = 0; i < radiosity->n_patches; i++)
      if (radiosity->patches[i].polygon == 0) {
        double own = 0;

        for (size_t k = 0; k < radiosity->n_patches; k++)
          own += radiosity->patches[k].polygon == 0 ? radiosity_get_factor (radiosity, i, k) : 0;
        /* The factor of a part of the square to the square at distance 2 is between that of a corner and of the centre. */
        g_assert_cmpfloat (own, >, 0.8 * 0.055);
        g_assert_cmpfloat (own, <, 0.8 * 0.075);
      }
    assert_near (get_face_factor (radiosity, 0, 0), 0.8 * 0.0685896, 4e-4);
  }
}

/* 20-059: a closed room whose surfaces emit E, scatter rho and mirror m: the light that is seen is E / (1 - rho - m). */
static void
test_mirror_room (void)
{
  g_autoptr (KgGeometry) room = new_room (kg_vector (2, 1, 1));
  RadiosityRule rule = usual;

  set_faces (room, "emission", 1);
  set_faces (room, "mirror", 0.4f);
  rule.reflectance = 0.35;
  rule.patch_size = 0.5;
  rule.rays = 128;
  rule.hemicube = 16;
  for (int method = 0; method < RADIOSITY_N_FACTORS; method++) {
    g_autoptr (Radiosity) radiosity = NULL;

    rule.factors = (RadiosityFactors) method;
    radiosity = solve (room, &rule);
    for (size_t i = 0; i < radiosity->n_patches; i++) {
      assert_near (radiosity->patches[i].shown[0], 4, 1e-4);
      assert_near (radiosity->patches[i].radiosity[0], 1 / (1 - 0.35 / 0.6), 1e-4);
    }
  }
}

/* 20-059: the same when a ray is reflected thousands of times, far more often than the things that it meets are kept; and if only
 * one wall emits, all of it arrives: over the room, emitted light is what surfaces absorb. */
static void
test_bright_mirrors (void)
{
  static const struct {
    float mirror;
    double reflectance;
  } rooms[] = { { 0.99f, 0.005 }, { 0.999f, 0.0005 } };

  for (size_t i = 0; i < G_N_ELEMENTS (rooms); i++)
    for (int lamps = 0; lamps < (i == 0 ? 2 : 1); lamps++)
      for (int surfaces = 0; surfaces < RADIOSITY_N_SURFACES; surfaces++) {
        const double rho = rooms[i].reflectance, m = (double) rooms[i].mirror, exact = 1 / (1 - rho - m);
        g_autoptr (KgGeometry) room = new_room (kg_vector (2, 1, 1));
        RadiosityRule rule = usual;
        g_autoptr (Radiosity) radiosity = NULL;
        double absorbed = 0, emitted = 0;

        set_faces (room, "emission", lamps == 0)[2] = 1;
        set_faces (room, "mirror", rooms[i].mirror);
        rule.reflectance = rho;
        rule.tolerance = 1e-3;
        rule.bins = 2;
        rule.rays = 12;
        rule.surfaces = (RadiositySurfaces) surfaces;
        radiosity = solve (room, &rule);
        for (size_t k = 0; k < radiosity->n_patches; k++) {
          const RadiosityPatch *patch = &radiosity->patches[k];
          /* What is scattered tells what arrives. */
          const double arrives = (patch->radiosity[0] - patch->emission[0]) / rho;

          if (lamps == 0)
            assert_near (patch->emission[0] + (rho + m) * arrives, exact, 3e-3 * exact);
          absorbed += patch->area * (1 - rho - m) * arrives;
          emitted += patch->area * patch->emission[0];
        }
        assert_near (absorbed, emitted, (lamps == 0 ? 3e-3 : 0.1) * emitted);
      }
}

/* 20-059: without mirrors, directions fit; what mirrors show is counted, too, and refused before the memory is full:
 * 256 things for each of 4 rays in each direction. */
static void
test_mirrors_refused (void)
{
  g_autoptr (KgGeometry) room = new_room (kg_vector (1, 1, 1));
  RadiosityRule rule = usual;

  rule.surfaces = RADIOSITY_DIRECTIONAL;
  rule.reflectance = 0.005;
  rule.patch_size = 0.1;
  rule.rays = 768;
  rule.tolerance = 1e-3;
  set_faces (room, "emission", 1);
  set_faces (room, "mirror", 0);
  {
    g_autoptr (Radiosity) radiosity = solve (room, &rule);

    g_assert_cmpuint (radiosity->n_patches, ==, 600);
  }
  set_faces (room, "mirror", 0.99f);
  assert_refused (room, &rule, KG_ERROR_LIMIT,
                  "what mirrors show to 600 patches with 192 directions needs about 355350528 numbers, more than "
                  "200000000: use larger patches, fewer bins or rays, or a smaller mirror");
}

/* Directions. */

/* 20-059: reflection, scaled: the same in both ways, not negative, and each direction reflects all of it, for any shape. */
static void
test_reflection (void)
{
  static const double shines[] = { 0, 1, 10, 80, 1000 };
  const uint32_t n = hemicube_get_n_pixels (8);
  g_autofree KgVector *d = g_new (KgVector, n);
  g_autofree double *weights = g_new (double, n), *f = g_new (double, n *n), *scales = g_new (double, n);

  for (uint32_t i = 0; i < n; i++) {
    d[i] = kg_vector_normalize_or (hemicube_get_direction (8, i, 0.5, 0.5), kg_vector (0, 0, 1));
    weights[i] = hemicube_get_exact_factor (8, i);
  }
  for (int lobe = 0; lobe < RADIOSITY_N_LOBES; lobe++)
    for (size_t s = 0; s < G_N_ELEMENTS (shines); s++)
      for (int gloss = 0; gloss <= 2; gloss++) {
        RadiosityRule rule = usual;

        rule.lobe = (RadiosityLobe) lobe;
        rule.gloss = 0.5 * gloss;
        radiosity_scale_reflection (&rule, shines[s], n, d, weights, f, scales, NULL);
        for (uint32_t i = 0; i < n; i++) {
          double sum = 0;

          for (uint32_t k = 0; k < n; k++) {
            g_assert_cmpfloat (f[n * i + k], >=, 0);
            assert_near (f[n * i + k], f[n * k + i], 1e-9 * (1 + f[n * i + k]));
            sum += f[n * i + k] * weights[k];
            if (gloss == 0 || (shines[s] == 0 && lobe == RADIOSITY_PHONG))
              assert_near (f[n * i + k], 1, 1e-9);
          }
          assert_near (sum, 1, 1e-9);
        }
        /* Brightest along the mirrored direction: the pixel at the other side of the top. */
        if (gloss > 0 && shines[s] >= 10)
          g_assert_cmpfloat (f[n * (2 * 8 + 2) + 5 * 8 + 5], >, 1.2 * f[n * (2 * 8 + 2) + 2 * 8 + 2]);
      }
}

/* 20-059: a closed room whose surfaces emit 1 and have the albedo 0.6 has the radiance 2.5 in all directions, whatever they
 * look like. */
static void
test_directional_room (void)
{
  g_autoptr (KgGeometry) room = new_room (kg_vector (2, 1, 1));

  set_faces (room, "emission", 1);
  for (int lobe = 0; lobe < RADIOSITY_N_LOBES; lobe++)
    for (int shine = 0; shine < 3; shine++)
      for (uint32_t elements = 1; elements <= 2; elements++) {
        RadiosityRule rule = usual;
        g_autoptr (Radiosity) radiosity = NULL;
        const float *color;

        rule.surfaces = RADIOSITY_DIRECTIONAL;
        rule.reflectance = 0.6;
        rule.lobe = (RadiosityLobe) lobe;
        rule.gloss = 0.5 * shine;
        rule.shine = 3 * pow (10, shine);
        rule.patch_size = 0.5;
        rule.tolerance = 1e-6;
        rule.elements = elements;
        radiosity = solve (room, &rule);
        for (size_t i = 0; i < radiosity->n_patches; i++)
          for (int c = 0; c < 3; c++)
            assert_near (radiosity->patches[i].radiosity[c], 2.5, 1e-4);
        color = kg_geometry_get_float (radiosity->lit, KG_POINTS, "Cd", 3);
        for (size_t k = 0; k < 3 * kg_geometry_get_n_points (radiosity->lit); k++)
          assert_near ((double) color[k], 2.5, 1e-4);
      }
}

/* 20-059: sweeps end when what is left is within the tolerance, however much is reflected: in a closed room, where it is known,
 * and where the light spreads slowly, through a slit, compared with a solution to nearly all digits. */
static void
test_directional_tolerance (void)
{
  static const double shares[] = { 0.95, 0.99, 0.999 };
  g_autoptr (KgGeometry) room = new_room (kg_vector (1, 1, 1)), halves = new_room (kg_vector (2, 1, 1));
  RadiosityRule rule = usual;

  rule.surfaces = RADIOSITY_DIRECTIONAL;
  rule.bins = 2;
  rule.tolerance = 1e-3;
  set_faces (room, "emission", 1);
  for (size_t i = 0; i < G_N_ELEMENTS (shares); i++) {
    const double exact = 1 / (1 - shares[i]);
    g_autoptr (Radiosity) radiosity = NULL;

    rule.reflectance = shares[i];
    radiosity = solve (room, &rule);
    for (size_t k = 0; k < radiosity->n_patches; k++) {
      assert_near (radiosity->patches[k].radiosity[0], exact, 1.1e-3 * exact);
      assert_near (radiosity->patches[k].shown[0], exact, 1.1e-3 * exact);
    }
  }
  /* Two walls back to back between the halves, of which one has the lamp. */
  add_rectangle (halves, kg_vector (1.01, 0, 0), kg_vector (0, 0.9, 0), kg_vector (0, 0, 1));
  add_rectangle (halves, kg_vector (0.99, 0, 0), kg_vector (0, 0, 1), kg_vector (0, 0.9, 0));
  set_faces (halves, "emission", 0)[2] = 1;
  set_faces (halves, "mirror", 0)[0] = 0.3f;
  rule.patch_size = 0.5;
  for (double tolerance = 1e-1; tolerance > 1e-4; tolerance *= 0.1) {
    g_autoptr (Radiosity) rough = NULL, fine = NULL;
    double largest = 0, error = 0;

    rule.reflectance = 0.69;
    rule.tolerance = 1e-10;
    fine = solve (halves, &rule);
    rule.tolerance = tolerance;
    rough = solve (halves, &rule);
    for (size_t k = 0; k < fine->n_patches; k++) {
      largest = fmax (largest, fine->patches[k].radiosity[0]);
      error = fmax (error, fabs (fine->patches[k].radiosity[0] - rough->patches[k].radiosity[0]));
    }
    g_assert_cmpfloat (error, <, tolerance * largest);
  }
}

/* 20-059: without gloss, directions give what diffuse surfaces have, within the noise of both. */
static void
test_directions_diffuse (void)
{
  g_autoptr (KgGeometry) room = new_room (kg_vector (1, 1, 1));
  RadiosityRule rule = usual;
  g_autoptr (Radiosity) diffuse = NULL, directional = NULL;

  set_faces (room, "emission", 0)[1] = 1;
  rule.patch_size = 0.5;
  rule.rays = 8192;
  rule.gloss = 0;
  diffuse = solve (room, &rule);
  rule.surfaces = RADIOSITY_DIRECTIONAL;
  directional = solve (room, &rule);
  for (size_t i = 0; i < diffuse->n_patches; i++)
    assert_near (directional->patches[i].radiosity[0], diffuse->patches[i].radiosity[0], 0.01);
}

/* 20-059: a floor that shines shows a lamp where a mirror would, and less of it beside; a mirror shows its light itself. */
static void
test_highlight (void)
{
  g_autoptr (KgGeometry) scene = kg_geometry_new ();
  RadiosityRule rule = usual;
  double at_mirrored = 0, beside = 0;

  add_rectangle (scene, kg_vector (-2, -0.25, 0), kg_vector (4, 0, 0), kg_vector (0, 0.5, 0));
  /* A lamp above x = -1, and an eye above x = 1, both at height 1: the mirrored direction is at x = 0. */
  add_rectangle (scene, kg_vector (-1.2, -0.25, 1), kg_vector (0, 0.5, 0), kg_vector (0.4, 0, 0));
  set_faces (scene, "emission", 0)[1] = 1;
  rule.surfaces = RADIOSITY_DIRECTIONAL;
  rule.eye = kg_vector (1, 0, 1);
  rule.patch_size = 0.5;
  rule.bins = 16;
  rule.gloss = 1;
  rule.shine = 60;
  rule.rays = 8192;
  for (int mirror = 0; mirror < 2; mirror++) {
    g_autoptr (Radiosity) radiosity = NULL;

    if (mirror == 1) {
      set_faces (scene, "mirror", 0)[0] = 0.9f;
      rule.reflectance = 0;
    }
    radiosity = solve (scene, &rule);
    for (size_t i = 0; i < radiosity->n_elements; i++) {
      const RadiosityPatch *element = &radiosity->elements[i];

      if (element->polygon != 0)
        continue;
      if (fabs (element->center.x) < 0.3)
        at_mirrored = fmax (at_mirrored, element->shown[0]);
      else if (fabs (element->center.x) > 1)
        beside = fmax (beside, element->shown[0]);
    }
    g_assert_cmpfloat (at_mirrored, >, 4 * beside);
    if (mirror == 1)
      assert_near (beside, 0, 0);
    at_mirrored = beside = 0;
    rule.elements = 5;
  }
}

/* The result. */

/* 20-047: points of one smooth surface have the mean of the elements around them, by their areas; those of another material or
 * beyond an edge have their own; and no two faces are apart. */
static void
test_colors (void)
{
  g_autoptr (KgGeometry) scene = kg_geometry_new ();
  RadiosityRule rule = usual;
  g_autoptr (Radiosity) radiosity = NULL;
  float *emission;
  const float *color, *p;
  int32_t *group;

  /* Two squares and a rectangle in one plane, of which the last emits more, and a wall. */
  add_rectangle (scene, kg_vector (0, 0, 0), kg_vector (1, 0, 0), kg_vector (0, 1, 0));
  add_rectangle (scene, kg_vector (1, 0, 0), kg_vector (2, 0, 0), kg_vector (0, 1, 0));
  add_rectangle (scene, kg_vector (3, 0, 0), kg_vector (1, 0, 0), kg_vector (0, 1, 0));
  add_rectangle (scene, kg_vector (0, 1, 0), kg_vector (2, 0, 0), kg_vector (0, 0, 1));
  emission = kg_geometry_edit_float (scene, KG_PRIMITIVES, "emission", 3);
  for (int i = 0; i < 12; i++)
    emission[i] = i / 3 == 2 ? 5 : 1;
  emission[11] = 2;
  group = kg_geometry_edit_int (scene, KG_PRIMITIVES, "wall", 1);
  group[3] = 1;
  rule.reflectance = 0;
  radiosity = solve (scene, &rule);
  color = kg_geometry_get_float (radiosity->lit, KG_POINTS, "Cd", 3);
  p = kg_geometry_get_positions (radiosity->lit);
  g_assert_cmpuint (kg_geometry_get_n_points (radiosity->lit), ==, 16);
  for (size_t i = 0; i < 16; i++) {
    const size_t face = i / 4;

    assert_near ((double) color[3 * i], face == 2 ? 5 : 1, 1e-6);
    assert_near ((double) color[3 * i + 2], face == 2 ? 5 : face == 3 ? 2 : 1, 1e-6);
    for (size_t k = 0; k < i; k++)
      if (kg_vector_distance (kg_floats_get_vector (p, i), kg_floats_get_vector (p, k)) < 1e-3)
        g_assert_true (memcmp (p + 3 * i, p + 3 * k, 12) == 0);
  }
  g_assert_cmpint (kg_geometry_get_int (radiosity->lit, KG_PRIMITIVES, "wall", 1)[3], ==, 1);
  g_assert_cmpint (kg_geometry_get_int (radiosity->lit, KG_PRIMITIVES, "wall", 1)[2], ==, 0);
  g_assert_null (kg_geometry_get_float (radiosity->lit, KG_PRIMITIVES, "Cd", 3));
  {
    /* Light from above on all three: at the joint of the first two, both have the mean by area. */
    g_autoptr (Radiosity) lit = NULL;
    const RadiosityPatch *patches;
    double mean;

    rule.reflectance = 0.5;
    lit = solve (scene, &rule);
    patches = lit->patches;
    color = kg_geometry_get_float (lit->lit, KG_POINTS, "Cd", 3);
    mean = (patches[0].shown[2] + 2 * patches[1].shown[2]) / 3;
    g_assert_cmpfloat (fabs (patches[0].shown[2] - patches[1].shown[2]), >, 1e-3);
    assert_near ((double) color[3 * 1 + 2], mean, 1e-6);
    assert_near ((double) color[3 * 4 + 2], mean, 1e-6);
    assert_near ((double) color[3 * 5 + 2], patches[1].shown[2], 1e-6);
    assert_near ((double) color[2], patches[0].shown[2], 1e-6);
  }
}

/* 20-047: fronts stay where they are, backs are above them, by less than a millimetre for elements of a metre; both sides of a small body
 * keep their corners in a scene of a kilometre. */
static void
test_places (void)
{
  static const double sizes[] = { 1, 0.01, 0.001 };

  for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (int sides = 0; sides < RADIOSITY_N_SIDES; sides++) {
      const double size = sizes[i];
      g_autoptr (KgGeometry) scene = new_body (kg_vector (0, 1, 0), kg_vector (size, 1 + size, size));
      g_autoptr (Radiosity) radiosity = NULL;
      RadiosityRule rule = usual;
      const float *before, *after;
      const size_t step = sides == RADIOSITY_BOTH ? 2 : 1;

      add_ground (scene, -500, 500);
      rule.patch_size = 2000;
      rule.sides = (RadiositySides) sides;
      radiosity = solve (scene, &rule);
      before = kg_geometry_get_positions (scene);
      after = kg_geometry_get_positions (radiosity->lit);
      g_assert_cmpuint (kg_geometry_get_n_points (radiosity->lit), ==, 4 * 7 * step);
      for (size_t face = 0; face < 7; face++) {
        const KgVector normal = radiosity->patches[face * step].normal;

        for (size_t k = 0; k < 4; k++) {
          /* The lattice has the third corner last. */
          const KgVector corner = kg_floats_get_vector (before, 4 * face + (k == 2 ? 3 : k == 3 ? 2 : k));
          const KgVector front = kg_floats_get_vector (after, 4 * face * step + k);

          g_assert_cmpfloat (kg_vector_distance (corner, front), <, 3e-7);
          if (sides == RADIOSITY_BOTH) {
            const KgVector back = kg_floats_get_vector (after, 4 * (face * step + 1) + k);
            const double lift = -kg_vector_dot (kg_vector_subtract (back, front), normal);

            g_assert_cmpfloat (lift, >, face == GROUND ? 1e-4 : 1e-4 * size);
            g_assert_cmpfloat (lift, <, face == GROUND ? 1 : 1e-3 * size);
            assert_near (lift, kg_vector_distance (back, front), 3e-7);
          }
        }
      }
    }
}

/* 20-047: colours of points are interpolated. */
static void
test_textures (void)
{
  g_autoptr (KgGeometry) square = kg_geometry_new ();
  RadiosityRule rule = usual;
  g_autoptr (Radiosity) radiosity = NULL;
  float *emission;
  const float *color, *p;

  add_rectangle (square, kg_vector (0, 0, 0), kg_vector (1, 0, 0), kg_vector (0, 1, 0));
  emission = kg_geometry_edit_float (square, KG_POINTS, "emission", 1);
  emission[1] = emission[2] = 1;
  rule.patch_size = 0.25;
  rule.elements = 2;
  radiosity = solve (square, &rule);
  for (size_t i = 0; i < radiosity->n_elements; i++)
    assert_near (radiosity->elements[i].radiosity[0], radiosity->elements[i].center.x, 1e-6);
  for (size_t i = 0; i < radiosity->n_patches; i++)
    assert_near (radiosity->patches[i].radiosity[0], radiosity->patches[i].center.x, 1e-6);
  color = kg_geometry_get_float (radiosity->lit, KG_POINTS, "Cd", 3);
  p = kg_geometry_get_positions (radiosity->lit);
  for (size_t i = 0; i < kg_geometry_get_n_points (radiosity->lit); i++)
    if (p[3 * i] > 0.01f && p[3 * i] < 0.99f)
      assert_near ((double) color[3 * i], (double) p[3 * i], 1e-6);
}

/* Odd input. */

static void
test_threads (void)
{
  g_autoptr (KgGeometry) room = new_room (kg_vector (2, 1, 1));
  const int before = omp_get_max_threads ();

  add_box (room, kg_vector (1, 0.3, 0.5), kg_vector (0.4, 0.6, 0.4), kg_rotation_identity ());
  set_faces (room, "emission", 0)[1] = 1;
  set_faces (room, "mirror", 0)[7] = 0.4f;
  for (int kind = 0; kind < 4; kind++) {
    RadiosityRule rule = usual;
    g_autoptr (Radiosity) one = NULL, four = NULL;

    rule.patch_size = 0.4;
    rule.tolerance = 1e-3;
    rule.hemicube = 32;
    rule.bins = 4;
    rule.elements = kind % 2 == 0 ? 1 : 2;
    rule.factors = kind == 1 ? RADIOSITY_HEMICUBE : RADIOSITY_RAYS;
    rule.surfaces = kind >= 2 ? RADIOSITY_DIRECTIONAL : RADIOSITY_DIFFUSE;
    omp_set_num_threads (1);
    one = solve (room, &rule);
    omp_set_num_threads (4);
    four = solve (room, &rule);
    g_assert_true (kg_geometry_equal (one->lit, four->lit));
    g_assert_cmpuint (one->n_near, ==, four->n_near);
  }
  omp_set_num_threads (before);
}

static void
test_refused (void)
{
  g_autoptr (KgGeometry) nothing = kg_geometry_new (), line = kg_geometry_new (), room = new_room (kg_vector (1, 1, 1));
  RadiosityRule rule = usual;

  assert_refused (nothing, &rule, KG_ERROR_DEGENERATE,
                  "none of the 0 primitives is a polygon with an area: link a mesh");
  add_polygon (line, (KgVector[]){ { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } }, 3);
  assert_refused (line, &rule, KG_ERROR_DEGENERATE, "none of the 1 primitives is a polygon with an area: link a mesh");
  rule.reflectance = 1;
  assert_refused (
      room, &rule, KG_ERROR_INVALID_VALUE,
      "primitive 0 reflects 1 of the light, which hardly ever ends: make reflectance or Cd smaller, so that "
      "no more than 0.9999 is left");
  rule.reflectance = 0.9999999;
  assert_refused (
      room, &rule, KG_ERROR_INVALID_VALUE,
      "primitive 0 reflects 0.9999999 of the light, which hardly ever ends: make reflectance or Cd smaller, "
      "so that no more than 0.9999 is left");
  set_faces (room, "mirror", 0)[3] = 0.5f;
  rule.reflectance = 0.75;
  assert_refused (room, &rule, KG_ERROR_INVALID_VALUE,
                  "primitive 3 reflects 1.25 of the light, of it 0.5 as a mirror, which hardly ever ends: make "
                  "reflectance, Cd or mirror smaller, so that no more than 0.9999 is left");
  rule.reflectance = 0.5;
  assert_refused (room, &rule, KG_ERROR_INVALID_VALUE,
                  "primitive 3 reflects 1 of the light, of it 0.5 as a mirror, which hardly ever ends: make "
                  "reflectance, Cd or mirror smaller, so that no more than 0.9999 is left");
  set_faces (room, "mirror", 0);
  rule = usual;
  rule.patch_size = 1e-3;
  assert_refused (room, &rule, KG_ERROR_LIMIT,
                  "patches of 0.001 m make 6000000 elements, more than 1000000: use larger patches, or fewer elements");
  rule.patch_size = 0.01;
  rule.rays = 1024;
  assert_refused (room, &rule, KG_ERROR_LIMIT,
                  "60000 elements have up to 61440000 form factors, more than 50000000: use larger patches, fewer "
                  "elements or fewer rays");
  rule.rays = 64;
  rule.surfaces = RADIOSITY_DIRECTIONAL;
  rule.bins = 32;
  assert_refused (
      room, &rule, KG_ERROR_LIMIT,
      "60000 patches with 3072 directions need 2783674368 numbers, more than 200000000: use larger patches or "
      "fewer bins");
}

/* 20-047: faces without area, twice the same, not plane, with dents, or far from the origin; none makes a number that is not
 * finite, and their areas are right. */
static void
test_odd_meshes (void)
{
  g_autoptr (KgGeometry) scene = kg_geometry_new ();
  RadiosityRule rule = usual;
  g_autoptr (Radiosity) radiosity = NULL;
  double areas[5] = { 0, 0, 0, 0, 0 };

  add_polygon (scene, (KgVector[]){ { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } }, 3);
  add_polygon (scene, (KgVector[]){ { 0, 0, 1 }, { 2, 0, 1 }, { 2, 2, 1 }, { 1, 0.5, 1 } }, 4);
  add_polygon (scene, (KgVector[]){ { 0, 0, 1 }, { 2, 0, 1 }, { 2, 2, 1 }, { 1, 0.5, 1 } }, 4);
  add_polygon (scene, (KgVector[]){ { 0, 0, 2 }, { 1, 0, 2 }, { 1, 1, 2.5 }, { 0, 1, 2 } }, 4);
  add_polygon (scene, (KgVector[]){ { 1e4, 0, 0 }, { 1e4, 1, 0 }, { 1e4, 1, 1 }, { 1e4, 0, 1 } }, 4);
  set_faces (scene, "emission", 1);
  rule.patch_size = 0.4;
  for (int kind = 0; kind < 3; kind++) {
    rule.factors = kind == 1 ? RADIOSITY_HEMICUBE : RADIOSITY_RAYS;
    rule.surfaces = kind == 2 ? RADIOSITY_DIRECTIONAL : RADIOSITY_DIFFUSE;
    g_clear_pointer (&radiosity, radiosity_free);
    radiosity = solve (scene, &rule);
  }
  for (size_t i = 0; i < radiosity->n_patches; i++)
    areas[radiosity->patches[i].polygon] += radiosity->patches[i].area;
  g_assert_cmpfloat (areas[0], ==, 0);
  assert_near (areas[1], 1.5, 1e-6);
  assert_near (areas[2], 1.5, 1e-6);
  assert_near (areas[3], 2 * 0.5 * sqrt (1 + 0.25), 1e-6);
}

typedef struct {
  gint calls, limit;
} Stop;

static bool
is_cancelled (gpointer data)
{
  Stop *stop = data;

  return g_atomic_int_add (&stop->calls, 1) >= stop->limit;
}

static void
test_cancelled (void)
{
  g_autoptr (KgGeometry) room = new_room (kg_vector (1, 1, 1));

  set_faces (room, "emission", 0)[1] = 1;
  for (int surfaces = 0; surfaces < RADIOSITY_N_SURFACES; surfaces++)
    for (int limit = 0; limit < 300; limit += 1 + limit / 5) {
      Stop stop = { 0, limit };
      const KgProgressMonitor monitor = { .is_cancelled = is_cancelled, .data = &stop };
      g_autoptr (GError) error = NULL;
      RadiosityRule rule = usual;

      rule.surfaces = (RadiositySurfaces) surfaces;
      rule.patch_size = 0.05;
      rule.rays = 4;
      rule.bins = 2;
      g_assert_null (radiosity_new (room, &rule, &monitor, &error));
      g_assert_no_error (error);
    }
}

static void
check_progress (gpointer data, double done)
{
  g_assert_cmpfloat (done, >=, 0);
  g_assert_cmpfloat (done, <=, 1);
  g_atomic_int_inc ((gint *) data);
}

/* Progress is a number from 0 to 1 for the least tolerance and for one of all light. */
static void
test_progress (void)
{
  static const double tolerances[] = { 1e-9, 1e-3, 1 };
  g_autoptr (KgGeometry) room = new_room (kg_vector (1, 1, 1));

  set_faces (room, "emission", 0)[1] = 1;
  for (int surfaces = 0; surfaces < RADIOSITY_N_SURFACES; surfaces++)
    for (size_t i = 0; i < G_N_ELEMENTS (tolerances); i++) {
      gint calls = 0;
      const KgProgressMonitor monitor = { .report = check_progress, .data = &calls };
      RadiosityRule rule = usual;
      g_autoptr (GError) error = NULL;
      g_autoptr (Radiosity) radiosity = NULL;

      rule.surfaces = (RadiositySurfaces) surfaces;
      rule.tolerance = tolerances[i];
      rule.bins = 2;
      radiosity = radiosity_new (room, &rule, &monitor, &error);
      g_assert_no_error (error);
      g_assert_nonnull (radiosity);
      g_assert_cmpint (calls, >, 1);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/radiosity/20-059-hemicube-totals", test_hemicube_totals);
  g_test_add_func ("/radiosity/20-059-hemicube-directions", test_hemicube_directions);
  g_test_add_func ("/radiosity/20-059-hemicube-drawing", test_hemicube_drawing);
  g_test_add_func ("/radiosity/20-047-unit-cube", test_unit_cube);
  g_test_add_func ("/radiosity/20-047-ray-error", test_ray_error);
  g_test_add_func ("/radiosity/20-047-rectangles", test_rectangles);
  g_test_add_func ("/radiosity/20-047-discs", test_discs);
  g_test_add_func ("/radiosity/20-047-reciprocity", test_reciprocity);
  g_test_add_func ("/radiosity/20-047-parts", test_parts);
  g_test_add_func ("/radiosity/20-047-closed-room", test_closed_room);
  g_test_add_func ("/radiosity/20-047-20-059-most-reflected", test_most_reflected);
  g_test_add_func ("/radiosity/20-047-balance", test_balance);
  g_test_add_func ("/radiosity/20-059-elements", test_elements);
  g_test_add_func ("/radiosity/20-047-sky", test_sky);
  g_test_add_func ("/radiosity/20-047-sides", test_sides);
  g_test_add_func ("/radiosity/20-047-thin-bodies", test_thin_bodies);
  g_test_add_func ("/radiosity/20-047-touching-bodies", test_touching_bodies);
  g_test_add_func ("/radiosity/20-059-near-bodies", test_near_bodies);
  g_test_add_func ("/radiosity/20-059-mirror", test_mirror);
  g_test_add_func ("/radiosity/20-059-mirror-room", test_mirror_room);
  g_test_add_func ("/radiosity/20-059-bright-mirrors", test_bright_mirrors);
  g_test_add_func ("/radiosity/20-059-mirrors-refused", test_mirrors_refused);
  g_test_add_func ("/radiosity/20-059-reflection", test_reflection);
  g_test_add_func ("/radiosity/20-059-directional-room", test_directional_room);
  g_test_add_func ("/radiosity/20-059-directional-tolerance", test_directional_tolerance);
  g_test_add_func ("/radiosity/20-059-directions-diffuse", test_directions_diffuse);
  g_test_add_func ("/radiosity/20-059-highlight", test_highlight);
  g_test_add_func ("/radiosity/20-047-colors", test_colors);
  g_test_add_func ("/radiosity/20-047-places", test_places);
  g_test_add_func ("/radiosity/20-047-textures", test_textures);
  g_test_add_func ("/radiosity/20-047-threads", test_threads);
  g_test_add_func ("/radiosity/20-047-refused", test_refused);
  g_test_add_func ("/radiosity/20-047-odd-meshes", test_odd_meshes);
  g_test_add_func ("/radiosity/20-047-cancelled", test_cancelled);
  g_test_add_func ("/radiosity/20-047-20-059-progress", test_progress);
  return g_test_run ();
}
