/* point_order: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/point_order.h"

#define DIGIT 11
#define DIGITS (1u << DIGIT)

uint32_t
point_order_get_key (float x)
{
  uint32_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

void
point_order_sort (const float *values, size_t n, uint32_t *order)
{
  g_autofree uint32_t *keys = g_new (uint32_t, MAX (n, 1)), *other = g_new (uint32_t, MAX (n, 1));

  for (size_t i = 0; i < n; i++) {
    keys[i] = isnan (values[i]) ? UINT32_MAX : point_order_get_key (values[i]);
    order[i] = (uint32_t) i;
  }
  for (guint shift = 0; shift < 32; shift += DIGIT) {
    size_t starts[DIGITS + 1] = { 0 };

    for (size_t i = 0; i < n; i++)
      starts[((keys[i] >> shift) & (DIGITS - 1)) + 1]++;
    for (size_t d = 1; d < DIGITS; d++)
      starts[d] += starts[d - 1];
    for (size_t i = 0; i < n; i++)
      other[starts[(keys[order[i]] >> shift) & (DIGITS - 1)]++] = order[i];
    memcpy (order, other, n * sizeof *order);
  }
}

/* Writes an attribute of the elements in a new order (NULL: in their old one). */
static void
write_attribute (KgGeometry *to, KgDomain domain, const KgAttribute *from, const uint32_t *order)
{
  const size_t size = from->size * sizeof (float);
  char *data;

  if (from->scalar == KG_STRING) {
    for (size_t i = 0; i < from->count; i++)
      kg_geometry_set_text (to, domain, from->name, i,
                            ((char *const *) from->data)[order != NULL ? (size_t) order[i] : i]);
    return;
  }
  data = from->scalar == KG_FLOAT32 ? (char *) kg_geometry_edit_float (to, domain, from->name, from->size)
                                    : (char *) kg_geometry_edit_int (to, domain, from->name, from->size);
  for (size_t i = 0; i < from->count; i++)
    memcpy (data + i * size, (const char *) from->data + (order != NULL ? (size_t) order[i] : i) * size, size);
}

/* The same primitives over the moved points. */
static void
move_primitives (const KgGeometry *from, const uint32_t *order, KgGeometry *to)
{
  const size_t n = kg_geometry_get_n_points (from);
  g_autofree uint32_t *place = g_new (uint32_t, MAX (n, 1));

  for (size_t i = 0; i < n; i++)
    place[order[i]] = (uint32_t) i;
  kg_geometry_clear_primitives (to);
  for (size_t k = 0; k < kg_geometry_get_n_primitives (from); k++) {
    g_autofree uint32_t *vertices = NULL;
    KgPrimitive primitive;

    kg_geometry_get_primitive (from, k, &primitive);
    vertices = g_new (uint32_t, MAX (primitive.n_vertices, 1));
    for (uint32_t v = 0; v < primitive.n_vertices; v++)
      vertices[v] = place[primitive.vertices[v]];
    primitive.vertices = vertices;
    kg_geometry_add_primitive (to, &primitive);
  }
  for (guint a = 0; a < kg_geometry_get_n_attributes (from, KG_PRIMITIVES); a++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (from, KG_PRIMITIVES, a, &attribute);
    write_attribute (to, KG_PRIMITIVES, &attribute, NULL);
  }
}

KgGeometry *
point_order_apply (const KgGeometry *geometry, const uint32_t *order)
{
  g_autoptr (KgGeometry) sorted = kg_geometry_ref (geometry);

  kg_geometry_make_writable (&sorted);
  for (guint a = 0; a < kg_geometry_get_n_attributes (geometry, KG_POINTS); a++) {
    KgAttribute attribute;

    kg_geometry_get_attribute (geometry, KG_POINTS, a, &attribute);
    write_attribute (sorted, KG_POINTS, &attribute, order);
  }
  if (kg_geometry_get_n_primitives (geometry) > 0)
    move_primitives (geometry, order, sorted);
  return g_steal_pointer (&sorted);
}
