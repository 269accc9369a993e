/* morph/mesh: one image turns into another along nets of splines.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/mesh_warp.h"

#include "kg-floats.h"
#include "kg-node.h"

typedef struct {
  const KgImage *from;
  const KgImage *to;
  double amount;
  double dissolve;
  const KgTable *from_points;
  const KgTable *to_points;
  const KgGeometry *from_net;
  const KgGeometry *to_net;
  int64_t columns;
  const KgImage *map;
  double duration;
  int curve;
  int spline;
  int fold;
  int order;
  KgImage *image;
  KgGeometry *net;
} MorphMesh;

/* Three rows of three points. */
#define NET "-1.7778 1\n0 1\n1.7778 1\n-1.7778 0\n0 0\n1.7778 0\n-1.7778 -1\n0 -1\n1.7778 -1"

enum { CURVE_LINEAR, CURVE_SMOOTH, N_CURVES };
enum { FOLD_ERROR, FOLD_STRAIGHT, N_FOLDS };
enum { ORDER_ROWS, ORDER_COLUMNS, N_ORDERS };

static const KgChoice morph_mesh_curves[] = {
  [CURVE_LINEAR] = { "linear", N_ ("Linear") },
  [CURVE_SMOOTH] = { "smooth", N_ ("Smooth: slow at both ends") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (morph_mesh_curves, N_CURVES);

static const KgChoice morph_mesh_splines[] = {
  [MESH_WARP_CATMULL_ROM] = { "catmull-rom", N_ ("Catmull-Rom: smooth") },
  [MESH_WARP_LINEAR] = { "linear", N_ ("Straight lines") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (morph_mesh_splines, MESH_WARP_N);

static const KgChoice morph_mesh_folds[] = {
  [FOLD_ERROR] = { "error", N_ ("Report an error") },
  [FOLD_STRAIGHT] = { "straight", N_ ("Straighten the lines there") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (morph_mesh_folds, N_FOLDS);

static const KgChoice morph_mesh_orders[] = {
  [ORDER_ROWS] = { "rows", N_ ("Rows first") },
  [ORDER_COLUMNS] = { "columns", N_ ("Columns first") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (morph_mesh_orders, N_ORDERS);

static bool
morph_mesh_read (const MorphMesh *n, const KgContext *ctx, const KgTable *points, const KgGeometry *linked,
                 const char *which, WarpNet *net, GError **error)
{
  g_autoptr (KgGeometry) geometry = linked != NULL ? kg_geometry_ref (linked) : kg_geometry_new ();
  guint moved;

  if (linked == NULL) {
    if (!kg_geometry_set_n_points (geometry, kg_table_get_n_rows (points), error))
      return false;
    for (size_t i = 0; i < kg_table_get_n_rows (points); i++)
      for (size_t c = 0; c < 2; c++)
        kg_geometry_edit_positions (geometry)[3 * i + c] = (float) kg_table_get_row (points, i)[c];
  }
  if (!mesh_warp_read (geometry, (int) n->columns, kg_image_get_width (n->from), kg_image_get_height (n->from), net,
                       &moved, error)) {
    kg_prefix_error (error, "%s: ", which);
    return false;
  }
  /* What is typed or dragged may leave the border: it only slides along it. */
  if (moved > 0 && linked != NULL)
    kg_context_warn_plural (ctx, moved, "%s: %u border point was moved onto the border of the image",
                            "%s: %u border points were moved onto the border of the image", which, moved);
  return true;
}

/* The net between as lines, for drawing over the image. */
static bool
morph_mesh_draw (MorphMesh *n, const WarpNet *net, GError **error)
{
  const int width = kg_image_get_width (n->from), height = kg_image_get_height (n->from);
  const int rows = net->rows, columns = net->columns;
  g_autofree uint32_t *vertices = g_new (uint32_t, (size_t) MAX (rows, columns));
  float *p;

  n->net = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->net, (size_t) rows * (size_t) columns, error))
    return false;
  p = kg_geometry_edit_positions (n->net);
  for (int i = 0; i < rows * columns; i++) {
    p[3 * i] = (float) ((net->points[2 * i] - 0.5 * width) * 2 / height);
    p[3 * i + 1] = (float) (1 - net->points[2 * i + 1] * 2 / height);
  }
  for (int k = 0; k < rows + columns; k++) {
    const KgPrimitive line = { .kind = KG_POLYLINE,
                               .n_vertices = (uint32_t) (k < rows ? columns : rows),
                               .vertices = vertices };

    for (int i = 0; i < (k < rows ? columns : rows); i++)
      vertices[i] = (uint32_t) (k < rows ? k * columns + i : i * columns + k - rows);
    kg_geometry_add_primitive (n->net, &line);
  }
  return true;
}

/* Centred on the first image. */
static const float *
morph_mesh_find_pixel (const KgImage *image, int x, int y, int width, int height)
{
  x -= (int) floor (0.5 * (width - kg_image_get_width (image)) + 0.5);
  y -= (int) floor (0.5 * (height - kg_image_get_height (image)) + 0.5);
  if (x < 0 || y < 0 || x >= kg_image_get_width (image) || y >= kg_image_get_height (image))
    return NULL;
  return kg_image_get_pixels (image) + 4 * ((size_t) y * (size_t) kg_image_get_width (image) + (size_t) x);
}

static double
morph_mesh_share (const MorphMesh *n, const float *map, double t)
{
  const double delay = map != NULL ? kg_floats_get_luminance (map) : 0;
  /* Without a map the dissolve takes the whole time. */
  const double share = kg_clamp (n->map != NULL ? (t - delay) / n->duration : t, 0, 1);

  return n->curve == CURVE_SMOOTH ? share * share * (3 - 2 * share) : share;
}

static void
morph_mesh_dissolve (MorphMesh *n, const KgContext *ctx, const KgImage *a, const KgImage *b)
{
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  const double t = n->dissolve < 0 ? n->amount : n->dissolve;
  float *pixels = kg_image_edit_pixels (n->image);

#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < height; y++)
    for (int x = 0, end = kg_context_is_cancelled (ctx) ? 0 : width; x < end; x++) {
      const float *map = n->map != NULL ? morph_mesh_find_pixel (n->map, x, y, width, height) : NULL;
      const double share = morph_mesh_share (n, map, t);
      const size_t at = 4 * ((size_t) y * (size_t) width + (size_t) x);

      for (size_t c = 0; c < 4; c++)
        pixels[at + c] = (float) ((1 - share) * (double) kg_image_get_pixels (a)[at + c] +
                                  share * (double) kg_image_get_pixels (b)[at + c]);
    }
}

static bool
mesh_evaluate (MorphMesh *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const int width = kg_image_get_width (n->from), height = kg_image_get_height (n->from);
  const MeshWarpSpline spline = (MeshWarpSpline) n->spline;
  const bool unfold = n->fold == FOLD_STRAIGHT, columns_first = n->order == ORDER_COLUMNS;
  g_auto (WarpNet) from = { 0 }, to = { 0 }, between = { 0 };
  g_autoptr (KgImage) a = NULL, b = NULL, second = NULL;

  if (!morph_mesh_read (n, ctx, n->from_points, n->from_net, "the first net", &from, error) ||
      !morph_mesh_read (n, ctx, n->to_points, n->to_net, "the second net", &to, error))
    return false;
  if (from.rows != to.rows) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "one net has %d rows and the other %d: give both the same number",
                  from.rows, to.rows);
    return false;
  }
  between = mesh_warp_mix_nets (&from, &to, n->amount);
  n->image = kg_image_new (width, height, false, error);
  a = kg_image_new (width, height, false, error);
  b = kg_image_new (width, height, false, error);
  second = kg_image_new (width, height, false, error);
  if (n->image == NULL || a == NULL || b == NULL || second == NULL || !morph_mesh_draw (n, &between, error))
    return false;
  kg_image_set_pixel_aspect (n->image, kg_image_get_pixel_aspect (n->from));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const float *p = morph_mesh_find_pixel (n->to, x, y, width, height);

      if (p != NULL)
        memcpy (kg_image_edit_pixels (second) + 4 * ((size_t) y * (size_t) width + (size_t) x), p, 4 * sizeof *p);
    }
  if (!mesh_warp_apply (n->from, &from, &between, spline, unfold, columns_first, a, &monitor, error) ||
      !mesh_warp_apply (second, &to, &between, spline, unfold, columns_first, b, &monitor, error))
    return false;
  morph_mesh_dissolve (n, ctx, a, b);
  return !kg_context_is_cancelled (ctx);
}

static const KgSlot mesh_slots[] = {
  KG_INPUT (MorphMesh, from, IMAGE, .label = N_ ("From"), .help = N_ ("The first image; the result has its size.")),
  KG_INPUT (MorphMesh, to, IMAGE, .label = N_ ("To"), .help = N_ ("The second image.")),
  KG_INPUT (MorphMesh, amount, NUMBER, .label = N_ ("Amount"), .min = 0, .max = 1,
            .help = N_ ("0 is the first image, 1 the second.")),
  KG_INPUT (
      MorphMesh, dissolve, NUMBER, .label = N_ ("Dissolve"), .def = -1, .min = -1, .max = 1,
      .help = N_ ("How much of the second image is shown, if this should differ from Amount; -1 follows Amount.")),
  KG_INPUT (MorphMesh, columns, INTEGER, .label = N_ ("Columns"), .def = 3, .min = 2, .max = 1000, .soft_max = 20,
            .help = N_ ("Points in a row of the nets: one more than the columns of a Grid.")),
  KG_INPUT (
      MorphMesh, from_points, TABLE, .columns = kg_table_points, .label = N_ ("Points of the first image"),
      .def_text = NET, .handle = { KG_HANDLE_POINTS, .unless_linked = "from_net" },
      .help = N_ ("A net on the features of the image: its points row by row from the top. The centre of the image "
                  "is the origin, its height is 2; the outer points slide along its border.")),
  KG_INPUT (MorphMesh, to_points, TABLE, .columns = kg_table_points, .label = N_ ("Points of the second image"),
            .def_text = NET, .handle = { KG_HANDLE_POINTS, .unless_linked = "to_net" },
            .help = N_ ("As many points in the same order, on the same features of the second image.")),
  KG_INPUT (MorphMesh, from_net, GEOMETRY, .label = N_ ("Net of the first image"), .optional = true,
            .help = N_ ("Used instead of its points: points in rows, such as a deformed Grid.")),
  KG_INPUT (MorphMesh, to_net, GEOMETRY, .label = N_ ("Net of the second image"), .optional = true,
            .help = N_ ("Used instead of its points.")),
  KG_INPUT (MorphMesh, map, IMAGE, .label = N_ ("Dissolve map"), .optional = true, .group = N_ ("Dissolve"),
            .help = N_ ("Image whose brightness is the amount at which each pixel begins to dissolve, so that some "
                        "parts change before others.")),
  KG_INPUT (MorphMesh, duration, NUMBER, .label = N_ ("Duration"), .def = 0.4, .min = 1e-3, .max = 1,
            .group = N_ ("Dissolve"), .shown_when = "map=linked",
            .help = N_ ("Share of the amount during which one pixel dissolves.")),
  KG_INPUT (MorphMesh, curve, CHOICE, .label = N_ ("Curve"), .choices = morph_mesh_curves, .group = N_ ("Dissolve"),
            .help = N_ ("How the dissolve runs.")),
  KG_INPUT (MorphMesh, spline, CHOICE, .label = N_ ("Lines"), .choices = morph_mesh_splines, .group = N_ ("Net"),
            .help = N_ ("What joins the points of the nets.")),
  KG_INPUT (MorphMesh, fold, CHOICE, .label = N_ ("Folds"), .choices = morph_mesh_folds, .group = N_ ("Net"),
            .help = N_ ("What happens where smooth lines overshoot and fold over.")),
  KG_INPUT (MorphMesh, order, CHOICE, .label = N_ ("Passes"), .choices = morph_mesh_orders, .group = N_ ("Net"),
            .help = N_ ("Which direction is warped first: where one order squeezes the image, the other does not.")),
  KG_OUTPUT (MorphMesh, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The interpolated image.")),
  KG_OUTPUT (MorphMesh, net, GEOMETRY, .label = N_ ("Net"), .help = N_ ("The interpolated net, as lines.")),
};

KG_NODE (
    morph, mesh, MorphMesh, .label = N_ ("Morph Mesh"), .version = 1, .since = "0.1",
    .tags = N_ ("warp dissolve grid net two-pass wolberg mesh transition image face sequence"),
    .source =
        "Smith, Planar 2-Pass Texture Mapping and Warping, 1987; Wolberg, Digital Image Warping, 1990, section 7.7",
    .help = N_ (
        "Morphs one image into another along two nets of splines whose points mark the same features. Both images are "
        "warped to the interpolated net, in rows and then in columns, and dissolve. Key the nets, or mix keyed ones "
        "with Morph Geometry, to morph movies."));
