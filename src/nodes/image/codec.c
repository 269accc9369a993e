/* image/codec: what compression leaves of an image.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_codec.h"

#include "frame_samples.h"

typedef struct {
  FRAME_FIELDS;
  int codec;
  int chroma;
  int dct;
  double quality;
  int64_t first;
  double threshold;
  int64_t block;
  int64_t codes;
  int64_t iterations;
  int wavelet;
  int64_t levels;
  double keep;
  double scale_limit;
  double bits_per_pixel;
  double bytes;
  double ratio;
  double psnr;
  double kept;
} CodecNode;

static const KgChoice codec_codecs[] = {
  [CODEC_RUN_LENGTHS] = { "rle", N_ ("Run lengths (RLE): lossless") },
  [CODEC_LZW] = { "lzw", N_ ("LZW, as in GIF: lossless") },
  [CODEC_VECTORS] = { "vq", N_ ("Vector quantisation, as in Cinepak") },
  [CODEC_CHROMA] = { "chroma", N_ ("Chroma subsampling") },
  [CODEC_DCT] = { "dct", N_ ("Cosine transform (DCT), as in JPEG") },
  [CODEC_WAVELET] = { "wavelet", N_ ("Wavelet, as in JPEG 2000") },
  [CODEC_FRACTAL] = { "fractal", N_ ("Fractal") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (codec_codecs, CODEC_N);

static const KgChoice codec_chromas[] = {
  [CHROMA_444] = { "4:4:4", N_ ("4:4:4, all: 24 bits") },
  [CHROMA_422] = { "4:2:2", N_ ("4:2:2, halved across: 16 bits") },
  [CHROMA_411] = { "4:1:1", N_ ("4:1:1, a quarter across: 12 bits") },
  [CHROMA_420] = { "4:2:0", N_ ("4:2:0, halved across and down: 12 bits") },
  [CHROMA_YUV9] = { "yuv9", N_ ("YUV-9, a quarter across and down: 9 bits") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (codec_chromas, CHROMA_N);

static const KgChoice codec_dcts[] = {
  [DCT_QUANTISE] = { "quantize", N_ ("Quantise by a table") },
  [DCT_FIRST] = { "first", N_ ("Keep the first of the zig-zag") },
  [DCT_THRESHOLD] = { "threshold", N_ ("Drop what is small") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (codec_dcts, DCT_N);

static const KgChoice codec_wavelets[] = {
  [WAVELET_HAAR] = { "haar", N_ ("Haar") },
  [WAVELET_CDF53] = { "cdf53", N_ ("CDF 5/3") },
  [WAVELET_CDF97] = { "cdf97", N_ ("CDF 9/7") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (codec_wavelets, WAVELET_N);

static bool
codec_evaluate (CodecNode *n, const KgContext *ctx, GError **error)
{
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const CodecStyle style = { .codec = (Codec) n->codec,
                             .chroma = (ChromaScheme) n->chroma,
                             .dct = (DctMode) n->dct,
                             .quality = n->quality,
                             .first = (int) n->first,
                             .threshold = n->threshold,
                             .block = (int) n->block,
                             .codes = (int) n->codes,
                             .iterations = (int) n->iterations,
                             .wavelet = (Wavelet) n->wavelet,
                             .levels = (int) n->levels,
                             .keep = n->keep,
                             .scale_limit = n->scale_limit };
  const double pixels = (double) kg_image_get_width (n->image) * kg_image_get_height (n->image);
  CodecReport report;

  n->result = frame_samples_new_like (n->image, error);
  if (n->result == NULL || !image_codec_apply (n->image, &style, n->result, &report, &monitor, error))
    return false;
  n->bytes = ceil (report.bits / 8);
  n->bits_per_pixel = report.bits / pixels;
  n->ratio = 24 * pixels / fmax (report.bits, 1);
  /* Without any error the ratio of signal and noise has no number: as good as 16 bits could be. */
  n->psnr = report.mse > 0 ? fmin (-10 * log10 (report.mse), 99) : 99;
  n->kept = report.kept;
  return image_wear (n->image, &wear, &n->result, &monitor);
}

static const KgSlot codec_slots[] = {
  KG_INPUT (CodecNode, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The image to compress and expand again.")),
  KG_INPUT (
      CodecNode, codec, CHOICE, .label = N_ ("Codec"), .choices = codec_codecs, .def = CODEC_DCT,
      .help = N_ ("How the image is coded: as 8-bit colour over black. Its alpha is not coded and does not change.")),
  KG_INPUT (CodecNode, chroma, CHOICE, .label = N_ ("Chroma"), .choices = codec_chromas, .def = CHROMA_420,
            .shown_when = "codec=chroma|dct|wavelet",
            .help = N_ ("Resolution of the colours relative to that of the brightness.")),
  KG_INPUT (CodecNode, dct, CHOICE, .label = N_ ("Coefficients"), .choices = codec_dcts, .shown_when = "codec=dct",
            .help = N_ ("What happens to the 64 coefficients of each block of 8 × 8 pixels.")),
  KG_INPUT (CodecNode, quality, NUMBER, .label = N_ ("Quality"), .def = 75, .min = 1, .max = 100,
            .shown_when = "codec=dct", .help = N_ ("JPEG's quality: 50 uses the tables of the standard as they are.")),
  KG_INPUT (CodecNode, first, INTEGER, .label = N_ ("First"), .def = 10, .min = 0, .max = 64, .shown_when = "dct=first",
            .help = N_ ("Coefficients of each block that are kept, low frequencies first.")),
  KG_INPUT (CodecNode, threshold, NUMBER, .label = N_ ("Threshold"), .def = 10, .min = 0, .max = 2048, .soft_max = 100,
            .shown_when = "dct=threshold", .help = N_ ("Smaller coefficients are dropped; 8 is one step of 8 bits.")),
  KG_INPUT (CodecNode, block, INTEGER, .label = N_ ("Block"), .unit = KG_PIXELS, .def = 4, .min = 1, .max = 16,
            .shown_when = "codec=vq|fractal", .help = N_ ("Side of the blocks.")),
  KG_INPUT (CodecNode, codes, INTEGER, .label = N_ ("Codes"), .def = 256, .min = 1, .max = 4096, .soft_max = 1024,
            .shown_when = "codec=vq", .help = N_ ("Number of different blocks in the image.")),
  KG_INPUT (CodecNode, iterations, INTEGER, .label = N_ ("Iterations"), .def = 12, .min = 1, .max = 100,
            .shown_when = "codec=vq|fractal",
            .help = N_ ("Largest number of rounds in which the codes are improved; or number of rounds of the "
                        "fractal decoder.")),
  KG_INPUT (CodecNode, wavelet, CHOICE, .label = N_ ("Wavelet"), .choices = codec_wavelets, .def = WAVELET_CDF97,
            .shown_when = "codec=wavelet", .help = N_ ("The base function.")),
  KG_INPUT (CodecNode, levels, INTEGER, .label = N_ ("Levels"), .def = 5, .min = 1, .max = 15, .soft_max = 8,
            .shown_when = "codec=wavelet", .help = N_ ("How often the image is halved.")),
  KG_INPUT (CodecNode, keep, NUMBER, .label = N_ ("Keep"), .unit = KG_PERCENT, .def = 0.05, .min = 0, .max = 1,
            .shown_when = "codec=wavelet", .help = N_ ("Share of the coefficients that is kept, the largest ones.")),
  KG_INPUT (CodecNode, scale_limit, NUMBER, .label = N_ ("Contrast limit"), .def = 0.9, .min = 0, .max = 0.99,
            .shown_when = "codec=fractal",
            .help = N_ ("Largest contrast of the copies; below 1 the decoder always converges.")),
  KG_OUTPUT (CodecNode, bits_per_pixel, NUMBER, .label = N_ ("Bits per pixel"),
             .help = N_ ("Rate: 24 without compression. For transforms it is the entropy of the symbols.")),
  KG_OUTPUT (CodecNode, bytes, NUMBER, .label = N_ ("Bytes"), .help = N_ ("Size of the coded image.")),
  KG_OUTPUT (CodecNode, ratio, NUMBER, .label = N_ ("Ratio"), .help = N_ ("How many times smaller it is.")),
  KG_OUTPUT (CodecNode, psnr, NUMBER, .label = N_ ("PSNR"),
             .help = N_ ("Peak ratio of signal to noise in decibels: 99 without loss, above 40 hard to see, below 30 "
                         "poor.")),
  KG_OUTPUT (CodecNode, kept, NUMBER, .label = N_ ("Kept"), .unit = KG_PERCENT,
             .help = N_ ("Share of the coefficients that are not zero, or of the codes that are used.")),
  IMAGE_WEAR (CodecNode, N_ ("The image after decoding.")),
};

KG_NODE (image, codec, CodecNode, .label = N_ ("Codec"), .version = 2, .since = "0.1",
         .tags = N_ ("compression jpeg artefacts artifacts gif blocks dct wavelet fractal vector quantization rle lzw "
                     "chroma subsampling rate psnr bitrate"),
         .formula = "PSNR = 10 log₁₀ (1 / MSE)",
         .source = "ITU-T T.81; Linde, Buzo and Gray, 1980; Daubechies and Sweldens, 1998; Jacquin, 1992; Welch, 1984",
         .help = N_ ("Compresses an image and expands it again, to see what a codec does to it, for its look, and to "
                     "measure rate against quality."));
