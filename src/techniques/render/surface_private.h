/* surface_private: what the parts of surface share: objects, blocks and their corners.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "render/contours.h"
#include "kg-floats.h"
#include "render/surface.h"

G_BEGIN_DECLS

/* Problems worth telling of one object. */
#define SURFACE_MAX_PROBLEMS 20

/* Sides of the largest disc, and corners of what is clipped: a disc, and one more for each plane. */
#define SURFACE_MAX_SIDES 64
#define SURFACE_MAX_CORNERS (SURFACE_MAX_SIDES + 8)

/* Marks a vertex of a block's own, not yet among all others. */
#define SURFACE_LOCAL 0x80000000u

/* Outside of a plane, by bits 0 to 5; a point that cannot be computed with. */
#define SURFACE_CODE_FAR 0x40

/* Metres from the camera beyond which clipping would overflow. */
#define SURFACE_FAR 1e100

/* A corner of what is clipped. */
typedef struct {
  double at[3];   /* camera space: x, y, z with -z ahead */
  RasterVertex v; /* x, y, nearness and inverse not yet set */
} SurfaceCorner;

/* A corner of a polygon: its vertex, and the point it comes from. */
typedef struct {
  uint32_t vertex, point;
} SurfacePlace;

/* An object while it is added. */
typedef struct {
  Surface *surface;
  const KgObject *object;
  const KgGeometry *geometry;
  const float *p, *normals, *color, *primitive_color, *width;
  guint color_size, primitive_color_size;
  KgTransform to_camera;
  uint32_t material; /* RASTER_LIT unless shaded at each sample */
  bool smooth;       /* shading needs normals of points */
  bool own_normals;  /* computed here, from the polygons */
  bool shares;       /* polygons use the points' vertices as they are */
  uint32_t base;     /* the first point's vertex */
  uint8_t *codes;    /* of points */
  Contours *contours;
} SurfaceObject;

/* What one thread makes of a block. */
typedef struct {
  const SurfaceObject *o;
  GArray *vertices;                /* RasterVertex */
  GArray *triangles, *transparent; /* RasterTriangle */
  GPtrArray *problems;
  GArray *places, *ends, *plane, *ears; /* of one polygon: SurfacePlace, uint32_t, double, uint32_t */
} SurfaceBlock;

/* Not a place to compute with. */
static inline bool
surface_is_far (const double at[3])
{
  return !(fabs (at[0]) < SURFACE_FAR && fabs (at[1]) < SURFACE_FAR && fabs (at[2]) < SURFACE_FAR);
}

/* Which planes a point in camera space is outside of, by bits 0 to 5. */
uint8_t surface_get_code (const Surface *surface, const double at[3]);
/* A point in camera space to the screen: place, nearness (times bias) and inverse of the vertex. */
void surface_project (const Surface *surface, const double at[3], float bias, RasterVertex *v);
void surface_block_init (SurfaceBlock *block, const SurfaceObject *o);
void surface_block_clear (SurfaceBlock *block);
/* Notes why a primitive is left out. */
void surface_block_report (SurfaceBlock *block, size_t primitive, guint object, const char *message);
/* A vertex of the block's own, or of all. */
static inline RasterVertex *
surface_block_get_vertex (const SurfaceBlock *block, uint32_t vertex)
{
  return vertex & SURFACE_LOCAL ? &g_array_index (block->vertices, RasterVertex, vertex & ~SURFACE_LOCAL)
                                : &g_array_index (block->o->surface->raster.vertices, RasterVertex, vertex);
}

/* A convex polygon with vertices of its own: clipped, then drawn as a fan. */
void surface_block_add_convex (SurfaceBlock *block, SurfaceCorner *corners, guint n, uint32_t material, float bias);

/* A point of light as large as a pixel, or smaller: a hill of six triangles over the pixels around it whose heights add up to
 * its area, energy (square pixels, up to 1), wherever it lies between them. */
void surface_block_add_light (SurfaceBlock *block, const SurfaceCorner *center, double energy);

static inline void
surface_make_camera_space (const SurfaceObject *o, KgVector p, double at[3])
{
  const KgVector q = kg_transform_point (o->to_camera, p);

  at[0] = q.x;
  at[1] = q.y;
  at[2] = q.z;
}

static inline KgVector
surface_get_point (const SurfaceObject *o, size_t i)
{
  return kg_floats_get_vector (o->p, i);
}

/* A triangle of vertices that are there already; those that are cut get some of their own. */
void surface_block_add_triangle (SurfaceBlock *block, const SurfacePlace *a, const SurfacePlace *b,
                                 const SurfacePlace *c);
/* The colour of the object times that of the point. */
void surface_set_point_color (const SurfaceObject *o, size_t point, float out[4]);
/* The same with that of the primitive. */
void surface_set_color (const SurfaceObject *o, size_t point, size_t primitive, float out[4]);
/* Draw primitive number index. */
void surface_draw_line (SurfaceBlock *block, size_t index, const KgPrimitive *primitive, guint object);
/* Colours and widths run evenly from control point to control point. */
void surface_draw_spline (SurfaceBlock *block, size_t index, const KgPrimitive *primitive, guint object);
/* A wire about a pixel and a half wide, wherever it is. */
void surface_block_add_wire (SurfaceBlock *block, uint32_t from, uint32_t to);
/* The edges of all polygons, each once however many share it: wires may be transparent.  (transfer full) */
GArray *surface_find_edges (const KgGeometry *geometry);
/* A disc that faces the camera, as round as it is large, and of the same area as if it were quite round. */
void surface_block_add_disc (SurfaceBlock *block, size_t point);

G_END_DECLS
