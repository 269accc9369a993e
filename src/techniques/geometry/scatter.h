/* scatter: points strewn over surfaces, through solids and along curves, which stick to them when they move.
 *
 * Uniform by area, volume or length: a triangle by its share of the area, a place in it by Turk, Generating Random Points in
 * Triangles, Graphics Gems, 1990.  Spread out: darts that land too near an earlier one are discarded (Cook, Stochastic Sampling in
 * Computer Graphics, ACM TOG 1986), or the most crowded of five times as many are removed one by one (Yuksel, Sample Elimination
 * for Generating Poisson Disk Sample Sets, Computer Graphics Forum 2015).
 *
 * Each point draws its own numbers by hashing (seed, its number), so that it stays where it is when others come and go.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"
#include "kg-field.h"

G_BEGIN_DECLS

typedef enum {
  SCATTER_SURFACE, /* polygons */
  SCATTER_VOLUME,  /* the inside of closed polygons */
  SCATTER_CURVE,   /* lines and splines, and the outlines of polygons */
  SCATTER_N_DOMAINS
} ScatterDomain;

typedef enum {
  SCATTER_RANDOM, /* count points, each by itself: they clump */
  SCATTER_EVEN,   /* count points, spread out by elimination */
  SCATTER_DISC,   /* as many as keep the distance from each other */
  SCATTER_N_PATTERNS
} ScatterPattern;

/* Most points. */
#define SCATTER_MAX_POINTS 10000000
#define SCATTER_MAX_EVEN 250000

typedef struct {
  ScatterDomain domain;
  ScatterPattern pattern;
  size_t count;    /* not of SCATTER_DISC */
  double distance; /* metres, > 0; of SCATTER_DISC */
  uint64_t seed;
  /* What is left of the points, 0 to 1 at each place; both are multiplied. */
  const KgField *density; /* (nullable) one number; sampled where the points are at rest */
  double time;
  const char *attribute; /* (nullable) of the points of the geometry, one number; not of SCATTER_VOLUME */
} ScatterRule;

/* Where points are on a geometry, whatever its shape. */
typedef struct {
  ScatterDomain domain;
  size_t n;
  int32_t *id;     /* which draw each is, ascending */
  uint32_t *part;  /* triangle of the mesh, or primitive; NULL for volumes */
  double (*at)[3]; /* weights of the corners; for curves their parameter u, 0, 0; for volumes the place */
  double measure;  /* square metres, cubic metres or metres that the points are on */
  size_t n_open;   /* edges of a volume that have no partner: what is inside is then estimated */
  size_t n_tried;  /* places after which the search for more points ended, although some were lacking; 0: none were */
} Scatter;

/* mesh: of geometry; for curves NULL.  False and *error: KG_ERROR_DEGENERATE (nothing to be on; a density of 0 is fine), KG_ERROR_LIMIT (too many),
 * KG_ERROR_INVALID_VALUE (no such attribute).  False without an error: cancelled. */
bool scatter_find (Scatter *scatter, const KgGeometry *geometry, const TriangleMesh *mesh, const ScatterRule *rule,
                   const KgProgressMonitor *monitor, GError **error);
void scatter_clear (Scatter *scatter);
size_t scatter_get_bytes (const Scatter *scatter);

/* The points on a geometry with the primitives of the one they were found on (rest), wherever its points are now.  They get N
 * (unit), orient (z along N; x along the first edge of the triangle or the tangent, turned about N by up to spin radians to
 * either side, by seed and id), id, primitive, and all float attributes of the geometry's points, mixed; points in volumes only id
 * and a turn.  rest: the mesh, as for scatter_find.  NULL: cancelled, or *error.  (transfer full) (nullable) */
KgGeometry *scatter_make_points (const Scatter *scatter, const KgGeometry *geometry, const TriangleMesh *rest,
                                 uint64_t seed, double spin, const KgProgressMonitor *monitor, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scatter, scatter_clear)

G_END_DECLS
