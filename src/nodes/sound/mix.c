/* sound/mix: the sum of sounds.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "sound/mix.h"

typedef struct {
  KgList sounds;
  const KgTable *tracks;
  double gain;
  KgSound *mix;
} Mix;

enum { TRACK_GAIN, TRACK_PAN, TRACK_OFFSET, N_TRACK_COLUMNS };

#define MIX_MAX_GAIN 1000.0
#define MIX_MAX_OFFSET 1e6

static bool
mix_check (size_t row, const double *cells, GError **error)
{
  if (!(fabs (cells[TRACK_GAIN]) <= MIX_MAX_GAIN))
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "tracks: row %zu: a gain of %g: use at most %g", row + 1,
                  cells[TRACK_GAIN], MIX_MAX_GAIN);
  else if (!(fabs (cells[TRACK_PAN]) <= 1))
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "tracks: row %zu: a pan of %g: use -1 (left) to 1 (right)", row + 1,
                  cells[TRACK_PAN]);
  else if (!(fabs (cells[TRACK_OFFSET]) <= MIX_MAX_OFFSET))
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "tracks: row %zu: an offset of %g s: use at most %g", row + 1,
                  cells[TRACK_OFFSET], MIX_MAX_OFFSET);
  else
    return true;
  return false;
}

static bool
mix_evaluate (Mix *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_autofree SoundTrack *tracks = g_new (SoundTrack, MAX (n->sounds.n, 1));

  for (guint i = 0; i < n->sounds.n; i++) {
    tracks[i] = (SoundTrack){ .sound = n->sounds.items[i].sound, .gain = n->gain };
    if (i < kg_table_get_n_rows (n->tracks)) {
      const double *cells = kg_table_get_row (n->tracks, i);

      if (!mix_check (i, cells, error))
        return false;
      tracks[i].gain *= cells[TRACK_GAIN];
      tracks[i].pan = cells[TRACK_PAN];
      tracks[i].offset = cells[TRACK_OFFSET] / ctx->rate;
    }
  }
  if (kg_table_get_n_rows (n->tracks) > n->sounds.n)
    kg_context_warn (ctx, "there are %zu rows of tracks for %u sounds: remove some", kg_table_get_n_rows (n->tracks),
                     n->sounds.n);
  n->mix = sound_mix (tracks, n->sounds.n, &monitor, error);
  return n->mix != NULL;
}

static const KgTableColumn mix_columns[] = {
  [TRACK_GAIN] = { "gain", N_ ("Gain"), 1, false },
  [TRACK_PAN] = { "pan", N_ ("Pan"), 0, true },
  [TRACK_OFFSET] = { "offset", N_ ("Offset"), 0, true },
  [N_TRACK_COLUMNS] = KG_TABLE_COLUMNS_END,
};

static const KgSlot mix_slots[] = {
  KG_INPUTS (Mix, sounds, SOUND, .label = N_ ("Sounds"), .optional = true,
             .help = N_ ("The sounds to mix. They need the same number of samples per second.")),
  KG_INPUT (
      Mix, tracks, TABLE, .columns = mix_columns, .label = N_ ("Tracks"),
      .help = N_ (
          "A row for each sound: its gain (factor of the amplitude), its pan from -1 (left) to 1 (right), and by how many frames it is delayed. Sounds without a row are mixed as they are.")),
  KG_INPUT (Mix, gain, NUMBER, .label = N_ ("Gain"), .def = 1, .max = 1000, .soft_max = 2,
            .help = N_ ("Factor of the amplitude of the whole.")),
  KG_OUTPUT (Mix, mix, SOUND, .label = N_ ("Sound"), .help = N_ ("The sum, from the earliest start to the last end.")),
};

KG_NODE (
    sound, mix, Mix, .label = N_ ("Mix Sounds"), .version = 1, .since = "0.1",
    .tags = N_ ("audio sum add combine layer pan balance gain volume delay tracks mixer"),
    .formula =
        "mix(t) = Σ gain_i sound_i(t − offset_i); mono panned by p: left √2 cos ((1 + p) π/4), right √2 sin ((1 + p) π/4)",
    .help = N_ (
        "Adds up sounds, each with a gain, a pan and an offset. A sound of one channel is heard on both sides; of a stereo sound, panning lowers the other side. The sum is not limited: reduce the gain if Sound Output warns that it is too loud."));
