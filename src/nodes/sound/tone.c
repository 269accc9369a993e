/* sound/tone: a sine that sounds on, or is struck at given frames.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "sound/tone.h"

typedef struct {
  int mode;
  double frequency;
  double amplitude;
  const KgTable *strikes;
  double tempo;
  double decay;
  double start;
  double length;
  int64_t rate;
  KgSound *sound;
} Tone;

enum { TONE_STEADY, TONE_STRUCK, TONE_BEATS, N_MODES };

static const KgChoice tone_modes[] = {
  [TONE_STEADY] = { "steady", N_ ("Steady: from start to end") },
  [TONE_STRUCK] = { "struck", N_ ("Struck: at each of the given frames, dying away") },
  [TONE_BEATS] = { "beats", N_ ("Beats: struck at a constant tempo") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (tone_modes, N_MODES);

enum { STRIKE_FRAME, STRIKE_STRENGTH, N_STRIKE_COLUMNS };

#define TONE_MAX_STRIKES 1000000
#define TONE_MAX_STRENGTH 1000.0

/* Times and strengths of the strikes, in two arrays of doubles. */
static bool
tone_read_strikes (const Tone *n, const KgContext *ctx, GArray *times, GArray *strengths, GError **error)
{
  for (size_t i = 0; i < kg_table_get_n_rows (n->strikes); i++) {
    const double *cells = kg_table_get_row (n->strikes, i);
    const double time = (cells[STRIKE_FRAME] - ctx->start) / ctx->rate;

    if (!(fabs (cells[STRIKE_STRENGTH]) <= TONE_MAX_STRENGTH) || !(fabs (cells[STRIKE_FRAME]) <= 1e9)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "strikes: row %zu: frame %g, strength %g: use frames up to 1e9 and strengths up to %g", i + 1,
                    cells[STRIKE_FRAME], cells[STRIKE_STRENGTH], TONE_MAX_STRENGTH);
      return false;
    }
    g_array_append_val (times, time);
    g_array_append_val (strengths, cells[STRIKE_STRENGTH]);
  }
  return true;
}

static bool
tone_make_beats (const Tone *n, double start, double length, GArray *times, GArray *strengths, GError **error)
{
  const double one = 1, interval = 60 / n->tempo, count = ceil (length / interval);

  if (count > TONE_MAX_STRIKES) {
    kg_set_error (error, KG_ERROR_LIMIT, "%g beats are too many: use a lower tempo than %g, or a shorter length", count,
                  n->tempo);
    return false;
  }
  for (double i = 0; i < count; i++) {
    const double time = start + i * interval;

    g_array_append_val (times, time);
    g_array_append_val (strengths, one);
  }
  return true;
}

static bool
tone_evaluate (Tone *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) strengths = g_array_new (FALSE, FALSE, sizeof (double));
  SoundTone tone = { .rate = (int) n->rate,
                     .start = (n->start - ctx->start) / ctx->rate,
                     .length = n->length > 0 ? n->length : (ctx->end + 1 - n->start) / ctx->rate,
                     .frequency = n->frequency,
                     .amplitude = n->amplitude,
                     .decay = n->decay };

  if (n->frequency >= 0.5 * (double) n->rate)
    kg_context_warn (
        ctx,
        "%g samples per second cannot represent a frequency of %g Hz, and a different one is heard: use a frequency "
        "below %g Hz",
        (double) n->rate, n->frequency, 0.5 * (double) n->rate);
  tone.length = fmax (tone.length, 0);
  if ((n->mode == TONE_STRUCK && !tone_read_strikes (n, ctx, times, strengths, error)) ||
      (n->mode == TONE_BEATS && !tone_make_beats (n, tone.start, tone.length, times, strengths, error)))
    return false;
  tone.strikes = (const double *) (void *) times->data;
  tone.strengths = (const double *) (void *) strengths->data;
  tone.n_strikes = times->len;
  n->sound = n->mode == TONE_STEADY ? sound_make_tone (&tone, &monitor, error)
                                    : sound_strike_tone (&tone, &monitor, error);
  return n->sound != NULL;
}

static const KgTableColumn tone_columns[] = {
  [STRIKE_FRAME] = { "frame", N_ ("Frame"), 0, false },
  [STRIKE_STRENGTH] = { "strength", N_ ("Strength"), 1, true },
  [N_STRIKE_COLUMNS] = KG_TABLE_COLUMNS_END,
};

static const KgSlot tone_slots[] = {
  KG_INPUT (Tone, mode, CHOICE, .label = N_ ("Mode"), .choices = tone_modes, .help = N_ ("When the tone is heard.")),
  KG_INPUT (Tone, frequency, NUMBER, .label = N_ ("Frequency"), .unit = KG_HERTZ, .def = 440, .max = 384000,
            .soft_min = 20, .soft_max = 2000, .help = N_ ("Oscillations per second: 440 is the A above middle C.")),
  KG_INPUT (Tone, amplitude, NUMBER, .label = N_ ("Amplitude"), .def = 0.5, .max = 1000, .soft_max = 1,
            .help = N_ ("Largest sample; 1 is full scale.")),
  KG_INPUT (
      Tone, strikes, TABLE, .columns = tone_columns, .label = N_ ("Strikes"), .shown_when = "mode=struck",
      .def_text = "1",
      .help = N_ ("A row for each strike: its frame, which may be a fraction, and its strength as a factor of the "
                  "amplitude.")),
  KG_INPUT (Tone, tempo, NUMBER, .label = N_ ("Tempo"), .def = 120, .min = 0.001, .max = 1e6, .soft_min = 30,
            .soft_max = 240, .shown_when = "mode=beats", .help = N_ ("Beats per minute.")),
  KG_INPUT (Tone, decay, NUMBER, .label = N_ ("Decay"), .unit = KG_SECONDS, .def = 0.05, .min = 1e-4, .max = 1000,
            .soft_max = 2, .shown_when = "mode=struck|beats",
            .help = N_ ("Time in which a struck tone falls to 0.37 (1/e) of its amplitude.")),
  KG_INPUT (Tone, start, NUMBER, .label = N_ ("Start frame"), .unit = KG_FRAMES, .def = 1, .min = -1e9, .max = 1e9,
            .soft_min = 1, .soft_max = 1000, .help = N_ ("Frame at which the sound starts.")),
  KG_INPUT (Tone, length, NUMBER, .label = N_ ("Length"), .unit = KG_SECONDS, .max = 1e6, .soft_max = 60,
            .help = N_ ("How long the sound is; 0 for up to the last frame of the graph.")),
  KG_INPUT (Tone, rate, INTEGER, .label = N_ ("Rate"), .unit = KG_HERTZ, .def = KG_SOUND_USUAL_RATE, .min = 1,
            .max = KG_SOUND_MAX_RATE, .soft_min = 8000, .soft_max = 96000, .help = N_ ("Samples per second.")),
  KG_OUTPUT (Tone, sound, SOUND, .label = N_ ("Sound"), .help = N_ ("The tone, of one channel.")),
};

KG_NODE (
    sound, tone, Tone, .label = N_ ("Tone"), .version = 1, .since = "0.1", .reads_end = true,
    .tags = N_ ("audio sine beep click metronome beat tempo synthesizer generate test note"),
    .formula = "steady: a sin (2π f t); struck: Σ a s_i sin (2π f (t − t_i)) e^(−(t − t_i)/decay) for t ≥ t_i",
    .help = N_ (
        "Makes a tone: steady, or struck at given frames, such as those of contacts, or at a tempo. A short decay makes clicks, a long one bells."));
