/* kineo new: an empty graph.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"

#include <glib/gi18n.h>

static bool
set_frames (KgGraph *graph, const char *text, const char *rate, CliStatus *status)
{
  KgFrames frames = kg_graph_get_frames (graph);
  g_autoptr (GError) error = NULL;
  KgRenderRange range;

  if (text != NULL) {
    if (!cli_parse_frames (&cli_new, text, &range, status))
      return false;
    frames.start = (double) range.first;
    frames.end = (double) range.last;
  }
  if (rate != NULL && !cli_parse_number (&cli_new, "rate", rate, &frames.rate, status))
    return false;
  if (kg_graph_set_frames (graph, frames, &error))
    return true;
  *status = cli_usage (&cli_new, "%s", error->message);
  return false;
}

static CliStatus
new_run (char ***arguments)
{
  g_autofree char *title = NULL, *frames = NULL, *rate = NULL, *text = NULL;
  g_autoptr (KgGraph) graph = NULL;
  CliStatus status = CLI_DONE;
  const GOptionEntry entries[] = {
    { "title", 't', 0, G_OPTION_ARG_STRING, &title, N_ ("Title of the graph"), N_ ("TEXT") },
    { "frames", 'f', 0, G_OPTION_ARG_STRING, &frames, N_ ("First and last frame (default: 1-100)"), N_ ("A-B") },
    { "rate", 'r', 0, G_OPTION_ARG_STRING, &rate, N_ ("Frames per second (default: 24)"), N_ ("N") },
    { 0 },
  };

  if (!cli_parse (&cli_new, entries, arguments, &status) || !cli_check_count (&cli_new, *arguments, 0, 0, &status))
    return status;
  graph = kg_graph_new (cli_get_types ());
  if (title != NULL)
    kg_graph_set_title (graph, title);
  if (!set_frames (graph, frames, rate, &status))
    return status;
  text = kg_graph_to_text (graph);
  return cli_print (text);
}

const CliCommand cli_new = {
  .name = "new",
  .arguments = "",
  .summary = N_ ("Print an empty graph"),
  .description = N_ ("For example: kineo new --title Nod --frames 1-48 > nod.json"),
  .run = new_run,
};
