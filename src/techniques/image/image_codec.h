/* image_codec: images as codecs leave them, with the rate they take.
 *
 * All work on what a file would hold: sRGB-coded colour of 8 bits over black; coverage passes by.  Rates are those of the code
 * itself where it is a code of bytes (run lengths, LZW, indices of vectors, fractal maps), and for transforms the entropy of
 * their symbols, which a good arithmetic coder reaches within a per cent.
 * Sources: ITU-R BT.601 (Y'CbCr); Linde, Buzo and Gray 1980 (vector quantisation); ITU-T T.81 (JPEG: quantisation tables,
 * zig-zag, symbols); Cohen, Daubechies and Feauveau 1992, and Daubechies and Sweldens 1998 (wavelets by lifting); Jacquin
 * 1992 (fractal blocks).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum {
  CODEC_RUN_LENGTHS,
  CODEC_LZW,
  CODEC_VECTORS,
  CODEC_CHROMA,
  CODEC_DCT,
  CODEC_WAVELET,
  CODEC_FRACTAL,
  CODEC_N
} Codec;

typedef enum { CHROMA_444, CHROMA_422, CHROMA_411, CHROMA_420, CHROMA_YUV9, CHROMA_N } ChromaScheme;
typedef enum { WAVELET_HAAR, WAVELET_CDF53, WAVELET_CDF97, WAVELET_N } Wavelet;
typedef enum { DCT_QUANTISE, DCT_FIRST, DCT_THRESHOLD, DCT_N } DctMode;

typedef struct {
  Codec codec;
  ChromaScheme chroma; /* of CODEC_CHROMA, CODEC_DCT, CODEC_WAVELET */
  DctMode dct;
  double quality;   /* 1..100, as JPEG's */
  int first;        /* coefficients of the zig-zag that are kept */
  double threshold; /* coefficients below are dropped, in steps of 8 bits */
  int block;        /* of vectors and fractal ranges */
  int codes;        /* of vectors */
  int iterations;   /* of vectors: at most; of the fractal decoder */
  Wavelet wavelet;
  int levels;
  double keep;        /* share of the wavelet's coefficients */
  double scale_limit; /* of fractal maps, below 1 */
} CodecStyle;

typedef struct {
  double bits; /* of the coded image */
  double mse;  /* of the 8-bit components, 0..1 */
  double kept; /* share of coefficients, or of codes, that is not zero or used */
} CodecReport;

/* Fills out, which is as large.  False with an error, or when cancelled. */
bool image_codec_apply (const KgImage *image, const CodecStyle *style, KgImage *out, CodecReport *report,
                        const KgProgressMonitor *monitor, GError **error);

/* Planes of numbers 0..255, for codecs of moving images: Y' whole, Cb and Cr of half the size. */
typedef struct {
  int width[3], height[3];
  float *a[3];
} CodecPlanes;

bool codec_planes_read (const KgImage *image, int width, int height, CodecPlanes *planes, GError **error);
/* The coverage is that of image. */
void codec_planes_write (const CodecPlanes *planes, const KgImage *image, KgImage *out);
CodecPlanes codec_planes_copy (const CodecPlanes *planes);
void codec_planes_clear (CodecPlanes *planes);
/* Codes planes less prediction (nullable) by DCT with this quality; planes become what the decoder has.  Returns the bits. */
double codec_planes_code (CodecPlanes *planes, const CodecPlanes *prediction, double quality);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CodecPlanes, codec_planes_clear)

G_END_DECLS
