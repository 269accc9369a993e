/* sound/clip: a part of a sound, placed, repeated and faded.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "sound/clip.h"

typedef struct {
  const KgSound *sound;
  bool move;
  double start;
  double trim;
  double length;
  int64_t repeats;
  double gain;
  double fade_in;
  double fade_out;
  KgSound *clip;
} Clip;

static bool
clip_evaluate (Clip *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const SoundClip clip = { .start = n->move ? (n->start - ctx->start) / ctx->rate : NAN,
                           .trim = n->trim,
                           .length = n->length,
                           .repeats = n->repeats,
                           .gain = n->gain,
                           .fade_in = n->fade_in,
                           .fade_out = n->fade_out };

  n->clip = sound_clip (n->sound, &clip, &monitor, error);
  if (n->clip != NULL && kg_sound_get_n_samples (n->clip) == 0 && kg_sound_get_n_samples (n->sound) > 0)
    kg_context_warn (ctx, "nothing is left of the sound: it is %g s long, and %g s are trimmed",
                     (double) kg_sound_get_n_samples (n->sound) / kg_sound_get_rate (n->sound), n->trim);
  return n->clip != NULL;
}

static const KgSlot clip_slots[] = {
  KG_INPUT (Clip, sound, SOUND, .label = N_ ("Sound"), .help = N_ ("The sound to take a part of.")),
  KG_INPUT (Clip, move, BOOLEAN, .label = N_ ("Move"),
            .help = N_ ("Places the part at Start frame. Otherwise it stays where it is in the sound.")),
  KG_INPUT (Clip, start, NUMBER, .label = N_ ("Start frame"), .unit = KG_FRAMES, .def = 1, .min = -1e9, .max = 1e9,
            .soft_min = 1, .soft_max = 1000, .shown_when = "move=true", .help = N_ ("Frame at which the part starts.")),
  KG_INPUT (Clip, trim, NUMBER, .label = N_ ("Trim"), .unit = KG_SECONDS, .max = 1e6, .soft_max = 60,
            .help = N_ ("Time left out at the beginning of the sound.")),
  KG_INPUT (Clip, length, NUMBER, .label = N_ ("Length"), .unit = KG_SECONDS, .max = 1e6, .soft_max = 60,
            .help = N_ ("Time kept after the trimmed beginning; 0 keeps all that follows.")),
  KG_INPUT (Clip, repeats, INTEGER, .label = N_ ("Repeats"), .def = 1, .min = 1, .max = 1e6, .soft_max = 16,
            .help = N_ ("How often the part is heard, one time after the other: a loop.")),
  KG_INPUT (Clip, gain, NUMBER, .label = N_ ("Gain"), .def = 1, .max = 1000, .soft_max = 2,
            .help = N_ ("Factor of the amplitude: 2 is 6 dB louder.")),
  KG_INPUT (Clip, fade_in, NUMBER, .label = N_ ("Fade in"), .unit = KG_SECONDS, .max = 1e6, .soft_max = 10,
            .help = N_ ("Time in which the amplitude rises from silence.")),
  KG_INPUT (Clip, fade_out, NUMBER, .label = N_ ("Fade out"), .unit = KG_SECONDS, .max = 1e6, .soft_max = 10,
            .help = N_ ("Time in which the amplitude falls to silence at the end.")),
  KG_OUTPUT (Clip, clip, SOUND, .label = N_ ("Sound"), .help = N_ ("The part.")),
};

KG_NODE (sound, clip, Clip, .label = N_ ("Sound Clip"), .version = 1, .since = "0.1",
         .tags = N_ ("audio trim cut loop repeat fade gain volume cue offset strip"),
         .help = N_ ("Cuts a part out of a sound, repeats it, changes its loudness, fades it in and out, and places it "
                     "on the time line. Fades apply to the whole with its repeats."));
