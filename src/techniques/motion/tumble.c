/* tumble: a rigid body that turns freely, or under a torque.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/tumble.h"

#include "kg-error.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_elljac.h>
#include <gsl/gsl_sf_ellint.h>

bool
tumble_check (KgVector moments, bool *impossible, GError **error)
{
  const double least = fmin (moments.x, fmin (moments.y, moments.z));
  const double most = fmax (moments.x, fmax (moments.y, moments.z));

  *impossible = 2 * most > (moments.x + moments.y + moments.z) * (1 + 1e-9);
  if (least > 1e-12 * most)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE,
                "the moments of inertia are (%g, %g, %g): all must be above 0; a body on a line cannot tumble",
                moments.x, moments.y, moments.z);
  return false;
}

static KgVector
to_body (KgRotation rotation, KgVector v)
{
  return kg_rotation_apply (kg_rotation_conjugate (rotation), v);
}

KgVector
tumble_get_momentum (KgVector moments, KgRotation rotation, KgVector omega)
{
  const KgVector w = to_body (rotation, omega);

  return kg_rotation_apply (rotation, kg_vector (moments.x * w.x, moments.y * w.y, moments.z * w.z));
}

KgVector
tumble_get_omega (const Tumble *tumble)
{
  const KgVector l = to_body (tumble->rotation, tumble->momentum), i = tumble->moments;

  return kg_rotation_apply (tumble->rotation, kg_vector (l.x / i.x, l.y / i.y, l.z / i.z));
}

double
tumble_get_energy (const Tumble *tumble)
{
  return 0.5 * kg_vector_dot (tumble->momentum, tumble_get_omega (tumble));
}

/* A turn by a vector: its length is the angle. */
static KgRotation
turn (KgRotation rotation, KgVector by)
{
  return kg_rotation_normalize (
      kg_rotation_multiply (kg_rotation_from_axis_angle (by, kg_vector_length (by)), rotation));
}

/* The principal axes renamed, so that the angular velocity along the third never changes its sign: those of the least and the
 * greatest moment change places where the motion goes around the axis of the least. */
typedef struct {
  double i[3];          /* moments */
  double w[3], l[3];    /* angular velocity and momentum at the start, along them */
  KgRotation to_body;   /* from the renamed axes to the principal ones */
  double total;         /* of the momentum */
  double x, y;          /* 2T I₃ − L² and L² − 2T I₁, as sums that do not cancel */
  double rate, m, pole; /* of the phase; the parameter m = k²; that of the integral of the third kind */
} Elliptic;

static bool
elliptic_init (Elliptic *e, const Tumble *start)
{
  const KgVector l = to_body (start->rotation, start->momentum);
  const KgVector w = { l.x / start->moments.x, l.y / start->moments.y, l.z / start->moments.z };
  size_t order[3] = { 0, 1, 2 };
  KgVector axes[3] = { { 0 } };
  double side;

  /* Turns about a principal axis, or of a body that is the same along all axes, are even. */
  if (!(kg_vector_length (kg_vector_cross (w, l)) > 1e-14 * kg_vector_length (w) * kg_vector_length (l)))
    return false;
  for (size_t i = 1; i < 3; i++)
    for (size_t k = i; k > 0 && kg_vector_get (start->moments, order[k]) < kg_vector_get (start->moments, order[k - 1]);
         k--) {
      const size_t swap = order[k];

      order[k] = order[k - 1];
      order[k - 1] = swap;
    }
  for (size_t i = 0; i < 3; i++) {
    e->i[i] = kg_vector_get (start->moments, order[i]);
    e->l[i] = kg_vector_get (l, order[i]);
  }
  /* L² − 2T I₂ */
  side = e->l[0] * e->l[0] * (1 - e->i[1] / e->i[0]) + e->l[2] * e->l[2] * (1 - e->i[1] / e->i[2]);
  if (side < 0) {
    const size_t swap = order[0];

    order[0] = order[2];
    order[2] = swap;
  }
  for (size_t i = 0; i < 3; i++)
    *kg_vector_component (&axes[i], order[i]) = 1;
  if (kg_vector_dot (kg_vector_cross (axes[0], axes[1]), axes[2]) < 0)
    axes[1] = kg_vector_scale (axes[1], -1);
  for (size_t i = 0; i < 3; i++) {
    e->i[i] = kg_vector_get (start->moments, order[i]);
    e->l[i] = kg_vector_dot (l, axes[i]);
    e->w[i] = e->l[i] / e->i[i];
  }
  e->to_body = kg_rotation_from_transform ((KgTransform){ { { axes[0].x, axes[1].x, axes[2].x, 0 },
                                                            { axes[0].y, axes[1].y, axes[2].y, 0 },
                                                            { axes[0].z, axes[1].z, axes[2].z, 0 },
                                                            { 0, 0, 0, 1 } } });
  e->total = kg_vector_length (l);
  e->x = e->l[0] * e->w[0] * (e->i[2] - e->i[0]) + e->l[1] * e->w[1] * (e->i[2] - e->i[1]);
  e->y = e->l[1] * e->w[1] * (e->i[1] - e->i[0]) + e->l[2] * e->w[2] * (e->i[2] - e->i[0]);
  e->rate = sqrt ((e->i[2] - e->i[1]) * e->y / (e->i[0] * e->i[1] * e->i[2]));
  /* On the line between both kinds of motion it would take forever to turn over. */
  e->m = kg_clamp ((e->i[1] - e->i[0]) * e->x / ((e->i[2] - e->i[1]) * e->y), 0, 1 - 1e-15);
  e->pole = e->i[2] * (e->i[1] - e->i[0]) / (e->i[0] * (e->i[2] - e->i[1]));
  return e->rate > 0 && isfinite (e->m) && isfinite (e->pole);
}

/* The integral of the third kind up to an angle of n half turns and a rest of at most a quarter. */
static double
get_third (const Elliptic *e, double n, double rest)
{
  const double k = sqrt (e->m);

  return 2 * n * gsl_sf_ellint_Pcomp (k, e->pole, GSL_PREC_DOUBLE) +
         gsl_sf_ellint_P (rest, k, e->pole, GSL_PREC_DOUBLE);
}

/* From the renamed axes to those of the momentum, which is along z: φ about it, then the tilt, then about the third axis. */
static KgRotation
get_attitude (const Elliptic *e, double phi, const double *w)
{
  const double tilt = atan2 (hypot (e->i[0] * w[0], e->i[1] * w[1]), e->i[2] * w[2]);
  const KgVector z = { 0, 0, 1 };

  return kg_rotation_multiply (
      kg_rotation_from_axis_angle (z, phi),
      kg_rotation_multiply (kg_rotation_from_axis_angle (kg_vector (1, 0, 0), tilt),
                            kg_rotation_from_axis_angle (z, atan2 (e->i[0] * w[0], e->i[1] * w[1]))));
}

Tumble
tumble_get_free (const Tumble *start, double seconds)
{
  Tumble result = *start;
  double k, quarter, a1, a2, a3, second, phase, n_first, u, n, sn, cn, dn, phi, w[3];
  KgRotation world, now;
  Elliptic e;

  if (!elliptic_init (&e, start)) {
    result.rotation = turn (start->rotation, kg_vector_scale (tumble_get_omega (start), seconds));
    return result;
  }
  k = sqrt (e.m);
  quarter = gsl_sf_ellint_Kcomp (k, GSL_PREC_DOUBLE);
  a1 = sqrt (e.x / (e.i[0] * (e.i[2] - e.i[0])));
  a2 = sqrt (e.x / (e.i[1] * (e.i[2] - e.i[1])));
  a3 = copysign (sqrt (e.y / (e.i[2] * (e.i[2] - e.i[0]))), e.w[2]);
  second = copysign (1, e.i[2] - e.i[1]) * copysign (1, e.w[2]);
  phase = atan2 (second * e.w[1] / a2, e.w[0] / a1);
  n_first = nearbyint (phase / KG_PI);
  u = 2 * n_first * quarter + gsl_sf_ellint_F (phase - n_first * KG_PI, k, GSL_PREC_DOUBLE) + e.rate * seconds;
  n = nearbyint (u / (2 * quarter));
  gsl_sf_elljac_e (u - 2 * n * quarter, e.m, &sn, &cn, &dn);
  phi = e.total * seconds / e.i[2] +
        e.total * (e.i[2] - e.i[0]) / (e.i[0] * e.i[2] * e.rate) *
            (get_third (&e, n, atan2 (sn, cn)) - get_third (&e, n_first, phase - n_first * KG_PI));
  if (fmod (fabs (n), 2) == 1) {
    sn = -sn;
    cn = -cn;
  }
  w[0] = a1 * cn;
  w[1] = second * a2 * sn;
  w[2] = a3 * dn;
  /* What the first attitude is in the world, the later one is, too. */
  world = kg_rotation_multiply (kg_rotation_multiply (start->rotation, e.to_body),
                                kg_rotation_conjugate (get_attitude (&e, 0, e.w)));
  now = kg_rotation_multiply (get_attitude (&e, phi, w), kg_rotation_conjugate (e.to_body));
  result.rotation = kg_rotation_normalize (kg_rotation_multiply (world, now));
  return result;
}

/* The rate of change of a quaternion: ½ ω q. */
static KgRotation
get_rate (KgRotation q, KgVector moments, KgVector momentum)
{
  const Tumble tumble = { moments, kg_rotation_normalize (q), momentum };
  const KgVector w = tumble_get_omega (&tumble);

  return kg_rotation_multiply ((KgRotation){ .w = 0, .x = 0.5 * w.x, .y = 0.5 * w.y, .z = 0.5 * w.z }, q);
}

static KgRotation
add (KgRotation q, double s, KgRotation d)
{
  return (KgRotation){ .w = q.w + s * d.w, .x = q.x + s * d.x, .y = q.y + s * d.y, .z = q.z + s * d.z };
}

void
tumble_step (Tumble *tumble, TumbleStep method, double seconds, KgVector moments, KgVector torque)
{
  const KgVector middle = kg_vector_lerp (tumble->moments, moments, 0.5);
  const KgVector half = kg_vector_add_scaled (tumble->momentum, 0.5 * seconds, torque);
  const KgVector end = kg_vector_add_scaled (tumble->momentum, seconds, torque);
  const KgRotation q = tumble->rotation;

  if (method == TUMBLE_MIDPOINT) {
    const KgRotation there = turn (q, kg_vector_scale (tumble_get_omega (tumble), 0.5 * seconds));
    const Tumble then = { middle, there, half };

    tumble->rotation = turn (q, kg_vector_scale (tumble_get_omega (&then), seconds));
  } else {
    const KgRotation k1 = get_rate (q, tumble->moments, tumble->momentum);
    const KgRotation k2 = get_rate (add (q, 0.5 * seconds, k1), middle, half);
    const KgRotation k3 = get_rate (add (q, 0.5 * seconds, k2), middle, half);
    const KgRotation k4 = get_rate (add (q, seconds, k3), moments, end);

    tumble->rotation = kg_rotation_normalize (
        add (add (add (add (q, seconds / 6, k1), seconds / 3, k2), seconds / 3, k3), seconds / 6, k4));
  }
  tumble->momentum = end;
  tumble->moments = moments;
}
