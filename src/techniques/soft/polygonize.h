/* polygonize: the surface of a body that a scalar field stands for, as polygons.
 *
 * A lattice of cubes is laid through space.  Cubes with corners on both sides of the surface are found, either all in a box or
 * by walking over the surface from seeds, and each makes its polygons.  A vertex belongs to an edge of the lattice, so that
 * neighbours share it: the surface is closed wherever it does not leave the box.  Cubes are in the order of z, y, x: the mesh is
 * the same whichever way they were found, and for any number of threads.
 * Cubes of different sizes meet without cracks, because what is on an edge or face is decided by the smallest cubes that touch
 * it, and by no cube alone; see surface_octree.h.
 * Sources: Wyvill, McPheeters and Wyvill, Data Structure for Soft Objects, 1986; Lorensen and Cline 1987; Bloomenthal, Polygonization of
 * Implicit Surfaces, 1988;
 * Nielson and Hamann 1991 (ambiguous faces); Ju, Losasso, Schaefer and Warren, Dual Contouring of Hermite Data, 2002.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "kg-geometry.h"
#include "kg-memo-store.h"
#include "kg-progress.h"

G_BEGIN_DECLS

typedef enum {
  POLYGONIZE_WALK,
  POLYGONIZE_FULL,
  POLYGONIZE_OCTREE,   /* large cubes are halved where the surface passes through them, down to the cell */
  POLYGONIZE_ADAPTIVE, /* only where it is not flat; without cracks between cubes of different sizes */
  POLYGONIZE_N_METHODS
} PolygonizeMethod;

/* Most halvings of the largest cubes. */
#define POLYGONIZE_MAX_LEVELS 12

typedef enum {
  POLYGONIZE_POLYGONS, /* vertices on the edges of the lattice */
  POLYGONIZE_DUAL,     /* a vertex within each cube, where the planes of the surface meet: keeps edges sharp */
  POLYGONIZE_BOXES,    /* the cubes themselves */
  POLYGONIZE_N_SURFACES
} PolygonizeSurface;

/* Where two diagonal corners of a face are inside. */
typedef enum {
  POLYGONIZE_DECIDE, /* as the bilinear interpolation of the face says */
  POLYGONIZE_SEPARATE,
  POLYGONIZE_JOIN,
  POLYGONIZE_TETRAHEDRA, /* cubes are cut into six tetrahedra, where it does not happen */
  POLYGONIZE_N_AMBIGUITIES
} PolygonizeAmbiguity;

typedef struct {
  double cell;        /* metres, > 0 */
  KgVector origin;    /* of the lattice */
  KgVector low, high; /* the box to look in */
  double level;       /* of the surface */
  double time;        /* seconds */
  size_t limit;       /* most cubes to look at */
  PolygonizeMethod method;
  int levels;       /* octrees: the largest cubes have sides of 2^levels cells, at multiples of these from the origin */
  double max_angle; /* adaptive: radians between normals of the surface within a cube; > 0 */
  double
      max_error; /* adaptive: metres between the surface and its polygons, as far as a look at their middles tells; 0: any */
  bool graded; /* adaptive: cubes next to each other on the surface differ by no more than one halving */
  PolygonizeSurface surface;
  PolygonizeAmbiguity ambiguity;
  bool exact;     /* vertices where the field has the level, not where linear interpolation of the corners has it */
  bool triangles; /* cuts polygons, and drops those without extent */
  bool normals;   /* N on points, from the gradient */
  const KgField *color; /* (nullable) of width 3: Cd on points */
  /* (nullable) What was found is kept here, and what is the same still is found again: see surface_memo.h.  The result has
   * the same bits with and without. */
  const KgMemoStore *memos;
} PolygonizeOptions;

typedef struct {
  KgGeometry *mesh; /* owned */
  size_t cubes;     /* that the surface passes through */
  size_t pieces;
  int64_t euler; /* vertices − edges + faces, of the polygons before they are cut */
  double volume; /* enclosed; cavities count negative; square metres below */
  double area;
  size_t n_open;    /* edges of only one polygon: the surface leaves the box */
  size_t n_samples; /* corners of cubes where the field was looked at, in this call */
  size_t n_missed;  /* cubes that a coarse scan found, and walking from the seeds had not */
  size_t
      n_thin; /* seeds within the body with no corner of their cell in it: what is thinner than a cell is missing there */
} PolygonizeResult;

/* Fails with KG_ERROR_LIMIT (and the size of cell that fits), KG_ERROR_CANCELLED. */
bool polygonize (const KgField *field, const PolygonizeOptions *options, const KgProgressMonitor *monitor,
                 PolygonizeResult *result, GError **error);

G_END_DECLS
