/* tests/ui/frame-store: frames kept to be played.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-frame-store.h"

#include "kg-half.h"
#include "kg-image-file.h"

static KgImage *
make_image (int width, int height, float alpha)
{
  KgImage *image = kg_image_new (width, height, false, NULL);
  float *pixels = kg_image_edit_pixels (image);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float *p = pixels + 4 * (y * width + x);

      p[0] = alpha * (float) x / (float) width;
      p[1] = alpha * (float) y / (float) height;
      p[2] = alpha * 0.25f;
      p[3] = alpha;
    }
  return image;
}

/* Against the definition of binary16: every half comes back, what lies between goes to the nearer, ties to even. */
static void
test_halves (void)
{
  for (guint i = 0; i < 65536; i++)
    if (((i >> 10) & 31) != 31 && i != 0x8000)
      g_assert_cmpuint (kg_half_from_float (kg_half_to_float ((guint16) i)), ==, i);
  g_assert_cmpfloat (kg_half_to_float (0x3c00), ==, 1);
  g_assert_cmpfloat (kg_half_to_float (0x0001), ==, 1.0 / (1 << 24));
  g_assert_cmpfloat (kg_half_to_float (0x7bff), ==, 65504);
  g_assert_cmpfloat (kg_half_to_float (0xfc00), ==, -INFINITY);
  g_assert_true (isnan (kg_half_to_float (0x7e01)));
  g_assert_cmpuint (kg_half_from_float (1 + 1.0f / 2048), ==, 0x3c00);
  g_assert_cmpuint (kg_half_from_float (1 + 3.0f / 2048), ==, 0x3c02);
  g_assert_cmpuint (kg_half_from_float (1e9f), ==, 0x7bff);
  g_assert_cmpuint (kg_half_from_float (65520), ==, 0x7bff);
  g_assert_cmpuint (kg_half_from_float (-INFINITY), ==, 0xfbff);
  g_assert_cmpuint (kg_half_from_float (NAN), ==, 0);
  g_assert_cmpuint (kg_half_from_float (1e-9f), ==, 0);
}

/* What is played is what is shown, to a step of 8 bits; transparent pixels too. */
static void
test_pixels (void)
{
  static const float alphas[] = { 1, 0.5f, 0 };
  const KgHash key = kg_hash_begin (KG_HASH_DISPLAY, 1);

  for (guint a = 0; a < G_N_ELEMENTS (alphas); a++) {
    g_autoptr (KgFrameStore) store = kg_frame_store_new (1 << 20);
    g_autoptr (KgImage) image = make_image (37, 21, alphas[a]);
    g_autofree guint8 *shown = g_new (guint8, 4 * 37 * 21);
    g_autoptr (GBytes) kept = NULL;
    const guint8 *pixels;
    int width, height;

    kg_image_to_rgba8 (image, shown);
    g_assert_true (kg_frame_store_put (store, key, 5, image, KG_KEEP_FULL));
    kept = kg_frame_store_get (store, key, 5, &width, &height);
    g_assert_cmpint (width, ==, 37);
    g_assert_cmpint (height, ==, 21);
    pixels = (const guint8 *) g_bytes_get_data (kept, NULL);
    for (guint i = 0; i < 4 * 37 * 21; i++)
      if (i % 4 == 3 || alphas[a] > 0)
        g_assert_cmpint (abs (pixels[i] - shown[i]), <=, 1);
  }
}

/* Half and quarter are means, also at the edges of sizes that they do not divide. */
static void
test_sizes (void)
{
  const KgHash key = kg_hash_begin (KG_HASH_DISPLAY, 1);
  g_autoptr (KgFrameStore) store = kg_frame_store_new (1 << 20);
  g_autoptr (KgImage) image = make_image (37, 21, 1);
  static const KgKeep keeps[] = { KG_KEEP_HALF, KG_KEEP_QUARTER };

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GBytes) kept = NULL;
    int width, height;

    g_assert_true (kg_frame_store_put (store, key, 1, image, keeps[i]));
    kept = kg_frame_store_get (store, key, 1, &width, &height);
    g_assert_cmpint (width, ==, i == 0 ? 19 : 10);
    g_assert_cmpint (height, ==, i == 0 ? 11 : 6);
    g_assert_cmpuint (kg_frame_store_get_size (store), ==, 8 * (guint64) (width * height));
    /* The blue of all is the same. */
    g_assert_cmpint (abs (((const guint8 *) g_bytes_get_data (kept, NULL))[2] - 137), <=, 1);
  }
}

/* Beyond the budget the frames farthest from the last go, those with another key first. */
static void
test_budget (void)
{
  const KgHash key = kg_hash_begin (KG_HASH_DISPLAY, 1), other = kg_hash_begin (KG_HASH_DISPLAY, 2);
  g_autoptr (KgFrameStore) store = kg_frame_store_new (3 * 8 * 100);
  g_autoptr (KgImage) image = make_image (10, 10, 1), large = make_image (100, 100, 1);

  g_assert_true (kg_frame_store_put (store, other, 3, image, KG_KEEP_FULL));
  for (gint64 i = 1; i <= 3; i++)
    g_assert_true (kg_frame_store_put (store, key, i, image, KG_KEEP_FULL));
  g_assert_false (kg_frame_store_has (store, other, 3));
  g_assert_true (kg_frame_store_has (store, key, 1));
  g_assert_true (kg_frame_store_put (store, key, 4, image, KG_KEEP_FULL));
  g_assert_false (kg_frame_store_has (store, key, 1));
  g_assert_true (kg_frame_store_has (store, key, 2));
  g_assert_false (kg_frame_store_put (store, key, 9, large, KG_KEEP_FULL));
  g_assert_cmpuint (kg_frame_store_get_size (store), ==, 3 * 8 * 100);
  kg_frame_store_set_budget (store, 8 * 100);
  g_assert_cmpuint (kg_frame_store_get_size (store), ==, 8 * 100);
  g_assert_true (kg_frame_store_has (store, key, 4) || kg_frame_store_has (store, key, 3) ||
                 kg_frame_store_has (store, key, 2));
}

typedef struct {
  KgFrameStore *store;
  KgImage *images[8];
  gint stop;
} Loading;

/* One image after the other, each of one colour. */
static gpointer
load_images (gpointer data)
{
  Loading *loading = (Loading *) data;

  for (gint64 j = 0; !g_atomic_int_get (&loading->stop); j++)
    kg_frame_store_put (loading->store, kg_hash_begin (KG_HASH_DISPLAY, 1), j % 8, loading->images[j % 8],
                        KG_KEEP_FULL);
  return NULL;
}

static void
check_is_whole (GBytes *shown, gint64 frame)
{
  const guint8 *pixels = (const guint8 *) g_bytes_get_data (shown, NULL);

  g_assert_cmpuint (g_bytes_get_size (shown), ==, 4 * 64 * 64);
  g_assert_cmpint (abs (pixels[0] - (int) (255 * kg_srgb_encode ((double) frame / 8) + 0.5)), <=, 1);
  for (gsize i = 4; i < 4 * 64 * 64; i++)
    g_assert_cmpuint (pixels[i], ==, pixels[i - 4]);
}

/* C01: while images are loaded, each that is shown is a whole one, that of its frame, and it is never written: neither by those that
 * come after it nor when it makes room for them. */
static void
test_whole_images (void)
{
  const KgHash key = kg_hash_begin (KG_HASH_DISPLAY, 1);
  /* Room for three of the eight. */
  Loading loading = { .store = kg_frame_store_new (3 * 8 * 64 * 64) };
  g_autoptr (GBytes) held = NULL;
  gint64 held_frame = 0;
  guint n_shown = 0;
  GThread *thread;
  int width, height;

  for (int j = 0; j < 8; j++) {
    float *pixels;

    loading.images[j] = kg_image_new (64, 64, false, NULL);
    pixels = kg_image_edit_pixels (loading.images[j]);
    for (int i = 0; i < 4 * 64 * 64; i++)
      pixels[i] = i % 4 == 3 ? 1 : (float) j / 8;
  }
  thread = g_thread_new ("load", load_images, &loading);
  for (gint64 j = 0; n_shown < 2000; j++) {
    g_autoptr (GBytes) shown = kg_frame_store_get (loading.store, key, j % 8, &width, &height);

    if (shown == NULL)
      continue;
    check_is_whole (shown, j % 8);
    if (held == NULL) {
      held = g_bytes_ref (shown);
      held_frame = j % 8;
    }
    n_shown++;
  }
  g_atomic_int_set (&loading.stop, 1);
  g_thread_join (thread);
  check_is_whole (held, held_frame);
  for (int j = 0; j < 8; j++)
    kg_image_unref (loading.images[j]);
  kg_frame_store_unref (loading.store);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/frame-store/halves", test_halves);
  g_test_add_func ("/frame-store/pixels", test_pixels);
  g_test_add_func ("/frame-store/sizes", test_sizes);
  g_test_add_func ("/frame-store/budget", test_budget);
  g_test_add_func ("/frame-store/C01-whole-images", test_whole_images);
  return g_test_run ();
}
