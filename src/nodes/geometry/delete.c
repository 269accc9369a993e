/* geometry/delete: takes points or primitives away.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgGeometry *geometry;
  int domain;
  int kind;
  const char *name;
  int64_t first;
  int64_t last;
  int64_t step;
  bool invert;
  bool loose;
  KgGeometry *rest;
} Delete;

enum { DELETE_GROUP, DELETE_RANGE, N_KINDS };

static const KgChoice delete_domains[] = {
  [KG_POINTS] = { "points", N_ ("Points") },
  [KG_PRIMITIVES] = { "primitives", N_ ("Primitives") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (delete_domains, KG_PRIMITIVES + 1);

static const KgChoice delete_kinds[] = {
  [DELETE_GROUP] = { "group", N_ ("Group or attribute") },
  [DELETE_RANGE] = { "range", N_ ("By index") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (delete_kinds, N_KINDS);

/* Whether each element stays. */
static bool
delete_choose (const Delete *n, size_t count, uint8_t *keep, GError **error)
{
  KgAttribute attribute = { .size = 1 };

  if (n->kind == DELETE_GROUP &&
      (!kg_geometry_find_attribute (n->geometry, (KgDomain) n->domain, n->name, &attribute) ||
       attribute.scalar == KG_STRING)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the group or numeric attribute \"%s\" is missing: create a group with geometry/group", n->name);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const int64_t index = (int64_t) i;
    bool chosen;

    if (n->kind == DELETE_RANGE)
      chosen = index >= n->first && (n->last < 0 || index <= n->last) && (index - n->first) % n->step == 0;
    else if (attribute.scalar == KG_INT32)
      chosen = ((const int32_t *) attribute.data)[i * attribute.size] != 0;
    else
      chosen = ((const float *) attribute.data)[i * attribute.size] != 0;
    keep[i] = chosen == n->invert;
  }
  return true;
}

/* Marks the points that primitives stand on. */
static uint8_t *
delete_find_used (const KgGeometry *geometry)
{
  uint8_t *used = g_new0 (uint8_t, MAX (kg_geometry_get_n_points (geometry), 1));

  for (size_t i = 0; i < kg_geometry_get_n_primitives (geometry); i++) {
    KgPrimitive primitive;

    kg_geometry_get_primitive (geometry, i, &primitive);
    for (uint32_t k = 0; k < primitive.n_vertices; k++)
      used[primitive.vertices[k]] = 1;
  }
  return used;
}

static bool
delete_evaluate (Delete *n, const KgContext *ctx, GError **error)
{
  const size_t n_points = kg_geometry_get_n_points (n->geometry);
  const size_t count = n->domain == KG_POINTS ? n_points : kg_geometry_get_n_primitives (n->geometry);
  g_autofree uint8_t *keep = g_new (uint8_t, MAX (count, 1));

  (void) ctx;
  if (!delete_choose (n, count, keep, error))
    return false;
  kg_geometry_make_writable (&n->geometry);
  if (n->domain == KG_POINTS)
    kg_geometry_keep_points (n->geometry, keep);
  else {
    g_autofree uint8_t *before = delete_find_used (n->geometry), *after = NULL;

    kg_geometry_keep_primitives (n->geometry, keep);
    after = delete_find_used (n->geometry);
    /* Points that no primitive stood on before are things of their own, and stay. */
    for (size_t i = 0; i < n_points; i++)
      after[i] = after[i] || !before[i];
    if (!n->loose)
      kg_geometry_keep_points (n->geometry, after);
  }
  n->rest = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot delete_slots[] = {
  KG_INPUT (Delete, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry to delete from.")),
  KG_INPUT (Delete, domain, CHOICE, .label = N_ ("Elements"), .choices = delete_domains,
            .help = N_ ("What is deleted. Primitives that lose a point are deleted too.")),
  KG_INPUT (Delete, kind, CHOICE, .label = N_ ("Select by"), .choices = delete_kinds,
            .help = N_ ("How the elements to delete are selected.")),
  KG_INPUT (Delete, name, TEXT, .label = N_ ("Name"), .def_text = "group",
            .help = N_ ("Name of a group or an attribute: elements with a value other than 0 are deleted.")),
  KG_INPUT (Delete, first, INTEGER, .label = N_ ("First"), .min = 0, .max = 1e9, .soft_max = 100,
            .group = N_ ("By index"), .help = N_ ("Index of the first element to delete.")),
  KG_INPUT (Delete, last, INTEGER, .label = N_ ("Last"), .def = 0, .min = -1, .max = 1e9, .soft_max = 100,
            .group = N_ ("By index"), .help = N_ ("Index of the last element; -1 is the last one of the geometry.")),
  KG_INPUT (Delete, step, INTEGER, .label = N_ ("Step"), .def = 1, .min = 1, .max = 1e9, .soft_max = 10,
            .group = N_ ("By index"), .help = N_ ("2 selects every second element from the first on, 3 every third.")),
  KG_INPUT (Delete, invert, BOOLEAN, .label = N_ ("Invert"),
            .help = N_ ("Keeps the selected elements and deletes all others.")),
  KG_INPUT (Delete, loose, BOOLEAN, .label = N_ ("Keep points"),
            .help = N_ ("Keeps the points of deleted primitives that no other primitive uses.")),
  KG_OUTPUT (Delete, rest, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The remaining geometry.")),
};

KG_NODE (
    geometry, delete, Delete, .label = N_ ("Delete"), .version = 1, .since = "0.1",
    .tags = N_ ("remove blast cut erase prune subset"),
    .help = N_ (
        "Deletes points or primitives: those in a group, those with an attribute, or by index. The remaining elements form a complete geometry."));
