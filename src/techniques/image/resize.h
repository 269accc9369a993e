/* resize: an image at another size, with a filter that covers all of what it shrinks.
 * Source: Smith 1983, "Digital filtering tutorial"; Turkowski 1990, "Filters for common resampling tasks".
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/resample.h"

G_BEGIN_DECLS

/* Where along one axis the pixels of the result are: result pixel x covers the source from start + x step to start + (x + 1) step. */
typedef struct {
  double start, step;
} ResizeAxis;

/* Fills to (to_width by to_height, RGBA) with the source; the filter is stretched where the image shrinks, so that each pixel counts, and
 * the weights of each pixel have the sum 1; with RESAMPLE_TRANSPARENT, the part of it that lies over the source.  Two passes, across and down; the same bits for any number of threads.  False when monitor
 * (nullable) says that it is cancelled. */
bool resize_image (const ResampleSource *source, const ResizeAxis *across, const ResizeAxis *down, float *to,
                   int to_width, int to_height, const KgProgressMonitor *monitor);

/* The same for a part of the result, with the same bits as in the whole; the source may be a part as well. */
bool resize_part (const ResampleSource *source, const ResizeAxis *across, const ResizeAxis *down,
                  const ResampleWindow *part, float *to, const KgProgressMonitor *monitor);
/* Which pixels of the source, whose own are not looked at, that part comes from. */
void resize_find_window (const ResampleSource *source, const ResizeAxis *across, const ResizeAxis *down,
                         const ResampleWindow *part, ResampleWindow *window);

G_END_DECLS
