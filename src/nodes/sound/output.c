/* sound/output: what is heard of the graph.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  const KgSound *sound;
  KgSound *output;
} Output;

static bool
output_evaluate (Output *n, const KgContext *ctx, GError **error)
{
  const size_t samples = kg_sound_get_n_samples (n->sound) * kg_sound_get_n_channels (n->sound);
  const float *x = kg_sound_get_samples (n->sound);
  float peak = 0;

  (void) error;
  for (size_t i = 0; i < samples; i++)
    peak = fmaxf (peak, fabsf (x[i]));
  if (peak > 1)
    kg_context_warn (
        ctx,
        "the sound is too loud, and distorted where it is written or played: its peak is %.3g, reduce the gain to %.3g of what it is",
        (double) peak, 1 / (double) peak);
  n->output = kg_sound_ref (n->sound);
  return true;
}

static const KgSlot output_slots[] = {
  KG_INPUT (Output, sound, SOUND, .label = N_ ("Sound"), .help = N_ ("The sound of the graph.")),
  KG_OUTPUT (Output, output, SOUND, .label = N_ ("Sound"), .help = N_ ("The same sound, passed on.")),
};

KG_NODE (
    sound, output, Output, .label = N_ ("Sound Output"), .version = 1, .since = "0.1", .role = KG_ROLE_SOUND_OUTPUT,
    .tags = N_ ("audio film movie soundtrack speaker master export write"),
    .help = N_ (
        "Sets the sound of the graph: it is written into every movie that is rendered (.mp4, .webm, .mov, .mkv, "
        ".avi), cut or extended with silence to the length of the movie, unless the node that writes the movie has a "
        "sound of its own. A graph has only one: mix several sounds first."));
