/* image_part: parts of images, in nodes whose pixels depend on where they are (KgNodeRegion).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/image_wear.h"
#include "image/resample.h"

/* Which part of its whole the image of a node is, and which part of the whole result the node makes. */
typedef struct {
  KgImagePart in, out;
} ImageParts;

/* field: of the image; width, height: of the whole result. */
G_GNUC_UNUSED static ImageParts
image_parts_of_size (const KgContext *ctx, size_t field, const KgImage *image, int width, int height)
{
  ImageParts parts = { .in = kg_context_get_image_part (ctx, field, image) };

  if (!kg_context_get_part (ctx, &parts.out))
    parts.out = kg_image_part_all (width, height);
  return parts;
}

/* Of a node whose result is as large as its image. */
G_GNUC_UNUSED static ImageParts
image_parts_of (const KgContext *ctx, size_t field, const KgImage *image)
{
  return image_parts_of_size (ctx, field, image, kg_image_get_width (image), kg_image_get_height (image));
}

G_GNUC_UNUSED static ResampleWindow
image_part_to_window (const KgImagePart *part)
{
  return (ResampleWindow){ part->x, part->y, part->part_width, part->part_height };
}

G_GNUC_UNUSED static void
image_part_set_window (KgImagePart *part, const ResampleWindow *window)
{
  part->x = window->x;
  part->y = window->y;
  part->part_width = window->width;
  part->part_height = window->height;
}

/* Grows the part until it covers another one of the same image. */
G_GNUC_UNUSED static void
image_part_cover (KgImagePart *part, const KgImagePart *other)
{
  const int right = MAX (part->x + part->part_width, other->x + other->part_width);
  const int bottom = MAX (part->y + part->part_height, other->y + other->part_height);

  part->x = MIN (part->x, other->x);
  part->y = MIN (part->y, other->y);
  part->part_width = right - part->x;
  part->part_height = bottom - part->y;
}

/* pixels: (nullable) of the part. */
G_GNUC_UNUSED static ResampleSource
image_part_to_source (const KgImagePart *part, const float *pixels, int filter, int edges)
{
  const bool all = kg_image_part_is_all (part);

  return (ResampleSource){ .pixels = pixels,
                           .width = part->width,
                           .height = part->height,
                           .filter = (ResampleFilter) filter,
                           .edges = (ResampleEdges) edges,
                           .left = part->x,
                           .top = part->y,
                           .columns = all ? 0 : part->part_width,
                           .rows = all ? 0 : part->part_height };
}

/* (transfer full) (nullable) The image where the result is, which must be within its part. */
G_GNUC_UNUSED static KgImage *
image_parts_cut (const ImageParts *parts, const KgImage *image, GError **error)
{
  const KgImagePart *in = &parts->in, *out = &parts->out;

  if (in->x == out->x && in->y == out->y && in->part_width == out->part_width && in->part_height == out->part_height)
    return kg_image_ref (image);
  return kg_image_new_part (image, out->x - in->x, out->y - in->y, out->part_width, out->part_height, error);
}

/* A warp: from where each pixel of the result comes. */
typedef struct {
  ResampleFind find;
  const void *data;
  const double *steps; /* (nullable) see resample_warp */
  int filter, edges;
} ImageWarp;

/* For .region: what the warp takes of the image, and the part of the result itself, for masks, mixes and depths. */
G_GNUC_UNUSED static bool
image_warp_find_part (const ImageWarp *warp, const KgContext *ctx, KgImagePart *needed)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const KgImagePart out = *needed;
  const ResampleWindow part = image_part_to_window (&out);
  const ResampleSource source = { .width = needed->width,
                                  .height = needed->height,
                                  .filter = (ResampleFilter) warp->filter,
                                  .edges = (ResampleEdges) warp->edges };
  ResampleWindow window;

  if (!resample_warp_find_window (&source, warp->find, warp->data, warp->steps, &part, &window, &monitor))
    return false;
  image_part_set_window (needed, &window);
  image_part_cover (needed, &out);
  return true;
}

/* (transfer full) (nullable) The result, from a part of the image. */
G_GNUC_UNUSED static KgImage *
image_warp_run (const ImageWarp *warp, const ImageParts *parts, const KgImage *image, const KgProgressMonitor *monitor,
                GError **error)
{
  const ResampleSource source =
      image_part_to_source (&parts->in, kg_image_get_pixels (image), warp->filter, warp->edges);
  const ResampleWindow part = image_part_to_window (&parts->out);
  g_autoptr (KgImage) result = image_parts_cut (parts, image, error);

  if (result == NULL)
    return NULL;
  kg_image_make_writable (&result);
  if (!resample_warp_part (&source, warp->find, warp->data, warp->steps, &part, kg_image_edit_pixels (result), monitor))
    return NULL;
  return g_steal_pointer (&result);
}

/* The same with what every operation wears. */
G_GNUC_UNUSED static bool
image_warp_apply (const ImageWarp *warp, const ImageParts *parts, const KgImage *image, const ImageWear *wear,
                  KgImage **result, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (KgImage) before = image_parts_cut (parts, image, error);

  *result = before != NULL ? image_warp_run (warp, parts, image, monitor, error) : NULL;
  return *result != NULL && image_wear (before, wear, result, monitor);
}

/* Of a node to whose .region pixels are square: whether they are not, so that no part can be made. */
G_GNUC_UNUSED static bool
image_parts_refuse (const KgContext *ctx, const KgImage *image)
{
  KgImagePart part;

  if (kg_image_get_pixel_aspect (image) == 1 || !kg_context_get_part (ctx, &part))
    return false;
  kg_context_refuse_part (ctx);
  return true;
}
