/* value/timecode: frames as hours, minutes, seconds and frames, and back.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "value/timecode.h"

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
} TimecodeNode;

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
timecode_get_rate (const TimecodeNode *n, double *real)
{
  static const int64_t counted[N_RATES] = { 24, 25, 30, 30, 50, 60, 60, 16, 18, 0 };
  const int64_t count = n->rate == RATE_CUSTOM ? (int64_t) fmax (ceil (n->custom - 1e-9), 1) : counted[n->rate];

  *real = n->rate == RATE_CUSTOM                               ? n->custom
          : n->rate == RATE_30_NTSC || n->rate == RATE_60_NTSC ? (double) count * 1000 / 1001
                                                               : (double) count;
  return count;
}

static bool
timecode_evaluate (TimecodeNode *n, const KgContext *ctx, GError **error)
{
  TimecodeRule rule = { .drop = n->drop };
  char text[TIMECODE_LENGTH];
  int64_t first = 0, frame;
  Timecode code;

  rule.rate = timecode_get_rate (n, &n->real);
  if (n->start[0] != '\0' && !timecode_read (n->start, rule, "start", &first, error))
    return false;
  if (n->parse[0] != '\0' && !timecode_read (n->parse, rule, "timecode", &n->parsed, error))
    return false;
  if (n->drop && n->rate != RATE_30_NTSC && n->rate != RATE_60_NTSC)
    kg_context_warn (ctx, "numbers are dropped only at 29.97 or 59.94 frames per second, to keep up with the clock");
  n->parsed = n->parse[0] != '\0' ? n->parsed - first + 1 : 0;
  frame = (int64_t) kg_clamp (floor (n->frame + 1e-9), -1e15, 1e15) - 1 + first;
  n->real = (double) frame / n->real;
  code = timecode_split (frame, rule);
  timecode_write (frame, rule, text);
  n->text = g_strdup (text);
  n->hours = code.hours;
  n->minutes = code.minutes;
  n->seconds = code.seconds;
  n->frames = code.frames;
  return true;
}

static const KgSlot timecode_slots[] = {
  KG_INPUT (TimecodeNode, frame, NUMBER, .driver = KG_DRIVER_FRAME, .label = N_ ("Frame"), .soft_min = 1,
            .soft_max = 240, .help = N_ ("Frame 1 has the start timecode. Without a link it is the current frame.")),
  KG_INPUT (TimecodeNode, rate, CHOICE, .label = N_ ("Rate"), .choices = timecode_rates,
            .help = N_ ("Frames per second.")),
  KG_INPUT (TimecodeNode, custom, NUMBER, .label = N_ ("Custom rate"), .def = 12, .min = 1, .max = 999, .soft_max = 120,
            .shown_when = "rate=custom", .help = N_ ("Frames per second.")),
  KG_INPUT (
      TimecodeNode, drop, BOOLEAN, .label = N_ ("Drop frames"), .shown_when = "rate=29.97|59.94",
      .help =
          N_ ("Skips the first numbers of each minute except every tenth, so that the code keeps up with the clock. No "
              "image is dropped.")),
  KG_INPUT (TimecodeNode, start, TEXT, .label = N_ ("Start"), .def_text = "00:00:00:00",
            .help = N_ ("Timecode of frame 1, as 01:00:00:00 or 01000000.")),
  KG_INPUT (TimecodeNode, parse, TEXT, .label = N_ ("Timecode"),
            .help = N_ ("A timecode to convert to a frame; may be empty.")),
  KG_OUTPUT (TimecodeNode, text, TEXT, .label = N_ ("Text"), .help = N_ ("The timecode of the frame.")),
  KG_OUTPUT (TimecodeNode, hours, INTEGER, .label = N_ ("Hours"), .help = N_ ("Hours of the timecode.")),
  KG_OUTPUT (TimecodeNode, minutes, INTEGER, .label = N_ ("Minutes"), .help = N_ ("Minutes of the timecode.")),
  KG_OUTPUT (TimecodeNode, seconds, INTEGER, .label = N_ ("Seconds"), .help = N_ ("Seconds of the timecode.")),
  KG_OUTPUT (TimecodeNode, frames, INTEGER, .label = N_ ("Frames"), .help = N_ ("Frames of the timecode.")),
  KG_OUTPUT (TimecodeNode, parsed, INTEGER, .label = N_ ("Parsed frame"),
             .help = N_ ("The frame of the timecode that was typed.")),
  KG_OUTPUT (TimecodeNode, real, NUMBER, .unit = KG_SECONDS, .label = N_ ("Clock"),
             .help = N_ ("Seconds that pass up to the frame since 00:00:00:00.")),
};

KG_NODE (
    value, timecode, TimecodeNode, .label = N_ ("Timecode"), .version = 1, .since = "0.1",
    .tags = N_ ("smpte burn in counter drop frame clock slate"),
    .formula = "n = ((hh · 60 + mm) · 60 + ss) F + ff − 2 (M − ⌊M/10⌋) if frames are dropped, M = 60 hh + mm",
    .source = "SMPTE time and control code; Parent, Computer Animation, 1.3.2",
    .help = N_ (
        "Converts frames to timecode (hours, minutes, seconds and frames), and timecode to frames. Use it with Text "
        "to burn timecode into images."));
