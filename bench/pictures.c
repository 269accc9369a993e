/* pictures: times operations on images, one thread, processor time of the fastest of several runs, beside copying the same
 * memory.  Not a test: nothing here passes or fails.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/grade.h"
#include "image/keyer.h"
#include "image/matte_tools.h"
#include "image/merge.h"

#include <omp.h>
#include <stdio.h>
#include <time.h>

#define RUNS 5

static double
get_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

typedef struct {
  KgImage *image, *other, *spare;
  float *matte;
  MergeOperator op;
  Grade grade;
  Keyer keyer;
} Bench;

typedef void (*Run) (Bench *bench);

static const ImageWear wear = { .mix = 1 };

static void
run_copy (Bench *bench)
{
  memcpy (kg_image_edit_pixels (bench->spare), kg_image_get_pixels (bench->image),
          16 * (size_t) kg_image_get_width (bench->image) * (size_t) kg_image_get_height (bench->image));
}

static void
run_merge (Bench *bench)
{
  const Merge merge = { .op = bench->op, .opacity = 1 };
  const ImageSource source = image_source (bench->other, bench->image, 0, 0);

  merge_combine (&bench->image, &source, 1, &wear, &merge, NULL);
}

static void
run_grade (Bench *bench)
{
  image_apply (&bench->image, &wear, grade_block, &bench->grade, NULL);
}

/* Ten in a row, as a rendering of ten nodes calls them: later: each but the last leaves its work to the next. */
static void
run_row (Bench *bench, bool later)
{
  for (int i = 0; i < 10; i++)
    image_apply_later (&bench->image, &wear, grade_block, &bench->grade, sizeof bench->grade, later && i < 9, NULL);
}

static void
run_ten (Bench *bench)
{
  run_row (bench, false);
}

static void
run_pass (Bench *bench)
{
  run_row (bench, true);
}

static void
run_key (Bench *bench)
{
  const ImageSource source = image_source (bench->other, bench->image, 0, 0);
  const ImageSource others[] = { source, source, source };

  image_combine (&bench->image, others, 3, &wear, keyer_block, &bench->keyer, NULL);
}

static void
run_erode (Bench *bench)
{
  matte_spread (bench->matte, kg_image_get_width (bench->image), kg_image_get_height (bench->image), -5, false, NULL);
}

static void
run_blur (Bench *bench)
{
  matte_blur (bench->matte, kg_image_get_width (bench->image), kg_image_get_height (bench->image), 10, true, NULL);
}

/* planes: floats that one run reads and writes for each pixel. */
static void
report (const char *name, Bench *bench, Run run, double planes)
{
  const double n = (double) kg_image_get_width (bench->image) * (double) kg_image_get_height (bench->image);
  double best = INFINITY;

  for (int i = 0; i < RUNS; i++) {
    const double start = get_time ();

    run (bench);
    best = fmin (best, get_time () - start);
  }
  printf ("%-24s %5d x %-5d %8.2f ms %6.2f GB/s\n", name, kg_image_get_width (bench->image),
          kg_image_get_height (bench->image), 1e3 * best, 4 * planes * n / best / 1e9);
  fflush (stdout);
}

int
main (void)
{
  static const int sizes[][2] = { { 1920, 1080 }, { 3840, 2160 }, { 7680, 4320 } };
  const KgColor zero = { 0, 0, 0, 1 }, one = { 1, 1, 1, 1 }, gamma = { 1.2, 1.1, 0.9, 1 }, gain = { 1.1, 1, 0.9, 1 };

  omp_set_num_threads (1);
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    const size_t n = (size_t) sizes[s][0] * (size_t) sizes[s][1];
    Bench bench = { .image = kg_image_new (sizes[s][0], sizes[s][1], false, NULL),
                    .other = kg_image_new (sizes[s][0], sizes[s][1], false, NULL),
                    .spare = kg_image_new (sizes[s][0], sizes[s][1], false, NULL),
                    .matte = g_new0 (float, n),
                    .keyer = { .screen = { 0, 1, 0 }, .white = 1, .despill = 1, .subtract_screen = true } };

    float *const p = kg_image_edit_pixels (bench.image), *const q = kg_image_edit_pixels (bench.other);

    for (size_t i = 0; i < 4 * n; i++) {
      p[i] = i % 4 == 3 ? 1 : 0.5f;
      q[i] = 0.25f;
    }
    report ("copy", &bench, run_copy, 8);
    bench.op = MERGE_OVER;
    report ("merge: over", &bench, run_merge, 12);
    bench.op = MERGE_MULTIPLY;
    report ("merge: multiply", &bench, run_merge, 12);
    bench.op = MERGE_SOFT_LIGHT;
    report ("merge: soft light", &bench, run_merge, 12);
    bench.op = MERGE_HUE;
    report ("merge: hue", &bench, run_merge, 12);
    grade_set (&bench.grade, zero, one, zero, gain, one, zero, one, NULL);
    report ("grade: gain", &bench, run_grade, 8);
    report ("ten grades", &bench, run_ten, 8);
    report ("ten grades in one pass", &bench, run_pass, 8);
    grade_set (&bench.grade, zero, one, zero, gain, one, zero, gamma, NULL);
    report ("grade: gain and gamma", &bench, run_grade, 8);
    report ("keyer", &bench, run_key, 8);
    report ("erode, 5 pixels", &bench, run_erode, 2);
    report ("matte blur, 10 pixels", &bench, run_blur, 2);
    kg_image_unref (bench.image);
    kg_image_unref (bench.other);
    kg_image_unref (bench.spare);
    g_free (bench.matte);
  }
  return 0;
}
