/* geometry/group: names some of the points or primitives.
 *
 * A group is an attribute of one whole number of that name: 1 in the group, 0 outside.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"

typedef struct {
  KgGeometry *geometry;
  const char *name;
  int domain;
  int kind;
  int64_t first;
  int64_t last;
  int64_t step;
  KgVector center;
  KgVector size;
  double radius;
  const char *attribute;
  double low;
  double high;
  bool invert;
  int combine;
  KgGeometry *grouped;
  int64_t count;
} Group;

enum { GROUP_RANGE, GROUP_BOX, GROUP_SPHERE, GROUP_ATTRIBUTE, N_KINDS };
enum { COMBINE_REPLACE, COMBINE_ADD, COMBINE_REMOVE, COMBINE_BOTH, N_COMBINATIONS };

static const KgChoice group_domains[] = {
  [KG_POINTS] = { "points", N_ ("Points") },
  [KG_PRIMITIVES] = { "primitives", N_ ("Primitives") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (group_domains, KG_PRIMITIVES + 1);

static const KgChoice group_kinds[] = {
  [GROUP_RANGE] = { "range", N_ ("By index") },
  [GROUP_BOX] = { "box", N_ ("In a box") },
  [GROUP_SPHERE] = { "sphere", N_ ("In a sphere") },
  [GROUP_ATTRIBUTE] = { "attribute", N_ ("By an attribute") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (group_kinds, N_KINDS);

static const KgChoice group_combinations[] = {
  [COMBINE_REPLACE] = { "replace", N_ ("Replace the group") },
  [COMBINE_ADD] = { "add", N_ ("Add to the group") },
  [COMBINE_REMOVE] = { "remove", N_ ("Remove from the group") },
  [COMBINE_BOTH] = { "both", N_ ("Intersect with the group") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (group_combinations, N_COMBINATIONS);

/* The place of a point, or the mean of the corners of a primitive. */
static KgVector
group_get_position (const Group *n, const float *p, size_t i)
{
  return n->domain == KG_POINTS ? kg_floats_get_vector (p, i) : kg_geometry_get_primitive_center (n->geometry, i);
}

static bool
group_contains (const Group *n, const float *p, const KgAttribute *attribute, size_t i)
{
  const int64_t index = (int64_t) i;
  KgVector d;
  double value;

  switch (n->kind) {
  case GROUP_RANGE:
    return index >= n->first && (n->last < 0 || index <= n->last) && (index - n->first) % n->step == 0;
  case GROUP_BOX:
    d = kg_vector_subtract (group_get_position (n, p, i), n->center);
    return 2 * fabs (d.x) <= n->size.x && 2 * fabs (d.y) <= n->size.y && 2 * fabs (d.z) <= n->size.z;
  case GROUP_SPHERE:
    return kg_vector_distance (group_get_position (n, p, i), n->center) <= n->radius;
  default:
    value = attribute->scalar == KG_INT32 ? (double) ((const int32_t *) attribute->data)[i * attribute->size]
                                          : (double) ((const float *) attribute->data)[i * attribute->size];
    return value >= n->low && value <= n->high;
  }
}

static bool
group_check (const Group *n, KgAttribute *attribute, GError **error)
{
  KgAttribute known;

  if (n->name[0] == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the name of the group is empty: type one");
    return false;
  }
  /* A group called P would take the place of the points' places. */
  if (kg_geometry_find_attribute (n->geometry, (KgDomain) n->domain, n->name, &known) &&
      (known.scalar != KG_INT32 || known.size != 1)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the attribute \"%s\" exists and is not a group: choose another name",
                  n->name);
    return false;
  }
  if (n->kind == GROUP_ATTRIBUTE &&
      (!kg_geometry_find_attribute (n->geometry, (KgDomain) n->domain, n->attribute, attribute) ||
       attribute->scalar == KG_STRING)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the attribute \"%s\" is missing or not numeric: choose another one to group by", n->attribute);
    return false;
  }
  return true;
}

static bool
group_evaluate (Group *n, const KgContext *ctx, GError **error)
{
  const size_t count = n->domain == KG_POINTS ? kg_geometry_get_n_points (n->geometry)
                                              : kg_geometry_get_n_primitives (n->geometry);
  KgAttribute attribute = { .data = NULL };
  g_autoptr (KgGeometry) before = NULL;
  const float *p;
  int32_t *member;
  int64_t members = 0;

  (void) ctx;
  if (!group_check (n, &attribute, error))
    return false;
  /* Reads from a copy: the elements may be chosen by the group itself. */
  before = kg_geometry_ref (n->geometry);
  kg_geometry_make_writable (&n->geometry);
  p = kg_geometry_get_positions (before);
  member = kg_geometry_edit_int (n->geometry, (KgDomain) n->domain, n->name, 1);
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : members)
  for (size_t i = 0; i < count; i++) {
    const bool in = group_contains (n, p, &attribute, i) != n->invert, was = member[i] != 0;

    member[i] = n->combine == COMBINE_REPLACE  ? in
                : n->combine == COMBINE_ADD    ? was || in
                : n->combine == COMBINE_REMOVE ? was && !in
                                               : was && in;
    members += member[i];
  }
  n->count = members;
  n->grouped = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot group_slots[] = {
  KG_INPUT (Group, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry that gets the group.")),
  KG_INPUT (Group, name, TEXT, .label = N_ ("Name"), .def_text = "group",
            .help = N_ ("Name of the group. It is stored as an attribute that is 1 in the group and 0 outside.")),
  KG_INPUT (Group, domain, CHOICE, .label = N_ ("Elements"), .choices = group_domains,
            .help = N_ ("Elements of the group. The position of a primitive is the mean of its points.")),
  KG_INPUT (Group, kind, CHOICE, .label = N_ ("Select by"), .choices = group_kinds,
            .help = N_ ("How the members are selected.")),
  KG_INPUT (Group, first, INTEGER, .label = N_ ("First"), .min = 0, .max = 1e9, .soft_max = 100,
            .group = N_ ("By index"), .help = N_ ("Index of the first member.")),
  KG_INPUT (Group, last, INTEGER, .label = N_ ("Last"), .def = -1, .min = -1, .max = 1e9, .soft_max = 100,
            .group = N_ ("By index"), .help = N_ ("Index of the last element; -1 is the last one of the geometry.")),
  KG_INPUT (Group, step, INTEGER, .label = N_ ("Step"), .def = 1, .min = 1, .max = 1e9, .soft_max = 10,
            .group = N_ ("By index"), .help = N_ ("2 selects every second element from the first on, 3 every third.")),
  KG_INPUT (Group, center, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .group = N_ ("In a box or sphere"),
            .help = N_ ("Position of the centre.")),
  KG_INPUT (Group, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES,
            .handle = { KG_HANDLE_SIZE, .anchor = "center" }, .def_v = { 1, 1, 1 }, .group = N_ ("In a box or sphere"),
            .help = N_ ("Width, height and depth of the box.")),
  KG_INPUT (Group, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 0.5, .min = 0, .max = INFINITY,
            .soft_max = 10, .group = N_ ("In a box or sphere"), .help = N_ ("Radius of the sphere.")),
  KG_INPUT (Group, attribute, TEXT, .label = N_ ("Attribute"), .def_text = "width", .group = N_ ("By an attribute"),
            .help = N_ ("Name of the attribute. If it has several components, the first is used.")),
  KG_INPUT (Group, low, NUMBER, .label = N_ ("Low"), .soft_max = 1, .group = N_ ("By an attribute"),
            .help = N_ ("Smallest value of the attribute for members.")),
  KG_INPUT (Group, high, NUMBER, .label = N_ ("High"), .def = 1, .soft_max = 1, .group = N_ ("By an attribute"),
            .help = N_ ("Largest value of the attribute for members.")),
  KG_INPUT (Group, invert, BOOLEAN, .label = N_ ("Invert"), .help = N_ ("Selects all other elements instead.")),
  KG_INPUT (Group, combine, CHOICE, .label = N_ ("Combine"), .choices = group_combinations,
            .help = N_ ("How the members are combined with an existing group of the same name.")),
  KG_OUTPUT (Group, grouped, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry with the group.")),
  KG_OUTPUT (Group, count, INTEGER, .label = N_ ("Count"), .help = N_ ("Number of members of the group.")),
};

KG_NODE (
    geometry, group, Group, .label = N_ ("Group"), .version = 1, .since = "0.1",
    .tags = N_ ("select selection mask subset name"),
    .help = N_ (
        "Gives a name to some of the points or primitives, selected by index, by position or by an attribute. Delete and other nodes refer to the group by its name."));
