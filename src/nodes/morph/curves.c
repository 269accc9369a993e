/* morph/curves: drawings between drawings, where only the curves correspond, or some points with paths of their own.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/points_text.h"
#include "curve/curve_geometry.h"
#include "morph/moving_points.h"
#include "kg-node.h"
#include "kg-floats.h"

#include <string.h>

/* Keys and moving points that one node takes. */
#define CURVES_MAX_KEYS 1000

typedef struct {
  KgList keys;
  int64_t curve;
  double at;
  const char *frames;
  const KgMotion *timing;
  int match;
  int through;
  double tension;
  double continuity;
  double bias;
  int64_t points;
  KgList paths;
  const char *attachments;
  KgList paces;
  int attach_by;
  int blend;
  int64_t samples;
  bool snap;
  KgGeometry *geometry;
  KgGeometry *from;
  KgGeometry *to;
  KgGeometry *moving;
} Curves;

enum { CURVES_CONTROL, CURVES_PARAMETER, CURVES_LENGTH, CURVES_BEST_START, CURVES_MOVING, N_MATCHES };
enum { CURVES_LINEAR, CURVES_CATMULL_ROM, CURVES_TCB, N_THROUGHS };
enum { CURVES_BY_LENGTH, CURVES_BY_PARAMETER, N_ATTACH_BY };

static const KgChoice curves_matches[] = {
  [CURVES_CONTROL] = { "points", N_ ("By point, or by control point") },
  [CURVES_PARAMETER] = { "parameter", N_ ("Equal fractions of the parameter") },
  [CURVES_LENGTH] = { "length", N_ ("Equal fractions of the length") },
  [CURVES_BEST_START] = { "best-start", N_ ("Equal fractions of the length, from the best start") },
  [CURVES_MOVING] = { "moving-points", N_ ("Moving points with their own paths") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (curves_matches, N_MATCHES);

static const KgChoice curves_throughs[] = {
  [CURVES_LINEAR] = { "linear", N_ ("Straight from key to key") },
  [CURVES_CATMULL_ROM] = { "catmull-rom", N_ ("Smooth arcs through the keys") },
  [CURVES_TCB] = { "kochanek-bartels", N_ ("With tension, continuity and bias") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (curves_throughs, N_THROUGHS);

static const KgChoice curves_attach_by[] = {
  [CURVES_BY_LENGTH] = { "length", N_ ("Fraction of the length") },
  [CURVES_BY_PARAMETER] = { "parameter", N_ ("Fraction of the parameter") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (curves_attach_by, N_ATTACH_BY);

static const KgChoice curves_blends[] = {
  [INBETWEEN_BILINEAR] = { "linear", N_ ("Linear") },
  [INBETWEEN_CUBIC] = { "cubic", N_ ("Cubic, smooth from patch to patch") },
  [INBETWEEN_HERMITE] = { "hermite", N_ ("By the tangents of the keys") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (curves_blends, INBETWEEN_N_BLENDS);

/* Which keys, and where between them. */
typedef struct {
  guint key;  /* and the one after it */
  double tau; /* 0..1; beyond, where the movement goes on */
  double times[CURVES_MAX_KEYS];
} Moment;

static bool
curves_find_moment (const Curves *n, Moment *moment, GError **error)
{
  g_autofree char *lines = g_strdelimit (g_strdup (n->frames), " \t,;", '\n');
  guint rows;
  g_autoptr (GArray) typed = points_text_read (lines, 1, 1, &rows, error);
  double span;

  if (typed == NULL) {
    g_prefix_error (error, "frames: ");
    return false;
  }
  if (rows > 0 && rows != n->keys.n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%u frames for %u keys: give one for each key, or none", rows,
                  n->keys.n);
    return false;
  }
  for (guint i = 0; i < n->keys.n; i++) {
    moment->times[i] = rows > 0 ? g_array_index (typed, double, i) : i;
    if (i > 0 && !(moment->times[i] > moment->times[i - 1])) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "frames: %g comes after %g: the frames of the keys must increase",
                    moment->times[i], moment->times[i - 1]);
      return false;
    }
  }
  moment->key = 0;
  while (moment->key + 2 < n->keys.n && n->at >= moment->times[moment->key + 1])
    moment->key++;
  span = moment->times[moment->key + 1] - moment->times[moment->key];
  moment->tau = (n->at - moment->times[moment->key]) / span;
  /* Straight movements may go beyond, as overshooting eases want it. */
  if (n->match == CURVES_MOVING || n->through != CURVES_LINEAR)
    moment->tau = kg_clamp (moment->tau, 0, 1);
  moment->tau = kg_clamp (moment->tau, -1e6, 1e6);
  if (n->timing != NULL && moment->tau >= 0 && moment->tau <= 1)
    moment->tau = kg_motion_evaluate (n->timing, moment->tau, moment->tau);
  return true;
}

/* The position between keys is a sum of the keys', weighed: the same weights for all points.  Cubics through the keys have
 * the tangents of Kochanek and Bartels, as slopes over uneven times. */
static void
curves_get_weights (const Curves *n, const Moment *moment, double *weights)
{
  const guint j = moment->key, last = n->keys.n - 1;
  const double t = moment->tau, t2 = t * t, t3 = t2 * t, h = moment->times[j + 1] - moment->times[j];
  const bool tcb = n->through == CURVES_TCB;
  const double tension = tcb ? n->tension : 0, continuity = tcb ? n->continuity : 0, bias = tcb ? n->bias : 0;

  memset (weights, 0, n->keys.n * sizeof *weights);
  if (n->through == CURVES_LINEAR) {
    weights[j] = 1 - t;
    weights[j + 1] = t;
    return;
  }
  weights[j] = 2 * t3 - 3 * t2 + 1;
  weights[j + 1] = 3 * t2 - 2 * t3;
  for (guint side = 0; side < 2; side++) {
    const guint k = j + side;
    const double basis = side == 0 ? t3 - 2 * t2 + t : t3 - t2;
    double before, after, scale;

    if (k == 0 || k == last) {
      /* The ends aim along their chord. */
      weights[j + 1] += (1 - tension) * basis;
      weights[j] -= (1 - tension) * basis;
      continue;
    }
    scale = h / (moment->times[k + 1] - moment->times[k - 1]) * (1 - tension);
    before = scale * (1 + bias) * (side == 0 ? 1 + continuity : 1 - continuity);
    after = scale * (1 - bias) * (side == 0 ? 1 - continuity : 1 + continuity);
    weights[k] += basis * (before - after);
    weights[k - 1] -= basis * before;
    weights[k + 1] += basis * after;
  }
}

/* Point by point. */

static bool
curves_mix_points (Curves *n, const Moment *moment, const double *weights, GError **error)
{
  const KgGeometry *base = n->keys.items[0].geometry;
  const size_t count = kg_geometry_get_n_points (base);

  for (guint i = 1; i < n->keys.n; i++) {
    const KgGeometry *other = n->keys.items[i].geometry;

    if (kg_geometry_get_n_points (other) != count || !kg_geometry_same_topology (base, other)) {
      kg_set_error (
          error, KG_ERROR_DEGENERATE,
          "key %u has %zu points and the first key has %zu, or their points are connected differently: match by length or parameter",
          i, kg_geometry_get_n_points (other), count);
      return false;
    }
  }
  n->from = kg_geometry_ref (n->keys.items[moment->key].geometry);
  n->to = kg_geometry_ref (n->keys.items[moment->key + 1].geometry);
  n->geometry = kg_geometry_ref (base);
  kg_geometry_make_writable (&n->geometry);
  for (guint a = 0; a < kg_geometry_get_n_attributes (base, KG_POINTS); a++) {
    KgAttribute attribute;
    size_t size;
    float *to;

    kg_geometry_get_attribute (base, KG_POINTS, a, &attribute);
    if (attribute.scalar != KG_FLOAT32)
      continue;
    size = count * attribute.size;
    to = kg_geometry_edit_float (n->geometry, KG_POINTS, attribute.name, attribute.size);
    for (size_t i = 0; i < size; i++) {
      double sum = 0;

      for (guint k = 0; k < n->keys.n; k++) {
        const float *from = weights[k] != 0 ? kg_geometry_get_float (n->keys.items[k].geometry, KG_POINTS,
                                                                     attribute.name, attribute.size)
                                            : NULL;

        if (weights[k] != 0)
          sum += weights[k] * (double) (from != NULL ? from[i] : ((const float *) attribute.data)[i]);
      }
      to[i] = (float) sum;
    }
  }
  return true;
}

/* The curves of the keys. */

static void
curves_free_curve (gpointer curve)
{
  if (curve != NULL)
    curve_free ((Curve *) curve);
}

static GPtrArray *
curves_read (const Curves *n, GError **error)
{
  g_autoptr (GPtrArray) curves = g_ptr_array_new_with_free_func (curves_free_curve);

  for (guint i = 0; i < n->keys.n; i++) {
    Curve *curve = curve_new (n->keys.items[i].geometry, (size_t) n->curve, error);

    if (curve == NULL) {
      kg_prefix_error (error, "key %u: ", i);
      return NULL;
    }
    g_ptr_array_add (curves, curve);
    if (curve_is_closed (curve) != curve_is_closed ((const Curve *) curves->pdata[0])) {
      kg_set_error (
          error, KG_ERROR_DEGENERATE,
          curve_is_closed (curve)
              ? N_ ("key %u is closed and the first key is open: open and closed curves cannot be mixed; close or open one of them")
              : N_ ("key %u is open and the first key is closed: open and closed curves cannot be mixed; close or open one of them"),
          i);
      return NULL;
    }
  }
  return g_steal_pointer (&curves);
}

/* Even places of all keys, weighed.  (transfer full) (nullable) */
static KgGeometry *
curves_sample (const Curves *n, const InbetweenKey *keys, const double *weights, GError **error)
{
  const bool closed = curve_is_closed (keys[0].curve);
  const size_t count = (size_t) n->points;
  g_autofree KgVector *points = g_new (KgVector, MAX (count, 1));
  g_autoptr (KgGeometry) line = kg_geometry_new ();
  size_t first;

  for (size_t i = 0; i < count; i++) {
    const double sigma = (double) i / (double) (closed ? count : count - 1);

    points[i] = kg_vector (0, 0, 0);
    for (guint k = 0; k < n->keys.n; k++)
      if (weights[k] != 0)
        points[i] = kg_vector_add_scaled (points[i], weights[k], inbetween_key_get (&keys[k], sigma));
  }
  return curve_geometry_add_polyline (line, points, count, closed, &first, error) ? g_steal_pointer (&line) : NULL;
}

static bool
curves_mix_samples (Curves *n, const KgContext *ctx, const Moment *moment, const double *weights, GError **error)
{
  g_autoptr (GPtrArray) curves = curves_read (n, error);
  g_autofree InbetweenKey *keys = g_new0 (InbetweenKey, n->keys.n);
  g_autofree double *one = g_new0 (double, n->keys.n);
  bool closed;

  if (curves == NULL)
    return false;
  closed = curve_is_closed ((const Curve *) curves->pdata[0]);
  for (guint k = 0; k < n->keys.n; k++) {
    keys[k] = (InbetweenKey){ (const Curve *) curves->pdata[k], n->match != CURVES_PARAMETER, 0 };
    if (n->match == CURVES_BEST_START && closed && k > 0)
      keys[k].offset = inbetween_find_best_start (&keys[k - 1], &keys[k], (guint) MIN (n->points, 256));
  }
  if (n->match == CURVES_BEST_START && !closed)
    kg_context_warn (ctx, "the curves are open: their own start points are used");
  n->geometry = curves_sample (n, keys, weights, error);
  one[moment->key] = 1;
  n->from = curves_sample (n, keys, one, error);
  one[moment->key] = 0;
  one[moment->key + 1] = 1;
  n->to = curves_sample (n, keys, one, error);
  return n->geometry != NULL && n->from != NULL && n->to != NULL;
}

/* Moving points. */

/* Rows of attachments: first key, then a share for that key and each after it. */
static bool
curves_read_attachments (const Curves *n, const KgContext *ctx, MovingPoints *moving, GError **error)
{
  g_auto (GStrv) lines = g_strsplit_set (n->attachments, ";\n", CURVES_MAX_KEYS + 1);

  for (guint i = 0; lines[i] != NULL; i++) {
    g_autofree char *words = g_strdelimit (g_strdup (lines[i]), " \t,\r", '\n');
    const guint number = moving_points_get_n (moving);
    guint count;
    g_autoptr (GArray) row = points_text_read (words, 1, 1, &count, error);
    GError *warning = NULL;
    Curve *path = NULL;
    const double *u;
    double first;
    bool good;

    if (row == NULL) {
      kg_prefix_error (error, "attachments, line %u: ", i + 1);
      return false;
    }
    if (count == 0)
      continue;
    first = g_array_index (row, double, 0);
    if (count < 3 || !(first >= 0) || first != floor (first) || first + (count - 1) > n->keys.n) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "attachments, line %u: give a key (0 to %u), then the fraction of the curve on that key and on each following key, at least two fractions",
          i + 1, n->keys.n - 2);
      return false;
    }
    u = &g_array_index (row, double, 1);
    for (guint k = 0; k + 1 < count; k++)
      if (!(u[k] >= 0 && u[k] <= 1)) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE,
                      "attachments, line %u: %g is not a fraction of a curve: 0 is its start and 1 its end", i + 1,
                      u[k]);
        return false;
      }
    if (number < n->paths.n && kg_geometry_get_n_primitives (n->paths.items[number].geometry) > 0) {
      path = curve_new (n->paths.items[number].geometry, 0, error);
      if (path == NULL) {
        kg_prefix_error (error, "path %u: ", number);
        return false;
      }
    }
    good = moving_points_add (moving, (guint) first, u, count - 1, path,
                              number < n->paces.n ? n->paces.items[number].motion : NULL, n->snap, &warning, error);
    kg_context_take_warning (ctx, warning);
    if (!good)
      return false;
  }
  if (n->paths.n > moving_points_get_n (moving)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "%u paths for %u lines of attachments: add a line with the positions on the keys for each moving point",
        n->paths.n, moving_points_get_n (moving));
    return false;
  }
  return true;
}

static bool
curves_move (Curves *n, const KgContext *ctx, const Moment *moment, GError **error)
{
  const InbetweenBlend blend = (InbetweenBlend) n->blend;
  const size_t samples = (size_t) n->samples;
  g_autoptr (GPtrArray) curves = curves_read (n, error);
  g_autofree InbetweenKey *keys = g_new0 (InbetweenKey, n->keys.n);
  g_autoptr (MovingPoints) moving = moving_points_new (keys, moment->times, n->keys.n);
  guint sides;
  float *p;

  if (curves == NULL)
    return false;
  for (guint k = 0; k < n->keys.n; k++)
    keys[k] = (InbetweenKey){ (const Curve *) curves->pdata[k], n->attach_by == CURVES_BY_LENGTH, 0 };
  if (!curves_read_attachments (n, ctx, moving, error) || !moving_points_set_key (moving, moment->key, error))
    return false;
  n->geometry = moving_points_draw (moving, blend, samples, moment->tau, error);
  n->from = n->geometry != NULL ? moving_points_draw (moving, blend, samples, 0, error) : NULL;
  n->to = n->from != NULL ? moving_points_draw (moving, blend, samples, 1, error) : NULL;
  n->moving = kg_geometry_new ();
  sides = moving_points_get_n_sides (moving);
  if (n->to == NULL || !kg_geometry_set_n_points (n->moving, sides, error))
    return false;
  p = kg_geometry_edit_positions (n->moving);
  for (guint i = 0; i < sides; i++) {
    const KgVector side = moving_points_get_side (moving, i, moment->tau);

    kg_floats_set_vector (p, i, side);
  }
  return true;
}

static bool
curves_evaluate (Curves *n, const KgContext *ctx, GError **error)
{
  g_autofree Moment *moment = g_new (Moment, 1);
  g_autofree double *weights = g_new0 (double, MAX (n->keys.n, 1));

  if (n->keys.n < 2 || n->keys.n > CURVES_MAX_KEYS) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "%u keys: link at least 2 and at most %d drawings", n->keys.n,
                  CURVES_MAX_KEYS);
    return false;
  }
  if (!curves_find_moment (n, moment, error))
    return false;
  if (n->match == CURVES_MOVING)
    return curves_move (n, ctx, moment, error);
  curves_get_weights (n, moment, weights);
  return n->match == CURVES_CONTROL ? curves_mix_points (n, moment, weights, error)
                                    : curves_mix_samples (n, ctx, moment, weights, error);
}

static const KgSlot curves_slots[] = {
  KG_INPUTS (Curves, keys, GEOMETRY, .label = N_ ("Keys"),
             .help = N_ ("Two or more drawings, in order: geometries with a curve each.")),
  KG_INPUT (Curves, curve, INTEGER, .shown_when = "match=parameter|length|best-start|moving-points",
            .label = N_ ("Curve index"), .min = 0, .max = 1e9, .soft_max = 10,
            .help = N_ ("Index of the curve in each drawing, from 0.")),
  KG_INPUT (
      Curves, at, NUMBER, .label = N_ ("At"), .soft_max = 1,
      .help =
          N_ ("Time between the keys: 0 is the first key, 1 the second, 2 the third; if frames are typed, the frame.")),
  KG_INPUT (Curves, frames, TEXT, .label = N_ ("Frames"),
            .help = N_ ("Frame of each key, increasing, if the keys are not evenly spaced: for example 1 12 40.")),
  KG_INPUT (Curves, timing, MOTION, .label = N_ ("Timing"), .optional = true,
            .help = N_ ("Timing from one key to the next: the motion of an Ease.")),
  KG_INPUT (
      Curves, match, CHOICE, .label = N_ ("Match"), .choices = curves_matches,
      .help = N_ (
          "How the drawings correspond. Points are matched by index. If only the curves correspond, equal fractions of them are matched. Moving points define paths and timing for some positions on the curves.")),
  KG_INPUT (Curves, through, CHOICE, .shown_when = "match=points|parameter|length|best-start",
            .label = N_ ("Interpolation"), .choices = curves_throughs,
            .help = N_ ("Path of the points through three or more keys.")),
  KG_INPUT (Curves, tension, NUMBER, .shown_when = "through=kochanek-bartels", .label = N_ ("Tension"), .min = -100,
            .max = 100, .soft_min = -1, .soft_max = 1, .help = N_ ("1 is tight, -1 is loose and round.")),
  KG_INPUT (Curves, continuity, NUMBER, .shown_when = "through=kochanek-bartels", .label = N_ ("Continuity"),
            .min = -100, .max = 100, .soft_min = -1, .soft_max = 1, .help = N_ ("0 is smooth; -1 and 1 make corners.")),
  KG_INPUT (Curves, bias, NUMBER, .shown_when = "through=kochanek-bartels", .label = N_ ("Bias"), .min = -100,
            .max = 100, .soft_min = -1, .soft_max = 1, .help = N_ ("1 overshoots the key, -1 undershoots it.")),
  KG_INPUT (Curves, points, INTEGER, .shown_when = "match=parameter|length|best-start", .label = N_ ("Points"),
            .def = 100, .min = 2, .max = 1000000, .soft_max = 500, .help = N_ ("Number of points in the result.")),
  KG_INPUTS (Curves, paths, GEOMETRY, .shown_when = "match=moving-points", .label = N_ ("Paths"), .optional = true,
             .group = N_ ("Moving points"),
             .help = N_ ("A curve for each moving point, from its first key to its last.")),
  KG_INPUT (
      Curves, attachments, TEXT, .shown_when = "match=moving-points", .label = N_ ("Attachments"), .multiline = true,
      .group = N_ ("Moving points"),
      .help = N_ (
          "One line per moving point, in the order of the paths: the key at which it begins (from 0), then its position on that key and on each following key, from 0 (start of the curve) to 1 (its end). A line without a path gives a straight path.")),
  KG_INPUTS (
      Curves, paces, MOTION, .shown_when = "match=moving-points", .label = N_ ("Path timings"), .optional = true,
      .group = N_ ("Moving points"),
      .help = N_ (
          "Timing of each moving point along its path: the fraction of the path over the fraction of the time. Without one the point moves evenly between keys. On a straight path it applies from key to key.")),
  KG_INPUT (Curves, attach_by, CHOICE, .shown_when = "match=moving-points", .label = N_ ("Measured by"),
            .choices = curves_attach_by, .group = N_ ("Moving points"),
            .help = N_ ("What the positions of the attachments are measured by.")),
  KG_INPUT (
      Curves, blend, CHOICE, .shown_when = "match=moving-points", .label = N_ ("Blend"), .choices = curves_blends,
      .group = N_ ("Moving points"),
      .help = N_ ("How the curve between two moving points is interpolated from the keys and the paths around it.")),
  KG_INPUT (Curves, samples, INTEGER, .shown_when = "match=moving-points", .label = N_ ("Samples"), .def = 20, .min = 1,
            .max = 10000, .soft_max = 100, .group = N_ ("Moving points"),
            .help = N_ ("Number of points from one moving point to the next.")),
  KG_INPUT (
      Curves, snap, BOOLEAN, .shown_when = "match=moving-points", .label = N_ ("Snap"), .def = 1,
      .group = N_ ("Moving points"),
      .help = N_ (
          "Bends a path that misses its attachments so that it passes through them; otherwise such a path is an error.")),
  KG_OUTPUT (Curves, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The interpolated drawing.")),
  KG_OUTPUT (
      Curves, from, GEOMETRY, .label = N_ ("From"),
      .help = N_ (
          "The previous key, as points that correspond to those of To, for other nodes that interpolate between them.")),
  KG_OUTPUT (Curves, to, GEOMETRY, .label = N_ ("To"), .help = N_ ("The next key, with the same points as From.")),
  KG_OUTPUT (Curves, moving, GEOMETRY, .label = N_ ("Moving points"),
             .help = N_ ("Current positions of the moving points and the ends, as loose points.")),
};

KG_NODE (
    morph, curves, Curves, .label = N_ ("Morph Curves"), .version = 1, .since = "0.1",
    .tags = N_ ("inbetween tween shape interpolation key drawing correspondence moving point reeves coons patch"),
    .formula = "points, parameter, length: C(t) = Σ blends(t) · Kⱼ(σ), the keys point by point, or "
               "place by place\n"
               "best start: least Σ |K₁(σᵢ) − K₂(σᵢ + o)|²\n"
               "moving points: a patch between neighbours A and B, P and Q the keys between them:\n"
               "  C(σ, τ) = (1−τ) P(σ) + τ Q(σ) + (1−σ) A(τ) + σ B(τ)\n"
               "    − (1−σ)(1−τ) P(0) − σ(1−τ) P(1) − (1−σ)τ Q(0) − στ Q(1)\n"
               "cubic: 3x² − 2x³ for σ and τ in the blends",
    .source = "Reeves, Inbetweening for Computer Animation Utilizing Moving Point Constraints, 1981; "
              "Coons, Surfaces for Computer-Aided Design of Space Forms, 1967; "
              "Parent, Computer Animation, 3.5",
    .help = N_ (
        "Interpolates between key drawings: curves whose points correspond, curves that only correspond as a whole, and curves with a few moving points whose paths and timing you draw yourself."));
