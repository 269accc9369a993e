/* morph/image: one image turns into another, along pairs of lines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/line_warp.h"
#include "kg-node.h"

typedef struct {
  const KgImage *from;
  const KgImage *to;
  double amount;
  double dissolve;
  const KgGeometry *from_lines;
  const KgGeometry *to_lines;
  const KgTable *lines;
  double a;
  double b;
  double p;
  int precision;
  int between;
  int beside;
  double least;
  int sampling;
  int edge;
  KgColor background;
  KgImage *image;
} MorphImage;

enum { BETWEEN_ENDS, BETWEEN_TURN, N_BETWEEN };
enum { PRECISION_SINGLE, PRECISION_DOUBLE, N_PRECISIONS };

static const KgChoice morph_image_precisions[] = {
  [PRECISION_SINGLE] = { "single", N_ ("Single: fast") },
  [PRECISION_DOUBLE] = { "double", N_ ("Double: exact") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (morph_image_precisions, N_PRECISIONS);

static const KgChoice morph_image_between[] = {
  [BETWEEN_ENDS] = { "ends", N_ ("Ends go straight") },
  [BETWEEN_TURN] = { "turn", N_ ("Turn about the middle") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (morph_image_between, N_BETWEEN);

enum { BESIDE_DISTANCE, BESIDE_SIMILAR, N_BESIDE };

static const KgChoice morph_image_beside[] = {
  [BESIDE_DISTANCE] = { "distance", N_ ("Keep their distance") },
  [BESIDE_SIMILAR] = { "similar", N_ ("Grow with the line") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (morph_image_beside, N_BESIDE);

static const KgChoice morph_image_samplings[] = {
  [WARP_BILINEAR] = { "bilinear", N_ ("Bilinear: smooth") },
  [WARP_NEAREST] = { "nearest", N_ ("Nearest: hard pixels") },
  [WARP_SUPER_2] = { "2x2", N_ ("2 × 2 samples") },
  [WARP_SUPER_4] = { "4x4", N_ ("4 × 4 samples") },
  [WARP_AREA] = { "area", N_ ("Area: all that a pixel covers") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (morph_image_samplings, WARP_N_SAMPLINGS);

static const KgChoice morph_image_edges[] = {
  [WARP_EXTEND] = { "extend", N_ ("Extend the edge") },
  [WARP_TRANSPARENT] = { "transparent", N_ ("Transparent") },
  [WARP_COLOR] = { "color", N_ ("A colour") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (morph_image_edges, WARP_N_EDGES);

enum { FROM_X1, FROM_Y1, FROM_X2, FROM_Y2, TO_X1, TO_Y1, TO_X2, TO_Y2, N_COLUMNS };

static const KgTableColumn morph_image_columns[] = {
  [FROM_X1] = { "from_x1", N_ ("From: start, X"), 0, false },
  [FROM_Y1] = { "from_y1", N_ ("From: start, Y"), 0, false },
  [FROM_X2] = { "from_x2", N_ ("From: end, X"), 0, false },
  [FROM_Y2] = { "from_y2", N_ ("From: end, Y"), 0, false },
  [TO_X1] = { "to_x1", N_ ("To: start, X"), NAN, true },
  [TO_Y1] = { "to_y1", N_ ("To: start, Y"), NAN, true },
  [TO_X2] = { "to_x2", N_ ("To: end, X"), NAN, true },
  [TO_Y2] = { "to_y2", N_ ("To: end, Y"), NAN, true },
  [N_COLUMNS] = KG_TABLE_COLUMNS_END,
};

/* Rows are pairs of lines; what is blank of the second line is as the first.  *short_row: the first, from 1, that is left out
 * because one of its lines has no length, as one that is being drawn; 0: none. */
static bool
morph_image_read_rows (const KgTable *rows, const KgImage *image, GArray *from, GArray *to, size_t *short_row,
                       GError **error)
{
  const double scale = 0.5 * kg_image_get_height (image), cx = 0.5 * kg_image_get_width (image);

  *short_row = 0;
  if (kg_table_get_n_rows (rows) > LINE_WARP_MAX_LINES) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu pairs of lines are more than %d: remove some", kg_table_get_n_rows (rows),
                  LINE_WARP_MAX_LINES);
    return false;
  }
  for (size_t i = 0; i < kg_table_get_n_rows (rows); i++) {
    const double *row = kg_table_get_row (rows, i);
    WarpLine pair[2];
    bool good = true;

    for (int k = 0; k < 2; k++) {
      double x[4];

      for (int c = 0; c < 4; c++) {
        const double own = row[4 * k + c], place = isnan (own) ? row[c] : own;

        x[c] = c % 2 == 0 ? cx + scale * place : scale - scale * place;
      }
      pair[k] = (WarpLine){ x[0], x[1], x[2], x[3] };
      good = good && (x[0] != x[2] || x[1] != x[3]);
    }
    if (good) {
      g_array_append_vals (from, &pair[0], 1);
      g_array_append_vals (to, &pair[1], 1);
    } else if (*short_row == 0)
      *short_row = i + 1;
  }
  return true;
}

static void
morph_image_warn (const KgContext *ctx, const GArray *from, const GArray *to)
{
  guint pair[2];

  if (line_warp_find_crossing (from, pair))
    kg_context_warn (ctx,
                     "lines %u and %u of the first image cross, which pulls the image apart there: move or shorten one",
                     pair[0], pair[1]);
  if (line_warp_find_crossing (to, pair))
    kg_context_warn (
        ctx, "lines %u and %u of the second image cross, which pulls the image apart there: move or shorten one",
        pair[0], pair[1]);
}

static bool
morph_image_evaluate (MorphImage *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const int width = kg_image_get_width (n->from), height = kg_image_get_height (n->from);
  g_autoptr (GArray) from = g_array_new (FALSE, FALSE, sizeof (WarpLine));
  g_autoptr (GArray) to = g_array_new (FALSE, FALSE, sizeof (WarpLine));
  const double t = n->amount;
  size_t short_row = 0;
  /* The dissolve follows the warp unless it is set apart. */
  const WarpStyle style = {
    .a = n->a,
    .b = n->b,
    .p = n->p,
    .share = (float) kg_clamp (n->dissolve < 0 ? t : n->dissolve, 0, 1),
    .exact = n->precision == PRECISION_DOUBLE,
    .turning = n->between == BETWEEN_TURN,
    .similar = n->beside == BESIDE_SIMILAR,
    .least = n->least,
    .sampler = { .sampling = (WarpSampling) n->sampling,
                 .edge = (WarpEdge) n->edge,
                 .color = { (float) (n->background.r * n->background.a), (float) (n->background.g * n->background.a),
                            (float) (n->background.b * n->background.a), (float) n->background.a } }
  };

  /* At its ends the morph is the image itself, bit for bit. */
  if (t == 0 && style.share == 0) {
    n->image = kg_image_ref (n->from);
    return true;
  }
  if (t == 1 && style.share == 1 && kg_image_get_width (n->to) == width && kg_image_get_height (n->to) == height) {
    n->image = kg_image_ref (n->to);
    return true;
  }
  if ((n->from_lines == NULL) != (n->to_lines == NULL)) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "lines are linked for only one image: link both or none");
    return false;
  }
  /* Both sets of lines in the pixels of the first image. */
  if (n->from_lines != NULL &&
      (!line_warp_read (n->from_lines, n->from, from, error) || !line_warp_read (n->to_lines, n->from, to, error)))
    return false;
  if (n->from_lines == NULL && !morph_image_read_rows (n->lines, n->from, from, to, &short_row, error))
    return false;
  if (short_row > 0)
    kg_context_warn (ctx, "row %zu: a line without a length is left out: move one of its ends", short_row);
  if (from->len != to->len) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u lines for one image and %u for the other: lines must form pairs",
                  from->len, to->len);
    return false;
  }
  morph_image_warn (ctx, from, to);
  n->image = kg_image_new (width, height, false, error);
  return n->image != NULL && line_warp_mix (n->from, n->to, from, to, t, &style, n->image, &monitor, error);
}

#define image_evaluate morph_image_evaluate

static const KgSlot image_slots[] = {
  KG_INPUT (MorphImage, from, IMAGE, .label = N_ ("From"), .help = N_ ("The first image; the result has its size.")),
  KG_INPUT (MorphImage, to, IMAGE, .label = N_ ("To"), .help = N_ ("The second image.")),
  KG_INPUT (MorphImage, amount, NUMBER, .label = N_ ("Amount"), .min = 0, .max = 1,
            .help = N_ ("0 is the first image, 1 the second.")),
  KG_INPUT (
      MorphImage, dissolve, NUMBER, .label = N_ ("Dissolve"), .def = -1, .min = -1, .max = 1,
      .help = N_ ("How much of the second image is shown, if this should differ from Amount; -1 follows Amount.")),
  KG_INPUT (
      MorphImage, from_lines, GEOMETRY, .label = N_ ("Lines of the first image"), .optional = true,
      .help =
          N_ ("Lines along the features of the first image. The centre of the image is the origin, its height is 2.")),
  KG_INPUT (MorphImage, to_lines, GEOMETRY, .label = N_ ("Lines of the second image"), .optional = true,
            .help = N_ ("The same number of lines in the same order, along the same features.")),
  KG_INPUT (
      MorphImage, lines, TABLE, .columns = morph_image_columns, .label = N_ ("Pairs of lines"), .def_text = "",
      .shown_when = "from_lines=unlinked",
      .handle = { KG_HANDLE_LINES, .factor = "amount", .unless_linked = "from_lines" },
      .help = N_ (
          "Lines along the same features of both images, a pair per row: start and end in the first image, then in the "
          "second, where blank numbers are those of the first. The centre of the image is the origin, its height is "
          "2. Draw them in the viewport with Ctrl. Each cell can be keyed.")),
  KG_INPUT (MorphImage, a, NUMBER, .label = N_ ("Softness"), .unit = KG_PIXELS, .def = 1, .min = 1e-3, .max = 1000,
            .soft_max = 20, .group = N_ ("Lines"),
            .help = N_ ("Small values hold pixels on a line firmly to it; large values are smoother.")),
  KG_INPUT (
      MorphImage, b, NUMBER, .label = N_ ("Falloff"), .def = 2, .min = 0, .max = 10, .soft_max = 4,
      .group = N_ ("Lines"),
      .help = N_ ("How fast the influence of a line falls off with distance; 0 gives all lines equal influence.")),
  KG_INPUT (MorphImage, p, NUMBER, .label = N_ ("Length"), .def = 0, .min = 0, .max = 1, .group = N_ ("Lines"),
            .help = N_ ("1 gives long lines more influence, 0 ignores their length.")),
  KG_INPUT (
      MorphImage, precision, CHOICE, .label = N_ ("Precision"), .choices = morph_image_precisions,
      .group = N_ ("Lines"),
      .help = N_ (
          "Precision of the warp. Single precision is about thirty times as fast and reads the images within 0.001 pixel of where double precision does, unless lines move by more than the size of the image.")),
  KG_INPUT (
      MorphImage, between, CHOICE, .label = N_ ("Lines between"), .choices = morph_image_between, .group = N_ ("Lines"),
      .help = N_ ("How lines move from one image to the other: those that turn shrink on the way if their ends go "
                  "straight, and keep their length if they turn about their middle.")),
  KG_INPUT (
      MorphImage, beside, CHOICE, .label = N_ ("Beside lines"), .choices = morph_image_beside, .group = N_ ("Lines"),
      .help = N_ ("What happens beside a line that gets longer or shorter: pixels keep their distance from it, or "
                  "are scaled with it.")),
  KG_INPUT (MorphImage, least, NUMBER, .label = N_ ("Least weight"), .min = 0, .max = 1e6, .soft_max = 1,
            .group = N_ ("Lines"),
            .help = N_ ("A line has no influence where its weight, (length^Length / (Softness + distance))^Falloff, is "
                        "less. What no line reaches stays where it is. Above 0 the warp is computed in double "
                        "precision.")),
  KG_INPUT (MorphImage, sampling, CHOICE, .label = N_ ("Sampling"), .choices = morph_image_samplings,
            .group = N_ ("Sampling"),
            .help = N_ ("How pixels are read from the bent images: more samples, or the whole area, keep fine detail "
                        "from flickering where an image shrinks.")),
  KG_INPUT (MorphImage, edge, CHOICE, .label = N_ ("Edges"), .choices = morph_image_edges, .group = N_ ("Sampling"),
            .help = N_ ("What is seen beyond the edges of an image.")),
  KG_INPUT (MorphImage, background, COLOR, .label = N_ ("Edge colour"), .def_v = { 0.18, 0.007, 0.007, 1 },
            .shown_when = "edge=color", .group = N_ ("Sampling"), .help = N_ ("The colour beyond the edges.")),
  KG_OUTPUT (MorphImage, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The interpolated image.")),
};

KG_NODE (
    morph, image, MorphImage, .label = N_ ("Morph Image"), .version = 1, .since = "0.1",
    .tags = N_ ("warp dissolve beier neely transition blend face feature lines"),
    .help = N_ (
        "Morphs one image into another. With pairs of lines along matching features, such as eyes, mouth and outline, the features move to each other while the images dissolve; without lines it is a cross-dissolve."));
