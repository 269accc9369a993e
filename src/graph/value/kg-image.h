/* kg-image: RGBA float32, premultiplied, linear light, row 0 at the top, with an optional depth plane.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-buffer.h"
#include "kg-types.h"
#include "kg-math.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Largest width or height, and largest number of pixels. */
#define KG_IMAGE_MAX_SIDE 65535
#define KG_IMAGE_MAX_PIXELS ((size_t) 1 << 28)

/* Within the limits; otherwise KG_ERROR_LIMIT. */
bool kg_image_check_size (int64_t width, int64_t height, GError **error);
/* Transparent black.  width and height of at least 1; larger than the limits is KG_ERROR_LIMIT. */
KgImage *kg_image_new (int64_t width, int64_t height, bool depth, GError **error);
KgImage *kg_image_ref (const KgImage *image);
void kg_image_unref (KgImage *image);
void kg_image_make_writable (KgImage **image);

int kg_image_get_width (const KgImage *image);
int kg_image_get_height (const KgImage *image);
double kg_image_get_pixel_aspect (const KgImage *image); /* width of a pixel over its height */
void kg_image_set_pixel_aspect (KgImage *image, double aspect);

/* 4 floats a pixel, rows without gaps. */
const float *kg_image_get_pixels (const KgImage *image);
float *kg_image_edit_pixels (KgImage *image);
/* The same for pixels that will all be written over: they are not copied where they are shared, see
 * kg_buffer_make_writable_uncopied. */
float *kg_image_edit_pixels_uncopied (KgImage *image, KgBuffer **shared);
/* (nullable) One float a pixel: distance along the view axis in metres, infinity where nothing was hit. */
const float *kg_image_get_depth (const KgImage *image);
float *kg_image_edit_depth (KgImage *image); /* added (infinite) when missing */

/* Work on the pixels that is still to be done, so that several operations go over memory once.  run makes the pixels what they
 * shall be; false when monitor says that it is cancelled. */
typedef struct {
  bool (*run) (gpointer work, const KgProgressMonitor *monitor);
  GDestroyNotify free;
  gpointer work;
} KgImagePending;

/* For an image that nobody else holds.  pending: taken. */
void kg_image_set_pending (KgImage *image, KgImagePending pending);
/* (transfer none) (nullable) The work, if it is that of run: to add to it, by whom alone holds the image. */
gpointer kg_image_get_pending (KgImage *image, bool (*run) (gpointer work, const KgProgressMonitor *monitor));
/* Does what is pending.  Whoever asks for pixels finds them complete in any case; this one can be cancelled (false: the image is
 * to be thrown away).  monitor: (nullable) */
bool kg_image_complete (const KgImage *image, const KgProgressMonitor *monitor);

/* (nullable) A part within the image: width by height pixels from (x, y) on, with their depth.  Of the whole it keeps whether that is
 * opaque.  *error when memory runs out. */
KgImage *kg_image_new_part (const KgImage *image, int x, int y, int width, int height, GError **error);
/* Whether alpha is 1 (or more) everywhere; of a part of an image, everywhere in the image.  Looked at once. */
bool kg_image_is_opaque (const KgImage *image);

/* A part of an image: of one that has width by height pixels, those from (x, y) on. */
typedef struct {
  int width, height;
  int x, y, part_width, part_height; /* within the image */
} KgImagePart;

static inline KgImagePart
kg_image_part_all (int width, int height)
{
  return (KgImagePart){ width, height, 0, 0, width, height };
}

static inline bool
kg_image_part_is_all (const KgImagePart *part)
{
  return part->part_width == part->width && part->part_height == part->height;
}

/* As many pixels more on all sides as there are. */
static inline KgImagePart
kg_image_part_grow (KgImagePart part, int more)
{
  const int x = MAX (0, part.x - more), y = MAX (0, part.y - more);

  return (KgImagePart){ part.width,
                        part.height,
                        x,
                        y,
                        MIN (part.width, part.x + part.part_width + more) - x,
                        MIN (part.height, part.y + part.part_height + more) - y };
}

/* The sRGB transfer curve (IEC 61966-2-1), for one component. */
double kg_srgb_encode (double linear);
double kg_srgb_decode (double encoded);

bool kg_image_equal (const KgImage *a, const KgImage *b);
void kg_image_each_buffer (const KgImage *image, KgBufferVisit visit, gpointer data);
bool kg_image_check_finite (const KgImage *image, GError **error);
KgHash kg_image_get_fingerprint (const KgImage *image);
void kg_image_set_fingerprint (KgImage *image, KgHash fingerprint);

/* Bilinear sample at continuous coordinates (pixel centres at + 0.5), edges clamped; rgba: 4 floats out. */
void kg_image_sample (const KgImage *image, double x, double y, float *rgba);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgImage, kg_image_unref)

G_END_DECLS
