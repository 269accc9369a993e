/* tests/nodes/any-node: for tests that know no node type: a source of ordinary, empty, huge, tiny and detailed values of
 * each kind.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kineograph.h"

/* A node type for each heavy kind that gives something to feed required inputs with. */
typedef struct {
  bool empty;
  bool line;      /* the geometry is one line through all points instead of squares */
  double size;    /* from end to end */
  int64_t detail; /* squares, samples and joints along it, and 8 pixels for each */
  KgMotion *motion;
  KgGeometry *geometry;
  KgSkeleton *skeleton;
  KgField *field;
  KgImage *image;
  KgScene *scene;
} Source;

/* A square of detail * detail squares, or the points of that in one line. */
static KgGeometry *
source_make_geometry (const Source *n)
{
  const uint32_t detail = (uint32_t) n->detail, points = detail + 1;
  g_autofree uint32_t *vertices = g_new (uint32_t, (size_t) 4 * points * points);
  KgGeometry *geometry = kg_geometry_new ();
  uint32_t *v = vertices;
  float *p;

  if (n->empty)
    return geometry;
  kg_geometry_set_n_points (geometry, (size_t) points * points, NULL);
  p = kg_geometry_edit_positions (geometry);
  for (uint32_t j = 0; j < points; j++)
    for (uint32_t i = 0; i < points; i++, p += 3) {
      p[0] = (float) n->size * (float) i / (float) detail;
      p[1] = (float) n->size * (float) j / (float) detail;
    }
  if (n->line) {
    for (uint32_t i = 0; i < points * points; i++)
      *v++ = i;
    kg_geometry_add_primitives (geometry, KG_POLYLINE, false, 1, points * points, vertices);
    return geometry;
  }
  for (uint32_t j = 0; j < detail; j++)
    for (uint32_t i = 0; i < detail; i++) {
      const uint32_t corner = j * points + i;

      *v++ = corner;
      *v++ = corner + 1;
      *v++ = corner + points + 1;
      *v++ = corner + points;
    }
  kg_geometry_add_primitives (geometry, KG_POLYGON, true, (size_t) detail * detail, 4, vertices);
  return geometry;
}

static KgMotion *
source_make_motion (const Source *n)
{
  const gsize count = (gsize) n->detail + 1;
  g_autofree double *samples = g_new (double, count);

  if (n->empty)
    return kg_motion_new ();
  for (gsize i = 0; i < count; i++)
    samples[i] = 0.5 * n->size * (1 - (double) i / (double) n->detail);
  return kg_motion_new_take (
      "value", kg_channel_new_samples (1, false, 0, 24, samples, count, KG_EXTEND_HOLD, KG_EXTEND_HOLD, NULL));
}

static KgSkeleton *
source_make_skeleton (const Source *n)
{
  KgSkeleton *skeleton = kg_skeleton_new ();

  for (int i = 0; i < 2 + n->detail && !n->empty; i++) {
    g_autofree char *name = g_strdup_printf ("joint%d", i);
    KgJoint joint;

    kg_joint_init (&joint, name, i - 1);
    joint.offset = kg_vector (i > 0 ? n->size : 0, 0, 0);
    kg_skeleton_add_joint (skeleton, &joint, NULL);
  }
  return skeleton;
}

static bool
source_evaluate (Source *n, const KgContext *ctx, GError **error)
{
  const KgTransform identity = kg_transform_identity ();
  KgMaterial material;

  (void) ctx;
  n->motion = source_make_motion (n);
  n->geometry = source_make_geometry (n);
  n->skeleton = source_make_skeleton (n);
  n->field = kg_field_new_constant_vector (kg_vector (n->empty ? 0 : n->size, 0, 0));
  n->image = kg_image_new (n->empty ? 1 : 8 * (int) n->detail, n->empty ? 1 : 6 * (int) n->detail, !n->empty, error);
  n->scene = kg_scene_new ();
  kg_material_init (&material);
  if (!n->empty)
    kg_scene_add_object (n->scene, n->geometry, &identity, &material);
  return n->image != NULL;
}

static const KgSlot source_slots[] = {
  KG_INPUT (Source, empty, BOOLEAN, .label = "empty", .help = "empty"),
  KG_INPUT (Source, line, BOOLEAN, .label = "line", .help = "line"),
  KG_INPUT (Source, size, NUMBER, .label = "size", .help = "size", .def = 1),
  KG_INPUT (Source, detail, INTEGER, .label = "detail", .help = "detail", .def = 1, .min = 1, .max = 1000),
  KG_OUTPUT (Source, motion, MOTION, .label = "motion", .help = "motion"),
  KG_OUTPUT (Source, geometry, GEOMETRY, .label = "geometry", .help = "geometry"),
  KG_OUTPUT (Source, skeleton, SKELETON, .label = "skeleton", .help = "skeleton"),
  KG_OUTPUT (Source, field, FIELD, .label = "field", .help = "field"),
  KG_OUTPUT (Source, image, IMAGE, .label = "image", .help = "image"),
  KG_OUTPUT (Source, scene, SCENE, .label = "scene", .help = "scene"),
};

KG_NODE (test, source, Source, .label = "Source", .help = "A source for tests.", .version = 1);

/* (transfer full) All node types, and the source. */
static KgTypes *
make_types (void)
{
  g_autoptr (GPtrArray) table = g_ptr_array_new ();

  for (guint i = 0; kg_node_table[i] != NULL; i++)
    g_ptr_array_add (table, (gpointer) kg_node_table[i]);
  g_ptr_array_add (table, (gpointer) &kg_node_test_source);
  g_ptr_array_add (table, NULL);
  return kg_types_new ((const KgNodeType *const *) table->pdata);
}

/* Links each input of the node that takes a heavy value, or any, to the source. */
static inline void
link_to_source (KgGraph *graph, KgNode *source, KgNode *node)
{
  const KgNodeType *type = kg_node_get_type (node);

  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];
    g_autoptr (GError) error = NULL;

    if (slot->role == KG_SLOT_INPUT && slot->kind >= KG_MOTION && slot->kind <= KG_SCENE)
      kg_graph_link (graph, source, kg_kind_get_name (slot->kind), node, slot->name, &error);
    else if (slot->role == KG_SLOT_INPUT && slot->kind == KG_ANY)
      kg_graph_link (graph, source, "geometry", node, slot->name, &error);
    g_assert_no_error (error);
  }
}
