/* kg-handle-draw: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-handle-draw.h"

#include "config.h"
#include "kg-body-edit.h"
#include "kg-figure-edit.h"
#include "kg-grip-place.h"
#include "kg-lines-edit.h"
#include "kg-outline-edit.h"
#include "kg-part-edit.h"
#include "kg-scene-view.h"

#include <glib/gi18n.h>

#define POINT_RADIUS 6.0
#define MINOR_RADIUS 4.0
#define HINGE_RADIUS 18.0
#define PIN_RADIUS 10.0

/* Of lines in the second image, and of those that cross another. */
static const double second_color[] = { 0.3, 0.82, 1 };
static const double crossed_color[] = { 1, 0.3, 0.25 };

static void
set_color (cairo_t *cr, const KgGrip *grip, bool active, double alpha)
{
  if (grip->locked)
    cairo_set_source_rgba (cr, 0.6, 0.6, 0.62, alpha);
  else if (active)
    cairo_set_source_rgba (cr, 1, 0.95, 0.55, alpha);
  else if (grip->second)
    cairo_set_source_rgba (cr, second_color[0], second_color[1], second_color[2], alpha);
  else if (grip->axis >= 0)
    kg_tint_set (cr, kg_axis_get_tint (grip->axis), alpha);
  else
    cairo_set_source_rgba (cr, 1, 0.66, 0.16, alpha);
}

static void
stroke_lines (cairo_t *cr, const KgProjection *p, const GArray *grips)
{
  KgPlace last = { 0, 0 }, here, from;
  bool has_last = false;

  cairo_set_line_width (cr, 1);
  cairo_set_source_rgba (cr, 1, 0.66, 0.16, 0.55);
  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);
    const bool seen = grip->shape == KG_GRIP_POINT && kg_place_map (p, grip->at, &here);

    if (seen && grip->joined && has_last) {
      cairo_move_to (cr, last.x, last.y);
      cairo_line_to (cr, here.x, here.y);
    }
    if (seen && grip->stem && kg_place_map (p, grip->anchor, &from)) {
      cairo_move_to (cr, from.x, from.y);
      cairo_line_to (cr, here.x, here.y);
    }
    if (grip->shape == KG_GRIP_POINT) {
      has_last = seen;
      last = here;
    }
  }
  cairo_stroke (cr);
}

/* Where keyed places go, with a tick at each frame: the closer, the slower. */
static void
draw_paths (cairo_t *cr, const KgProjection *p, const KgHandles *handles)
{
  g_autoptr (GArray) paths = kg_handles_find_paths (handles);

  for (guint i = 0; i < paths->len; i++) {
    g_autoptr (GArray) places = g_array_index (paths, KgHandlePath, i).places;
    KgPlace at;

    for (guint k = 0; k < places->len; k++)
      if (kg_place_map (p, g_array_index (places, KgVector, k), &at))
        cairo_line_to (cr, at.x, at.y);
      else
        cairo_new_sub_path (cr);
    cairo_set_line_width (cr, 1.2);
    cairo_set_source_rgba (cr, 0.45, 0.75, 1, 0.8);
    cairo_stroke (cr);
    for (guint k = 0; k < places->len; k++)
      if (kg_place_map (p, g_array_index (places, KgVector, k), &at))
        cairo_rectangle (cr, at.x - 1.5, at.y - 1.5, 3, 3);
    cairo_set_source_rgba (cr, 0.75, 0.9, 1, 0.9);
    cairo_fill (cr);
  }
}

/* Where computed places go, for the eye alone: with a tick at each frame, and a ring at the present one. */
static void
draw_computed_path (cairo_t *cr, const KgProjection *p, const KgMotionPath *path, double frame)
{
  KgPlace at;

  for (guint k = 0; k < path->places->len; k++) {
    const KgVector place = g_array_index (path->places, KgVector, k);

    if (isfinite (place.x) && kg_place_map (p, place, &at))
      cairo_line_to (cr, at.x, at.y);
    else
      cairo_new_sub_path (cr);
  }
  cairo_set_line_width (cr, 1.2);
  cairo_set_source_rgba (cr, 0.66, 0.52, 1, 0.8);
  cairo_stroke (cr);
  cairo_set_source_rgb (cr, 0.8, 0.72, 1);
  for (guint k = 0; k < path->places->len; k++) {
    const KgVector place = g_array_index (path->places, KgVector, k);

    if (!isfinite (place.x) || !kg_place_map (p, place, &at))
      continue;
    cairo_rectangle (cr, at.x - 1.5, at.y - 1.5, 3, 3);
    cairo_fill (cr);
    if (fabs (path->first + k * path->step - frame) < 0.5 * path->step) {
      cairo_set_line_width (cr, 1.5);
      cairo_set_source_rgb (cr, 0.92, 0.89, 1);
      cairo_arc (cr, at.x, at.y, 5, 0, 2 * KG_PI);
      cairo_stroke (cr);
      cairo_set_source_rgb (cr, 0.8, 0.72, 1);
    }
  }
}

static void
draw_computed_paths (const KgHandleScene *scene, cairo_t *cr, const KgProjection *p)
{
  /* Only what was found to move is among the sampled ones: whether what the node makes is shown does not matter here. */
  g_autoptr (GPtrArray) requests = kg_handles_dup_computed_paths (&scene->handles, true);

  for (guint i = 0; scene->paths != NULL && i < requests->len; i++) {
    const KgPathRequest *request = (const KgPathRequest *) g_ptr_array_index (requests, i);
    const KgMotionPath *path = (const KgMotionPath *) g_hash_table_lookup (scene->paths, request->name);

    if (path != NULL && path->moves)
      draw_computed_path (cr, p, path, kg_document_get_frame (scene->handles.document));
  }
}

/* Closed outlines, as their node draws them. */
static void
stroke_outlines (cairo_t *cr, const KgProjection *p, const KgHandles *handles)
{
  const int slot = kg_outline_find_slot (handles);
  g_autoptr (GPtrArray) lines = slot >= 0 ? kg_outline_find_lines (handles, (guint) slot) : NULL;

  for (guint i = 0; lines != NULL && i < lines->len; i++) {
    const GArray *line = (const GArray *) g_ptr_array_index (lines, i);
    KgPlace at;

    for (guint k = 0; k < line->len; k++)
      if (kg_place_map (p, g_array_index (line, KgVector, k), &at))
        cairo_line_to (cr, at.x, at.y);
    cairo_new_sub_path (cr);
  }
  cairo_set_line_width (cr, 1.5);
  cairo_set_source_rgba (cr, 1, 0.66, 0.16, 0.8);
  cairo_stroke (cr);
}

#define OUTLINE_STEPS 64

/* The outline of an ellipsoid as it is seen: in the space where it is the unit ball it is a circle across the sight. */
static void
stroke_body (cairo_t *cr, const KgProjection *p, const KgBody *body)
{
  const double sizes[] = { kg_vector_length (body->half[0]), kg_vector_length (body->half[1]),
                           kg_vector_length (body->half[2]) };
  const KgVector from = kg_vector_subtract (p->eye, body->at);
  KgVector eye, u, v, center = { 0, 0, 0 };
  double radius = 1;
  KgPlace at;

  if (!(sizes[0] > 0 && sizes[1] > 0 && sizes[2] > 0))
    return;
  for (int i = 0; i < 3; i++)
    *kg_vector_component (&eye, i) =
        kg_vector_dot (p->parallel ? kg_vector_scale (p->forward, -1) : from, body->half[i]) / (sizes[i] * sizes[i]);
  if (!p->parallel) {
    const double square = kg_vector_dot (eye, eye);

    /* From inside there is none. */
    if (square <= 1)
      return;
    center = kg_vector_scale (eye, 1 / square);
    radius = sqrt (1 - 1 / square);
  }
  eye = kg_vector_normalize_or (eye, kg_vector (0, 0, 1));
  u = kg_vector_perpendicular (eye);
  v = kg_vector_cross (eye, u);
  for (int step = 0; step <= OUTLINE_STEPS; step++) {
    const double angle = 2 * KG_PI * step / OUTLINE_STEPS;
    const KgVector on =
        kg_vector_add_scaled (kg_vector_add_scaled (center, radius * cos (angle), u), radius * sin (angle), v);
    KgVector world = body->at;

    for (int i = 0; i < 3; i++)
      world = kg_vector_add_scaled (world, *kg_vector_component (&(KgVector){ on.x, on.y, on.z }, i), body->half[i]);
    if (kg_place_map (p, world, &at))
      cairo_line_to (cr, at.x, at.y);
  }
  cairo_new_sub_path (cr);
}

/* How large the bodies of the node are. */
static void
stroke_bodies (cairo_t *cr, const KgProjection *p, const KgHandleScene *scene)
{
  const int slot = kg_body_find_slot (&scene->handles);
  g_autoptr (GArray) bodies = slot >= 0 ? kg_body_find (&scene->handles, (guint) slot) : NULL;

  for (guint i = 0; bodies != NULL && i < bodies->len; i++) {
    const bool active = scene->active != NULL && scene->active->slot == (guint) slot && scene->active->row == (int) i;

    stroke_body (cr, p, &g_array_index (bodies, KgBody, i));
    cairo_set_line_width (cr, active ? 1.8 : 1);
    cairo_set_source_rgba (cr, 1, active ? 0.95 : 0.66, active ? 0.55 : 0.16, active ? 0.9 : 0.6);
    cairo_stroke (cr);
  }
}

/* From point to point of a lattice, along its three sides. */
static void
stroke_lattice (cairo_t *cr, const KgProjection *p, const GArray *grips)
{
  guint first = 0, end;
  KgPlace from, to;

  while (first < grips->len && g_array_index (grips, KgGrip, first).kind != KG_HANDLE_MOVES)
    first++;
  for (end = first; end < grips->len && g_array_index (grips, KgGrip, end).kind == KG_HANDLE_MOVES; end++)
    ;
  if (end == first)
    return;
  cairo_set_line_width (cr, 1);
  cairo_set_source_rgba (cr, 1, 0.66, 0.16, 0.3);
  for (guint i = first; i < end; i++) {
    const int *last = g_array_index (grips, KgGrip, end - 1).cell;
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);
    const int strides[] = { (last[1] + 1) * (last[2] + 1), last[2] + 1, 1 };

    for (int side = 0; side < 3; side++)
      if (grip->cell[side] < last[side] && kg_place_map (p, grip->at, &from) &&
          kg_place_map (p, g_array_index (grips, KgGrip, i + (guint) strides[side]).at, &to)) {
        cairo_move_to (cr, from.x, from.y);
        cairo_line_to (cr, to.x, to.y);
      }
  }
  cairo_stroke (cr);
}

/* Rods as lines; a hinge as an arc over what it turns by; a pin as a ring around its point. */
static void
draw_figure (const KgHandles *handles, cairo_t *cr, const KgProjection *p)
{
  g_autoptr (GArray) lines = kg_figure_find_lines (handles);

  cairo_set_source_rgba (cr, 1, 0.66, 0.16, 0.8);
  cairo_set_line_width (cr, 2);
  for (guint i = 0; i < lines->len; i++) {
    const KgFigureLine *line = &g_array_index (lines, KgFigureLine, i);
    KgPlace at[3];
    bool seen = true;

    for (guint k = 0; k < line->n; k++)
      seen = kg_place_map (p, line->at[k], &at[k]) && seen;
    if (!seen)
      continue;
    cairo_new_sub_path (cr);
    if (line->n == 1)
      cairo_arc (cr, at[0].x, at[0].y, PIN_RADIUS, 0, 2 * KG_PI);
    else if (line->n == 2) {
      cairo_move_to (cr, at[0].x, at[0].y);
      cairo_line_to (cr, at[1].x, at[1].y);
    } else {
      const double before = atan2 (at[1].y - at[0].y, at[1].x - at[0].x);
      const double turn = remainder (atan2 (at[2].y - at[1].y, at[2].x - at[1].x) - before, 2 * KG_PI);

      if (turn < 0)
        cairo_arc_negative (cr, at[1].x, at[1].y, HINGE_RADIUS, before, before + turn);
      else
        cairo_arc (cr, at[1].x, at[1].y, HINGE_RADIUS, before, before + turn);
      cairo_line_to (cr, at[1].x, at[1].y);
      cairo_close_path (cr);
    }
    cairo_stroke (cr);
  }
}

/* Lines from the chosen part to the points that it follows. */
static void
draw_part (const KgHandleScene *scene, cairo_t *cr, const KgProjection *p)
{
  const GArray *grips = scene->grips;
  const KgGrip *part = scene->part;
  g_autoptr (GArray) bones = part != NULL ? kg_grip_get_bones (&scene->handles, part) : NULL;
  KgPlace from, to;
  bool found = false;

  for (guint i = 0; part != NULL && i < grips->len && !found; i++)
    found = kg_grip_is_same (&g_array_index (grips, KgGrip, i), part) &&
            kg_place_map (p, g_array_index (grips, KgGrip, i).at, &from);
  if (!found)
    return;
  cairo_set_source_rgba (cr, 1, 0.95, 0.55, 0.9);
  cairo_set_line_width (cr, 1.5);
  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);

    for (guint k = 0; grip->bone && k < bones->len; k++)
      if (g_array_index (bones, guint, k) == (guint) grip->row && kg_place_map (p, grip->at, &to)) {
        cairo_move_to (cr, from.x, from.y);
        cairo_line_to (cr, to.x, to.y);
        cairo_new_sub_path (cr);
        cairo_arc (cr, to.x, to.y, PIN_RADIUS, 0, 2 * KG_PI);
        cairo_stroke (cr);
      }
  }
}

/* share: of what moves with the active one, or several that are selected: 1. */
static void
draw_point (cairo_t *cr, const KgGrip *grip, KgPlace at, bool active, double share)
{
  const double radius = grip->minor ? MINOR_RADIUS : POINT_RADIUS;

  if (grip->locked || (grip->kind == KG_HANDLE_PARTS && !grip->bone))
    cairo_rectangle (cr, at.x - radius, at.y - radius, 2 * radius, 2 * radius);
  else
    cairo_arc (cr, at.x, at.y, radius, 0, 2 * KG_PI);
  set_color (cr, grip, active, 1);
  cairo_fill_preserve (cr);
  if (share > 0 && !active) {
    cairo_set_source_rgba (cr, 1, 0.95, 0.55, share);
    cairo_fill_preserve (cr);
  }
  cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
  /* Of several that are selected the one that has the keyboard. */
  if (active && share > 0) {
    cairo_set_source_rgb (cr, 1, 1, 1);
    cairo_set_line_width (cr, 1.5);
    cairo_arc (cr, at.x, at.y, radius + 3, 0, 2 * KG_PI);
    cairo_stroke (cr);
  }
}

/* Pairs of lines in images: a line of the second image has another colour, and is joined to that of the first end by end. */
static void
draw_line_pairs (const KgHandleScene *scene, cairo_t *cr, const KgProjection *p)
{
  const int slot = kg_lines_find_slot (&scene->handles);
  g_autoptr (GArray) pairs = slot >= 0 ? kg_lines_find (&scene->handles, (guint) slot) : NULL;
  const double dashes[] = { 3, 3 };

  for (guint i = 0; pairs != NULL && i < pairs->len; i++) {
    const KgLinePair *pair = &g_array_index (pairs, KgLinePair, i);
    KgPlace at[KG_LINES_ENDS];

    for (guint end = 0; end < KG_LINES_ENDS; end++)
      if (!kg_place_map (p, pair->at[end], &at[end]))
        return;
    cairo_save (cr);
    cairo_set_dash (cr, dashes, 2, 0);
    cairo_set_line_width (cr, 1);
    cairo_set_source_rgba (cr, 1, 1, 1, 0.45);
    for (guint end = 0; end < 2; end++) {
      cairo_move_to (cr, at[end].x, at[end].y);
      cairo_line_to (cr, at[end + 2].x, at[end + 2].y);
    }
    cairo_stroke (cr);
    cairo_restore (cr);
    /* That of the first image on top where both are one. */
    for (int image = 1; image >= 0; image--) {
      const KgPlace *a = &at[2 * image], *b = a + 1;
      const double angle = atan2 (b->y - a->y, b->x - a->x), x = 0.5 * (a->x + b->x), y = 0.5 * (a->y + b->y);

      if (pair->crossed[image])
        cairo_set_source_rgb (cr, crossed_color[0], crossed_color[1], crossed_color[2]);
      else if (image == 1)
        cairo_set_source_rgb (cr, second_color[0], second_color[1], second_color[2]);
      else
        cairo_set_source_rgb (cr, 1, 0.66, 0.16);
      cairo_set_line_width (cr, pair->crossed[image] ? 2.5 : 1.8);
      cairo_move_to (cr, a->x, a->y);
      cairo_line_to (cr, b->x, b->y);
      /* Which way it runs. */
      cairo_move_to (cr, x - 6 * cos (angle - 0.5), y - 6 * sin (angle - 0.5));
      cairo_line_to (cr, x, y);
      cairo_line_to (cr, x - 6 * cos (angle + 0.5), y - 6 * sin (angle + 0.5));
      cairo_stroke (cr);
    }
  }
}

#define SNAP_LINES 3

static void
draw_snapped (const KgHandleScene *scene, cairo_t *cr, const KgProjection *p)
{
  static const KgVector axes[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  const KgSnapped *snapped = &scene->snapped;
  KgPlace at, from;
  guint away = 0;

  if (snapped->to == KG_SNAP_NONE || !kg_place_map (p, snapped->at, &at))
    return;
  cairo_set_source_rgba (cr, 0.55, 1, 0.6, 0.95);
  cairo_set_line_width (cr, 1.5);
  if (snapped->to == KG_SNAP_POINTS) {
    cairo_arc (cr, at.x, at.y, 10, 0, 2 * KG_PI);
    cairo_stroke (cr);
    return;
  }
  if (snapped->to == KG_SNAP_ANGLES) {
    if (kg_place_map (p, snapped->from, &from)) {
      cairo_move_to (cr, from.x, from.y);
      cairo_line_to (cr, at.x + (at.x - from.x), at.y + (at.y - from.y));
      cairo_stroke (cr);
    }
    return;
  }
  /* Crosses of the grid around, in the plane of the axes that the eye does not look along. */
  for (guint i = 1; i < 3; i++)
    if (fabs (kg_vector_dot (axes[i], p->forward)) > fabs (kg_vector_dot (axes[away], p->forward)))
      away = i;
  cairo_set_line_width (cr, 1);
  for (int i = -SNAP_LINES; i <= SNAP_LINES; i++)
    for (int k = -SNAP_LINES; k <= SNAP_LINES; k++) {
      const KgVector place =
          kg_vector_add_scaled (kg_vector_add_scaled (snapped->at, i * snapped->step, axes[(away + 1) % 3]),
                                k * snapped->step, axes[(away + 2) % 3]);

      if (!kg_place_map (p, place, &at))
        continue;
      cairo_set_source_rgba (cr, 0.55, 1, 0.6, i == 0 && k == 0 ? 1 : 0.5);
      cairo_move_to (cr, at.x - 2.5, at.y);
      cairo_line_to (cr, at.x + 2.5, at.y);
      cairo_move_to (cr, at.x, at.y - 2.5);
      cairo_line_to (cr, at.x, at.y + 2.5);
      cairo_stroke (cr);
    }
}

/* How far a soft selection reaches. */
static void
draw_soft (const KgHandleScene *scene, cairo_t *cr, const KgProjection *p)
{
  KgPlace at;

  if (!scene->soft || !kg_place_map (p, scene->soft_at, &at))
    return;
  cairo_set_source_rgba (cr, 1, 1, 1, 0.7);
  cairo_set_line_width (cr, 1.2);
  cairo_arc (cr, at.x, at.y, scene->soft_radius, 0, 2 * KG_PI);
  cairo_stroke (cr);
}

static bool
is_selected (const KgHandleScene *scene, const KgGrip *grip)
{
  const gint64 key = kg_grip_get_key (grip);

  return scene->selected != NULL && !grip->together && g_hash_table_contains (scene->selected, &key);
}

static void
draw_arrow (cairo_t *cr, const KgGrip *grip, const KgProjection *p, bool active)
{
  KgPlace from, to;
  double angle;

  if (!kg_grip_map_along (grip, p, KG_ARROW_FROM, &from) || !kg_grip_map_along (grip, p, KG_ARROW_TO, &to))
    return;
  angle = atan2 (to.y - from.y, to.x - from.x);
  set_color (cr, grip, active, 1);
  cairo_set_line_width (cr, 2.5);
  cairo_move_to (cr, from.x, from.y);
  cairo_line_to (cr, to.x, to.y);
  cairo_stroke (cr);
  cairo_move_to (cr, to.x + 6 * cos (angle), to.y + 6 * sin (angle));
  cairo_line_to (cr, to.x + 6 * cos (angle + 2.3), to.y + 6 * sin (angle + 2.3));
  cairo_line_to (cr, to.x + 6 * cos (angle - 2.3), to.y + 6 * sin (angle - 2.3));
  cairo_close_path (cr);
  cairo_fill (cr);
}

static void
draw_box (cairo_t *cr, const KgGrip *grip, const KgProjection *p, bool active)
{
  KgPlace at;

  if (!kg_grip_map_along (grip, p, KG_BOX_AT, &at))
    return;
  set_color (cr, grip, active, 1);
  cairo_rectangle (cr, at.x - 4.5, at.y - 4.5, 9, 9);
  cairo_fill_preserve (cr);
  cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

/* The half behind is faint. */
static void
draw_ring (cairo_t *cr, const KgGrip *grip, const KgProjection *p, bool active)
{
  const KgVector sight = kg_projection_get_view_direction (p, grip->at);
  const bool facing = fabs (kg_vector_dot (sight, grip->direction)) > 0.9;

  cairo_set_line_width (cr, active ? 3 : 1.8);
  for (int half = 0; half < 2; half++) {
    for (guint i = 0; i < KG_RING_STEPS; i++) {
      const KgVector from = kg_grip_get_ring_point (grip, p, i);
      const bool behind = !facing && kg_vector_dot (kg_vector_subtract (from, grip->at), sight) > 0;
      KgPlace a, b;

      if (behind != (half == 0) || !kg_place_map (p, from, &a) ||
          !kg_place_map (p, kg_grip_get_ring_point (grip, p, i + 1), &b))
        continue;
      cairo_move_to (cr, a.x, a.y);
      cairo_line_to (cr, b.x, b.y);
    }
    set_color (cr, grip, active, half == 0 ? 0.25 : 1);
    cairo_stroke (cr);
  }
}

typedef struct {
  double x, y, width, height;
} Box;

static bool
is_box_free (const Box *box, const GArray *taken)
{
  for (guint i = 0; i < taken->len; i++) {
    const Box *other = &g_array_index (taken, Box, i);

    if (box->x < other->x + other->width && other->x < box->x + box->width && box->y < other->y + other->height &&
        other->y < box->y + box->height)
      return false;
  }
  return true;
}

/* Beside the point where there is room; otherwise not at all. */
static void
draw_label (cairo_t *cr, PangoContext *context, const char *text, KgPlace at, GArray *taken, double width,
            double height)
{
  g_autoptr (PangoLayout) layout = pango_layout_new (context);
  int w, h;

  pango_layout_set_text (layout, text, -1);
  pango_layout_get_pixel_size (layout, &w, &h);
  {
    const Box places[] = { { at.x + 10, at.y - 0.5 * h - 1, w, h }, { at.x - 10 - w, at.y - 0.5 * h - 1, w, h },
                           { at.x - 0.5 * w, at.y - 9 - h, w, h },  { at.x - 0.5 * w, at.y + 9, w, h },
                           { at.x + 10, at.y + 6, w, h },           { at.x + 10, at.y - 6 - h, w, h } };

    for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
      const Box *box = &places[i];

      if (box->x < 0 || box->y < 0 || box->x + w > width || box->y + h > height || !is_box_free (box, taken))
        continue;
      g_array_append_val (taken, *box);
      cairo_set_source_rgba (cr, 0.08, 0.08, 0.1, 0.6);
      cairo_rectangle (cr, box->x - 3, box->y, w + 6, h);
      cairo_fill (cr);
      cairo_set_source_rgb (cr, 1, 0.85, 0.6);
      cairo_move_to (cr, box->x, box->y);
      pango_cairo_show_layout (cr, layout);
      cairo_new_path (cr);
      return;
    }
  }
}

static void
draw_labels (const KgHandleScene *scene, cairo_t *cr, PangoContext *context, const KgProjection *p, double width,
             double height)
{
  const GArray *grips = scene->grips;
  const KgGrip *active = scene->active;
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (Box));
  KgPlace at;

  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);

    if (grip->shape == KG_GRIP_POINT && kg_place_map (p, grip->at, &at)) {
      const Box box = { at.x - POINT_RADIUS, at.y - POINT_RADIUS, 2 * POINT_RADIUS, 2 * POINT_RADIUS };

      g_array_append_val (taken, box);
    } else if (grip->shape == KG_GRIP_AXIS && kg_grip_is_seen (grip, p)) {
      for (double along = KG_ARROW_FROM; along <= KG_ARROW_TO + 8; along += 10)
        if (kg_grip_map_along (grip, p, along, &at)) {
          const Box box = { at.x - 4, at.y - 4, 8, 8 };

          g_array_append_val (taken, box);
        }
    }
  }
  /* The active one first: it has its numbers beside it. */
  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < grips->len; i++) {
      const KgGrip *grip = &g_array_index (grips, KgGrip, i);
      const bool is_active = active != NULL && kg_grip_is_same (grip, active);
      g_autofree char *text = NULL;

      if (is_active != (pass == 0) || grip->shape != KG_GRIP_POINT || !kg_place_map (p, grip->at, &at))
        continue;
      if (is_active)
        text = g_strdup (scene->active_text);
      else if (grip->label != NULL)
        text = grip->locked ? g_strdup_printf (_ ("%s (linked)"), kg_type_translate (grip->label))
                            : g_strdup (kg_type_translate (grip->label));
      if (text != NULL)
        draw_label (cr, context, text, at, taken, width, height);
    }
}

void
kg_handle_scene_draw (const KgHandleScene *scene, cairo_t *cr, PangoContext *context, const KgProjection *p,
                      double width, double height)
{
  const GArray *grips = scene->grips;
  g_autoptr (GArray) frames = kg_handles_find_frames (&scene->handles);

  for (guint i = 0; i < frames->len; i++)
    kg_scene_view_draw_frame (cr, p, &g_array_index (frames, KgTransform, i), 44);
  if (scene->paths_shown) {
    draw_paths (cr, p, &scene->handles);
    draw_computed_paths (scene, cr, p);
  }
  stroke_outlines (cr, p, &scene->handles);
  stroke_bodies (cr, p, scene);
  stroke_lines (cr, p, grips);
  draw_figure (&scene->handles, cr, p);
  draw_part (scene, cr, p);
  stroke_lattice (cr, p, grips);
  draw_line_pairs (scene, cr, p);
  draw_soft (scene, cr, p);
  /* Points last: they are on top, as they are when taken. */
  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < grips->len; i++) {
      const KgGrip *grip = &g_array_index (grips, KgGrip, i);
      const bool is_active = scene->active != NULL && kg_grip_is_same (grip, scene->active);
      KgPlace at;

      if ((grip->shape == KG_GRIP_POINT) != (pass == 1) || !kg_grip_is_seen (grip, p))
        continue;
      if (grip->shape == KG_GRIP_RING)
        draw_ring (cr, grip, p, is_active);
      else if (grip->shape == KG_GRIP_AXIS)
        draw_arrow (cr, grip, p, is_active);
      else if (grip->shape == KG_GRIP_FACTOR)
        draw_box (cr, grip, p, is_active);
      else if (kg_place_map (p, grip->at, &at))
        draw_point (cr, grip, at, is_active,
                    is_selected (scene, grip)                 ? 1
                    : scene->group != NULL && !grip->together ? kg_grip_group_get_share (scene->group, grip)
                                                              : 0);
    }
  draw_snapped (scene, cr, p);
  draw_labels (scene, cr, context, p, width, height);
}
