/* image/convolve: an image and a matrix of one's own.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/convolution.h"

#include "image/edges.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  const KgTable *matrix;
  bool normalize;
  double offset;
  bool alpha;
  int edges;
} Convolve;

static bool
convolve_evaluate (Convolve *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const guint columns = kg_table_get_n_columns (n->matrix);
  const size_t rows = kg_table_get_n_rows (n->matrix), entries = rows * columns;
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  const int width = kg_image_get_width (before), height = kg_image_get_height (before);
  g_autofree double *matrix = NULL;
  double sum = 0;
  float *to;

  if (entries == 0 || columns > CONVOLUTION_MAX_SIDE || rows > CONVOLUTION_MAX_SIDE) {
    kg_set_error (error, KG_ERROR_LIMIT, "a matrix of %zu rows and %u columns: use 1 to %d of each", rows, columns,
                  CONVOLUTION_MAX_SIDE);
    return false;
  }
  matrix = g_memdup2 (kg_table_get_cells (n->matrix), entries * sizeof *matrix);
  for (size_t i = 0; i < entries; i++) {
    if (isnan (matrix[i]))
      matrix[i] = 0;
    sum += matrix[i];
  }
  /* A matrix without a sum, such as of an edge, has no mean to keep. */
  for (size_t i = 0; n->normalize && fabs (sum) > 1e-9 && i < entries; i++)
    matrix[i] /= sum;
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  to = kg_image_edit_pixels (n->result);
  if (!convolve_image (kg_image_get_pixels (before), width, height, matrix, (int) columns, (int) rows,
                       n->alpha ? 15 : 7, (ResampleEdges) n->edges, to, &monitor))
    return false;
  for (size_t i = 3; n->alpha && i < 4 * (size_t) width * (size_t) height; i += 4)
    to[i] = (float) kg_clamp ((double) to[i], 0, 1);
  for (size_t i = 0; n->offset != 0 && i < 4 * (size_t) width * (size_t) height; i++)
    to[i] += i % 4 < 3 ? (float) n->offset * to[i | 3] : 0;
  return image_wear (before, &wear, &n->result, &monitor);
}

static double
convolve_reach (const void *job)
{
  const Convolve *n = (const Convolve *) job;
  const size_t rows = kg_table_get_n_rows (n->matrix), columns = kg_table_get_n_columns (n->matrix);

  return n->edges == RESAMPLE_REPEAT ? -1 : (double) MAX (rows, columns);
}

static const KgSlot convolve_slots[] = {
  IMAGE_INPUT (Convolve, N_ ("The image to convolve.")),
  KG_INPUT (Convolve, matrix, TABLE, .label = N_ ("Matrix"), .def_text = "1 2 1; 2 4 2; 1 2 1", .multiline = true,
            .help = N_ ("Factors of the pixels around each pixel, laid out as in the image; the middle one is the "
                        "factor of the pixel itself.")),
  KG_INPUT (
      Convolve, normalize, BOOLEAN, .label = N_ ("Normalise"), .def = 1,
      .help = N_ (
          "Divides the matrix by its sum, so that the brightness stays the same. A matrix with the sum 0 stays as it is.")),
  KG_INPUT (Convolve, offset, NUMBER, .label = N_ ("Offset"), .min = -1e6, .max = 1e6, .soft_min = -1, .soft_max = 1,
            .help = N_ ("Added to the colours of opaque pixels, such as 0.5 for reliefs.")),
  KG_INPUT (Convolve, alpha, BOOLEAN, .label = N_ ("Alpha"), .def = 1,
            .help = N_ ("Convolves alpha, too, and keeps it from 0 to 1.")),
  KG_INPUT (Convolve, edges, CHOICE, .label = N_ ("Edges"), .choices = image_edges, .def = RESAMPLE_EXTEND,
            .help = N_ ("What is assumed outside the image.")),
  IMAGE_WEAR (Convolve, N_ ("The convolved image.")),
};

KG_NODE (
    image, convolve, Convolve, .label = N_ ("Convolve"), .version = 1, .since = "0.1", .reach = convolve_reach,
    .tags = N_ ("convolve matrix matrix3x3 matrix5x5 kernel custom filter 3x3 5x5 convolution"),
    .formula = "result (x, y) = Σ matrix[j][i] image (x + i − i₀, y + j − j₀)",
    .help = N_ ("Sums the pixels around each pixel with the factors of a matrix, which makes blurs, edges, reliefs and "
                "whatever else a small matrix can do."));
