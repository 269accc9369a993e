/* image/video_codec: what compression over time leaves of a movie.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/video_codec.h"

#include "frame_samples.h"

typedef struct {
  FRAME_FIELDS;
  const char *pattern;
  double quality;
  double quality_p;
  double quality_b;
  int64_t search;
  char *type;
  double bytes;
  double ratio;
  double psnr;
  KgGeometry *vectors;
  KgTable *order;
} VideoCodec;

static int64_t
video_codec_get_index (const KgContext *ctx)
{
  return MAX ((int64_t) frame_samples_whole (ctx->frame - ctx->start), 0);
}

static bool
video_codec_demand (const VideoCodec *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  g_autoptr (GArray) chain = NULL;

  if (!video_codec_check (n->pattern, error))
    return false;
  chain = video_codec_get_chain (n->pattern, video_codec_get_index (ctx));
  for (guint i = 0; i < chain->len; i++)
    kg_demand_at (demand, offsetof (VideoCodec, image), (double) g_array_index (chain, int64_t, i) / ctx->rate);
  return true;
}

/* Vectors as lines from the middles of blocks to where they come from. */
static bool
video_codec_draw (VideoCodec *n, const int *vectors, int width, int height, GError **error)
{
  const int across = (width + VIDEO_BLOCK - 1) / VIDEO_BLOCK, down = (height + VIDEO_BLOCK - 1) / VIDEO_BLOCK;
  const double scale = 2.0 / height;
  size_t count = 0;

  for (int k = 0; k < across * down; k++) {
    const double x = (k % across + 0.5) * VIDEO_BLOCK, y = (k / across + 0.5) * VIDEO_BLOCK;
    const uint32_t ends[2] = { (uint32_t) count, (uint32_t) count + 1 };
    const KgPrimitive line = { .kind = KG_POLYLINE, .n_vertices = 2, .vertices = ends };
    float *p;

    if (vectors[2 * k] == 0 && vectors[2 * k + 1] == 0)
      continue;
    if (!kg_geometry_set_n_points (n->vectors, count + 2, error))
      return false;
    p = kg_geometry_edit_positions (n->vectors) + 3 * count;
    p[0] = (float) (scale * (x - 0.5 * width));
    p[1] = (float) (1 - scale * y);
    p[3] = (float) (scale * (x + vectors[2 * k] - 0.5 * width));
    p[4] = (float) (1 - scale * (y + vectors[2 * k + 1]));
    kg_geometry_add_primitive (n->vectors, &line);
    count += 2;
  }
  return true;
}

/* The planes of a frame that is decoded already. */
static const CodecPlanes *
find_decoded (const GArray *chain, const CodecPlanes *decoded, guint n, int64_t frame)
{
  for (guint i = n; i > 0; i--)
    if (g_array_index (chain, int64_t, i - 1) == frame)
      return &decoded[i - 1];
  return NULL;
}

/* Codes one frame of the chain in place; vectors: of its first reference. */
static double
video_codec_code (const VideoCodec *n, const GArray *chain, CodecPlanes *decoded, guint i, int *vectors)
{
  const int64_t k = g_array_index (chain, int64_t, i);
  const char type = video_codec_get_type (n->pattern, k);
  const double quality = type == 'I' ? n->quality : type == 'P' ? n->quality_p : n->quality_b;
  g_auto (CodecPlanes) forward = { 0 }, backward = { 0 };
  const CodecPlanes *first, *second;
  int64_t references[2];
  double bits;

  video_codec_get_references (n->pattern, k, references);
  first = references[0] >= 0 ? find_decoded (chain, decoded, i, references[0]) : NULL;
  second = references[1] >= 0 ? find_decoded (chain, decoded, i, references[1]) : NULL;
  if (first == NULL)
    return codec_planes_code (&decoded[i], NULL, quality);
  if (second != NULL) {
    bits = video_codec_predict (&decoded[i], second, (int) n->search, vectors, &backward);
    bits += video_codec_predict (&decoded[i], first, (int) n->search, vectors, &forward);
    for (int c = 0; c < 3; c++)
      for (size_t p = 0; p < (size_t) decoded[i].width[c] * (size_t) decoded[i].height[c]; p++)
        forward.a[c][p] = 0.5f * (forward.a[c][p] + backward.a[c][p]);
  } else
    bits = video_codec_predict (&decoded[i], first, (int) n->search, vectors, &forward);
  bits += codec_planes_code (&decoded[i], &forward, quality);
  return bits;
}

static bool
video_codec_list_order (VideoCodec *n, GError **error)
{
  static const char *const names[] = { "display", "coding", "type" };
  const size_t length = strlen (n->pattern);
  g_autofree int *order = g_new0 (int, length);
  double *cells;

  n->order = kg_table_new (3, names, length, error);
  if (n->order == NULL)
    return false;
  video_codec_get_order (n->pattern, order);
  cells = kg_table_edit (n->order);
  for (size_t k = 0; k < length; k++) {
    cells[3 * k] = (double) k;
    cells[3 * k + 1] = order[k];
    cells[3 * k + 2] = n->pattern[k] == 'I' ? 0 : n->pattern[k] == 'P' ? 1 : 2;
  }
  return true;
}

static double
measure_psnr (const CodecPlanes *a, const CodecPlanes *b)
{
  double sum = 0, count = 0;

  for (int c = 0; c < 3; c++) {
    const size_t size = (size_t) a->width[c] * (size_t) a->height[c];

    for (size_t i = 0; i < size; i++)
      sum += pow ((double) (a->a[c][i] - b->a[c][i]) / 255, 2);
    count += (double) size;
  }
  return sum > 0 ? fmin (-10 * log10 (sum / count), 99) : 99;
}

static bool
video_codec_evaluate (VideoCodec *n, const KgContext *ctx, GError **error)
{
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  guint count;
  g_autofree const KgImage **frames = frame_samples_get (ctx, offsetof (VideoCodec, image), &count);
  const KgImage *shown = frames[count - 1];
  const int width = kg_image_get_width (shown), height = kg_image_get_height (shown);
  g_autoptr (GArray) chain = video_codec_get_chain (n->pattern, video_codec_get_index (ctx));
  g_autofree CodecPlanes *decoded = g_new0 (CodecPlanes, count);
  g_autofree int *vectors = g_new0 (int, 2 * (size_t) ((width + VIDEO_BLOCK - 1) / VIDEO_BLOCK) *
                                             (size_t) ((height + VIDEO_BLOCK - 1) / VIDEO_BLOCK));
  g_auto (CodecPlanes) original = { 0 };
  double bits = 0;
  bool fine = true;

  n->vectors = kg_geometry_new ();
  for (guint i = 0; i < count && fine && !kg_context_is_cancelled (ctx); i++) {
    fine = codec_planes_read (frames[i], width, height, &decoded[i], error);
    if (fine && i == count - 1)
      original = codec_planes_copy (&decoded[i]);
    if (fine)
      bits = video_codec_code (n, chain, decoded, i, vectors);
    kg_context_progress (ctx, (i + 1.0) / count);
  }
  fine = fine && !kg_context_is_cancelled (ctx) && video_codec_list_order (n, error);
  if (fine) {
    n->type = g_strdup_printf ("%c", video_codec_get_type (n->pattern, video_codec_get_index (ctx)));
    n->bytes = ceil (bits / 8);
    n->ratio = 24.0 * width * height / fmax (bits, 1);
    n->psnr = measure_psnr (&original, &decoded[count - 1]);
    n->result = frame_samples_new_like (shown, error);
    fine = n->result != NULL && video_codec_draw (n, vectors, width, height, error);
    if (fine)
      codec_planes_write (&decoded[count - 1], shown, n->result);
  }
  for (guint i = 0; i < count; i++)
    codec_planes_clear (&decoded[i]);
  return fine && image_wear (shown, &wear, &n->result, &monitor);
}

static const KgSlot video_codec_slots[] = {
  KG_INPUT (VideoCodec, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The movie to compress and expand again.")),
  KG_INPUT (
      VideoCodec, pattern, TEXT, .label = N_ ("Pattern"), .early = true, .def_text = "IBBPBBPBB",
      .help = N_ (
          "Group of pictures, repeated from the first frame on: I frames stand alone, P frames refer to the previous "
          "I or P frame, B frames to the previous and the next one. The first one is an I.")),
  KG_INPUT (VideoCodec, quality, NUMBER, .label = N_ ("Quality of I"), .def = 60, .min = 1, .max = 100,
            .help = N_ ("JPEG's quality of the I frames.")),
  KG_INPUT (VideoCodec, quality_p, NUMBER, .label = N_ ("Quality of P"), .def = 50, .min = 1, .max = 100,
            .help = N_ ("Quality of what is left after the prediction.")),
  KG_INPUT (VideoCodec, quality_b, NUMBER, .label = N_ ("Quality of B"), .def = 35, .min = 1, .max = 100,
            .help = N_ ("Quality of what is left after the prediction from both sides.")),
  KG_INPUT (VideoCodec, search, INTEGER, .label = N_ ("Search"), .unit = KG_PIXELS, .def = 7, .min = 0, .max = 64,
            .soft_max = 16,
            .help = N_ ("Distance up to which blocks of 16 × 16 pixels are searched for in other frames.")),
  KG_OUTPUT (VideoCodec, type, TEXT, .label = N_ ("Type"), .help = N_ ("I, P or B: how this frame is coded.")),
  KG_OUTPUT (VideoCodec, bytes, NUMBER, .label = N_ ("Bytes"), .help = N_ ("Size of this frame.")),
  KG_OUTPUT (VideoCodec, ratio, NUMBER, .label = N_ ("Ratio"), .help = N_ ("How many times smaller it is.")),
  KG_OUTPUT (VideoCodec, psnr, NUMBER, .label = N_ ("PSNR"),
             .help = N_ ("Peak ratio of signal to noise in decibels, with the colours as they are subsampled.")),
  KG_OUTPUT (VideoCodec, vectors, GEOMETRY, .label = N_ ("Vectors"),
             .help = N_ ("Lines from each block to where it comes from. The centre of the image is the origin, its "
                         "height is 2.")),
  KG_OUTPUT (
      VideoCodec, order, TABLE, .label = N_ ("Order"),
      .help = N_ (
          "For each frame of the pattern: its place in the order of display and of coding, and its type (0 I, 1 P, 2 "
          "B).")),
  IMAGE_WEAR (VideoCodec, N_ ("The frame after decoding.")),
};

KG_NODE_WITH_DEMAND (
    image, video_codec, VideoCodec, .label = N_ ("Video Codec"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("mpeg compression gop group of pictures interframe motion compensation artefacts artifacts bitrate"),
    .source = "ISO/IEC 11172-2; ITU-T T.81",
    .help = N_ (
        "Compresses a movie as MPEG does: some frames by themselves, but most as the changes from their neighbours, block by block with motion vectors. The frames that are needed are evaluated and coded anew for each frame, so any frame is the same however it is reached."));
