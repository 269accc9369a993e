/* image/track: points of the image followed from frame to frame.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/track.h"

#include "kg-node.h"

#define MAX_POINTS 1000
/* Steps of brightness a pixel below which nothing can be found. */
#define PLAIN 0.5

typedef struct {
  const KgImage *image;
  const KgTable *points;
  double first;
  int64_t radius;
  int64_t search;
  double least;
  bool predict;
  int update;
  int64_t shown;
  KgGeometry *state;
  KgGeometry *patterns;
  bool started;
  KgGeometry *tracks;
  KgVector position;
  KgVector moved;
  double confidence;
  int64_t lost;
} Track;

enum { UPDATE_NEVER, UPDATE_ALWAYS, UPDATE_WEAK, N_UPDATES };

static const KgChoice track_updates[] = {
  [UPDATE_NEVER] = { "never", N_ ("Never: no drift") },
  [UPDATE_ALWAYS] = { "always", N_ ("At every frame: follows changes, drifts") },
  [UPDATE_WEAK] = { "weak", N_ ("When the match becomes weak") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (track_updates, N_UPDATES);

static size_t
track_get_size (const Track *n)
{
  return (size_t) (2 * n->radius + 1) * (size_t) (2 * n->radius + 1);
}

/* Pixels (y down) and the view of height 2 around its middle. */
static KgVector
track_to_view (const KgImage *image, const float *pixel)
{
  const double scale = 2.0 / kg_image_get_height (image);

  return (KgVector){ scale * ((double) pixel[0] - 0.5 * kg_image_get_width (image)), 1 - scale * (double) pixel[1], 0 };
}

static bool
track_check (const Track *n, GError **error)
{
  const size_t count = kg_table_get_n_rows (n->points);

  if (count <= MAX_POINTS && track_get_size (n) * count <= KG_TABLE_MAX_CELLS / 16)
    return true;
  kg_set_error (error, KG_ERROR_LIMIT, "%zu points with patterns of %zu pixels are too many: use at most %d points",
                count, track_get_size (n), MAX_POINTS);
  return false;
}

/* Takes the patterns from this frame. */
static bool
track_begin (Track *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_table_get_n_rows (n->points), size = track_get_size (n);
  const int width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  g_auto (Brightness) frame = { 0 };
  float *p, *score, *value;
  guint plain = 0, outside = 0;

  if (!track_check (n, error) || !brightness_read (n->image, width, height, &frame, error))
    return false;
  kg_geometry_make_writable (&n->state);
  kg_geometry_make_writable (&n->patterns);
  if (!kg_geometry_set_n_points (n->state, count, error) ||
      !kg_geometry_set_n_points (n->patterns, count * size, error))
    return false;
  p = kg_geometry_edit_positions (n->state);
  score = kg_geometry_edit_float (n->state, KG_POINTS, "score", 1);
  kg_geometry_edit_float (n->state, KG_POINTS, "motion", 2);
  memset (kg_geometry_edit_float (n->state, KG_POINTS, "origin", 2), 0, count * 2 * sizeof *p);
  value = kg_geometry_edit_float (n->patterns, KG_POINTS, "value", 1);
  for (size_t i = 0; i < count; i++) {
    const double *row = kg_table_get_row (n->points, i);
    float *origin = kg_geometry_edit_float (n->state, KG_POINTS, "origin", 2) + 2 * i;

    p[3 * i] = origin[0] = (float) (0.5 * width + 0.5 * height * row[0]);
    p[3 * i + 1] = origin[1] = (float) (0.5 * height * (1 - row[1]));
    p[3 * i + 2] = 0;
    /* A pattern of zeros is found nowhere. */
    score[i] = fabs (row[1]) <= 1 && fabs (row[0]) * height <= width;
    if (score[i] == 0) {
      memset (value + i * size, 0, size * sizeof *value);
      outside++;
      continue;
    }
    track_read_pattern (&frame, (double) p[3 * i], (double) p[3 * i + 1], (int) n->radius, value + i * size);
    plain += track_get_texture (value + i * size, (int) n->radius) < PLAIN;
  }
  n->started = true;
  if (outside > 0)
    kg_context_warn_plural (ctx, outside, "%u point lies outside the image and is lost: move it into the image",
                            "%u points lie outside the image and are lost: move them into the image", outside);
  if (plain > 0)
    kg_context_warn_plural (ctx, plain,
                            "%u pattern is flat or an edge, and can slip: move the point to a corner or a spot",
                            "%u patterns are flat or edges, and can slip: move the points to corners and spots", plain);
  return true;
}

static bool
track_start (Track *n, const KgContext *ctx, GError **error)
{
  n->state = kg_geometry_new ();
  n->patterns = kg_geometry_new ();
  n->started = false;
  return ctx->frame < n->first - 1e-6 || track_begin (n, ctx, error);
}

/* What was read from a file is as large as it must be. */
static bool
track_fits (const Track *n)
{
  const size_t count = kg_table_get_n_rows (n->points);

  return kg_geometry_get_n_points (n->state) == count &&
         kg_geometry_get_n_points (n->patterns) == count * track_get_size (n) &&
         kg_geometry_get_float (n->state, KG_POINTS, "score", 1) != NULL &&
         kg_geometry_get_float (n->state, KG_POINTS, "motion", 2) != NULL &&
         kg_geometry_get_float (n->state, KG_POINTS, "origin", 2) != NULL &&
         kg_geometry_get_float (n->patterns, KG_POINTS, "value", 1) != NULL;
}

static bool
track_advance (Track *n, const KgContext *ctx, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const size_t count = kg_table_get_n_rows (n->points), size = track_get_size (n);
  g_auto (Brightness) frame = { 0 };
  float *p, *score, *motion;

  (void) dt;
  if (!n->started || !track_fits (n))
    return ctx->frame < n->first - 1e-6 || track_begin (n, ctx, error);
  if (!brightness_read (n->image, kg_image_get_width (n->image), kg_image_get_height (n->image), &frame, error))
    return false;
  kg_geometry_make_writable (&n->state);
  kg_geometry_make_writable (&n->patterns);
  p = kg_geometry_edit_positions (n->state);
  score = kg_geometry_edit_float (n->state, KG_POINTS, "score", 1);
  motion = kg_geometry_edit_float (n->state, KG_POINTS, "motion", 2);
  for (size_t i = 0; i < count; i++) {
    const float *pattern = kg_geometry_get_float (n->patterns, KG_POINTS, "value", 1) + i * size;
    const bool predict = n->predict && (double) score[i] >= n->least;
    TrackMatch match = { .x = (double) p[3 * i] + (predict ? (double) motion[2 * i] : 0),
                         .y = (double) p[3 * i + 1] + (predict ? (double) motion[2 * i + 1] : 0) };

    if (!track_find_point (&frame, pattern, (int) n->radius, (int) n->search, &match, &monitor))
      return false;
    score[i] = (float) match.score;
    /* A lost point waits where it was last seen. */
    if (match.score < n->least) {
      motion[2 * i] = motion[2 * i + 1] = 0;
      continue;
    }
    motion[2 * i] = (float) match.x - p[3 * i];
    motion[2 * i + 1] = (float) match.y - p[3 * i + 1];
    p[3 * i] = (float) match.x;
    p[3 * i + 1] = (float) match.y;
    if (n->update == UPDATE_ALWAYS || (n->update == UPDATE_WEAK && match.score < 0.5 * (1 + n->least)))
      track_read_pattern (&frame, match.x, match.y, (int) n->radius,
                          kg_geometry_edit_float (n->patterns, KG_POINTS, "value", 1) + i * size);
    kg_context_progress (ctx, (double) (i + 1) / (double) count);
  }
  return true;
}

static bool
track_evaluate (Track *n, const KgContext *ctx, GError **error)
{
  const size_t count = kg_table_get_n_rows (n->points);
  const bool fits = n->started && track_fits (n);
  float *p, *confidence;
  int32_t *id;

  n->tracks = kg_geometry_new ();
  if (!track_check (n, error) || !kg_geometry_set_n_points (n->tracks, count, error))
    return false;
  p = kg_geometry_edit_positions (n->tracks);
  confidence = kg_geometry_edit_float (n->tracks, KG_POINTS, "confidence", 1);
  id = kg_geometry_edit_int (n->tracks, KG_POINTS, "id", 1);
  for (size_t i = 0; i < count; i++) {
    const double *row = kg_table_get_row (n->points, i);
    KgVector at = { row[0], row[1], 0 };

    id[i] = (int32_t) i;
    if (fits) {
      at = track_to_view (n->image, kg_geometry_get_positions (n->state) + 3 * i);
      confidence[i] = CLAMP (kg_geometry_get_float (n->state, KG_POINTS, "score", 1)[i], 0, 1);
      n->lost += (double) confidence[i] < n->least;
    }
    p[3 * i] = (float) at.x;
    p[3 * i + 1] = (float) at.y;
    if ((int64_t) i == n->shown) {
      n->position = at;
      n->confidence = (double) confidence[i];
      if (fits)
        n->moved = kg_vector_subtract (
            at, track_to_view (n->image, kg_geometry_get_float (n->state, KG_POINTS, "origin", 2) + 2 * i));
    }
  }
  if (count == 0)
    kg_context_warn (ctx, "there are no points: add those to follow");
  else if (n->shown >= (int64_t) count)
    kg_context_warn (ctx, "there is no point %d: show 0 to %d", (int) n->shown, (int) count - 1);
  if (n->lost > 0)
    kg_context_warn (ctx, "%d of %zu points are lost: enlarge the search, lower the confidence, or update the pattern",
                     (int) n->lost, count);
  return true;
}

static const KgSlot track_slots[] = {
  KG_INPUT (Track, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The moving image.")),
  KG_INPUT (Track, points, TABLE, .columns = kg_table_points, .label = N_ ("Points"), .def_text = "0 0",
            .handle = { KG_HANDLE_POINTS },
            .help = N_ ("Where the points are at the first frame, one per line, as x y. The centre of the image is the "
                        "origin and its height is 2. Corners and spots hold best.")),
  KG_INPUT (Track, first, NUMBER, .label = N_ ("First frame"), .unit = KG_FRAMES, .fixed = true, .def = 1, .min = -1e6,
            .max = 1e6, .soft_min = 0, .soft_max = 240,
            .help = N_ ("Frame from which the patterns are taken; tracking goes forward from it. Before it the points "
                        "stay where they are.")),
  KG_INPUT (Track, radius, INTEGER, .label = N_ ("Pattern"), .unit = KG_PIXELS, .fixed = true, .def = 8, .min = 2,
            .max = 64, .soft_max = 24, .help = N_ ("Pixels to each side of a point that are compared.")),
  KG_INPUT (Track, search, INTEGER, .label = N_ ("Search"), .unit = KG_PIXELS, .def = 16, .min = 1, .max = 256,
            .soft_max = 64, .help = N_ ("Largest distance of a point from its expected position.")),
  KG_INPUT (
      Track, least, NUMBER, .label = N_ ("Least confidence"), .def = 0.7, .min = 0, .max = 1,
      .help = N_ (
          "A point whose pattern is found with less confidence is lost: it stays where it was last seen, and is found "
          "again when the pattern returns there.")),
  KG_INPUT (Track, predict, BOOLEAN, .label = N_ ("Predict"), .def = 1,
            .help = N_ ("Expects points to keep their velocity.")),
  KG_INPUT (Track, update, CHOICE, .label = N_ ("Update pattern"), .choices = track_updates,
            .help = N_ ("When the pattern is taken anew from the current frame.")),
  KG_INPUT (Track, shown, INTEGER, .label = N_ ("Shown point"), .min = 0, .max = MAX_POINTS - 1, .soft_max = 9,
            .help = N_ ("Number of the point that Position, Movement and Confidence report, counted from 0.")),
  KG_STATE (Track, state, GEOMETRY, .keeps = "points score float 1; points motion float 2; points origin float 2"),
  KG_STATE (Track, patterns, GEOMETRY, .keeps = "points value float 1"),
  KG_STATE (Track, started, BOOLEAN),
  KG_OUTPUT (Track, tracks, GEOMETRY, .label = N_ ("Points"),
             .help = N_ ("The points where they are now, with the attributes confidence (normalised cross-correlation, "
                         "0 to 1) and id.")),
  KG_OUTPUT (Track, position, VECTOR, .label = N_ ("Position"), .help = N_ ("Position of the shown point.")),
  KG_OUTPUT (Track, moved, VECTOR, .label = N_ ("Movement"),
             .help = N_ ("How far the shown point has moved since the first frame.")),
  KG_OUTPUT (Track, confidence, NUMBER, .label = N_ ("Confidence"),
             .help = N_ ("Confidence in the shown point: 1 is certain.")),
  KG_OUTPUT (Track, lost, INTEGER, .label = N_ ("Lost"), .help = N_ ("Number of points that are lost.")),
};

KG_SIMULATION (
    image, track, Track, .label = N_ ("Track"), .version = 1, .since = "0.1",
    .tags = N_ ("tracker point tracking motion follow match move stabilize pattern feature subpixel"),
    .formula = "score = Σ (T − T̄)(I − Ī) / (|T − T̄| |I − Ī|)",
    .source = "Lewis, Fast Normalized Cross-Correlation, 1995; Lucas and Kanade, 1981",
    .help = N_ (
        "Follows points of an image from frame to frame, to fractions of a pixel: the pattern around each point is "
        "found by normalised cross-correlation, which changes of light do not disturb, and then located exactly. The "
        "points can drive anything, such as Stabilize; Record turns a position into a motion."));
