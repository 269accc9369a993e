/* kg-handle-view: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-handle-view.h"

#include "config.h"
#include "kg-figure-edit.h"
#include "kg-grip-place.h"
#include "kg-handle-draw.h"
#include "kg-handle-view-private.h"
#include "kg-lines-edit.h"
#include "kg-outline-edit.h"
#include "kg-part-edit.h"

#include <glib/gi18n.h>

/* A plane that is looked at from nearer its edge than this is not moved in. */
#define LEAST_FLAT 0.2

KgHandleView *
kg_handle_view_new (KgDocument *document)
{
  KgHandleView *self = g_new0 (KgHandleView, 1);

  self->document = (KgDocument *) g_object_ref (document);
  self->shown = self->paths_shown = true;
  self->selected = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->snaps = KG_SNAP_GRID | KG_SNAP_POINTS | KG_SNAP_ANGLES;
  self->shapes = kg_snap_shapes_new (NULL);
  self->grab = kg_grab_new (document);
  return self;
}

void
kg_handle_view_free (KgHandleView *self)
{
  kg_handle_view_release (self);
  kg_grab_free (self->grab);
  g_hash_table_unref (self->selected);
  kg_snap_shapes_unref (self->shapes);
  g_clear_pointer (&self->values, g_hash_table_unref);
  g_clear_pointer (&self->paths, g_hash_table_unref);
  g_object_unref (self->document);
  g_free (self);
}

void
kg_handle_view_set_shown (KgHandleView *self, bool shown)
{
  self->shown = shown;
}

bool
kg_handle_view_get_shown (KgHandleView *self)
{
  return self->shown;
}

void
kg_handle_view_set_values (KgHandleView *self, GHashTable *values)
{
  g_hash_table_ref (values);
  g_clear_pointer (&self->values, g_hash_table_unref);
  self->values = values;
}

void
kg_handle_view_set_paths (KgHandleView *self, GHashTable *paths)
{
  g_hash_table_ref (paths);
  g_clear_pointer (&self->paths, g_hash_table_unref);
  self->paths = paths;
}

void
kg_handle_view_set_paths_shown (KgHandleView *self, bool shown)
{
  self->paths_shown = shown;
}

bool
kg_handle_view_get_paths_shown (KgHandleView *self)
{
  return self->paths_shown;
}

KgHandles
kg_handle_view_get_handles (KgHandleView *self)
{
  return (KgHandles){ self->document, self->shown ? kg_document_get_active (self->document) : NULL, self->values };
}

const KgGrip *
kg_handle_view_get_active (KgHandleView *self)
{
  return self->shown && self->has_active && self->active.node == kg_document_get_active (self->document) ? &self->active
                                                                                                         : NULL;
}

void
kg_handle_view_unset_active (KgHandleView *self)
{
  self->has_active = self->has_rod = false;
}

GArray *
kg_handle_view_find_grips (KgHandleView *self)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  const KgGrip *active = kg_handle_view_get_active (self);
  GArray *grips = kg_handles_find (&handles, active != NULL && active->together ? NULL : active);

  for (guint i = grips->len; i > 0 && !self->paths_shown; i--)
    if (g_array_index (grips, KgGrip, i - 1).timed)
      g_array_remove_index (grips, i - 1);
  for (guint i = 0; self->dragging && i < grips->len; i++) {
    KgGrip *grip = &g_array_index (grips, KgGrip, i);

    if (grip->kind != KG_HANDLE_MOVES && grip->kind != KG_HANDLE_GRAB)
      continue;
    if (self->group != NULL)
      kg_grip_group_find_place (self->group, grip, &self->change, &grip->at);
    else if (self->grip.shape == KG_GRIP_POINT && kg_grip_is_same (grip, &self->grip))
      grip->at = self->dragged_to;
  }
  kg_handle_view_add_together (self, grips);
  return grips;
}

/* (nullable) The part of the node that was taken last. */
static const KgGrip *
get_part (KgHandleView *self)
{
  return self->has_part && self->part.node == kg_document_get_active (self->document) ? &self->part : NULL;
}

/* With what it has snapped to. */
static char *
dup_label (KgHandleView *self)
{
  g_autofree char *text = kg_handle_view_dup_text (self);

  switch (text != NULL && self->dragging ? self->snapped.to : KG_SNAP_NONE) {
  case KG_SNAP_GRID:
    /* Translators: a handle has snapped to a grid whose lines are so far apart. */
    return g_strdup_printf (_ ("%s  (grid %g)"), text, self->snapped.step);
  case KG_SNAP_POINTS:
    return g_strdup_printf (_ ("%s  (on a point)"), text);
  case KG_SNAP_ANGLES:
    return g_strdup_printf (_ ("%s  (%g°)"), text, self->snapped.step);
  case KG_SNAP_NONE:
  default:
    return g_steal_pointer (&text);
  }
}

void
kg_handle_view_draw (KgHandleView *self, cairo_t *cr, PangoContext *context, const KgProjection *p, double width,
                     double height)
{
  const KgGrip *active = kg_handle_view_get_active (self);
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);
  KgVector soft_at = { 0, 0, 0 };
  double soft_radius = 0;
  g_autofree char *text = active != NULL ? dup_label (self) : NULL;
  /* What is soft shows how much of a move it would get. */
  g_autoptr (KgGripGroup)
      near = self->soft && self->group == NULL && active != NULL && kg_handle_view_is_together (self, active)
                 ? kg_handle_view_make_group (self, p, active)
                 : NULL;
  const KgHandleScene scene = { .handles = kg_handle_view_get_handles (self),
                                .grips = grips,
                                .active = active,
                                .active_text = text,
                                .paths_shown = self->paths_shown,
                                .paths = self->paths,
                                .part = get_part (self),
                                .selected = kg_handle_view_get_n_selected (self) > 0 ? self->selected : NULL,
                                .group = self->group != NULL ? self->group : near,
                                .snapped = self->snapped,
                                .soft = kg_handle_view_find_soft (self, p, &soft_at, &soft_radius),
                                .soft_at = soft_at,
                                .soft_radius = soft_radius };

  kg_handle_scene_draw (&scene, cr, context, p, width, height);
}

/* The pointer. */

/* What is smaller is easier to miss, and is taken before what is larger. */
static double
get_size_penalty (const KgGrip *grip, const KgGrip *active)
{
  const double shape = grip->shape == KG_GRIP_POINT ? 0 : grip->shape == KG_GRIP_FACTOR ? 1 : 3;

  return shape + (grip->locked ? 4 : 0) - (active != NULL && kg_grip_is_same (grip, active) ? 2 : 0);
}

static bool
pick (KgHandleView *self, const KgProjection *p, KgPlace at, KgGrip *picked)
{
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);
  const KgGrip *active = kg_handle_view_get_active (self);
  double nearest = INFINITY;

  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);
    const double distance = kg_grip_get_distance (grip, p, at), weighed = distance + get_size_penalty (grip, active);

    if (distance < KG_HANDLE_REACH && weighed < nearest) {
      nearest = weighed;
      *picked = *grip;
    }
  }
  return isfinite (nearest);
}

/* Where all is before it is dragged. */
static void
begin_drag (KgHandleView *self, const KgProjection *p)
{
  self->dragging = true;
  self->turned = 0;
  self->moved = false;
  self->snapped = (KgSnapped){ .to = KG_SNAP_NONE };
  self->before = kg_handle_view_find_grips (self);
  self->shapes_before = kg_snap_shapes_ref (self->shapes);
  if (kg_handle_view_is_together (self, &self->grip)) {
    self->group = kg_handle_view_make_group (self, p, &self->grip);
    self->change = kg_group_change_identity (kg_grip_group_get_center (self->group));
  }
}

/* Takes what the pointer is on. */
static void
take (KgHandleView *self, const KgProjection *p, double x, double y, KgGrip grip)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  const KgRay ray = kg_projection_get_ray (p, x, y);
  bool good = true;
  KgPlace at;

  self->active = self->grip = grip;
  self->has_active = true;
  self->dragged_to = grip.at;
  if (grip.locked || (!grip.together && !kg_grip_get_start (&handles, &grip, &self->start)))
    return;
  if (kg_place_map (p, grip.at, &at)) {
    self->grab_x = at.x - x;
    self->grab_y = at.y - y;
  }
  if (grip.shape == KG_GRIP_RING)
    good = kg_ray_intersect_plane (&ray, grip.at, grip.direction, &self->grab_at);
  else if (grip.shape != KG_GRIP_POINT)
    good = kg_ray_meet_line (&ray, grip.at, grip.direction, &self->grab_along);
  if (good)
    begin_drag (self, p);
  else
    kg_value_clear (&self->start);
}

bool
kg_handle_view_press (KgHandleView *self, const KgProjection *p, double x, double y, bool add)
{
  KgGrip grip;

  kg_handle_view_release (self);
  if (!pick (self, p, (KgPlace){ x, y }, &grip)) {
    self->has_active = self->has_active && add;
    return false;
  }
  if (add && kg_grip_is_groupable (&grip)) {
    kg_handle_view_toggle (self, &grip);
    return true;
  }
  self->has_active = true;
  if (!kg_handle_view_is_together (self, &grip) ||
      (self->soft && !grip.together && !kg_handle_view_is_selected (self, &grip)))
    kg_handle_view_unselect (self);
  if (grip.kind == KG_HANDLE_PARTS)
    self->active = grip;
  else
    take (self, p, x, y, grip);
  self->has_active = true;
  return true;
}

bool
kg_handle_view_choose (KgHandleView *self, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  const KgGrip *active = kg_handle_view_get_active (self), *part = get_part (self);

  if (active == NULL || active->kind != KG_HANDLE_PARTS)
    return false;
  if (active->bone)
    return part != NULL && part->slot == active->slot && kg_grip_toggle_bone (&handles, part, active, error);
  self->part = *active;
  self->has_part = true;
  return true;
}

/* A point of a list by its number. */
static bool
find_point (KgHandleView *self, guint slot, guint row, KgGrip *point)
{
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);

  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);

    if (grip->shape == KG_GRIP_POINT && grip->slot == slot && grip->row == (int) row) {
      *point = *grip;
      return true;
    }
  }
  return false;
}

bool
kg_handle_view_find_active (KgHandleView *self, KgGrip *grip)
{
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);
  const KgGrip *active = kg_handle_view_get_active (self);

  for (guint i = 0; active != NULL && i < grips->len; i++)
    if (kg_grip_is_same (&g_array_index (grips, KgGrip, i), active)) {
      *grip = g_array_index (grips, KgGrip, i);
      return true;
    }
  return false;
}

static bool
is_figure_point (const KgGrip *grip)
{
  return grip->shape == KG_GRIP_POINT && grip->kind == KG_HANDLE_POINTS &&
         kg_figure_has_points (grip->node, grip->slot);
}

/* The active point of a figure, if it is still there: undo may have taken it away. */
static bool
find_figure_point (KgHandleView *self, KgGrip *point)
{
  return kg_handle_view_find_active (self, point) && is_figure_point (point);
}

/* Where a pixel is on what is flat, in its plane z = at.z; otherwise, and where that is looked at from its edge, in the
 * plane through at that faces the camera. */
static KgVector
find_place (const KgProjection *p, double x, double y, KgVector at, bool flat)
{
  const KgRay ray = kg_projection_get_ray (p, x, y);
  KgVector meeting;

  if (flat && fabs (ray.direction.z) > LEAST_FLAT && kg_ray_intersect_plane (&ray, at, kg_vector (0, 0, 1), &meeting) &&
      kg_vector_dot (kg_vector_subtract (meeting, ray.from), ray.direction) > 0)
    return meeting;
  return kg_projection_unmap (p, x, y, at);
}

/* Points of flat figures stay in their plane. */
static bool
is_in_plane (const KgHandles *handles, const KgGrip *grip)
{
  return grip->kind == KG_HANDLE_GRAB ? kg_handles_are_flat (handles)
                                      : is_figure_point (grip) && kg_figure_is_flat (handles);
}

/* What a drag does is one step of undo. */
static void
open_group (KgHandleView *self)
{
  if (self->group_open)
    return;
  kg_graph_begin_group (kg_document_get_graph (self->document), _ ("Drag in view"));
  self->group_open = true;
}

/* From where the pointer is to where the button is released; one step of undo.  False when there are no lines to draw, and on a handle. */
static bool
draw_line (KgHandleView *self, const KgHandles *handles, const KgProjection *p, double x, double y, GError **error)
{
  const int slot = kg_lines_find_slot (handles);
  const KgVector origin = { 0, 0, 0 };
  KgGrip grip;
  guint row;

  if (slot < 0 || pick (self, p, (KgPlace){ x, y }, &grip))
    return false;
  kg_handle_view_unselect (self);
  open_group (self);
  self->drawing = true;
  if (!kg_lines_draw (handles, (guint) slot, kg_projection_unmap (p, x, y, origin),
                      kg_handles_get_decimals (kg_projection_get_metres (p, origin)), &row, error) ||
      !find_point (self, (guint) slot, row, &grip)) {
    kg_handle_view_release (self);
    return false;
  }
  take (self, p, x, y, grip);
  return true;
}

bool
kg_handle_view_draw_figure (KgHandleView *self, const KgProjection *p, double x, double y, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  const int points = kg_figure_find_points (handles.node);
  KgGrip active, grip;
  const bool joined = find_figure_point (self, &active);
  const KgVector near_to = joined ? active.at : kg_vector (0, 0, 0);
  guint row;

  kg_handle_view_release (self);
  if (points < 0)
    return draw_line (self, &handles, p, x, y, error);
  if (pick (self, p, (KgPlace){ x, y }, &grip) && is_figure_point (&grip)) {
    if (joined && !kg_grip_is_same (&active, &grip) && !kg_figure_toggle_rod (&handles, &active, &grip, error))
      return false;
  } else if (!kg_figure_add_point (&handles, joined ? &active : NULL,
                                   find_place (p, x, y, near_to, kg_figure_is_flat (&handles)),
                                   kg_handles_get_decimals (kg_projection_get_metres (p, near_to)), &row, error) ||
             !find_point (self, (guint) points, row, &grip))
    return false;
  take (self, p, x, y, grip);
  return true;
}

static bool
move_to (KgHandleView *self, const KgHandles *handles, const KgProjection *p, const KgGrip *grip, const KgValue *start,
         KgVector to, guint snaps, bool apart, GError **error)
{
  const double metres = kg_projection_get_metres (p, grip->at), step = kg_handles_get_snap (metres);
  int decimals = kg_handles_get_decimals (metres);

  if (grip->kind == KG_HANDLE_BODIES && grip->minor) {
    /* Only along its axis: it is the size that is round. */
    const double size = kg_vector_dot (kg_vector_subtract (to, grip->anchor), grip->direction);
    const bool round = (snaps & KG_SNAP_GRID) != 0;

    to = kg_vector_add_scaled (grip->anchor, round ? nearbyint (size / step) * step : size, grip->direction);
    return kg_grip_move (handles, grip, start, to, round ? decimals + 1 : decimals, apart, error);
  }
  to = kg_handle_view_snap (self, p, grip, to, snaps, &decimals);
  self->dragged_to = kg_handles_round (to, grip->at, decimals);
  return kg_grip_move (handles, grip, start, self->dragged_to, decimals, apart, error);
}

/* A line of the second image that is as that of the first comes away from it. */
static void
come_apart (KgHandleView *self)
{
  if (self->grip.kind == KG_HANDLE_LINES && !self->grip.second && !self->moved)
    self->active = self->grip = kg_lines_get_other (&self->grip);
}

/* What all that is selected does: to is where a point or an arrow goes, otherwise an angle (radians) or a factor. */
static bool
change_together (KgHandleView *self, const KgHandles *handles, const KgProjection *p, KgGripGroup *group,
                 const KgGrip *grip, KgVector to, double amount, guint snaps, bool uniform, GError **error)
{
  const double turn_step = ((snaps & KG_SNAP_ANGLES) != 0 ? KG_SNAP_ANGLE_STEP : KG_TURN_STEP) * KG_DEGREE;
  const double factor_step = (snaps & KG_SNAP_GRID) != 0 ? KG_FACTOR_SNAP : KG_FACTOR_STEP;
  KgGroupChange change = kg_group_change_identity (grip->together ? grip->at : kg_grip_group_get_center (group));
  int decimals = kg_handles_get_decimals (kg_projection_get_metres (p, grip->at)) + 1;

  if (grip->shape == KG_GRIP_RING) {
    const double angle = nearbyint (amount / turn_step) * turn_step;

    change.rotation = kg_rotation_from_axis_angle (grip->direction, angle);
    self->snapped = (KgSnapped){ .to = (snaps & KG_SNAP_ANGLES) != 0 ? KG_SNAP_ANGLES : KG_SNAP_NONE,
                                 .at = grip->at,
                                 .from = grip->at,
                                 .step = angle / KG_DEGREE };
  } else if (grip->shape == KG_GRIP_FACTOR) {
    const double factor = nearbyint (amount / factor_step) * factor_step;

    for (int i = 0; i < 3; i++)
      if (uniform || i == grip->axis)
        *kg_vector_component (&change.scale, (size_t) i) = factor;
  } else {
    to = kg_handle_view_snap (self, p, grip, to, snaps, &decimals);
    self->dragged_to = kg_handles_round (to, grip->at, decimals);
    change.translation = kg_vector_subtract (self->dragged_to, grip->at);
    decimals++;
  }
  self->change = change;
  self->decimals = decimals;
  return kg_grip_group_change (group, handles, &change, decimals, error);
}

bool
kg_handle_view_drag (KgHandleView *self, const KgProjection *p, double x, double y, KgHandleModifiers modifiers,
                     GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  const KgRay ray = kg_projection_get_ray (p, x, y);
  const guint snaps = kg_handle_view_get_snaps (self, modifiers);
  const KgGrip *grip = &self->grip;
  KgVector meeting, to = grip->at;
  double along = 0, amount = 0;

  /* Its node may have gone meanwhile. */
  if (!self->dragging || handles.node != grip->node)
    return true;
  if (grip->kind == KG_HANDLE_GRAB) {
    to = find_place (p, x + self->grab_x, y + self->grab_y, grip->at, is_in_plane (&handles, grip));
    self->dragged_to =
        kg_handles_round (to, kg_vector (0, 0, 0), kg_handles_get_decimals (kg_projection_get_metres (p, grip->at)));
    return kg_grab_hold (self->grab, grip, self->dragged_to, error);
  }
  open_group (self);
  if (modifiers.apart && self->group == NULL)
    come_apart (self);
  self->moved = true;
  switch (grip->shape) {
  case KG_GRIP_RING:
    if (!kg_ray_intersect_plane (&ray, grip->at, grip->direction, &meeting))
      return true;
    /* Piece by piece, so that it may go round more than once. */
    self->turned += kg_angle_about (grip->at, grip->direction, self->grab_at, meeting);
    self->grab_at = meeting;
    amount = self->turned;
    break;
  case KG_GRIP_FACTOR:
    if (!kg_ray_meet_line (&ray, grip->at, grip->direction, &along) || self->grab_along == 0)
      return true;
    amount = along / self->grab_along;
    break;
  case KG_GRIP_AXIS:
    if (!kg_ray_meet_line (&ray, grip->at, grip->direction, &along))
      return true;
    to = kg_vector_add_scaled (grip->at, along - self->grab_along, grip->direction);
    break;
  case KG_GRIP_POINT:
  default:
    to = find_place (p, x + self->grab_x, y + self->grab_y, grip->at, is_in_plane (&handles, grip));
    break;
  }
  if (self->group != NULL)
    return change_together (self, &handles, p, self->group, grip, to, amount, snaps, modifiers.apart, error);
  if (grip->shape == KG_GRIP_RING)
    return kg_grip_turn (&handles, grip, &self->start, amount,
                         (snaps & KG_SNAP_ANGLES) != 0 ? KG_SNAP_ANGLE_STEP : KG_TURN_STEP, error);
  if (grip->shape == KG_GRIP_FACTOR)
    return kg_grip_scale (&handles, grip, &self->start, amount,
                          (snaps & KG_SNAP_GRID) != 0 ? KG_FACTOR_SNAP : KG_FACTOR_STEP, error);
  return move_to (self, &handles, p, grip, &self->start, to, snaps, modifiers.apart, error);
}

void
kg_handle_view_release (KgHandleView *self)
{
  const bool one = self->dragging && !self->moved && self->group != NULL && !self->grip.together;

  if (self->dragging)
    kg_value_clear (&self->start);
  self->dragging = false;
  g_clear_pointer (&self->group, kg_grip_group_free);
  g_clear_pointer (&self->before, g_array_unref);
  g_clear_pointer (&self->shapes_before, kg_snap_shapes_unref);
  self->snapped = (KgSnapped){ .to = KG_SNAP_NONE };
  /* A click on one of several selects that one alone. */
  if (one)
    kg_handle_view_unselect (self);
  kg_grab_release (self->grab);
  if (self->group_open) {
    self->group_open = false;
    /* A line without a length is none. */
    if (self->drawing && !self->moved) {
      kg_graph_cancel_group (kg_document_get_graph (self->document));
      self->has_active = false;
    } else
      kg_graph_end_group (kg_document_get_graph (self->document));
  }
  self->drawing = false;
}

bool
kg_handle_view_is_grabbing (KgHandleView *self)
{
  return self->dragging && self->grip.kind == KG_HANDLE_GRAB;
}

void
kg_handle_view_frame_changed (KgHandleView *self)
{
  kg_grab_frame_changed (self->grab);
}

void
kg_handle_view_set_recording (KgHandleView *self, bool recording)
{
  kg_grab_set_recording (self->grab, recording);
}

bool
kg_handle_view_get_recording (KgHandleView *self)
{
  return kg_grab_get_recording (self->grab);
}

/* Keys. */

bool
kg_handle_view_step (KgHandleView *self, int by)
{
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);
  const KgGrip *active = kg_handle_view_get_active (self);
  int at = by > 0 ? -1 : (int) grips->len;

  for (guint i = 0; active != NULL && i < grips->len; i++)
    if (kg_grip_is_same (&g_array_index (grips, KgGrip, i), active))
      at = (int) i;
  self->has_active = false;
  /* The arrows of a point are for the pointer: keys move the point itself. */
  for (at += by; at >= 0 && at < (int) grips->len; at += by) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, at);

    if (grip->locked || grip->shape == KG_GRIP_AXIS)
      continue;
    self->active = *grip;
    self->has_active = true;
    return true;
  }
  return false;
}

/* A whole step each: by a degree or a hundredth, with Shift by 15 degrees or a tenth. */
static bool
nudge_together (KgHandleView *self, const KgHandles *handles, const KgProjection *p, const KgGrip *grip, KgVector to,
                double along, bool coarse, GError **error)
{
  g_autoptr (KgGripGroup) group = kg_handle_view_make_group (self, p, grip);
  KgGraph *graph = kg_document_get_graph (self->document);
  const double amount = grip->shape == KG_GRIP_RING ? along * (coarse ? KG_SNAP_ANGLE_STEP : 1) * KG_DEGREE
                                                    : 1 + along * (coarse ? KG_FACTOR_SNAP : KG_FACTOR_STEP);
  bool good;

  kg_graph_begin_group (graph, _ ("Move in view"));
  /* Several keep their distances: what is round is the step, and not the places. */
  good = change_together (self, handles, p, group, grip, to, amount, KG_SNAP_NONE, false, error);
  self->snapped = (KgSnapped){ .to = KG_SNAP_NONE };
  if (good)
    kg_graph_end_group (graph);
  else
    kg_graph_cancel_group (graph);
  return good;
}

bool
kg_handle_view_nudge (KgHandleView *self, const KgProjection *p, double right, double up, double away,
                      KgHandleModifiers modifiers, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_auto (KgValue) start = KG_VALUE_INIT;
  double metres, along;
  bool together;
  KgVector to;
  KgGrip grip;

  if (!kg_handle_view_find_active (self, &grip))
    return true;
  together = kg_handle_view_is_together (self, &grip);
  if (!together && !kg_grip_get_start (&handles, &grip, &start))
    return true;
  metres = kg_projection_get_metres (p, grip.at);
  /* Arrow keys turn and scale by what they move: to the right and up is more. */
  along = fabs (right) > fabs (up) ? right : up;
  if (!together && grip.shape == KG_GRIP_RING)
    return kg_grip_turn (&handles, &grip, &start, along * (modifiers.snap ? KG_SNAP_ANGLE_STEP : 1) * KG_DEGREE,
                         modifiers.snap ? KG_SNAP_ANGLE_STEP : KG_TURN_STEP, error);
  if (!together && grip.shape == KG_GRIP_FACTOR)
    return kg_grip_scale (&handles, &grip, &start, 1 + (modifiers.snap ? KG_FACTOR_SNAP : KG_FACTOR_STEP) * along,
                          modifiers.snap ? KG_FACTOR_SNAP : KG_FACTOR_STEP, error);
  if (modifiers.snap)
    metres = kg_handles_get_snap (metres);
  to = kg_vector_add_scaled (grip.at, right * metres, p->right);
  to = kg_vector_add_scaled (to, up * metres, p->up);
  to = kg_vector_add_scaled (to, away * metres, p->forward);
  if (grip.kind == KG_HANDLE_GRAB) {
    const int decimals = kg_handles_get_decimals (kg_projection_get_metres (p, grip.at));
    const bool good = kg_grab_hold (self->grab, &grip, kg_handles_round (to, kg_vector (0, 0, 0), decimals), error);

    kg_grab_release (self->grab);
    return good;
  }
  if (together)
    return nudge_together (self, &handles, p, &grip, to, along, modifiers.snap, error);
  return move_to (self, &handles, p, &grip, &start, to, modifiers.snap ? KG_SNAP_GRID : KG_SNAP_NONE, modifiers.apart,
                  error);
}

/* Points of lists. */

static bool
is_point_of_list (const KgGrip *grip)
{
  return grip->shape == KG_GRIP_POINT &&
         (grip->kind == KG_HANDLE_POINTS || grip->kind == KG_HANDLE_LINES ||
          ((grip->kind == KG_HANDLE_OUTLINE || grip->kind == KG_HANDLE_BODIES) && !grip->minor)) &&
         !grip->locked;
}

/* The point of a list that is active; of a body all that it is taken by stands for it. */
static bool
find_list_point (KgHandleView *self, KgGrip *point)
{
  return kg_handle_view_find_active (self, point) &&
         (point->kind != KG_HANDLE_BODIES || find_point (self, point->slot, (guint) point->row, point)) &&
         is_point_of_list (point);
}

/* Behind the point of the outline whose side, as it is drawn, is nearest.  False when there is none. */
static bool
find_side (KgHandleView *self, const KgProjection *p, KgPlace at, KgGrip *behind)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  const int slot = kg_outline_find_slot (&handles);
  g_autoptr (GPtrArray) lines = slot >= 0 ? kg_outline_find_lines (&handles, (guint) slot) : NULL;
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);
  double nearest = INFINITY;
  guint grip = 0;

  /* The corners of an outline are among the points of its line, in their order. */
  for (guint i = 0; lines != NULL && i < lines->len; i++) {
    const GArray *line = (const GArray *) g_ptr_array_index (lines, i);
    guint corner = grip;

    for (guint k = 0; k + 1 < line->len; k++) {
      const KgVector from = g_array_index (line, KgVector, k), to = g_array_index (line, KgVector, k + 1);
      double distance, along;
      KgPlace a, b;

      if (grip < grips->len && kg_vector_length (kg_vector_subtract (g_array_index (grips, KgGrip, grip).at, from)) <
                                   1e-6 * (1 + kg_vector_length (from)))
        corner = grip++;
      if (corner >= grips->len || !kg_place_map (p, from, &a) || !kg_place_map (p, to, &b))
        continue;
      distance = kg_place_get_distance (at, a, b, &along);
      if (distance < nearest) {
        nearest = distance;
        *behind = g_array_index (grips, KgGrip, corner);
      }
    }
  }
  return isfinite (nearest) && is_point_of_list (behind);
}

bool
kg_handle_view_insert (KgHandleView *self, const KgProjection *p, double x, double y, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);
  const KgVector origin = { 0, 0, 0 };
  const KgGrip *last = NULL, *after = NULL;
  double nearest = INFINITY;
  KgGrip behind;
  KgVector near_to = { 0, 0, 0 };
  KgPlace a, b;
  guint row;

  /* Lines in images are drawn, not clicked. */
  if (kg_lines_find_slot (&handles) >= 0)
    return false;
  /* The points of a figure do not form a line: a point by itself. */
  if (kg_figure_find_points (handles.node) >= 0)
    return kg_figure_add_point (&handles, NULL, find_place (p, x, y, origin, kg_figure_is_flat (&handles)),
                                kg_handles_get_decimals (kg_projection_get_metres (p, origin)), &row, error);
  if (find_side (self, p, (KgPlace){ x, y }, &behind)) {
    self->has_active = false;
    return kg_grip_insert_point (&handles, &behind, kg_projection_unmap (p, x, y, behind.at),
                                 kg_handles_get_decimals (kg_projection_get_metres (p, behind.at)), error);
  }
  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);
    double along, distance;

    if (!is_point_of_list (grip) || grip->minor)
      continue;
    if (after == NULL) {
      after = grip;
      near_to = grip->at;
    }
    if (last != NULL && last->slot == grip->slot && kg_place_map (p, last->at, &a) && kg_place_map (p, grip->at, &b)) {
      distance = kg_place_get_distance ((KgPlace){ x, y }, a, b, &along);
      if (distance < nearest) {
        nearest = distance;
        after = along > 1 ? grip : last;
        near_to = kg_vector_lerp (last->at, grip->at, kg_clamp (along, 0, 1));
        behind = *after;
        /* Before the first one. */
        if (along < 0 && last->row == 0)
          behind.row = -1;
      }
    }
    last = grip;
  }
  if (after == NULL)
    return false;
  if (!isfinite (nearest))
    behind = *after;
  if (!kg_grip_insert_point (&handles, &behind, kg_projection_unmap (p, x, y, near_to),
                             kg_handles_get_decimals (kg_projection_get_metres (p, near_to)), error))
    return false;
  self->has_active = false;
  return true;
}

bool
kg_handle_view_insert_after (KgHandleView *self, const KgProjection *p, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);
  KgVector at;
  KgGrip grip;

  if (!find_list_point (self, &grip))
    return false;
  at = kg_vector_add_scaled (grip.at, 40 * kg_projection_get_metres (p, grip.at), p->right);
  if (is_figure_point (&grip)) {
    guint row;

    if (kg_figure_is_flat (&handles)) {
      const KgVector along = kg_vector_normalize_or (kg_vector (p->right.x, p->right.y, 0), kg_vector (1, 0, 0));

      at = kg_vector_add_scaled (grip.at, 40 * kg_projection_get_metres (p, grip.at), along);
    }
    if (!kg_figure_add_point (&handles, &grip, at, kg_handles_get_decimals (kg_projection_get_metres (p, grip.at)),
                              &row, error))
      return false;
    self->has_active = find_point (self, grip.slot, row, &self->active);
    return true;
  }
  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *next = &g_array_index (grips, KgGrip, i);

    if (grip.kind != KG_HANDLE_LINES && is_point_of_list (next) && !next->minor && next->slot == grip.slot &&
        next->row > grip.row) {
      at = kg_vector_lerp (grip.at, next->at, 0.5);
      break;
    }
  }
  return kg_grip_insert_point (&handles, &grip, at, kg_handles_get_decimals (kg_projection_get_metres (p, grip.at)),
                               error);
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const KgGrip *x = (const KgGrip *) a, *y = (const KgGrip *) b;

  return x->slot != y->slot ? (x->slot > y->slot) - (x->slot < y->slot) : (x->row < y->row) - (x->row > y->row);
}

/* The last ones first, so that the numbers of the others stay true; one step of undo.  False when none can go. */
static bool
remove_selected (KgHandleView *self, const KgHandles *handles, GError **error)
{
  KgGraph *graph = kg_document_get_graph (self->document);
  g_autoptr (GArray) grips = kg_handle_view_find_grips (self);
  int last = -1;
  bool good = true, any = false;

  for (guint i = grips->len; i > 0; i--)
    if (!is_point_of_list (&g_array_index (grips, KgGrip, i - 1)) ||
        !kg_handle_view_is_selected (self, &g_array_index (grips, KgGrip, i - 1)))
      g_array_remove_index (grips, i - 1);
  g_array_sort (grips, compare_rows);
  kg_graph_begin_group (graph, _ ("Remove points"));
  for (guint i = 0; good && i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);
    const int row = grip->kind == KG_HANDLE_LINES ? grip->row / KG_LINES_ENDS : grip->row;

    /* Both ends of a line are one, and the handles beside a point go with it. */
    if ((grip->kind == KG_HANDLE_LINES && row == last) || (grip->kind == KG_HANDLE_POINTS && grip->minor))
      continue;
    last = row;
    good = kg_grip_remove_point (handles, grip, error);
    any = any || good;
  }
  if (good)
    kg_graph_end_group (graph);
  else
    kg_graph_cancel_group (graph);
  kg_handle_view_unselect (self);
  self->has_active = self->has_rod = false;
  return good && any;
}

bool
kg_handle_view_remove (KgHandleView *self, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  KgGrip point;

  if (kg_handle_view_get_n_selected (self) > 0)
    return remove_selected (self, &handles, error);
  if (kg_handle_view_find_active (self, &point) && point.kind == KG_HANDLE_OUTLINE &&
      (point.axis == KG_OUTLINE_IN || point.axis == KG_OUTLINE_OUT))
    return kg_outline_reset_tangent (&handles, &point, error);
  if (!find_list_point (self, &point) || !kg_grip_remove_point (&handles, &point, error))
    return false;
  /* Numbers have changed. */
  self->has_active = self->has_rod = false;
  return true;
}

/* Figures. */

bool
kg_handle_view_toggle_hinge (KgHandleView *self, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  KgGrip point;

  return find_figure_point (self, &point) && kg_figure_toggle_hinge (&handles, &point, error);
}

bool
kg_handle_view_toggle_pin (KgHandleView *self, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  KgGrip point;

  return find_figure_point (self, &point) && kg_figure_toggle_mark (&handles, &point, error);
}

bool
kg_handle_view_toggle_rod (KgHandleView *self, bool *begun, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  KgGrip point, from;

  *begun = false;
  if (!find_figure_point (self, &point))
    return false;
  if (!self->has_rod || self->rod.node != point.node ||
      !find_point (self, self->rod.slot, (guint) self->rod.row, &from)) {
    *begun = self->has_rod = true;
    self->rod = point;
    return true;
  }
  self->has_rod = false;
  return kg_figure_toggle_rod (&handles, &from, &point, error);
}

char *
kg_handle_view_dup_text (KgHandleView *self)
{
  static const char *const names[] = { "x", "y", "z" };
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_auto (KgValue) value = KG_VALUE_INIT;
  const KgSlot *slot;
  KgVector shown;
  KgGrip grip;

  if (!kg_handle_view_find_active (self, &grip))
    return NULL;
  if (grip.together) {
    const guint n = kg_handle_view_get_n_selected (self);

    return grip.shape == KG_GRIP_RING ? g_strdup_printf (_ ("Rotate %u selected about %s"), n, names[grip.axis])
           : grip.shape == KG_GRIP_FACTOR
               ? g_strdup_printf (_ ("Scale %u selected along %s"), n, names[grip.axis])
               : g_strdup_printf (_ ("Centre of %u selected  %.4g, %.4g, %.4g"), n, grip.at.x, grip.at.y, grip.at.z);
  }
  slot = kg_node_get_slot (grip.node, grip.slot);
  if (grip.axis >= 0 && !grip.minor && kg_grip_get_start (&handles, &grip, &value) && value.kind == KG_VECTOR) {
    const double x[] = { value.vector.x, value.vector.y, value.vector.z };

    if (grip.kind == KG_HANDLE_BODIES)
      return g_strdup_printf (_ ("Key %d, angle about %s  %g"), grip.row + 1, names[grip.axis], x[grip.axis]);
    return g_strdup_printf ("%s %s  %g", kg_type_translate (slot->label), names[grip.axis], x[grip.axis]);
  }
  if (grip.kind == KG_HANDLE_BODIES && grip.minor)
    return g_strdup_printf (_ ("Key %d, size along %s  %.4g"), grip.row + 1, names[grip.axis],
                            kg_vector_dot (kg_vector_subtract (grip.at, grip.anchor), grip.direction));
  if (grip.kind == KG_HANDLE_BODIES)
    return g_strdup_printf (_ ("Key %d  %.4g, %.4g, %.4g"), grip.row + 1, grip.at.x, grip.at.y, grip.at.z);
  /* Numbers of figures stand in their texts, and count from 0. */
  if (grip.kind == KG_HANDLE_PARTS)
    return g_strdup_printf (grip.bone ? _ ("Point %d") : _ ("Part %d"), grip.row);
  if (is_figure_point (&grip) || grip.kind == KG_HANDLE_GRAB)
    return g_strdup_printf (_ ("Point %d  %g, %g, %g"),
                            grip.kind == KG_HANDLE_GRAB ? grip.row : (int) kg_figure_get_number (&handles, &grip),
                            grip.at.x, grip.at.y, grip.at.z);
  if (grip.kind == KG_HANDLE_POINTS)
    return g_strdup_printf (_ ("Point %d  %g, %g, %g"), grip.row + 1, grip.at.x, grip.at.y, grip.at.z);
  if (grip.kind == KG_HANDLE_LINES) {
    const int line = grip.row / KG_LINES_ENDS + 1;

    return g_strdup_printf (!grip.second ? grip.row % 2 == 0 ? _ ("Line %d of the first image, start  %.4g, %.4g")
                                                             : _ ("Line %d of the first image, end  %.4g, %.4g")
                            : grip.row % 2 == 0 ? _ ("Line %d of the second image, start  %.4g, %.4g")
                                                : _ ("Line %d of the second image, end  %.4g, %.4g"),
                            line, grip.at.x, grip.at.y);
  }
  if (grip.kind == KG_HANDLE_OUTLINE && (grip.axis == KG_OUTLINE_IN || grip.axis == KG_OUTLINE_OUT))
    return g_strdup_printf (grip.axis == KG_OUTLINE_IN ? _ ("Tangent into point %d  %g, %g")
                                                       : _ ("Tangent out of point %d  %g, %g"),
                            grip.row + 1, grip.at.x - grip.anchor.x, grip.at.y - grip.anchor.y);
  if (grip.kind == KG_HANDLE_OUTLINE && grip.axis == KG_OUTLINE_FEATHER)
    return g_strdup_printf (_ ("Feather of point %d"), grip.row + 1);
  if (grip.kind == KG_HANDLE_OUTLINE)
    return g_strdup_printf (_ ("Point %d  %g, %g"), grip.row + 1, grip.at.x, grip.at.y);
  if (grip.kind == KG_HANDLE_MOVES)
    return g_strdup_printf (_ ("Point %d %d %d  %.4g, %.4g, %.4g"), grip.cell[0], grip.cell[1], grip.cell[2], grip.at.x,
                            grip.at.y, grip.at.z);
  if (grip.kind == KG_HANDLE_TANGENTS || grip.kind == KG_HANDLE_INCOMING)
    return g_strdup_printf ("%s %d", kg_type_translate (slot->label), grip.row + 1);
  shown = kg_grip_get_vector (&grip);
  if (grip.timed)
    return g_strdup_printf (_ ("%s at frame %g  %.4g, %.4g, %.4g"), kg_type_translate (slot->label), grip.frame,
                            shown.x, shown.y, shown.z);
  return g_strdup_printf ("%s  %.4g, %.4g, %.4g", kg_type_translate (slot->label), shown.x, shown.y, shown.z);
}
