/* frames: scanning a curve for what breaks its Frenet frame, and bridging that.
 * Sources: Parent, Computer Animation, 3.4.1, with the sign of the turn over a straight span, which the book leaves
 * open; torsion as in do Carmo, Differential Geometry, 1.5.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "curve/frames.h"

#include <glib/gi18n-lib.h>

/* Places looked at in each polynomial piece. */
#define SCAN_STEPS 32
/* Turns of normal or tangent below this are rounding. */
#define JUMP_ANGLE (0.5 * KG_DEGREE)
/* Changes of curvature at a joint below this share are rounding. */
#define CURVATURE_CHANGE 0.01
/* Straight pieces shorter than this share of the length are inflections. */
#define SHORT_SPAN 1e-3
/* The left side of a joint is looked at from here. */
#define LEFT_OF_JOINT 1e-9
/* Places between two checks for cancelling. */
#define ASK 256
/* Lines of a report. */
#define REPORT_MAX 200

struct _Frames {
  Curve *curve;
  double least;     /* a curvature that is none, 1 / m */
  double *rounding; /* of each piece: by how much its derivatives may be off, as its points are rounded */
  GArray *events;   /* FramesEvent, by start */
  bool straight;
  double first_defined; /* the u of the first and last places that bend */
  double last_defined;
};

void
frenet_from_derivatives (KgVector d1, KgVector d2, KgVector d3, double least, double rounding, Frenet *out)
{
  const double speed = kg_vector_length (d1);
  const KgVector cross = kg_vector_cross (d1, d2);
  const double area = kg_vector_length (cross);

  *out = (Frenet){ .tangent = kg_vector_normalize_or (d1, kg_vector (0, 0, 0)) };
  if (!(area > rounding * (speed + kg_vector_length (d2))) || !(area / speed / speed / speed > least))
    return;
  out->curvature = area / speed / speed / speed;
  out->torsion = kg_vector_dot (cross, d3) / area / area;
  if (!isfinite (out->curvature) || !isfinite (out->torsion)) {
    out->curvature = out->torsion = 0;
    return;
  }
  out->binormal = kg_vector_scale (cross, 1 / area);
  out->normal = kg_vector_cross (out->binormal, out->tangent);
  out->defined = true;
}

bool
frames_check_up (KgVector up, GError **warning)
{
  KgVector unit;

  if (frames_get_direction (up, &unit))
    return true;
  kg_set_error (warning, KG_ERROR_DEGENERATE,
                "the up vector is 0 0 0 and has no direction: y is used; give it a direction");
  return false;
}

bool
frames_get_direction (KgVector v, KgVector *unit)
{
  /* Squares neither overflow nor vanish when the largest component is one. */
  const double size = kg_vector_get_largest (v);

  if (!(size > 0) || !isfinite (size))
    return false;
  *unit = kg_vector (v.x / size, v.y / size, v.z / size);
  *unit = kg_vector_normalize_or (*unit, *unit);
  return true;
}

bool
frames_make_upright (KgVector along, KgVector up, KgVector *across)
{
  KgVector unit = { 0, 1, 0 };
  KgVector part;
  bool good;

  frames_get_direction (up, &unit);
  part = kg_vector_add_scaled (unit, -kg_vector_dot (unit, along), along);
  good = kg_vector_length (part) > 1e-9;
  *across = good ? kg_vector_normalize_or (part, kg_vector (0, 1, 0)) : kg_vector_perpendicular (along);
  return good;
}

/* v carried from one direction of travel to another without turning about either. */
static KgVector
carry (KgVector v, KgVector from, KgVector to)
{
  return kg_rotation_apply (kg_rotation_between (from, to), v);
}

static KgVector
turn (KgVector v, KgVector axis, double angle)
{
  return kg_rotation_apply (kg_rotation_from_axis_angle (axis, angle), v);
}

/* By what angle a turns to b about axis, seen against it. */
static double
signed_angle (KgVector a, KgVector b, KgVector axis)
{
  return atan2 (kg_vector_dot (kg_vector_cross (a, b), axis), kg_vector_dot (a, b));
}

/* By what angle the normal turns about the tangent between two places. */
static double
normal_angle (const Frenet *a, const Frenet *b)
{
  return signed_angle (carry (a->normal, a->tangent, b->tangent), b->normal, b->tangent);
}

static double
wrap (const Frames *frames, double u)
{
  const double n = curve_get_n_segments (frames->curve);

  return curve_is_closed (frames->curve) && (u < 0 || u >= n) ? u - n * floor (u / n) : u;
}

/* The curve alone, nothing bridged. */
static void
look (const Frames *frames, double u, Frenet *out)
{
  const Curve *curve = frames->curve;
  const guint n = curve_get_n_segments (curve);
  const double at = wrap (frames, u);
  const guint piece = (guint) kg_clamp (floor (at), 0, n - 1);

  frenet_from_derivatives (curve_evaluate (curve, at, 1), curve_evaluate (curve, at, 2), curve_evaluate (curve, at, 3),
                           frames->least, frames->rounding[piece], out);
  if (!out->defined)
    out->tangent = curve_get_tangent (curve, at);
}

/* Arc length at u, going on beyond the end of a closed curve. */
static double
length_at (const Frames *frames, double u)
{
  const Curve *curve = frames->curve;
  const double n = curve_get_n_segments (curve), rounds = curve_is_closed (curve) ? floor (u / n) : 0;

  return rounds * curve_get_length (curve) + curve_get_length_to (curve, u - rounds * n);
}

/* The scan.  Places are u's in order; pieces end a little before their joint, so that both of its sides are seen. */

typedef struct {
  double u;
  Frenet f;
} Place;

static double
scan_get_u (guint i)
{
  const guint piece = i / (SCAN_STEPS + 1), step = i % (SCAN_STEPS + 1);

  return step == SCAN_STEPS ? piece + 1 - LEFT_OF_JOINT : piece + (double) step / SCAN_STEPS;
}

/* Place i of count, which go on beyond the end of a closed curve. */
static Place
scan_get_place (const Frames *frames, const Place *places, guint count, guint i)
{
  Place place = places[i % count];

  place.u += i < count ? 0 : curve_get_n_segments (frames->curve);
  return place;
}

/* The place between two where a bend starts or stops: a bends as it says, b otherwise. */
static double
find_edge (const Frames *frames, double a, double b, bool defined_at_a)
{
  for (int i = 0; i < 60 && fabs (b - a) > 1e-12; i++) {
    const double middle = 0.5 * (a + b);
    Frenet f;

    look (frames, middle, &f);
    if (f.defined == defined_at_a)
      a = middle;
    else
      b = middle;
  }
  return defined_at_a ? a : b;
}

static double
get_room (const Frames *frames, double u0, double u1)
{
  const guint n = curve_get_n_segments (frames->curve);
  const bool closed = curve_is_closed (frames->curve);
  double room = INFINITY;

  for (int side = -1; side <= 1; side += 2) {
    /* The piece just before u0, and the one just after u1. */
    double piece = floor (side < 0 ? u0 - 2 * LEFT_OF_JOINT : u1 + 2 * LEFT_OF_JOINT);

    if (!closed && (piece < 0 || piece >= n))
      continue;
    piece = wrap (frames, piece);
    room = fmin (room, 0.5 * (length_at (frames, piece + 1) - length_at (frames, piece)));
  }
  return isfinite (room) ? room : 0;
}

static void
add_event (Frames *frames, FramesEventKind kind, double u0, double u1, double angle, double before, double after)
{
  FramesEvent event = { .kind = kind,
                        .u0 = u0,
                        .u1 = u1,
                        .start = length_at (frames, u0),
                        .end = length_at (frames, u1),
                        .angle = angle,
                        .curvature_before = before,
                        .curvature_after = after,
                        .room = get_room (frames, u0, u1) };

  g_array_append_val (frames->events, event);
}

/* Two neighbours in a piece that both bend, but to different sides. */
static void
scan_inflection (Frames *frames, Place a, Place b)
{
  double angle = normal_angle (&a.f, &b.f);

  for (int i = 0; i < 60 && b.u - a.u > 1e-12; i++) {
    Place middle = { .u = 0.5 * (a.u + b.u) };
    double left;

    look (frames, middle.u, &middle.f);
    if (!middle.f.defined) {
      /* Exactly straight there, and around it for as far as rounding goes. */
      const double u0 = find_edge (frames, a.u, middle.u, true), u1 = find_edge (frames, middle.u, b.u, false);

      look (frames, u0, &a.f);
      look (frames, u1, &b.f);
      add_event (frames, FRAMES_INFLECTION, u0, u1, normal_angle (&a.f, &b.f), a.f.curvature, b.f.curvature);
      return;
    }
    left = normal_angle (&a.f, &middle.f);
    if (fabs (left) >= fabs (normal_angle (&middle.f, &b.f)))
      b = middle;
    else
      a = middle;
    angle = normal_angle (&a.f, &b.f);
    /* Not a jump but a quick turn of a curve in space. */
    if (fabs (angle) < 0.25 * KG_PI)
      return;
  }
  add_event (frames, FRAMES_INFLECTION, a.u, b.u, angle, a.f.curvature, b.f.curvature);
}

static void
scan_joint (Frames *frames, const Place *a, const Place *b)
{
  const double joint = b->u, corner = acos (kg_clamp (kg_vector_dot (a->f.tangent, b->f.tangent), -1, 1));

  if (corner > JUMP_ANGLE)
    add_event (frames, FRAMES_CORNER, joint, joint, corner, a->f.curvature, b->f.curvature);
  if (a->f.defined && b->f.defined) {
    const double angle = normal_angle (&a->f, &b->f);
    const double larger = fmax (a->f.curvature, b->f.curvature);

    if (fabs (angle) > JUMP_ANGLE)
      add_event (frames, FRAMES_JUMP, joint, joint, angle, a->f.curvature, b->f.curvature);
    else if (corner <= JUMP_ANGLE && fabs (a->f.curvature - b->f.curvature) > CURVATURE_CHANGE * larger)
      add_event (frames, FRAMES_CURVATURE, joint, joint, 0, a->f.curvature, b->f.curvature);
  }
}

/* A run of places without bend between two that bend. */
static void
scan_span (Frames *frames, const Place *before, const Place *first, const Place *last, const Place *after)
{
  const double u0 = first->u - before->u <= 2 * LEFT_OF_JOINT ? first->u
                                                              : find_edge (frames, before->u, first->u, true);
  const double u1 = after->u - last->u <= 2 * LEFT_OF_JOINT ? after->u : find_edge (frames, last->u, after->u, false);
  const bool is_short = length_at (frames, u1) - length_at (frames, u0) < SHORT_SPAN * curve_get_length (frames->curve);
  Frenet a, b;

  /* Where the edge is a joint the bend itself begins on its other side. */
  look (frames, u0, &a);
  if (!a.defined)
    a = before->f;
  look (frames, u1, &b);
  if (!b.defined)
    b = after->f;
  add_event (frames, is_short ? FRAMES_INFLECTION : FRAMES_SPAN, u0, u1, normal_angle (&a, &b), a.curvature,
             b.curvature);
}

static int
compare_events (gconstpointer a, gconstpointer b)
{
  const FramesEvent *x = (const FramesEvent *) a, *y = (const FramesEvent *) b;

  return x->start < y->start ? -1 : x->start > y->start ? 1 : (int) x->kind - (int) y->kind;
}

/* False when cancelled. */
static bool
scan (Frames *frames, const KgProgressMonitor *monitor)
{
  const guint n = curve_get_n_segments (frames->curve), count = n * (SCAN_STEPS + 1);
  const bool closed = curve_is_closed (frames->curve);
  g_autofree Place *places = g_new (Place, count);
  guint first = count, end;

  for (guint i = 0; i < count; i++) {
    if (i % ASK == ASK - 1 && kg_progress_is_cancelled (monitor))
      return false;
    places[i].u = scan_get_u (i);
    look (frames, places[i].u, &places[i].f);
    if (places[i].f.defined) {
      first = MIN (first, i);
      frames->last_defined = places[i].u;
    }
  }
  frames->straight = first == count;
  if (frames->straight)
    first = 0;
  frames->first_defined = places[first].u;
  /* A closed curve is gone round from a place that bends, so that no span hides behind the seam. */
  end = closed ? first + count : count - 1;
  for (guint i = closed ? first : 0; i < end; i++) {
    const Place a = scan_get_place (frames, places, count, i), b = scan_get_place (frames, places, count, i + 1);

    if (i % ASK == ASK - 1 && kg_progress_is_cancelled (monitor))
      return false;
    if (i % (SCAN_STEPS + 1) == SCAN_STEPS)
      scan_joint (frames, &a, &b);
    else if (a.f.defined && b.f.defined && fabs (normal_angle (&a.f, &b.f)) > 0.5 * KG_PI)
      scan_inflection (frames, a, b);
    if (a.f.defined && !b.f.defined) {
      guint k = i + 1;

      while (k <= end && !places[k % count].f.defined)
        k++;
      if (k <= end) {
        const Place last = scan_get_place (frames, places, count, k - 1);
        const Place after = scan_get_place (frames, places, count, k);

        scan_span (frames, &a, &b, &last, &after);
      }
    }
  }
  g_array_sort (frames->events, compare_events);
  /* Edges of straight ends of an open curve. */
  if (!closed && !frames->straight && first > 0)
    frames->first_defined = find_edge (frames, places[first - 1].u, places[first].u, false);
  return true;
}

/* Points are floats: each is off by up to half a unit of its last digit, and derivatives of cubics weigh the points with
 * numbers that add up to less than sixty. */
static void
find_rounding (Frames *frames)
{
  const Curve *curve = frames->curve;
  const guint n = curve_get_n_segments (curve);

  frames->least = 1e-9 / fmax (curve_get_length (curve), 1e-150);
  frames->rounding = g_new (double, n);
  for (guint i = 0; i < n; i++) {
    const KgVector a = curve_evaluate (curve, i, 0), b = curve_evaluate (curve, i + 0.5, 0);

    frames->rounding[i] = 30 * curve_get_rounding (frames->curve) * fmax (kg_vector_length (a), kg_vector_length (b));
  }
}

Frames *
frames_new (const KgGeometry *geometry, size_t index, const KgProgressMonitor *monitor, GError **error)
{
  g_autoptr (Frames) frames = g_new0 (Frames, 1);

  frames->events = g_array_new (FALSE, FALSE, sizeof (FramesEvent));
  frames->curve = curve_new (geometry, index, error);
  if (frames->curve == NULL)
    return NULL;
  if (!curve_prepare_lengths (frames->curve, monitor))
    return NULL;
  find_rounding (frames);
  return scan (frames, monitor) ? g_steal_pointer (&frames) : NULL;
}

void
frames_free (Frames *frames)
{
  g_clear_pointer (&frames->curve, curve_free);
  g_array_unref (frames->events);
  g_free (frames->rounding);
  g_free (frames);
}

size_t
frames_get_bytes (const Frames *frames)
{
  return sizeof *frames + frames->events->len * sizeof (FramesEvent) +
         1024 * (size_t) curve_get_n_segments (frames->curve);
}

const Curve *
frames_get_curve (const Frames *frames)
{
  return frames->curve;
}

bool
frames_is_straight (const Frames *frames)
{
  return frames->straight;
}

const FramesEvent *
frames_get_events (const Frames *frames, guint *n)
{
  *n = frames->events->len;
  return (const FramesEvent *) (const void *) frames->events->data;
}

char *
frames_report (const Frames *frames)
{
  GString *out = g_string_new (NULL);

  if (frames->straight)
    g_string_append (out, _ ("no bend anywhere: the frame is made from the up vector\n"));
  for (guint i = 0; i < frames->events->len; i++) {
    const FramesEvent *e = &g_array_index (frames->events, FramesEvent, i);
    const double angle = e->angle / KG_DEGREE;

    if (i == REPORT_MAX) {
      g_string_append_printf (out, _ ("and %u more\n"), frames->events->len - i);
      break;
    }
    switch (e->kind) {
    case FRAMES_CORNER:
      g_string_append_printf (out, _ ("%.6g m: a corner of %.4g°\n"), e->start, angle);
      break;
    case FRAMES_JUMP:
      g_string_append_printf (out, _ ("%.6g m: the normal jumps by %.4g°\n"), e->start, angle);
      break;
    case FRAMES_CURVATURE:
      g_string_append_printf (out, _ ("%.6g m: the curvature jumps from %.4g to %.4g per metre\n"), e->start,
                              e->curvature_before, e->curvature_after);
      break;
    case FRAMES_INFLECTION:
      g_string_append_printf (out, _ ("%.6g m: an inflection, the normal rotates by %.4g°\n"),
                              0.5 * (e->start + e->end), angle);
      break;
    case FRAMES_SPAN:
      g_string_append_printf (out, _ ("%.6g m to %.6g m: straight, the normal rotates by %.4g°\n"), e->start, e->end,
                              angle);
      break;
    case FRAMES_N_EVENTS:
    default:
      break;
    }
  }
  if (out->len == 0)
    g_string_append (out, _ ("the frame is continuous\n"));
  g_string_truncate (out, out->len - 1);
  return g_string_free (out, FALSE);
}

/* Frames at a place. */

/* The frame at the edge of an event, with the tangent of that edge: the bend on its left or right side. */
static void
look_beside (const Frames *frames, double u, bool left, Frenet *out)
{
  look (frames, u, out);
  for (double h = LEFT_OF_JOINT; !out->defined && h < 1e-3; h *= 4)
    look (frames, left ? u - h : u + h, out);
}

static bool
span_holds (const Frames *frames, const FramesEvent *e, double *u)
{
  const double n = curve_get_n_segments (frames->curve);

  if (*u < e->u0 && curve_is_closed (frames->curve) && *u + n <= e->u1)
    *u += n;
  return *u >= e->u0 && *u <= e->u1;
}

static KgVector
get_span_normal (const Frames *frames, const FramesEvent *e, double u, bool fill, KgVector tangent)
{
  const double s = length_at (frames, u), share = e->end > e->start ? (s - e->start) / (e->end - e->start) : 0;
  Frenet f;

  look_beside (frames, e->u0, true, &f);
  return turn (carry (f.normal, f.tangent, tangent), tangent, fill ? e->angle * share : 0);
}

/* How far the blends of all jumps turn the normal at u. */
static double
get_blend_angle (const Frames *frames, double u, const FramesBridge *bridge)
{
  const double length = curve_get_length (frames->curve), s = length_at (frames, u);
  double sum = 0;

  for (guint i = 0; i < frames->events->len; i++) {
    const FramesEvent *e = &g_array_index (frames->events, FramesEvent, i);
    /* Inflections have no frame of their own: filling them takes a short way at least. */
    const double least = bridge->fill && e->kind == FRAMES_INFLECTION ? 1e-3 * length : 0;
    const double reach = fmin (fmax (bridge->blend, least), e->room);
    double away = s - 0.5 * (e->start + e->end);

    if ((e->kind != FRAMES_JUMP && e->kind != FRAMES_INFLECTION) || !(reach > 0))
      continue;
    if (curve_is_closed (frames->curve))
      away -= length * round (away / length);
    if (fabs (away) < reach)
      sum += 0.5 * e->angle * (away < 0 ? 1 + away / reach : away / reach - 1);
  }
  return sum;
}

void
frames_get_frenet (const Frames *frames, double u, const FramesBridge *bridge, KgVector up, Frenet *out)
{
  const double n = curve_get_n_segments (frames->curve);
  double at = curve_is_closed (frames->curve) ? wrap (frames, u) : kg_clamp (u, 0, n);
  double blend;

  look (frames, at, out);
  if (frames->straight) {
    frames_make_upright (out->tangent, up, &out->normal);
    out->binormal = kg_vector_cross (out->tangent, out->normal);
    return;
  }
  blend = get_blend_angle (frames, at, bridge);
  if (!out->defined) {
    bool found = false;

    for (guint i = 0; i < frames->events->len && !found; i++) {
      const FramesEvent *e = &g_array_index (frames->events, FramesEvent, i);

      if ((e->kind != FRAMES_SPAN && e->kind != FRAMES_INFLECTION) || !span_holds (frames, e, &at))
        continue;
      found = true;
      if (e->kind == FRAMES_INFLECTION) {
        /* The side of the middle, as the blend has it. */
        const bool left = length_at (frames, at) < 0.5 * (e->start + e->end);
        Frenet f;

        look_beside (frames, left ? e->u0 : e->u1, left, &f);
        out->normal = carry (f.normal, f.tangent, out->tangent);
      } else
        out->normal = get_span_normal (frames, e, at, bridge->fill, out->tangent);
    }
    if (!found) {
      /* Before the first bend or after the last: the nearest frame holds. */
      const bool before = at <= frames->first_defined;
      Frenet f;

      look_beside (frames, before ? frames->first_defined : frames->last_defined, !before, &f);
      out->normal = carry (f.normal, f.tangent, out->tangent);
    }
  }
  out->normal = turn (out->normal, out->tangent, blend);
  /* Carried over a bend that is too weak to count, it may lean a little. */
  frames_make_upright (out->tangent, out->normal, &out->normal);
  out->binormal = kg_vector_cross (out->tangent, out->normal);
}

double
frames_get_side_curvature (const Frames *frames, double u, KgVector up)
{
  KgVector vertical = { 0, 1, 0 }, left;
  Frenet f;

  frames_get_direction (up, &vertical);
  look (frames, u, &f);
  left = kg_vector_cross (vertical, f.tangent);
  if (!f.defined || !(kg_vector_length (left) > 1e-9))
    return 0;
  return f.curvature * kg_vector_dot (f.normal, kg_vector_normalize_or (left, kg_vector (1, 0, 0)));
}
