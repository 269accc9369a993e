/* sound/import: the sound of a file.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-regular-file.h"
#include "kg-sound-file.h"
#include "sound/clip.h"

typedef struct {
  const char *path;
  double start;
  int64_t rate;
  KgSound *sound;
  double seconds;
  int64_t channels;
} Import;

/* What is kept of a file. */
typedef struct {
  KgSound *sound;
  GPtrArray *warnings; /* char * */
} Loaded;

typedef struct {
  const char *path;
  const char *const *folders;
  int rate;
  KgHash hash;
  KgProgressMonitor monitor;
} ImportBuild;

static void
import_free (gpointer data)
{
  Loaded *loaded = (Loaded *) data;

  g_clear_pointer (&loaded->sound, kg_sound_unref);
  g_ptr_array_unref (loaded->warnings);
  g_free (loaded);
}

static void *
import_build (gpointer data, size_t *bytes, GError **error)
{
  const ImportBuild *build = (const ImportBuild *) data;
  Loaded *loaded = g_new0 (Loaded, 1);

  loaded->warnings = g_ptr_array_new_with_free_func (g_free);
  loaded->sound = kg_sound_load (build->path, build->folders, build->rate, &build->monitor, loaded->warnings, error);
  if (loaded->sound == NULL) {
    import_free (loaded);
    return NULL;
  }
  *bytes = kg_sound_get_n_samples (loaded->sound) * kg_sound_get_n_channels (loaded->sound) * sizeof (float);
  return loaded;
}

static bool
import_evaluate (Import *n, const KgContext *ctx, GError **error)
{
  ImportBuild build = { .rate = (int) n->rate, .monitor = kg_context_get_progress_monitor (ctx) };
  g_auto (GStrv) folders = NULL;
  g_autofree char *path = NULL;
  const Loaded *loaded;
  int64_t start;

  if (n->path[0] == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "path is empty: choose a sound (.wav, .flac, .ogg, .mp3, .m4a ...) or a movie");
    return false;
  }
  path = kg_context_dup_path (ctx, n->path, error);
  if (path == NULL)
    return false;
  folders = kg_context_dup_permitted (ctx);
  build.path = path;
  build.folders = (const char *const *) folders;
  build.hash = kg_hash_text (kg_regular_file_hash (path, kg_hash_begin (KG_HASH_SOUND_FILE, (uint64_t) n->rate)), path);
  loaded = (const Loaded *) kg_context_memo (ctx, build.hash, import_build, &build, import_free, error);
  if (loaded == NULL)
    return false;
  for (guint i = 0; i < loaded->warnings->len; i++)
    kg_context_take_warning (
        ctx, g_error_new_literal (KG_ERROR, KG_ERROR_INVALID_FILE, (const char *) loaded->warnings->pdata[i]));
  if (!sound_find_position ((n->start - ctx->start) / ctx->rate, kg_sound_get_rate (loaded->sound), &start, error))
    return false;
  n->sound = kg_sound_ref (loaded->sound);
  kg_sound_make_writable (&n->sound);
  kg_sound_set_start (n->sound, start);
  n->seconds = (double) kg_sound_get_n_samples (n->sound) / kg_sound_get_rate (n->sound);
  n->channels = kg_sound_get_n_channels (n->sound);
  return true;
}

static const KgSlot import_slots[] = {
  KG_INPUT (
      Import, path, TEXT, .label = N_ ("File"), .fixed = true, .path = true,
      .help = N_ (
          "A sound (.wav, .flac, .ogg, .mp3, .m4a and other formats that FFmpeg reads) or a movie with sound, relative to the folder of the graph.")),
  KG_INPUT (Import, start, NUMBER, .label = N_ ("Start frame"), .unit = KG_FRAMES, .def = 1, .min = -1e9, .max = 1e9,
            .soft_min = 1, .soft_max = 1000, .help = N_ ("Frame at which the sound starts.")),
  KG_INPUT (
      Import, rate, INTEGER, .label = N_ ("Rate"), .unit = KG_HERTZ, .def = KG_SOUND_USUAL_RATE,
      .max = KG_SOUND_MAX_RATE, .soft_max = 96000,
      .help = N_ (
          "Samples per second to which the sound is converted. Sounds to be mixed need the same rate. 0 keeps that of the file.")),
  KG_OUTPUT (Import, sound, SOUND, .label = N_ ("Sound"), .help = N_ ("The sound, from its start frame on.")),
  KG_OUTPUT (Import, seconds, NUMBER, .label = N_ ("Length"), .unit = KG_SECONDS, .help = N_ ("Length of the sound.")),
  KG_OUTPUT (Import, channels, INTEGER, .label = N_ ("Channels"),
             .help = N_ ("Number of channels: 1 for mono, 2 for stereo.")),
};

KG_NODE (
    sound, import, Import, .label = N_ ("Import Sound"), .version = 1, .since = "0.1", .role = KG_ROLE_FILE_INPUT,
    .reads = ".wav .flac .ogg .oga .opus .mp3 .m4a .aac .aif .aiff audio/*",
    .tags = N_ ("load read file audio music voice effect track wav flac ogg mp3 aac open soundtrack"),
    .help = N_ (
        "Reads a sound from a file, and places it on the time line. To hear it and to write it into movies, link it to Sound Output; to animate with it, to Sound Level."));
