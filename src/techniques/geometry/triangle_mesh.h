/* triangle_mesh: the polygons of a geometry as triangles in a tree of bounding boxes: which is nearest, what a ray hits, what
 * is inside, and where two meshes cross.
 *
 * Inside: by planes (convex solids), by the parity of crossings of a ray, which is asked in another direction when it grazes an
 * edge, or by the winding number, the solid angles of all triangles (van Oosterom and Strackee 1983) over 4 π, which
 * tolerates holes (Jacobson, Kavan and Sorkine-Hornung 2013); far triangles count together as one dipole (Barill et al. 2018).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/box_tree.h"
#include "kg-floats.h"
#include "kg-geometry.h"

G_BEGIN_DECLS

/* Read only once it is made. */
typedef struct {
  KgGeometry *geometry;
  const float *p;
  size_t n;               /* triangles */
  uint32_t (*corners)[3]; /* indices of points */
  uint32_t *polygon;      /* of which primitive each is a part */
  BoxTree *tree;
  double size;    /* diagonal of the bounds */
  size_t n_open;  /* edges without a partner of the opposite direction */
  uint8_t *edges; /* of each triangle: bit k when it is the first one with the edge from corner k on */
} TriangleMesh;

/* Appends the corners of the polygons' triangles, three indices (uint32_t) each, and of which primitive each is a part (uint32_t).
 * Polygons with dents are cut properly; those of fewer than three corners, lines, and triangles with one point twice are left out.
 * False and *error: too many triangles.  False without an error: cancelled. */
bool triangle_mesh_cut_polygons (const KgGeometry *geometry, GArray *triangles, GArray *polygons,
                                 const KgProgressMonitor *monitor, GError **error);

/* Polygons with dents are cut properly; those of fewer than three corners, lines and what has no area are left out.  NULL and
 * *error: too many triangles.  NULL without an error: cancelled.  (transfer full) */
TriangleMesh *triangle_mesh_new (const KgGeometry *geometry, const KgProgressMonitor *monitor, GError **error);
void triangle_mesh_free (TriangleMesh *mesh);

static inline KgVector
triangle_mesh_get_point (const TriangleMesh *mesh, uint32_t i)
{
  return kg_floats_get_vector (mesh->p, (size_t) i);
}

void triangle_mesh_get_corners (const TriangleMesh *mesh, size_t triangle, KgVector corners[3]);

/* The point of a triangle nearest to x (Ericson 2005, 5.1.5). */
KgVector triangle_find_nearest (const KgVector corners[3], KgVector x);

typedef struct {
  uint32_t triangle;
  KgVector point;
  double distance;
} MeshNearest;

/* The nearest point of a mesh with one triangle at least; the lowest triangle of equally near ones. */
MeshNearest triangle_mesh_find_nearest (const TriangleMesh *mesh, KgVector x);
/* Whether some triangle is nearer to x than distance: known long before which is nearest, if several are. */
bool triangle_mesh_is_within (const TriangleMesh *mesh, KgVector x, double distance);

/* The first hit of a ray from x along d: at x + *t d, from t = 0 to the *t given.  False: none. */
bool triangle_mesh_hit (const TriangleMesh *mesh, KgVector x, KgVector d, double *t, uint32_t *triangle);

typedef enum { INSIDE_RAY, INSIDE_WINDING, INSIDE_PLANES } InsideMethod;

/* Dipoles of the parts of a mesh. */
typedef struct _MeshWinding MeshWinding;
MeshWinding *mesh_winding_new (const TriangleMesh *mesh);
void mesh_winding_free (MeshWinding *winding);
/* Exact for meshes of up to 256 triangles, and next to the surface of all; else to about 0.01. */
double mesh_winding_get (const MeshWinding *winding, KgVector x);

/* winding: (nullable) for INSIDE_WINDING and where all rays graze edges; made for the call when missing. */
bool triangle_mesh_contains (const TriangleMesh *mesh, const MeshWinding *winding, InsideMethod method, KgVector x);
/* By rays, inside of the triangles of one part.  part: of each triangle. */
bool triangle_mesh_part_contains (const TriangleMesh *mesh, const uint32_t *part, uint32_t which, KgVector x);

/* Where an edge of one mesh goes through a face of the other. */
typedef struct {
  KgVector point, normal; /* unit, from b to a: the face's, as it pushes the edge out */
  double depth;           /* how far the end of the edge is behind the face */
  uint32_t a, b;          /* triangles */
  bool edge_of_a;
} MeshCrossing;

/* All of them, sorted by a, b.  NULL and *error: more than limit pairs of triangles come near each other; NULL without: cancelled.
 * n_tests: (out) boxes compared.  (transfer full) MeshCrossing */
GArray *triangle_mesh_find_crossings (const TriangleMesh *a, const TriangleMesh *b, size_t limit, size_t *n_tests,
                                      const KgProgressMonitor *monitor, GError **error);

/* The least distance of two meshes that do not cross. */
double triangle_mesh_find_distance (const TriangleMesh *a, const TriangleMesh *b, KgVector *on_a, KgVector *on_b);

/* When a moves straight, without turning. */
typedef struct {
  double time;            /* 0 to 1, the share of the way; -1: it touches nothing */
  KgVector point, normal; /* where they touch, in the place of b; unit, against the move */
  uint32_t a, b;          /* triangles */
  bool edges;             /* an edge met an edge; else a corner met a face */
} MeshImpact;

/* The first touch, exactly: corners against faces both ways, and edges against edges.  Meshes that touch already are for
 * triangle_mesh_find_crossings ().  False and *error: more than limit pairs of triangles pass each other; without: cancelled. */
bool triangle_mesh_find_impact (const TriangleMesh *a, const TriangleMesh *b, KgVector move, size_t limit,
                                MeshImpact *impact, const KgProgressMonitor *monitor, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TriangleMesh, triangle_mesh_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (MeshWinding, mesh_winding_free)

G_END_DECLS
