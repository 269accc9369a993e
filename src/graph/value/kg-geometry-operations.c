/* kg-geometry-operations: what is done to a geometry as a whole.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-finite.h"
#include "kg-floats.h"
#include "kg-geometry-private.h"
#include "kg-kernel.h"

#include "kg-value.h"

/* Elements of one block of a parallel loop. */
#define BLOCK 65536

/* Appending. */

static bool
is_color (const char *name)
{
  return g_str_equal (name, "Cd");
}

/* Copies the column of other behind the first old_n elements of the same column here. */
static void
append_column (KgGeometry *geometry, KgDomain domain, const KgAttribute *from, size_t old_n)
{
  const size_t element = (size_t) from->size * 4;
  KgAttribute here;
  const bool known = kg_geometry_find_attribute (geometry, domain, from->name, &here);

  if (known && (here.scalar != from->scalar || here.size != from->size))
    return;
  if (from->scalar == KG_STRING) {
    for (size_t i = 0; i < from->count; i++)
      if (((char *const *) from->data)[i] != NULL)
        kg_geometry_set_text (geometry, domain, from->name, old_n + i, ((char *const *) from->data)[i]);
    return;
  }
  {
    char *to = from->scalar == KG_FLOAT32 ? (char *) kg_geometry_edit_float (geometry, domain, from->name, from->size)
                                          : (char *) kg_geometry_edit_int (geometry, domain, from->name, from->size);

    if (!known && is_color (from->name) && from->scalar == KG_FLOAT32)
      for (size_t i = 0; i < old_n * from->size; i++)
        ((float *) (void *) to)[i] = 1;
    memcpy (to + old_n * element, from->data, from->count * element);
  }
}

/* Colours that other lacks are white. */
static void
fill_colors (KgGeometry *geometry, KgDomain domain, const KgGeometry *other, size_t old_n)
{
  KgAttribute here;

  for (guint i = 0; i < kg_geometry_get_n_attributes (geometry, domain); i++) {
    KgAttribute there;

    kg_geometry_get_attribute (geometry, domain, i, &here);
    if (is_color (here.name) && here.scalar == KG_FLOAT32 &&
        !kg_geometry_find_attribute (other, domain, here.name, &there)) {
      float *color = kg_geometry_edit_float (geometry, domain, here.name, here.size);

      for (size_t k = old_n * here.size; k < here.count * here.size; k++)
        color[k] = 1;
    }
  }
}

bool
kg_geometry_append (KgGeometry *geometry, const KgGeometry *other, GError **error)
{
  const size_t old_points = geometry->n_points, old_primitives = kg_geometry_get_n_primitives (geometry);
  g_autofree uint32_t *moved = NULL;
  size_t capacity = 0;

  if (kg_geometry_get_n_vertices (geometry) + kg_geometry_get_n_vertices (other) > UINT32_MAX ||
      kg_geometry_get_n_primitives (other) + old_primitives > KG_GEOMETRY_MAX_POINTS) {
    kg_set_error (error, KG_ERROR_LIMIT, "the result would have too many primitives for one geometry");
    return false;
  }
  if (!kg_geometry_set_n_points (geometry, old_points + other->n_points, error))
    return false;
  for (size_t i = 0; i < kg_geometry_get_n_primitives (other); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (other, i, &primitive);
    if (primitive.n_vertices > capacity) {
      capacity = 2 * (size_t) primitive.n_vertices;
      g_free (moved);
      moved = g_new (uint32_t, capacity);
    }
    for (uint32_t k = 0; k < primitive.n_vertices; k++)
      moved[k] = primitive.vertices[k] + (uint32_t) old_points;
    primitive.vertices = moved;
    kg_geometry_add_primitive (geometry, &primitive);
  }
  for (guint i = 0; i < kg_geometry_get_n_attributes (other, KG_POINTS); i++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (other, KG_POINTS, i, &attribute);
    append_column (geometry, KG_POINTS, &attribute, old_points);
  }
  for (guint i = 0; i < kg_geometry_get_n_attributes (other, KG_PRIMITIVES); i++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (other, KG_PRIMITIVES, i, &attribute);
    append_column (geometry, KG_PRIMITIVES, &attribute, old_primitives);
  }
  fill_colors (geometry, KG_POINTS, other, old_points);
  fill_colors (geometry, KG_PRIMITIVES, other, old_primitives);
  for (guint i = 0; i < kg_geometry_get_n_attributes (other, KG_WHOLE); i++) {
    KgAttribute attribute, here;

    kg_geometry_get_attribute (other, KG_WHOLE, i, &attribute);
    if (!kg_geometry_find_attribute (geometry, KG_WHOLE, attribute.name, &here))
      append_column (geometry, KG_WHOLE, &attribute, 0);
  }
  return true;
}

/* Copying. */

/* bytes of pattern, n times. */
static void
repeat_bytes (char *to, const void *pattern, size_t bytes, size_t n)
{
#pragma omp parallel for schedule(dynamic, 4096) if (n * bytes >= KG_PARALLEL_FROM)
  for (size_t i = 0; i < n; i++)
    memcpy (to + i * bytes, pattern, bytes);
}

static KgTexts *
repeat_texts (const KgTexts *texts, size_t count, size_t n)
{
  KgTexts *copies = kg_texts_new (count * n);

  for (size_t i = 0; i < count * n; i++) {
    char *text = texts->items[i % count];

    copies->items[i] = text != NULL ? g_ref_string_acquire (text) : NULL;
  }
  return copies;
}

/* The column of source, count elements, n times.  False when there is no memory. */
static bool
repeat_column (const KgColumn *column, size_t count, size_t n, KgColumns *columns)
{
  const size_t bytes = count * column->size * 4;
  KgColumn copy = { .name = column->name, .scalar = column->scalar, .size = column->size };

  if (column->scalar == KG_STRING)
    copy.texts = repeat_texts (column->texts, count, n);
  else {
    copy.buffer = kg_buffer_new (MAX (bytes * n, 1));
    if (copy.buffer == NULL)
      return false;
    repeat_bytes ((char *) kg_buffer_make_writable (&copy.buffer, 1), kg_buffer_get_data (column->buffer), bytes, n);
  }
  columns->items[columns->n++] = copy;
  return true;
}

static bool
repeat_columns (const KgGeometry *source, KgDomain domain, size_t n, KgGeometry *copies)
{
  const guint n_columns = kg_geometry_n_columns (source, domain);

  g_clear_pointer (&copies->columns[domain], kg_columns_free);
  if (n_columns > 0)
    copies->columns[domain] = kg_columns_new (n_columns);
  for (guint i = 0; i < n_columns; i++)
    if (!repeat_column (&source->columns[domain]->items[i], kg_geometry_get_count (source, domain), n,
                        copies->columns[domain]))
      return false;
  return true;
}

KgGeometry *
kg_geometry_new_copies (const KgGeometry *source, size_t n, GError **error)
{
  const size_t n_points = source->n_points, n_primitives = kg_geometry_get_n_primitives (source);
  const size_t n_vertices = kg_geometry_get_n_vertices (source);
  g_autoptr (KgGeometry) copies = kg_geometry_new ();

  if (n == 0)
    return g_steal_pointer (&copies);
  if (n_points > KG_GEOMETRY_MAX_POINTS / n || n_primitives > KG_GEOMETRY_MAX_POINTS / n ||
      n_vertices > UINT32_MAX / n) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu copies of %zu points and %zu primitives are too many for one geometry", n,
                  n_points, n_primitives);
    return NULL;
  }
  copies->n_points = n * n_points;
  if (n_primitives > 0)
    copies->topology = kg_topology_new_copies (source->topology, n_points, n);
  if ((n_primitives > 0 && copies->topology == NULL) || !repeat_columns (source, KG_POINTS, n, copies) ||
      !repeat_columns (source, KG_PRIMITIVES, n, copies) || !repeat_columns (source, KG_WHOLE, 1, copies)) {
    kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for %zu points", n * n_points);
    return NULL;
  }
  return g_steal_pointer (&copies);
}

/* Deleting. */

static void
compact_column (KgGeometry *geometry, KgDomain domain, const KgAttribute *view, const uint8_t *keep, size_t n)
{
  const size_t element = (size_t) view->size * 4;
  size_t to = 0;

  if (view->scalar == KG_STRING) {
    KgColumn *column = kg_geometry_find_column (geometry, domain, view->name);
    KgTexts *texts = kg_texts_new (n);

    for (size_t i = 0; i < view->count; i++)
      if (keep[i]) {
        const char *text = ((char *const *) view->data)[i];

        texts->items[to++] = text != NULL ? g_ref_string_acquire ((char *) (size_t) text) : NULL;
      }
    kg_texts_unref (column->texts);
    column->texts = texts;
    return;
  }
  {
    const size_t count = view->count;
    char *data = view->scalar == KG_FLOAT32 ? (char *) kg_geometry_edit_float (geometry, domain, view->name, view->size)
                                            : (char *) kg_geometry_edit_int (geometry, domain, view->name, view->size);

    for (size_t i = 0; i < count; i++)
      if (keep[i]) {
        if (to != i)
          memcpy (data + to * element, data + i * element, element);
        to++;
      }
  }
}

/* Keeps some primitives; new_index, if not NULL, maps old points to new ones. */
static void
filter_primitives (KgGeometry *geometry, const uint8_t *keep, const uint32_t *new_index)
{
  const size_t n = kg_geometry_get_n_primitives (geometry);
  g_autoptr (KgGeometry) old = NULL;
  g_autoptr (GArray) moved = g_array_sized_new (FALSE, FALSE, sizeof (uint32_t), 16);
  size_t left = 0;

  if (n == 0)
    return;
  for (size_t i = 0; i < n; i++)
    left += keep[i] != 0;
  for (guint i = 0; i < kg_geometry_get_n_attributes (geometry, KG_PRIMITIVES); i++) {
    KgAttribute view;

    kg_geometry_get_attribute (geometry, KG_PRIMITIVES, i, &view);
    compact_column (geometry, KG_PRIMITIVES, &view, keep, left);
  }
  old = kg_geometry_new ();
  old->topology = g_steal_pointer (&geometry->topology);
  kg_geometry_resize_primitive_columns (geometry, left, left);
  for (size_t i = 0; i < n; i++) {
    KgPrimitive primitive;
    KgColumns *columns = geometry->columns[KG_PRIMITIVES];

    if (!keep[i])
      continue;
    kg_geometry_get_primitive (old, i, &primitive);
    g_array_set_size (moved, primitive.n_vertices);
    for (uint32_t k = 0; k < primitive.n_vertices; k++)
      g_array_index (moved, uint32_t, k) = new_index != NULL ? new_index[primitive.vertices[k]] : primitive.vertices[k];
    primitive.vertices = (const uint32_t *) (void *) moved->data;
    /* The attributes are compacted already: keep add_primitive from growing them. */
    geometry->columns[KG_PRIMITIVES] = old->columns[KG_PRIMITIVES];
    kg_geometry_add_primitive (geometry, &primitive);
    geometry->columns[KG_PRIMITIVES] = columns;
  }
}

void
kg_geometry_keep_primitives (KgGeometry *geometry, const uint8_t *keep)
{
  if (memchr (keep, 0, kg_geometry_get_n_primitives (geometry)) == NULL)
    return;
  geometry->fingerprint = (KgHash){ 0, 0 };
  filter_primitives (geometry, keep, NULL);
}

/* Marks the primitives all points of which stay. */
static uint8_t *
find_whole_primitives (const KgGeometry *geometry, const uint8_t *keep_points)
{
  const size_t n = kg_geometry_get_n_primitives (geometry);
  uint8_t *keep = g_new (uint8_t, MAX (n, 1));

  for (size_t i = 0; i < n; i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    keep[i] = 1;
    for (uint32_t k = 0; k < primitive.n_vertices && keep[i]; k++)
      keep[i] = keep_points[primitive.vertices[k]] != 0;
  }
  return keep;
}

void
kg_geometry_keep_points (KgGeometry *geometry, const uint8_t *keep)
{
  const size_t n = geometry->n_points;
  g_autofree uint32_t *new_index = g_new (uint32_t, MAX (n, 1));
  g_autofree uint8_t *whole = NULL;
  size_t left = 0;

  for (size_t i = 0; i < n; i++) {
    new_index[i] = (uint32_t) left;
    left += keep[i] != 0;
  }
  if (left == n)
    return;
  whole = find_whole_primitives (geometry, keep);
  filter_primitives (geometry, whole, new_index);
  for (guint i = 0; i < kg_geometry_get_n_attributes (geometry, KG_POINTS); i++) {
    KgAttribute view;

    kg_geometry_get_attribute (geometry, KG_POINTS, i, &view);
    compact_column (geometry, KG_POINTS, &view, keep, left);
  }
  kg_geometry_set_n_points (geometry, left, NULL);
}

/* Transforming. */

/* A map of points (three floats each) from first to end; to may be from. */
typedef void (*PointMap) (const float *from, float *to, size_t first, size_t end, const float *m);

static void
transform_block (const float *from, float *to, size_t first, size_t end, const float *m)
{
  const float a = m[0], b = m[1], c = m[2], x = m[3], d = m[4], e = m[5];
  const float f = m[6], y = m[7], g = m[8], h = m[9], k = m[10], z = m[11];

  for (size_t i = first; i < end; i++) {
    const float px = from[3 * i], py = from[3 * i + 1], pz = from[3 * i + 2];

    to[3 * i] = a * px + b * py + c * pz + x;
    to[3 * i + 1] = d * px + e * py + f * pz + y;
    to[3 * i + 2] = g * px + h * py + k * pz + z;
  }
}

static void
normalize_block (const float *from, float *to, size_t first, size_t end, const float *m)
{
  (void) m;
  for (size_t i = first; i < end; i++) {
    const float x = from[3 * i], y = from[3 * i + 1], z = from[3 * i + 2];
    const float length = sqrtf (x * x + y * y + z * z);
    const float s = length > 0 ? 1 / length : 0;

    to[3 * i] = x * s;
    to[3 * i + 1] = y * s;
    to[3 * i + 2] = z * s;
  }
}

/* Few points are mapped without OpenMP, whose smallest team costs more than they do. */
static void
map_points (const float *from, float *to, size_t n, PointMap map, const float *m)
{
  const size_t n_blocks = (n + BLOCK - 1) / BLOCK;

  if (n < KG_PARALLEL_FROM) {
    map (from, to, 0, n, m);
    return;
  }
#pragma omp parallel for schedule(dynamic)
  for (size_t b = 0; b < n_blocks; b++)
    map (from, to, b * BLOCK, MIN (n, (b + 1) * BLOCK), m);
}

/* Maps the n vectors of an attribute, which is not copied first if it is shared.  translate: the share of the translation, 0 or 1.
 * (transfer none) The vectors. */
static float *
transform_floats (KgGeometry *geometry, KgDomain domain, const char *name, size_t n, const double m[3][4],
                  double translate)
{
  g_autoptr (KgBuffer) shared = NULL;
  const float *from;
  float *to = kg_geometry_rewrite_float (geometry, domain, name, &from, &shared);
  float narrow[12];

  for (guint i = 0; i < 3; i++) {
    for (guint k = 0; k < 3; k++)
      narrow[4 * i + k] = (float) m[i][k];
    narrow[4 * i + 3] = (float) (m[i][3] * translate);
  }
  map_points (from, to, n, transform_block, narrow);
  return to;
}

static void
transform_normals (KgGeometry *geometry, KgDomain domain, const KgTransform *t)
{
  const size_t n = kg_geometry_get_count (geometry, domain);
  KgTransform turn;
  float *normals;

  if (kg_geometry_get_float (geometry, domain, "N", 3) == NULL)
    return;
  turn = kg_transform_for_normals (*t);
  normals = transform_floats (geometry, domain, "N", n, turn.m, 0);
  map_points (normals, normals, n, normalize_block, NULL);
}

/* Whether the vectors of an attribute of points of this name turn and stretch with these. */
static bool
is_direction (const char *name)
{
  static const char *const names[] = { "tangent", "tangent_in", "tangent_out", NULL };

  return name[0] == 'v' ? name[1] == '\0' : name[0] == 't' && g_strv_contains (names, name);
}

void
kg_geometry_transform (KgGeometry *geometry, const KgTransform *transform)
{
  const double (*m)[4] = (const double (*)[4]) transform->m;

  for (guint i = 0; i < kg_geometry_n_columns (geometry, KG_POINTS); i++) {
    const KgColumn *column = &geometry->columns[KG_POINTS]->items[i];
    const bool is_position = column->name[0] == 'P' && column->name[1] == '\0';

    if (column->scalar == KG_FLOAT32 && column->size == 3 && (is_position || is_direction (column->name)))
      transform_floats (geometry, KG_POINTS, column->name, geometry->n_points, m, is_position ? 1 : 0);
  }
  transform_normals (geometry, KG_POINTS, transform);
  transform_normals (geometry, KG_PRIMITIVES, transform);
  kg_geometry_transform_frames (geometry, transform);
}

bool
kg_geometry_get_bounds (const KgGeometry *geometry, KgVector *low, KgVector *high)
{
  const float *p = kg_geometry_get_positions (geometry);
  float l[3], h[3];

  *low = *high = kg_vector (0, 0, 0);
  if (geometry->n_points == 0)
    return false;
  memcpy (l, p, sizeof l);
  memcpy (h, p, sizeof h);
  for (size_t i = 1; i < geometry->n_points; i++)
    for (int k = 0; k < 3; k++) {
      l[k] = MIN (l[k], p[3 * i + k]);
      h[k] = MAX (h[k], p[3 * i + k]);
    }
  *low = kg_floats_get_vector (l, 0);
  *high = kg_floats_get_vector (h, 0);
  return true;
}

void
kg_geometry_compute_normals (KgGeometry *geometry)
{
  const size_t n = geometry->n_points;
  g_autofree double *sum = g_new0 (double, MAX (3 * n, 1));
  const float *p = kg_geometry_get_positions (geometry);
  float *normals;

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;
    double normal[3] = { 0, 0, 0 };

    kg_geometry_get_primitive (geometry, i, &primitive);
    if (primitive.kind != KG_POLYGON)
      continue;
    for (uint32_t k = 0; k < primitive.n_vertices; k++) {
      const float *a = p + 3 * (size_t) primitive.vertices[k];
      const float *b = p + 3 * (size_t) primitive.vertices[k + 1 < primitive.n_vertices ? k + 1 : 0];

      normal[0] += ((double) a[1] - (double) b[1]) * ((double) a[2] + (double) b[2]);
      normal[1] += ((double) a[2] - (double) b[2]) * ((double) a[0] + (double) b[0]);
      normal[2] += ((double) a[0] - (double) b[0]) * ((double) a[1] + (double) b[1]);
    }
    for (uint32_t k = 0; k < primitive.n_vertices; k++)
      for (int c = 0; c < 3; c++)
        sum[3 * (size_t) primitive.vertices[k] + c] += normal[c];
  }
  normals = kg_geometry_edit_float (geometry, KG_POINTS, "N", 3);
  for (size_t i = 0; i < n; i++) {
    const double length =
        sqrt (sum[3 * i] * sum[3 * i] + sum[3 * i + 1] * sum[3 * i + 1] + sum[3 * i + 2] * sum[3 * i + 2]);

    for (int c = 0; c < 3; c++)
      normals[3 * i + c] = length > 0 ? (float) (sum[3 * i + c] / length) : 0;
  }
}

/* Comparing and measuring. */

static bool
equal_attributes (const KgAttribute *a, const KgAttribute *b)
{
  const size_t n = a->count * a->size;

  if (a->scalar != b->scalar || a->size != b->size || a->count != b->count)
    return false;
  if (a->data == b->data)
    return true;
  if (a->scalar == KG_STRING) {
    for (size_t i = 0; i < n; i++)
      if (g_strcmp0 (((char *const *) a->data)[i], ((char *const *) b->data)[i]) != 0)
        return false;
    return true;
  }
  if (a->scalar == KG_INT32)
    return memcmp (a->data, b->data, n * 4) == 0;
  for (size_t i = 0; i < n; i++)
    if (!(((const float *) a->data)[i] == ((const float *) b->data)[i]))
      return false;
  return true;
}

bool
kg_geometry_equal (const KgGeometry *a, const KgGeometry *b)
{
  if (a == b)
    return true;
  if (a->n_points != b->n_points || !kg_geometry_same_topology (a, b))
    return false;
  for (guint d = 0; d < KG_N_DOMAINS; d++) {
    if (kg_geometry_n_columns (a, d) != kg_geometry_n_columns (b, d))
      return false;
    for (guint i = 0; i < kg_geometry_n_columns (a, d); i++) {
      KgAttribute x, y;

      kg_geometry_get_attribute (a, (KgDomain) d, i, &x);
      if (!kg_geometry_find_attribute (b, (KgDomain) d, x.name, &y) || !equal_attributes (&x, &y))
        return false;
    }
  }
  return true;
}

void
kg_geometry_each_buffer (const KgGeometry *geometry, KgBufferVisit visit, gpointer data)
{
  for (guint d = 0; d < KG_N_DOMAINS; d++)
    for (guint i = 0; i < kg_geometry_n_columns (geometry, d); i++) {
      KgBuffer *buffer = geometry->columns[d]->items[i].buffer;

      if (buffer != NULL)
        visit (buffer, data);
    }
  if (geometry->topology != NULL) {
    KgTopology *t = geometry->topology;
    KgBuffer *const buffers[] = { t->first, t->info, t->vertices, t->knots, t->knot_first };

    for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
      if (buffers[i] != NULL)
        visit (buffers[i], data);
  }
}

/* (Asked after every call of a node that makes a geometry: without a visit of each.) */
size_t
kg_geometry_get_buffer_bytes (const KgGeometry *geometry)
{
  const KgTopology *t = geometry->topology;
  size_t bytes = 0;

  for (guint d = 0; d < KG_N_DOMAINS; d++)
    for (guint i = 0; i < kg_geometry_n_columns (geometry, d); i++)
      if (geometry->columns[d]->items[i].buffer != NULL)
        bytes += kg_buffer_get_size (geometry->columns[d]->items[i].buffer);
  if (t == NULL)
    return bytes;
  bytes += kg_buffer_get_size (t->first) + kg_buffer_get_size (t->info) + kg_buffer_get_size (t->vertices);
  return bytes + (t->knots != NULL ? kg_buffer_get_size (t->knots) : 0) +
         (t->knot_first != NULL ? kg_buffer_get_size (t->knot_first) : 0);
}

size_t
kg_geometry_get_bytes (const KgGeometry *geometry)
{
  return sizeof *geometry + kg_geometry_get_buffer_bytes (geometry);
}

bool
kg_geometry_check_finite (const KgGeometry *geometry, GError **error)
{
  for (guint d = 0; d < KG_N_DOMAINS; d++)
    for (guint i = 0; i < kg_geometry_n_columns (geometry, d); i++) {
      const KgColumn *column = &geometry->columns[d]->items[i];
      const size_t n = kg_geometry_get_count (geometry, (KgDomain) d) * column->size;
      const float *x;
      size_t bad;

      if (column->scalar != KG_FLOAT32 || kg_buffer_is_finite (column->buffer))
        continue;
      x = (const float *) kg_buffer_get_data (column->buffer);
      bad = kg_find_not_finite (x, n, false);
      if (bad < n) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE,
                      "a geometry whose attribute %s is %g at element %zu: every number must be finite", column->name,
                      (double) x[bad], bad / column->size);
        return false;
      }
      kg_buffer_set_finite (column->buffer);
    }
  return true;
}
