/* value/timecode: frames as hours, minutes, seconds and frames, and back.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

#include <math.h>
#include <stdio.h>

typedef struct {
  double frame;
  int rate;
  double custom;
  bool drop;
  const char *start;
  const char *parse;
  char *text;
  int64_t hours;
  int64_t minutes;
  int64_t seconds;
  int64_t frames;
  int64_t parsed;
  double real;
} Timecode;

enum {
  RATE_24,
  RATE_25,
  RATE_30,
  RATE_30_NTSC,
  RATE_50,
  RATE_60,
  RATE_60_NTSC,
  RATE_16,
  RATE_18,
  RATE_CUSTOM,
  N_RATES
};

static const KgChoice timecode_rates[] = {
  [RATE_24] = { "24", N_ ("24: film") },
  [RATE_25] = { "25", N_ ("25: PAL, SECAM") },
  [RATE_30] = { "30", N_ ("30") },
  [RATE_30_NTSC] = { "29.97", N_ ("29.97 (30000/1001): NTSC") },
  [RATE_50] = { "50", N_ ("50") },
  [RATE_60] = { "60", N_ ("60") },
  [RATE_60_NTSC] = { "59.94", N_ ("59.94 (60000/1001)") },
  [RATE_16] = { "16", N_ ("16: silent film") },
  [RATE_18] = { "18", N_ ("18: Super 8") },
  [RATE_CUSTOM] = { "custom", N_ ("Another rate") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (timecode_rates, N_RATES);

/* Frames that are counted in a second, and frames that pass in one. */
static int64_t
timecode_get_rate (const Timecode *n, double *real)
{
  static const int64_t counted[N_RATES] = { 24, 25, 30, 30, 50, 60, 60, 16, 18, 0 };
  const int64_t count = n->rate == RATE_CUSTOM ? (int64_t) fmax (ceil (n->custom - 1e-9), 1) : counted[n->rate];

  *real = n->rate == RATE_CUSTOM                               ? n->custom
          : n->rate == RATE_30_NTSC || n->rate == RATE_60_NTSC ? (double) count * 1000 / 1001
                                                               : (double) count;
  return count;
}

/* Numbers that are dropped each minute but every tenth. */
static int64_t
get_dropped (const Timecode *n, int64_t rate)
{
  return n->drop ? rate / 15 : 0;
}

/* Frames since 00:00:00:00. */
static bool
timecode_read (const Timecode *n, const char *text, const char *slot, int64_t *frame, GError **error)
{
  int hh, mm, ss, ff, end = 0;
  double real;
  const int64_t rate = timecode_get_rate (n, &real), dropped = get_dropped (n, rate);
  int64_t minutes;

  if ((sscanf (text, "%2d%*[:.;]%2d%*[:.;]%2d%*[:.;]%3d%n", &hh, &mm, &ss, &ff, &end) != 4 || text[end] != '\0') &&
      (sscanf (text, "%2d%2d%2d%2d%n", &hh, &mm, &ss, &ff, &end) != 4 || text[end] != '\0')) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s \"%s\" is no timecode: write hours, minutes, seconds and frames, such as 01:00:00:00", slot,
                  text);
    return false;
  }
  if (hh < 0 || mm < 0 || ss < 0 || ff < 0 || hh > 23 || mm > 59 || ss > 59 || ff >= rate) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s \"%s\": hours go to 23, minutes and seconds to 59, and frames to %d at this rate", slot, text,
                  (int) rate - 1);
    return false;
  }
  if (dropped > 0 && ss == 0 && mm % 10 != 0 && ff < dropped) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s \"%s\" is one of the numbers that are dropped: the minute begins with frame %d", slot, text,
                  (int) dropped);
    return false;
  }
  minutes = 60 * (int64_t) hh + mm;
  *frame = (60 * minutes + ss) * rate + ff - dropped * (minutes - minutes / 10);
  return true;
}

static void
timecode_write (Timecode *n, int64_t frame)
{
  double real;
  const int64_t rate = timecode_get_rate (n, &real), dropped = get_dropped (n, rate);
  const int64_t per_ten = 600 * rate - 9 * dropped, day = 144 * per_ten;
  int64_t number = ((frame % day) + day) % day;

  if (dropped > 0) {
    const int64_t tens = number / per_ten, rest = number % per_ten;

    /* The numbers that were skipped come back in, so that the rest is division. */
    number += 9 * dropped * tens;
    if (rest >= 60 * rate)
      number += dropped * (1 + (rest - 60 * rate) / (60 * rate - dropped));
  }
  n->frames = number % rate;
  n->seconds = number / rate % 60;
  n->minutes = number / (60 * rate) % 60;
  n->hours = number / (3600 * rate);
  n->text = g_strdup_printf ("%02d:%02d:%02d%c%02d", (int) n->hours, (int) n->minutes, (int) n->seconds,
                             n->drop ? ';' : ':', (int) n->frames);
}

static bool
timecode_evaluate (Timecode *n, const KgContext *ctx, GError **error)
{
  int64_t first = 0, frame;

  if (n->start[0] != '\0' && !timecode_read (n, n->start, "start", &first, error))
    return false;
  if (n->parse[0] != '\0' && !timecode_read (n, n->parse, "timecode", &n->parsed, error))
    return false;
  if (n->drop && n->rate != RATE_30_NTSC && n->rate != RATE_60_NTSC)
    kg_context_warn (ctx, "numbers are only dropped to keep 29.97 or 59.94 frames per second on time");
  n->parsed = n->parse[0] != '\0' ? n->parsed - first + 1 : 0;
  frame = (int64_t) kg_clamp (floor (n->frame + 1e-9), -1e15, 1e15) - 1 + first;
  timecode_get_rate (n, &n->real);
  timecode_write (n, frame);
  n->real = (double) frame / n->real;
  return true;
}

static const KgSlot timecode_slots[] = {
  KG_INPUT (Timecode, frame, NUMBER, .driver = KG_DRIVER_FRAME, .label = N_ ("Frame"), .soft_min = 1, .soft_max = 240,
            .help = N_ ("Frame 1 has the start timecode. Without a link it is the current frame.")),
  KG_INPUT (Timecode, rate, CHOICE, .label = N_ ("Rate"), .choices = timecode_rates, .help = N_ ("Frames per second.")),
  KG_INPUT (Timecode, custom, NUMBER, .label = N_ ("Custom rate"), .def = 12, .min = 1, .max = 999, .soft_max = 120,
            .shown_when = "rate=custom", .help = N_ ("Frames per second.")),
  KG_INPUT (
      Timecode, drop, BOOLEAN, .label = N_ ("Drop frames"), .shown_when = "rate=29.97|59.94",
      .help = N_ (
          "Skips the first numbers of each minute but every tenth, so that the code keeps up with the clock. No image is dropped.")),
  KG_INPUT (Timecode, start, TEXT, .label = N_ ("Start"), .def_text = "00:00:00:00",
            .help = N_ ("Timecode of frame 1, as 01:00:00:00 or 01000000.")),
  KG_INPUT (Timecode, parse, TEXT, .label = N_ ("Timecode"),
            .help = N_ ("A timecode whose frame is wanted; may be empty.")),
  KG_OUTPUT (Timecode, text, TEXT, .label = N_ ("Text"), .help = N_ ("The timecode of the frame.")),
  KG_OUTPUT (Timecode, hours, INTEGER, .label = N_ ("Hours"), .help = N_ ("Its hours.")),
  KG_OUTPUT (Timecode, minutes, INTEGER, .label = N_ ("Minutes"), .help = N_ ("Its minutes.")),
  KG_OUTPUT (Timecode, seconds, INTEGER, .label = N_ ("Seconds"), .help = N_ ("Its seconds.")),
  KG_OUTPUT (Timecode, frames, INTEGER, .label = N_ ("Frames"), .help = N_ ("Its frames.")),
  KG_OUTPUT (Timecode, parsed, INTEGER, .label = N_ ("Parsed frame"),
             .help = N_ ("The frame of the timecode that was typed.")),
  KG_OUTPUT (Timecode, real, NUMBER, .unit = KG_SECONDS, .label = N_ ("Clock"),
             .help = N_ ("Seconds that pass up to the frame since 00:00:00:00.")),
};

KG_NODE (
    value, timecode, Timecode, .label = N_ ("Timecode"), .version = 1, .since = "0.1",
    .tags = N_ ("smpte burn in counter drop frame clock slate"),
    .formula = "n = ((hh · 60 + mm) · 60 + ss) F + ff − 2 (M − ⌊M/10⌋) if frames are dropped, M = 60 hh + mm",
    .source = "SMPTE time and control code; Parent, Computer Animation, 1.3.2",
    .help = N_ (
        "Writes frames as timecode, hours, minutes, seconds and frames, and reads it: to burn it into images with Text."));
