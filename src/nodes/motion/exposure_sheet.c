/* motion/exposure_sheet: which drawing of each layer is photographed in each frame.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-suggest.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *sheet;
  const char *layer;
  double first;
  bool loop;
  double lowest;
  double frame;
  KgMotion *motion;
  double value;
  int64_t index;
  int64_t held;
  int64_t count;
} ExposureSheet;

/* Frames of all layers together. */
#define MAX_CELLS 1000000

static bool
fail_cell (guint line, const char *cell, GError **error)
{
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "line %u: \"%s\" is not a cell: write the number of a drawing, 12*3 for three frames of it, or nothing "
                "to hold the one before",
                line, cell);
  return false;
}

/* One cell: a number, a number and how often, or nothing. */
static bool
read_cell (const char *cell, guint line, GArray *cells, GError **error)
{
  double value, times = 1;
  char *end;

  if (cell[0] == '\0') {
    if (cells->len == 0) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: the first cell is empty: write the drawing to hold", line);
      return false;
    }
    value = g_array_index (cells, double, cells->len - 1);
  } else {
    value = g_ascii_strtod (cell, &end);
    if (end == cell || !(fabs (value) <= 1e9))
      return fail_cell (line, cell, error);
    if (*end == '*') {
      const char *count = end + 1;

      times = g_ascii_strtod (count, &end);
      if (end == count)
        return fail_cell (line, cell, error);
    }
    if (*end != '\0' || !(times >= 1) || times != floor (times))
      return fail_cell (line, cell, error);
  }
  if (times > MAX_CELLS || cells->len + times > MAX_CELLS) {
    kg_set_error (error, KG_ERROR_LIMIT, "line %u: more than %d frames: write fewer", line, MAX_CELLS);
    return false;
  }
  for (double i = 0; i < times; i++)
    g_array_append_val (cells, value);
  return true;
}

/* NAME: cell, cell, ...  Adds the channel of one layer. */
static bool
exposure_sheet_read_line (ExposureSheet *n, char *text, guint line, size_t *total, GError **error)
{
  char *colon = strchr (text, ':');
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (double));
  g_autofree double *breaks = NULL;
  g_auto (GStrv) words = NULL;
  KgChannel *channel;

  if (colon == NULL || colon == text) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: no layer is named: write hero: 1, 1, 2, 2", line);
    return false;
  }
  *colon = '\0';
  g_strstrip (text);
  if (kg_motion_find (n->motion, text) != NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: there is already a layer \"%s\": join the lines", line,
                  text);
    return false;
  }
  words = g_strsplit (colon + 1, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (!read_cell (g_strstrip (words[i]), line, cells, error))
      return false;
  if (words[0] == NULL && !read_cell ("", line, cells, error))
    return false;
  *total += cells->len;
  if (*total > MAX_CELLS) {
    kg_set_error (error, KG_ERROR_LIMIT, "the layers have more than %d frames: write fewer", MAX_CELLS);
    return false;
  }
  breaks = g_new (double, cells->len + 1);
  for (guint i = 0; i <= cells->len; i++)
    breaks[i] = n->first + i;
  n->count = MAX (n->count, (int64_t) cells->len);
  channel = kg_channel_new_pieces (0, cells->len, breaks, (const double *) (const void *) cells->data,
                                   n->loop ? KG_EXTEND_CYCLE : KG_EXTEND_HOLD,
                                   n->loop ? KG_EXTEND_CYCLE : KG_EXTEND_HOLD, error);
  if (channel == NULL)
    return false;
  kg_motion_take_channel (n->motion, text, channel);
  return true;
}

/* (nullable) */
static const KgChannel *
exposure_sheet_find_layer (const ExposureSheet *n, GError **error)
{
  const guint count = kg_motion_get_n_channels (n->motion);
  const KgChannel *found = n->layer[0] != '\0' ? kg_motion_find (n->motion, n->layer)
                           : count > 0         ? kg_motion_get_channel (n->motion, 0)
                                               : NULL;

  if (found == NULL && n->layer[0] != '\0') {
    KgSuggestion suggestion = kg_suggestion_begin (n->layer);
    g_autofree char *meant = NULL;

    for (guint i = 0; i < count; i++)
      kg_suggestion_add (&suggestion, kg_motion_get_name (n->motion, i));
    meant = kg_suggestion_end (&suggestion);
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the sheet has no layer \"%s\"%s", n->layer, meant);
  }
  return found;
}

static double
evaluate_at (const KgChannel *channel, double frame)
{
  double value = 0;

  kg_channel_evaluate (channel, frame, &value);
  return value;
}

static bool
exposure_sheet_evaluate (ExposureSheet *n, const KgContext *ctx, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (n->sheet, "\n", -1);
  const KgChannel *layer;
  GError *problem = NULL;
  double frame = floor (n->frame + 1e-9);
  size_t total = 0;

  n->motion = kg_motion_new ();
  for (guint i = 0; lines[i] != NULL; i++) {
    if (kg_context_is_cancelled (ctx))
      return false;
    lines[i][strcspn (lines[i], "#")] = '\0';
    if (g_strstrip (lines[i])[0] != '\0' && !exposure_sheet_read_line (n, lines[i], i + 1, &total, error))
      return false;
  }
  layer = exposure_sheet_find_layer (n, &problem);
  if (problem != NULL) {
    g_propagate_error (error, problem);
    return false;
  }
  if (layer == NULL)
    return true;
  if (!n->loop)
    frame = kg_clamp (frame, n->first, n->first + (double) n->count - 1);
  n->value = evaluate_at (layer, frame);
  n->index = (int64_t) kg_clamp (floor (n->value - n->lowest + 1e-9), 0, 1e9);
  /* Where the exposure begins and ends; no farther than once around. */
  n->held = 1;
  for (double f = frame - 1; n->held < n->count && evaluate_at (layer, f) == n->value && (n->loop || f >= n->first);
       f--)
    n->held++;
  for (double f = frame + 1;
       n->held < n->count && evaluate_at (layer, f) == n->value && (n->loop || f < n->first + (double) n->count); f++)
    n->held++;
  return true;
}

static const KgSlot exposure_sheet_slots[] = {
  KG_INPUT (
      ExposureSheet, sheet, TEXT, .multiline = true, .label = N_ ("Sheet"),
      .def_text = "hero: 1, 1, 2, 2, 3, 3, 4, 4\nground: 1\n",
      .help = N_ (
          "One layer per line: its name, a colon, and the drawing of each frame, separated by commas. 12*3 stands for "
          "three frames of drawing 12; an empty cell holds the previous drawing. # starts a comment. Camera moves and "
          "sounds are layers too: a cell can contain any number.")),
  KG_INPUT (ExposureSheet, layer, TEXT, .label = N_ ("Layer"),
            .help = N_ ("Layer whose drawing is output; empty for the first one.")),
  KG_INPUT (ExposureSheet, first, NUMBER, .label = N_ ("First frame"), .unit = KG_FRAMES, .def = 1, .min = -1e6,
            .max = 1e6, .help = N_ ("Frame of the first cell.")),
  KG_INPUT (ExposureSheet, loop, BOOLEAN, .label = N_ ("Loop"),
            .help = N_ ("Each layer begins again after its last cell; otherwise the last cell is held.")),
  KG_INPUT (ExposureSheet, lowest, NUMBER, .label = N_ ("Lowest drawing"), .def = 1, .min = -1e9, .max = 1e9,
            .soft_min = 0, .soft_max = 1, .help = N_ ("Number of the drawing whose index is 0.")),
  KG_INPUT (ExposureSheet, frame, NUMBER, .driver = KG_DRIVER_FRAME, .label = N_ ("Frame"), .soft_min = 1,
            .soft_max = 240, .help = N_ ("Frame to look up. Without a link it is the current frame.")),
  KG_OUTPUT (ExposureSheet, motion, MOTION, .label = N_ ("Motion"),
             .help = N_ ("All layers over time, in frames: a channel each, with the name of the layer.")),
  KG_OUTPUT (ExposureSheet, value, NUMBER, .label = N_ ("Drawing"), .help = N_ ("What is in the cell of the frame.")),
  KG_OUTPUT (ExposureSheet, index, INTEGER, .label = N_ ("Index"),
             .help = N_ ("Index of the drawing, from 0, for the index of Switch.")),
  KG_OUTPUT (ExposureSheet, held, INTEGER, .label = N_ ("Held"),
             .help = N_ ("Number of successive frames with this drawing: 2 on twos.")),
  KG_OUTPUT (ExposureSheet, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Frames of the longest layer.")),
};

KG_NODE (
    motion, exposure_sheet, ExposureSheet, .label = N_ ("Exposure Sheet"), .version = 1, .since = "0.1",
    .tags = N_ ("dope sheet x-sheet layers cels drawings timing twos animation camera sound"),
    .formula = "drawing(f) = cell f, or the last one before it that is not empty; n*k stands for n in k cells",
    .source = "Parent, Computer Animation, 1.3.1: the exposure sheet of cel animation",
    .help = N_ (
        "Finds the drawing of each layer that is photographed in each frame, as on an exposure sheet. Link its index "
        "to Switch to choose among drawings."));
