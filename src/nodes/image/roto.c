/* image/roto: closed shapes as a matte.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/roto.h"

#include "curve/curve.h"
#include "image/image_operation.h"
#include "kg-node.h"

#include <string.h>

/* Lines of each piece of a curve. */
#define ROTO_LINES 24

typedef struct {
  const KgTable *points;
  int curve;
  const KgGeometry *shapes;
  double scale;
  KgVector offset;
  double rotate;
  double feather;
  bool smooth;
  bool invert;
  KgColor color;
  const KgImage *like;
  int64_t width;
  int64_t height;
  KgImage *image;
} Roto;

enum { ROTO_SMOOTH, ROTO_POLYGON, ROTO_N_CURVES };

static const KgChoice roto_curves[] = {
  [ROTO_SMOOTH] = { "smooth", N_ ("Smooth through the points") },
  [ROTO_POLYGON] = { "polygon", N_ ("Polygon: straight lines") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (roto_curves, ROTO_N_CURVES);

enum { X, Y, FEATHER, IN_X, IN_Y, OUT_X, OUT_Y, SHAPE, N_COLUMNS };

static const KgTableColumn roto_columns[] = {
  [X] = { "x", N_ ("X"), 0, false },
  [Y] = { "y", N_ ("Y"), 0, false },
  [FEATHER] = { "feather", N_ ("Feather"), NAN, true },
  [IN_X] = { "in_x", N_ ("Tangent in, X"), NAN, true },
  [IN_Y] = { "in_y", N_ ("Tangent in, Y"), NAN, true },
  [OUT_X] = { "out_x", N_ ("Tangent out, X"), NAN, true },
  [OUT_Y] = { "out_y", N_ ("Tangent out, Y"), NAN, true },
  [SHAPE] = { "shape", N_ ("Shape"), 0, KG_COLUMN_BLOCK },
  [N_COLUMNS] = KG_TABLE_COLUMNS_END,
};

/* The same of rows that are typed. */
static char *
roto_migrate_text (const char *text)
{
  GString *out = g_string_new (NULL);

  for (const char *at = text; *at != '\0';) {
    const size_t length = strcspn (at, "\n;");
    g_autofree char *row = g_strndup (at, length);
    g_auto (GStrv) words = g_strsplit_set (row, " \t\r,", -1);
    guint n = 0;

    for (guint i = 0; words[i] != NULL; i++)
      if (*words[i] != '\0') {
        if (n++ == FEATHER + 1)
          g_string_append (out, "- - - - ");
        g_string_append_printf (out, "%s ", words[i]);
      }
    at += length;
    if (*at != '\0')
      g_string_append_c (out, *at++);
  }
  return g_string_free (out, FALSE);
}

/* Rows of version 1 without names of columns had the shape where the tangents begin. */
static bool
roto_migrate (KgJson *inputs, guint version, GError **error)
{
  const KgJson *points = kg_json_get (inputs, "points");
  KgJson *rows;

  (void) version;
  (void) error;
  if (kg_json_is (points, KG_JSON_STRING)) {
    g_autofree char *text = roto_migrate_text (kg_json_get_string (points));

    kg_json_set (inputs, "points", kg_json_new_string (text));
  }
  if (!kg_json_is (points, KG_JSON_ARRAY))
    return true;
  rows = kg_json_new (KG_JSON_ARRAY);
  for (guint i = 0; i < kg_json_get_n (points); i++) {
    const KgJson *row = kg_json_get_item (points, i);
    KgJson *wider;

    if (!kg_json_is (row, KG_JSON_ARRAY) || kg_json_get_n (row) != FEATHER + 2) {
      kg_json_append (rows, kg_json_ref (row));
      continue;
    }
    wider = kg_json_new (KG_JSON_ARRAY);
    for (guint k = 0; k <= FEATHER; k++)
      kg_json_append (wider, kg_json_ref (kg_json_get_item (row, k)));
    for (guint k = IN_X; k < SHAPE; k++)
      kg_json_append (wider, kg_json_new (KG_JSON_NULL));
    kg_json_append (wider, kg_json_ref (kg_json_get_item (row, FEATHER + 1)));
    kg_json_append (rows, wider);
  }
  kg_json_set (inputs, "points", rows);
  return true;
}

/* In the pixels of the image: turned and moved about its centre. */
static RotoPoint
roto_place (const Roto *n, double x, double y, double feather)
{
  const double c = cos (n->rotate) * n->scale, s = sin (n->rotate) * n->scale;
  const double aspect = kg_image_get_pixel_aspect (n->image);

  return (
      RotoPoint){ 0.5 * kg_image_get_width (n->image) + kg_clamp ((c * x - s * y) / aspect + n->offset.x, -1e7, 1e7),
                  0.5 * kg_image_get_height (n->image) - kg_clamp (s * x + c * y + n->offset.y, -1e7, 1e7), feather };
}

/* As far as the points are turned, but not moved. */
static RotoTangents
roto_turn (const Roto *n, const double *row)
{
  const double c = cos (n->rotate) * n->scale, s = sin (n->rotate) * n->scale;
  const double aspect = kg_image_get_pixel_aspect (n->image);
  double x[4];

  for (int i = 0; i < 4; i += 2) {
    x[i] = (c * row[IN_X + i] - s * row[IN_Y + i]) / aspect;
    x[i + 1] = -(s * row[IN_X + i] + c * row[IN_Y + i]);
    for (int k = i; k < i + 2; k++)
      x[k] = isnan (x[k]) ? NAN : kg_clamp (x[k], -1e7, 1e7);
  }
  return (RotoTangents){ x[0], x[1], x[2], x[3] };
}

/* tangents: (nullable) where it is round. */
static bool
roto_draw (const Roto *n, const RotoPoint *points, const RotoTangents *tangents, guint count, bool round, float *matte,
           const KgProgressMonitor *monitor)
{
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  g_autoptr (GArray) lines = round ? roto_bend (points, tangents, count) : NULL;

  if (lines != NULL)
    return roto_add_shape ((const RotoPoint *) (void *) lines->data, lines->len, n->smooth, matte, width, height,
                           monitor);
  return roto_add_shape (points, count, n->smooth, matte, width, height, monitor);
}

/* empty: counts the shapes that enclose nothing. */
static bool
roto_draw_table (const Roto *n, double proxy, float *matte, guint *empty, const KgProgressMonitor *monitor)
{
  const size_t rows = kg_table_get_n_rows (n->points);
  g_autofree RotoPoint *points = g_new (RotoPoint, rows + 1);
  g_autofree RotoTangents *tangents = g_new (RotoTangents, rows + 1);

  for (size_t first = 0, end; first < rows; first = end) {
    const double shape = kg_table_get_row (n->points, first)[SHAPE];
    guint count = 0;

    for (end = first; end < rows && kg_table_get_row (n->points, end)[SHAPE] == shape; end++) {
      const double *row = kg_table_get_row (n->points, end);

      tangents[count] = roto_turn (n, row);
      points[count++] = roto_place (n, row[X], row[Y],
                                    kg_clamp (isnan (row[FEATHER]) ? n->feather : row[FEATHER] * proxy, -1e5, 1e5));
    }
    *empty += count < 3;
    if (!roto_draw (n, points, tangents, count, n->curve == ROTO_SMOOTH, matte, monitor))
      return false;
  }
  return true;
}

static bool
roto_draw_geometry (const Roto *n, float *matte, guint *empty, const KgProgressMonitor *monitor, GError **error)
{
  for (size_t i = 0; i < kg_geometry_get_n_primitives (n->shapes); i++) {
    g_autoptr (Curve) curve = curve_new (n->shapes, i, error);
    g_autofree RotoPoint *points = NULL;
    guint segments, lines, count = 0;

    if (curve == NULL)
      return false;
    segments = curve_get_n_segments (curve);
    lines = curve_get_degree (curve) > 1 ? ROTO_LINES : 1;
    points = g_new (RotoPoint, (gsize) segments * lines + 1);
    for (guint k = 0; k <= segments * lines; k++) {
      const KgVector p = curve_evaluate (curve, (double) k / lines, 0);

      points[count++] = roto_place (n, p.x, p.y, n->feather);
    }
    *empty += count < 3;
    if (!roto_draw (n, points, NULL, count, false, matte, monitor))
      return false;
  }
  return true;
}

static bool
roto_evaluate (Roto *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const bool like = n->like != NULL;
  g_autofree float *matte = NULL;
  const double alpha = kg_clamp (n->color.a, 0, 1);
  const double rgba[4] = { n->color.r * alpha, n->color.g * alpha, n->color.b * alpha, alpha };
  guint empty = 0;
  size_t count;
  float *pixels;

  n->image = kg_image_new (like ? kg_image_get_width (n->like) : n->width,
                           like ? kg_image_get_height (n->like) : n->height, false, error);
  if (n->image == NULL)
    return false;
  n->scale *= kg_context_get_proxy (ctx);
  if (like)
    kg_image_set_pixel_aspect (n->image, kg_image_get_pixel_aspect (n->like));
  count = (size_t) kg_image_get_width (n->image) * (size_t) kg_image_get_height (n->image);
  matte = g_new0 (float, count);
  if (n->shapes != NULL ? !roto_draw_geometry (n, matte, &empty, &monitor, error)
                        : !roto_draw_table (n, kg_context_get_proxy (ctx), matte, &empty, &monitor))
    return false;
  if (n->shapes != NULL ? kg_geometry_get_n_primitives (n->shapes) == 0 : kg_table_get_n_rows (n->points) == 0)
    kg_context_warn (ctx, "there are no shapes: the matte is empty; give at least three points");
  else if (empty > 0)
    kg_context_warn (
        ctx, "shapes with fewer than three points cover nothing (%u of them): add points, or remove these shapes",
        empty);
  pixels = kg_image_edit_pixels (n->image);
  for (size_t i = 0; i < 4 * count; i++)
    pixels[i] = (float) (rgba[i % 4] * (double) (n->invert ? 1 - matte[i / 4] : matte[i / 4]));
  return true;
}

static const KgSlot roto_slots[] = {
  KG_INPUT (
      Roto, points, TABLE, .columns = roto_columns, .label = N_ ("Points"), .shown_when = "shapes=unlinked",
      .def_text = "-100 -80\n100 -80\n100 80\n-100 80",
      .handle = { KG_HANDLE_OUTLINE, .anchor = "offset", .factor = "scale", .turn = "rotate", .when = "curve=polygon" },
      .help = N_ (
          "The corners of each shape, in pixels to the right and up from the centre of the image, optionally with a "
          "feather of their own. Tangents are the directions in which the smooth curve enters and leaves a corner; if "
          "blank, they follow the neighbours, and 0 0 makes the corner sharp. Each cell can be keyed. An empty line "
          "begins another shape.")),
  KG_INPUT (Roto, curve, CHOICE, .label = N_ ("Curve"), .choices = roto_curves, .shown_when = "shapes=unlinked",
            .help = N_ ("What joins the points.")),
  KG_INPUT (Roto, shapes, GEOMETRY, .label = N_ ("Shapes"), .optional = true,
            .help = N_ ("Curves or polygons to use instead: each is closed, and seen along the z axis.")),
  KG_INPUT (Roto, scale, NUMBER, .label = N_ ("Scale"), .def = 1, .min = -1e6, .max = 1e6, .soft_min = 0,
            .soft_max = 100,
            .help = N_ ("Pixels for each unit of the points; for shapes in metres, pixels for each metre.")),
  KG_INPUT (Roto, offset, VECTOR, .label = N_ ("Offset"), .unit = KG_PIXELS, .min = -1e6, .max = 1e6, .soft_min = -1000,
            .soft_max = 1000, .handle = { .kind = KG_HANDLE_NONE },
            .help = N_ ("Moves all shapes to the right and up, for example with a tracked point.")),
  KG_INPUT (Roto, rotate, NUMBER, .label = N_ ("Rotate"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .help = N_ ("Rotation of the shapes about the centre, counter-clockwise, before they are moved.")),
  KG_INPUT (
      Roto, feather, NUMBER, .label = N_ ("Feather"), .unit = KG_PIXELS, .min = -1e5, .max = 1e5, .soft_min = -100,
      .soft_max = 100,
      .help = N_ ("Width of the soft edge, outwards or, if negative, inwards, where the points do not specify it.")),
  KG_INPUT (Roto, smooth, BOOLEAN, .label = N_ ("Smooth Feather"), .def = 1,
            .help = N_ ("Eases the soft edge at both ends. Otherwise it is linear.")),
  KG_INPUT (Roto, invert, BOOLEAN, .label = N_ ("Invert"), .help = N_ ("Covers everything outside the shapes.")),
  KG_INPUT (Roto, color, COLOR, .label = N_ ("Colour"), .def_v = { 1, 1, 1, 1 }, .help = N_ ("Colour of the shapes.")),
  KG_INPUT (Roto, like, IMAGE, .label = N_ ("Size of"), .optional = true,
            .help = N_ ("An image whose size the matte takes, instead of the width and height.")),
  KG_INPUT (Roto, width, INTEGER, .shown_when = "like=unlinked", .label = N_ ("Width"), .unit = KG_PIXELS, .def = 640,
            .min = 1, .max = KG_IMAGE_MAX_SIDE, .soft_max = 3840, .help = N_ ("Size of the image.")),
  KG_INPUT (Roto, height, INTEGER, .shown_when = "like=unlinked", .label = N_ ("Height"), .unit = KG_PIXELS, .def = 360,
            .min = 1, .max = KG_IMAGE_MAX_SIDE, .soft_max = 2160, .help = N_ ("Size of the image.")),
  KG_OUTPUT (Roto, image, IMAGE, .label = N_ ("Image"),
             .help = N_ ("The shapes in one colour on a transparent ground.")),
};

KG_NODE (
    image, roto, Roto, .label = N_ ("Roto"), .version = 2, .since = "0.1", .migrate = roto_migrate,
    .tags = N_ (
        "rotoscope rotoscoping matte mask shape rectangle ellipse spline bezier garbage matte feather outline draw picture"),
    .source = "E. Catmull, A Hidden-Surface Algorithm with Anti-Aliasing, SIGGRAPH 1978 (coverage as exact area)",
    .help = N_ (
        "Draws closed shapes as a matte, with an edge that can be soft by a different amount at each point. Key "
        "the points to follow a figure, and use the result as a mask or matte."));
