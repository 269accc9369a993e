/* bench/polygons: soft objects to triangles; prints one line for each way and size: name, places where the field is looked at,
 * cells of the surface, triangles, seconds of all processors (least of the runs), and for some what else there is to say.
 * Not a test: nothing here passes or fails.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-random.h"
#include "soft/polygonize.h"
#include "soft/soft_keys.h"

#include "kg-hash.h"

#include <time.h>

#define RUNS 3
/* Triangles of a surface, times the square of the cell, divided by its area. */
#define DENSITY_OF_TRIANGLES 3.0

/* Of all threads: other programs do not count. */
static double
get_processor_time (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* n keys at random in a cube, with bodies of one to three decimetres, that touch about two others each.  The first two move by
 * so many metres. */
static KgField *
make_field (guint n, double moved)
{
  const SoftOptions options = { .density = { .level = 0.5, .blobbiness = 2, .cutoff = 1e-4 }, .power = 4 };
  const double side = 0.75 * cbrt (n);
  g_autoptr (KgGeometry) geometry = kg_geometry_new ();
  const KgGeometry *const geometries[] = { geometry };
  g_autoptr (SoftKeys) keys = NULL;
  float *p, *size;

  kg_geometry_set_n_points (geometry, n, NULL);
  p = kg_geometry_edit_positions (geometry);
  size = kg_geometry_edit_float (geometry, KG_POINTS, "size", 3);
  for (guint i = 0; i < 3 * n; i++) {
    p[i] = (float) (side * kg_random_uniform (1, i, 0));
    size[i] = (float) (0.1 + 0.2 * kg_random_uniform (1, i / 3, 1));
  }
  p[0] += (float) moved;
  p[4] += (float) moved;
  keys = soft_keys_new (geometries, 1, &options, NULL, NULL);
  return soft_keys_make_field (keys, NULL);
}

/* Prints a line; (out) area: of the surface. */
static void
measure (const char *name, const KgField *field, double cell, PolygonizeMethod method, double *area)
{
  PolygonizeOptions options = { .cell = cell,
                                .level = 0.5,
                                .limit = 400000000,
                                .method = method,
                                .levels = 3,
                                .max_angle = 15 * G_PI / 180,
                                .graded = true,
                                .exact = true,
                                .triangles = true,
                                .normals = true };
  double least = INFINITY;
  PolygonizeResult r;

  kg_field_get_bounds (field, &options.low, &options.high);
  for (int run = 0; run < (area != NULL ? 1 : RUNS); run++) {
    const double start = get_processor_time ();
    g_autoptr (GError) error = NULL;

    if (!polygonize (field, &options, NULL, &r, &error))
      g_error ("%s", error->message);
    least = MIN (least, get_processor_time () - start);
    if (area != NULL)
      *area = r.area;
    else if (run == RUNS - 1)
      g_print ("%s\t%zu\t%zu\t%zu\t%.6f\n", name, r.n_samples, r.cubes, kg_geometry_get_n_primitives (r.mesh), least);
    kg_geometry_unref (r.mesh);
  }
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

typedef struct {
  gpointer memo;
  GDestroyNotify destroy;
} Memo;

static void
memo_free (gpointer data)
{
  Memo *memo = (Memo *) data;

  memo->destroy (memo->memo);
  g_free (memo);
}

static gconstpointer
find_memo (gpointer data, KgHash key)
{
  const Memo *memo = (const Memo *) g_hash_table_lookup ((GHashTable *) data, &key);

  return memo != NULL ? memo->memo : NULL;
}

static void
keep_memo (gpointer data, KgHash key, gpointer kept, size_t bytes, GDestroyNotify destroy)
{
  Memo *memo = g_new (Memo, 1);

  (void) bytes;
  *memo = (Memo){ kept, destroy };
  g_hash_table_replace ((GHashTable *) data, g_memdup2 (&key, sizeof key), memo);
}

/* Frames in which two of sixty keys move by a centimetre each, one by one without and with memos: prints a line for each, of the
 * median frame after the first. */
static void
measure_film (double cell)
{
  enum { N_FRAMES = 25 };
  g_autoptr (GHashTable) kept = g_hash_table_new_full (kg_hash_table_hash, kg_hash_table_equal, g_free, memo_free);
  const KgMemoStore memos = { find_memo, keep_memo, kept };
  PolygonizeOptions options = {
    .cell = cell, .level = 0.5, .limit = 400000000, .exact = true, .triangles = true, .normals = true
  };
  double seconds[2][N_FRAMES - 1];
  size_t n_samples[2], n_cubes = 0, n_triangles = 0;

  for (int frame = 0; frame < N_FRAMES; frame++)
    for (int with = 0; with < 2; with++) {
      g_autoptr (KgField) field = make_field (60, 0.01 * frame);
      double start;
      PolygonizeResult r;

      kg_field_get_bounds (field, &options.low, &options.high);
      options.memos = with ? &memos : NULL;
      start = get_processor_time ();
      if (!polygonize (field, &options, NULL, &r, NULL))
        g_error ("cannot polygonise");
      if (frame > 0)
        seconds[with][frame - 1] = get_processor_time () - start;
      n_samples[with] = r.n_samples;
      n_cubes = r.cubes;
      n_triangles = kg_geometry_get_n_primitives (r.mesh);
      kg_geometry_unref (r.mesh);
    }
  for (int with = 0; with < 2; with++) {
    qsort (seconds[with], N_FRAMES - 1, sizeof **seconds, compare_doubles);
    g_print ("film-%.4g-%s\t%zu\t%zu\t%zu\t%.6f\n", cell, with ? "memos" : "alone", n_samples[with], n_cubes,
             n_triangles, seconds[with][(N_FRAMES - 1) / 2]);
  }
}

/* How far middles of triangles and of their sides are from the surface: the root of the mean square, in metres. */
static double
get_error (const KgField *field, const KgGeometry *mesh)
{
  const size_t n = kg_geometry_get_n_primitives (mesh);
  g_autofree float *places = g_new (float, 4 * 3 * n), *values = g_new (float, 4 * n), *slopes = g_new (float, 12 * n);
  const float *p = kg_geometry_get_positions (mesh);
  double sum = 0;
  size_t counted = 0;

  for (size_t i = 0; i < n; i++) {
    KgPrimitive t;

    kg_geometry_get_primitive (mesh, i, &t);
    for (size_t c = 0; c < 3; c++) {
      const float a = p[3 * t.vertices[0] + c], b = p[3 * t.vertices[1] + c], d = p[3 * t.vertices[2] + c];
      const float middles[] = { (a + b + d) / 3, (a + b) / 2, (b + d) / 2, (d + a) / 2 };

      for (size_t k = 0; k < 4; k++)
        places[3 * (4 * i + k) + c] = middles[k];
    }
  }
  kg_field_sample_gradients (field, places, 4 * n, 0, 1e-4, values, slopes);
  for (size_t i = 0; i < 4 * n; i++) {
    const double slope = hypot (hypot ((double) slopes[3 * i], (double) slopes[3 * i + 1]), (double) slopes[3 * i + 2]);

    /* Where keys hardly touch there is no saying how far the surface is. */
    if (slope > 0.1) {
      const double distance = ((double) values[i] - 0.5) / slope;

      sum += distance * distance;
      counted++;
    }
  }
  return sqrt (sum / (double) MAX (counted, 1));
}

/* The full grid, and the adaptive octree of the same smallest cell whose error is as large: a line for each, with the error. */
static void
measure_error (double cell)
{
  g_autoptr (KgField) field = make_field (60, 0);
  PolygonizeOptions options = { .cell = cell,
                                .level = 0.5,
                                .limit = 400000000,
                                .method = POLYGONIZE_FULL,
                                .exact = true,
                                .triangles = true,
                                .normals = true,
                                .levels = 4,
                                .max_angle = G_PI,
                                .graded = true };
  double wanted = 0, low = 0, high = cell, error = 0, seconds = 0;

  kg_field_get_bounds (field, &options.low, &options.high);
  for (int step = 0; step < 12; step++) {
    double start;
    PolygonizeResult r;

    options.max_error = 0.5 * (low + high);
    start = get_processor_time ();
    if (!polygonize (field, &options, NULL, &r, NULL))
      g_error ("cannot polygonise");
    seconds = get_processor_time () - start;
    error = get_error (field, r.mesh);
    if (step == 0)
      wanted = error;
    else
      *(error > wanted ? &high : &low) = options.max_error;
    if (step == 0 || step == 11)
      g_print ("error-%.4g-%s\t%zu\t%zu\t%zu\t%.6f\t%.6f m\n", cell, step == 0 ? "full" : "adaptive", r.n_samples,
               r.cubes, kg_geometry_get_n_primitives (r.mesh), seconds, error);
    options.method = POLYGONIZE_ADAPTIVE;
    options.cell = cell / 2;
    kg_geometry_unref (r.mesh);
  }
}

/* n keys from one place to another. */
static size_t
lay_keys (float *p, float *size, size_t at, size_t n, KgVector from, KgVector to, double radius)
{
  for (size_t i = 0; i < n; i++) {
    const KgVector place = kg_vector_lerp (from, to, n > 1 ? (double) i / (double) (n - 1) : 0);

    for (size_t c = 0; c < 3; c++) {
      p[3 * (at + i) + c] = (float) kg_vector_get (place, c);
      size[3 * (at + i) + c] = (float) radius;
    }
  }
  return at + n;
}

/* A figure of 40 keys, 1.8 m tall, walks for two seconds: the time of a frame, of all threads and by the clock. */
static void
measure_walk (double cell)
{
  enum { N_KEYS = 40, N_FRAMES = 48 };
  double least = INFINITY, clock = INFINITY;
  size_t n_cubes = 0, n_triangles = 0, n_samples = 0;

  for (int run = 0; run < RUNS; run++) {
    const double start = get_processor_time ();
    const gint64 begin = g_get_monotonic_time ();

    for (int frame = 0; frame < N_FRAMES; frame++) {
      const SoftOptions soft = { .density = { .level = 0.5, .blobbiness = 2, .cutoff = 1e-4 }, .power = 4 };
      const double phase = 2 * G_PI * frame / 24;
      g_autoptr (KgGeometry) geometry = kg_geometry_new ();
      const KgGeometry *const geometries[] = { geometry };
      g_autoptr (SoftKeys) keys = NULL;
      g_autoptr (KgField) field = NULL;
      PolygonizeOptions options = {
        .cell = cell, .level = 0.5, .limit = 400000000, .triangles = true, .normals = true
      };
      const KgVector hips = kg_vector (0, 0.95, 0), neck = kg_vector (0, 1.5, 0);
      PolygonizeResult r;
      size_t n = 0;
      float *p, *size;

      kg_geometry_set_n_points (geometry, N_KEYS, NULL);
      p = kg_geometry_edit_positions (geometry);
      size = kg_geometry_edit_float (geometry, KG_POINTS, "size", 3);
      n = lay_keys (p, size, n, 6, hips, neck, 0.14);
      n = lay_keys (p, size, n, 2, kg_vector (0, 1.65, 0), kg_vector (0.03, 1.72, 0), 0.11);
      for (int side = -1; side <= 1; side += 2) {
        const double swing = 0.5 * side * sin (phase), bend = 0.4 * (1 + side * cos (phase));
        const KgVector hip = kg_vector (0, 0.9, 0.1 * side), shoulder = kg_vector (0, 1.45, 0.2 * side);
        const KgVector knee = kg_vector_add (hip, kg_vector (0.42 * sin (swing), -0.42 * cos (swing), 0));
        const KgVector foot =
            kg_vector_add (knee, kg_vector (0.42 * sin (swing - bend), -0.42 * cos (swing - bend), 0));
        const KgVector elbow = kg_vector_add (shoulder, kg_vector (-0.3 * sin (swing), -0.3 * cos (swing), 0));

        n = lay_keys (p, size, n, 5, hip, knee, 0.08);
        n = lay_keys (p, size, n, 5, knee, foot, 0.06);
        n = lay_keys (p, size, n, 3, shoulder, elbow, 0.06);
        n = lay_keys (p, size, n, 3, elbow, kg_vector_add (elbow, kg_vector (0.15, -0.22, 0)), 0.05);
      }
      g_assert (n == N_KEYS);
      keys = soft_keys_new (geometries, 1, &soft, NULL, NULL);
      field = soft_keys_make_field (keys, NULL);
      kg_field_get_bounds (field, &options.low, &options.high);
      if (!polygonize (field, &options, NULL, &r, NULL))
        g_error ("cannot polygonise");
      n_samples = r.n_samples;
      n_cubes = r.cubes;
      n_triangles = kg_geometry_get_n_primitives (r.mesh);
      kg_geometry_unref (r.mesh);
    }
    least = MIN (least, (get_processor_time () - start) / N_FRAMES);
    clock = MIN (clock, (double) (g_get_monotonic_time () - begin) * 1e-6 / N_FRAMES);
  }
  g_print ("walk-%.4g\t%zu\t%zu\t%zu\t%.6f\t%.0f frames a second\n", cell, n_samples, n_cubes, n_triangles, least,
           1 / clock);
}

/* An argument: only what has a name that begins with it. */
int
main (int argc, char *argv[])
{
  const char *prefix = argc > 1 ? argv[1] : "";
  static const char *const methods[] = { "walk", "full", "octree", "adaptive" };
  static const struct {
    guint n_keys;
    double triangles;
  } cases[] = { { 60, 15500 }, { 60, 62000 }, { 60, 248000 }, { 5000, 1000000 } };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (KgField) field = make_field (cases[i].n_keys, 0);
    g_autofree char *first = g_strdup_printf ("%u-keys-", cases[i].n_keys);
    double area, cell;

    if (!g_str_has_prefix (prefix, first) && !g_str_has_prefix (first, prefix))
      continue;
    measure (NULL, field, 0.06, POLYGONIZE_WALK, &area);
    cell = sqrt (DENSITY_OF_TRIANGLES * area / cases[i].triangles);
    for (int m = 0; m < POLYGONIZE_N_METHODS; m++) {
      g_autofree char *name = g_strdup_printf ("%u-keys-%.4g-%s", cases[i].n_keys, cell, methods[m]);

      /* Of the cells of its box, tens of millions are empty. */
      if (g_str_has_prefix (name, prefix) && (m != POLYGONIZE_FULL || cases[i].n_keys == 60))
        measure (name, field, cell, (PolygonizeMethod) m, NULL);
    }
  }
  if (g_str_has_prefix ("film", prefix))
    measure_film (0.0374);
  if (g_str_has_prefix ("error", prefix))
    measure_error (0.0374);
  for (int i = 0; g_str_has_prefix ("walk", prefix) && i < 3; i++)
    measure_walk (0.01 * (1 << i));
  return 0;
}
