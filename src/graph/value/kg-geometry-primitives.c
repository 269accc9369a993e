/* kg-geometry-primitives: polygons, polylines and splines over the points, as one shared topology.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-floats.h"
#include "kg-geometry-polygons.h"
#include "kg-geometry-private.h"

KgTopology *
kg_topology_ref (KgTopology *topology)
{
  g_atomic_ref_count_inc (&topology->refs);
  return topology;
}

void
kg_topology_unref (KgTopology *topology)
{
  if (!g_atomic_ref_count_dec (&topology->refs))
    return;
  g_clear_pointer (&topology->first, kg_buffer_unref);
  g_clear_pointer (&topology->info, kg_buffer_unref);
  g_clear_pointer (&topology->vertices, kg_buffer_unref);
  g_clear_pointer (&topology->knots, kg_buffer_unref);
  g_clear_pointer (&topology->knot_first, kg_buffer_unref);
  g_free (topology);
}

/* Unshares a buffer and gives it room for bytes. */
static void *
room (KgBuffer **buffer, size_t bytes)
{
  void *data;

  if (*buffer == NULL)
    *buffer = kg_buffer_new (bytes);
  data = *buffer != NULL ? kg_buffer_make_writable (buffer, MAX (bytes, kg_buffer_get_size (*buffer))) : NULL;
  if (data == NULL)
    kg_memory_give_up (bytes);
  return data;
}

/* Makes the topology the geometry's own, with room for more primitives, vertices and knots. */
static KgTopology *
own_topology (KgGeometry *geometry, size_t more, size_t more_vertices, size_t more_knots)
{
  KgTopology *t = geometry->topology;

  geometry->fingerprint = (KgHash){ 0, 0 };
  if (t == NULL || !g_atomic_ref_count_compare (&t->refs, 1)) {
    t = g_new0 (KgTopology, 1);
    if (geometry->topology != NULL) {
      const KgTopology *old = geometry->topology;

      *t = *old;
      kg_buffer_ref (t->first);
      kg_buffer_ref (t->info);
      kg_buffer_ref (t->vertices);
      if (t->knots != NULL)
        kg_buffer_ref (t->knots);
      if (t->knot_first != NULL)
        kg_buffer_ref (t->knot_first);
    }
    g_atomic_ref_count_init (&t->refs);
    g_clear_pointer (&geometry->topology, kg_topology_unref);
    geometry->topology = t;
  }
  /* Doubling keeps appending one by one linear. */
  if (t->n + more + 1 > t->capacity)
    t->capacity = MAX (t->n + more + 1, MIN (2 * t->capacity, t->capacity + ((size_t) 1 << 26)));
  if (t->n_vertices + more_vertices > t->vertex_capacity)
    t->vertex_capacity = MAX (t->n_vertices + more_vertices, 2 * t->vertex_capacity);
  room (&t->first, (t->capacity + 1) * sizeof (uint32_t));
  room (&t->info, t->capacity * sizeof (KgPrimitiveInfo));
  room (&t->vertices, MAX (t->vertex_capacity, 1) * sizeof (uint32_t));
  if (more_knots > 0 || t->knots != NULL) {
    if (t->n_knots + more_knots > t->knot_capacity)
      t->knot_capacity = MAX (t->n_knots + more_knots, 2 * t->knot_capacity);
    room (&t->knots, MAX (t->knot_capacity, 1) * sizeof (double));
    room (&t->knot_first, (t->capacity + 1) * sizeof (uint32_t));
  }
  return t;
}

static uint32_t *
data_of (KgBuffer *buffer)
{
  return (uint32_t *) (void *) (size_t) kg_buffer_get_data (buffer);
}

static KgPrimitiveInfo
make_info (const KgPrimitive *primitive)
{
  const KgSplineRule *rule = &primitive->rule;

  return (KgPrimitiveInfo){ .kind = primitive->kind & 3,
                            .closed = primitive->closed || primitive->kind == KG_POLYGON,
                            .weighted = primitive->weights != NULL && primitive->n_vertices > 0,
                            .basis = primitive->basis & 15,
                            .order = primitive->order,
                            .end = rule->end & 15,
                            .spacing = rule->spacing & 3,
                            .bisector = rule->bisector,
                            .relative = rule->relative_lengths,
                            .n_knots = primitive->n_knots };
}

size_t
kg_geometry_get_n_primitives (const KgGeometry *geometry)
{
  return geometry->topology != NULL ? geometry->topology->n : 0;
}

size_t
kg_geometry_get_n_vertices (const KgGeometry *geometry)
{
  return geometry->topology != NULL ? geometry->topology->n_vertices : 0;
}

void
kg_geometry_get_primitive (const KgGeometry *geometry, size_t index, KgPrimitive *primitive)
{
  const KgTopology *t = geometry->topology;
  const uint32_t *first;
  const KgPrimitiveInfo *info;

  g_return_if_fail (t != NULL && index < t->n);
  first = data_of (t->first);
  info = (const KgPrimitiveInfo *) kg_buffer_get_data (t->info) + index;
  *primitive = (KgPrimitive){ .kind = (KgPrimitiveKind) info->kind,
                              .closed = info->closed,
                              .basis = (KgBasis) info->basis,
                              .order = info->order,
                              .n_vertices = first[index + 1] - first[index],
                              .vertices = data_of (t->vertices) + first[index],
                              .n_knots = info->n_knots,
                              .rule = { (KgSplineEnd) info->end, (KgSplineSpacing) info->spacing, info->bisector,
                                        info->relative } };
  if (info->n_knots > 0 || info->weighted) {
    const double *reals = (const double *) kg_buffer_get_data (t->knots) + data_of (t->knot_first)[index];

    primitive->knots = info->n_knots > 0 ? reals : NULL;
    primitive->weights = info->weighted ? reals + info->n_knots : NULL;
  }
}

KgVector
kg_geometry_get_primitive_center (const KgGeometry *geometry, size_t index)
{
  const float *p = kg_geometry_get_positions (geometry);
  KgVector sum = { 0, 0, 0 };
  KgPrimitive primitive;

  kg_geometry_get_primitive (geometry, index, &primitive);
  for (uint32_t k = 0; k < primitive.n_vertices; k++)
    sum = kg_vector_add (sum, kg_floats_get_vector (p, primitive.vertices[k]));
  return kg_vector_scale (sum, 1 / (double) MAX (primitive.n_vertices, 1));
}

bool
kg_geometry_get_polygons (const KgGeometry *geometry, size_t from, size_t to, const uint32_t **vertices,
                          const uint32_t **first, uint32_t *least, uint32_t *most)
{
  const KgTopology *t = geometry->topology;
  uint32_t low = UINT32_MAX, high = 0, other = 0;
  const KgPrimitiveInfo *info;
  const uint32_t *f;

  g_return_val_if_fail (from <= to && to <= kg_geometry_get_n_primitives (geometry), false);
  if (from == to)
    return false;
  f = *first = data_of (t->first);
  *vertices = data_of (t->vertices);
  info = kg_buffer_get_data (t->info);
  /* Without leaving early, so that several are looked at at once. */
#pragma omp simd reduction(min : low) reduction(max : high) reduction(| : other)
  for (size_t i = from; i < to; i++) {
    const uint32_t n = f[i + 1] - f[i];

    low = MIN (low, n);
    high = MAX (high, n);
    other |= info[i].kind ^ KG_POLYGON;
  }
  *least = low;
  *most = high;
  return other == 0;
}

void
kg_geometry_resize_primitive_columns (KgGeometry *geometry, size_t old_n, size_t n)
{
  for (guint i = 0; i < kg_geometry_n_columns (geometry, KG_PRIMITIVES); i++)
    if (!kg_column_own (&geometry->columns[KG_PRIMITIVES]->items[i], MIN (old_n, n), n))
      kg_memory_give_up (n * sizeof (int32_t));
}

void
kg_geometry_add_primitive (KgGeometry *geometry, const KgPrimitive *primitive)
{
  const size_t n_weights = primitive->weights != NULL ? primitive->n_vertices : 0;
  const size_t n_reals = primitive->n_knots + n_weights;
  KgTopology *t;
  uint32_t *first;

  g_return_if_fail (kg_geometry_get_n_vertices (geometry) + primitive->n_vertices <= UINT32_MAX);
  t = own_topology (geometry, 1, primitive->n_vertices, n_reals);
  first = data_of (t->first);
  if (t->n == 0)
    first[0] = 0;
  if (primitive->n_vertices > 0)
    memcpy (data_of (t->vertices) + t->n_vertices, primitive->vertices, primitive->n_vertices * sizeof (uint32_t));
  t->n_vertices += primitive->n_vertices;
  first[t->n + 1] = (uint32_t) t->n_vertices;
  ((KgPrimitiveInfo *) (void *) data_of (t->info))[t->n] = make_info (primitive);
  if (t->knots != NULL) {
    double *reals = (double *) (void *) data_of (t->knots) + t->n_knots;

    data_of (t->knot_first)[t->n] = (uint32_t) t->n_knots;
    if (primitive->n_knots > 0)
      memcpy (reals, primitive->knots, primitive->n_knots * sizeof (double));
    if (n_weights > 0)
      memcpy (reals + primitive->n_knots, primitive->weights, n_weights * sizeof (double));
    t->n_knots += n_reals;
  }
  t->n++;
  kg_geometry_resize_primitive_columns (geometry, t->n - 1, t->n);
}

void
kg_geometry_add_primitives (KgGeometry *geometry, KgPrimitiveKind kind, bool closed, size_t n, uint32_t size,
                            const uint32_t *vertices)
{
  KgTopology *t;
  uint32_t *first;
  const KgPrimitive one = { .kind = kind, .closed = closed };
  KgPrimitiveInfo *info;

  if (n == 0)
    return;
  g_return_if_fail (size <= UINT32_MAX / n && kg_geometry_get_n_vertices (geometry) + n * size <= UINT32_MAX);
  t = own_topology (geometry, n, n * size, 0);
  first = data_of (t->first);
  info = (KgPrimitiveInfo *) (void *) data_of (t->info);
  if (t->n == 0)
    first[0] = 0;
  memcpy (data_of (t->vertices) + t->n_vertices, vertices, n * size * sizeof (uint32_t));
  for (size_t i = 0; i < n; i++) {
    first[t->n + i + 1] = (uint32_t) (t->n_vertices + (i + 1) * size);
    info[t->n + i] = make_info (&one);
    if (t->knots != NULL)
      data_of (t->knot_first)[t->n + i] = (uint32_t) t->n_knots;
  }
  t->n_vertices += n * size;
  t->n += n;
  kg_geometry_resize_primitive_columns (geometry, t->n - n, t->n);
}

void
kg_geometry_clear_primitives (KgGeometry *geometry)
{
  g_clear_pointer (&geometry->topology, kg_topology_unref);
  kg_geometry_resize_primitive_columns (geometry, 0, 0);
  geometry->fingerprint = (KgHash){ 0, 0 };
}

KgTopology *
kg_topology_new_copies (const KgTopology *source, size_t n_points, size_t n)
{
  const size_t n_primitives = source->n, n_vertices = source->n_vertices, n_knots = source->n_knots;
  const uint32_t *first = data_of (source->first), *vertices = data_of (source->vertices);
  const uint32_t *knot_first = n_knots > 0 ? data_of (source->knot_first) : NULL;
  const KgPrimitiveInfo *info = (const KgPrimitiveInfo *) kg_buffer_get_data (source->info);
  KgTopology *t = g_new0 (KgTopology, 1);
  uint32_t *to_first, *to_vertices, *to_knot_first;
  KgPrimitiveInfo *to_info;

  g_atomic_ref_count_init (&t->refs);
  t->n = t->capacity = n * n_primitives;
  t->n_vertices = t->vertex_capacity = n * n_vertices;
  t->n_knots = t->knot_capacity = n * n_knots;
  t->first = kg_buffer_new ((t->n + 1) * sizeof (uint32_t));
  t->info = kg_buffer_new (t->n * sizeof (KgPrimitiveInfo));
  t->vertices = kg_buffer_new (MAX (t->n_vertices, 1) * sizeof (uint32_t));
  if (n_knots > 0) {
    t->knots = kg_buffer_new (t->n_knots * sizeof (double));
    t->knot_first = kg_buffer_new ((t->n + 1) * sizeof (uint32_t));
  }
  if (t->first == NULL || t->info == NULL || t->vertices == NULL ||
      (n_knots > 0 && (t->knots == NULL || t->knot_first == NULL || t->n_knots > UINT32_MAX))) {
    kg_topology_unref (t);
    return NULL;
  }
  to_first = data_of (t->first);
  to_info = (KgPrimitiveInfo *) (void *) data_of (t->info);
  to_vertices = data_of (t->vertices);
  to_knot_first = n_knots > 0 ? data_of (t->knot_first) : NULL;
#pragma omp parallel for schedule(dynamic)
  for (size_t k = 0; k < n; k++) {
    memcpy (to_info + k * n_primitives, info, n_primitives * sizeof *info);
    for (size_t i = 0; i < n_primitives; i++)
      to_first[k * n_primitives + i] = (uint32_t) (k * n_vertices + first[i]);
    for (size_t i = 0; i < n_vertices; i++)
      to_vertices[k * n_vertices + i] = (uint32_t) (k * n_points + vertices[i]);
    if (n_knots == 0)
      continue;
    memcpy ((double *) (void *) data_of (t->knots) + k * n_knots, kg_buffer_get_data (source->knots),
            n_knots * sizeof (double));
    /* Primitives before the first with knots have no entry. */
    for (size_t i = 0; i < n_primitives; i++)
      to_knot_first[k * n_primitives + i] =
          info[i].n_knots > 0 || info[i].weighted ? (uint32_t) (k * n_knots + knot_first[i]) : 0;
  }
  to_first[t->n] = (uint32_t) t->n_vertices;
  return t;
}

bool
kg_geometry_same_topology (const KgGeometry *a, const KgGeometry *b)
{
  const KgTopology *s = a->topology, *t = b->topology;

  if (s == t)
    return true;
  if (s == NULL || t == NULL)
    return (s != NULL ? s->n : 0) == (t != NULL ? t->n : 0);
  if (s->n != t->n || s->n_vertices != t->n_vertices || s->n_knots != t->n_knots)
    return false;
  if (s->n == 0)
    return true;
  return memcmp (data_of (s->first), data_of (t->first), (s->n + 1) * sizeof (uint32_t)) == 0 &&
         memcmp (data_of (s->info), data_of (t->info), s->n * sizeof (KgPrimitiveInfo)) == 0 &&
         memcmp (data_of (s->vertices), data_of (t->vertices), s->n_vertices * sizeof (uint32_t)) == 0 &&
         (s->n_knots == 0 || memcmp (data_of (s->knots), data_of (t->knots), s->n_knots * sizeof (double)) == 0);
}
