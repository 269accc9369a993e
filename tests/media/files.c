/* tests/media/files: images and meshes are read back as they were written; missing and wrong files are reported.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-image-file.h"
#include "kg-mesh-file.h"
#include "kineograph.h"

#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

typedef struct {
  char *folder;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->folder = g_dir_make_tmp ("kineographXXXXXX", NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  GDir *folder = g_dir_open (f->folder, 0, NULL);
  const char *name;

  (void) data;
  while ((name = g_dir_read_name (folder)) != NULL) {
    g_autofree char *path = g_build_filename (f->folder, name, NULL);

    /* Nothing temporary may be left behind. */
    g_assert_null (strstr (name, ".part"));
    g_unlink (path);
  }
  g_dir_close (folder);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
}

/* Every 8-bit value in each channel, opaque and half transparent. */
static KgImage *
make_image (bool depth)
{
  KgImage *image = kg_image_new (256, 4, depth, NULL);
  float *pixels = kg_image_edit_pixels (image);

  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 256; x++, pixels += 4) {
      const double alpha = y == 3 ? 102 / 255.0 : 1;

      for (int c = 0; c < 3; c++)
        pixels[c] = y == c || y == 3 ? (float) (alpha * kg_srgb_decode (x / 255.0)) : 0;
      pixels[3] = (float) alpha;
    }
  for (int i = 0; depth && i < 100; i++)
    kg_image_edit_depth (image)[i] = 0.1f * (float) i;
  return image;
}

static void
check_picture (Fixture *f, const char *name, KgImageFormat format, bool depth, double tolerance)
{
  g_autoptr (KgImage) image = make_image (depth), loaded = NULL;
  g_autofree char *path = g_build_filename (f->folder, name, NULL), *comment = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (kg_image_save (image, path, format, 0, "a comment", &error));
  g_assert_no_error (error);
  comment = kg_image_read_comment (path);
  g_assert_cmpstr (comment, ==, "a comment");
  loaded = kg_image_load (path, NULL, &error);
  g_assert_no_error (error);
  for (size_t i = 0; i < 4 * 256 * 4; i++)
    g_assert_cmpfloat_with_epsilon (kg_image_get_pixels (loaded)[i], kg_image_get_pixels (image)[i], (float) tolerance);
  g_assert_true ((kg_image_get_depth (loaded) != NULL) == depth);
  for (size_t i = 0; depth && i < 256 * 4; i++)
    g_assert_cmpfloat (kg_image_get_depth (loaded)[i], ==, kg_image_get_depth (image)[i]);
}

static void
test_pictures (Fixture *f, gconstpointer data)
{
  (void) data;
  check_picture (f, "a.png", KG_IMAGE_PNG8, false, 1e-6);
  /* Half a step of 16 bits at the steepest place of the curve. */
  check_picture (f, "b.png", KG_IMAGE_PNG16, false, 2e-5);
  check_picture (f, "c.exr", KG_IMAGE_EXR_FLOAT, true, 1e-30);
  /* Half floats have 11 bits. */
  check_picture (f, "d.exr", KG_IMAGE_EXR_HALF, true, 1.0 / 2048);
  check_picture (f, "e.exr", KG_IMAGE_EXR_HALF, false, 1.0 / 2048);
}

/* Channels that are none of ours are left out, whatever their number: a red one that is called something else is missing. */
static void
test_other_channels (Fixture *f, gconstpointer data)
{
  static const char entry[] = { 'R', 0, 1, 0, 0, 0 };
  g_autoptr (KgImage) image = make_image (false), loaded = NULL;
  g_autofree char *path = g_build_filename (f->folder, "x.exr", NULL), *text = NULL;
  g_autoptr (GError) error = NULL;
  char *red;
  gsize length;

  (void) data;
  g_assert_true (kg_image_save (image, path, KG_IMAGE_EXR_HALF, 0, NULL, &error));
  g_assert_true (g_file_get_contents (path, &text, &length, &error));
  red = (char *) memmem (text, length, entry, sizeof entry);
  g_assert_nonnull (red);
  *red = 'X';
  g_assert_true (g_file_set_contents (path, text, (gssize) length, &error));
  loaded = kg_image_load (path, NULL, &error);
  g_assert_no_error (error);
  for (size_t i = 0; i < 4 * 256 * 4; i++)
    g_assert_cmpfloat_with_epsilon (kg_image_get_pixels (loaded)[i], i % 4 == 0 ? 0 : kg_image_get_pixels (image)[i],
                                    1.0f / 2048);
}

/* The same bytes as the formula, over many magnitudes and just beside every place where the byte changes. */
static void
test_bytes (void)
{
  enum { N = 4095, PLACES = 255 * 3 };
  g_autoptr (KgImage) image = kg_image_new (N + PLACES, 1, false, NULL);
  g_autofree uint8_t *rgba = g_new (uint8_t, 4 * (N + PLACES));
  float *pixels = kg_image_edit_pixels (image);

  for (int i = 0; i < N + PLACES; i++) {
    const float place = (float) kg_srgb_decode (((i - N) / 3 + 0.5) / 255);
    const float beside[] = { nextafterf (place, 0), place, nextafterf (place, 2) };

    pixels[4 * i] = i < N ? (float) (2 * pow (i / (double) N, 9)) : beside[i % 3];
    pixels[4 * i + 1] = -pixels[4 * i];
    pixels[4 * i + 2] = i % 2 == 0 ? 1e30f : INFINITY;
    pixels[4 * i + 3] = 1;
  }
  kg_image_to_rgba8 (image, rgba);
  for (int i = 0; i < N + PLACES; i++) {
    const double exact = 255 * kg_clamp (kg_srgb_encode ((double) pixels[4 * i]), 0, 1);

    /* A float is the nearest to a place within 2^-24 of it. */
    g_assert_cmpfloat_with_epsilon (rgba[4 * i], exact, 0.5 + 1e-4);
    g_assert_cmpint (rgba[4 * i + 1], ==, 0);
    g_assert_cmpint (rgba[4 * i + 2], ==, 255);
    if (i >= N && i % 3 == 0)
      g_assert_cmpint (rgba[4 * i], ==, (i - N) / 3);
    else if (i >= N)
      g_assert_cmpint (rgba[4 * i], ==, (i - N) / 3 + 1);
  }
}

static void
test_bad_pictures (Fixture *f, gconstpointer data)
{
  g_autoptr (KgImage) image = make_image (false);
  g_autofree char *path = g_build_filename (f->folder, "bad.png", NULL);
  g_autoptr (GError) error = NULL;
  static const guint8 huge[] = { 0x89, 'P',  'N',  'G', 13, 10,   26,   10, 0, 0, 0, 13, 'I',  'H',  'D',  'R', 0,
                                 1,    0x86, 0xa0, 0,   1,  0x86, 0xa0, 8,  6, 0, 0, 0,  0x85, 0x7b, 0x1f, 0x47 };

  (void) data;
  g_assert_null (kg_image_load (path, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_assert_null (kg_image_load (f->folder, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_file_set_contents (path, "not an image at all", -1, NULL);
  g_assert_null (kg_image_load (path, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
  g_clear_error (&error);
  /* 100,000 × 100,000 pixels are refused by what the header says. */
  g_file_set_contents (path, (const char *) huge, sizeof huge, NULL);
  g_assert_null (kg_image_load (path, NULL, &error));
  g_assert_true (error->domain == KG_ERROR);
  g_clear_error (&error);
  g_assert_false (kg_image_save (image, "/dev/full", KG_IMAGE_PNG8, 0, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (kg_image_save (image, "/nowhere/a.png", KG_IMAGE_PNG8, 0, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_assert_null (kg_image_new (100000, 100000, false, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
  g_clear_error (&error);
  g_assert_null (kg_image_new (0, 5, false, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_LIMIT);
}

static KgGeometry *
make_mesh (void)
{
  static const float p[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5f, 0.5f, 2 };
  static const uint32_t square[] = { 0, 3, 2, 1 }, side[] = { 0, 1, 4 };
  const KgPrimitive quad = { .kind = KG_POLYGON, .n_vertices = 4, .vertices = square };
  const KgPrimitive triangle = { .kind = KG_POLYGON, .n_vertices = 3, .vertices = side };
  KgGeometry *geometry = kg_geometry_new ();

  kg_geometry_set_n_points (geometry, 5, NULL);
  memcpy (kg_geometry_edit_positions (geometry), p, sizeof p);
  kg_geometry_add_primitive (geometry, &quad);
  kg_geometry_add_primitive (geometry, &triangle);
  return geometry;
}

static double
get_area (const KgGeometry *geometry)
{
  const float *p = kg_geometry_get_positions (geometry);
  double area = 0;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    for (uint32_t k = 2; k < primitive.n_vertices; k++) {
      const float *a = p + 3 * primitive.vertices[0], *b = p + 3 * primitive.vertices[k - 1],
                  *c = p + 3 * primitive.vertices[k];
      const KgVector u = { (double) (b[0] - a[0]), (double) (b[1] - a[1]), (double) (b[2] - a[2]) };
      const KgVector v = { (double) (c[0] - a[0]), (double) (c[1] - a[1]), (double) (c[2] - a[2]) };

      area += 0.5 * kg_vector_length (kg_vector_cross (u, v));
    }
  }
  return area;
}

static void
test_meshes (Fixture *f, gconstpointer data)
{
  static const char *const names[] = { "a.obj", "a.ply", "a.glb", "a.gltf" };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (KgGeometry) mesh = make_mesh (), loaded = NULL;
    g_autofree char *path = g_build_filename (f->folder, names[i], NULL);
    g_autoptr (GError) error = NULL;
    KgVector low, high;

    g_assert_true (kg_mesh_save (mesh, path, &error));
    g_assert_no_error (error);
    loaded = kg_mesh_load (path, KG_MESH_SPACE_METRES, true, NULL, NULL, NULL, &error);
    g_assert_no_error (error);
    kg_geometry_get_bounds (loaded, &low, &high);
    g_assert_cmpfloat_with_epsilon (high.z, 2, 1e-6);
    g_assert_cmpfloat_with_epsilon (get_area (loaded), get_area (mesh), 1e-5);
    /* Polygons stay what they are, but in glTF, which knows triangles only. */
    g_assert_cmpuint (kg_geometry_get_n_primitives (loaded), ==, i < 2 ? 2 : 3);
  }
}

static void
test_bad_meshes (Fixture *f, gconstpointer data)
{
  g_autoptr (KgGeometry) mesh = make_mesh (), empty = kg_geometry_new ();
  g_autofree char *path = g_build_filename (f->folder, "bad.ply", NULL);
  g_autoptr (GError) error = NULL;

  (void) data;
  g_assert_null (kg_mesh_load (path, KG_MESH_SPACE_METRES, true, NULL, NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_file_set_contents (path, "this is not a mesh", -1, NULL);
  g_assert_null (kg_mesh_load (path, KG_MESH_SPACE_METRES, true, NULL, NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_FILE);
  g_clear_error (&error);
  g_assert_null (kg_mesh_load (f->folder, KG_MESH_SPACE_METRES, true, NULL, NULL, NULL, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (kg_mesh_save (mesh, "a.xyz", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
  g_clear_error (&error);
  g_assert_false (kg_mesh_save (empty, path, &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_DEGENERATE);
  g_clear_error (&error);
  g_assert_false (kg_mesh_save (mesh, "/nowhere/a.ply", &error));
  g_assert_error (error, KG_ERROR, KG_ERROR_IO);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/files/pictures", Fixture, NULL, set_up, test_pictures, tear_down);
  g_test_add ("/files/other-channels", Fixture, NULL, set_up, test_other_channels, tear_down);
  g_test_add_func ("/files/bytes", test_bytes);
  g_test_add ("/files/bad-pictures", Fixture, NULL, set_up, test_bad_pictures, tear_down);
  g_test_add ("/files/meshes", Fixture, NULL, set_up, test_meshes, tear_down);
  g_test_add ("/files/bad-meshes", Fixture, NULL, set_up, test_bad_meshes, tear_down);
  return g_test_run ();
}
