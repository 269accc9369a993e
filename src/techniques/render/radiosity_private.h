/* radiosity_private: what the parts of radiosity share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"
#include "render/radiosity.h"

G_BEGIN_DECLS

/* What a point of a facet is made of. */
typedef struct {
  double emission[3], reflectance[3];
} RadiosityMaterial;

/* A face that is a plane convex quadrilateral, or a triangle: point (u, v) is a + u e + v f + u v g.  Quadrilaterals are divided into
 * columns by rows cells, triangles (u + v <= 1) into columns squared. */
typedef struct {
  uint32_t polygon, corners[4];
  uint8_t n; /* 3 or 4 */
  bool flat; /* g is 0 */
  KgVector a, e, f, g, normal;
  KgVector to_u, to_v;     /* flat: products with p - a give u and v */
  KgVector x, y;           /* axes of the plane */
  uint32_t columns, rows;  /* of patches */
  size_t first;            /* patch, of the front; those of the back follow */
  RadiosityMaterial at[4]; /* corners */
  double mirror, shine;
} RadiosityFacet;

typedef struct {
  KgVector a, e1, e2;
  uint32_t facet;
  bool second; /* of the two of a quadrilateral */
} RadiosityTriangle;

typedef struct {
  const RadiosityRule *rule;
  const KgProgressMonitor *monitor;
  TriangleMesh *mesh;
  BoxTree *tree;                /* of its triangles, with a margin: rays that start on an edge find both sides of it */
  RadiosityTriangle *triangles; /* of the mesh */
  RadiosityFacet *facets;
  size_t n_facets;
  double size, near; /* diagonal, and a distance that is none */
  Radiosity *result;
  double *samples; /* 4 numbers for each ray */
} RadiosityScene;

/* The corners of a cell: n of them, as (u, v). */
typedef struct {
  int n;
  double at[4][2];
} RadiosityCell;

/* Dividing (radiosity_patches.c).  times: 1 for patches, rule->elements for elements. */
bool radiosity_divide (RadiosityScene *scene, const KgGeometry *geometry, GError **error);
size_t radiosity_get_n_cells (const RadiosityFacet *facet, uint32_t times);
RadiosityCell radiosity_get_cell (const RadiosityFacet *facet, uint32_t times, size_t cell);
size_t radiosity_find_cell (const RadiosityFacet *facet, uint32_t times, double u, double v);
KgVector radiosity_get_point (const RadiosityFacet *facet, double u, double v);
RadiosityMaterial radiosity_get_material (const RadiosityFacet *facet, double u, double v);
/* Uniform in a cell, from two uniform numbers. */
KgVector radiosity_sample_cell (const RadiosityFacet *facet, const RadiosityCell *cell, const double at[2]);
/* The cell that an element is. */
RadiosityCell radiosity_get_element_cell (const RadiosityScene *scene, size_t element);
RadiosityCell radiosity_get_patch_cell (const RadiosityScene *scene, size_t patch);
void radiosity_find_uv (const RadiosityFacet *facet, KgVector p, double *u, double *v);

/* Looking (radiosity_look.c). */
#define RADIOSITY_OUTSIDE G_MAXUINT32
#define RADIOSITY_DARK (G_MAXUINT32 - 1) /* the back of a face that has none */
#define RADIOSITY_NO_FACET G_MAXUINT32
#define RADIOSITY_MOST_SEEN 256

typedef struct {
  uint32_t patch; /* or one of the above */
  double share;
  KgVector d; /* unit, in which it was met */
} RadiositySeen;

/* What a ray that leaves a facet meets, and what mirrors show of the rest.  The number of seen. */
int radiosity_look (const RadiosityScene *scene, uint32_t facet, KgVector x, KgVector d, RadiositySeen *seen);
/* The axes of a patch: z is its normal. */
void radiosity_get_axes (KgVector normal, KgVector axes[3]);
static inline KgVector
radiosity_to_world (const KgVector axes[3], KgVector d)
{
  return kg_vector_add_scaled (kg_vector_add_scaled (kg_vector_scale (axes[0], d.x), d.y, axes[1]), d.z, axes[2]);
}
static inline KgVector
radiosity_to_local (const KgVector axes[3], KgVector d)
{
  return kg_vector (kg_vector_dot (d, axes[0]), kg_vector_dot (d, axes[1]), kg_vector_dot (d, axes[2]));
}
/* False: cancelled (or *error).  done: of all work, where they begin and end. */
bool radiosity_find_factors (RadiosityScene *scene, double from, double to);
bool radiosity_shoot (RadiosityScene *scene, double from, double to);
bool radiosity_solve_directions (RadiosityScene *scene, GError **error);

G_END_DECLS
