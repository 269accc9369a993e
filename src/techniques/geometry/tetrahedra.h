/* tetrahedra: a closed mesh filled with tetrahedra.
 *
 * Space is divided into the tetrahedra of a body-centred cubic lattice, four around each face between two cells.  Lattice
 * points that the surface passes closely move onto it; tetrahedra that it cuts are cut, where its edges cross it, into
 * tetrahedra and prisms, and these into tetrahedra: by the point of lowest index of each of their faces, so that neighbours
 * agree.  The tetrahedra inside are all alike and nearly regular, and no small ones are left at the surface.  Parts
 * of the mesh that are thinner than a cell may be lost, and its edges are cut off.
 *
 * Sources: Labelle and Shewchuk, Isosurface stuffing, 2007 (lattice, warping, cutting); Dompierre, Labbé, Vallet and
 * Camarero, How to subdivide pyramids, prisms and hexahedra into tetrahedra, 1999.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"

G_BEGIN_DECLS

/* Cells of the lattice around the mesh. */
#define TETRAHEDRA_MOST_CELLS 4000000

typedef struct {
  size_t n_points, n;
  KgVector *points;       /* metres */
  uint32_t (*corners)[4]; /* of positive volume: (b - a) × (c - a) · (d - a) > 0 */
} Tetrahedra;

/* Fills a mesh; cell: side of a cell of the lattice, metres, above 0.  What is inside a mesh that is not closed is found by
 * the winding number.  False and *error: KG_ERROR_LIMIT, too many cells; KG_ERROR_DEGENERATE, nothing is inside.  False
 * without an error: cancelled. */
bool tetrahedra_fill (const TriangleMesh *mesh, double cell, Tetrahedra *tetrahedra, const KgProgressMonitor *monitor,
                      GError **error);
void tetrahedra_clear (Tetrahedra *tetrahedra);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tetrahedra, tetrahedra_clear)

/* The faces that only one tetrahedron has, seen from outside counter-clockwise, in the order of the tetrahedra: three indices each.
 * (transfer full) */
GArray *tetrahedra_get_surface (const Tetrahedra *tetrahedra);

typedef struct {
  double volume;                  /* m³ */
  double least_angle, most_angle; /* radians, between two faces of a tetrahedron */
} TetrahedraMeasure;

TetrahedraMeasure tetrahedra_measure (const Tetrahedra *tetrahedra);

/* A sixth of the triple product: positive where the corners are in the order above. */
static inline double
tetrahedron_get_volume (const KgVector x[4])
{
  return kg_vector_dot (kg_vector_cross (kg_vector_subtract (x[1], x[0]), kg_vector_subtract (x[2], x[0])),
                        kg_vector_subtract (x[3], x[0])) /
         6;
}

G_END_DECLS
