/* mass_properties: mass, centre of mass and tensor of inertia of solids, sheets, wires, points and simple shapes.
 *
 * Integrals of quadratics over a simplex with n corners c_i are measure / (n (n + 1)) (sum c_i c_iᵀ + s sᵀ), s = sum c_i.  A
 * solid is the sum of the signed tetrahedra between its faces and a point near it (Tonon 2004; Eberly, Polyhedral Mass
 * Properties, 2002).  All sums are kept in double, in blocks of a fixed size that are added in order: the same bits for any
 * number of threads.  Units: metres, kilograms.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/symmetric_matrix.h"
#include "kg-geometry.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* Integrals over things of any dimension: what they measure (kg of points, m, m², m³), and that times place, times the
 * square of the place. */
typedef struct {
  double measure;
  KgVector first;
  SymmetricMatrix second;
} Moments;

/* Adds a point, segment, triangle or tetrahedron of n (1 to 4) corners; measure: its mass, length, area or volume, which
 * may be negative. */
void moments_add (Moments *moments, const KgVector *corners, guint n, double measure);

typedef struct {
  double mass;
  KgVector center;
  SymmetricMatrix inertia; /* about the centre */
} MassProperties;

/* Spreads a mass evenly over what was added.  False when there is no measure. */
bool moments_get_mass_properties (const Moments *moments, double mass, MassProperties *result);

/* What fills a geometry with mass. */
typedef enum {
  MASS_AUTO,   /* solid where the polygons close, else shell, else lines, else points */
  MASS_SOLID,  /* what is inside of the closed polygons */
  MASS_SHELL,  /* the polygons, as thin sheets */
  MASS_LINES,  /* the polylines and splines, straight from point to point, as thin wires */
  MASS_POINTS, /* the points; attribute mass (1 float), or equal masses */
  MASS_N_MODELS
} MassModel;

typedef struct {
  MassModel model;
  double density; /* kg/m³ */
  double total;   /* kg; more than 0: density follows from it */
  double thickness; /* m, of sheets and wires: a sheet weighs density · thickness, a wire density · π/4 · thickness² */
} MassFilling;

/* What is found besides. */
typedef struct {
  MassModel model; /* which was taken for MASS_AUTO */
  double volume;   /* m³ inside of the polygons when they close, else 0 */
  double area;     /* m² of all polygons */
  double length;   /* m of all lines, and of closed ones with the closing segment */
  bool closed;     /* every edge of the polygons is gone along as often in one direction as in the other */
  bool inside_out; /* the polygons close, but face inwards */
} MassExtent;

/* Mass properties of a geometry.  warning: (out): a substitute was made.  False and *error: nothing to weigh; a solid that
 * is not closed (with the number of its open edges) or encloses nothing; negative masses.  False without an error: cancelled. */
bool mass_properties_measure (const KgGeometry *geometry, const MassFilling *filling, const KgProgressMonitor *monitor,
                              MassProperties *result, MassExtent *extent, GError **warning, GError **error);

/* The extent alone, and the centre of the solid, the surface, the lines or the points, as there are.  False: cancelled. */
bool mass_properties_get_extent (const KgGeometry *geometry, const KgProgressMonitor *monitor, MassExtent *extent,
                                 KgVector *center);

/* The sum of the area vectors of all polygons, or of the closed lines where there are none: ½ Σ (Pᵢ − P₁) × (Pᵢ₊₁ − P₁), Newell's
 * normal.  0 of a closed surface; of a plane polygon its normal, as long as its area.  False: cancelled. */
bool mass_properties_get_area_vector (const KgGeometry *geometry, const KgProgressMonitor *monitor, KgVector *area);

/* The area of each primitive (area: as many as there are), in square metres: the length of its area vector, which is that of its
 * projection where it is not plane; 0 of lines.  False: cancelled. */
bool mass_properties_get_areas (const KgGeometry *geometry, const KgProgressMonitor *monitor, float *area);

/* Closed forms, about the centre of mass. */
typedef enum {
  MASS_BOX,         /* size: its sides */
  MASS_ELLIPSOID,   /* size: its diameters; equal ones make a ball */
  MASS_HOLLOW_BALL, /* size.x: diameter; all mass is on the surface */
  MASS_CYLINDER,    /* along y; diameters size.x and size.z */
  MASS_CONE, /* tip at y; diameters of the base size.x and size.z.  The centre is a quarter of the height above it */
  MASS_CAPSULE, /* along y, size.y from tip to tip; diameters size.x and size.z, and ends as high as half of the smaller one */
  MASS_TORUS, /* around y; size.x and size.z from side to side, size.y thick (a tube higher than wide where it must be) */
  MASS_N_SHAPES
} MassShape;

/* Of a shape that fills a box of this size around the origin (sizes >= 0).  Its volume is for the caller to make the mass
 * from. */
double mass_shape_get_volume (MassShape shape, KgVector size);
MassProperties mass_shape_get_properties (MassShape shape, KgVector size, double mass);

/* The tensor about a point that is d away from the centre of mass (parallel axes; Huygens 1673, Steiner). */
SymmetricMatrix mass_properties_get_inertia_about (const MassProperties *properties, KgVector d);
/* Two bodies as one. */
MassProperties mass_properties_join (const MassProperties *a, const MassProperties *b);
/* Moved: rotated about the origin, then translated. */
MassProperties mass_properties_move (const MassProperties *properties, KgRotation rotation, KgVector translation);

/* How many edges of the polygons have no partner of the opposite direction.  Takes a while: it sorts the edges. */
size_t mesh_count_open_edges (const KgGeometry *geometry);

G_END_DECLS
