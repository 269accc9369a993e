/* triangle: what is known of a triangle, from its corners or from any three sides and angles that fix it.
 *
 * Corners are A, B, C; a, b, c the sides opposite to them, and alpha, beta, gamma the angles at them.  Angles between edges come
 * from cross and dot products, angles from sides by half-angle forms, and areas from sides in Kahan's order, so that needles keep
 * their digits (Kahan, Miscalculating Area and Angles of a Needle-like Triangle, 2014).
 * Sources: Parent, Computer Animation, B.2.7 to B.2.9; Kahan 2014.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-math.h"

G_BEGIN_DECLS

typedef struct {
  double area;     /* not negative */
  KgVector normal; /* unit; by the right hand around A, B, C; zero where the corners lie on one line */
  KgVector sides;  /* a, b, c */
  KgVector angles; /* alpha, beta, gamma, radians */
  KgVector centroid, circumcenter, incenter, orthocenter;
  double circumradius, inradius;
  bool degenerate; /* area at most 1e-12 of the square of the longest side: no normal, circumcentre or orthocentre */
} Triangle;

Triangle triangle_new (const KgVector corners[3]);

/* The area alone. */
static inline double
triangle_get_area (const KgVector corners[3])
{
  return 0.5 * kg_vector_length (kg_vector_cross (kg_vector_subtract (corners[1], corners[0]),
                                                  kg_vector_subtract (corners[2], corners[0])));
}

/* Where a line passes through its plane: x + t d = A + u (B - A) + v (C - A), within the triangle where u and v are not negative and
 * not more than 1 together (Möller and Trumbore 1997).  Returns the determinant, (B - A) · (d × (C - A)): where that is 0, and near
 * it but for rounding, the line is along the plane, and the numbers mean nothing. */
static inline double
triangle_pierce (const KgVector corners[3], KgVector x, KgVector d, double *u, double *v, double *t)
{
  const KgVector e1 = kg_vector_subtract (corners[1], corners[0]), e2 = kg_vector_subtract (corners[2], corners[0]);
  const KgVector p = kg_vector_cross (d, e2), s = kg_vector_subtract (x, corners[0]), q = kg_vector_cross (s, e1);
  const double determinant = kg_vector_dot (e1, p);

  *u = kg_vector_dot (s, p) / determinant;
  *v = kg_vector_dot (d, q) / determinant;
  *t = kg_vector_dot (e2, q) / determinant;
  return determinant;
}

/* The weights of the corners whose sum is the foot of p on the plane: signed, adding to 1.  Of a degenerate triangle the
 * nearest point of its longest side. */
KgVector triangle_get_weights (const KgVector corners[3], KgVector p);

/* The solid angle that it takes up as seen from a place, -2 pi to 2 pi: positive where that sees its back, and 0 from a place on
 * it (van Oosterom and Strackee 1983). */
double triangle_get_solid_angle (const KgVector corners[3], KgVector place);

/* The three angles opposite to three sides; a degenerate triangle (one side as long as the others together, to 1e-12)
 * has angles of 0 and pi.  Fails where a side is not positive or the others do not reach. */
bool triangle_get_angles_from_sides (KgVector sides, KgVector *angles, GError **error);
/* Heron's formula in the order of Kahan; 0 where the sides do not reach. */
double triangle_get_area_from_sides (KgVector sides);

typedef enum {
  TRIANGLE_SIDES,       /* a, b, c */
  TRIANGLE_SIDES_ANGLE, /* b, c and the angle alpha between them */
  TRIANGLE_ANGLES_SIDE, /* alpha, beta and the side c between them */
  TRIANGLE_ANGLES_FAR,  /* alpha, beta and the side a opposite to alpha */
  TRIANGLE_SIDES_FAR,   /* a, b and the angle alpha opposite to a: the larger angle beta where other is false */
  TRIANGLE_N_GIVENS
} TriangleGiven;

/* Fills sides and angles from those given, and leaves no other.  other: the second solution, where there are two.
 * solutions: (out) 1 or 2.  Fails where there is none, saying why. */
bool triangle_solve (TriangleGiven given, bool other, KgVector *sides, KgVector *angles, guint *solutions,
                     GError **error);

G_END_DECLS
