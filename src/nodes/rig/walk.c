/* rig/walk: feet and hips of a figure that walks along a way.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "rig/footsteps.h"

typedef struct {
  const KgGeometry *path;
  KgVector place;
  int timing;
  double cadence;
  double start;
  double arrive;
  bool slow_ends;
  double step;
  double corner;
  double width;
  int first;
  double carry;
  double lift;
  double height;
  double hip_width;
  double bounce;
  double sway;
  KgTransform body;
  KgVector hips;
  KgVector left_hip;
  KgVector right_hip;
  KgVector left_foot;
  KgVector right_foot;
  KgTransform left_print;
  KgTransform right_print;
  bool left_down;
  bool right_down;
  double phase;
  KgGeometry *way;
  KgGeometry *prints;
  int64_t steps;
  double step_length;
  double length;
  double arrives;
  char *plan;
} Walk;

enum { TIMING_CADENCE, TIMING_ARRIVE, N_TIMINGS };

static const KgChoice walk_timings[] = {
  [TIMING_CADENCE] = { "cadence", N_ ("Given steps per minute") },
  [TIMING_ARRIVE] = { "arrive", N_ ("To arrive at a frame") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (walk_timings, N_TIMINGS);

static const KgChoice walk_feet[] = {
  [FOOTSTEPS_LEFT] = { "left", N_ ("Left foot") },
  [FOOTSTEPS_RIGHT] = { "right", N_ ("Right foot") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (walk_feet, FOOTSTEPS_RIGHT + 1);

static KgTransform
footprint_get_transform (Footprint print)
{
  return kg_transform_from_parts (print.place, kg_rotation_from_axis_angle (kg_vector (0, 1, 0), print.heading),
                                  kg_vector (1, 1, 1));
}

/* The points of the first line; without any it stands.  (element-type KgVector) (transfer full) (nullable) */
static GArray *
walk_read_path (const Walk *n, const KgContext *ctx, GError **error)
{
  GArray *points = g_array_new (false, false, sizeof (KgVector));
  KgPrimitive line;

  if (n->path != NULL && kg_geometry_get_n_primitives (n->path) > 0) {
    const float *p = kg_geometry_get_positions (n->path);

    kg_geometry_get_primitive (n->path, 0, &line);
    if (!kg_geometry_check_finite (n->path, error) || line.kind == KG_SPLINE) {
      if (line.kind == KG_SPLINE)
        kg_set_error (
            error, KG_ERROR_INVALID_VALUE,
            "the path is a spline: insert Sample Curve before this node, so that the path has points to walk to");
      g_array_unref (points);
      return NULL;
    }
    for (uint32_t i = 0; i < line.n_vertices; i++) {
      const KgVector at = kg_floats_get_vector (p, line.vertices[i]);

      g_array_append_val (points, at);
    }
  }
  if (points->len == 0) {
    kg_context_warn (ctx, "the path is empty: the figure has nowhere to go and stands still");
    g_array_append_val (points, n->place);
  }
  return points;
}

/* Seconds for a step, so that the walk ends at a frame.  0: it is too early. */
static double
walk_find_duration (const Walk *n, const KgContext *ctx, const Footsteps *walk, GError **error)
{
  const double time = (n->arrive - n->start) / ctx->rate, beats = footsteps_get_beats (walk);
  const double least = beats * 60 / FOOTSTEPS_MOST;

  if (beats == 0)
    return 60 / n->cadence;
  if (time >= least)
    return time / beats;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "%g s is too short for %u steps, which take at least %.3g s: arrive later, or take longer steps", time,
                footsteps_get_n (walk), least);
  return 0;
}

/* (transfer full) (nullable) */
static Footsteps *
walk_plan (const Walk *n, const KgContext *ctx, GError **error)
{
  const FootstepsOptions options = { .step = n->step,
                                     .corner = n->corner,
                                     .width = n->width,
                                     .duration = 60 / n->cadence,
                                     .slow_ends = n->slow_ends,
                                     .first = n->first,
                                     .carry = n->carry,
                                     .lift = n->lift };
  g_autoptr (GArray) points = walk_read_path (n, ctx, error);
  g_autoptr (Footsteps) walk = NULL;
  double duration;

  if (points == NULL)
    return NULL;
  walk = footsteps_new ((const KgVector *) (const void *) points->data, points->len, &options, error);
  if (walk == NULL || n->timing == TIMING_CADENCE)
    return g_steal_pointer (&walk);
  duration = walk_find_duration (n, ctx, walk, error);
  if (!(duration > 0))
    return NULL;
  footsteps_set_duration (walk, duration);
  return g_steal_pointer (&walk);
}

/* The rounded way as a line. */
static bool
walk_make_way (Walk *n, const Footsteps *walk, GError **error)
{
  g_autoptr (GArray) points = footsteps_get_rounded (walk);
  g_autofree uint32_t *vertices = g_new (uint32_t, points->len);
  float *p;

  n->way = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->way, points->len, error))
    return false;
  p = kg_geometry_edit_positions (n->way);
  for (uint32_t i = 0; i < points->len; i++) {
    kg_floats_set_vector (p, i, g_array_index (points, KgVector, i));
    vertices[i] = i;
  }
  kg_geometry_add_primitives (n->way, KG_POLYLINE, false, 1, points->len, vertices);
  return true;
}

static bool
walk_make_prints (Walk *n, const KgContext *ctx, const Footsteps *walk, GError **error)
{
  /* Both feet stand at first; without a step nothing follows. */
  const guint count = 1 + (footsteps_get_n (walk) > 0 ? footsteps_get_n (walk) + 2 : 1);
  float *p, *frame, *turned;
  int32_t *foot;

  n->prints = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->prints, count, error))
    return false;
  p = kg_geometry_edit_positions (n->prints);
  turned = kg_geometry_edit_float (n->prints, KG_POINTS, "orient", 4);
  frame = kg_geometry_edit_float (n->prints, KG_POINTS, "frame", 1);
  foot = kg_geometry_edit_int (n->prints, KG_POINTS, "foot", 1);
  for (guint i = 0; i < count; i++) {
    double from = 0, to = 0;
    Footprint print;
    KgRotation turn;
    int which;
    bool planted;

    if (i < 2) {
      print = footsteps_get_foot (walk, (int) i, 0, &planted);
      which = (int) i;
    } else {
      print = footsteps_get_print (walk, i - 1, &which);
      footsteps_get_swing (walk, i - 1, &from, &to);
    }
    turn = kg_rotation_from_axis_angle (kg_vector (0, 1, 0), print.heading);
    kg_floats_set_vector (p, i, print.place);
    kg_floats_set_rotation (turned, i, turn);
    frame[i] = (float) (n->start + footsteps_get_time (walk, to) * ctx->rate);
    foot[i] = which;
  }
  return true;
}

/* High over a foot that stands, low between two, and evenly high at both ends. */
static double
walk_get_drop (const Walk *n, double phase, double steps)
{
  return steps > 0 ? 0.5 * n->bounce * (1 - cos (2 * KG_PI * kg_clamp (phase, 0, steps))) : 0;
}

static bool
walk_evaluate (Walk *n, const KgContext *ctx, GError **error)
{
  g_autoptr (Footsteps) walk = walk_plan (n, ctx, error);
  Footprint under, feet[2];
  KgVector left;

  if (walk == NULL)
    return false;
  n->steps = footsteps_get_n (walk);
  n->step_length = footsteps_get_step (walk);
  n->length = n->steps > 0 ? footsteps_get_length (walk) : 0;
  n->arrives = n->start + footsteps_get_duration (walk) * ctx->rate;
  n->phase = footsteps_get_phase (walk, (ctx->frame - n->start) / ctx->rate);
  under = footsteps_get_way (walk, n->phase * n->step_length);
  left = kg_vector (-sin (under.heading), 0, -cos (under.heading));
  feet[FOOTSTEPS_LEFT] = footsteps_get_foot (walk, FOOTSTEPS_LEFT, n->phase, &n->left_down);
  feet[FOOTSTEPS_RIGHT] = footsteps_get_foot (walk, FOOTSTEPS_RIGHT, n->phase, &n->right_down);
  n->left_foot = feet[FOOTSTEPS_LEFT].place;
  n->right_foot = feet[FOOTSTEPS_RIGHT].place;
  n->left_print = footprint_get_transform (feet[FOOTSTEPS_LEFT]);
  n->right_print = footprint_get_transform (feet[FOOTSTEPS_RIGHT]);
  n->hips = kg_vector_add_scaled (under.place, n->sway * footsteps_get_sway (walk, n->phase), left);
  n->hips.y += n->height - walk_get_drop (n, n->phase, (double) n->steps);
  n->left_hip = kg_vector_add_scaled (n->hips, 0.5 * n->hip_width, left);
  n->right_hip = kg_vector_add_scaled (n->hips, -0.5 * n->hip_width, left);
  n->body = footprint_get_transform ((Footprint){ n->hips, under.heading });
  n->plan = g_strdup_printf ("way: %.4g m\nsteps: %u of %.4g m\ntime: %.4g s, from frame %.4g to %.4g", n->length,
                             footsteps_get_n (walk), n->step_length, footsteps_get_duration (walk), n->start,
                             n->arrives);
  return walk_make_way (n, walk, error) && walk_make_prints (n, ctx, walk, error);
}

static const KgSlot walk_slots[] = {
  KG_INPUT (Walk, path, GEOMETRY, .label = N_ ("Path"), .optional = true,
            .help = N_ ("The path to walk, such as a Route: the points of its first line, on the ground.")),
  KG_INPUT (Walk, place, VECTOR, .label = N_ ("Place"), .unit = KG_METRES,
            .help = N_ ("Where the figure stands while there is no path: link the start of the route here, too.")),
  KG_INPUT (Walk, timing, CHOICE, .label = N_ ("Time"), .choices = walk_timings,
            .help = N_ ("What is given: the cadence, or the frame of arrival.")),
  KG_INPUT (Walk, cadence, NUMBER, .label = N_ ("Cadence"), .def = 110, .min = 20, .max = FOOTSTEPS_MOST,
            .shown_when = "timing=cadence", .help = N_ ("Steps per minute: 90 is a stroll, 110 a walk, 130 a hurry.")),
  KG_INPUT (Walk, start, NUMBER, .label = N_ ("Start"), .unit = KG_FRAMES, .def = 1, .soft_min = 1, .soft_max = 240,
            .help = N_ ("Frame at which the first foot leaves the ground.")),
  KG_INPUT (Walk, arrive, NUMBER, .label = N_ ("Arrive"), .unit = KG_FRAMES, .def = 120, .soft_min = 1, .soft_max = 480,
            .shown_when = "timing=arrive", .help = N_ ("Frame at which the figure reaches the end of the path.")),
  KG_INPUT (Walk, slow_ends, BOOLEAN, .label = N_ ("Slow ends"), .def = 1,
            .help = N_ ("Gains speed during the first step and loses it during the last; these take twice as long.")),
  KG_INPUT (Walk, step, NUMBER, .label = N_ ("Step"), .unit = KG_METRES, .def = 0.7, .min = 0.1, .max = 1e4,
            .soft_max = 2,
            .help = N_ ("Longest step. The path is divided into equal steps that are no longer than "
                        "this.")),
  KG_INPUT (Walk, corner, NUMBER, .label = N_ ("Corners"), .unit = KG_METRES, .def = 0.5, .min = 0, .max = 1e4,
            .soft_max = 2, .help = N_ ("Radius of the arcs that round the corners of the path.")),
  KG_INPUT (Walk, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.18, .min = 0, .max = 1e4,
            .soft_max = 1, .help = N_ ("Distance between the tracks of the left and the right foot.")),
  KG_INPUT (Walk, first, CHOICE, .label = N_ ("First"), .choices = walk_feet, .help = N_ ("Which foot steps first.")),
  KG_INPUT (Walk, carry, NUMBER, .label = N_ ("Stands for"), .unit = KG_PERCENT, .def = 0.6, .min = 0.5, .max = 0.9,
            .help = N_ ("Fraction of the time between two steps of a foot during which it is on the ground.")),
  KG_INPUT (Walk, lift, NUMBER, .label = N_ ("Lift"), .unit = KG_METRES, .def = 0.1, .min = 0, .max = 1e4,
            .soft_max = 0.5, .help = N_ ("How high a foot is lifted between two prints.")),
  KG_INPUT (Walk, height, NUMBER, .label = N_ ("Hips"), .unit = KG_METRES, .def = 0.9, .min = 0, .max = 1e4,
            .soft_max = 2, .help = N_ ("Height of the hips over the path while a foot is under them.")),
  KG_INPUT (Walk, hip_width, NUMBER, .label = N_ ("Hip width"), .unit = KG_METRES, .def = 0.2, .min = 0, .max = 1e4,
            .soft_max = 1, .help = N_ ("Distance between the hip joints.")),
  KG_INPUT (Walk, bounce, NUMBER, .label = N_ ("Bounce"), .unit = KG_METRES, .def = 0.04, .min = 0, .max = 1e4,
            .soft_max = 0.2, .help = N_ ("How far the hips sink when the feet are apart.")),
  KG_INPUT (Walk, sway, NUMBER, .label = N_ ("Sway"), .unit = KG_METRES, .def = 0.03, .min = 0, .max = 1e4,
            .soft_max = 0.2, .help = N_ ("How far the hips shift over the foot that carries them.")),
  KG_OUTPUT (Walk, body, TRANSFORM, .label = N_ ("Body"),
             .help = N_ ("Places a body: the origin at the hips, x forward, y up.")),
  KG_OUTPUT (Walk, hips, VECTOR, .label = N_ ("Hips"), .unit = KG_METRES,
             .help = N_ ("Centre between the hip joints.")),
  KG_OUTPUT (Walk, left_hip, VECTOR, .label = N_ ("Left hip"), .unit = KG_METRES, .help = N_ ("Root of the left leg.")),
  KG_OUTPUT (Walk, right_hip, VECTOR, .label = N_ ("Right hip"), .unit = KG_METRES,
             .help = N_ ("Root of the right leg.")),
  KG_OUTPUT (Walk, left_foot, VECTOR, .label = N_ ("Left foot"), .unit = KG_METRES,
             .help = N_ ("Goal of the left leg, on the ground while the foot stands: it does not slide.")),
  KG_OUTPUT (Walk, right_foot, VECTOR, .label = N_ ("Right foot"), .unit = KG_METRES,
             .help = N_ ("Goal of the right leg.")),
  KG_OUTPUT (Walk, left_print, TRANSFORM, .label = N_ ("Left shoe"),
             .help = N_ ("Axes at the goal of the left foot, with its heading: x forward, y up.")),
  KG_OUTPUT (Walk, right_print, TRANSFORM, .label = N_ ("Right shoe"), .help = N_ ("The same for the right foot.")),
  KG_OUTPUT (Walk, left_down, BOOLEAN, .label = N_ ("Left stands"),
             .help = N_ ("Whether the left foot is on the ground.")),
  KG_OUTPUT (Walk, right_down, BOOLEAN, .label = N_ ("Right stands"),
             .help = N_ ("Whether the right foot is on the ground.")),
  KG_OUTPUT (Walk, phase, NUMBER, .label = N_ ("Phase"),
             .help = N_ ("Number of steps so far, with a fraction: use its cosine to swing the arms.")),
  KG_OUTPUT (Walk, way, GEOMETRY, .label = N_ ("Way"), .help = N_ ("The path with its corners rounded.")),
  KG_OUTPUT (Walk, prints, GEOMETRY, .label = N_ ("Prints"),
             .help = N_ ("One point per footprint, the first two where the feet stand at the start. Attributes: "
                         "orient, foot (0 left, 1 right), and frame (when the foot comes down).")),
  KG_OUTPUT (Walk, steps, INTEGER, .label = N_ ("Steps"),
             .help = N_ ("Number of steps, without the last one, which brings the feet together.")),
  KG_OUTPUT (Walk, step_length, NUMBER, .label = N_ ("Step length"), .unit = KG_METRES,
             .help = N_ ("Length of each step.")),
  KG_OUTPUT (Walk, length, NUMBER, .label = N_ ("Length"), .unit = KG_METRES,
             .help = N_ ("Length of the rounded path; 0 if the figure is already at its end.")),
  KG_OUTPUT (Walk, arrives, NUMBER, .label = N_ ("Arrives"), .unit = KG_FRAMES,
             .help = N_ ("Frame at which the figure arrives: its next action can begin.")),
  KG_OUTPUT (Walk, plan, TEXT, .label = N_ ("Plan"), .help = N_ ("The distance, the steps and the time as text.")),
};

KG_NODE (
    rig, walk, Walk, .label = N_ ("Walk along Path"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("footprints footsteps gait figure character locomotion feet legs hips go to goal path"),
    .formula = "steps: N = ⌈length/step⌉, all of length/N; an arc of angle β and radius r is β r long\n"
               "foot between prints A and B: A + (B − A) q(u), q = 10u³ − 15u⁴ + 6u⁵; raised by lift · 16 u² (1 − u)²\n"
               "time: N · 60/cadence; with slow ends (N + 2) · 60/cadence",
    .source =
        "Girard, Interactive Design of 3D Computer-Animated Legged Animal Motion, 1987; Parent, Computer Animation, 9.3",
    .help = N_ (
        "Walks a figure along a path: it sets footprints to the left and right of the path, keeps each foot on its "
        "print until the next step, and carries the hips along. Link the feet and hips to the goals and roots of two "
        "legs. With Route before it, a figure finds its way round obstacles and walks it."));
