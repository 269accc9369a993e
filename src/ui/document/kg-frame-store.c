/* kg-frame-store: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-frame-store.h"

#include "config.h"
#include "kg-half.h"
#include "kg-image-file.h"

#include <string.h>

#define N_HALVES 65536
#define HALF_ONE 0x3c00

typedef struct {
  KgHash key;
  gint64 frame;
  int width, height;
  guint16 *halves; /* premultiplied, linear: four for each pixel */
} Frame;

struct _KgFrameStore {
  gatomicrefcount refs;
  GMutex lock;
  GHashTable *frames; /* Frame -> the same */
  guint64 budget, size;
  gint64 last;      /* frame that was requested or put last */
  guint8 *to_eight; /* what each half is in 8 bits, where a pixel is opaque */
};

/* Halves. */

/* As images are shown: found by showing an image of all halves. */
static guint8 *
make_eight (void)
{
  g_autoptr (KgImage) image = kg_image_new (256, 256, false, NULL);
  g_autofree guint8 *rgba = g_new (guint8, 4 * N_HALVES);
  guint8 *eight = g_new0 (guint8, N_HALVES);
  float *pixels;

  if (image == NULL)
    return eight;
  pixels = kg_image_edit_pixels (image);
  for (guint i = 0; i < N_HALVES; i++) {
    /* Those that are no finite numbers are never kept. */
    const bool finite = ((i >> 10) & 31) != 31;

    pixels[4 * i] = pixels[4 * i + 1] = pixels[4 * i + 2] = finite ? kg_half_to_float ((guint16) i) : 0;
    pixels[4 * i + 3] = 1;
  }
  kg_image_to_rgba8 (image, rgba);
  for (guint i = 0; i < N_HALVES; i++)
    eight[i] = rgba[4 * i];
  return eight;
}

/* Frames. */

static guint
hash_frame (gconstpointer data)
{
  const Frame *frame = (const Frame *) data;

  return (guint) kg_hash_fold (frame->key) * 31u + (guint) frame->frame;
}

static gboolean
equal_frames (gconstpointer a, gconstpointer b)
{
  const Frame *x = (const Frame *) a, *y = (const Frame *) b;

  return x->frame == y->frame && kg_hash_equal (x->key, y->key);
}

static void
frame_free (gpointer data)
{
  Frame *frame = (Frame *) data;

  g_free (frame->halves);
  g_free (frame);
}

static guint64
get_bytes (const Frame *frame)
{
  return 8 * (guint64) frame->width * (guint64) frame->height;
}

KgFrameStore *
kg_frame_store_new (guint64 budget)
{
  KgFrameStore *self = g_new0 (KgFrameStore, 1);

  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  self->frames = g_hash_table_new_full (hash_frame, equal_frames, NULL, frame_free);
  self->budget = budget;
  return self;
}

KgFrameStore *
kg_frame_store_ref (KgFrameStore *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
kg_frame_store_unref (KgFrameStore *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_hash_table_unref (self->frames);
  g_mutex_clear (&self->lock);
  g_free (self->to_eight);
  g_free (self);
}

/* With the lock held: until there is room for so many bytes.  What has another key than the newest goes first. */
static void
make_room (KgFrameStore *self, guint64 bytes, KgHash key)
{
  while (self->size > 0 && self->size + bytes > self->budget) {
    GHashTableIter iter;
    gpointer data;
    Frame *farthest = NULL;
    gint64 most = -1;

    g_hash_table_iter_init (&iter, self->frames);
    while (g_hash_table_iter_next (&iter, &data, NULL)) {
      Frame *frame = (Frame *) data;
      const gint64 distance = kg_hash_equal (frame->key, key) ? ABS (frame->frame - self->last) : G_MAXINT64;

      if (distance > most) {
        most = distance;
        farthest = frame;
      }
    }
    self->size -= get_bytes (farthest);
    g_hash_table_remove (self->frames, farthest);
  }
}

void
kg_frame_store_set_budget (KgFrameStore *self, guint64 budget)
{
  const KgHash none = { 0 };

  g_mutex_lock (&self->lock);
  self->budget = budget;
  make_room (self, 0, none);
  g_mutex_unlock (&self->lock);
}

/* The mean of the pixels that each pixel of a smaller image covers. */
static void
fill_halves (Frame *frame, const KgImage *image, int step)
{
  const int width = kg_image_get_width (image), height = kg_image_get_height (image);
  const float *from = kg_image_get_pixels (image);

#pragma omp parallel for schedule(static)
  for (int y = 0; y < frame->height; y++)
    for (int x = 0; x < frame->width; x++) {
      guint16 *to = frame->halves + 4 * ((size_t) y * (size_t) frame->width + (size_t) x);
      const int x1 = MIN (width, (x + 1) * step), y1 = MIN (height, (y + 1) * step);
      const float share = 1.0f / (float) ((x1 - x * step) * (y1 - y * step));
      float sum[4] = { 0 };

      for (int v = y * step; v < y1; v++)
        for (int u = x * step; u < x1; u++)
          for (int c = 0; c < 4; c++)
            sum[c] += from[4 * ((size_t) v * (size_t) width + (size_t) u) + (size_t) c];
      for (int c = 0; c < 4; c++)
        to[c] = kg_half_from_float (share * sum[c]);
    }
}

bool
kg_frame_store_put (KgFrameStore *self, KgHash key, gint64 number, const KgImage *image, KgKeep keep)
{
  const int step = (int) keep;
  Frame *frame = g_new0 (Frame, 1);
  guint64 bytes;

  frame->key = key;
  frame->frame = number;
  frame->width = (kg_image_get_width (image) + step - 1) / step;
  frame->height = (kg_image_get_height (image) + step - 1) / step;
  bytes = get_bytes (frame);
  frame->halves = bytes <= self->budget ? (guint16 *) g_try_malloc (bytes) : NULL;
  if (frame->halves == NULL) {
    frame_free (frame);
    return false;
  }
  fill_halves (frame, image, step);
  g_mutex_lock (&self->lock);
  {
    Frame *old = (Frame *) g_hash_table_lookup (self->frames, frame);

    if (old != NULL) {
      self->size -= get_bytes (old);
      g_hash_table_remove (self->frames, old);
    }
  }
  self->last = number;
  make_room (self, bytes, key);
  self->size += bytes;
  g_hash_table_add (self->frames, frame);
  g_mutex_unlock (&self->lock);
  return true;
}

bool
kg_frame_store_has_room (KgFrameStore *self, guint64 bytes)
{
  bool room;

  g_mutex_lock (&self->lock);
  room = self->size + bytes <= self->budget;
  g_mutex_unlock (&self->lock);
  return room;
}

bool
kg_frame_store_has (KgFrameStore *self, KgHash key, gint64 number)
{
  const Frame wanted = { .key = key, .frame = number };
  bool has;

  g_mutex_lock (&self->lock);
  has = g_hash_table_contains (self->frames, &wanted);
  g_mutex_unlock (&self->lock);
  return has;
}

static void
fill_eight (const Frame *frame, const guint8 *eight, guint8 *to)
{
  const size_t n = (size_t) frame->width * (size_t) frame->height;

#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) {
    const guint16 *p = frame->halves + 4 * i;
    guint8 *out = to + 4 * i;

    if (p[3] == HALF_ONE) {
      out[0] = eight[p[0]];
      out[1] = eight[p[1]];
      out[2] = eight[p[2]];
      out[3] = 255;
    } else {
      const float alpha = kg_half_to_float (p[3]);

      for (int c = 0; c < 3; c++)
        out[c] = alpha > 0 ? eight[kg_half_from_float (kg_half_to_float (p[c]) / alpha)] : 0;
      out[3] = (guint8) CLAMP (255 * alpha + 0.5f, 0, 255);
    }
  }
}

GBytes *
kg_frame_store_get (KgFrameStore *self, KgHash key, gint64 number, int *width, int *height)
{
  const Frame wanted = { .key = key, .frame = number };
  const Frame *frame;
  guint8 *pixels = NULL;
  size_t n = 0;

  g_mutex_lock (&self->lock);
  self->last = number;
  frame = (const Frame *) g_hash_table_lookup (self->frames, &wanted);
  if (frame != NULL) {
    if (self->to_eight == NULL)
      self->to_eight = make_eight ();
    n = 4 * (size_t) frame->width * (size_t) frame->height;
    pixels = (guint8 *) g_try_malloc (n);
    if (pixels != NULL)
      fill_eight (frame, self->to_eight, pixels);
    *width = frame->width;
    *height = frame->height;
  }
  g_mutex_unlock (&self->lock);
  return pixels != NULL ? g_bytes_new_take (pixels, n) : NULL;
}

guint64
kg_frame_store_get_size (KgFrameStore *self)
{
  guint64 size;

  g_mutex_lock (&self->lock);
  size = self->size;
  g_mutex_unlock (&self->lock);
  return size;
}
