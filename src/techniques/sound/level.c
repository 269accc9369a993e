/* level: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "level.h"

#include <math.h>

/* Samples between two checks for cancelling. */
#define BLOCK ((size_t) 1 << 18)
#define MAX_LEVELS 10000000
/* Samples that are measured together where the window is longer. */
#define LEVEL_BLOCK ((size_t) 1024)
/* After so many times the release, a level is e^-14, less than one part in a million. */
#define N_RELEASES 14

/* Of the two sections of a Butterworth filter of the fourth order: 1 / (2 cos (π/8)), 1 / (2 cos (3π/8)). */
static const double qualities[] = { 0.54119610014619698, 1.3065629648763766 };

typedef struct {
  double b[3], a[2];
} Section;

static Section
make_section (double frequency, double rate, double quality, bool high_pass)
{
  const double w = 2 * G_PI * frequency / rate, c = cos (w), alpha = sin (w) / (2 * quality), a0 = 1 + alpha;
  const double b1 = high_pass ? -(1 + c) : 1 - c, b0 = fabs (b1) / 2;

  return (Section){ { b0 / a0, b1 / a0, b0 / a0 }, { -2 * c / a0, (1 - alpha) / a0 } };
}

/* In place, one channel of several, from the silence before it on. */
static bool
run_section (const Section *s, float *samples, size_t n, size_t stride, const KgProgressMonitor *monitor)
{
  double x1 = 0, x2 = 0, y1 = 0, y2 = 0;

  for (size_t i = 0; i < n; i++) {
    const double x = (double) samples[i * stride];
    const double y = s->b[0] * x + s->b[1] * x1 + s->b[2] * x2 - s->a[0] * y1 - s->a[1] * y2;

    if (i % BLOCK == 0 && kg_progress_is_cancelled (monitor))
      return false;
    x2 = x1;
    x1 = x;
    y2 = y1;
    y1 = y;
    samples[i * stride] = (float) y;
  }
  return true;
}

KgSound *
sound_filter (const KgSound *sound, double low, double high, const KgProgressMonitor *monitor, GError **error)
{
  const double rate = kg_sound_get_rate (sound);
  const size_t n = kg_sound_get_n_samples (sound), width = kg_sound_get_n_channels (sound);
  g_autoptr (KgSound) band = kg_sound_ref (sound);
  Section sections[4];
  guint n_sections = 0;
  float *samples;

  if (!(low < rate / 2)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a sound of %g samples per second has nothing above %g Hz: use a lower limit than %g Hz", rate,
                  rate / 2, low);
    return NULL;
  }
  for (guint k = 0; k < 2 && low > 0; k++)
    sections[n_sections++] = make_section (low, rate, qualities[k], true);
  for (guint k = 0; k < 2 && high > 0 && high < rate / 2; k++)
    sections[n_sections++] = make_section (high, rate, qualities[k], false);
  if (n_sections == 0)
    return g_steal_pointer (&band);
  kg_sound_make_writable (&band);
  samples = kg_sound_edit_samples (band);
  if (samples == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for a sound of %g s", (double) n / rate);
    return NULL;
  }
  for (guint k = 0; k < n_sections; k++)
    for (size_t c = 0; c < width; c++)
      if (!run_section (&sections[k], samples + c, n, width, monitor))
        return NULL;
  return g_steal_pointer (&band);
}

/* Of a range of samples: Σ x² and the largest |x|. */
typedef struct {
  double sum, peak;
} Measure;

static void
add_measure (Measure *to, Measure from)
{
  to->sum += from.sum;
  to->peak = fmax (to->peak, from.peak);
}

static Measure
measure_samples (const float *samples, size_t from, size_t to)
{
  Measure measure = { 0, 0 };

  for (size_t i = from; i < to; i++) {
    const double x = fabs ((double) samples[i]);

    add_measure (&measure, (Measure){ x * x, x });
  }
  return measure;
}

/* Measures of blocks of samples, and of pairs of them, pairs of pairs ...: those of 2 i and 2 i + 1 are in i, the
 * blocks themselves from n on. */
typedef struct {
  Measure *nodes;
  size_t n;
} Tree;

/* nodes: (out) (transfer full) (not nullable) what is to be freed, in any case. */
static bool
make_tree (Tree *tree, const float *samples, size_t n_samples, Measure **nodes, const KgProgressMonitor *monitor)
{
  tree->n = n_samples / LEVEL_BLOCK;
  tree->nodes = *nodes = g_new0 (Measure, 2 * MAX (tree->n, 1));
  for (size_t i = 0; i < tree->n; i++) {
    if (i % LEVEL_BLOCK == 0 && kg_progress_is_cancelled (monitor))
      return false;
    tree->nodes[tree->n + i] = measure_samples (samples, i * LEVEL_BLOCK, (i + 1) * LEVEL_BLOCK);
  }
  for (size_t i = tree->n; i-- > 1;) {
    tree->nodes[i] = tree->nodes[2 * i];
    add_measure (&tree->nodes[i], tree->nodes[2 * i + 1]);
  }
  return true;
}

/* tree: (nullable) */
static Measure
measure_range (const Tree *tree, const float *samples, size_t from, size_t to)
{
  const size_t first = (from + LEVEL_BLOCK - 1) / LEVEL_BLOCK, last = to / LEVEL_BLOCK;
  Measure measure;

  if (tree == NULL || first >= last)
    return measure_samples (samples, from, to);
  measure = measure_samples (samples, from, first * LEVEL_BLOCK);
  add_measure (&measure, measure_samples (samples, last * LEVEL_BLOCK, to));
  for (size_t low = tree->n + first, high = tree->n + last; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1)
      add_measure (&measure, tree->nodes[low++]);
    if (high % 2 == 1)
      add_measure (&measure, tree->nodes[--high]);
  }
  return measure;
}

static double
measure_level (const KgSound *sound, const Tree *tree, const SoundLevel *level, double time)
{
  const double rate = kg_sound_get_rate (sound);
  const int64_t n = (int64_t) fmax (1, floor (level->window * rate + 0.5));
  const int64_t first = (int64_t) floor (time * rate - (double) n / 2 + 0.5) - kg_sound_get_start (sound);
  const int64_t from = MAX (first, 0), to = MIN (first + n, (int64_t) kg_sound_get_n_samples (sound));
  const size_t width = kg_sound_get_n_channels (sound);
  Measure measure;

  if (from >= to)
    return 0;
  measure = measure_range (tree, kg_sound_get_samples (sound), (size_t) from * width, (size_t) to * width);
  return level->peak ? measure.peak : sqrt (measure.sum / ((double) n * (double) width));
}

double
sound_measure_level (const KgSound *sound, const SoundLevel *level, double time)
{
  return measure_level (sound, NULL, level, time);
}

KgChannel *
sound_follow_level (const KgSound *sound, const SoundLevel *level, double rate, const KgProgressMonitor *monitor,
                    GError **error)
{
  const double seconds = (double) kg_sound_get_n_samples (sound) / kg_sound_get_rate (sound);
  const double start = (double) kg_sound_get_start (sound) / kg_sound_get_rate (sound);
  const double first = floor ((start - level->window / 2) * rate) - 2;
  const double last = ceil ((start + seconds + level->window / 2 + N_RELEASES * level->release) * rate) + 2;
  const double rise = level->attack > 0 ? 1 - exp (-1 / (rate * level->attack)) : 1;
  const double fall = level->release > 0 ? 1 - exp (-1 / (rate * level->release)) : 1;
  g_autofree double *levels = NULL;
  g_autofree Measure *nodes = NULL;
  Tree tree;
  double now = 0;
  size_t n;

  if (last - first > MAX_LEVELS) {
    kg_set_error (error, KG_ERROR_LIMIT, "the level of a sound of %g s would need %g frames: use a shorter part of it",
                  seconds, last - first);
    return NULL;
  }
  n = (size_t) (last - first) + 1;
  levels = g_new (double, n);
  if (!make_tree (&tree, kg_sound_get_samples (sound), kg_sound_get_n_samples (sound) * kg_sound_get_n_channels (sound),
                  &nodes, monitor))
    return NULL;
  for (size_t i = 0; i < n; i++) {
    const double measured = measure_level (sound, &tree, level, (first + (double) i + 0.5) / rate);

    if (kg_progress_is_cancelled (monitor))
      return NULL;
    now += (measured - now) * (measured > now ? rise : fall);
    levels[i] = now;
  }
  levels[n - 1] = 0;
  return kg_channel_new_samples (1, false, first / rate, rate, levels, n, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
}
