/* track: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/track.h"

#include "kg-math.h"
#include "value/least_squares.h"

#define MAX_STEPS 30
/* Pixels that a place may still move and count as found. */
#define CLOSE 1e-4
/* Places of whole pixels that are looked at more closely, how much worse than the best one they may be there, and how much
 * better a farther place must be in the end: a pattern that repeats matches at many, by chance better at one that happens
 * to lie on whole pixels. */
#define MAX_PLACES 8
#define WORSE 0.1
#define BETTER 1e-3
/* Squared deviation of a pixel that is still flat. */
#define FLAT 1e-4

void
track_read_pattern (const Brightness *frame, double x, double y, int radius, float *pattern)
{
  for (int j = -radius; j <= radius; j++)
    for (int i = -radius; i <= radius; i++)
      *pattern++ = (float) brightness_sample_cubic (frame, x - 0.5 + i, y - 0.5 + j, NULL);
}

double
track_get_texture (const float *pattern, int radius)
{
  const int n = 2 * radius + 1;
  double xx = 0, xy = 0, yy = 0;

  for (int j = 1; j < n - 1; j++)
    for (int i = 1; i < n - 1; i++) {
      const double gx = 0.5 * (double) (pattern[j * n + i + 1] - pattern[j * n + i - 1]);
      const double gy = 0.5 * (double) (pattern[(j + 1) * n + i] - pattern[(j - 1) * n + i]);

      xx += gx * gx;
      xy += gx * gy;
      yy += gy * gy;
    }
  return sqrt (fmax (0.5 * (xx + yy) - hypot (0.5 * (xx - yy), xy), 0) / fmax ((n - 2.0) * (n - 2.0), 1));
}

/* Mean and length of the deviations from it. */
static void
measure (const float *a, size_t n, double *mean, double *norm)
{
  double sum = 0, square = 0;

  for (size_t i = 0; i < n; i++)
    sum += (double) a[i];
  *mean = sum / (double) n;
  for (size_t i = 0; i < n; i++)
    square += ((double) a[i] - *mean) * ((double) a[i] - *mean);
  *norm = sqrt (square);
}

static double
correlate (const float *a, const float *b, size_t n)
{
  double mean[2], norm[2], sum = 0;

  measure (a, n, &mean[0], &norm[0]);
  measure (b, n, &mean[1], &norm[1]);
  if (norm[0] * norm[0] < FLAT * (double) n || norm[1] * norm[1] < FLAT * (double) n)
    return 0;
  for (size_t i = 0; i < n; i++)
    sum += ((double) a[i] - mean[0]) * ((double) b[i] - mean[1]);
  return sum / (norm[0] * norm[1]);
}

/* Whether no neighbour has a higher score. */
static bool
is_summit (const double *scores, int side, int k)
{
  for (int j = MAX (k / side - 1, 0); j <= MIN (k / side + 1, side - 1); j++)
    for (int i = MAX (k % side - 1, 0); i <= MIN (k % side + 1, side - 1); i++)
      if (scores[j * side + i] > scores[k])
        return false;
  return true;
}

/* Squared distance from the middle of the window. */
static int
find_distance (int side, int k)
{
  const int dx = k % side - side / 2, dy = k / side - side / 2;

  return dx * dx + dy * dy;
}

/* The summits that are almost as high as the highest one, the nearest first. */
static guint
find_places (const double *scores, int side, int places[MAX_PLACES])
{
  double best = scores[0];
  guint n = 0;

  for (int k = 1; k < side * side; k++)
    best = fmax (best, scores[k]);
  for (int k = 0; k < side * side; k++) {
    guint at = n;

    if (scores[k] < best - WORSE || !is_summit (scores, side, k))
      continue;
    while (at > 0 && find_distance (side, k) < find_distance (side, places[at - 1]))
      at--;
    if (at == MAX_PLACES)
      continue;
    n = MIN (n + 1, MAX_PLACES);
    memmove (places + at + 1, places + at, (n - at - 1) * sizeof *places);
    places[at] = k;
  }
  return n;
}

/* Whole pixels around the start where the pattern may be, the nearest first. */
static bool
search_window (const Brightness *frame, const float *pattern, int radius, int search, const TrackMatch *start,
               TrackMatch matches[MAX_PLACES], guint *n_matches, const KgProgressMonitor *monitor)
{
  const int side = 2 * search + 1, n = 2 * radius + 1;
  g_autofree double *scores = g_new (double, (size_t) side *(size_t) side);
  /* All windows lie at the same part of a pixel: the samples are shared. */
  const int wide = side + 2 * radius;
  g_autofree float *around = g_new (float, (size_t) wide *(size_t) wide);
  int places[MAX_PLACES];

#pragma omp parallel for schedule(dynamic, 4)
  for (int j = 0; j < wide; j++)
    for (int i = 0; i < wide && !kg_progress_is_cancelled (monitor); i++)
      around[(size_t) j * (size_t) wide + (size_t) i] =
          brightness_sample (frame, (float) (start->x - 0.5) + (float) (i - search - radius),
                             (float) (start->y - 0.5) + (float) (j - search - radius));
#pragma omp parallel for schedule(dynamic, 1)
  for (int j = 0; j < side; j++) {
    g_autofree float *window = g_new (float, (size_t) n *(size_t) n);

    for (int i = 0; i < side && !kg_progress_is_cancelled (monitor); i++) {
      for (int k = 0; k < n; k++)
        memcpy (window + k * n, around + (size_t) (j + k) * (size_t) wide + (size_t) i, (size_t) n * sizeof *window);
      scores[j * side + i] = correlate (pattern, window, (size_t) n * (size_t) n);
    }
  }
  if (kg_progress_is_cancelled (monitor))
    return false;
  *n_matches = find_places (scores, side, places);
  for (guint k = 0; k < *n_matches; k++)
    matches[k] = (TrackMatch){ .x = start->x + (places[k] % side - search),
                               .y = start->y + (places[k] / side - search),
                               .score = scores[places[k]] };
  return true;
}

/* Gauss-Newton on |I (x + d) normalised - pattern normalised|². */
static void
refine (const Brightness *frame, const float *pattern, int radius, TrackMatch *match)
{
  const int n = 2 * radius + 1;
  const size_t size = (size_t) n * (size_t) n;
  g_autofree float *window = g_new (float, size);
  g_autofree double *gradients = g_new (double, 2 * size);
  const TrackMatch start = *match;
  double mean, norm, pattern_mean, pattern_norm;

  measure (pattern, size, &pattern_mean, &pattern_norm);
  for (int step = 0; step < MAX_STEPS && pattern_norm > 0; step++) {
    double a[4] = { 0 }, b[2] = { 0 }, slope[2] = { 0 };

    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const size_t at = (size_t) j * (size_t) n + (size_t) i;

        window[at] = (float) brightness_sample_cubic (frame, match->x - 0.5 + i - radius, match->y - 0.5 + j - radius,
                                                      gradients + 2 * at);
        slope[0] += gradients[2 * at];
        slope[1] += gradients[2 * at + 1];
      }
    measure (window, size, &mean, &norm);
    if (norm * norm < FLAT * (double) size)
      break;
    for (size_t i = 0; i < size; i++) {
      const double g[2] = { (gradients[2 * i] - slope[0] / (double) size) / norm,
                            (gradients[2 * i + 1] - slope[1] / (double) size) / norm };
      const double r = ((double) pattern[i] - pattern_mean) / pattern_norm - ((double) window[i] - mean) / norm;

      a[0] += g[0] * g[0];
      a[2] += g[0] * g[1];
      a[3] += g[1] * g[1];
      b[0] += g[0] * r;
      b[1] += g[1] * r;
    }
    /* Along an edge any place is as good as another: it stays where it is. */
    a[0] += 1e-9 + 1e-4 * a[3];
    a[3] += 1e-9 + 1e-4 * a[0];
    a[1] = a[2];
    if (!least_squares_cholesky (a, 2, b))
      break;
    match->x += b[0];
    match->y += b[1];
    if (hypot (match->x - start.x, match->y - start.y) > 2) {
      *match = start;
      break;
    }
    if (hypot (b[0], b[1]) < CLOSE)
      break;
  }
  track_read_pattern (frame, match->x, match->y, radius, window);
  match->score = correlate (pattern, window, size);
  if (match->score < start.score)
    *match = start;
}

bool
track_find_point (const Brightness *frame, const float *pattern, int radius, int search, TrackMatch *match,
                  const KgProgressMonitor *monitor)
{
  TrackMatch matches[MAX_PLACES];
  guint n;

  if (!search_window (frame, pattern, radius, search, match, matches, &n, monitor))
    return false;
  match->score = -1;
  for (guint k = 0; k < n; k++) {
    refine (frame, pattern, radius, &matches[k]);
    if (matches[k].score > match->score + BETTER)
      *match = matches[k];
  }
  /* What can be seen of a pattern beyond the edge is only the edge, repeated. */
  if (match->x < 0 || match->y < 0 || match->x > frame->width || match->y > frame->height)
    match->score = 0;
  return true;
}

static void
read_plane (const Brightness *frame, double scale, const PlaneMap *map, int size, float *pattern)
{
  for (int j = 0; j < size; j++)
    for (int i = 0; i < size; i++, pattern++) {
      const double p[2] = { (i + 0.5) / size, (j + 0.5) / size };
      double q[2];

      *pattern = plane_map_apply (map, p, q) && fabs (q[0]) < 1e8 && fabs (q[1]) < 1e8
                     ? brightness_sample (frame, (float) (q[0] * scale - 0.5), (float) (q[1] * scale - 0.5))
                     : 0;
    }
}

/* How many pixels a number of the pattern stands for. */
static double
find_pitch (const PlaneMap *map, int size)
{
  static const double corners[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
  double q[4][2], around = 0;

  for (int k = 0; k < 4; k++)
    if (!plane_map_apply (map, corners[k], q[k]))
      return 1;
  for (int k = 0; k < 4; k++)
    around += hypot (q[(k + 1) % 4][0] - q[k][0], q[(k + 1) % 4][1] - q[k][1]);
  return around / 4 / size;
}

/* The frame, halved until a pixel is as large as a number of the pattern.  *scale: of its coordinates. */
static Brightness
find_level (const Brightness *frame, const PlaneMap *map, int size, double *scale)
{
  double pitch = find_pitch (map, size);
  Brightness level = { .width = frame->width,
                       .height = frame->height,
                       .a = g_memdup2 (frame->a, (size_t) frame->width * (size_t) frame->height * sizeof *frame->a) };

  for (*scale = 1; pitch > 1.5 && MIN (level.width, level.height) > 8; pitch *= 0.5, *scale *= 0.5) {
    Brightness half = brightness_halve (&level);

    brightness_clear (&level);
    level = half;
  }
  return level;
}

void
track_read_plane (const Brightness *frame, const PlaneMap *map, float *pattern)
{
  double scale;
  g_auto (Brightness) level = find_level (frame, map, TRACK_PLANE_SIZE, &scale);

  read_plane (&level, scale, map, TRACK_PLANE_SIZE, pattern);
}

/* Rows of the eight derivatives of the pattern's numbers by the map, at the identity. */
static void
find_derivatives (const float *pattern, int size, double *rows)
{
  for (int j = 0; j < size; j++)
    for (int i = 0; i < size; i++, rows += 8) {
      const double u = (i + 0.5) / size, v = (j + 0.5) / size;
      const int l = MAX (i - 1, 0), r = MIN (i + 1, size - 1), t = MAX (j - 1, 0), b = MIN (j + 1, size - 1);
      const double gx = (double) (pattern[j * size + r] - pattern[j * size + l]) * size / (r - l);
      const double gy = (double) (pattern[b * size + i] - pattern[t * size + i]) * size / (b - t);
      const double radial = gx * u + gy * v;
      const double row[8] = { gx * u, gx * v, gx, gy * u, gy * v, gy, -radial * u, -radial * v };

      memcpy (rows, row, sizeof row);
    }
}

/* One size of the pattern.  False where there is nothing to hold on to. */
static bool
align (const Brightness *level, double scale, const float *pattern, int size, PlaneMap *map, int iterations,
       const KgProgressMonitor *monitor)
{
  const size_t n = (size_t) size * (size_t) size;
  g_autofree double *rows = g_new (double, 8 * n);
  g_autofree float *window = g_new (float, n);
  double normal[64] = { 0 }, mean, norm;

  find_derivatives (pattern, size, rows);
  measure (pattern, n, &mean, &norm);
  /* Light is free: derivatives without their mean. */
  for (int k = 0; k < 8; k++) {
    double sum = 0;

    for (size_t i = 0; i < n; i++)
      sum += rows[8 * i + (size_t) k];
    for (size_t i = 0; i < n; i++)
      rows[8 * i + (size_t) k] -= sum / (double) n;
  }
  for (size_t i = 0; i < n; i++)
    for (int a = 0; a < 8; a++)
      for (int b = 0; b <= a; b++)
        normal[8 * a + b] += rows[8 * i + (size_t) a] * rows[8 * i + (size_t) b];
  for (int step = 0; step < iterations && !kg_progress_is_cancelled (monitor); step++) {
    double system[64], d[8] = { 0 }, there_mean, there_norm, most = 0;
    PlaneMap change, inverse;

    read_plane (level, scale, map, size, window);
    measure (window, n, &there_mean, &there_norm);
    if (there_norm * there_norm < FLAT * (double) n)
      return false;
    for (size_t i = 0; i < n; i++) {
      const double e = ((double) window[i] - there_mean) * norm / there_norm - ((double) pattern[i] - mean);

      for (int k = 0; k < 8; k++)
        d[k] += rows[8 * i + (size_t) k] * e;
    }
    memcpy (system, normal, sizeof system);
    for (int a = 0; a < 8; a++) {
      system[9 * a] = system[9 * a] * (1 + 1e-6) + 1e-9;
      for (int b = 0; b < a; b++)
        system[8 * b + a] = system[8 * a + b];
    }
    if (!least_squares_cholesky (system, 8, d))
      return false;
    for (int k = 0; k < 8; k++)
      most = fmax (most, fabs (d[k]));
    change = (PlaneMap){ { { 1 + d[0], d[1], d[2] }, { d[3], 1 + d[4], d[5] }, { d[6], d[7], 1 } } };
    if (most > 0.5 || !plane_map_invert (&change, &inverse))
      return false;
    *map = plane_map_multiply (map, &inverse);
    for (int k = 0; k < 9 && map->m[2][2] != 0; k++)
      if (k < 8)
        (&map->m[0][0])[k] /= map->m[2][2];
    map->m[2][2] = 1;
    if (most < 1e-7)
      break;
  }
  return true;
}

double
track_find_plane (const Brightness *frame, const float *pattern, PlaneMap *map, int iterations,
                  const KgProgressMonitor *monitor)
{
  float smaller[2][TRACK_PLANE_SIZE * TRACK_PLANE_SIZE / 4];
  const float *sizes[3] = { smaller[1], smaller[0], pattern };
  g_autofree float *window = g_new (float, TRACK_PLANE_SIZE *TRACK_PLANE_SIZE);
  const PlaneMap start = *map;
  PlaneMap before = *map;
  double was, is;

  for (int k = 0; k < 2; k++) {
    const int to = TRACK_PLANE_SIZE >> (k + 1);
    const float *large = k == 0 ? pattern : smaller[k - 1];

    for (int j = 0; j < to; j++)
      for (int i = 0; i < to; i++)
        smaller[k][j * to + i] = 0.25f * (large[4 * j * to + 2 * i] + large[4 * j * to + 2 * i + 1] +
                                          large[(4 * j + 2) * to + 2 * i] + large[(4 * j + 2) * to + 2 * i + 1]);
  }
  for (int k = 0; k < 3; k++) {
    const int size = TRACK_PLANE_SIZE >> (2 - k);
    double scale;
    g_auto (Brightness) level = find_level (frame, map, size, &scale);

    before = *map;
    if (!align (&level, scale, sizes[k], size, map, iterations, monitor))
      *map = before;
  }
  track_read_plane (frame, map, window);
  is = correlate (pattern, window, TRACK_PLANE_SIZE * TRACK_PLANE_SIZE);
  track_read_plane (frame, &start, window);
  was = correlate (pattern, window, TRACK_PLANE_SIZE * TRACK_PLANE_SIZE);
  if (was > is)
    *map = start;
  return fmax (was, is);
}
