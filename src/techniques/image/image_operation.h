/* image_operation: the frame that every operation on images wears.
 *
 * How to write the next image node.  (1) A kernel: a KG_KERNEL static function that rewrites the four channels of a block
 * of pixels, r[i] g[i] b[i] a[i] for i < n, in plain loops that the compiler turns into vectors.  (2) A job with IMAGE_FIELDS
 * (src/nodes/image/image_wear.h) and its own settings; (3) its slots between IMAGE_INPUT and IMAGE_WEAR; (4) evaluate hands
 * the kernel to image_apply_later, which does the rest: rows over threads, cancelling, straight colours, mask, mix, numbers that
 * are not finite.  src/nodes/image/grade.c is such a node.  A kernel with more images than one is given to image_combine
 * (src/nodes/image/merge.c), and one whose settings refer to something to image_apply.  Its type says .reach = kg_reach_none (or
 * how far around its pixels count, see KgNodeReach), so that the viewport can have parts of large images alone.  What is no point operation (a blur) makes its result as it likes and ends with image_wear, and
 * can share its rows out with image_each_rows.
 *
 * The rules, the same in all nodes:
 *  - Sizes.  The result is as large as the operation's image, with its pixel aspect.  Operations that lay images together
 *    enlarge it first to the largest width and height of all (image_enlarge).  Images are centred on each other (whole
 *    pixels; half a pixel goes to the right and down); outside an image is transparent black, infinitely far away.  An image
 *    of another pixel aspect is stretched across, so that shapes agree.
 *  - Depth is that of the operation's image, unless the operation is about depth; then it is that of the operation, whatever
 *    the mask.
 *  - Mask.  It scales the effect between none at 0 and all at 1, clamped: by the mask's alpha, or by its luminance where it is
 *    opaque everywhere (IMAGE_MASK_AUTOMATIC), or by what the node says.  Outside the mask's image it is 0, before it is inverted.
 *  - Mix.  result = (1 - m) image + m operation (image), with m = mix * mask, on premultiplied colours: with m = 0 and 1 the
 *    bits of one or the other.
 *  - Straight colours.  Where asked, rgb is divided by alpha before the kernel and multiplied by its new alpha after.  A pixel
 *    with alpha 0 (or less) has no straight colour: it stays as it is, light without coverage included.
 *  - Numbers.  Negative and huge values are legal and kept.  What a kernel makes of them is made finite: NaN becomes 0, what
 *    overflows becomes the largest float of its sign.
 *  - Bits do not depend on the number of threads.
 *  - Memory.  Where a result is read once and not kept (images of single frames of a rendering), operations are left pending
 *    (kg_image_set_pending), and all in a row are done block by block in one pass: a block stays in the cache of the
 *    processor.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-image.h"
#include "kg-kernel.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Most pixels of a block, and most images besides the operation's own. */
#define IMAGE_BLOCK 256
#define IMAGE_MAX_OTHERS 4

typedef enum { IMAGE_MASK_AUTOMATIC, IMAGE_MASK_ALPHA, IMAGE_MASK_LUMINANCE, IMAGE_N_MASKS } ImageMask;

/* The n pixels of a block from their numbers as they lie in memory, r g b a r g b a ..., and those of the other images.  to may be
 * rgba.  Any thread. */
typedef void (*ImageWholeKernel) (const float *rgba, const float *const others[], size_t n, const void *data,
                                  float *to);

/* What every image operation wears. */
typedef struct {
  const KgImage *mask; /* (nullable) */
  ImageMask mask_by;
  bool invert_mask;
  double mix;    /* 0..1 */
  bool straight; /* the kernel wants straight colours; of the other images, too */
  bool
      keeps; /* of a pixel with a number that is not finite the kernel makes one with such a number: then a row of operations
                  * needs but one look for them */
  ImageWholeKernel
      whole; /* (nullable) the same as the kernel, to the bit: for operations that are limited by memory, where nothing
                           * is masked, mixed or straight and nothing else is done to the block */
} ImageWear;

/* Pixels side by side in a row. */
typedef struct {
  int x, y; /* of the first, in the operation's image */
  size_t n;
  float *r, *g, *b, *a;                     /* rewritten */
  const float *others[IMAGE_MAX_OTHERS][4]; /* r g b a of the other images there */
} ImageBlock;

/* Any thread. */
typedef void (*ImageKernel) (const ImageBlock *block, const void *data);

/* An image read in the pixels of another one, by the rule of sizes. */
typedef struct {
  const float *pixels, *depth; /* depth: NULL without */
  int width, height;
  int dx, dy;     /* where its left upper corner is */
  double stretch; /* its pixels per pixel of the other, across; 1: equal */
  double x0;      /* stretched: its continuous coordinate at the other's left edge */
} ImageSource;

/* right, down: an offset in the other's pixels, rounded to whole ones. */
ImageSource image_source (const KgImage *image, const KgImage *frame, double right, double down);
/* The n pixels from (x, y) on: in the image itself, or in scratch (4 n floats). */
const float *image_source_fetch (const ImageSource *source, int x, int y, size_t n, float *scratch);
/* The same for depths: infinite outside and without. */
const float *image_source_fetch_depth (const ImageSource *source, int x, int y, size_t n, float *scratch);

/* What of the mask counts, where by is automatic. */
ImageMask image_mask_resolve (const KgImage *mask, ImageMask by);

/* Enlarges *image (given) about its centre until image fits. */
bool image_enlarge (KgImage **image, const KgImage *other, GError **error);

/* Applies a point operation to *image (given, written in place where nobody else holds it).  False when monitor (nullable) says
 * that it is cancelled. */
bool image_apply (KgImage **image, const ImageWear *wear, ImageKernel kernel, const void *data,
                  const KgProgressMonitor *monitor);
/* The same with up to IMAGE_MAX_OTHERS other images; a source may be used as often as wanted. */
bool image_combine (KgImage **image, const ImageSource *others, guint n_others, const ImageWear *wear,
                    ImageKernel kernel, const void *data, const KgProgressMonitor *monitor);
/* The same as image_apply, but where later is true (kg_context_may_leave_pending) the operation is left pending, with a copy of
 * data, which has size bytes and refers to nothing: operations that follow each other then go over memory once, with the same
 * bits. */
bool image_apply_later (KgImage **image, const ImageWear *wear, ImageKernel kernel, const void *data, size_t size,
                        bool later, const KgProgressMonitor *monitor);
/* For operations that are no kernel: mixes before into *after (given), which is as large, and makes it finite. */
bool image_wear (const KgImage *before, const ImageWear *wear, KgImage **after, const KgProgressMonitor *monitor);

/* Calls rows for bands of rows that cover all, over threads, until monitor (nullable) says that it is cancelled: then false. */
typedef void (*ImageRows) (gpointer data, int first, int end);
bool image_each_rows (int width, int height, ImageRows rows, gpointer data, const KgProgressMonitor *monitor);

/* Relative luminance of linear light (ITU-R BT.709). */
static inline float
image_luminance (float r, float g, float b)
{
  return 0.2126f * r + 0.7152f * g + 0.0722f * b;
}

/* x to the power of p, for x above 0, to about six digits, in loops that become vectors; 0 for x of 0 and below.  Light may be
 * of any size and the power of any sign: kg_power_single (kg-kernel.h) needs half the time, but is for x up to 1 only. */
static inline float
image_power (float x, float p)
{
  const uint32_t one = 0x3f800000U, root_of_half = 0x3f3504f3U; /* as the bits of floats */
  uint32_t bits;
  float m, s, square, logarithm, y, g, power;
  int32_t exponent, up, down, whole;

  memcpy (&bits, &x, sizeof bits);
  bits += one - root_of_half;
  exponent = (int32_t) (bits >> 23) - 127;
  bits = (bits & 0x7fffffU) + root_of_half;
  memcpy (&m, &bits, sizeof m);
  /* The logarithm to base 2 as an inverse hyperbolic tangent, of m from the root of a half to that of two. */
  s = (m - 1) / (m + 1);
  square = s * s;
  logarithm = (float) exponent +
              s * (2.88539008f + square * (0.961796694f + square * (0.577078016f + square * 0.412198583f)));
  y = p * logarithm;
  y = y > 127.9f ? 127.9f : y < -126 ? -126 : y;
  /* Two to the power of the nearest whole number, times a series for the rest.  A choice between two floats would become a
   * branch, and the loop no vectors. */
  up = (int32_t) (y + 0.5f);
  down = (int32_t) (y - 0.5f);
  whole = up + (down - up) * (y < 0);
  g = 0.693147181f * (y - (float) whole);
  power = 1 +
          g * (1 + g * (0.5f + g * (0.166666667f + g * (0.0416666667f + g * (0.00833333333f + g * 0.00138888889f)))));
  /* In two halves: 2^128 is no float. */
  bits = (uint32_t) (MIN (whole, 127) + 127) << 23;
  memcpy (&m, &bits, sizeof m);
  power *= whole > 127 ? 2 : 1;
  return x > 0 ? power * m : 0;
}

G_END_DECLS
