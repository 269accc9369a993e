/* kineo render: frames of a graph into images or a movie.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "kg-movie-file.h"
#include "progress.h"

#include <glib/gi18n.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool
parse_jobs (const char *text, KgRenderOptions *options, CliStatus *status)
{
  gint64 n;

  if (text == NULL)
    return true;
  if (!cli_read_integer (text, 1, KG_RENDER_MAX_JOBS, &n)) {
    *status = cli_usage (&cli_render, _ ("--jobs: \"%s\" is not a number from 1 to %d"), text, KG_RENDER_MAX_JOBS);
    return false;
  }
  options->jobs = (guint) n;
  return true;
}

static bool
parse_bits (const char *text, KgRenderOptions *options, CliStatus *status)
{
  gint64 n;

  if (text == NULL)
    return true;
  if (!cli_read_integer (text, 1, 64, &n) || (n != 8 && n != 16 && n != 32)) {
    *status = cli_usage (&cli_render, _ ("--bits: \"%s\" is not one of 8, 16 and 32"), text);
    return false;
  }
  options->bits = (int) n;
  return true;
}

/* Frames to standard output: -o - with --format. */
static bool
parse_stream (const char *format, KgRenderOptions *options, CliStatus *status)
{
  const bool y4m = g_strcmp0 (format, "y4m") == 0;

  if (g_strcmp0 (options->path, "-") != 0) {
    if (format == NULL)
      return true;
    *status = cli_usage (
        &cli_render, _ ("--format applies to standard output (-o -): the format of a file follows from its extension"));
    return false;
  }
  options->stream = stdout;
  options->stream_format = y4m ? KG_STREAM_Y4M : KG_STREAM_PNG;
  if (format != NULL && !y4m && !g_str_equal (format, "png"))
    *status = cli_usage (&cli_render, _ ("--format: \"%s\" is neither png nor y4m"), format);
  else if (options->bits > 0 && (y4m || options->bits > 16))
    *status = cli_usage (&cli_render, _ ("--bits %d is not possible for standard output: PNG has 8 or 16, Y4M 8"),
                         options->bits);
  else if (options->resume)
    *status = cli_usage (&cli_render, _ ("--resume: standard output cannot be resumed"));
  else if (isatty (STDOUT_FILENO))
    *status = cli_usage (
        &cli_render,
        _ ("-o -: a terminal cannot show images: send them to a file or a program, as in: kineo render GRAPH -o - | ffmpeg -f image2pipe -i - movie.mp4"));
  else
    return true;
  return false;
}

/* A problem that is known before the graph is evaluated is wrong usage, not failure; but to name a node of an unknown type is
 * no wrong usage: it is there and cannot be evaluated. */
static bool
check_options (KgGraph *graph, const KgRenderOptions *options, CliStatus *status)
{
  g_autoptr (GError) error = NULL;

  if (options->path == NULL && options->target != NULL)
    *status = cli_usage (
        &cli_render, _ ("no output file is given: name one with -o, as in: kineo render GRAPH %s -o name.%%04d.png"),
        options->target);
  else if (!kg_render_check_options (graph, options, &error))
    *status = g_error_matches (error, KG_ERROR, KG_ERROR_UNKNOWN_TYPE) ? cli_fail (g_steal_pointer (&error))
                                                                       : cli_usage (&cli_render, "%s", error->message);
  else if (options->resume && options->path != NULL && kg_movie_path_is_movie (options->path))
    *status =
        cli_usage (&cli_render, _ ("--resume: a movie cannot be resumed: render images (name.%%04d.png) instead"));
  else if (options->resume && options->path != NULL && kg_movie_path_is_sound (options->path))
    *status = cli_usage (&cli_render, _ ("--resume: a file of sound cannot be resumed: render it again"));
  else
    return true;
  return false;
}

static CliStatus
render (KgGraph *graph, KgRenderOptions *options, Progress *progress)
{
  g_autoptr (GError) error = NULL;
  KgRenderReport report;
  bool done;

  options->progress = progress_update;
  options->warning = progress_warn;
  options->refusal = progress_refuse;
  options->data = progress;
  done = kg_render (graph, options, cli_watch_signals (), &report, &error);
  progress_finish (progress);
  /* A farm that starts more parts than there are frames has not failed. */
  if (done && options->shards > 0 && report.total == 0)
    cli_print_error (_ ("part %u of %u has no frames: there are more parts than frames"), options->shard,
                     options->shards);
  if (done)
    return CLI_DONE;
  cli_print_error ("%s", error->message);
  return CLI_FAILED;
}

/* "2/5" */
static bool
parse_shard (const char *text, KgRenderOptions *options, CliStatus *status)
{
  int end = 0;

  if (text == NULL || (sscanf (text, "%5u/%5u%n", &options->shard, &options->shards, &end) == 2 && text[end] == '\0' &&
                       g_ascii_isdigit (text[0]) && options->shard >= 1 && options->shard <= options->shards))
    return true;
  *status = cli_usage (&cli_render, _ ("--shard: \"%s\" is not a part: write 2/5 for the second of five"), text);
  return false;
}

static CliStatus
render_run (char ***arguments)
{
  g_autofree char *path = NULL, *frames = NULL, *size = NULL, *jobs = NULL, *memory = NULL, *folder = NULL,
                  *style = NULL, *shard = NULL;
  g_autofree char *format = NULL, *bits = NULL;
  g_auto (GStrv) settings = NULL, permitted = NULL, writable = NULL;
  const char *const none[] = { NULL };
  gboolean resume = FALSE, silent = FALSE, of_others = FALSE;
  g_autoptr (KgGraph) graph = NULL;
  g_autoptr (KgCache) cache = NULL;
  KgRenderOptions options = { 0 };
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (int64_t));
  KgRenderRange range;
  Progress progress;
  CliStatus status = CLI_DONE;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &path, N_ ("Write images or a movie here (-: standard output)"),
      N_ ("FILE") },
    { "format", 0, 0, G_OPTION_ARG_STRING, &format, N_ ("Format on standard output: png or y4m"), N_ ("FORMAT") },
    { "bits", 'b', 0, G_OPTION_ARG_STRING, &bits, N_ ("Bits per colour component: 8 or 16 (PNG), 16 or 32 (EXR)"),
      N_ ("N") },
    { "frames", 'f', 0, G_OPTION_ARG_STRING, &frames, N_ ("Render these frames (default: those of the graph)"),
      N_ ("A-B[xSTEP],C...") },
    { "shard", 0, 0, G_OPTION_ARG_STRING, &shard, N_ ("Render the I-th of N equal parts of the frames"), N_ ("I/N") },
    { "size", 0, 0, G_OPTION_ARG_STRING, &size, N_ ("Render at this size in pixels"), N_ ("WxH") },
    { "jobs", 'j', 0, G_OPTION_ARG_STRING, &jobs, N_ ("Frames rendered at the same time (default: one per processor)"),
      N_ ("N") },
    { "set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &settings, N_ ("Override an input"), N_ ("NODE.INPUT=JSON") },
    { "allow-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &permitted, N_ ("Let the graph read files in this folder, too"),
      N_ ("DIR") },
    { "allow-write", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &writable, N_ ("Let the graph write files in this folder, too"),
      N_ ("DIR") },
    { "resume", 'r', 0, G_OPTION_ARG_NONE, &resume, N_ ("Render only the images that are missing or out of date"),
      NULL },
    { "no-sound", 0, 0, G_OPTION_ARG_NONE, &silent, N_ ("Write movies without the sound of the graph"), NULL },
    { "cache-memory", 0, 0, G_OPTION_ARG_STRING, &memory, N_ ("Cache at most this much of the results"), N_ ("MB") },
    { "cache-folder", 0, 0, G_OPTION_ARG_FILENAME, &folder,
      N_ ("Keep simulation states in this folder (default: $KINEOGRAPH_CACHE)"), N_ ("DIR") },
    { "cache-of-others", 0, 0, G_OPTION_ARG_NONE, &of_others,
      N_ ("Also use a folder and states that belong to another user"), NULL },
    { "progress", 0, 0, G_OPTION_ARG_STRING, &style, N_ ("How to show progress: bar, lines, json or none"),
      N_ ("STYLE") },
    { 0 },
  };

  if (!cli_parse (&cli_render, entries, arguments, &status) ||
      !cli_check_count (&cli_render, *arguments, 1, 2, &status) ||
      !cli_check_folders (&cli_render, "--allow-path", permitted, &status) ||
      !cli_check_folders (&cli_render, "--allow-write", writable, &status) ||
      !cli_parse_cache (&cli_render, memory, folder, of_others, &cache, &status) ||
      !cli_parse_size (&cli_render, size, &options.width, &options.height, &status) ||
      !parse_jobs (jobs, &options, &status) || !parse_bits (bits, &options, &status) ||
      !parse_shard (shard, &options, &status) ||
      (frames != NULL && !cli_parse_frame_list (&cli_render, frames, &range, list, &status)))
    return status;
  if (!progress_init (&progress, style))
    return cli_usage (&cli_render, _ ("--progress: \"%s\" is not one of bar, lines, json, none"), style);
  options.path = path;
  options.target = (*arguments)[2];
  options.range = frames != NULL ? &range : NULL;
  options.resume = resume;
  options.silent = silent;
  options.cache = cache;
  options.writable = writable != NULL ? (const char *const *) writable : none;
  if (!parse_stream (format, &options, &status))
    return status;
  cli_watch_signals ();
  /* The messages of a rendering into files need no reader: if it exits, the files are completed all the same. */
  if (options.stream == NULL)
    signal (SIGPIPE, SIG_IGN);
  graph = cli_load ((*arguments)[1]);
  if (graph == NULL)
    return CLI_INVALID_FILE;
  cli_permit (graph, permitted);
  if (!cli_apply_settings (&cli_render, graph, settings, &status) || !check_options (graph, &options, &status))
    return status;
  return render (graph, &options, &progress);
}

const CliCommand cli_render = {
  .name = "render",
  .arguments = "GRAPH [NODE[.OUTPUT]]",
  .summary = N_ ("Render frames to images or a movie"),
  .description = N_ (
      "FILE is name.%04d.png or name.%04d.exr for images (%04d stands for the frame number in four digits),\nname.mp4, .webm, .mov, .mkv, .avi, .gif, .apng or .webp for a movie, or - for standard output: a sequence of PNG images or, with\n--format y4m, a movie for other programs to read; name.wav, .flac, .ogg, .opus, .mp3 or .m4a for its sound.  Without NODE, what the graph displays is rendered;\nwithout -o, every node of the graph that names a file.  --size scales all images of a given size that\nthe result is made of, but no images on surfaces or in fields, and no other number of pixels, such as the radius of a blur:\nnodes that have one are named.  A movie of every n-th frame plays at 1/n of the frame rate.\n\nA frame that fails does not stop the others; a movie repeats the previous frame instead.  After an\ninterruption, the finished images stay, and --resume continues from there."),
  .run = render_run,
};
