/* contact_patch: the border between two bodies that overlap, at single places.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/contact_patch.h"

/* Most steps of a search along the border. */
#define CLIMB_STEPS 60
/* Directions around a peak, and places along each. */
#define N_ANGLES 16
#define N_RADII 5
/* Halvings that find where a contact surface ends. */
#define END_STEPS 14

/* One step of Newton's to the border; the state before it.  False where the bodies have no slope against each other. */
static bool
step_to_border (const ContactPair *pair, KgVector *p, double *compression, KgVector *uphill, KgVector *across,
                double *difference)
{
  KgVector slope_a, slope_b;
  const double a = pair->potential (pair->a, *p, &slope_a), b = pair->potential (pair->b, *p, &slope_b);
  double squared, along;

  *across = kg_vector_subtract (slope_a, slope_b);
  squared = kg_vector_dot (*across, *across);
  *difference = a - b;
  *compression = 0.5 * (a + b);
  *uphill = slope_b;
  if (!(squared > 0))
    return false;
  along = kg_vector_dot (slope_b, *across) / squared;
  *uphill = kg_vector_add_scaled (slope_b, -along, *across);
  *compression = b - (a - b) * along;
  *p = kg_vector_add_scaled (*p, -(a - b) / squared, *across);
  return true;
}

/* To the border near a place: the compression there, and the direction in which it grows. */
static double
settle (const ContactPair *pair, KgVector *p, KgVector *uphill)
{
  double compression = 0, difference;
  KgVector across;

  for (guint step = 0; step < 4; step++)
    if (!step_to_border (pair, p, &compression, uphill, &across, &difference) || fabs (difference) < 1e-9)
      break;
  return compression;
}

double
contact_pair_climb (const ContactPair *pair, KgVector *p, double step, double precision)
{
  KgVector uphill;
  double best = settle (pair, p, &uphill);

  for (guint i = 0; i < CLIMB_STEPS && step > precision; i++) {
    const double length = kg_vector_length (uphill);
    KgVector q, next;
    double g;

    if (!(length > 0))
      break;
    q = kg_vector_add_scaled (*p, step / length, uphill);
    g = settle (pair, &q, &next);
    if (g > best) {
      best = g;
      *p = q;
      uphill = next;
    } else
      step *= 0.5;
  }
  return best;
}

/* The border above a place of the plane through a peak. */
typedef struct {
  const ContactPair *pair;
  const KgVector *peaks;
  guint n, i;
  KgVector normal; /* of the plane: out of body a */
} Plane;

/* Moves p along the normal of the plane to the border.  False where the contact surface of this peak has ended. */
static bool
plane_lift (const Plane *plane, KgVector *p, ContactSample *sample)
{
  const double own = kg_vector_distance (*p, plane->peaks[plane->i]);
  KgVector across = { 0, 0, 0 };
  double slope = 0;

  for (guint k = 0; k < plane->n; k++)
    if (k != plane->i && kg_vector_distance (*p, plane->peaks[k]) < own)
      return false;
  for (guint step = 0; step < 6; step++) {
    KgVector slope_a, slope_b;
    const double a = plane->pair->potential (plane->pair->a, *p, &slope_a);
    const double b = plane->pair->potential (plane->pair->b, *p, &slope_b);

    across = kg_vector_subtract (slope_a, slope_b);
    slope = kg_vector_dot (across, plane->normal);
    sample->compression = MIN (a, b);
    sample->stiffness = kg_vector_length (slope_a) * kg_vector_length (slope_b) /
                        MAX (kg_vector_length (slope_a) + kg_vector_length (slope_b), 1e-30);
    if (!(slope < 0))
      return false;
    if (fabs (a - b) < 1e-9)
      break;
    *p = kg_vector_add_scaled (*p, -(a - b) / slope, plane->normal);
  }
  sample->p = *p;
  sample->normal = kg_vector_normalize_or (kg_vector_scale (across, -1), plane->normal);
  return sample->compression > 0;
}

static bool
plane_sample (const Plane *plane, KgVector direction, double radius, ContactSample *sample)
{
  KgVector p = kg_vector_add_scaled (plane->peaks[plane->i], radius, direction);

  return plane_lift (plane, &p, sample);
}

/* How far the contact surface goes in a direction. */
static double
plane_find_end (const Plane *plane, KgVector direction, double step)
{
  double low = 0, high = 0.25 * step;
  ContactSample sample;

  for (guint i = 0; i < 40 && plane_sample (plane, direction, high, &sample); i++) {
    low = high;
    high *= 2;
  }
  for (guint i = 0; i < END_STEPS; i++) {
    const double middle = 0.5 * (low + high);

    *(plane_sample (plane, direction, middle, &sample) ? &low : &high) = middle;
  }
  return low;
}

void
contact_pair_sample (const ContactPair *pair, const KgVector *peaks, guint n, guint i, double step, GArray *samples)
{
  /* Gauss and Legendre's places and weights from 0 to 1. */
  static const double places[N_RADII] = { 0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                                          0.953089922969332 };
  static const double weights[N_RADII] = { 0.118463442528095, 0.239314335249683, 0.284444444444444, 0.239314335249683,
                                           0.118463442528095 };
  KgVector slope_a, slope_b, u, v;
  Plane plane = { pair, peaks, n, i, { 0, 0, 0 } };

  pair->potential (pair->a, peaks[i], &slope_a);
  pair->potential (pair->b, peaks[i], &slope_b);
  plane.normal = kg_vector_normalize_or (kg_vector_subtract (slope_b, slope_a), kg_vector (0, 1, 0));
  u = kg_vector_perpendicular (plane.normal);
  v = kg_vector_cross (plane.normal, u);
  for (guint angle = 0; angle < N_ANGLES; angle++) {
    const double turn = 2 * G_PI * angle / N_ANGLES;
    const KgVector direction = kg_vector_add (kg_vector_scale (u, cos (turn)), kg_vector_scale (v, sin (turn)));
    const double end = plane_find_end (&plane, direction, step);

    for (guint k = 0; k < N_RADII && end > 0; k++) {
      ContactSample sample;

      if (!plane_sample (&plane, direction, places[k] * end, &sample))
        continue;
      sample.area = 2 * G_PI / N_ANGLES * weights[k] * end * places[k] * end /
                    MAX (kg_vector_dot (sample.normal, plane.normal), 0.1);
      g_array_append_val (samples, sample);
    }
  }
}
