/* kg-geometry: points with named attributes, and primitives over them.
 * One type for meshes, curves, particles and lattices.  Arrays are shared between geometries until one
 * of them is edited: a deformer that rewrites P shares everything else with its input.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-buffer.h"
#include "kg-types.h"
#include "kg-math.h"

G_BEGIN_DECLS

/* Limit on points, vertices and primitives of one geometry (indices are 32 bit). */
#define KG_GEOMETRY_MAX_POINTS ((size_t) 1 << 30)

/* What an attribute belongs to. */
typedef enum { KG_POINTS, KG_PRIMITIVES, KG_WHOLE, KG_N_DOMAINS } KgDomain;

typedef enum { KG_FLOAT32, KG_INT32, KG_STRING } KgScalar;

typedef enum { KG_POLYGON, KG_POLYLINE, KG_SPLINE } KgPrimitiveKind;

/* How the points of a KG_SPLINE make a curve.  Hermite reads the point attributes tangent_in and
 * tangent_out (3 floats, for a unit of the parameter of one segment); Kochanek-Bartels reads tcb (3 floats: tension,
 * continuity, bias); a B-spline without weights of its own reads weight (1 float) where present. */
typedef enum {
  KG_BASIS_LINEAR,
  KG_BASIS_HERMITE,
  KG_BASIS_CATMULL_ROM,
  KG_BASIS_BEZIER, /* composite cubic when order is 4 (3m + 1 points), one curve of degree n - 1 when 0 */
  KG_BASIS_BSPLINE,
  KG_BASIS_KOCHANEK_BARTELS,
  KG_BASIS_FOUR_POINT,   /* cubics through groups of four points (3m + 1), one after the other */
  KG_BASIS_CUBIC_SPLINE, /* through all points with continuous second derivatives */
  KG_N_BASES
} KgBasis;

/* What the first and the last piece of an open spline do where the points do not say it.  Phantom belongs to cubic
 * B-splines, not-a-knot to cubic splines, the others to splines through their points. */
typedef enum {
  KG_END_AUTO,       /* aims at the mirror image of the second neighbour; cubic splines: natural */
  KG_END_REFLECT,    /* as if the neighbour were mirrored in the end */
  KG_END_REPEAT,     /* as if the end were there twice */
  KG_END_GIVEN,      /* tangent_out of the first point, tangent_in of the last */
  KG_END_PARABOLA,   /* the last piece is a parabola */
  KG_END_NATURAL,    /* no second derivative at the end */
  KG_END_NOT_A_KNOT, /* the first two pieces are one cubic, and so are the last two */
  KG_END_PHANTOM,    /* one more control point, so that the curve starts and ends at the given ones */
  KG_N_ENDS
} KgSplineEnd;

/* How long the parameter takes from point to point of a spline through its points. */
typedef enum { KG_SPACING_UNIFORM, KG_SPACING_CHORD, KG_SPACING_CENTRIPETAL, KG_N_SPACINGS } KgSplineSpacing;

/* What an artist may choose beyond the basis; all zeros are the plain choices.  Together with points and knots it
 * determines the curve: tangents that follow from points are not stored, so that they follow the points when these
 * move. */
typedef struct {
  KgSplineEnd end;
  KgSplineSpacing spacing;
  bool bisector;         /* tangents halve the angle between the neighbours (Catmull-Rom) */
  bool relative_lengths; /* and are as long as the pieces beside them: no jump in direction, but in speed */
} KgSplineRule;

/* One primitive.  vertices index the points; they live as long as the geometry is not edited. */
typedef struct {
  KgPrimitiveKind kind;
  bool closed;   /* polylines and splines; polygons always are */
  KgBasis basis; /* splines */
  uint8_t order; /* splines: degree + 1, 0 where the basis fixes it */
  uint32_t n_vertices;
  const uint32_t *vertices;
  /* B-splines: 0 (uniform), or n_vertices + order (closed: n_vertices + 1, one turn).  Four-point: 0, or the 4 places of
   * a group.  All others: 0, or the parameter at each end of a piece. */
  uint32_t n_knots;
  const double *knots;
  const double *weights; /* B-splines and Bezier curves: NULL (all 1), or n_vertices */
  KgSplineRule rule;     /* splines */
} KgPrimitive;

/* Read-only view of an attribute. */
typedef struct {
  const char *name; /* interned */
  KgScalar scalar;
  uint8_t size;     /* components: 1-4, 9 or 16 */
  size_t count;     /* elements */
  const void *data; /* const float *, const int32_t *, or char *const * (GRefString, NULL for empty) */
} KgAttribute;

/* (transfer full) An empty geometry; it has P with 0 points. */
KgGeometry *kg_geometry_new (void);
KgGeometry *kg_geometry_ref (const KgGeometry *geometry);
void kg_geometry_unref (KgGeometry *geometry);

/* Makes *geometry the caller's alone: a copy that shares all arrays when someone else holds it too.
 * Every editing function below needs that. */
void kg_geometry_make_writable (KgGeometry **geometry);

size_t kg_geometry_get_n_points (const KgGeometry *geometry);
/* Grows with zeros or cuts off at the end, in every point attribute.  False and *error (KG_ERROR_LIMIT) when
 * too large for memory or beyond KG_GEOMETRY_MAX_POINTS.  Primitives must not refer to points cut off. */
bool kg_geometry_set_n_points (KgGeometry *geometry, size_t n, GError **error);

/* Attributes.  The getters return NULL when there is no attribute of that name, scalar type and size.
 * KG_WHOLE has one element, KG_PRIMITIVES one for each primitive. */
guint kg_geometry_get_n_attributes (const KgGeometry *geometry, KgDomain domain);
void kg_geometry_get_attribute (const KgGeometry *geometry, KgDomain domain, guint index, KgAttribute *attribute);
bool kg_geometry_find_attribute (const KgGeometry *geometry, KgDomain domain, const char *name, KgAttribute *attribute);
const float *kg_geometry_get_float (const KgGeometry *geometry, KgDomain domain, const char *name, uint8_t size);
const int32_t *kg_geometry_get_int (const KgGeometry *geometry, KgDomain domain, const char *name, uint8_t size);
/* (nullable) The text of one element. */
const char *kg_geometry_get_text (const KgGeometry *geometry, KgDomain domain, const char *name, size_t element);

/* The attribute's array, unshared and writable: created (zeros) when missing, replaced when its type or size
 * differs.  Aborts only when the machine is out of memory. */
float *kg_geometry_edit_float (KgGeometry *geometry, KgDomain domain, const char *name, uint8_t size);
int32_t *kg_geometry_edit_int (KgGeometry *geometry, KgDomain domain, const char *name, uint8_t size);
void kg_geometry_set_text (KgGeometry *geometry, KgDomain domain, const char *name, size_t element, const char *text);
/* To write all of an existing attribute, reading what it was from *old: the same array if it holds the only reference, else one that
 * *shared (transfer full, else NULL) keeps.  Saves the copy that kg_geometry_edit_float makes of what is shared. */
float *kg_geometry_rewrite_float (KgGeometry *geometry, KgDomain domain, const char *name, const float **old,
                                  KgBuffer **shared);
void kg_geometry_remove_attribute (KgGeometry *geometry, KgDomain domain, const char *name);

/* P: 3 floats a point. */
const float *kg_geometry_get_positions (const KgGeometry *geometry);
float *kg_geometry_edit_positions (KgGeometry *geometry);

/* Primitives. */
size_t kg_geometry_get_n_primitives (const KgGeometry *geometry);
size_t kg_geometry_get_n_vertices (const KgGeometry *geometry); /* of all primitives together */
void kg_geometry_get_primitive (const KgGeometry *geometry, size_t index, KgPrimitive *primitive);
KgVector kg_geometry_get_primitive_center (const KgGeometry *geometry, size_t index); /* the mean of its points */
/* Appends a copy of *primitive; its vertices must index existing points. */
void kg_geometry_add_primitive (KgGeometry *geometry, const KgPrimitive *primitive);
/* Appends n polygons or polylines of size vertices each, in one go (vertices: n * size indices). */
void kg_geometry_add_primitives (KgGeometry *geometry, KgPrimitiveKind kind, bool closed, size_t n, uint32_t size,
                                 const uint32_t *vertices);
void kg_geometry_clear_primitives (KgGeometry *geometry);
/* True when the two share one topology (same primitives over the same indices) or are equal in it. */
bool kg_geometry_same_topology (const KgGeometry *a, const KgGeometry *b);

/* Appends other's points and primitives to geometry, attributes by name; missing ones are filled with zero
 * (Cd with one).  Whole attributes: the first geometry that has one wins. */
bool kg_geometry_append (KgGeometry *geometry, const KgGeometry *other, GError **error);

/* n copies of source one behind the other, as if appended to each other, made in one go and in parallel.  NULL and
 * *error when that is too much.  (transfer full) */
KgGeometry *kg_geometry_new_copies (const KgGeometry *source, size_t n, GError **error);

/* Keeps the points whose keep[] is not 0, in order; primitives that lose a vertex go.  Attributes follow. */
void kg_geometry_keep_points (KgGeometry *geometry, const uint8_t *keep);
/* Keeps the primitives whose keep[] is not 0, in order, and all points. */
void kg_geometry_keep_primitives (KgGeometry *geometry, const uint8_t *keep);

/* Transforms P; v by the linear part; N and tangents correctly (normals by the inverse transpose).  orient turns; axes and size,
 * the half extents along the axes of orient, stretch with it, and become frame (three columns) where they no longer describe
 * the shape: see soft_keys.h. */
void kg_geometry_transform (KgGeometry *geometry, const KgTransform *transform);

/* Axis-aligned bounds of P; false (and zeros) when empty. */
bool kg_geometry_get_bounds (const KgGeometry *geometry, KgVector *low, KgVector *high);

/* Writes N on points: area-weighted mean of the polygon normals (Newell 1972), unit or zero. */
void kg_geometry_compute_normals (KgGeometry *geometry);

bool kg_geometry_equal (const KgGeometry *a, const KgGeometry *b);
void kg_geometry_each_buffer (const KgGeometry *geometry, KgBufferVisit visit, gpointer data);
size_t kg_geometry_get_bytes (const KgGeometry *geometry);
/* The first element with a number that is not finite, as an error that names attribute and element. */
bool kg_geometry_check_finite (const KgGeometry *geometry, GError **error);

/* See kg_value_set_fingerprint. */
KgHash kg_geometry_get_fingerprint (const KgGeometry *geometry);
void kg_geometry_set_fingerprint (KgGeometry *geometry, KgHash fingerprint);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgGeometry, kg_geometry_unref)

G_END_DECLS
