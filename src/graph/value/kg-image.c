/* kg-image: pixels and depth.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-image.h"

#include "kg-finite.h"
#include "kg-hash.h"

#include <inttypes.h>

struct _KgImage {
  gatomicrefcount refs;
  int width, height;
  double aspect;
  KgBuffer *pixels;
  KgBuffer *depth; /* NULL without */
  KgHash fingerprint;
  KgImagePending *pending; /* owned; NULL: the pixels are complete */
  GMutex lock;             /* of pending: two threads may ask for the pixels of an image that they share */
  gint opaque;             /* atomic: OPAQUE_UNKNOWN until it is asked for */
};

enum { OPAQUE_UNKNOWN, OPAQUE_NO, OPAQUE_YES };

static size_t
count (const KgImage *image)
{
  return (size_t) image->width * (size_t) image->height;
}

static void
clear_depth (float *depth, size_t n)
{
  for (size_t i = 0; i < n; i++)
    depth[i] = INFINITY;
}

bool
kg_image_check_size (int64_t width, int64_t height, GError **error)
{
  if (width >= 1 && height >= 1 && width <= KG_IMAGE_MAX_SIDE && height <= KG_IMAGE_MAX_SIDE &&
      (size_t) width * (size_t) height <= KG_IMAGE_MAX_PIXELS)
    return true;
  kg_set_error (error, KG_ERROR_LIMIT,
                "an image of %" PRId64 " × %" PRId64 " pixels: use 1 to %d per side and at most %zu in all", width,
                height, KG_IMAGE_MAX_SIDE, KG_IMAGE_MAX_PIXELS);
  return false;
}

KgImage *
kg_image_new (int64_t width, int64_t height, bool depth, GError **error)
{
  KgImage *image;

  if (!kg_image_check_size (width, height, error))
    return NULL;
  image = g_new0 (KgImage, 1);
  g_atomic_ref_count_init (&image->refs);
  g_mutex_init (&image->lock);
  image->width = (int) width;
  image->height = (int) height;
  image->aspect = 1;
  image->pixels = kg_buffer_new (count (image) * 4 * sizeof (float));
  if (depth)
    image->depth = kg_buffer_new (count (image) * sizeof (float));
  if (image->pixels == NULL || (depth && image->depth == NULL)) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for an image of %d × %d pixels", image->width,
                  image->height);
    g_clear_pointer (&image->pixels, kg_buffer_unref);
    g_clear_pointer (&image->depth, kg_buffer_unref);
    g_free (image);
    return NULL;
  }
  kg_buffer_set_finite (image->pixels);
  if (depth)
    clear_depth (kg_image_edit_depth (image), count (image));
  return image;
}

/* Pending work. */

void
kg_image_set_pending (KgImage *image, KgImagePending pending)
{
  g_return_if_fail (image->pending == NULL && g_atomic_ref_count_compare (&image->refs, 1));
  image->pending = g_new (KgImagePending, 1);
  *image->pending = pending;
  image->fingerprint = (KgHash){ 0, 0 };
}

gpointer
kg_image_get_pending (KgImage *image, bool (*run) (gpointer work, const KgProgressMonitor *monitor))
{
  if (image->pending == NULL || image->pending->run != run || !g_atomic_ref_count_compare (&image->refs, 1))
    return NULL;
  /* With more work it becomes another image. */
  image->fingerprint = (KgHash){ 0, 0 };
  return image->pending->work;
}

static void
clear_pending (KgImagePending *pending)
{
  if (pending != NULL)
    pending->free (pending->work);
  g_free (pending);
}

bool
kg_image_complete (const KgImage *image, const KgProgressMonitor *monitor)
{
  KgImage *own = (KgImage *) image;
  KgImagePending *pending;
  bool good = true;

  if (g_atomic_pointer_get (&own->pending) == NULL)
    return true;
  g_mutex_lock (&own->lock);
  pending = own->pending;
  if (pending != NULL) {
    good = pending->run (pending->work, monitor);
    g_atomic_pointer_set (&own->pending, NULL);
    clear_pending (pending);
  }
  g_mutex_unlock (&own->lock);
  return good;
}

KgImage *
kg_image_ref (const KgImage *image)
{
  KgImage *i = (KgImage *) image;

  g_atomic_ref_count_inc (&i->refs);
  return i;
}

void
kg_image_unref (KgImage *image)
{
  if (!g_atomic_ref_count_dec (&image->refs))
    return;
  clear_pending (image->pending);
  g_mutex_clear (&image->lock);
  kg_buffer_unref (image->pixels);
  g_clear_pointer (&image->depth, kg_buffer_unref);
  g_free (image);
}

void
kg_image_make_writable (KgImage **image)
{
  KgImage *copy;

  if (g_atomic_ref_count_compare (&(*image)->refs, 1))
    return;
  kg_image_complete (*image, NULL);
  copy = (KgImage *) g_memdup2 (*image, sizeof *copy);
  g_atomic_ref_count_init (&copy->refs);
  g_mutex_init (&copy->lock);
  copy->fingerprint = (KgHash){ 0, 0 };
  kg_buffer_ref (copy->pixels);
  if (copy->depth != NULL)
    kg_buffer_ref (copy->depth);
  kg_image_unref (*image);
  *image = copy;
}

int
kg_image_get_width (const KgImage *image)
{
  return image->width;
}

int
kg_image_get_height (const KgImage *image)
{
  return image->height;
}

double
kg_image_get_pixel_aspect (const KgImage *image)
{
  return image->aspect;
}

void
kg_image_set_pixel_aspect (KgImage *image, double aspect)
{
  image->aspect = aspect;
  image->fingerprint = (KgHash){ 0, 0 };
}

const float *
kg_image_get_pixels (const KgImage *image)
{
  kg_image_complete (image, NULL);
  return (const float *) kg_buffer_get_data (image->pixels);
}

float *
kg_image_edit_pixels (KgImage *image)
{
  float *pixels;

  kg_image_complete (image, NULL);
  image->opaque = OPAQUE_UNKNOWN;
  pixels = (float *) kg_buffer_make_writable (&image->pixels, kg_buffer_get_size (image->pixels));
  if (pixels == NULL)
    kg_memory_give_up (kg_buffer_get_size (image->pixels));
  image->fingerprint = (KgHash){ 0, 0 };
  return pixels;
}

float *
kg_image_edit_pixels_uncopied (KgImage *image, KgBuffer **shared)
{
  float *pixels;

  kg_image_complete (image, NULL);
  image->opaque = OPAQUE_UNKNOWN;
  pixels = (float *) kg_buffer_make_writable_uncopied (&image->pixels, shared);
  if (pixels == NULL)
    kg_memory_give_up (kg_buffer_get_size (image->pixels));
  image->fingerprint = (KgHash){ 0, 0 };
  return pixels;
}

const float *
kg_image_get_depth (const KgImage *image)
{
  return image->depth != NULL ? (const float *) kg_buffer_get_data (image->depth) : NULL;
}

float *
kg_image_edit_depth (KgImage *image)
{
  const bool fresh = image->depth == NULL;
  const size_t n = count (image);
  float *depth;

  if (fresh)
    image->depth = kg_buffer_new (n * sizeof (float));
  depth = image->depth != NULL ? (float *) kg_buffer_make_writable (&image->depth, n * sizeof (float)) : NULL;
  if (depth == NULL)
    kg_memory_give_up (n * sizeof (float));
  if (fresh)
    clear_depth (depth, n);
  image->fingerprint = (KgHash){ 0, 0 };
  return depth;
}

KgImage *
kg_image_new_part (const KgImage *image, int x, int y, int width, int height, GError **error)
{
  const size_t whole = (size_t) image->width, part = (size_t) width;
  const float *from = kg_image_get_pixels (image), *depth_from = kg_image_get_depth (image);
  const KgHash whole_fingerprint = image->fingerprint;
  KgImage *cut;
  float *to, *depth_to;

  g_return_val_if_fail (
      x >= 0 && y >= 0 && width >= 1 && height >= 1 && width <= image->width - x && height <= image->height - y, NULL);
  cut = kg_image_new (width, height, depth_from != NULL, error);
  if (cut == NULL)
    return NULL;
  cut->aspect = image->aspect;
  to = kg_image_edit_pixels (cut);
  depth_to = depth_from != NULL ? kg_image_edit_depth (cut) : NULL;
  for (size_t row = 0; row < (size_t) height; row++) {
    const size_t at = (row + (size_t) y) * whole + (size_t) x;

    memcpy (to + 4 * row * part, from + 4 * at, 4 * part * sizeof *to);
    if (depth_to != NULL)
      memcpy (depth_to + row * part, depth_from + at, part * sizeof *depth_to);
  }
  cut->opaque = g_atomic_int_get (&image->opaque);
  if (!kg_hash_is_zero (whole_fingerprint)) {
    const int place[] = { x, y, width, height };

    cut->fingerprint = whole_fingerprint;
    for (guint i = 0; i < G_N_ELEMENTS (place); i++)
      cut->fingerprint = kg_hash_uint (cut->fingerprint, (guint64) place[i]);
  }
  return cut;
}

bool
kg_image_is_opaque (const KgImage *image)
{
  gint *known = &((KgImage *) image)->opaque;

  if (g_atomic_int_get (known) == OPAQUE_UNKNOWN) {
    const size_t n = count (image);
    const float *pixels = kg_image_get_pixels (image);
    size_t i = 0;

    while (i < n && pixels[4 * i + 3] >= 1)
      i++;
    g_atomic_int_set (known, i == n ? OPAQUE_YES : OPAQUE_NO);
  }
  return g_atomic_int_get (known) == OPAQUE_YES;
}

double
kg_srgb_encode (double linear)
{
  if (linear <= 0.0031308)
    return 12.92 * linear;
  return 1.055 * pow (linear, 1 / 2.4) - 0.055;
}

double
kg_srgb_decode (double encoded)
{
  if (encoded <= 0.04045)
    return encoded / 12.92;
  return pow ((encoded + 0.055) / 1.055, 2.4);
}

static bool
equal_floats (const float *a, const float *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!(a[i] == b[i]))
      return false;
  return true;
}

bool
kg_image_equal (const KgImage *a, const KgImage *b)
{
  if (a == b)
    return true;
  return a->width == b->width && a->height == b->height && a->aspect == b->aspect &&
         (a->depth == NULL) == (b->depth == NULL) &&
         equal_floats (kg_image_get_pixels (a), kg_image_get_pixels (b), 4 * count (a)) &&
         (a->depth == NULL || equal_floats (kg_image_get_depth (a), kg_image_get_depth (b), count (a)));
}

void
kg_image_each_buffer (const KgImage *image, KgBufferVisit visit, gpointer data)
{
  visit (image->pixels, data);
  if (image->depth != NULL)
    visit (image->depth, data);
}

bool
kg_image_check_finite (const KgImage *image, GError **error)
{
  const size_t n = count (image), width = (size_t) image->width;
  const float *pixels;
  size_t bad;

  /* What is pending leaves finite numbers. */
  if (image->pending != NULL)
    return true;
  pixels = kg_image_get_pixels (image);
  if (!kg_buffer_is_finite (image->pixels)) {
    bad = kg_find_not_finite (pixels, 4 * n, false);
    if (bad < 4 * n) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "an image with %g in the pixel at row %zu, column %zu: every number must be finite",
                    (double) pixels[bad], bad / 4 / width, bad / 4 % width);
      return false;
    }
    kg_buffer_set_finite (image->pixels);
  }
  if (image->depth != NULL && !kg_buffer_is_finite (image->depth)) {
    bad = kg_find_not_finite (kg_image_get_depth (image), n, true);
    if (bad < n) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "an image whose depth at row %zu, column %zu is not a number",
                    bad / width, bad % width);
      return false;
    }
    kg_buffer_set_finite (image->depth);
  }
  return true;
}

KgHash
kg_image_get_fingerprint (const KgImage *image)
{
  return image->fingerprint;
}

void
kg_image_set_fingerprint (KgImage *image, KgHash fingerprint)
{
  image->fingerprint = fingerprint;
}

void
kg_image_sample (const KgImage *image, double x, double y, float *rgba)
{
  const float *pixels = kg_image_get_pixels (image);
  const double cx = isnan (x) ? 0 : kg_clamp (x - 0.5, 0, image->width - 1);
  const double cy = isnan (y) ? 0 : kg_clamp (y - 0.5, 0, image->height - 1);
  const int i = (int) cx, j = (int) cy;
  const int i1 = MIN (i + 1, image->width - 1), j1 = MIN (j + 1, image->height - 1);
  const float u = (float) (cx - i), v = (float) (cy - j);
  const size_t width = (size_t) image->width;
  const float *a = pixels + 4 * ((size_t) j * width + (size_t) i), *b = pixels + 4 * ((size_t) j * width + (size_t) i1);
  const float *c = pixels + 4 * ((size_t) j1 * width + (size_t) i),
              *d = pixels + 4 * ((size_t) j1 * width + (size_t) i1);

  for (int k = 0; k < 4; k++)
    rgba[k] = (1 - v) * ((1 - u) * a[k] + u * b[k]) + v * ((1 - u) * c[k] + u * d[k]);
}
