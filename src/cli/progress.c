/* progress: how far a rendering is, for people and for programs, on standard error.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "progress.h"

#include "cli.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR_WIDTH 30
#define REDRAW_INTERVAL 100000 /* microseconds */

bool
progress_init (Progress *progress, const char *style)
{
  static const char *const words[] = { "none", "bar", "lines", "json" };

  *progress = (Progress){ .style = isatty (STDERR_FILENO) ? PROGRESS_BAR : PROGRESS_LINES };
  progress->start = g_get_monotonic_time ();
  for (guint i = 0; style != NULL && i < G_N_ELEMENTS (words); i++) {
    if (g_str_equal (style, words[i])) {
      progress->style = (ProgressStyle) i;
      return true;
    }
  }
  return style == NULL;
}

/* Frames per second; 0 while there is nothing to measure. */
static double
get_speed (const Progress *progress)
{
  const double seconds = (double) (g_get_monotonic_time () - progress->start) * 1e-6;

  return seconds > 0 ? (double) progress->n_rendered / seconds : 0;
}

static double
get_seconds_left (const Progress *progress, const KgRenderEvent *event)
{
  const double speed = get_speed (progress);

  return speed > 0 ? (double) (event->total - event->done) / speed : 0;
}

static void
show_bar (Progress *progress, const KgRenderEvent *event)
{
  const gint64 now = g_get_monotonic_time ();
  const int filled = (int) (event->done * BAR_WIDTH / event->total);
  const double left = get_seconds_left (progress, event);
  char bar[BAR_WIDTH + 1];

  if (event->done < event->total && progress->bar_is_shown && now - progress->last_shown < REDRAW_INTERVAL)
    return;
  memset (bar, '-', BAR_WIDTH);
  memset (bar, '#', (size_t) filled);
  bar[BAR_WIDTH] = '\0';
  fprintf (stderr, _ ("\r[%s] %" PRIu64 "/%" PRIu64 "  %.1f frames/s  %d:%02d left\033[K"), bar, event->done,
           event->total, get_speed (progress), (int) left / 60, (int) left % 60);
  fflush (stderr);
  progress->bar_is_shown = true;
  progress->last_shown = now;
}

static void
show_line (const KgRenderEvent *event)
{
  if (event->outcome == KG_RENDER_FRAME_DONE)
    cli_write_error (_ ("frame %" PRId64 ": %s\n"), event->frame, event->path);
  else if (event->outcome == KG_RENDER_FRAME_SKIPPED)
    cli_write_error (_ ("frame %" PRId64 ": %s is up to date\n"), event->frame, event->path);
}

static void
show_json (const Progress *progress, const KgRenderEvent *event)
{
  static const char *const outcomes[] = { "done", "skipped", "failed" };
  g_autoptr (GString) line = g_string_new ("{");

  cli_write_member (line, "frame", (double) event->frame);
  g_string_append (line, ",\"file\":");
  kg_json_write_string (event->path, line);
  g_string_append_printf (line, ",\"outcome\":\"%s\"", outcomes[event->outcome]);
  if (event->error != NULL) {
    g_string_append (line, ",\"error\":");
    kg_json_write_string (event->error->message, line);
  }
  cli_write_member (line, "done", (double) event->done);
  cli_write_member (line, "total", (double) event->total);
  cli_write_member (line, "frames_per_second", get_speed (progress));
  cli_write_member (line, "seconds_left", get_seconds_left (progress, event));
  g_string_append (line, "}\n");
  fputs (line->str, stderr);
  fflush (stderr);
}

void
progress_update (const KgRenderEvent *event, gpointer data)
{
  Progress *progress = data;

  progress->n_rendered += event->outcome != KG_RENDER_FRAME_SKIPPED;
  if (progress->style == PROGRESS_JSON) {
    show_json (progress, event);
    return;
  }
  if (event->outcome == KG_RENDER_FRAME_FAILED) {
    progress_finish (progress);
    cli_print_error (_ ("frame %" PRId64 ": %s"), event->frame, event->error->message);
  }
  if (progress->style == PROGRESS_LINES)
    show_line (event);
  else if (progress->style == PROGRESS_BAR)
    show_bar (progress, event);
}

void
progress_warn (int64_t frame, const char *node, const char *message, gpointer data)
{
  Progress *progress = data;
  g_autoptr (GString) line = g_string_new ("{");

  if (progress->style != PROGRESS_JSON) {
    progress_finish (progress);
    cli_print_error (_ ("frame %" PRId64 ": warning: %s: %s"), frame, node, message);
    return;
  }
  cli_write_member (line, "frame", (double) frame);
  g_string_append (line, ",\"node\":");
  kg_json_write_string (node, line);
  g_string_append (line, ",\"warning\":");
  kg_json_write_string (message, line);
  g_string_append (line, "}\n");
  fputs (line->str, stderr);
  fflush (stderr);
}

void
progress_refuse (const GError *error, gpointer data)
{
  Progress *progress = data;
  g_autoptr (GString) line = g_string_new ("{\"error\":");

  if (progress->style != PROGRESS_JSON) {
    progress_finish (progress);
    cli_print_error ("%s", error->message);
    return;
  }
  kg_json_write_string (error->message, line);
  g_string_append (line, "}\n");
  fputs (line->str, stderr);
  fflush (stderr);
}

void
progress_finish (Progress *progress)
{
  if (progress->bar_is_shown)
    fputc ('\n', stderr);
  progress->bar_is_shown = false;
}
