/* kg-stage: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-stage.h"

#include "config.h"
#include "kg-memory.h"
#include "kg-point-view.h"
#include "render/surface.h"
#include "render/wires.h"
#include "rig/bone_solids.h"

/* Pixels of lines and points that have no width of their own. */
#define LINE_PIXELS 2.0
#define POINT_PIXELS 4.0
/* Metres, and a share of the mean length of bones: the smaller counts. */
#define BONE_WIDTH 0.08
#define BONE_SHARE 0.12
/* Of an image that is not a draft, along one side of a pixel. */
#define SAMPLES 2

static const float template_color[] = { 0.30f, 0.32f, 0.36f }, wire_color[] = { 0, 0, 0 };

/* What is on it. */

bool
kg_stage_takes (KgKind kind)
{
  return kind == KG_GEOMETRY || kind == KG_SKELETON || kind == KG_SCENE || kind == KG_TRANSFORM;
}

static void
item_free (gpointer data)
{
  KgStageItem *item = (KgStageItem *) data;

  if (item->has_value)
    kg_value_clear (&item->value);
  g_free (item->target);
  g_free (item);
}

static void
add_item (GPtrArray *items, KgNode *node, guint output, KgStage stage)
{
  g_autofree char *path = kg_node_dup_path (node);
  g_autofree char *target = g_strdup_printf ("%s.%s", path, kg_node_get_slot (node, output)->name);
  KgStageItem *item;

  for (guint i = 0; i < items->len; i++)
    if (g_str_equal (((const KgStageItem *) g_ptr_array_index (items, i))->target, target))
      return;
  item = g_new0 (KgStageItem, 1);
  item->target = g_steal_pointer (&target);
  item->stage = stage;
  g_ptr_array_add (items, item);
}

/* What images are made of: a walk upstream that ends at what stands in space. */
typedef struct {
  GPtrArray *items;
  GHashTable *seen; /* KgNode */
  GPtrArray *nodes; /* KgNode to look at, in the order of the walk */
} Walk;

static void
visit_output (Walk *walk, KgNode *from, guint output)
{
  KgGraph *inside = kg_node_get_graph (from);
  KgNode *next = from;

  if (output != G_MAXUINT && kg_stage_takes (kg_node_get_slot_kind (from, output)) &&
      kg_node_get_slot_kind (from, output) != KG_TRANSFORM) {
    add_item (walk->items, from, output, KG_STAGE_SHOWN);
    return;
  }
  if (inside != NULL && output != G_MAXUINT)
    next = kg_graph_find (inside, kg_node_get_slot (from, output)->name);
  if (next != NULL && g_hash_table_add (walk->seen, next))
    g_ptr_array_add (walk->nodes, next);
}

static void
visit_input (Walk *walk, KgNode *node, guint slot)
{
  KgNode *from;
  guint output;

  for (guint k = 0; kg_node_get_link (node, slot, k, &from, &output); k++) {
    visit_output (walk, from, output);
    if (!kg_node_get_slot (node, slot)->list)
      break;
  }
}

static void
visit_node (Walk *walk, KgNode *node)
{
  const KgNodeType *type = kg_node_get_type (node);
  KgNode *owner = kg_graph_get_owner (kg_node_get_parent (node));

  /* Inside a sub-graph the way goes on outside. */
  if (type != NULL && type->role == KG_ROLE_INTERFACE_INPUT && owner != NULL) {
    const int slot = kg_node_find_slot (owner, kg_node_get_name (node));

    if (slot >= 0)
      visit_input (walk, owner, (guint) slot);
    return;
  }
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    if (kg_node_get_slot (node, i)->role == KG_SLOT_INPUT)
      visit_input (walk, node, i);
}

static void
add_displayed (KgGraph *root, const char *target, GPtrArray *items)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  Walk walk = { items, seen, nodes };
  KgNode *node;
  guint output;

  if (!kg_graph_find_output (root, target, &node, &output, NULL))
    return;
  if (kg_stage_takes (kg_node_get_slot_kind (node, output))) {
    add_item (items, node, output, KG_STAGE_SHOWN);
    return;
  }
  /* An output of a sub-graph may take anything. */
  if (kg_node_get_slot_kind (node, output) != KG_IMAGE && kg_node_get_slot_kind (node, output) != KG_ANY)
    return;
  visit_output (&walk, node, output);
  for (guint i = 0; i < nodes->len; i++)
    visit_node (&walk, (KgNode *) g_ptr_array_index (nodes, i));
}

static void
add_flagged (KgGraph *graph, GPtrArray *items)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    if (kg_node_get_stage (node) == KG_STAGE_OFF)
      continue;
    for (guint k = 0; k < kg_node_get_n_slots (node); k++)
      if (kg_node_get_slot (node, k)->role == KG_SLOT_OUTPUT && kg_stage_takes (kg_node_get_slot_kind (node, k))) {
        add_item (items, node, k, kg_node_get_stage (node));
        break;
      }
  }
}

GPtrArray *
kg_stage_list (KgGraph *root, KgGraph *current, const char *target)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (item_free);

  if (target != NULL)
    add_displayed (root, target, items);
  add_flagged (root, items);
  if (current != root)
    add_flagged (current, items);
  return items;
}

GPtrArray *
kg_stage_copy (const GPtrArray *items)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (item_free);

  for (guint i = 0; i < items->len; i++) {
    const KgStageItem *from = (const KgStageItem *) items->pdata[i];
    KgStageItem *item = g_new0 (KgStageItem, 1);

    item->target = g_strdup (from->target);
    item->stage = from->stage;
    g_ptr_array_add (copy, item);
  }
  return copy;
}

const KgCamera *
kg_stage_find_camera (const GPtrArray *items)
{
  for (guint i = 0; items != NULL && i < items->len; i++) {
    const KgStageItem *item = (const KgStageItem *) items->pdata[i];

    if (item->has_value && item->stage == KG_STAGE_SHOWN && item->value.kind == KG_SCENE &&
        kg_scene_get_n_cameras (item->value.scene) > 0)
      return kg_scene_get_camera (item->value.scene, 0);
  }
  return NULL;
}

static bool
is_camera (const KgNode *node)
{
  return kg_node_get_type (node) != NULL && kg_node_get_type (node)->role == KG_ROLE_CAMERA;
}

/* (nullable) The first camera upstream, in the order in which scenes are joined. */
static KgNode *
find_camera_above (KgNode *node, GHashTable *seen)
{
  if (is_camera (node))
    return node;
  if (!g_hash_table_add (seen, node))
    return NULL;
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    KgNode *from;
    guint output;

    if (slot->role != KG_SLOT_INPUT || slot->kind != KG_SCENE)
      continue;
    for (guint k = 0; kg_node_get_link (node, i, k, &from, &output); k++) {
      KgNode *camera = find_camera_above (from, seen);

      if (camera != NULL)
        return camera;
      if (!slot->list)
        break;
    }
  }
  return NULL;
}

KgNode *
kg_stage_find_camera_node (KgGraph *root, const GPtrArray *items)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < items->len; i++) {
    const KgStageItem *item = (const KgStageItem *) items->pdata[i];
    KgNode *node, *camera;
    guint output;

    if (item->stage != KG_STAGE_SHOWN || !kg_graph_find_output (root, item->target, &node, &output, NULL))
      continue;
    camera = find_camera_above (node, seen);
    if (camera != NULL)
      return camera;
  }
  return NULL;
}

static void
list_cameras (KgGraph *graph, GPtrArray *found)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    if (is_camera (node)) {
      g_autofree char *path = kg_node_dup_path (node);

      g_ptr_array_add (found, g_strdup_printf ("%s.scene", path));
    }
    if (kg_node_get_graph (node) != NULL)
      list_cameras (kg_node_get_graph (node), found);
  }
}

GPtrArray *
kg_stage_list_cameras (KgGraph *root)
{
  GPtrArray *found = g_ptr_array_new_with_free_func (g_free);

  list_cameras (root, found);
  return found;
}

/* Images. */

/* A geometry with normals, for as long as the next image shows it too. */
typedef struct {
  KgGeometry *geometry;
  guint image; /* the last that it was in */
} Prepared;

struct _KgStagePainter {
  GHashTable *prepared; /* KgGeometry (a reference) -> Prepared */
  guint image;
};

static void
prepared_free (gpointer data)
{
  Prepared *prepared = (Prepared *) data;

  kg_geometry_unref (prepared->geometry);
  g_free (prepared);
}

static void
unref_geometry (gpointer data)
{
  kg_geometry_unref ((KgGeometry *) data);
}

KgStagePainter *
kg_stage_painter_new (void)
{
  KgStagePainter *self = g_new0 (KgStagePainter, 1);

  self->prepared = g_hash_table_new_full (NULL, NULL, unref_geometry, prepared_free);
  return self;
}

void
kg_stage_painter_free (KgStagePainter *self)
{
  g_hash_table_unref (self->prepared);
  g_free (self);
}

/* (transfer none) Values are never changed, so that the same geometry has the same normals. */
static KgGeometry *
prepare (KgStagePainter *self, const KgGeometry *geometry)
{
  Prepared *prepared = (Prepared *) g_hash_table_lookup (self->prepared, geometry);

  if (prepared == NULL) {
    KgGeometry *with = kg_geometry_ref (geometry);

    if (kg_geometry_get_float (with, KG_POINTS, "N", 3) == NULL) {
      kg_geometry_make_writable (&with);
      kg_geometry_compute_normals (with);
    }
    prepared = g_new0 (Prepared, 1);
    prepared->geometry = with;
    g_hash_table_insert (self->prepared, kg_geometry_ref (geometry), prepared);
  }
  prepared->image = self->image;
  return prepared->geometry;
}

static gboolean
is_old (gpointer key, gpointer value, gpointer data)
{
  const KgStagePainter *self = (const KgStagePainter *) data;

  (void) key;
  return ((const Prepared *) value)->image != self->image;
}

/* A drawing while it is made. */
typedef struct {
  KgStagePainter *painter;
  const GPtrArray *items;
  const KgView *view;
  int width, height;
  KgCamera camera;
  GCancellable *cancellable;
  KgScene *solids, *templates; /* owned */
  KgImage *image;              /* (nullable) owned */
} Drawing;

/* Metres that a pixel of the widget covers where the geometry is. */
static double
get_metres (const Drawing *p, const KgGeometry *geometry)
{
  const KgTransform *t = &p->camera.transform;
  const KgVector eye = kg_transform_get_place (t);
  KgVector low, high;
  double distance = 1;

  if (p->camera.orthographic)
    return p->view->scale * p->camera.height / p->height;
  if (kg_geometry_get_bounds (geometry, &low, &high))
    distance = fmax (kg_vector_distance (eye, kg_vector_lerp (low, high, 0.5)), p->camera.near_plane);
  return p->view->scale * 2 * distance * tan (0.5 * p->camera.fov) / p->height;
}

static void
add_geometry (const Drawing *p, KgScene *scene, const KgGeometry *geometry)
{
  const KgTransform here = kg_transform_identity ();
  const bool lines = kg_geometry_get_n_primitives (geometry) > 0;
  KgMaterial material = { .color = { 0.6, 0.6, 0.6, 1 },
                          .ambient = 1,
                          .diffuse = 1,
                          .specular = 0.3,
                          .shininess = 32,
                          .shading = KG_SHADE_GOURAUD };

  material.width = (lines ? LINE_PIXELS : POINT_PIXELS) * get_metres (p, geometry);
  kg_scene_add_object (scene, scene == p->templates ? geometry : prepare (p->painter, geometry), &here, &material);
}

static double
get_bone_width (const KgSkeleton *skeleton)
{
  const guint n = kg_skeleton_get_n_joints (skeleton);
  g_autofree KgTransform *world = g_new (KgTransform, MAX (n, 1));
  double sum = 0;
  guint bones = 0;

  kg_skeleton_get_world (skeleton, world);
  for (guint i = 0; i < n; i++) {
    const int parent = kg_skeleton_get_joint (skeleton, i)->parent;

    if (parent < 0)
      continue;
    sum += kg_vector_distance (kg_transform_get_place (&world[i]), kg_transform_get_place (&world[parent]));
    bones++;
  }
  return bones > 0 ? fmin (BONE_WIDTH, BONE_SHARE * sum / bones) : BONE_WIDTH;
}

static bool
add_skeleton (KgScene *scene, const KgSkeleton *skeleton, GError **error)
{
  const KgTransform here = kg_transform_identity ();
  const KgMaterial material = { .color = { 0.9, 0.9, 0.95, 1 }, .ambient = 1, .diffuse = 1, .shading = KG_SHADE_FLAT };
  g_autoptr (KgGeometry) bones = bone_solids_new (skeleton, get_bone_width (skeleton), error);

  if (bones == NULL)
    return false;
  kg_scene_add_object (scene, bones, &here, &material);
  return true;
}

static void
add_scene (const Drawing *p, KgScene *scene, const KgScene *shown)
{
  for (guint i = 0; i < kg_scene_get_n_objects (shown); i++) {
    const KgObject *object = kg_scene_get_object (shown, i);
    KgMaterial material = object->material;
    const bool smooth = material.shading == KG_SHADE_GOURAUD || material.shading == KG_SHADE_PHONG;

    /* A highlight at each sample is for the finished image. */
    if (p->view->draft && material.shading == KG_SHADE_PHONG)
      material.shading = KG_SHADE_GOURAUD;
    kg_scene_add_object_like (scene, object,
                              smooth && scene == p->solids ? prepare (p->painter, object->geometry) : NULL, &material);
  }
  for (guint i = 0; scene == p->solids && !p->view->headlight && i < kg_scene_get_n_lights (shown); i++)
    kg_scene_add_light (scene, kg_scene_get_light (shown, i));
}

static bool
make_scenes (Drawing *p, GError **error)
{
  p->solids = kg_scene_new ();
  p->templates = kg_scene_new ();
  for (guint i = 0; i < p->items->len; i++) {
    const KgStageItem *item = (const KgStageItem *) p->items->pdata[i];
    KgScene *scene = item->stage == KG_STAGE_TEMPLATE ? p->templates : p->solids;

    if (!item->has_value)
      continue;
    if (item->value.kind == KG_GEOMETRY)
      add_geometry (p, scene, item->value.geometry);
    else if (item->value.kind == KG_SCENE)
      add_scene (p, scene, item->value.scene);
    else if (item->value.kind == KG_SKELETON && !add_skeleton (scene, item->value.skeleton, error))
      return false;
  }
  return true;
}

static bool
is_cancelled (gpointer data)
{
  return g_cancellable_is_cancelled ((GCancellable *) data);
}

typedef struct {
  const Drawing *drawing;
  WiresPen pen;
  const KgProgressMonitor *monitor;
} Wires;

/* A KgInstanceVisit. */
static bool
draw_instance_wires (const KgObject *object, const KgTransform *transform, gpointer data)
{
  const Wires *wires = (const Wires *) data;

  return wires_draw (object->geometry, transform, &wires->drawing->camera, &wires->pen, wires->drawing->image,
                     wires->monitor);
}

static bool
draw_wires (const Drawing *p, const KgScene *scene, const float color[3], const KgProgressMonitor *monitor)
{
  Wires wires = { p, { { color[0], color[1], color[2] }, (int) fmax (1, round (p->view->scale)) }, monitor };

  return kg_scene_each_instance (scene, draw_instance_wires, &wires);
}

/* A KgMemoryTask. */
static bool
draw (gpointer data, GError **error)
{
  Drawing *p = (Drawing *) data;
  const KgProgressMonitor monitor = { .is_cancelled = is_cancelled, .data = p->cancellable };
  const KgColor nothing = { 0, 0, 0, 0 };
  Surface surface;
  bool good = true;

  if (!make_scenes (p, error))
    return false;
  if (p->view->style == KG_STYLE_POINTS) {
    p->image = kg_point_view_draw (p->solids, &p->camera, p->width, p->height);
    return true;
  }
  p->image = kg_image_new (p->width, p->height, true, error);
  if (p->image == NULL ||
      !surface_init (&surface, &p->camera, p->solids, p->width, p->height, p->view->draft ? 1 : SAMPLES, error))
    return false;
  for (guint i = 0; good && i < kg_scene_get_n_objects (p->solids); i++)
    good = surface_add_object (&surface, &monitor, kg_scene_get_object (p->solids, i), i, error);
  good = good && raster_draw (&surface.raster, nothing, p->image, &monitor, error);
  surface_clear (&surface);
  return good && (p->view->style != KG_STYLE_WIREFRAME || draw_wires (p, p->solids, wire_color, &monitor)) &&
         draw_wires (p, p->templates, template_color, &monitor);
}

KgImage *
kg_stage_painter_draw (KgStagePainter *self, const GPtrArray *items, const KgView *view, int width, int height,
                       const KgCamera *through, GCancellable *cancellable, GError **error)
{
  Drawing p = {
    .painter = self, .items = items, .view = view, .width = width, .height = height, .cancellable = cancellable
  };

  if (width <= 0 || height <= 0)
    return NULL;
  self->image++;
  if (through != NULL)
    p.camera = *through;
  else
    kg_view_get_camera (view, &p.camera);
  if (!kg_memory_guard (draw, &p, error))
    g_clear_pointer (&p.image, kg_image_unref);
  g_clear_pointer (&p.solids, kg_scene_unref);
  g_clear_pointer (&p.templates, kg_scene_unref);
  g_hash_table_foreach_remove (self->prepared, is_old, self);
  return p.image;
}
