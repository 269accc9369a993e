/* bench/polygons: soft objects to triangles; prints one line for each way and size: name, places where the field is looked at,
 * cells of the surface, triangles, seconds of all processors (least of the runs).
 * Not a test: nothing here passes or fails.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-random.h"
#include "soft/polygonize.h"
#include "soft/soft_keys.h"

#include "kg-hash.h"

#include <time.h>

#define RUNS 2
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

int
main (void)
{
  static const char *const methods[] = { "walk", "full", "octree", "adaptive" };
  static const struct {
    guint n_keys;
    double triangles;
  } cases[] = { { 60, 15500 }, { 60, 62000 }, { 60, 248000 }, { 5000, 1000000 } };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (KgField) field = make_field (cases[i].n_keys, 0);
    double area, cell;

    measure (NULL, field, 0.06, POLYGONIZE_WALK, &area);
    cell = sqrt (DENSITY_OF_TRIANGLES * area / cases[i].triangles);
    for (int m = 0; m < POLYGONIZE_N_METHODS; m++) {
      g_autofree char *name = g_strdup_printf ("%u-keys-%.4g-%s", cases[i].n_keys, cell, methods[m]);

      /* Of the cells of its box, tens of millions are empty. */
      if (m != POLYGONIZE_FULL || cases[i].n_keys == 60)
        measure (name, field, cell, (PolygonizeMethod) m, NULL);
    }
  }
  measure_film (0.0374);
  return 0;
}
