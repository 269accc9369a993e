/* beam: a glowing line, added to an image as light.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/beam.h"

typedef struct {
  const Beam *beam;
  float *pixels;
  int width;
  double aspect, reach; /* in pixels */
} BeamJob;

/* p is in eye coordinates, and in front of the eye. */
static BeamEnd
project_end (const View *view, KgVector p, double deviation, double width, double height)
{
  const KgTransform projection = view_get_projection (view);
  const double scale = height / (view->top - view->bottom);
  KgVector image = { 0, 0, 0 };

  view_divide (&projection, p, &image);
  return (BeamEnd){ .x = 0.5 * (image.x + 1) * width,
                    .y = 0.5 * (1 - image.y) * height,
                    .deviation = deviation * (view->parallel ? scale : scale / p.z),
                    .nearness = view->parallel ? p.z : 1 / p.z };
}

bool
beam_project (Beam *beam, const View *view, KgVector from, KgVector to, double deviation, double width, double height)
{
  const double hither = view->near_plane;
  KgVector a = kg_transform_point (view->to_eye, from), b = kg_transform_point (view->to_eye, to);

  if (!(a.z >= hither) && !(b.z >= hither))
    return false;
  if (a.z < hither)
    a = kg_vector_lerp (a, b, (hither - a.z) / (b.z - a.z));
  else if (b.z < hither)
    b = kg_vector_lerp (b, a, (hither - b.z) / (a.z - b.z));
  /* Rounding must not leave an end a little behind the plane. */
  a.z = fmax (a.z, hither);
  b.z = fmax (b.z, hither);
  beam->from = project_end (view, a, deviation, width, height);
  beam->to = project_end (view, b, deviation, width, height);
  beam->parallel = view->parallel;
  return true;
}

static void
add_pixel (const BeamJob *job, size_t i, double x, double y)
{
  const Beam *beam = job->beam;
  const BeamEnd *a = &beam->from, *b = &beam->to;
  const double dx = b->x - a->x, dy = b->y - a->y, length = dx * dx + dy * dy;
  const double t = length > 0 ? kg_clamp (((x - a->x) * dx + (y - a->y) * dy) / length, 0, 1) : 0;
  const double away = hypot (x - (a->x + t * dx), y - (a->y + t * dy));
  const double deviation = a->deviation + t * (b->deviation - a->deviation);
  const double nearness = a->nearness + t * (b->nearness - a->nearness);

  if (!(deviation > 0) || away > BEAM_REACH * deviation)
    return;
  if (beam->behind != NULL && (beam->parallel ? nearness : 1 / nearness) > (double) beam->behind[i])
    return;
  const double d = away / deviation, halo = exp (-0.5 * d * d);
  const double inner = beam->core_share > 0 ? d / beam->core_share : INFINITY, core = exp (-0.5 * inner * inner);

  for (size_t c = 0; c < 3; c++)
    job->pixels[4 * i + c] += (float) ((double) beam->halo[c] * halo + (double) beam->core[c] * core);
}

static void
add_rows (gpointer data, int first, int end)
{
  const BeamJob *job = (const BeamJob *) data;
  const BeamEnd *a = &job->beam->from, *b = &job->beam->to;
  const double dy = b->y - a->y;

  for (int row = first; row < end; row++) {
    const double y = row + 0.5;
    double low = 0, high = 1;

    /* The part of the segment that can reach this row. */
    if (fabs (dy) > 1e-9) {
      const double s = (y - job->reach - a->y) / dy, t = (y + job->reach - a->y) / dy;

      low = fmax (0, fmin (s, t));
      high = fmin (1, fmax (s, t));
    } else if (fabs (y - a->y) > job->reach + 1)
      continue;
    if (low > high)
      continue;
    const double p = a->x + low * (b->x - a->x), q = a->x + high * (b->x - a->x);
    const double left = (fmin (p, q) - job->reach) / job->aspect - 1,
                 right = (fmax (p, q) + job->reach) / job->aspect + 1;
    const int begin = (int) kg_clamp (floor (left), 0, job->width), stop = (int) kg_clamp (ceil (right), 0, job->width);

    for (int column = begin; column < stop; column++)
      add_pixel (job, (size_t) row * (size_t) job->width + (size_t) column, (column + 0.5) * job->aspect, y);
  }
}

bool
beam_add (KgImage **image, const Beam *beam, const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (*image), height = kg_image_get_height (*image);
  BeamJob job = { .beam = beam,
                  .width = width,
                  .aspect = kg_image_get_pixel_aspect (*image),
                  .reach = BEAM_REACH * fmax (beam->from.deviation, beam->to.deviation) };

  if (!(job.reach > 0))
    return true;
  kg_image_make_writable (image);
  job.pixels = kg_image_edit_pixels (*image);
  return image_each_rows (width, height, add_rows, &job, monitor);
}
