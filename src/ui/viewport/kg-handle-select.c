/* kg-handle-select: several handles that are selected together, soft selection, and what handles snap to; see
 * kg-handle-view.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-figure-edit.h"
#include "kg-grip-place.h"
#include "kg-handle-view-private.h"
#include "kg-outline-edit.h"

/* Pixels of the view that the radius of a soft selection begins with. */
#define SOFT_PIXELS 100

/* Selecting. */

/* The point that an arrow belongs to. */
static KgGrip
get_point (const KgGrip *grip)
{
  KgGrip point = *grip;

  if (grip->shape == KG_GRIP_AXIS) {
    point.shape = KG_GRIP_POINT;
    point.axis = -1;
  }
  return point;
}

/* What was selected of another node is not any more. */
static void
check_node (KgHandleView *self)
{
  KgNode *node = kg_document_get_active (self->document);

  if (self->selected_of != node)
    g_hash_table_remove_all (self->selected);
  self->selected_of = node;
}

bool
kg_handle_view_is_selected (KgHandleView *self, const KgGrip *grip)
{
  gint64 key = kg_grip_get_key (grip);

  check_node (self);
  return g_hash_table_contains (self->selected, &key);
}

static void
select_grip (KgHandleView *self, const KgGrip *grip, bool on)
{
  gint64 key = kg_grip_get_key (grip);

  if (on)
    g_hash_table_add (self->selected, g_memdup2 (&key, sizeof key));
  else
    g_hash_table_remove (self->selected, &key);
}

/* (transfer full) Of these. */
static GArray *
find_selected (KgHandleView *self, const GArray *grips)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (KgGrip));

  check_node (self);
  for (guint i = 0; g_hash_table_size (self->selected) > 0 && i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);

    if (kg_grip_is_groupable (grip) && kg_handle_view_is_selected (self, grip))
      g_array_append_vals (found, grip, 1);
  }
  return found;
}

guint
kg_handle_view_get_n_selected (KgHandleView *self)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_autoptr (GArray) grips = NULL, found = NULL;

  check_node (self);
  if (g_hash_table_size (self->selected) < 2)
    return 0;
  grips = kg_handles_find (&handles, NULL);
  found = find_selected (self, grips);
  return found->len > 1 ? found->len : 0;
}

bool
kg_handle_view_unselect (KgHandleView *self)
{
  const bool several = kg_handle_view_get_n_selected (self) > 0;

  g_hash_table_remove_all (self->selected);
  if (self->has_active && self->active.together)
    self->has_active = false;
  return several;
}

/* The active one is one of those that are selected. */
static void
take_active_along (KgHandleView *self)
{
  const KgGrip *active = kg_handle_view_get_active (self);

  check_node (self);
  if (g_hash_table_size (self->selected) == 0 && active != NULL && kg_grip_is_groupable (active))
    select_grip (self, active, true);
}

void
kg_handle_view_toggle (KgHandleView *self, const KgGrip *grip)
{
  take_active_along (self);
  select_grip (self, grip, !kg_handle_view_is_selected (self, grip));
  self->active = *grip;
  self->has_active = true;
}

bool
kg_handle_view_toggle_active (KgHandleView *self)
{
  KgGrip grip;

  if (!kg_handle_view_find_active (self, &grip) || !kg_grip_is_groupable (&grip))
    return false;
  check_node (self);
  select_grip (self, &grip, !kg_handle_view_is_selected (self, &grip));
  return true;
}

guint
kg_handle_view_select_all (KgHandleView *self)
{
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);

  check_node (self);
  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);

    /* Keys of other frames are dragged one by one, or by a box. */
    if (!kg_grip_is_groupable (grip) || grip->timed)
      continue;
    select_grip (self, grip, true);
    /* What keys move. */
    if (kg_handle_view_get_active (self) == NULL)
      self->active = *grip;
    self->has_active = true;
  }
  return kg_handle_view_get_n_selected (self);
}

guint
kg_handle_view_select_box (KgHandleView *self, const KgProjection *p, double x0, double y0, double x1, double y1,
                           bool add)
{
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);
  guint n = 0;

  if (add)
    take_active_along (self);
  else
    kg_handle_view_unselect (self);
  self->has_active = add && kg_handle_view_get_active (self) != NULL;
  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);
    KgPlace at;

    if (!kg_grip_is_groupable (grip) || !kg_place_map (p, grip->at, &at) || at.x < MIN (x0, x1) ||
        at.x > MAX (x0, x1) || at.y < MIN (y0, y1) || at.y > MAX (y0, y1))
      continue;
    select_grip (self, grip, true);
    if (kg_handle_view_get_active (self) == NULL)
      self->active = *grip;
    self->has_active = true;
    n++;
  }
  return n;
}

bool
kg_handle_view_can_select (KgHandleView *self)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_autoptr (GArray) grips = kg_handles_find (&handles, NULL);
  guint n = 0;

  for (guint i = 0; i < grips->len && n < 2; i++)
    n += kg_grip_is_groupable (&g_array_index (grips, KgGrip, i));
  return n > 1;
}

/* A point, arrows, rings and boxes in the middle of all that are selected. */
void
kg_handle_view_add_together (KgHandleView *self, GArray *grips)
{
  static const KgVector axes[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  static const KgGripShape shapes[] = { KG_GRIP_AXIS, KG_GRIP_RING, KG_GRIP_FACTOR };
  g_autoptr (GArray) selected = find_selected (self, grips);
  KgVector sum = { 0, 0, 0 };
  KgGrip grip;

  if (selected->len < 2)
    return;
  for (guint i = 0; i < selected->len; i++)
    sum = kg_vector_add (sum, g_array_index (selected, KgGrip, i).at);
  grip = (KgGrip){ .node = g_array_index (selected, KgGrip, 0).node,
                   .slot = g_array_index (selected, KgGrip, 0).slot,
                   .kind = KG_HANDLE_NONE,
                   .row = -1,
                   .axis = -1,
                   .at = kg_vector_scale (sum, 1.0 / selected->len),
                   .minor = true,
                   .together = true };
  grip.anchor = grip.at;
  g_array_append_val (grips, grip);
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (grip.axis = 0; grip.axis < 3; grip.axis++) {
      grip.shape = shapes[i];
      grip.direction = axes[grip.axis];
      g_array_append_val (grips, grip);
    }
}

/* Moving together. */

bool
kg_handle_view_is_together (KgHandleView *self, const KgGrip *grip)
{
  const KgGrip point = get_point (grip);

  if (grip->together)
    return true;
  if (!kg_grip_is_groupable (&point))
    return false;
  return (self->soft && kg_grip_is_soft (&point)) ||
         (kg_handle_view_is_selected (self, &point) && kg_handle_view_get_n_selected (self) > 0);
}

static double
get_radius (KgHandleView *self, const KgProjection *p, KgVector at)
{
  if (self->radius == 0)
    self->radius = SOFT_PIXELS * kg_projection_get_metres (p, at);
  return self->radius;
}

KgGripGroup *
kg_handle_view_make_group (KgHandleView *self, const KgProjection *p, const KgGrip *grip)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self), chosen = find_selected (self, grips);
  const KgGrip point = get_point (grip);
  KgGripGroup *group;

  if (!grip->together && !(chosen->len > 1 && kg_handle_view_is_selected (self, &point))) {
    g_array_set_size (chosen, 0);
    g_array_append_val (chosen, point);
  }
  group = kg_grip_group_new (&handles, chosen, self->soft);
  if (self->soft)
    kg_grip_group_set_radius (group, get_radius (self, p, kg_grip_group_get_center (group)));
  return group;
}

void
kg_handle_view_set_soft (KgHandleView *self, bool soft)
{
  self->soft = soft;
}

bool
kg_handle_view_get_soft (KgHandleView *self)
{
  return self->soft;
}

bool
kg_handle_view_scale_radius (KgHandleView *self, const KgProjection *p, double factor, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  KgGrip grip;

  if (!self->soft || !kg_handle_view_find_active (self, &grip))
    return false;
  self->radius = kg_clamp (get_radius (self, p, grip.at) * factor, 1e-6, 1e6);
  if (!self->dragging || self->group == NULL || handles.node != self->grip.node)
    return true;
  kg_grip_group_set_radius (self->group, self->radius);
  if (self->moved)
    kg_grip_group_change (self->group, &handles, &self->change, self->decimals, error);
  return true;
}

bool
kg_handle_view_find_soft (KgHandleView *self, const KgProjection *p, KgVector *at, double *radius)
{
  KgGrip grip;

  if (!self->soft || !kg_handle_view_find_active (self, &grip))
    return false;
  if (!grip.together) {
    grip = get_point (&grip);
    if (!kg_grip_is_soft (&grip))
      return false;
  }
  *at = grip.at;
  *radius = get_radius (self, p, grip.at) / kg_projection_get_metres (p, grip.at);
  return true;
}

/* Snapping. */

void
kg_handle_view_set_snaps (KgHandleView *self, guint snaps)
{
  self->snaps = snaps;
}

void
kg_handle_view_set_stage (KgHandleView *self, const GPtrArray *stage)
{
  kg_snap_shapes_unref (self->shapes);
  self->shapes = kg_snap_shapes_new (stage);
}

guint
kg_handle_view_get_snaps (KgHandleView *self, KgHandleModifiers modifiers)
{
  return modifiers.snap ? self->snaps : KG_SNAP_NONE;
}

/* Of a tangent, and of a handle beside a point: the point.  False for all others. */
static bool
find_start (KgHandleView *self, const KgGrip *grip, KgVector *from)
{
  g_autoptr (GArray) grips = NULL;
  const int row = grip->row % 3 == 1 ? grip->row - 1 : grip->row + 1;

  *from = grip->anchor;
  if (grip->shape != KG_GRIP_POINT)
    return false;
  if (grip->kind == KG_HANDLE_TANGENTS || grip->kind == KG_HANDLE_INCOMING ||
      (grip->kind == KG_HANDLE_OUTLINE && (grip->axis == KG_OUTLINE_IN || grip->axis == KG_OUTLINE_OUT)))
    return true;
  if (grip->kind != KG_HANDLE_POINTS || !grip->minor)
    return false;
  grips = kg_handle_view_find_grips (self);
  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *point = &g_array_index (grips, KgGrip, i);

    if (point->slot == grip->slot && point->shape == KG_GRIP_POINT && point->row == row) {
      *from = point->at;
      return true;
    }
  }
  return false;
}

/* Whether the handle moves with what is dragged. */
static bool
is_dragged (KgHandleView *self, const KgGrip *grip)
{
  return grip->together || kg_grip_is_same (grip, &self->grip) ||
         (self->group != NULL && kg_grip_group_get_share (self->group, grip) > 0) ||
         (grip->slot == self->grip.slot && grip->row == self->grip.row);
}

/* The nearest handle that has stayed where it was, or point of what is displayed. */
static bool
find_point (KgHandleView *self, const KgProjection *p, double x, double y, KgVector *at)
{
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);
  g_autoptr (GArray) without = g_array_new (FALSE, FALSE, sizeof (KgVector));
  g_autoptr (GHashTable) now = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autofree gint64 *keys = g_new (gint64, grips->len + 1);
  double nearest = KG_HANDLE_REACH;
  bool found = false;

  if (self->before == NULL)
    return false;
  for (guint i = 0; i < grips->len; i++) {
    keys[i] = kg_grip_get_key (&g_array_index (grips, KgGrip, i));
    g_hash_table_insert (now, &keys[i], &g_array_index (grips, KgGrip, i));
  }
  for (guint i = 0; i < self->before->len; i++) {
    const KgGrip *grip = &g_array_index (self->before, KgGrip, i);
    const gint64 key = kg_grip_get_key (grip);
    const KgGrip *same = (const KgGrip *) g_hash_table_lookup (now, &key);
    KgPlace place;
    double away;

    if (grip->shape != KG_GRIP_POINT)
      continue;
    if (is_dragged (self, grip)) {
      g_array_append_val (without, grip->at);
      continue;
    }
    if (same == NULL || kg_vector_distance (same->at, grip->at) > 0 || !kg_place_map (p, grip->at, &place))
      continue;
    away = hypot (place.x - x, place.y - y);
    if (away < nearest) {
      nearest = away;
      *at = grip->at;
      found = true;
    }
  }
  return (self->shapes_before != NULL &&
          kg_snap_find_point (self->shapes_before, self->shapes, p, x, y, without, &nearest, at)) ||
         found;
}

/* Only along the arrow. */
static KgVector
keep_on_arrow (const KgGrip *grip, KgVector to)
{
  return kg_vector_add_scaled (grip->at, kg_vector_dot (kg_vector_subtract (to, grip->at), grip->direction),
                               grip->direction);
}

KgVector
kg_handle_view_snap (KgHandleView *self, const KgProjection *p, const KgGrip *grip, KgVector to, guint snaps,
                     int *decimals)
{
  const bool arrow = grip->shape == KG_GRIP_AXIS;
  /* Outlines and lines in images, and figures that are flat, stay in their plane. */
  const bool flat = grip->kind == KG_HANDLE_OUTLINE || grip->kind == KG_HANDLE_LINES;
  const double metres = kg_projection_get_metres (p, grip->at);
  KgVector found, from;
  KgPlace pixel;
  double angle;

  self->snapped = (KgSnapped){ .to = KG_SNAP_NONE };
  *decimals = kg_handles_get_decimals (metres);
  if ((snaps & KG_SNAP_POINTS) != 0 && kg_place_map (p, to, &pixel) && find_point (self, p, pixel.x, pixel.y, &found)) {
    self->snapped = (KgSnapped){ .to = KG_SNAP_POINTS, .at = found };
    /* As exact as the point. */
    *decimals = 9;
    found.z = flat ? grip->at.z : found.z;
    return arrow ? keep_on_arrow (grip, found) : found;
  }
  if ((snaps & KG_SNAP_ANGLES) != 0 && find_start (self, grip, &from)) {
    to = kg_snap_angle (from, to, p, &angle);
    self->snapped = (KgSnapped){ .to = KG_SNAP_ANGLES, .at = to, .from = from, .step = angle };
    *decimals += 2;
    return to;
  }
  if ((snaps & KG_SNAP_GRID) != 0) {
    const double step = kg_handles_get_snap (metres);
    const KgVector snapped = kg_handles_snap (to, step), d = grip->direction;

    to = !arrow ? snapped
                : kg_vector (d.x != 0 ? snapped.x : to.x, d.y != 0 ? snapped.y : to.y, d.z != 0 ? snapped.z : to.z);
    self->snapped = (KgSnapped){ .to = KG_SNAP_GRID, .at = to, .step = step };
    /* Snapped places are round already, and coarser than a pixel. */
    ++*decimals;
  }
  return to;
}
