/* filters: what the programs that time filters of images have in common, so that all do the same with the same numbers: float
 * RGBA in memory, and a result in memory.
 *
 * Arguments: the size (1920x1080), and names of rows if not all are wanted.  Prints a line for each: name, seconds (the least of
 * the runs).  With KG_FILTERS_FOLDER the results are left there by the first program, and compared with by all later ones: a third
 * column is the root mean square of the differences over the standard deviation of the result.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "times.h"

#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
  const char *name;
  void (*run) (double size);
  double size;
  bool slow; /* not of images that are larger than 1920×1080, if it is not named */
} FilterRow;

/* The result of a row, its colours multiplied by alpha. */
typedef struct {
  float *pixels; /* (owned) */
  int width, height;
} FilterResult;

static int width = 1920, height = 1080;
/* Two images.  Colours of the straight one times its alpha are those of the original. */
static float *original, *straight, *above;

/* Uniform about a half: sharp filters overshoot, and neither light below 0 nor alpha above 1 is the same work for all. */
static inline float
filters_make_noise (uint64_t i)
{
  i = (i + 1) * 0x9e3779b97f4a7c15U;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9U;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebU;
  return 0.35f + 0.3f * (float) ((i ^ (i >> 31)) >> 40) * 0x1p-24f;
}

static inline size_t
filters_count (void)
{
  return 4 * (size_t) width * (size_t) height;
}

static inline void
filters_multiply (const float *from, float *to, size_t n)
{
  for (size_t i = 0; i < n; i += 4) {
    for (size_t c = 0; c < 3; c++)
      to[i + c] = from[i + c] * from[i + 3];
    to[i + 3] = from[i + 3];
  }
}

/* Noise of the size of the first argument.  The library's memory is kept from run to run: what the system needs for new pages is
 * the same for all. */
static inline void
filters_begin (int argc, char **argv)
{
  if (argc > 1 && (sscanf (argv[1], "%dx%d", &width, &height) != 2 || width < 1 || height < 1)) {
    g_printerr ("%s [WIDTHxHEIGHT [ROW ...]]\n", argv[0]);
    exit (2);
  }
  mallopt (M_MMAP_THRESHOLD, 1 << 30);
  mallopt (M_TRIM_THRESHOLD, INT32_MAX);
  original = g_new (float, filters_count ());
  straight = g_new (float, filters_count ());
  above = g_new (float, filters_count ());
  for (size_t i = 0; i < filters_count (); i++) {
    straight[i] = filters_make_noise (i);
    original[i] = filters_make_noise (filters_count () + i);
  }
  filters_multiply (original, above, filters_count ());
  filters_multiply (straight, original, filters_count ());
}

static inline void
filters_end (void)
{
  g_free (original);
  g_free (straight);
  g_free (above);
}

static inline bool
filters_is_wanted (const FilterRow *row, int argc, char **argv)
{
  for (int i = 2; i < argc; i++)
    if (g_str_equal (row->name, argv[i]))
      return true;
  return argc <= 2 && !(row->slow && (size_t) width * (size_t) height > 1920 * 1080);
}

/* How far the result is from that of the first program, without what lies near the edges, beyond which they see what they like;
 * NAN if it is of another size. */
static inline double
filters_compare (const FilterResult *result, const float *first, size_t n)
{
  enum { MARGIN = 32 };
  double sum = 0, squares = 0, differences = 0, count = 0;

  if (n != 4 * (size_t) result->width * (size_t) result->height)
    return NAN;
  for (int y = MARGIN; y < result->height - MARGIN; y++)
    for (size_t i = 4 * ((size_t) y * (size_t) result->width + MARGIN);
         i < 4 * ((size_t) (y + 1) * (size_t) result->width - MARGIN); i++) {
      const double value = (double) first[i], difference = (double) result->pixels[i] - value;

      sum += value;
      squares += value * value;
      differences += difference * difference;
      count++;
    }
  return sqrt (differences / (squares - sum * sum / count));
}

/* Compares a result, or leaves it if it is the first. */
static inline void
filters_report (const char *name, double seconds, FilterResult result)
{
  const char *folder = g_getenv ("KG_FILTERS_FOLDER");
  g_autofree char *path = folder == NULL ? NULL : g_build_filename (folder, name, NULL);
  g_autoptr (GMappedFile) first = folder == NULL ? NULL : g_mapped_file_new (path, FALSE, NULL);

  g_print ("%s\t%.9f", name, seconds);
  if (first != NULL) {
    g_print ("\t%.3g", filters_compare (&result, (const float *) (const void *) g_mapped_file_get_contents (first),
                                        g_mapped_file_get_length (first) / sizeof (float)));
  } else if (folder != NULL) {
    g_autoptr (GError) error = NULL;

    if (!g_file_set_contents (path, (const char *) result.pixels,
                              (gssize) (4 * sizeof (float) * (size_t) result.width * (size_t) result.height), &error))
      g_error ("%s", error->message);
  }
  g_print ("\n");
  fflush (stdout);
  g_free (result.pixels);
}

/* before (nullable) and fetch are not timed.  What takes seconds is not repeated as often. */
static inline void
filters_run (const FilterRow *rows, size_t n, int argc, char **argv, void (*before) (void),
             FilterResult (*fetch) (void))
{
  enum { RUNS = 5 };

  for (size_t r = 0; r < n; r++) {
    double least = INFINITY, all = 0;

    if (!filters_is_wanted (&rows[r], argc, argv))
      continue;
    for (int runs = 0; runs < RUNS && all < 4; runs++) {
      if (before != NULL)
        before ();
      const double start = now ();

      rows[r].run (rows[r].size);
      const double seconds = now () - start;

      least = fmin (least, seconds);
      all += seconds;
    }
    filters_report (rows[r].name, least, fetch ());
  }
}
