/* point_pieces: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_pieces.h"

#include "kg-error.h"
#include "kg-random.h"
#include "value/disjoint_sets.h"

#define NO_PIECE UINT32_MAX
/* Points between two looks at whether to stop. */
#define SAME_AT_ONCE 16384

void
point_pieces_clear (PointPieces *pieces)
{
  g_clear_pointer (&pieces->first, g_free);
  g_clear_pointer (&pieces->points, g_free);
  pieces->n = 0;
}

/* Sorts the points by the number of their piece (below n), or leaves them out. */
static void
fill (PointPieces *pieces, const uint32_t *of_point, size_t n_points, size_t n)
{
  g_autofree size_t *next = g_new0 (size_t, n + 1);

  *pieces = (PointPieces){ .n = n, .first = g_new0 (size_t, n + 1), .points = g_new (uint32_t, MAX (n_points, 1)) };
  for (size_t i = 0; i < n_points; i++)
    if (of_point[i] != NO_PIECE)
      pieces->first[of_point[i] + 1]++;
  for (size_t k = 0; k < n; k++) {
    pieces->first[k + 1] += pieces->first[k];
    next[k] = pieces->first[k];
  }
  for (uint32_t i = 0; i < n_points; i++)
    if (of_point[i] != NO_PIECE)
      pieces->points[next[of_point[i]]++] = i;
}

/* Numbers pieces, which are below n, by their first points, and leaves out those that no point has.  Returns how many. */
static size_t
renumber (uint32_t *of_point, size_t n_points, size_t n)
{
  g_autofree uint32_t *numbers = g_new (uint32_t, MAX (n, 1));
  size_t count = 0;

  for (size_t k = 0; k < n; k++)
    numbers[k] = NO_PIECE;
  for (size_t i = 0; i < n_points; i++) {
    if (of_point[i] == NO_PIECE)
      continue;
    if (numbers[of_point[i]] == NO_PIECE)
      numbers[of_point[i]] = (uint32_t) count++;
    of_point[i] = numbers[of_point[i]];
  }
  return count;
}

void
point_pieces_find_connected (PointPieces *pieces, const KgGeometry *geometry)
{
  const size_t n_points = kg_geometry_get_n_points (geometry);
  g_autofree uint32_t *parents = g_new (uint32_t, MAX (n_points, 1)), *of_point = g_new (uint32_t, MAX (n_points, 1));

  for (uint32_t i = 0; i < n_points; i++)
    parents[i] = i;
  for (size_t k = 0; k < kg_geometry_get_n_primitives (geometry); k++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, k, &primitive);
    for (uint32_t i = 1; i < primitive.n_vertices; i++)
      parents[disjoint_sets_find (parents, primitive.vertices[i])] =
          disjoint_sets_find (parents, primitive.vertices[0]);
  }
  for (uint32_t i = 0; i < n_points; i++)
    of_point[i] = disjoint_sets_find (parents, i);
  fill (pieces, of_point, n_points, renumber (of_point, n_points, n_points));
}

/* The value of an element as a text, which values of every kind have. */
static char *
dup_value (const KgAttribute *attribute, size_t element)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  switch (attribute->scalar) {
  case KG_FLOAT32:
    return g_strdup (g_ascii_dtostr (digits, sizeof digits, (double) ((const float *) attribute->data)[element] + 0.0));
  case KG_INT32:
    return g_strdup_printf ("%d", ((const int32_t *) attribute->data)[element]);
  default:
    return g_strdup (((char *const *) attribute->data)[element] != NULL ? ((char *const *) attribute->data)[element]
                                                                        : "");
  }
}

/* (transfer full) A number for each element: the same for the same value, in the order in which they come. */
static uint32_t *
number_values (const KgAttribute *attribute, size_t *n)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  uint32_t *numbers = g_new (uint32_t, MAX (attribute->count, 1));

  for (size_t i = 0; i < attribute->count; i++) {
    char *value = dup_value (attribute, i);
    gpointer found;

    if (g_hash_table_lookup_extended (known, value, NULL, &found)) {
      numbers[i] = GPOINTER_TO_UINT (found);
      g_free (value);
      continue;
    }
    numbers[i] = g_hash_table_size (known);
    g_hash_table_insert (known, value, GUINT_TO_POINTER (numbers[i]));
  }
  *n = g_hash_table_size (known);
  return numbers;
}

bool
point_pieces_find_by_attribute (PointPieces *pieces, const KgGeometry *geometry, const char *name, GError **error)
{
  const size_t n_points = kg_geometry_get_n_points (geometry);
  g_autofree uint32_t *numbers = NULL, *of_point = g_new (uint32_t, MAX (n_points, 1));
  KgDomain domain = KG_POINTS;
  KgAttribute attribute;
  size_t n;

  *pieces = (PointPieces){ 0 };
  if (!kg_geometry_find_attribute (geometry, KG_POINTS, name, &attribute)) {
    domain = KG_PRIMITIVES;
    if (!kg_geometry_find_attribute (geometry, KG_PRIMITIVES, name, &attribute)) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME,
                    "there is no attribute \"%s\" of points or primitives: correct the name", name);
      return false;
    }
  }
  if (attribute.size != 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the attribute \"%s\" has %d components: use one of single numbers or texts", name, attribute.size);
    return false;
  }
  numbers = number_values (&attribute, &n);
  for (size_t i = 0; i < n_points; i++)
    of_point[i] = domain == KG_POINTS ? numbers[i] : NO_PIECE;
  for (size_t k = 0; domain == KG_PRIMITIVES && k < kg_geometry_get_n_primitives (geometry); k++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, k, &primitive);
    for (uint32_t i = 0; i < primitive.n_vertices; i++)
      if (of_point[primitive.vertices[i]] == NO_PIECE)
        of_point[primitive.vertices[i]] = numbers[k];
  }
  fill (pieces, of_point, n_points, renumber (of_point, n_points, n));
  return true;
}

static size_t
hash_position (const float *p)
{
  uint32_t bits[3];

  for (int c = 0; c < 3; c++) {
    const float x = p[c] + 0.0f; /* of two zeros the one */

    memcpy (&bits[c], &x, sizeof x);
  }
  return (size_t) kg_random_bits (bits[0], bits[1], bits[2]);
}

uint32_t *
point_pieces_find_same (const float *p, size_t n, const KgProgressMonitor *monitor)
{
  g_autofree uint32_t *same = g_new (uint32_t, MAX (n, 1)), *slots = NULL;
  size_t n_slots = 16;

  while (n_slots < 2 * n)
    n_slots *= 2;
  slots = g_new0 (uint32_t, n_slots); /* index + 1; 0: free */
  for (size_t i = 0; i < n; i++) {
    const float *x = p + 3 * i;
    size_t slot = hash_position (x) & (n_slots - 1);

    for (; slots[slot] != 0; slot = (slot + 1) & (n_slots - 1)) {
      const float *y = p + 3 * (size_t) (slots[slot] - 1);

      if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2])
        break;
    }
    if (slots[slot] == 0)
      slots[slot] = (uint32_t) i + 1;
    same[i] = slots[slot] - 1;
    if (i % SAME_AT_ONCE == 0 && kg_progress_is_cancelled (monitor))
      return NULL;
  }
  return g_steal_pointer (&same);
}
