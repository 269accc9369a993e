/* tests/techniques/picture-codec: codes of bytes, of pictures and of moving pictures, in numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../near.h"
#include "image/byte_codes.h"
#include "image/cadence.h"
#include "image/composite_video.h"
#include "image/image_codec.h"
#include "image/video_codec.h"
#include "kg-base.h"
#include "kg-random.h"

/* V10: AAAABBB is (4, A) (3, B); 256 equal bytes are (255, x) (1, x); noise doubles; all come back. */
static void
test_runs (void)
{
  g_autoptr (GByteArray) runs = g_byte_array_new (), back = g_byte_array_new ();
  uint8_t same[256], noise[1000];

  byte_codes_run_lengths ((const uint8_t *) "AAAABBB", 7, runs);
  g_assert_cmpmem (runs->data, runs->len, "\4A\3B", 4);
  memset (same, 'x', sizeof same);
  g_byte_array_set_size (runs, 0);
  byte_codes_run_lengths (same, sizeof same, runs);
  g_assert_cmpmem (runs->data, runs->len, "\377x\1x", 4);
  for (guint i = 0; i < sizeof noise; i++)
    noise[i] = (uint8_t) ((kg_random_bits (1, i, 0) & 127) << 1 | (i & 1));
  g_byte_array_set_size (runs, 0);
  byte_codes_run_lengths (noise, sizeof noise, runs);
  g_assert_cmpuint (runs->len, ==, 2 * sizeof noise);
  byte_codes_expand_runs (runs->data, runs->len, back);
  g_assert_cmpmem (back->data, back->len, noise, sizeof noise);
}

/* V11: the textbook's codes; round trips of both flavours, past full dictionaries. */
static void
test_lzw (void)
{
  static const guint16 expected[] = { 84, 79, 66, 69, 79, 82, 78, 79, 84, 256, 258, 260, 265, 259, 261, 263 };
  g_autoptr (GArray) codes = g_array_new (FALSE, FALSE, sizeof (guint16));
  g_autofree uint8_t *bytes = g_new (uint8_t, 200000);

  byte_codes_lzw ((const uint8_t *) "TOBEORNOTTOBEORTOBEORNOT", 24, LZW_PLAIN, codes);
  g_assert_cmpuint (codes->len, ==, G_N_ELEMENTS (expected));
  g_assert_true (memcmp (codes->data, expected, sizeof expected) == 0);
  for (guint i = 0; i < 200000; i++)
    bytes[i] = (uint8_t) (i < 50000 ? 7u : i < 150000 ? (guint) (kg_random_bits (1, i, 0) % 200) : i % 3);
  for (int flavour = 0; flavour < 2; flavour++)
    for (size_t n = 0; n <= 200000; n = n == 0 ? 1 : n == 1 ? 3 : n == 3 ? 200000 : n + 1) {
      g_autoptr (GByteArray) back = g_byte_array_new ();

      g_array_set_size (codes, 0);
      byte_codes_lzw (bytes, n, (LzwFlavour) flavour, codes);
      g_assert_true (byte_codes_expand_lzw (codes, (LzwFlavour) flavour, back));
      g_assert_cmpuint (back->len, ==, n);
      g_assert_true (n == 0 || memcmp (back->data, bytes, n) == 0);
    }
  /* What is no code is refused. */
  codes->len = 1;
  g_array_index (codes, guint16, 0) = 700;
  {
    g_autoptr (GByteArray) back = g_byte_array_new ();

    g_assert_false (byte_codes_expand_lzw (codes, LZW_GIF, back));
  }
}

static KgImage *
make_image (int width, int height, int kind)
{
  KgImage *image = kg_image_new (width, height, false, NULL);
  float *p = kg_image_edit_pixels (image);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, p += 4) {
      for (int c = 0; c < 3; c++)
        p[c] = (float) (kind == 0   ? 0.3
                        : kind == 1 ? 0.5 + 0.3 * sin (0.3 * x + c) * cos (0.2 * y)
                                    : kg_random_uniform (1, (uint64_t) (y * width + x), (uint64_t) c));
      p[3] = 1;
    }
  return image;
}

static CodecReport
apply (const KgImage *image, const CodecStyle *style, KgImage **out)
{
  g_autoptr (GError) error = NULL;
  CodecReport report;

  *out = kg_image_new (kg_image_get_width (image), kg_image_get_height (image), false, NULL);
  g_assert_true (image_codec_apply (image, style, *out, &report, NULL, &error));
  g_assert_no_error (error);
  return report;
}

static const CodecStyle usual = { .chroma = CHROMA_444,
                                  .quality = 75,
                                  .first = 64,
                                  .block = 4,
                                  .codes = 256,
                                  .iterations = 12,
                                  .levels = 4,
                                  .keep = 1,
                                  .scale_limit = 0.9 };

/* V10, V11, V12, V14 and V15: nothing is lost by codes of bytes, by 64 coefficients of 64, by all of a wavelet (of odd sizes
 * too), by as many vectors as there are blocks; V16: a flat picture is exact. */
static void
test_lossless (void)
{
  g_autoptr (KgImage) image = make_image (37, 29, 1), flat = make_image (32, 32, 0);

  for (int codec = 0; codec < CODEC_N; codec++)
    for (int wavelet = 0; wavelet < WAVELET_N; wavelet++) {
      g_autoptr (KgImage) out = NULL;
      CodecStyle style = usual;
      CodecReport report;

      style.codec = (Codec) codec;
      style.wavelet = (Wavelet) wavelet;
      style.dct = DCT_FIRST;
      report = apply (codec == CODEC_FRACTAL ? flat : image, &style, &out);
      assert_near (report.mse, 0, 0);
      g_assert_cmpfloat (report.bits, >, 0);
    }
}

/* V15: of coefficients that are equally large, as many are kept as there should be.  One level of Haar makes of every block of a
 * checkerboard of single pixels, ±64 about 128, one coefficient of 128: half of the energy goes with half of them.  And zeros
 * are not kept, even if all may be. */
static void
test_ties (void)
{
  g_autoptr (KgImage) image = kg_image_new (32, 16, false, NULL), out = NULL, half = NULL;
  float *pixels = kg_image_edit_pixels (image);
  CodecStyle style = usual;
  CodecReport report;

  for (int i = 0; i < 32 * 16; i++)
    for (int c = 0; c < 4; c++)
      pixels[4 * i + c] = c == 3 ? 1 : (float) kg_srgb_decode ((i + i / 32) % 2 == 0 ? 64 / 255.0 : 192 / 255.0);
  style.codec = CODEC_WAVELET;
  style.wavelet = WAVELET_HAAR;
  style.levels = 1;
  style.chroma = CHROMA_444;
  style.keep = 1;
  report = apply (image, &style, &out);
  assert_near (report.mse, 0, 0);
  assert_near (report.kept, 0.25 / 3, 1e-12);
  style.keep = 0.125;
  report = apply (image, &style, &half);
  assert_near (report.kept, 0.125 / 3, 1e-12);
  assert_near (report.mse, 0.5 * (64 / 255.0) * (64 / 255.0), 1e-9);
}

/* V13: bits a pixel; grey and constant colour do not change. */
static void
test_chroma (void)
{
  static const double bits[CHROMA_N] = { 24, 16, 12, 12, 9 };
  g_autoptr (KgImage) image = make_image (64, 32, 1), flat = make_image (64, 32, 0);

  for (int scheme = 0; scheme < CHROMA_N; scheme++) {
    g_autoptr (KgImage) out = NULL, same = NULL;
    CodecStyle style = usual;

    style.codec = CODEC_CHROMA;
    style.chroma = (ChromaScheme) scheme;
    assert_near (apply (image, &style, &out).bits / (64 * 32), bits[scheme], 1e-9);
    assert_near (apply (flat, &style, &same).mse, 0, 0);
  }
}

/* Rate and distortion: better quality is nearer and larger; V12: ½ bit a pixel for the indices of 4 x 4; more iterations are
 * not worse; V16 comes near from grey. */
static void
test_rates (void)
{
  g_autoptr (KgImage) image = make_image (128, 64, 1);
  double last_mse = 1, last_bits = 0;

  for (int quality = 10; quality <= 90; quality += 40) {
    g_autoptr (KgImage) out = NULL;
    CodecStyle style = usual;
    CodecReport report;

    style.codec = CODEC_DCT;
    style.quality = quality;
    report = apply (image, &style, &out);
    g_assert_cmpfloat (report.mse, <, last_mse);
    g_assert_cmpfloat (report.bits, >, last_bits);
    last_mse = report.mse;
    last_bits = report.bits;
  }
  last_mse = 1;
  for (int iterations = 1; iterations < 8; iterations += 3) {
    g_autoptr (KgImage) out = NULL;
    CodecStyle style = usual;
    CodecReport report;

    style.codec = CODEC_VECTORS;
    style.codes = 64;
    style.iterations = iterations;
    report = apply (image, &style, &out);
    g_assert_cmpfloat (report.mse, <=, last_mse * (1 + 1e-9));
    assert_near (report.bits, 32 * 16 * 6 + 8 * 48 * 64, 0);
    last_mse = report.mse;
  }
  {
    g_autoptr (KgImage) out = NULL;
    CodecStyle style = usual;

    style.codec = CODEC_FRACTAL;
    g_assert_cmpfloat (apply (image, &style, &out).mse, <, 2e-3);
  }
}

/* V19: I0 B1 B2 P3 is coded as I0 P3 B1 B2; each B after both of its references. */
static void
test_order (void)
{
  static const char *const patterns[] = { "IBBP", "IBBPBBPBB", "I", "IPPP", "IBB" };
  int order[16];

  video_codec_get_order ("IBBP", order);
  g_assert_cmpint (order[0], ==, 0);
  g_assert_cmpint (order[1], ==, 2);
  g_assert_cmpint (order[2], ==, 3);
  g_assert_cmpint (order[3], ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++)
    for (int64_t k = 0; k < 20; k++) {
      g_autoptr (GArray) chain = video_codec_get_chain (patterns[i], k);

      /* The frame is last, and whatever a frame refers to comes before it. */
      g_assert_cmpint (g_array_index (chain, int64_t, chain->len - 1), ==, k);
      for (guint a = 0; a < chain->len; a++) {
        int64_t references[2];

        video_codec_get_references (patterns[i], g_array_index (chain, int64_t, a), references);
        for (int r = 0; r < 2; r++) {
          bool found = references[r] < 0;

          for (guint b = 0; b < a; b++)
            found = found || g_array_index (chain, int64_t, b) == references[r];
          g_assert_true (found);
        }
      }
    }
  g_assert_false (video_codec_check ("BIP", NULL));
  g_assert_false (video_codec_check ("", NULL));
}

/* V17: a translation by (2, 1) is found, and nothing is left of equal frames. */
static void
test_blocks (void)
{
  g_autoptr (KgImage) image = make_image (96, 64, 2), moved = kg_image_new (96, 64, false, NULL);
  g_auto (CodecPlanes) from = { 0 }, to = { 0 }, prediction = { 0 };
  g_autofree int *vectors = g_new0 (int, 2 * 6 * 4);

  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 96; x++)
      memcpy (kg_image_edit_pixels (moved) + 4 * (96 * y + x),
              kg_image_get_pixels (image) + 4 * (96 * ((y + 63) % 64) + (x + 94) % 96), 4 * sizeof (float));
  g_assert_true (codec_planes_read (image, 96, 64, &from, NULL));
  g_assert_true (codec_planes_read (moved, 96, 64, &to, NULL));
  video_codec_predict (&to, &from, 7, vectors, &prediction);
  for (int by = 1; by < 4; by++)
    for (int bx = 1; bx < 6; bx++) {
      g_assert_cmpint (vectors[2 * (6 * by + bx)], ==, -2);
      g_assert_cmpint (vectors[2 * (6 * by + bx) + 1], ==, -1);
    }
  codec_planes_clear (&prediction);
  video_codec_predict (&from, &from, 7, vectors, &prediction);
  for (int k = 0; k < 48; k++)
    g_assert_cmpint (vectors[k], ==, 0);
  {
    g_auto (CodecPlanes) alone = codec_planes_copy (&from), still = codec_planes_copy (&from);

    g_assert_cmpfloat (codec_planes_code (&still, &prediction, 50), <, 0.01 * codec_planes_code (&alone, NULL, 50));
  }
}

/* V23: 24 film frames are 30 of video: AA BB BC CD DD. */
static void
test_cadence (void)
{
  static const int expected[5][2] = { { 0, 0 }, { 1, 1 }, { 1, 2 }, { 2, 3 }, { 3, 3 } };
  int64_t fields[2];

  for (int k = 0; k < 5; k++) {
    cadence_find_film (CADENCE_2_3, k + 5 * 6, fields);
    g_assert_cmpint (fields[0], ==, 24 + expected[k][0]);
    g_assert_cmpint (fields[1], ==, 24 + expected[k][1]);
  }
  for (int cadence = 0; cadence < CADENCE_N; cadence++)
    for (int64_t film = -30; film < 60; film++) {
      int64_t video[2], back[2];

      cadence_find_video ((Cadence) cadence, film, video);
      for (int i = 0; i < 2; i++) {
        cadence_find_film ((Cadence) cadence, video[i], back);
        g_assert_cmpint (back[i], ==, film);
      }
    }
}

/* V04: sync at -40, white at 100, black at 7.5; the parts make up a line.  V05: a constant colour survives; stripes as fine
 * as the subcarrier become coloured through a notch filter and stay grey on separate wires. */
static void
test_composite (void)
{
  g_autoptr (KgImage) flat = kg_image_new (128, 32, false, NULL), stripes = kg_image_new (128, 32, false, NULL);
  g_autoptr (KgImage) out = kg_image_new (128, 32, false, NULL);
  CompositeStyle style = { .decoder = COMPOSITE_NOTCH };
  double ire[4096], low = 100, high = -100, active = 0, colour = 0;

  for (int i = 0; i < 128 * 32; i++) {
    const float c[4] = { 0.5f, 0.2f, 0.1f, 1 };
    const float grey = i % 4 < 2 ? 1 : 0, g[4] = { grey, grey, grey, 1 };

    memcpy (kg_image_edit_pixels (flat) + 4 * i, c, sizeof c);
    memcpy (kg_image_edit_pixels (stripes) + 4 * i, g, sizeof g);
  }
  for (int decoder = 0; decoder < COMPOSITE_N_DECODERS; decoder++) {
    style.decoder = (CompositeDecoder) decoder;
    g_assert_true (composite_video_apply (flat, &style, out, NULL));
    for (int x = 16; x < 112; x++)
      for (int c = 0; c < 3; c++)
        assert_near ((double) kg_image_get_pixels (out)[4 * (128 * 16 + x) + c],
                     (double) kg_image_get_pixels (flat)[4 * x + c], 5e-3);
    g_assert_true (composite_video_apply (stripes, &style, out, NULL));
    colour = 0;
    for (int x = 16; x < 112; x++) {
      const float *p = kg_image_get_pixels (out) + 4 * (128 * 16 + x);

      colour = fmax (colour, (double) (fmaxf (p[0], fmaxf (p[1], p[2])) - fminf (p[0], fminf (p[1], p[2]))));
    }
    if (decoder == COMPOSITE_NOTCH)
      g_assert_cmpfloat (colour, >, 0.1);
    if (decoder == COMPOSITE_SEPARATE)
      g_assert_cmpfloat (colour, <, 1e-6);
  }
  for (int i = 0; i < 128 * 32 * 4; i++)
    kg_image_edit_pixels (flat)[i] = 1;
  composite_video_scan (flat, 0, false, ire, G_N_ELEMENTS (ire));
  for (guint i = 0; i < G_N_ELEMENTS (ire); i++) {
    low = fmin (low, ire[i]);
    high = fmax (high, ire[i]);
    active += ire[i] > 50;
  }
  assert_near (low, -40, 0);
  assert_near (high, 100, 1e-9);
  assert_near (active / G_N_ELEMENTS (ire) * 63.556, 52.656, 0.05);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/picture-codec/V10-run-lengths", test_runs);
  g_test_add_func ("/picture-codec/V11-lzw", test_lzw);
  g_test_add_func ("/picture-codec/V12-V14-V15-V16-lossless", test_lossless);
  g_test_add_func ("/picture-codec/V13-chroma", test_chroma);
  g_test_add_func ("/picture-codec/V15-ties", test_ties);
  g_test_add_func ("/picture-codec/V09-rates", test_rates);
  g_test_add_func ("/picture-codec/V19-order", test_order);
  g_test_add_func ("/picture-codec/V17-blocks", test_blocks);
  g_test_add_func ("/picture-codec/V23-cadence", test_cadence);
  g_test_add_func ("/picture-codec/V04-V05-composite", test_composite);
  return g_test_run ();
}
