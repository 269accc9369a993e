/* morph/image: one picture turns into another, along pairs of lines.
 * Source: Beier and Neely 1992, section 3; weights with a, b and p as there.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

/* Most pairs of lines: each costs a computation at every pixel. */
#define MORPH_IMAGE_MAX_LINES 1000

typedef struct {
  const KgImage *from;
  const KgImage *to;
  double amount;
  double dissolve;
  const KgGeometry *from_lines;
  const KgGeometry *to_lines;
  double a;
  double b;
  double p;
  KgImage *image;
} MorphImage;

/* A directed line in pixels of its picture. */
typedef struct {
  double px, py, qx, qy;
} MorphLine;

/* Two-point polylines of a geometry, in order.  Coordinates are those of Draw's picture of the view -aspect..aspect ×
 * -1..1: the middle of the picture is the origin and its height is 2. */
static bool
morph_image_read_lines (const KgGeometry *geometry, const KgImage *image, GArray *lines, GError **error)
{
  const double scale = 0.5 * kg_image_get_height (image), cx = 0.5 * kg_image_get_width (image), cy = scale;
  const float *p = kg_geometry_get_positions (geometry);

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    for (uint32_t k = 0; k + 1 < primitive.n_vertices; k++) {
      const float *a = p + 3 * (size_t) primitive.vertices[k], *b = p + 3 * (size_t) primitive.vertices[k + 1];
      const MorphLine line = { cx + scale * (double) a[0], cy - scale * (double) a[1], cx + scale * (double) b[0],
                               cy - scale * (double) b[1] };

      if (line.px == line.qx && line.py == line.qy) {
        kg_set_error (error, KG_ERROR_DEGENERATE, "line %u of primitive %zu has no length", k, i);
        return false;
      }
      if (lines->len >= MORPH_IMAGE_MAX_LINES) {
        kg_set_error (error, KG_ERROR_LIMIT, "more than %d lines", MORPH_IMAGE_MAX_LINES);
        return false;
      }
      g_array_append_val (lines, line);
    }
  }
  return true;
}

/* A line in the picture between and its partners in the two pictures, with what is the same for all pixels. */
typedef struct {
  MorphLine here;
  double hx, hy, h2, h; /* along the line, and its length squared and plain */
  double strength;      /* length to the power p */
  struct {
    double px, py, x, y, length;
  } there[2];
} MorphPair;

typedef struct {
  const MorphImage *node;
  MorphPair *pairs;
  guint count;
  float share; /* of the second picture */
} MorphWork;

static void
morph_image_prepare (MorphPair *pair, const MorphLine *between, const MorphLine *from, const MorphLine *to, double p)
{
  const MorphLine *const there[] = { from, to };

  pair->here = *between;
  pair->hx = between->qx - between->px;
  pair->hy = between->qy - between->py;
  pair->h2 = pair->hx * pair->hx + pair->hy * pair->hy;
  pair->h = sqrt (pair->h2);
  pair->strength = pow (pair->h, p);
  for (guint k = 0; k < 2; k++) {
    pair->there[k].px = there[k]->px;
    pair->there[k].py = there[k]->py;
    pair->there[k].x = there[k]->qx - there[k]->px;
    pair->there[k].y = there[k]->qy - there[k]->py;
    pair->there[k].length = hypot (pair->there[k].x, pair->there[k].y);
  }
}

/* Where the pixel (x, y) comes from in both pictures.  How a line pulls depends on where the pixel is to the line
 * between, so it is worked out once for both. */
static void
morph_image_map (const MorphWork *work, double x, double y, double source[2][2])
{
  const MorphImage *n = work->node;
  double sum[2][2] = { { 0 } }, weights = 0;

  for (guint i = 0; i < work->count; i++) {
    const MorphPair *pair = &work->pairs[i];
    const double rx = x - pair->here.px, ry = y - pair->here.py;
    /* u along the line as a share of it, v across in pixels. */
    const double u = (rx * pair->hx + ry * pair->hy) / pair->h2, v = (ry * pair->hx - rx * pair->hy) / pair->h;
    const double distance = u < 0 ? hypot (rx, ry) : u > 1 ? hypot (x - pair->here.qx, y - pair->here.qy) : fabs (v);
    const double weight = pow (pair->strength / (n->a + distance), n->b);

    for (guint k = 0; k < 2; k++) {
      const double tx = pair->there[k].x, ty = pair->there[k].y, t = pair->there[k].length;

      sum[k][0] += weight * (pair->there[k].px + u * tx - v * ty / t - x);
      sum[k][1] += weight * (pair->there[k].py + u * ty + v * tx / t - y);
    }
    weights += weight;
  }
  for (guint k = 0; k < 2; k++) {
    source[k][0] = weights > 0 ? x + sum[k][0] / weights : x;
    source[k][1] = weights > 0 ? y + sum[k][1] / weights : y;
  }
}

static void
morph_image_row (const MorphWork *work, int y, float *out)
{
  const MorphImage *n = work->node;
  const int width = kg_image_get_width (n->from), height = kg_image_get_height (n->from);
  const double fx = (double) kg_image_get_width (n->to) / width, fy = (double) kg_image_get_height (n->to) / height;

  for (int x = 0; x < width; x++, out += 4) {
    double ax = x + 0.5, ay = y + 0.5, bx = ax * fx, by = ay * fy;
    float a[4], b[4];

    if (work->count > 0) {
      double source[2][2];

      morph_image_map (work, x + 0.5, y + 0.5, source);
      ax = source[0][0];
      ay = source[0][1];
      bx = source[1][0] * fx;
      by = source[1][1] * fy;
    }
    kg_image_sample (n->from, ax, ay, a);
    kg_image_sample (n->to, bx, by, b);
    for (int c = 0; c < 4; c++)
      out[c] = (1 - work->share) * a[c] + work->share * b[c];
  }
}

static bool
morph_image_evaluate (MorphImage *n, const KgContext *ctx, GError **error)
{
  const int width = kg_image_get_width (n->from), height = kg_image_get_height (n->from);
  g_autoptr (GArray) from = g_array_new (FALSE, FALSE, sizeof (MorphLine));
  g_autoptr (GArray) to = g_array_new (FALSE, FALSE, sizeof (MorphLine));
  g_autofree MorphPair *pairs = NULL;
  const double t = n->amount;
  /* The dissolve follows the warp unless it is set apart. */
  MorphWork work = { .node = n, .share = (float) kg_clamp (n->dissolve < 0 ? t : n->dissolve, 0, 1) };
  float *pixels;

  /* At its ends the morph is the picture itself, bit for bit. */
  if (t == 0 && work.share == 0) {
    n->image = kg_image_ref (n->from);
    return true;
  }
  if (t == 1 && work.share == 1 && kg_image_get_width (n->to) == width && kg_image_get_height (n->to) == height) {
    n->image = kg_image_ref (n->to);
    return true;
  }
  if ((n->from_lines == NULL) != (n->to_lines == NULL)) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "lines are linked for one picture only: link both or none");
    return false;
  }
  /* Both sets of lines in the pixels of the first picture. */
  if (n->from_lines != NULL && (!morph_image_read_lines (n->from_lines, n->from, from, error) ||
                                !morph_image_read_lines (n->to_lines, n->from, to, error)))
    return false;
  if (from->len != to->len) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u lines for one picture and %u for the other: they are pairs",
                  from->len, to->len);
    return false;
  }
  work.count = from->len;
  work.pairs = pairs = g_new (MorphPair, MAX (work.count, 1));
  for (guint i = 0; i < work.count; i++) {
    const MorphLine *a = &g_array_index (from, MorphLine, i), *b = &g_array_index (to, MorphLine, i);
    const MorphLine between = { kg_lerp (a->px, b->px, t), kg_lerp (a->py, b->py, t), kg_lerp (a->qx, b->qx, t),
                                kg_lerp (a->qy, b->qy, t) };

    if (between.px == between.qx && between.py == between.qy) {
      kg_set_error (error, KG_ERROR_DEGENERATE, "line %u vanishes on the way: turn it a little, or swap its ends", i);
      return false;
    }
    morph_image_prepare (&pairs[i], &between, a, b, n->p);
  }
  n->image = kg_image_new (width, height, false, error);
  if (n->image == NULL)
    return false;
  pixels = kg_image_edit_pixels (n->image);
#pragma omp parallel for schedule(static)
  for (int y = 0; y < height; y++)
    if (!kg_context_is_cancelled (ctx))
      morph_image_row (&work, y, pixels + 4 * (size_t) y * (size_t) width);
  return true;
}

#define image_evaluate morph_image_evaluate

static const KgSlot image_slots[] = {
  KG_INPUT (MorphImage, from, IMAGE, .label = N_ ("From"), .help = N_ ("The first picture; the result has its size.")),
  KG_INPUT (MorphImage, to, IMAGE, .label = N_ ("To"), .help = N_ ("The second picture.")),
  KG_INPUT (MorphImage, amount, NUMBER, .label = N_ ("Amount"), .min = 0, .max = 1,
            .help = N_ ("0 is the first picture, 1 the second.")),
  KG_INPUT (
      MorphImage, dissolve, NUMBER, .label = N_ ("Dissolve"), .def = -1, .min = -1, .max = 1,
      .help = N_ ("How much of the second picture shows, where that shall differ from the amount; -1 follows it.")),
  KG_INPUT (MorphImage, from_lines, GEOMETRY, .label = N_ ("Lines of the first"), .optional = true,
            .help = N_ ("Lines along its features. The middle of the picture is the origin, its height is 2.")),
  KG_INPUT (MorphImage, to_lines, GEOMETRY, .label = N_ ("Lines of the second"), .optional = true,
            .help = N_ ("As many lines in the same order, along the same features.")),
  KG_INPUT (MorphImage, a, NUMBER, .label = N_ ("Strictness"), .unit = KG_PIXELS, .def = 1, .min = 1e-3, .max = 1000,
            .soft_max = 20, .group = N_ ("Lines"),
            .help = N_ ("Small holds pixels on a line firmly to it; large is smoother.")),
  KG_INPUT (MorphImage, b, NUMBER, .label = N_ ("Fall-off"), .def = 2, .min = 0, .max = 10, .soft_max = 4,
            .group = N_ ("Lines"),
            .help = N_ ("How fast the pull of a line weakens with distance; 0 lets all lines pull alike.")),
  KG_INPUT (MorphImage, p, NUMBER, .label = N_ ("Length"), .def = 0, .min = 0, .max = 1, .group = N_ ("Lines"),
            .help = N_ ("1 lets long lines pull harder, 0 lets length not count.")),
  KG_OUTPUT (MorphImage, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The picture between.")),
};

KG_NODE (morph, image, MorphImage, .label = N_ ("Morph Image"), .version = 1, .since = "0.1",
         .tags = N_ ("warp dissolve beier neely transition blend face feature lines"),
         .help = N_ (
             "Turns one picture into another. With pairs of lines along matching features, eyes, mouth, outline, the "
             "features move to each other while the pictures dissolve; without lines it is a cross-dissolve."));
