/* skin_parts: which part of an object follows which points of a skeleton.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "deform/skin_parts.h"

#include "text/points_text.h"

#include <math.h>

static void
part_free (gpointer data)
{
  SkinPart *part = data;

  g_free (part->name);
  g_free (part->bones);
  g_free (part->points);
  g_free (part);
}

static bool
read_bones (SkinPart *part, const char *text, size_t n_bones, guint row, GError **error)
{
  g_autoptr (GArray) numbers = points_text_read_numbers (text, error);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (numbers == NULL) {
    kg_prefix_error (error, "parts, row %u: ", row);
    return false;
  }
  part->n_bones = numbers->len;
  part->bones = g_new (uint32_t, MAX (numbers->len, 1));
  for (guint i = 0; i < numbers->len; i++) {
    const double number = g_array_index (numbers, double, i);

    if (!(number >= 0 && number < (double) n_bones && number == floor (number))) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "parts, row %u: %g is not a point of the skeleton, which has %zu points: use whole numbers from 0",
                    row, number, n_bones);
      return false;
    }
    part->bones[i] = (uint32_t) number;
    if (!g_hash_table_add (seen, GUINT_TO_POINTER (part->bones[i]))) {
      kg_set_error (error, KG_ERROR_DUPLICATE, "parts, row %u: %g occurs twice: list each point once", row, number);
      return false;
    }
  }
  return true;
}

static bool
is_member (const KgAttribute *attribute, size_t i)
{
  return attribute->scalar == KG_INT32 ? ((const int32_t *) attribute->data)[i] != 0
                                       : ((const float *) attribute->data)[i] != 0;
}

/* A group: one number for each element. */
static bool
find_group (const KgGeometry *object, KgDomain domain, const char *name, KgAttribute *attribute)
{
  return kg_geometry_find_attribute (object, domain, name, attribute) && attribute->size == 1 &&
         attribute->scalar != KG_STRING;
}

static void
claim (int32_t *owner, int32_t part, size_t point)
{
  if (owner[point] < 0)
    owner[point] = part;
}

static void
claim_primitive (const KgGeometry *object, int32_t *owner, int32_t part, size_t index)
{
  KgPrimitive primitive;

  kg_geometry_get_primitive (object, index, &primitive);
  for (uint32_t k = 0; k < primitive.n_vertices; k++)
    claim (owner, part, primitive.vertices[k]);
}

/* Gives the part all that its name names and no earlier part has; false when it names nothing. */
static bool
claim_named (const KgGeometry *object, int32_t *owner, int32_t part, const char *name)
{
  const size_t n_primitives = kg_geometry_get_n_primitives (object);
  KgAttribute attribute;
  guint64 number;

  if (find_group (object, KG_POINTS, name, &attribute))
    for (size_t i = 0; i < attribute.count; i++) {
      if (is_member (&attribute, i))
        claim (owner, part, i);
    }
  else if (find_group (object, KG_PRIMITIVES, name, &attribute))
    for (size_t i = 0; i < attribute.count; i++) {
      if (is_member (&attribute, i))
        claim_primitive (object, owner, part, i);
    }
  else if (n_primitives > 0 && g_ascii_string_to_unsigned (name, 10, 0, n_primitives - 1, &number, NULL))
    claim_primitive (object, owner, part, (size_t) number);
  else
    return false;
  return true;
}

/* The points of each part, from which part each point belongs to. */
static void
distribute_points (GPtrArray *parts, const int32_t *owner, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (owner[i] >= 0)
      ((SkinPart *) g_ptr_array_index (parts, owner[i]))->n_points++;
  for (guint k = 0; k < parts->len; k++) {
    SkinPart *part = g_ptr_array_index (parts, k);

    part->points = g_new (uint32_t, MAX (part->n_points, 1));
    part->n_points = 0;
  }
  for (size_t i = 0; i < n; i++)
    if (owner[i] >= 0) {
      SkinPart *part = g_ptr_array_index (parts, owner[i]);

      part->points[part->n_points++] = (uint32_t) i;
    }
}

static bool
read_part (GPtrArray *parts, const char *line, guint row, const KgGeometry *object, int32_t *owner, size_t n_bones,
           GError **error)
{
  const char *colon = strrchr (line, ':');
  SkinPart *part;

  if (parts->len == SKIN_PARTS_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT, "more than %d parts: use fewer", SKIN_PARTS_MAX);
    return false;
  }
  if (colon == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "parts, row %u: \"%.40s\" has no colon: write a group, a colon and points of the skeleton, as in "
                  "arm: 2 4 5",
                  row, line);
    return false;
  }
  part = g_new0 (SkinPart, 1);
  g_ptr_array_add (parts, part);
  part->name = g_strstrip (g_strndup (line, (gsize) (colon - line)));
  if (!read_bones (part, colon + 1, n_bones, row, error))
    return false;
  if (!claim_named (object, owner, (int32_t) parts->len - 1, part->name)) {
    kg_set_error (
        error, KG_ERROR_UNKNOWN_NAME,
        "parts, row %u: \"%.40s\" is neither a group of points or primitives nor the index of a primitive: create it with Group",
        row, part->name);
    return false;
  }
  return true;
}

GPtrArray *
skin_parts_read (const char *text, const KgGeometry *object, size_t n_bones, GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (part_free);
  g_auto (GStrv) lines = g_strsplit_set (text, "\n;", -1);
  const size_t n = kg_geometry_get_n_points (object);
  g_autofree int32_t *owner = NULL;

  for (guint i = 0; lines[i] != NULL; i++) {
    g_strstrip (lines[i]);
    if (lines[i][0] == '\0')
      continue;
    if (owner == NULL) {
      owner = g_new (int32_t, MAX (n, 1));
      for (size_t p = 0; p < n; p++)
        owner[p] = -1;
    }
    if (!read_part (parts, lines[i], i + 1, object, owner, n_bones, error))
      return NULL;
  }
  if (owner != NULL)
    distribute_points (parts, owner, n);
  return g_steal_pointer (&parts);
}
