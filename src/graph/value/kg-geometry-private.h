/* kg-geometry-private: the inside of geometries, for the kg-geometry*.c files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-hash.h"

/* An array of texts (GRefString or NULL), shared like a buffer. */
typedef struct {
  gatomicrefcount refs;
  size_t n, capacity;
  char **items;
} KgTexts;

/* One attribute. */
typedef struct {
  const char *name; /* interned */
  KgScalar scalar;
  uint8_t size;
  KgBuffer *buffer; /* numbers */
  KgTexts *texts;   /* texts */
} KgColumn;

/* The attributes of one domain, in one block: geometries are copied often, and mostly have few of them.  inside: those of a copy
 * stand behind it in its own block, and go with it. */
typedef struct {
  guint n, capacity;
  bool inside;
  KgColumn items[];
} KgColumns;

/* The properties of one primitive besides its vertices, in 8 bytes: meshes have many. */
typedef struct {
  uint32_t kind : 2, closed : 1, weighted : 1, basis : 4, order : 8, end : 4, spacing : 2, bisector : 1, relative : 1,
      unused : 8;
  uint32_t n_knots;
} KgPrimitiveInfo;

/* All primitives, shared until edited.  first[i] .. first[i + 1] are the vertices of primitive i. */
typedef struct {
  gatomicrefcount refs;
  size_t n, capacity, n_vertices, vertex_capacity, n_knots, knot_capacity; /* n_knots counts weights, too */
  KgBuffer *first;                                                         /* uint32_t, n + 1 */
  KgBuffer *info;                                                          /* KgPrimitiveInfo, n */
  KgBuffer *vertices;                                                      /* uint32_t */
  KgBuffer *knots;      /* double: knots, then weights of each primitive; NULL when there are none */
  KgBuffer *knot_first; /* uint32_t, n + 1; NULL when there are none */
} KgTopology;

struct _KgGeometry {
  gatomicrefcount refs;
  size_t n_points;
  KgColumns *columns[KG_N_DOMAINS]; /* NULL: none */
  KgTopology *topology;             /* NULL without primitives */
  KgHash fingerprint;
};

static inline guint
kg_geometry_n_columns (const KgGeometry *geometry, guint domain)
{
  return geometry->columns[domain] != NULL ? geometry->columns[domain]->n : 0;
}

/* No columns yet, with room for some; more than that are not added. */
KgColumns *kg_columns_new (guint capacity);
void kg_columns_free (KgColumns *columns);

KgTopology *kg_topology_ref (KgTopology *topology);
void kg_topology_unref (KgTopology *topology);

/* The primitives of n copies of a geometry with n_points points.  (nullable: no memory) (transfer full) */
KgTopology *kg_topology_new_copies (const KgTopology *source, size_t n_points, size_t n);

KgTexts *kg_texts_new (size_t n);
void kg_texts_unref (KgTexts *texts);

/* The bytes of its buffers alone, whoever shares them. */
size_t kg_geometry_get_buffer_bytes (const KgGeometry *geometry);
/* Elements of a domain. */
size_t kg_geometry_get_count (const KgGeometry *geometry, KgDomain domain);
/* (nullable) */
KgColumn *kg_geometry_find_column (const KgGeometry *geometry, KgDomain domain, const char *name);
/* Makes the primitive attributes n long (zeros at the end). */
void kg_geometry_resize_primitive_columns (KgGeometry *geometry, size_t old_n, size_t n);
/* Turns and stretches orient, axes, size and frame of points; see kg_geometry_transform. */
void kg_geometry_transform_frames (KgGeometry *geometry, const KgTransform *transform);
/* Makes column the geometry's own with n elements. */
bool kg_column_own (KgColumn *column, size_t old_n, size_t n);
