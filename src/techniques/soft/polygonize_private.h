/* polygonize_private: what cubes of one size and of several share while polygons are made.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "soft/lattice_map.h"
#include "soft/polygonize.h"
#include "soft/surface_memo.h"

/* An edge of the lattice that the surface cuts, from a corner to the one at (x, y, z) plus length times the bits 1, 2, 4 of
 * along. */
typedef struct {
  int32_t x, y, z;
  int32_t length;
  guint8 along;
  bool first_hot;
  float values[2];
} CutEdge;

typedef struct {
  const KgField *field;
  const PolygonizeOptions *o;
  const KgProgressMonitor *monitor;
  SurfaceMemo *memo; /* (nullable) */
  GArray *cubes;     /* SurfaceCube; NULL if they are of several sizes */
  LatticeMap map;    /* of the cut edges */
  GArray *edges;     /* CutEdge: a vertex each */
  float *p;          /* of the vertices */
  GArray *unknown;   /* uint32_t: vertices whose places were not known from before */
  float *gradients;  /* (nullable) of the field at the vertices of edges */
  size_t n_points;
  GArray *sizes;   /* guint: of the polygons */
  GArray *corners; /* uint32_t: their vertices */
} Mesher;

/* The vertex of an edge that nothing divides. */
uint32_t mesher_add_edge (Mesher *mesher, const CutEdge *edge);
void mesher_add_polygon (Mesher *mesher, const uint32_t *vertices, guint n);
/* Of all edges: fills p.  KG_ERROR_CANCELLED. */
bool mesher_place_vertices (Mesher *mesher, GError **error);
/* Of the field at the vertices of edges, 3 numbers each.  (transfer none) */
const float *mesher_get_gradients (Mesher *mesher);
/* The place within a cube that is nearest to the planes of the surface through the given vertices. */
KgVector mesher_find_dual_vertex (const Mesher *mesher, KgVector low, double size, const uint32_t *vertices, guint n,
                                  const float *gradients);

/* Polygons of an adaptive octree.  KG_ERROR_LIMIT, KG_ERROR_CANCELLED. */
bool mesher_make_adaptive (Mesher *mesher, PolygonizeResult *result, GError **error);
