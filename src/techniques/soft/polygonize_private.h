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
  LatticeMap turned; /* faces whose diagonal corners are taken the other way than the rule says: of duals */
  GArray *edges;     /* CutEdge: a vertex each */
  float *p;          /* of the vertices */
  GArray *unknown;   /* uint32_t: vertices whose places were not known from before */
  float *gradients;  /* (nullable) of the field at the vertices of edges */
  size_t n_points;
  GArray *sizes;   /* guint: of the polygons */
  GArray *corners; /* uint32_t: their vertices */
  size_t n_shared; /* sides that two polygons have in common, as polygons of cubes of one size are cut */
} Mesher;

/* The vertex of an edge that nothing divides. */
uint32_t mesher_add_edge (Mesher *mesher, const CutEdge *edge);
void mesher_add_polygon (Mesher *mesher, const uint32_t *vertices, guint n);
/* What was found is for the next frame: after gradients, where they are wanted. */
void mesher_remember (Mesher *mesher);

/* The cube that a polygon of the primal surface is from. */
typedef struct {
  KgVector low;
  double size; /* metres */
} PolygonOwner;

/* Places the vertices of the polygons, finds the gradients there where they are wanted, remembers both, and exchanges the
 * polygons for those of the dual surface if that is wanted.  owners: PolygonOwner of each polygon, for the dual.
 * KG_ERROR_CANCELLED. */
bool mesher_finish (Mesher *mesher, const GArray *owners, GError **error);

/* Polygons of an adaptive octree.  KG_ERROR_LIMIT, KG_ERROR_CANCELLED. */
bool mesher_make_adaptive (Mesher *mesher, PolygonizeResult *result, GError **error);
