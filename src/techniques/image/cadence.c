/* cadence: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/cadence.h"

/* Film frames in the fields of one period, two each video frame. */
static const int two_three[10] = { 0, 0, 1, 1, 1, 2, 2, 3, 3, 3 };
static const int advanced[10] = { 0, 0, 1, 1, 1, 2, 2, 2, 3, 3 };

/* Film and video frames of one period. */
static int
get_period_film (Cadence cadence)
{
  return cadence == CADENCE_2_2 ? 24 : 4;
}

static int
get_period_video (Cadence cadence)
{
  return cadence == CADENCE_2_2 ? 25 : 5;
}

static int64_t
divide_down (int64_t a, int64_t b, int *rest)
{
  int64_t quotient = a / b, r = a % b;

  if (r < 0) {
    quotient--;
    r += b;
  }
  *rest = (int) r;
  return quotient;
}

/* Within a period. */
static int
get_film (Cadence cadence, int video, int field)
{
  if (cadence == CADENCE_2_2)
    return MIN (video, 23);
  return cadence == CADENCE_2_3 ? two_three[2 * video + field] : advanced[2 * video + field];
}

void
cadence_find_film (Cadence cadence, int64_t video, int64_t fields[2])
{
  int rest;
  const int64_t period = divide_down (video, get_period_video (cadence), &rest);

  for (int field = 0; field < 2; field++)
    fields[field] = period * get_period_film (cadence) + get_film (cadence, rest, field);
}

void
cadence_find_video (Cadence cadence, int64_t film, int64_t fields[2])
{
  int rest;
  const int64_t period = divide_down (film, get_period_film (cadence), &rest);
  const int n = get_period_video (cadence);

  for (int field = 0; field < 2; field++) {
    int video = 0;

    while (video < n - 1 && get_film (cadence, video, field) != rest)
      video++;
    fields[field] = period * n + video;
  }
  /* A frame that has both fields by itself is better than two. */
  for (int video = 0; video < n; video++)
    if (get_film (cadence, video, 0) == rest && get_film (cadence, video, 1) == rest) {
      fields[0] = fields[1] = period * n + video;
      break;
    }
}
