/* timecode: see timecode.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "value/timecode.h"

#include <stdio.h>

/* Numbers that are dropped each minute but every tenth. */
static int64_t
get_dropped (TimecodeRule rule)
{
  return rule.drop ? rule.rate / 15 : 0;
}

bool
timecode_read (const char *text, TimecodeRule rule, const char *what, int64_t *frame, GError **error)
{
  const int64_t dropped = get_dropped (rule);
  int hh, mm, ss, ff, end = 0;
  int64_t minutes;

  if ((sscanf (text, "%2d%*[:.;,]%2d%*[:.;,]%2d%*[:.;,]%3d%n", &hh, &mm, &ss, &ff, &end) != 4 || text[end] != '\0') &&
      (sscanf (text, "%2d%2d%2d%2d%n", &hh, &mm, &ss, &ff, &end) != 4 || text[end] != '\0')) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s \"%s\" is not a timecode: write hours, minutes, seconds and frames, such as 01:00:00:00", what,
                  text);
    return false;
  }
  if (hh < 0 || mm < 0 || ss < 0 || ff < 0 || hh > 23 || mm > 59 || ss > 59 || ff >= rule.rate) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s \"%s\": hours go to 23, minutes and seconds to 59, and frames to %d at this rate", what, text,
                  (int) rule.rate - 1);
    return false;
  }
  if (dropped > 0 && ss == 0 && mm % 10 != 0 && ff < dropped) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s \"%s\" is one of the numbers that are dropped: the minute begins with frame %d", what, text,
                  (int) dropped);
    return false;
  }
  minutes = 60 * (int64_t) hh + mm;
  *frame = (60 * minutes + ss) * rule.rate + ff - dropped * (minutes - minutes / 10);
  return true;
}

int64_t
timecode_get_day (TimecodeRule rule)
{
  return 144 * (600 * rule.rate - 9 * get_dropped (rule));
}

Timecode
timecode_split (int64_t frame, TimecodeRule rule)
{
  const int64_t rate = rule.rate, dropped = get_dropped (rule);
  const int64_t per_ten = 600 * rate - 9 * dropped, day = timecode_get_day (rule);
  int64_t number = ((frame % day) + day) % day;

  if (dropped > 0) {
    const int64_t tens = number / per_ten, rest = number % per_ten;

    /* The numbers that were skipped come back in, so that the rest is division. */
    number += 9 * dropped * tens;
    if (rest >= 60 * rate)
      number += dropped * (1 + (rest - 60 * rate) / (60 * rate - dropped));
  }
  return (Timecode){ (int) (number / (3600 * rate)), (int) (number / (60 * rate) % 60), (int) (number / rate % 60),
                     (int) (number % rate) };
}

void
timecode_write (int64_t frame, TimecodeRule rule, char text[TIMECODE_LENGTH])
{
  const Timecode code = timecode_split (frame, rule);

  g_snprintf (text, TIMECODE_LENGTH, "%02d:%02d:%02d%c%02d", code.hours, code.minutes, code.seconds,
              rule.drop ? ';' : ':', code.frames);
}
