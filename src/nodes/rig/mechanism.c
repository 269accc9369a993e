/* rig/mechanism: cranks, sliders, four-bar linkages, levers, gears, planetary gears, belts, racks and cams, turned by an angle.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "rig/cam.h"

#include <inttypes.h>

/* Rods this close to a line with each other are at a dead centre. */
#define DEAD 1e-6
#define CIRCLE 64
/* Corners of a cam, and the pressure angle from which its follower jams. */
#define CAM_CORNERS 360
#define JAMS (30 * KG_DEGREE)

typedef struct {
  int kind;
  double angle;
  double crank;
  double rod;
  double offset;
  double ground;
  double rocker;
  int assembly;
  int64_t teeth;
  int64_t teeth_2;
  double module;
  bool inner;
  double ring;
  int64_t planets;
  double radius;
  double radius_2;
  double distance;
  bool crossed;
  double base;
  double roller;
  double lift;
  double rise;
  double dwell;
  double fall;
  int law;
  KgGeometry *geometry;
  KgVector joint;
  KgVector end;
  double angle_2;
  double position;
  double ratio;
  bool turns_fully;
} Mechanism;

enum { KIND_SLIDER, KIND_FOUR_BAR, KIND_LEVER, KIND_GEARS, KIND_BELT, KIND_RACK, KIND_CAM, KIND_PLANETARY, N_KINDS };
enum { ASSEMBLY_PLUS, ASSEMBLY_MINUS, N_ASSEMBLIES };

static const KgChoice mechanism_kinds[] = {
  [KIND_SLIDER] = { "slider_crank", N_ ("Crank and slider") },
  [KIND_FOUR_BAR] = { "four_bar", N_ ("Four bars") },
  [KIND_LEVER] = { "lever", N_ ("Lever") },
  [KIND_GEARS] = { "gears", N_ ("Two gears") },
  [KIND_BELT] = { "belt", N_ ("Belt and pulleys") },
  [KIND_RACK] = { "rack", N_ ("Rack and pinion") },
  [KIND_CAM] = { "cam", N_ ("Cam and follower") },
  [KIND_PLANETARY] = { "planetary", N_ ("Planetary gear") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (mechanism_kinds, N_KINDS);

static const KgChoice mechanism_assemblies[] = {
  [ASSEMBLY_PLUS] = { "plus", N_ ("To one side") },
  [ASSEMBLY_MINUS] = { "minus", N_ ("To the other side") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (mechanism_assemblies, N_ASSEMBLIES);

static const KgChoice mechanism_laws[] = {
  [CAM_CYCLOIDAL] = { "cycloidal", N_ ("Cycloidal: without jerks") },
  [CAM_HARMONIC] = { "harmonic", N_ ("Harmonic") },
  [CAM_POLYNOMIAL] = { "polynomial", N_ ("Polynomial 3-4-5") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (mechanism_laws, CAM_N_LAWS);

/* Drawing. */

typedef struct {
  GArray *points; /* KgVector */
  GArray *sizes;  /* uint32_t: points of each primitive; 0x80000000: closed */
} Drawing;

static void
draw_line (Drawing *d, KgVector a, KgVector b)
{
  const uint32_t n = 2;

  g_array_append_val (d->points, a);
  g_array_append_val (d->points, b);
  g_array_append_val (d->sizes, n);
}

/* A wheel with a spoke; teeth: 0 for a plain one; inwards: a ring. */
static void
draw_wheel (Drawing *d, KgVector center, double radius, int64_t teeth, double tooth, bool inwards, double turn)
{
  static const double shares[4] = { -0.3, -0.15, 0.15, 0.3 };
  const uint32_t n = teeth > 0 ? (uint32_t) (4 * teeth) : CIRCLE, size = n | 0x80000000u;

  for (uint32_t i = 0; i < n; i++) {
    const bool top = i % 4 == 1 || i % 4 == 2;
    const double angle =
        turn + (teeth > 0 ? ((double) (i / 4) + shares[i % 4]) * 2 * KG_PI / (double) teeth : i * 2 * KG_PI / CIRCLE);
    const double r = teeth > 0 ? radius + tooth * (top != inwards ? 1 : -1.25) : radius;
    const KgVector p = { center.x + r * cos (angle), center.y + r * sin (angle), center.z };

    g_array_append_val (d->points, p);
  }
  g_array_append_val (d->sizes, size);
  if (!inwards)
    draw_line (d, center, kg_vector_add_scaled (center, 0.8 * radius, kg_vector (cos (turn), sin (turn), 0)));
}

static bool
mechanism_publish (Mechanism *n, const Drawing *d, GError **error)
{
  uint32_t first = 0;
  float *p;

  n->geometry = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->geometry, d->points->len, error))
    return false;
  p = kg_geometry_edit_positions (n->geometry);
  for (guint i = 0; i < d->points->len; i++)
    for (size_t c = 0; c < 3; c++)
      p[3 * i + c] = (float) kg_vector_get (g_array_index (d->points, KgVector, i), c);
  for (guint i = 0; i < d->sizes->len; i++) {
    const uint32_t size = g_array_index (d->sizes, uint32_t, i) & 0x7fffffffu;
    g_autofree uint32_t *vertices = g_new (uint32_t, size);

    for (uint32_t k = 0; k < size; k++)
      vertices[k] = first + k;
    kg_geometry_add_primitive (n->geometry,
                               &(KgPrimitive){ .kind = KG_POLYLINE,
                                               .closed = (g_array_index (d->sizes, uint32_t, i) >> 31) != 0,
                                               .n_vertices = size,
                                               .vertices = vertices });
    first += size;
  }
  return true;
}

/* Kinds. */

static bool
mechanism_slider (Mechanism *n, const KgContext *ctx, Drawing *d, GError **error)
{
  const double side = n->assembly == ASSEMBLY_PLUS ? 1 : -1;
  const double down = n->crank * sin (n->angle) - n->offset, under = n->rod * n->rod - down * down;

  n->joint = kg_vector (n->crank * cos (n->angle), n->crank * sin (n->angle), 0);
  n->turns_fully = n->rod >= n->crank + fabs (n->offset);
  if (!(under >= 0)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "at %g° the rod of %g m does not reach the slider, which is %g m away: a rod of %g m lets the crank "
                  "turn fully",
                  n->angle / KG_DEGREE, n->rod, fabs (down), n->crank + fabs (n->offset));
    return false;
  }
  if (under <= DEAD * n->rod * n->rod)
    kg_context_warn (ctx, "at %g° the rod is at a dead centre: the slider may go either way", n->angle / KG_DEGREE);
  n->position = n->joint.x + side * sqrt (under);
  n->end = kg_vector (n->position, n->offset, 0);
  n->angle_2 = asin (kg_clamp (down / n->rod, -1, 1));
  n->ratio = n->rod / n->crank;
  draw_line (d, kg_vector (0, 0, 0), n->joint);
  draw_line (d, n->joint, n->end);
  return true;
}

static bool
mechanism_four_bar (Mechanism *n, const KgContext *ctx, Drawing *d, GError **error)
{
  const KgVector base = { n->ground, 0, 0 };
  const double lengths[4] = { n->crank, n->ground, n->rod, n->rocker };
  const double side = n->assembly == ASSEMBLY_PLUS ? 1 : -1;
  double least = INFINITY, most = 0, sum = 0, r, along, across;
  KgVector way, unit;

  for (int i = 0; i < 4; i++) {
    least = fmin (least, lengths[i]);
    most = fmax (most, lengths[i]);
    sum += lengths[i];
  }
  /* Grashof: the shortest turns fully against its neighbours. */
  n->turns_fully = 2 * (least + most) <= sum * (1 + 1e-12) && fmin (n->crank, n->ground) <= least;
  n->joint = kg_vector (n->crank * cos (n->angle), n->crank * sin (n->angle), 0);
  way = kg_vector_subtract (base, n->joint);
  r = kg_vector_length (way);
  if (!(r <= n->rod + n->rocker && r >= fabs (n->rod - n->rocker) && r > 0)) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "at %g° the linkage cannot close: coupler and rocker span %g to %g m, but their ends are %g m apart; change a "
        "length, or avoid these angles of the crank",
        n->angle / KG_DEGREE, fabs (n->rod - n->rocker), n->rod + n->rocker, r);
    return false;
  }
  unit = kg_vector_scale (way, 1 / r);
  along = (n->rod * n->rod - n->rocker * n->rocker + r * r) / (2 * r);
  across = sqrt (fmax (n->rod * n->rod - along * along, 0));
  if (across <= DEAD * n->rod)
    kg_context_warn (ctx, "at %g° coupler and rocker are in line, a dead centre: the linkage may fold to either side",
                     n->angle / KG_DEGREE);
  n->end = kg_vector_add_scaled (kg_vector_add_scaled (n->joint, along, unit), side * across,
                                 kg_vector (-unit.y, unit.x, 0));
  n->angle_2 = atan2 (n->end.y, n->end.x - n->ground);
  n->position = kg_vector_length (kg_vector_subtract (n->end, n->joint));
  n->ratio = n->rocker / n->crank;
  draw_line (d, kg_vector (0, 0, 0), n->joint);
  draw_line (d, n->joint, n->end);
  draw_line (d, n->end, base);
  draw_line (d, base, kg_vector (0, 0, 0));
  return true;
}

static void
mechanism_lever (Mechanism *n, Drawing *d)
{
  const KgVector arm = { cos (n->angle), sin (n->angle), 0 };

  n->joint = kg_vector_scale (arm, n->crank);
  n->end = kg_vector_scale (arm, -n->rod);
  n->angle_2 = n->angle;
  n->position = n->end.y;
  n->ratio = n->rod / n->crank;
  n->turns_fully = true;
  draw_line (d, n->joint, n->end);
}

static void
mechanism_gears (Mechanism *n, Drawing *d)
{
  const double r1 = 0.5 * n->module * (double) n->teeth, r2 = 0.5 * n->module * (double) n->teeth_2;
  const double half = KG_PI / (double) n->teeth_2;

  n->ratio = (n->inner ? 1 : -1) * (double) n->teeth / (double) n->teeth_2;
  n->angle_2 = n->angle * n->ratio;
  n->joint = kg_vector (r1, 0, 0);
  n->end = kg_vector (n->inner ? r1 - r2 : r1 + r2, 0, 0);
  n->position = r1 * n->angle;
  n->turns_fully = true;
  draw_wheel (d, kg_vector (0, 0, 0), r1, n->teeth, n->module, false, n->angle);
  draw_wheel (d, n->end, r2, n->teeth_2, n->module, n->inner, n->angle_2 + half + (n->inner ? 0 : KG_PI));
}

/* A sun, planets on a carrier, and a ring around them (Willis 1841): against the carrier, sun and ring turn as gears do whose axes
 * stand, by -ring teeth / sun teeth. */
static bool
mechanism_planetary (Mechanism *n, const KgContext *ctx, Drawing *d, GError **error)
{
  const int64_t teeth_3 = n->teeth + 2 * n->teeth_2, sum = n->teeth + teeth_3;
  const double sun = (double) n->teeth, planet = (double) n->teeth_2, ring = (double) teeth_3;
  const double r1 = 0.5 * n->module * sun, r2 = 0.5 * n->module * planet, r3 = 0.5 * n->module * ring;
  const double step = 2 * KG_PI / (double) n->planets;
  double first;

  /* Their tips reach a module beyond r2. */
  if (n->planets > 1 && (r1 + r2) * sin (0.5 * step) <= r2 + n->module) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "%" PRId64 " planets of %" PRId64 " teeth overlap around a sun of %" PRId64
                  ": use fewer, or a larger sun",
                  n->planets, n->teeth_2, n->teeth);
    return false;
  }
  if (sum % n->planets != 0)
    kg_context_warn (ctx,
                     "the teeth of %" PRId64 " planets at equal angles do not all mesh: sun and ring have %" PRId64
                     " teeth together, which the number of planets must divide",
                     n->planets, sum);
  n->angle_2 = (sun * n->angle + ring * n->ring) / (sun + ring);
  n->ratio = sun / (sun + ring);
  n->joint = kg_vector (r1 * cos (n->angle_2), r1 * sin (n->angle_2), 0);
  n->end = kg_vector ((r1 + r2) * cos (n->angle_2), (r1 + r2) * sin (n->angle_2), 0);
  n->position = r1 * n->angle;
  n->turns_fully = true;
  draw_wheel (d, kg_vector (0, 0, 0), r1, n->teeth, n->module, false, n->angle);
  /* Teeth of the ring are where the planet has gaps: half a turn from where it meshes with the sun. */
  first = n->teeth_2 % 2 == 0 ? KG_PI / ring : 0;
  draw_wheel (d, kg_vector (0, 0, 0), r3, teeth_3, n->module, true, n->ring + first + KG_PI / ring);
  for (int64_t k = 0; k < n->planets; k++) {
    const double at = n->angle_2 + (double) k * step;
    const KgVector center = { (r1 + r2) * cos (at), (r1 + r2) * sin (at), 0 };

    /* On the line to the sun a gap of the planet is at a tooth of the sun. */
    draw_wheel (d, center, r2, n->teeth_2, n->module, false,
                at + KG_PI + KG_PI / planet - (n->angle - at) * sun / planet);
    draw_line (d, kg_vector (0, 0, 0), center);
  }
  return true;
}

/* Where a belt is straight between two pulleys. */
static void
draw_belt (const Mechanism *n, Drawing *d, KgVector end)
{
  const double sum = n->crossed ? n->radius + n->radius_2 : n->radius - n->radius_2;
  const double lean = acos (kg_clamp (sum / n->distance, -1, 1));

  for (int side = -1; side <= 1; side += 2) {
    const KgVector out = { cos (lean), side * sin (lean), 0 };

    draw_line (d, kg_vector_scale (out, n->radius),
               kg_vector_add_scaled (end, n->crossed ? -n->radius_2 : n->radius_2, out));
  }
}

static bool
mechanism_belt (Mechanism *n, Drawing *d, GError **error)
{
  const double needed = n->crossed ? n->radius + n->radius_2 : fabs (n->radius - n->radius_2);

  if (!(n->distance > needed)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the pulleys are %g m apart, and the belt needs more than %g m: move them apart", n->distance,
                  needed);
    return false;
  }
  n->ratio = (n->crossed ? -1 : 1) * n->radius / n->radius_2;
  n->angle_2 = n->angle * n->ratio;
  n->joint = kg_vector (n->radius * cos (n->angle), n->radius * sin (n->angle), 0);
  n->end = kg_vector (n->distance, 0, 0);
  n->position = n->radius * n->angle;
  n->turns_fully = true;
  draw_wheel (d, kg_vector (0, 0, 0), n->radius, 0, 0, false, n->angle);
  draw_wheel (d, n->end, n->radius_2, 0, 0, false, n->angle_2);
  draw_belt (n, d, n->end);
  return true;
}

static void
mechanism_rack (Mechanism *n, Drawing *d)
{
  const double r = 0.5 * n->module * (double) n->teeth;

  n->position = r * n->angle;
  n->joint = kg_vector (0, -r, 0);
  n->end = kg_vector (n->position, -r, 0);
  n->ratio = r;
  n->turns_fully = true;
  /* A gap of the pinion points at the rack where a tooth of it is. */
  draw_wheel (d, kg_vector (0, 0, 0), r, n->teeth, n->module, false, n->angle + KG_PI / (double) n->teeth - KG_PI / 2);
  {
    static const double shares[4] = { -0.3, -0.15, 0.15, 0.3 };
    const uint32_t size = (uint32_t) (4 * 2 * n->teeth);

    for (uint32_t i = 0; i < size; i++) {
      const double at = (double) (i / 4) - (double) n->teeth + shares[i % 4];
      const KgVector p = { n->end.x + at * KG_PI * n->module, -r + n->module * (i % 4 == 1 || i % 4 == 2 ? 1 : -1.25),
                           0 };

      g_array_append_val (d->points, p);
    }
    g_array_append_val (d->sizes, size);
  }
}

static bool
mechanism_cam (Mechanism *n, const KgContext *ctx, Drawing *d, GError **error)
{
  const Cam cam = { .base = n->base,
                    .roller = n->roller,
                    .lift = n->lift,
                    .rise = n->rise,
                    .dwell = n->dwell,
                    .fall = n->fall,
                    .law = (CamLaw) n->law };
  const uint32_t size = CAM_CORNERS | 0x80000000u;
  const double c = cos (n->angle), s = sin (n->angle), least = cam_get_least_radius (&cam);
  KgVector outline[CAM_CORNERS];
  double bend;

  if (n->rise + n->dwell + n->fall > 2 * KG_PI * (1 + 1e-12)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "rise, dwell and fall take %g° of a turn of 360°: make them smaller",
                  (n->rise + n->dwell + n->fall) / KG_DEGREE);
    return false;
  }
  if (n->lift > 0 && (n->rise <= 0 || n->fall <= 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a rise or fall of 0° is a jump, which no follower can make: give it an angle");
    return false;
  }
  if (least < n->roller)
    kg_context_warn (
        ctx,
        "the roller of %g m undercuts the cam, whose pitch curve bends with %g m: make it smaller, or the base larger",
        n->roller, least);
  n->position = cam_get_lift (&cam, n->angle, &n->ratio, &bend);
  n->end = kg_vector (0, n->base + n->roller + n->position, 0);
  n->joint = cam_get_contact (&cam, n->angle);
  n->angle_2 = cam_get_pressure (&cam, n->angle);
  n->turns_fully = true;
  for (int i = 0; i < CAM_CORNERS; i++)
    n->turns_fully &= fabs (cam_get_pressure (&cam, 2 * KG_PI * i / CAM_CORNERS)) <= JAMS;
  cam_get_outline (&cam, outline, CAM_CORNERS);
  for (int i = 0; i < CAM_CORNERS; i++) {
    const KgVector p = { c * outline[i].x - s * outline[i].y, s * outline[i].x + c * outline[i].y, 0 };

    g_array_append_val (d->points, p);
  }
  g_array_append_val (d->sizes, size);
  if (n->roller > 0)
    draw_wheel (d, n->end, n->roller, 0, 0, false, -n->angle * n->base / n->roller);
  draw_line (d, n->end, kg_vector_add (n->end, kg_vector (0, n->base + n->lift, 0)));
  return true;
}

static bool
mechanism_evaluate (Mechanism *n, const KgContext *ctx, GError **error)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (KgVector));
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  Drawing d = { points, sizes };

  switch (n->kind) {
  case KIND_SLIDER:
    if (!mechanism_slider (n, ctx, &d, error))
      return false;
    break;
  case KIND_FOUR_BAR:
    if (!mechanism_four_bar (n, ctx, &d, error))
      return false;
    break;
  case KIND_LEVER:
    mechanism_lever (n, &d);
    break;
  case KIND_GEARS:
    if (n->inner && n->teeth_2 <= n->teeth) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "a ring of %" PRId64 " teeth does not go around a gear of %" PRId64 ": give it more teeth",
                    n->teeth_2, n->teeth);
      return false;
    }
    mechanism_gears (n, &d);
    break;
  case KIND_PLANETARY:
    if (!mechanism_planetary (n, ctx, &d, error))
      return false;
    break;
  case KIND_BELT:
    if (!mechanism_belt (n, &d, error))
      return false;
    break;
  case KIND_CAM:
    if (!mechanism_cam (n, ctx, &d, error))
      return false;
    break;
  default:
    mechanism_rack (n, &d);
    break;
  }
  return mechanism_publish (n, &d, error);
}

#define CAM "kind=cam"
#define RODS "kind=slider_crank|four_bar|lever"

static const KgSlot mechanism_slots[] = {
  KG_INPUT (Mechanism, kind, CHOICE, .label = N_ ("Kind"), .choices = mechanism_kinds,
            .help = N_ ("The mechanism. Its first axis is at the origin.")),
  KG_INPUT (Mechanism, angle, NUMBER, .label = N_ ("Angle"), .unit = KG_DEGREES, .soft_min = -360, .soft_max = 360,
            .help = N_ ("Rotation of the crank, the lever, the first wheel or the cam: key it, or link a flywheel.")),
  KG_INPUT (Mechanism, crank, NUMBER, .label = N_ ("Crank"), .unit = KG_METRES, .def = 1, .min = 1e-9, .max = 1e6,
            .soft_max = 5, .shown_when = RODS, .help = N_ ("Length of the crank, or of the first arm of the lever.")),
  KG_INPUT (Mechanism, rod, NUMBER, .label = N_ ("Rod"), .unit = KG_METRES, .def = 3, .min = 1e-9, .max = 1e6,
            .soft_max = 10, .shown_when = RODS,
            .help = N_ ("Length of the connecting rod, of the coupler, or of the second arm of the lever.")),
  KG_INPUT (Mechanism, offset, NUMBER, .label = N_ ("Offset"), .unit = KG_METRES, .soft_min = -1, .soft_max = 1,
            .shown_when = "kind=slider_crank", .help = N_ ("Height of the slider's path above the axis.")),
  KG_INPUT (Mechanism, ground, NUMBER, .label = N_ ("Ground"), .unit = KG_METRES, .def = 4, .min = 1e-9, .max = 1e6,
            .soft_max = 10, .shown_when = "kind=four_bar", .help = N_ ("Distance between the two axes.")),
  KG_INPUT (Mechanism, rocker, NUMBER, .label = N_ ("Rocker"), .unit = KG_METRES, .def = 3, .min = 1e-9, .max = 1e6,
            .soft_max = 10, .shown_when = "kind=four_bar", .help = N_ ("Length of the bar on the second axis.")),
  KG_INPUT (
      Mechanism, assembly, CHOICE, .label = N_ ("Assembled"), .choices = mechanism_assemblies,
      .shown_when = "kind=slider_crank|four_bar",
      .help = N_ ("Rods of the same lengths can be assembled in two ways; they cannot change from one to the other.")),
  KG_INPUT (Mechanism, teeth, INTEGER, .label = N_ ("Teeth"), .def = 12, .min = 3, .max = 1000, .soft_max = 60,
            .shown_when = "kind=gears|rack|planetary", .help = N_ ("Teeth of the first gear.")),
  KG_INPUT (Mechanism, teeth_2, INTEGER, .label = N_ ("Teeth of the second"), .def = 30, .min = 3, .max = 1000,
            .soft_max = 60, .shown_when = "kind=gears|planetary", .help = N_ ("Teeth of the second gear.")),
  KG_INPUT (Mechanism, module, NUMBER, .label = N_ ("Module"), .unit = KG_METRES, .def = 0.1, .min = 1e-9, .max = 1e6,
            .soft_max = 0.5, .shown_when = "kind=gears|rack|planetary", .help = N_ ("Diameter of a gear per tooth.")),
  KG_INPUT (Mechanism, inner, BOOLEAN, .label = N_ ("Ring"), .shown_when = "kind=gears",
            .help = N_ ("The second gear is a ring around the first, and turns the same way.")),
  KG_INPUT (
      Mechanism, ring, NUMBER, .label = N_ ("Ring angle"), .unit = KG_DEGREES, .soft_min = -360, .soft_max = 360,
      .shown_when = "kind=planetary",
      .help = N_ (
          "Rotation of the ring around the planets; 0 holds it. The first gear is the sun, the second a planet, and the second angle is that of their carrier.")),
  KG_INPUT (Mechanism, planets, INTEGER, .label = N_ ("Planets"), .def = 3, .min = 1, .max = 24, .soft_max = 8,
            .shown_when = "kind=planetary", .help = N_ ("Number of planets, at equal angles.")),
  KG_INPUT (Mechanism, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 0.5, .min = 1e-9, .max = 1e6,
            .soft_max = 5, .shown_when = "kind=belt", .help = N_ ("Radius of the first pulley.")),
  KG_INPUT (Mechanism, radius_2, NUMBER, .label = N_ ("Second radius"), .unit = KG_METRES, .def = 1, .min = 1e-9,
            .max = 1e6, .soft_max = 5, .shown_when = "kind=belt", .help = N_ ("Radius of the second pulley.")),
  KG_INPUT (Mechanism, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .def = 3, .min = 1e-9, .max = 1e6,
            .soft_max = 10, .shown_when = "kind=belt", .help = N_ ("Distance between the pulleys.")),
  KG_INPUT (Mechanism, crossed, BOOLEAN, .label = N_ ("Crossed"), .shown_when = "kind=belt",
            .help = N_ ("The belt crosses itself, so that the second pulley turns the other way.")),
  KG_INPUT (Mechanism, base, NUMBER, .label = N_ ("Base radius"), .unit = KG_METRES, .def = 0.5, .min = 1e-9,
            .max = 1e6, .soft_max = 5, .shown_when = CAM, .help = N_ ("Radius of the cam where it does not lift.")),
  KG_INPUT (Mechanism, roller, NUMBER, .label = N_ ("Roller"), .unit = KG_METRES, .def = 0.12, .min = 0, .max = 1e6,
            .soft_max = 1, .shown_when = CAM, .help = N_ ("Radius of the roller of the follower; 0 for a knife edge.")),
  KG_INPUT (Mechanism, lift, NUMBER, .label = N_ ("Lift"), .unit = KG_METRES, .def = 0.3, .min = 0, .max = 1e6,
            .soft_max = 2, .shown_when = CAM, .help = N_ ("How far the follower goes up.")),
  KG_INPUT (Mechanism, rise, NUMBER, .label = N_ ("Rise"), .unit = KG_DEGREES, .def = 120, .min = 0, .max = 360,
            .shown_when = CAM, .help = N_ ("Angle of the cam over which the follower goes up, starting at 0.")),
  KG_INPUT (Mechanism, dwell, NUMBER, .label = N_ ("Dwell"), .unit = KG_DEGREES, .def = 60, .min = 0, .max = 360,
            .shown_when = CAM, .help = N_ ("Angle over which the follower stays up.")),
  KG_INPUT (Mechanism, fall, NUMBER, .label = N_ ("Fall"), .unit = KG_DEGREES, .def = 120, .min = 0, .max = 360,
            .shown_when = CAM,
            .help = N_ ("Angle over which the follower comes down; for the rest of the turn it stays down.")),
  KG_INPUT (Mechanism, law, CHOICE, .label = N_ ("Law of motion"), .choices = mechanism_laws, .shown_when = CAM,
            .help = N_ ("How the follower goes up and comes down.")),
  KG_OUTPUT (Mechanism, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The rods and wheels as lines.")),
  KG_OUTPUT (Mechanism, joint, VECTOR, .label = N_ ("Joint"), .unit = KG_METRES,
             .help = N_ ("The end of the crank, or where wheels touch, or roller and cam.")),
  KG_OUTPUT (
      Mechanism, end, VECTOR, .label = N_ ("End"), .unit = KG_METRES,
      .help =
          N_ ("The slider, the end of the rocker or the lever, the axis of the second wheel, the rack, the roller.")),
  KG_OUTPUT (
      Mechanism, angle_2, NUMBER, .label = N_ ("Second angle"), .unit = KG_DEGREES,
      .help = N_ (
          "Angle of the rod to the slider's path, of the rocker, or of the second wheel; for cams, the pressure angle.")),
  KG_OUTPUT (
      Mechanism, position, NUMBER, .label = N_ ("Position"), .unit = KG_METRES,
      .help = N_ (
          "Distance of the slider, the rack or the follower; for wheels, the distance that their rim has travelled.")),
  KG_OUTPUT (
      Mechanism, ratio, NUMBER, .label = N_ ("Ratio"),
      .help = N_ (
          "Ratio of the second angle to the first for wheels, of the lengths for rods; for cams, metres of lift per radian.")),
  KG_OUTPUT (
      Mechanism, turns_fully, BOOLEAN, .label = N_ ("Turns fully"),
      .help = N_ ("Whether the crank can make full turns; for cams, whether the pressure angle stays within 30°.")),
};

KG_NODE (rig, mechanism, Mechanism, .label = N_ ("Mechanism"), .version = 2, .since = "0.1",
         .tags = N_ (
             "gear crank slider piston four-bar linkage lever belt rack pinion cam follower flywheel machine engine"),
         .formula =
             "slider: x = r cos θ ± √(l² − (r sin θ − h)²)\ngears: θ₂ = −θ₁ n₁/n₂; belt: θ₂ = θ₁ r₁/r₂; rack: x = r θ\n"
             "planetary: (n₁ + n₃) θ₂ = n₁ θ₁ + n₃ θ₃, n₃ = n₁ + 2 n₂\n"
             "cam: x = lift (u − sin (2πu)/2π), pressure angle atan (x′/(base + roller + x))",
         .help = N_ ("Moves a mechanism by one angle: pistons, linkages, gears, belts, cams. The angle alone "
                     "determines the position of every part, at any time and in any order of frames. Link "
                     "several mechanisms by their angles."));
