/* sound/level: how loud a sound is around the current frame, and over time as a motion.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "sound/level.h"

typedef struct {
  const KgSound *sound;
  int measure;
  double low;
  double high;
  double window;
  double attack;
  double release;
  double gain;
  double level;
  KgMotion *motion;
} Level;

enum { LEVEL_RMS, LEVEL_PEAK, N_MEASURES };

static const KgChoice level_measures[] = {
  [LEVEL_RMS] = { "rms", N_ ("RMS: the root of the mean square") },
  [LEVEL_PEAK] = { "peak", N_ ("Peak: the largest amplitude") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (level_measures, N_MEASURES);

typedef struct {
  const Level *node;
  double rate;
  KgProgressMonitor monitor;
} LevelBuild;

static void *
level_build (gpointer data, size_t *bytes, GError **error)
{
  const LevelBuild *build = (const LevelBuild *) data;
  const Level *n = build->node;
  const SoundLevel settings = { .window = n->window > 0 ? n->window : 1 / build->rate,
                                .peak = n->measure == LEVEL_PEAK,
                                .attack = n->attack,
                                .release = n->release };
  g_autoptr (KgSound) band = sound_filter (n->sound, n->low, n->high, &build->monitor, error);
  KgChannel *channel = band != NULL ? sound_follow_level (band, &settings, build->rate, &build->monitor, error) : NULL;
  double start, rate;
  gsize n_samples;

  if (channel == NULL)
    return NULL;
  kg_channel_get_samples (channel, &n_samples, &start, &rate);
  *bytes = n_samples * sizeof (double);
  return channel;
}

static void
level_free (gpointer data)
{
  kg_channel_unref ((KgChannel *) data);
}

/* The same channel, its values times a factor. */
static KgChannel *
level_scale (const KgChannel *channel, double gain, GError **error)
{
  double start, rate;
  gsize n;
  const double *levels = kg_channel_get_samples (channel, &n, &start, &rate);
  g_autofree double *scaled = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    scaled[i] = gain * levels[i];
  return kg_channel_new_samples (1, false, start, rate, scaled, n, KG_EXTEND_HOLD, KG_EXTEND_HOLD, error);
}

static bool
level_evaluate (Level *n, const KgContext *ctx, GError **error)
{
  LevelBuild build = { .node = n, .rate = ctx->rate, .monitor = kg_context_get_progress_monitor (ctx) };
  const double settings[] = { n->low, n->high, n->window, n->attack, n->release, ctx->rate };
  KgHash key = kg_hash_begin (KG_HASH_SOUND_LEVEL, (uint64_t) n->measure);
  const KgChannel *levels;
  KgChannel *channel;

  if (n->high > 0 && n->high <= n->low) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "there is nothing between %g and %g Hz: set the limits in order",
                  n->low, n->high);
    return false;
  }
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    key = kg_hash_double (key, settings[i]);
  key = kg_hash_join (key, kg_context_get_fingerprint (ctx, offsetof (Level, sound)));
  levels = (const KgChannel *) kg_context_memo (ctx, key, level_build, &build, level_free, error);
  channel = levels != NULL ? level_scale (levels, n->gain, error) : NULL;
  if (channel == NULL)
    return false;
  kg_channel_evaluate (channel, ctx->time, &n->level);
  n->motion = kg_motion_new_take ("level", channel);
  return true;
}

static const KgSlot level_slots[] = {
  KG_INPUT (Level, sound, SOUND, .label = N_ ("Sound"), .help = N_ ("The sound to measure.")),
  KG_INPUT (Level, measure, CHOICE, .label = N_ ("Measure"), .choices = level_measures,
            .help = N_ ("RMS is close to loudness as it is heard; peak reacts to the shortest click.")),
  KG_INPUT (Level, low, NUMBER, .label = N_ ("Low limit"), .unit = KG_HERTZ, .max = 384000, .soft_max = 10000,
            .help = N_ ("Lower frequencies are filtered out before measuring; 0 for none.")),
  KG_INPUT (Level, high, NUMBER, .label = N_ ("High limit"), .unit = KG_HERTZ, .max = 384000, .soft_max = 10000,
            .help = N_ ("Higher frequencies are filtered out before measuring; 0 for none.")),
  KG_INPUT (Level, window, NUMBER, .label = N_ ("Window"), .unit = KG_SECONDS, .max = 3600, .soft_max = 1,
            .help = N_ (
                "Time around the middle of each frame over which the level is measured; 0 for the length of a frame.")),
  KG_INPUT (Level, attack, NUMBER, .label = N_ ("Attack"), .unit = KG_SECONDS, .max = 3600, .soft_max = 1,
            .help = N_ ("How slowly the level follows a rise: the time after which it has reached 63 %. 0: at once.")),
  KG_INPUT (Level, release, NUMBER, .label = N_ ("Release"), .unit = KG_SECONDS, .max = 3600, .soft_max = 1,
            .help = N_ ("How slowly the level follows a fall.")),
  KG_INPUT (Level, gain, NUMBER, .label = N_ ("Gain"), .def = 1, .min = -1e6, .max = 1e6, .soft_min = 0, .soft_max = 10,
            .help = N_ ("Factor of the result.")),
  KG_OUTPUT (Level, level, NUMBER, .label = N_ ("Level"),
             .help = N_ ("The level at the current frame; 1 is full scale for the peak.")),
  KG_OUTPUT (Level, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("The level over time in seconds from the first frame of the graph, one sample per frame.")),
};

KG_NODE (
    sound, level, Level, .label = N_ ("Sound Level"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("audio loudness volume rms peak envelope follower meter band bass treble reactive music visualizer"),
    .formula = "RMS = √(Σ x² / n) over the window; follows as l += (m − l)(1 − e^(−1/(rate τ))), τ attack or release",
    .source =
        "Bristow-Johnson, Cookbook formulae for audio equalizer biquad filter coefficients (Butterworth sections)",
    .help = N_ (
        "Measures how loud a sound is at each frame: all of it, or a band of frequencies, such as the bass below 150 Hz. Link the level to any number, or the motion to inputs that take a function of time. The limits are filters of the fourth order: 24 dB at an octave beyond."));
