/* render/camera_follow: a camera that keeps something in view.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "render/camera_place.h"

/* Field of view beyond which an image shows hardly anything but its edges. */
#define WIDEST (170 * KG_PI / 180)

typedef struct {
  const KgGeometry *subject;
  KgTransform subject_transform;
  int look_at;
  KgVector aim;
  int place;
  KgVector position;
  KgVector offset;
  double size;
  KgVector partner;
  int side;
  KgVector point;
  KgVector normal;
  KgVector line_start;
  KgVector line_end;
  const KgGeometry *curve;
  double keep_distance;
  KgVector bearing;
  bool elevate;
  double elevation;
  int64_t smooth;
  int kernel;
  int frame;
  double margin;
  double aspect;
  KgVector screen;
  double fov;
  double roll;
  KgVector up;
  KgVector second_up;
  int pole;
  double pole_angle;
  double near;
  double far;
  const KgGeometry *obstacles;
  int64_t rays;
  KgScene *scene;
  KgTransform transform;
  KgVector eye;
  KgVector target;
  double distance;
  double radius;
  double view_angle;
  bool visible;
  double blocked;
} CameraFollow;

enum {
  PLACE_FIXED,
  PLACE_OFFSET,
  PLACE_BEHIND,
  PLACE_HEADING,
  PLACE_PLANE,
  PLACE_LINE,
  PLACE_CURVE,
  PLACE_FRONT,
  PLACE_SHOULDER,
  PLACE_OVERHEAD,
  PLACE_CONVERSATION,
  N_PLACES
};
enum { SIDE_LEFT, SIDE_RIGHT, N_SIDES };
enum { FRAME_NONE, FRAME_DISTANCE, FRAME_FOV, N_FRAMES };
enum { POLE_KEEP, POLE_STOP, N_POLES };

static const KgChoice camera_follow_subjects[] = {
  [CAMERA_SUBJECT_OBJECT] = { "object", N_ ("The origin of its transform") },
  [CAMERA_SUBJECT_MEAN] = { "mean", N_ ("The mean of its points") },
  [CAMERA_SUBJECT_BOUNDS] = { "bounds", N_ ("The centre of the box around it") },
  [CAMERA_SUBJECT_SPHERE] = { "sphere", N_ ("The centre of the ball around it") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (camera_follow_subjects, CAMERA_N_SUBJECTS);

static const KgChoice camera_follow_places[] = {
  [PLACE_FIXED] = { "fixed", N_ ("Fixed") },
  [PLACE_OFFSET] = { "offset", N_ ("Beside the subject, along the axes of the world") },
  [PLACE_BEHIND] = { "behind", N_ ("Beside the subject, along its own axes") },
  [PLACE_HEADING] = { "heading", N_ ("Beside the subject, along its direction of travel") },
  [PLACE_PLANE] = { "plane", N_ ("On a plane") },
  [PLACE_LINE] = { "line", N_ ("On a straight track") },
  [PLACE_CURVE] = { "curve", N_ ("On a curve") },
  [PLACE_FRONT] = { "front", N_ ("In front of the subject") },
  [PLACE_SHOULDER] = { "over-shoulder", N_ ("Over the shoulder of the subject") },
  [PLACE_OVERHEAD] = { "overhead", N_ ("Above the subject") },
  [PLACE_CONVERSATION] = { "conversation", N_ ("Over the shoulder, towards a partner") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (camera_follow_places, N_PLACES);

static const KgChoice camera_follow_sides[] = {
  [SIDE_LEFT] = { "left", N_ ("Left") },
  [SIDE_RIGHT] = { "right", N_ ("Right") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (camera_follow_sides, N_SIDES);

static const KgChoice camera_follow_kernels[] = {
  [CAMERA_KERNEL_BOX] = { "box", N_ ("All frames alike") },
  [CAMERA_KERNEL_BINOMIAL] = { "binomial", N_ ("Binomial: near frames more") },
  [CAMERA_KERNEL_GAUSSIAN] = { "gaussian", N_ ("Bell: near frames more") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (camera_follow_kernels, CAMERA_N_KERNELS);

static const KgChoice camera_follow_frames[] = {
  [FRAME_NONE] = { "none", N_ ("As it comes") },
  [FRAME_DISTANCE] = { "distance", N_ ("Fill the image by the distance") },
  [FRAME_FOV] = { "fov", N_ ("Fill the image by the field of view") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (camera_follow_frames, N_FRAMES);

static const KgChoice camera_follow_poles[] = {
  [POLE_KEEP] = { "keep", N_ ("Turn the image towards Second up") },
  [POLE_STOP] = { "stop", N_ ("Keep away from straight up and down") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (camera_follow_poles, N_POLES);

/* What decides where the camera is, at one of the times that are asked for. */
static const size_t camera_follow_sampled[] = {
  offsetof (CameraFollow, position),      offsetof (CameraFollow, offset),     offsetof (CameraFollow, aim),
  offsetof (CameraFollow, size),          offsetof (CameraFollow, partner),    offsetof (CameraFollow, point),
  offsetof (CameraFollow, normal),        offsetof (CameraFollow, line_start), offsetof (CameraFollow, line_end),
  offsetof (CameraFollow, curve),         offsetof (CameraFollow, bearing),    offsetof (CameraFollow, elevation),
  offsetof (CameraFollow, keep_distance),
};
/* And what its direction of travel is found from. */
static const size_t camera_follow_traced[] = {
  offsetof (CameraFollow, subject),
  offsetof (CameraFollow, subject_transform),
};

/* Frames on each side that are averaged: fewer near the ends of the graph, the same on both sides, so that a straight uniform
 * move stays what it is. */
static guint
camera_follow_get_half (const CameraFollow *n, const KgContext *ctx)
{
  const double before = floor (ctx->frame - ctx->start + 1e-9), behind = floor (ctx->end - ctx->frame + 1e-9);

  return (guint) fmax (0, fmin ((double) n->smooth, fmin (before, behind)));
}

static guint
camera_follow_get_traces (const CameraFollow *n)
{
  return n->place == PLACE_HEADING ? 3 : 1;
}

static bool
camera_follow_demand (const CameraFollow *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const int half = (int) camera_follow_get_half (n, ctx);

  (void) error;
  for (int i = -half; i <= half; i++) {
    const double time = ctx->time + i / ctx->rate;

    for (guint k = 0; k < G_N_ELEMENTS (camera_follow_sampled); k++)
      kg_demand_at (demand, camera_follow_sampled[k], time);
    for (guint k = 0; k < G_N_ELEMENTS (camera_follow_traced); k++) {
      kg_demand_at (demand, camera_follow_traced[k], time);
      for (int side = -1; side <= 1 && camera_follow_get_traces (n) == 3; side += 2)
        kg_demand_at (demand, camera_follow_traced[k], time + 0.5 * side / ctx->rate);
    }
  }
  return true;
}

static KgVector
camera_follow_get_vector (const KgContext *ctx, size_t field, guint sample)
{
  return kg_context_get_sample (ctx, field, sample)->vector;
}

/* As the surface has it: angles in degrees. */
static double
camera_follow_get_number (const KgContext *ctx, size_t field, guint sample)
{
  return kg_context_get_sample (ctx, field, sample)->number;
}

static bool
camera_follow_find_subject (const CameraFollow *n, const KgContext *ctx, guint sample, CameraBall *ball, GError **error)
{
  const KgValue *subject = n->subject != NULL ? kg_context_get_sample (ctx, offsetof (CameraFollow, subject), sample)
                                              : NULL;

  return camera_find_subject (
      subject != NULL ? subject->geometry : NULL,
      kg_context_get_sample (ctx, offsetof (CameraFollow, subject_transform), sample)->transform,
      (CameraSubject) n->look_at, ball, error);
}

/* The axes of the subject. */
static bool
camera_follow_find_axes (const CameraFollow *n, const KgContext *ctx, guint sample, KgRotation *axes, GError **error)
{
  const guint traces = camera_follow_get_traces (n);
  CameraBall before, after;

  *axes = kg_rotation_from_transform (
      *kg_context_get_sample (ctx, offsetof (CameraFollow, subject_transform), traces * sample)->transform);
  if (n->place != PLACE_HEADING)
    return true;
  if (!camera_follow_find_subject (n, ctx, 3 * sample + 1, &before, error) ||
      !camera_follow_find_subject (n, ctx, 3 * sample + 2, &after, error))
    return false;
  *axes =
      camera_get_heading (kg_vector_scale (kg_vector_subtract (after.center, before.center), ctx->rate), n->up, *axes);
  return true;
}

/* From over the shoulder of one to the other: from two thirds of the way on the partner is the subject. */
static void
camera_follow_converse (const CameraFollow *n, KgVector partner, double size, KgVector up, KgVector c, KgVector *eye,
                        KgVector *target)
{
  const KgVector to = kg_vector_subtract (partner, c);
  const KgVector flat = kg_vector_add_scaled (to, -kg_vector_dot (to, up), up);
  const KgRotation axes = camera_get_heading (kg_vector_normalize_or (flat, n->second_up), up, kg_rotation_identity ());
  const KgVector step = { n->side == SIDE_LEFT ? 0.35 : -0.35, 0.25, -0.8 };

  *eye = kg_vector_add_scaled (c, size, kg_rotation_apply (axes, step));
  *target = kg_vector_add_scaled (c, 2.0 / 3, to);
}

/* Where the camera is, and where it looks, at one time. */
static bool
camera_follow_find_place (const CameraFollow *n, const KgContext *ctx, guint sample, KgVector *eye, KgVector *target,
                          GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const KgVector up = kg_vector_normalize_or (n->up, kg_vector (0, 1, 0));
  const KgVector away = kg_vector_scale (n->second_up, -1);
  const double size = camera_follow_get_number (ctx, offsetof (CameraFollow, size), sample);
  const double distance = camera_follow_get_number (ctx, offsetof (CameraFollow, keep_distance), sample);
  const KgVector offset = camera_follow_get_vector (ctx, offsetof (CameraFollow, offset), sample);
  const KgVector point = camera_follow_get_vector (ctx, offsetof (CameraFollow, point), sample);
  const KgVector normal = camera_follow_get_vector (ctx, offsetof (CameraFollow, normal), sample);
  KgVector aim = camera_follow_get_vector (ctx, offsetof (CameraFollow, aim), sample), c;
  bool apart = distance > 0;
  KgRotation axes;
  CameraBall ball;

  if (!camera_follow_find_subject (n, ctx, camera_follow_get_traces (n) * sample, &ball, error) ||
      !camera_follow_find_axes (n, ctx, sample, &axes, error))
    return false;
  c = ball.center;
  if (n->place == PLACE_SHOULDER)
    aim = kg_vector_add (aim, kg_vector (0, 0, 3 * size));
  *target = kg_vector_add (c, kg_rotation_apply (axes, aim));
  switch (n->place) {
  case PLACE_OFFSET:
    *eye = kg_vector_add (c, offset);
    break;
  case PLACE_BEHIND:
  case PLACE_HEADING:
    *eye = kg_vector_add (c, kg_rotation_apply (axes, offset));
    break;
  case PLACE_PLANE:
    *eye = camera_bind_to_plane (c, point, normal);
    if (apart &&
        !camera_keep_distance_in_plane (c, distance, point, normal,
                                        camera_follow_get_vector (ctx, offsetof (CameraFollow, bearing), sample), eye))
      kg_context_warn (ctx,
                       "the plane is farther away from the subject than the distance of %g m: the nearest place is "
                       "used",
                       distance);
    apart = false;
    break;
  case PLACE_LINE:
    *eye = camera_bind_to_line (c, camera_follow_get_vector (ctx, offsetof (CameraFollow, line_start), sample),
                                camera_follow_get_vector (ctx, offsetof (CameraFollow, line_end), sample));
    break;
  case PLACE_CURVE:
    if (!camera_bind_to_curve (
            c, n->curve != NULL ? kg_context_get_sample (ctx, offsetof (CameraFollow, curve), sample)->geometry : NULL,
            &monitor, eye, error))
      return false;
    break;
  case PLACE_FRONT:
    *eye = kg_vector_add (c, kg_rotation_apply (axes, kg_vector (0, 0, size)));
    break;
  case PLACE_SHOULDER:
    *eye = kg_vector_add_scaled (c, size, kg_rotation_apply (axes, kg_vector (0.35, 0.25, -0.8)));
    break;
  case PLACE_OVERHEAD:
    *eye = kg_vector_add_scaled (c, size, kg_rotation_apply (axes, kg_vector (0, 1, 0)));
    break;
  case PLACE_CONVERSATION:
    camera_follow_converse (n, camera_follow_get_vector (ctx, offsetof (CameraFollow, partner), sample), size, up, c,
                            eye, target);
    break;
  default:
    *eye = camera_follow_get_vector (ctx, offsetof (CameraFollow, position), sample);
  }
  if (apart)
    *eye = camera_keep_distance (*eye, c, distance, away);
  if (n->elevate)
    *eye = camera_elevate (
        *eye, c, up, camera_follow_get_number (ctx, offsetof (CameraFollow, elevation), sample) * KG_PI / 180, away);
  return true;
}

static bool
camera_follow_smooth (CameraFollow *n, const KgContext *ctx, GError **error)
{
  const guint half = camera_follow_get_half (n, ctx);
  g_autofree double *weights = g_new (double, 2 * half + 1);

  camera_get_weights ((CameraKernel) n->kernel, half, weights);
  for (guint i = 0; i < 2 * half + 1; i++) {
    KgVector eye, target;

    if (!camera_follow_find_place (n, ctx, i, &eye, &target, error))
      return false;
    n->eye = half == 0 ? eye : kg_vector_add_scaled (n->eye, weights[i], eye);
    n->target = half == 0 ? target : kg_vector_add_scaled (n->target, weights[i], target);
  }
  return true;
}

/* The distance or the field of view that fills the image. */
static void
camera_follow_fit (CameraFollow *n, const KgContext *ctx)
{
  if (n->frame == FRAME_NONE)
    return;
  if (!(n->radius > 0)) {
    kg_context_warn (ctx, "the subject has no size, so nothing fills the image: link one that has points");
    return;
  }
  if (n->frame == FRAME_DISTANCE)
    n->eye = camera_keep_distance (n->eye, n->target, camera_get_distance (n->radius, n->margin, n->fov, n->aspect),
                                   kg_vector_scale (n->second_up, -1));
  else if (!camera_get_fov (n->radius, n->margin, kg_vector_distance (n->eye, n->target), n->aspect, &n->view_angle) ||
           n->view_angle > WIDEST)
    kg_context_warn (ctx,
                     "the camera is %g m away from a subject of radius %g m, too near to see all of it: move it away",
                     kg_vector_distance (n->eye, n->target), n->radius);
  n->view_angle = fmin (n->view_angle, WIDEST);
}

static void
camera_follow_look (CameraFollow *n, const KgContext *ctx)
{
  const KgVector up = kg_vector_normalize_or (n->up, kg_vector (0, 1, 0));
  const double tan_y = tan (0.5 * n->view_angle);
  KgVector direction;

  if (!(kg_vector_length (n->up) > 0))
    kg_context_warn (ctx, "up is 0 0 0, which has no direction: y is used; give it a direction");
  if (n->place == PLACE_PLANE && !(kg_vector_length (n->normal) > 0))
    kg_context_warn (ctx, "the normal of the plane is 0 0 0, which has no direction: y is used; give it a direction");
  if (n->pole == POLE_STOP)
    n->eye = camera_avoid_pole (n->eye, n->target, up, kg_vector_scale (n->second_up, -1), n->pole_angle);
  direction = kg_vector_subtract (n->target, n->eye);
  n->distance = kg_vector_length (direction);
  if (!(n->distance >= 1e-6)) {
    kg_context_warn (ctx, "the camera is at its target, and has no direction to look in: move it away");
    direction = kg_vector (0, 0, -1);
  }
  n->transform = kg_transform_from_parts (
      n->eye,
      camera_look_beside (direction, up, n->second_up, n->roll, n->screen.x, n->screen.y, n->aspect * tan_y, tan_y),
      kg_vector (1, 1, 1));
}

static bool
camera_follow_evaluate (CameraFollow *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const guint now = camera_follow_get_traces (n) * camera_follow_get_half (n, ctx);
  KgCamera camera;
  CameraBall ball;

  if (!(n->near < n->far)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "near is %g m and far is %g m: near must be less than far", n->near,
                  n->far);
    return false;
  }
  if (!camera_follow_find_subject (n, ctx, now, &ball, error) || !camera_follow_smooth (n, ctx, error))
    return false;
  if (ball.unweighed)
    kg_context_warn (ctx, "the weights of all points are 0: their plain mean is used");
  n->radius = ball.radius;
  n->view_angle = n->fov;
  camera_follow_fit (n, ctx);
  camera_follow_look (n, ctx);
  n->visible = camera_sees_ball (&n->transform, n->view_angle, n->aspect, n->near, n->far, &ball);
  if (n->obstacles != NULL &&
      !camera_get_blocked (n->eye, &ball, n->obstacles, (guint) n->rays, &monitor, &n->blocked, error))
    return false;
  camera = (KgCamera){
    .transform = n->transform, .fov = n->view_angle, .height = 4, .near_plane = n->near, .far_plane = n->far
  };
  n->scene = kg_scene_new ();
  kg_scene_add_camera (n->scene, &camera);
  return true;
}

static const KgSlot camera_follow_slots[] = {
  KG_INPUT (CameraFollow, subject, GEOMETRY, .label = N_ ("Subject"), .optional = true,
            .help = N_ ("What the camera shows: one thing, or the points of a group.")),
  KG_INPUT (CameraFollow, subject_transform, TRANSFORM, .label = N_ ("Subject transform"), .handle = { KG_HANDLE_NONE },
            .help = N_ ("Moves the subject before it is looked at, and gives its axes: z ahead, y up.")),
  KG_INPUT (
      CameraFollow, look_at, CHOICE, .label = N_ ("Look at"), .choices = camera_follow_subjects,
      .def = CAMERA_SUBJECT_BOUNDS,
      .help =
          N_ ("The point of the subject that the camera aims at. The mean weights points by their attribute weight.")),
  KG_INPUT (CameraFollow, aim, VECTOR, .label = N_ ("Aim beside"), .unit = KG_METRES, .handle = { KG_HANDLE_NONE },
            .help = N_ ("Moves the target along the axes of the subject: z looks ahead of it, y at its head.")),
  KG_INPUT (CameraFollow, place, CHOICE, .label = N_ ("Place"), .choices = camera_follow_places, .early = true,
            .fixed = true, .help = N_ ("Where the camera is.")),
  KG_INPUT (CameraFollow, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES, .def_v = { 0, 1.5, 6 },
            .shown_when = "place=fixed", .help = N_ ("Where it stands.")),
  KG_INPUT (CameraFollow, offset, VECTOR, .label = N_ ("Offset"), .unit = KG_METRES, .def_v = { 0, 1, -4 },
            .shown_when = "place=offset|behind|heading", .handle = { KG_HANDLE_NONE },
            .help = N_ ("From the subject to the camera: along its own axes, negative z is behind it.")),
  KG_INPUT (CameraFollow, size, NUMBER, .label = N_ ("Size"), .unit = KG_METRES, .def = 2, .min = 1e-6, .max = 1e9,
            .soft_min = 0.1, .soft_max = 20, .shown_when = "place=front|over-shoulder|overhead|conversation",
            .help = N_ ("Distance in front of or above the subject; over the shoulder, the size of the subject.")),
  KG_INPUT (CameraFollow, partner, VECTOR, .label = N_ ("Partner"), .unit = KG_METRES, .def_v = { 0, 0, 2 },
            .shown_when = "place=conversation", .help = N_ ("The person that the subject talks to.")),
  KG_INPUT (
      CameraFollow, side, CHOICE, .label = N_ ("Side"), .choices = camera_follow_sides,
      .shown_when = "place=conversation",
      .help = N_ ("Side of the line between the two: keep to one, or left and right are swapped in the next shot.")),
  KG_INPUT (CameraFollow, point, VECTOR, .label = N_ ("Point of the plane"), .unit = KG_METRES, .def_v = { 0, 6, 0 },
            .shown_when = "place=plane",
            .help = N_ ("The plane goes through it: (0, 6, 0) with a normal along y is a "
                        "flight at an altitude of 6 m.")),
  KG_INPUT (CameraFollow, normal, VECTOR, .label = N_ ("Normal"), .def_v = { 0, 1, 0 }, .shown_when = "place=plane",
            .help = N_ ("Direction perpendicular to the plane.")),
  KG_INPUT (CameraFollow, line_start, VECTOR, .label = N_ ("Start of track"), .unit = KG_METRES, .def_v = { -5, 2, 5 },
            .shown_when = "place=line", .help = N_ ("Where the track begins.")),
  KG_INPUT (CameraFollow, line_end, VECTOR, .label = N_ ("End of track"), .unit = KG_METRES, .def_v = { 5, 2, 5 },
            .shown_when = "place=line", .help = N_ ("Where it ends.")),
  KG_INPUT (CameraFollow, curve, GEOMETRY, .label = N_ ("Curve"), .optional = true, .shown_when = "place=curve",
            .help = N_ ("Curves or polylines: the camera is at the point on them that is nearest to the subject.")),
  KG_INPUT (CameraFollow, keep_distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .min = 0, .max = 1e9,
            .soft_max = 50,
            .help = N_ ("Moves the camera along its line of sight to this distance from the target; a camera on a "
                        "plane moves within the plane instead. 0 leaves it where it is.")),
  KG_INPUT (CameraFollow, bearing, VECTOR, .label = N_ ("Bearing"), .def_v = { 0, 0, 1 }, .shown_when = "place=plane",
            .help = N_ ("Direction from the subject to the camera, if the camera keeps its distance on a plane.")),
  KG_INPUT (
      CameraFollow, elevate, BOOLEAN, .label = N_ ("Keep the elevation"),
      .help = N_ ("Gives the line from the subject to the camera an angle above the ground; the camera leaves the "
                  "track or plane that it is bound to.")),
  KG_INPUT (CameraFollow, elevation, NUMBER, .label = N_ ("Elevation"), .unit = KG_DEGREES, .def = 20, .min = -90,
            .max = 90, .shown_when = "elevate=true",
            .help = N_ ("Angle above the ground of the line from the subject to the camera.")),
  KG_INPUT (
      CameraFollow, smooth, INTEGER, .label = N_ ("Smooth"), .unit = KG_FRAMES, .min = 0, .max = 100, .soft_max = 24,
      .early = true, .group = N_ ("Smoothing"),
      .help = N_ (
          "Number of frames before and after over which the camera and its target are averaged; fewer near the ends of the graph.")),
  KG_INPUT (CameraFollow, kernel, CHOICE, .label = N_ ("Average"), .choices = camera_follow_kernels,
            .group = N_ ("Smoothing"), .help = N_ ("Weights of the frames.")),
  KG_INPUT (CameraFollow, frame, CHOICE, .label = N_ ("Framing"), .choices = camera_follow_frames,
            .group = N_ ("Image"), .help = N_ ("Whether the ball around the subject fills the image.")),
  KG_INPUT (CameraFollow, margin, NUMBER, .label = N_ ("Margin"), .unit = KG_PERCENT, .def = 0.1, .min = 0, .max = 100,
            .soft_max = 1, .shown_when = "frame=distance|fov", .group = N_ ("Image"),
            .help = N_ ("Space around the subject, as a share of its radius.")),
  KG_INPUT (CameraFollow, aspect, NUMBER, .label = N_ ("Aspect"), .def = 16.0 / 9, .min = 0.01, .max = 100,
            .soft_min = 0.5, .soft_max = 3, .group = N_ ("Image"), .help = N_ ("Width of the image over its height.")),
  KG_INPUT (CameraFollow, screen, VECTOR, .label = N_ ("In the image"), .soft_min = -1, .soft_max = 1, .min = -1,
            .max = 1, .group = N_ ("Image"), .handle = { KG_HANDLE_NONE },
            .help = N_ ("Where the target is in the image: 0, 0 is its centre, -1 and 1 are its edges, thirds are at "
                        "-0.333 and 0.333.")),
  KG_INPUT (CameraFollow, fov, NUMBER, .label = N_ ("Field of view"), .unit = KG_DEGREES, .def = 40, .min = 0.1,
            .max = 170, .soft_min = 10, .soft_max = 120, .group = N_ ("Image"), .help = N_ ("Vertical angle of view.")),
  KG_INPUT (CameraFollow, roll, NUMBER, .label = N_ ("Roll"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .group = N_ ("Image"), .help = N_ ("Rotation about the view direction, which tilts the horizon.")),
  KG_INPUT (CameraFollow, up, VECTOR, .label = N_ ("Up"), .def_v = { 0, 1, 0 }, .group = N_ ("Horizon"),
            .help = N_ ("Away from the ground.")),
  KG_INPUT (CameraFollow, second_up, VECTOR, .label = N_ ("Second up"), .def_v = { 0, 0, -1 }, .group = N_ ("Horizon"),
            .help = N_ ("Direction that is at the top of the image when the camera looks straight down.")),
  KG_INPUT (CameraFollow, pole, CHOICE, .label = N_ ("Straight up or down"), .choices = camera_follow_poles,
            .group = N_ ("Horizon"), .help = N_ ("What happens where there is no horizon.")),
  KG_INPUT (CameraFollow, pole_angle, NUMBER, .label = N_ ("Least angle"), .unit = KG_DEGREES, .def = 2, .min = 0.1,
            .max = 89, .shown_when = "pole=stop", .group = N_ ("Horizon"),
            .help = N_ ("Smallest angle between the line of sight and straight up or down.")),
  KG_INPUT (CameraFollow, near, NUMBER, .label = N_ ("Near"), .unit = KG_METRES, .def = 0.01, .min = 1e-6, .max = 1e6,
            .soft_max = 1, .group = N_ ("Clipping"), .help = N_ ("Anything nearer than this is not visible.")),
  KG_INPUT (CameraFollow, far, NUMBER, .label = N_ ("Far"), .unit = KG_METRES, .def = 1000, .min = 1e-6, .max = 1e9,
            .soft_max = 10000, .group = N_ ("Clipping"),
            .help = N_ ("Anything farther away than this is not visible.")),
  KG_INPUT (CameraFollow, obstacles, GEOMETRY, .label = N_ ("Obstacles"), .optional = true,
            .group = N_ ("Blocked view"),
            .help = N_ ("Polygons that may hide the subject, without the subject itself.")),
  KG_INPUT (CameraFollow, rays, INTEGER, .label = N_ ("Rays"), .def = 64, .min = 1, .max = 10000, .soft_max = 256,
            .group = N_ ("Blocked view"), .help = N_ ("Number of points of the subject that are tested.")),
  KG_OUTPUT (CameraFollow, scene, SCENE, .label = N_ ("Scene"), .help = N_ ("A scene with this camera.")),
  KG_OUTPUT (CameraFollow, transform, TRANSFORM, .label = N_ ("Transform"),
             .help = N_ ("Position and rotation of the camera; it looks along -z.")),
  KG_OUTPUT (CameraFollow, eye, VECTOR, .label = N_ ("Position"), .unit = KG_METRES,
             .help = N_ ("Where the camera is.")),
  KG_OUTPUT (CameraFollow, target, VECTOR, .label = N_ ("Target"), .unit = KG_METRES,
             .help = N_ ("The point that the camera looks at.")),
  KG_OUTPUT (CameraFollow, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES,
             .help = N_ ("Distance from the camera to the target.")),
  KG_OUTPUT (CameraFollow, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES,
             .help = N_ ("Radius of the ball around the subject.")),
  KG_OUTPUT (CameraFollow, view_angle, NUMBER, .label = N_ ("Field of view"), .unit = KG_DEGREES,
             .help = N_ ("Vertical angle of view, as given or as the framing needs it.")),
  KG_OUTPUT (CameraFollow, visible, BOOLEAN, .label = N_ ("Visible"),
             .help = N_ ("Whether the whole ball around the subject is in the image.")),
  KG_OUTPUT (CameraFollow, blocked, NUMBER, .label = N_ ("Blocked"), .unit = KG_PERCENT,
             .help = N_ ("Share of the subject that the obstacles hide.")),
};

KG_NODE_WITH_DEMAND (
    render, camera_follow, CameraFollow, .label = N_ ("Follow Camera"), .version = 1, .since = "0.1",
    .time = KG_TIME_READS, .reads_end = true,
    .tags = N_ ("camera track follow chase automatic view look at group framing thirds dolly over the shoulder"),
    .formula = "w = unit(C − E), u = unit(w × up), v = u × w; the camera has the axes u, v, −w\n"
               "framing: D = r (1 + margin)/sin φ, φ the smaller half angle of view",
    .source = "Parent, Computer Animation, automatic camera control; Blinn, Where Am I? What Am I Looking At?, 1988",
    .help = N_ (
        "Follows a subject whose path is not known in advance with a camera: from a fixed position, beside it, behind "
        "it, from a track, a plane or a curve. It keeps distance and elevation, smooths the path, frames the subject, "
        "and reports when it is lost or hidden."));
