/* kg-geometry: counting, attributes and points.  Primitives are in kg-geometry-primitives.c, whole-geometry
 * operations (append, transform, normals, comparing) in kg-geometry-operations.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-geometry-private.h"

#include "kg-value.h"

static size_t
scalar_size (KgScalar scalar)
{
  return scalar == KG_STRING ? sizeof (char *) : 4;
}

size_t
kg_geometry_get_count (const KgGeometry *geometry, KgDomain domain)
{
  if (domain == KG_POINTS)
    return geometry->n_points;
  return domain == KG_PRIMITIVES ? kg_geometry_get_n_primitives (geometry) : 1;
}

/* Texts are references, so an array of them is not a plain buffer: it is kept apart and copied element by element. */
KgTexts *
kg_texts_new (size_t n)
{
  KgTexts *texts = g_new0 (KgTexts, 1);

  g_atomic_ref_count_init (&texts->refs);
  texts->n = texts->capacity = n;
  texts->items = g_new0 (char *, MAX (n, 1));
  return texts;
}

static KgTexts *
copy_texts (const KgTexts *texts, size_t n)
{
  KgTexts *copy = kg_texts_new (n);

  for (size_t i = 0; i < MIN (n, texts->n); i++)
    copy->items[i] = texts->items[i] != NULL ? g_ref_string_acquire (texts->items[i]) : NULL;
  return copy;
}

void
kg_texts_unref (KgTexts *texts)
{
  if (!g_atomic_ref_count_dec (&texts->refs))
    return;
  for (size_t i = 0; i < texts->n; i++)
    if (texts->items[i] != NULL)
      g_ref_string_release (texts->items[i]);
  g_free (texts->items);
  g_free (texts);
}

/* Makes texts, which are not shared, n long.  Doubling keeps appending one by one linear. */
static void
resize_texts (KgTexts *texts, size_t n)
{
  if (n > texts->capacity) {
    texts->capacity = MAX (n, 2 * texts->capacity);
    texts->items = g_renew (char *, texts->items, texts->capacity);
  }
  for (size_t i = n; i < texts->n; i++)
    if (texts->items[i] != NULL)
      g_ref_string_release (texts->items[i]);
  for (size_t i = texts->n; i < n; i++)
    texts->items[i] = NULL;
  texts->n = n;
}

static void
clear_column (KgColumn *column)
{
  g_clear_pointer (&column->buffer, kg_buffer_unref);
  g_clear_pointer (&column->texts, kg_texts_unref);
}

static size_t
get_columns_size (guint capacity)
{
  return sizeof (KgColumns) + capacity * sizeof (KgColumn);
}

KgColumns *
kg_columns_new (guint capacity)
{
  KgColumns *columns = (KgColumns *) g_malloc (get_columns_size (capacity));

  *columns = (KgColumns){ .capacity = capacity };
  return columns;
}

static void
free_block (KgColumns *columns)
{
  if (!columns->inside)
    g_free (columns);
}

void
kg_columns_free (KgColumns *columns)
{
  for (guint i = 0; i < columns->n; i++)
    clear_column (&columns->items[i]);
  free_block (columns);
}

/* A new one at the end, moved to a larger block when there is no room. */
static KgColumn *
append_column (KgColumns **columns, const char *name)
{
  const guint n = *columns != NULL ? (*columns)->n : 0;

  if (*columns == NULL || n == (*columns)->capacity) {
    KgColumns *larger = kg_columns_new (2 * n + 1);

    if (n > 0) {
      memcpy (larger->items, (*columns)->items, n * sizeof (KgColumn));
      free_block (*columns);
    }
    larger->n = n;
    *columns = larger;
  }
  (*columns)->items[n] = (KgColumn){ .name = g_intern_string (name) };
  (*columns)->n++;
  return &(*columns)->items[n];
}

KgGeometry *
kg_geometry_new (void)
{
  KgGeometry *geometry = g_new0 (KgGeometry, 1);

  g_atomic_ref_count_init (&geometry->refs);
  kg_geometry_edit_float (geometry, KG_POINTS, "P", 3);
  return geometry;
}

KgGeometry *
kg_geometry_ref (const KgGeometry *geometry)
{
  KgGeometry *g = (KgGeometry *) geometry;

  g_atomic_ref_count_inc (&g->refs);
  return g;
}

void
kg_geometry_unref (KgGeometry *geometry)
{
  if (!g_atomic_ref_count_dec (&geometry->refs))
    return;
  for (guint d = 0; d < KG_N_DOMAINS; d++)
    g_clear_pointer (&geometry->columns[d], kg_columns_free);
  g_clear_pointer (&geometry->topology, kg_topology_unref);
  g_free (geometry);
}

void
kg_geometry_make_writable (KgGeometry **geometry)
{
  KgGeometry *old = *geometry, *copy;
  size_t size = sizeof *copy;
  char *end;

  if (g_atomic_ref_count_compare (&old->refs, 1))
    return;
  for (guint d = 0; d < KG_N_DOMAINS; d++)
    size += kg_geometry_n_columns (old, d) > 0 ? get_columns_size (old->columns[d]->n) : 0;
  copy = (KgGeometry *) g_malloc (size);
  end = (char *) (copy + 1);
  *copy = (KgGeometry){ .n_points = old->n_points };
  g_atomic_ref_count_init (&copy->refs);
  copy->topology = old->topology != NULL ? kg_topology_ref (old->topology) : NULL;
  for (guint d = 0; d < KG_N_DOMAINS; d++) {
    const guint n = kg_geometry_n_columns (old, d);

    if (n == 0)
      continue;
    copy->columns[d] = (KgColumns *) (void *) end;
    *copy->columns[d] = (KgColumns){ .n = n, .capacity = n, .inside = true };
    end += get_columns_size (n);
    for (guint i = 0; i < n; i++) {
      KgColumn *column = &copy->columns[d]->items[i];

      *column = old->columns[d]->items[i];
      if (column->buffer != NULL)
        kg_buffer_ref (column->buffer);
      if (column->texts != NULL)
        g_atomic_ref_count_inc (&column->texts->refs);
    }
  }
  kg_geometry_unref (old);
  *geometry = copy;
}

size_t
kg_geometry_get_n_points (const KgGeometry *geometry)
{
  return geometry->n_points;
}

KgColumn *
kg_geometry_find_column (const KgGeometry *geometry, KgDomain domain, const char *name)
{
  for (guint i = 0; i < kg_geometry_n_columns (geometry, domain); i++) {
    KgColumn *column = &geometry->columns[domain]->items[i];

    /* Most names differ in their first letter. */
    if (column->name[0] == name[0] && strcmp (column->name, name) == 0)
      return column;
  }
  return NULL;
}

bool
kg_column_own (KgColumn *column, size_t old_n, size_t n)
{
  const size_t element = scalar_size (column->scalar) * column->size;
  size_t size;
  char *data;

  if (column->scalar == KG_STRING) {
    if (!g_atomic_ref_count_compare (&column->texts->refs, 1)) {
      KgTexts *copy = copy_texts (column->texts, n);

      kg_texts_unref (column->texts);
      column->texts = copy;
    }
    resize_texts (column->texts, n);
    return true;
  }
  if (n > SIZE_MAX / 2 / element)
    return false;
  /* Doubling keeps appending one by one linear. */
  size = kg_buffer_get_size (column->buffer);
  data = (char *) kg_buffer_make_writable (&column->buffer, n * element > size ? MAX (n * element, 2 * size) : 1);
  if (data == NULL)
    data = (char *) kg_buffer_make_writable (&column->buffer, n * element);
  if (data == NULL)
    return false;
  /* What a new buffer adds is zero already. */
  if (n > old_n && size > old_n * element)
    memset (data + old_n * element, 0, MIN (size, n * element) - old_n * element);
  return true;
}

bool
kg_geometry_set_n_points (KgGeometry *geometry, size_t n, GError **error)
{
  const size_t old_n = geometry->n_points;

  if (n == old_n)
    return true;
  geometry->fingerprint = (KgHash){ 0, 0 };
  if (n > KG_GEOMETRY_MAX_POINTS) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu points: a geometry can have at most %zu", n, KG_GEOMETRY_MAX_POINTS);
    return false;
  }
  for (guint i = 0; i < kg_geometry_n_columns (geometry, KG_POINTS); i++)
    if (!kg_column_own (&geometry->columns[KG_POINTS]->items[i], MIN (old_n, n), n)) {
      kg_set_error (error, KG_ERROR_LIMIT, "not enough memory for %zu points", n);
      return false;
    }
  geometry->n_points = n;
  return true;
}

/* Attributes. */

guint
kg_geometry_get_n_attributes (const KgGeometry *geometry, KgDomain domain)
{
  return kg_geometry_n_columns (geometry, domain);
}

static void
view_column (const KgGeometry *geometry, KgDomain domain, const KgColumn *column, KgAttribute *attribute)
{
  *attribute = (KgAttribute){ .name = column->name,
                              .scalar = column->scalar,
                              .size = column->size,
                              .count = kg_geometry_get_count (geometry, domain),
                              .data = column->scalar == KG_STRING ? (const void *) column->texts->items
                                                                  : kg_buffer_get_data (column->buffer) };
}

void
kg_geometry_get_attribute (const KgGeometry *geometry, KgDomain domain, guint index, KgAttribute *attribute)
{
  g_return_if_fail (index < kg_geometry_n_columns (geometry, domain));
  view_column (geometry, domain, &geometry->columns[domain]->items[index], attribute);
}

bool
kg_geometry_find_attribute (const KgGeometry *geometry, KgDomain domain, const char *name, KgAttribute *attribute)
{
  const KgColumn *column = kg_geometry_find_column (geometry, domain, name);

  if (column == NULL)
    return false;
  view_column (geometry, domain, column, attribute);
  return true;
}

static const void *
get_data (const KgGeometry *geometry, KgDomain domain, const char *name, KgScalar scalar, uint8_t size)
{
  const KgColumn *column = kg_geometry_find_column (geometry, domain, name);

  if (column == NULL || column->scalar != scalar || column->size != size)
    return NULL;
  return kg_buffer_get_data (column->buffer);
}

const float *
kg_geometry_get_float (const KgGeometry *geometry, KgDomain domain, const char *name, uint8_t size)
{
  return (const float *) get_data (geometry, domain, name, KG_FLOAT32, size);
}

const int32_t *
kg_geometry_get_int (const KgGeometry *geometry, KgDomain domain, const char *name, uint8_t size)
{
  return (const int32_t *) get_data (geometry, domain, name, KG_INT32, size);
}

const char *
kg_geometry_get_text (const KgGeometry *geometry, KgDomain domain, const char *name, size_t element)
{
  const KgColumn *column = kg_geometry_find_column (geometry, domain, name);

  return column != NULL && column->scalar == KG_STRING && element < column->texts->n ? column->texts->items[element]
                                                                                     : NULL;
}

/* The column of that name, scalar and size, owned by this geometry; created or replaced if necessary. */
static KgColumn *
edit_column (KgGeometry *geometry, KgDomain domain, const char *name, KgScalar scalar, uint8_t size)
{
  const size_t n = kg_geometry_get_count (geometry, domain);
  KgColumn *column = kg_geometry_find_column (geometry, domain, name);

  geometry->fingerprint = (KgHash){ 0, 0 };
  if (column == NULL || (column->buffer == NULL && column->texts == NULL) || column->scalar != scalar ||
      column->size != size) {
    KgBuffer *buffer = scalar != KG_STRING ? kg_buffer_new (MAX (n * 4 * size, 1)) : NULL;

    if (buffer == NULL && scalar != KG_STRING)
      kg_memory_give_up (n * 4 * size);
    if (column == NULL)
      column = append_column (&geometry->columns[domain], name);
    clear_column (column);
    column->scalar = scalar;
    column->size = size;
    column->buffer = buffer;
    if (scalar == KG_STRING)
      column->texts = kg_texts_new (n);
  }
  if (!kg_column_own (column, n, n))
    kg_memory_give_up (n * 4 * size);
  return column;
}

/* The column's buffer is this geometry's own, so that its data may be written. */
static void *
edit_numbers (KgGeometry *geometry, KgDomain domain, const char *name, KgScalar scalar, uint8_t size)
{
  return (void *) kg_buffer_get_data (edit_column (geometry, domain, name, scalar, size)->buffer);
}

float *
kg_geometry_edit_float (KgGeometry *geometry, KgDomain domain, const char *name, uint8_t size)
{
  return (float *) edit_numbers (geometry, domain, name, KG_FLOAT32, size);
}

int32_t *
kg_geometry_edit_int (KgGeometry *geometry, KgDomain domain, const char *name, uint8_t size)
{
  return (int32_t *) edit_numbers (geometry, domain, name, KG_INT32, size);
}

float *
kg_geometry_rewrite_float (KgGeometry *geometry, KgDomain domain, const char *name, const float **old,
                           KgBuffer **shared)
{
  KgColumn *column = kg_geometry_find_column (geometry, domain, name);
  float *x;

  g_return_val_if_fail (column != NULL && column->scalar == KG_FLOAT32, NULL);
  x = (float *) kg_buffer_make_writable_uncopied (&column->buffer, shared);
  if (x == NULL)
    kg_memory_give_up (kg_buffer_get_size (column->buffer));
  *old = *shared != NULL ? (const float *) kg_buffer_get_data (*shared) : x;
  geometry->fingerprint = (KgHash){ 0, 0 };
  return x;
}

void
kg_geometry_set_text (KgGeometry *geometry, KgDomain domain, const char *name, size_t element, const char *text)
{
  KgColumn *column = edit_column (geometry, domain, name, KG_STRING, 1);

  g_return_if_fail (element < column->texts->n);
  if (column->texts->items[element] != NULL)
    g_ref_string_release (column->texts->items[element]);
  column->texts->items[element] = text != NULL ? g_ref_string_new (text) : NULL;
}

void
kg_geometry_remove_attribute (KgGeometry *geometry, KgDomain domain, const char *name)
{
  /* P always exists. */
  g_return_if_fail (domain != KG_POINTS || !g_str_equal (name, "P"));
  for (guint i = 0; i < kg_geometry_n_columns (geometry, domain); i++) {
    KgColumns *columns = geometry->columns[domain];

    if (!g_str_equal (columns->items[i].name, name))
      continue;
    clear_column (&columns->items[i]);
    columns->n--;
    memmove (columns->items + i, columns->items + i + 1, (columns->n - i) * sizeof (KgColumn));
    geometry->fingerprint = (KgHash){ 0, 0 };
    return;
  }
}

const float *
kg_geometry_get_positions (const KgGeometry *geometry)
{
  return kg_geometry_get_float (geometry, KG_POINTS, "P", 3);
}

float *
kg_geometry_edit_positions (KgGeometry *geometry)
{
  return kg_geometry_edit_float (geometry, KG_POINTS, "P", 3);
}

KgHash
kg_geometry_get_fingerprint (const KgGeometry *geometry)
{
  return geometry->fingerprint;
}

void
kg_geometry_set_fingerprint (KgGeometry *geometry, KgHash fingerprint)
{
  geometry->fingerprint = fingerprint;
}
