/* image/track_plane: a flat part of the image followed with its perspective.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/track.h"

#include "kg-node.h"

#define SIZE ((size_t) TRACK_PLANE_SIZE * TRACK_PLANE_SIZE)

typedef struct {
  const KgImage *image;
  const KgTable *corners;
  double first;
  double least;
  int64_t iterations;
  KgGeometry *state;
  KgGeometry *pattern;
  bool started;
  double score;
  KgGeometry *plane;
  double confidence;
} TrackPlane;

static bool
track_plane_check (const TrackPlane *n, GError **error)
{
  if (kg_table_get_n_rows (n->corners) == 4)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "a plane has 4 corners, but there are %zu points",
                kg_table_get_n_rows (n->corners));
  return false;
}

static bool
track_plane_begin (TrackPlane *n, GError **error)
{
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  g_auto (Brightness) frame = { 0 };
  double corners[8];
  PlaneMap map;
  float *p;

  if (!track_plane_check (n, error) || !brightness_read (n->image, width, height, &frame, error))
    return false;
  for (size_t i = 0; i < 4; i++) {
    const double *row = kg_table_get_row (n->corners, i);

    corners[2 * i] = 0.5 * width + 0.5 * height * row[0];
    corners[2 * i + 1] = 0.5 * height * (1 - row[1]);
  }
  if (!plane_map_from_corners (corners, &map, error)) {
    kg_prefix_error (error, "the corners do not form a quadrilateral: ");
    return false;
  }
  kg_geometry_make_writable (&n->state);
  kg_geometry_make_writable (&n->pattern);
  if (!kg_geometry_set_n_points (n->state, 4, error) || !kg_geometry_set_n_points (n->pattern, SIZE, error))
    return false;
  p = kg_geometry_edit_positions (n->state);
  for (size_t i = 0; i < 4; i++) {
    p[3 * i] = (float) corners[2 * i];
    p[3 * i + 1] = (float) corners[2 * i + 1];
  }
  track_read_plane (&frame, &map, kg_geometry_edit_float (n->pattern, KG_POINTS, "value", 1));
  n->score = 1;
  n->started = true;
  return true;
}

static bool
track_plane_start (TrackPlane *n, const KgContext *ctx, GError **error)
{
  n->state = kg_geometry_new ();
  n->pattern = kg_geometry_new ();
  n->started = false;
  n->score = 0;
  return ctx->frame < n->first - 1e-6 || track_plane_begin (n, error);
}

static bool
track_plane_fits (const TrackPlane *n)
{
  return kg_geometry_get_n_points (n->state) == 4 && kg_geometry_get_n_points (n->pattern) == SIZE &&
         kg_geometry_get_float (n->pattern, KG_POINTS, "value", 1) != NULL;
}

static bool
track_plane_advance (TrackPlane *n, const KgContext *ctx, double dt, GError **error)
{
  static const double square[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  g_auto (Brightness) frame = { 0 };
  double corners[8], moved[8];
  PlaneMap map;
  const float *was;
  bool whole = true;
  float *p;

  (void) dt;
  if (!n->started || !track_plane_fits (n))
    return ctx->frame < n->first - 1e-6 || track_plane_begin (n, error);
  if (!brightness_read (n->image, kg_image_get_width (n->image), kg_image_get_height (n->image), &frame, error))
    return false;
  was = kg_geometry_get_positions (n->state);
  for (size_t i = 0; i < 4; i++)
    for (size_t c = 0; c < 2; c++)
      corners[2 * i + c] = (double) was[3 * i + c];
  if (!plane_map_from_corners (corners, &map, error))
    return false;
  n->score = track_find_plane (&frame, kg_geometry_get_float (n->pattern, KG_POINTS, "value", 1), &map,
                               (int) n->iterations, &monitor);
  if (kg_context_is_cancelled (ctx))
    return false;
  for (size_t i = 0; i < 4; i++)
    whole = whole && plane_map_apply (&map, square[i], moved + 2 * i) && fabs (moved[2 * i]) < 1e6 &&
            fabs (moved[2 * i + 1]) < 1e6;
  /* A lost plane waits where it was last seen. */
  if (!whole || n->score < n->least || !plane_map_from_corners (moved, &map, NULL)) {
    n->score = whole ? n->score : 0;
    return true;
  }
  kg_geometry_make_writable (&n->state);
  p = kg_geometry_edit_positions (n->state);
  for (size_t i = 0; i < 4; i++)
    for (size_t c = 0; c < 2; c++)
      p[3 * i + c] = (float) moved[2 * i + c];
  return true;
}

static bool
track_plane_evaluate (TrackPlane *n, const KgContext *ctx, GError **error)
{
  static const uint32_t vertices[4] = { 0, 1, 2, 3 };
  const KgPrimitive outline = { .kind = KG_POLYGON, .n_vertices = 4, .vertices = (uint32_t *) vertices };
  const double scale = 2.0 / kg_image_get_height (n->image);
  const bool fits = n->started && track_plane_fits (n);
  float *p, *confidence;

  n->plane = kg_geometry_new ();
  if (!track_plane_check (n, error) || !kg_geometry_set_n_points (n->plane, 4, error))
    return false;
  n->confidence = kg_clamp (n->score, 0, 1);
  p = kg_geometry_edit_positions (n->plane);
  confidence = kg_geometry_edit_float (n->plane, KG_POINTS, "confidence", 1);
  for (size_t i = 0; i < 4; i++) {
    const double *row = kg_table_get_row (n->corners, i);
    const float *at = fits ? kg_geometry_get_positions (n->state) + 3 * i : NULL;

    p[3 * i] = (float) (at != NULL ? scale * ((double) at[0] - 0.5 * kg_image_get_width (n->image)) : row[0]);
    p[3 * i + 1] = (float) (at != NULL ? 1 - scale * (double) at[1] : row[1]);
    confidence[i] = (float) n->confidence;
  }
  kg_geometry_add_primitive (n->plane, &outline);
  if (fits && n->score < n->least)
    kg_context_warn (ctx, "the plane is lost: its confidence is %.2f, below %.2f", n->score, n->least);
  return true;
}

static const KgSlot track_plane_slots[] = {
  KG_INPUT (TrackPlane, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The moving image.")),
  KG_INPUT (TrackPlane, corners, TABLE, .columns = kg_table_points, .label = N_ ("Corners"),
            .def_text = "-0.5 0.5\n0.5 0.5\n0.5 -0.5\n-0.5 -0.5", .handle = { KG_HANDLE_POINTS },
            .help = N_ ("Four corners of a flat part of the image at the first frame, around it in order, as x y. The "
                        "centre of the image is the origin and its height is 2.")),
  KG_INPUT (TrackPlane, first, NUMBER, .label = N_ ("First frame"), .unit = KG_FRAMES, .fixed = true, .def = 1,
            .min = -1e6, .max = 1e6, .soft_min = 0, .soft_max = 240,
            .help = N_ ("Frame from which the pattern is taken; tracking goes forward from it.")),
  KG_INPUT (TrackPlane, least, NUMBER, .label = N_ ("Least confidence"), .def = 0.6, .min = 0, .max = 1,
            .help = N_ ("A plane that is found with less confidence is lost: it stays where it was last seen.")),
  KG_INPUT (TrackPlane, iterations, INTEGER, .label = N_ ("Iterations"), .def = 30, .min = 1, .max = 1000,
            .soft_max = 100, .help = N_ ("At most this many steps at each of three sizes of the pattern.")),
  KG_STATE (TrackPlane, state, GEOMETRY, .keeps = ""),
  KG_STATE (TrackPlane, pattern, GEOMETRY, .keeps = "points value float 1"),
  KG_STATE (TrackPlane, started, BOOLEAN),
  KG_STATE (TrackPlane, score, NUMBER),
  KG_OUTPUT (TrackPlane, plane, GEOMETRY, .label = N_ ("Plane"),
             .help = N_ ("The four corners where they are now, as a polygon, with the attribute confidence.")),
  KG_OUTPUT (TrackPlane, confidence, NUMBER, .label = N_ ("Confidence"),
             .help = N_ ("Normalised cross-correlation of the rectified plane with the first frame.")),
};

KG_SIMULATION (
    image, track_plane, TrackPlane, .label = N_ ("Track Plane"), .version = 1, .since = "0.1",
    .tags = N_ ("planar tracker tracking corner pin perspective homography screen replacement insert match move"),
    .source = "Baker and Matthews, Lucas-Kanade 20 Years On, 2004, section 3.2",
    .help = N_ (
        "Follows a flat part of the image, such as a wall, a page or a screen, with its perspective. Link the corners to Stabilize to insert another image or to hold the plane still."));
