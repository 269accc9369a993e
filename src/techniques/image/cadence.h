/* cadence: which film frames the fields of video frames show (pulldown), and back.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef enum {
  CADENCE_2_3,     /* AA BB BC CD DD: 24 to 30 */
  CADENCE_2_3_3_2, /* AA BB BC CC DD: 24 to 30, one frame to leave out */
  CADENCE_2_2,     /* 24 film frames and one repeated field pair: 24 to 25 */
  CADENCE_N
} Cadence;

/* The film frames in the first and second field of a video frame; all count from 0 and may be negative. */
void cadence_find_film (Cadence cadence, int64_t video, int64_t fields[2]);
/* Video frames whose first and second field show a film frame. */
void cadence_find_video (Cadence cadence, int64_t film, int64_t fields[2]);

G_END_DECLS
