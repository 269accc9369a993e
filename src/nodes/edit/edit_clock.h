/* edit_clock: the slots that say what timecodes mean.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "edit/edit_list.h"
#include "kg-node.h"

/* Fields of the job. */
#define EDIT_CLOCK_FIELDS                                                                                              \
  const char *reels;                                                                                                   \
  int64_t rate;                                                                                                        \
  bool drop;                                                                                                           \
  const char *start

/* Their rows; start_help_: what an empty start means. */
#define EDIT_CLOCK_INPUTS(T, start_help_)                                                                              \
  KG_INPUT (T, reels, TEXT, .label = N_ ("Reels"), .multiline = true, .def_text = "",                                  \
            .help = N_ ("Names of the Timeline's images in the list, one per line. A timecode after a name, such as "  \
                        "01:00:00:00, is the timecode of frame 1 of that source.")),                                   \
      KG_INPUT (T, rate, INTEGER, .label = N_ ("Rate"), .unit = KG_HERTZ, .max = 999, .soft_max = 60,                  \
                .help = N_ ("Frames counted per second. 0: the rate of the graph, rounded.")),                         \
      KG_INPUT (T, drop, BOOLEAN, .label = N_ ("Drop frames"),                                                         \
                .help = N_ ("Skips the first frame numbers of each minute, except every tenth minute, as at 29.97 "    \
                            "frames per second. If a list specifies this itself, its setting is used.")),              \
      KG_INPUT (T, start, TEXT, .label = N_ ("Start"), .def_text = "", .help = start_help_)

/* The clock of a job; start: what is read where the text is empty. */
static inline bool
edit_clock_read (int64_t rate, bool drop, const char *text, int64_t start, const KgContext *ctx, EditClock *clock,
                 GError **error)
{
  clock->rule.rate = rate > 0 ? rate : (int64_t) kg_clamp (nearbyint (ctx->rate), 1, 999);
  clock->rule.drop = drop;
  clock->first = ctx->start;
  clock->start = start;
  return text[0] == '\0' || timecode_read (text, clock->rule, "start", &clock->start, error);
}
