/* kg-handle-view: see the header.
 *
 * Arrows, rings and boxes are of the same size on the screen at any distance: their lengths are pixels.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-handle-view.h"

#include "config.h"
#include "kg-figure-edit.h"
#include "kg-grab.h"
#include "kg-part-edit.h"
#include "kg-scene-view.h"
#include "kg-value-view.h"

#include <glib/gi18n.h>

#define POINT_RADIUS 6.0
#define MINOR_RADIUS 4.0
#define REACH 10.0 /* pixels from a handle at which it is taken */
#define ARROW_FROM 14.0
#define ARROW_TO 76.0
#define BOX_AT 48.0
#define RING_RADIUS 60.0
#define RING_STEPS 64
#define HINGE_RADIUS 18.0
#define PIN_RADIUS 10.0

/* A ring is drawn, and can be turned, unless it is looked at from its edge; an arrow unless it points at the eye. */
#define LEAST_FACING 0.06
#define LEAST_FLAT 0.2
#define MOST_FACING 0.985

#define TURN_STEP 0.1 /* degrees */
#define TURN_SNAP 15.0
#define FACTOR_STEP 0.01
#define FACTOR_SNAP 0.1

struct _KgHandleView {
  KgDocument *document;
  GHashTable *values; /* (nullable) */
  bool shown;
  KgGrip active;
  bool has_active;
  /* While something is dragged. */
  bool dragging, group_open;
  KgGrip grip; /* as it was */
  KgValue start;
  double grab_x, grab_y; /* from the pointer to the point */
  double grab_along;     /* of an arrow or a box: where along it the pointer took it */
  KgVector grab_at;      /* of a ring: where the pointer is on it */
  double turned;         /* so far */
  KgVector dragged_to;
  KgGrab *grab;
  KgGrip rod; /* the point where one begins */
  bool has_rod;
  KgGrip part; /* whose points are chosen */
  bool has_part;
};

KgHandleView *
kg_handle_view_new (KgDocument *document)
{
  KgHandleView *self = g_new0 (KgHandleView, 1);

  self->document = (KgDocument *) g_object_ref (document);
  self->shown = true;
  self->grab = kg_grab_new (document);
  return self;
}

void
kg_handle_view_free (KgHandleView *self)
{
  kg_handle_view_release (self);
  kg_grab_free (self->grab);
  g_clear_pointer (&self->values, g_hash_table_unref);
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

bool
kg_handle_view_is_dragging (KgHandleView *self)
{
  return self->dragging;
}

/* (transfer full) With the one that is dragged where it is dragged to: what is evaluated comes later. */
static GArray *
find_grips (KgHandleView *self)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  GArray *grips = kg_handles_find (&handles, kg_handle_view_get_active (self));

  for (guint i = 0; self->dragging && self->grip.shape == KG_GRIP_POINT && i < grips->len; i++) {
    KgGrip *grip = &g_array_index (grips, KgGrip, i);

    if (kg_grip_is_same (grip, &self->grip) && (grip->kind == KG_HANDLE_MOVES || grip->kind == KG_HANDLE_GRAB))
      grip->at = self->dragged_to;
  }
  return grips;
}

/* Where things are on the screen. */

typedef struct {
  double x, y;
} Place;

static bool
map (const KgProjection *p, KgVector at, Place *place)
{
  return kg_projection_map (p, at, &place->x, &place->y);
}

static bool
is_seen (const KgGrip *grip, const KgProjection *p)
{
  const double facing = fabs (kg_vector_dot (grip->direction, kg_projection_get_sight (p, grip->at)));

  return grip->shape == KG_GRIP_POINT || (grip->shape == KG_GRIP_RING ? facing > LEAST_FACING : facing < MOST_FACING);
}

static bool
map_along (const KgGrip *grip, const KgProjection *p, double pixels, Place *place)
{
  return map (p, kg_vector_add_scaled (grip->at, pixels * kg_projection_get_metres (p, grip->at), grip->direction),
              place);
}

static KgVector
get_ring_point (const KgGrip *grip, const KgProjection *p, guint step)
{
  const double radius = RING_RADIUS * kg_projection_get_metres (p, grip->at), angle = 2 * KG_PI * step / RING_STEPS;
  const KgVector u = kg_vector_perpendicular (grip->direction), v = kg_vector_cross (grip->direction, u);

  return kg_vector_add_scaled (kg_vector_add_scaled (grip->at, radius * cos (angle), u), radius * sin (angle), v);
}

static double
get_distance_to_piece (Place at, Place a, Place b, double *along)
{
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double t = square > 0 ? ((at.x - a.x) * dx + (at.y - a.y) * dy) / square : 0, on = kg_clamp (t, 0, 1);

  *along = t;
  return hypot (a.x + on * dx - at.x, a.y + on * dy - at.y);
}

/* In pixels; INFINITY where it is not to be seen. */
static double
get_distance (const KgGrip *grip, const KgProjection *p, Place at)
{
  Place a, b;
  double nearest = INFINITY, along;

  if (!is_seen (grip, p))
    return INFINITY;
  switch (grip->shape) {
  case KG_GRIP_POINT:
    return map (p, grip->at, &a) ? hypot (a.x - at.x, a.y - at.y) : INFINITY;
  case KG_GRIP_AXIS:
    return map_along (grip, p, ARROW_FROM, &a) && map_along (grip, p, ARROW_TO, &b)
               ? get_distance_to_piece (at, a, b, &along)
               : INFINITY;
  case KG_GRIP_FACTOR:
    return map_along (grip, p, BOX_AT, &a) ? hypot (a.x - at.x, a.y - at.y) : INFINITY;
  case KG_GRIP_RING:
  default:
    for (guint i = 0; i < RING_STEPS; i++)
      if (map (p, get_ring_point (grip, p, i), &a) && map (p, get_ring_point (grip, p, i + 1), &b))
        nearest = fmin (nearest, get_distance_to_piece (at, a, b, &along));
    return nearest;
  }
}

/* Drawing. */

static void
set_color (cairo_t *cr, const KgGrip *grip, bool active, double alpha)
{
  if (grip->locked)
    cairo_set_source_rgba (cr, 0.6, 0.6, 0.62, alpha);
  else if (active)
    cairo_set_source_rgba (cr, 1, 0.95, 0.55, alpha);
  else if (grip->axis >= 0)
    kg_tint_set (cr, kg_axis_get_tint (grip->axis), alpha);
  else
    cairo_set_source_rgba (cr, 1, 0.66, 0.16, alpha);
}

static void
stroke_lines (cairo_t *cr, const KgProjection *p, GArray *grips)
{
  Place last = { 0, 0 }, here, from;
  bool has_last = false;

  cairo_set_line_width (cr, 1);
  cairo_set_source_rgba (cr, 1, 0.66, 0.16, 0.55);
  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);
    const bool seen = grip->shape == KG_GRIP_POINT && map (p, grip->at, &here);

    if (seen && grip->joined && has_last) {
      cairo_move_to (cr, last.x, last.y);
      cairo_line_to (cr, here.x, here.y);
    }
    if (seen && grip->stem && map (p, grip->anchor, &from)) {
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

/* From point to point of a lattice, along its three sides. */
static void
stroke_lattice (cairo_t *cr, const KgProjection *p, GArray *grips)
{
  guint first = 0, end;
  Place from, to;

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
      if (grip->cell[side] < last[side] && map (p, grip->at, &from) &&
          map (p, g_array_index (grips, KgGrip, i + (guint) strides[side]).at, &to)) {
        cairo_move_to (cr, from.x, from.y);
        cairo_line_to (cr, to.x, to.y);
      }
  }
  cairo_stroke (cr);
}

/* Rods as lines; a hinge as an arc over what it turns by; a pin as a ring around its point. */
static void
draw_figure (KgHandleView *self, cairo_t *cr, const KgProjection *p)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_autoptr (GArray) lines = kg_figure_find_lines (&handles);

  cairo_set_source_rgba (cr, 1, 0.66, 0.16, 0.8);
  cairo_set_line_width (cr, 2);
  for (guint i = 0; i < lines->len; i++) {
    const KgFigureLine *line = &g_array_index (lines, KgFigureLine, i);
    Place at[3];
    bool seen = true;

    for (guint k = 0; k < line->n; k++)
      seen = map (p, line->at[k], &at[k]) && seen;
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

/* (nullable) The part of the node that was taken last. */
static const KgGrip *
get_part (KgHandleView *self)
{
  return self->has_part && self->part.node == kg_document_get_active (self->document) ? &self->part : NULL;
}

/* Lines from the chosen part to the points that it follows. */
static void
draw_part (KgHandleView *self, cairo_t *cr, const KgProjection *p, const GArray *grips)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  const KgGrip *part = get_part (self);
  g_autoptr (GArray) bones = part != NULL ? kg_grip_get_bones (&handles, part) : NULL;
  Place from, to;
  bool found = false;

  for (guint i = 0; part != NULL && i < grips->len && !found; i++)
    found = kg_grip_is_same (&g_array_index (grips, KgGrip, i), part) &&
            map (p, g_array_index (grips, KgGrip, i).at, &from);
  if (!found)
    return;
  cairo_set_source_rgba (cr, 1, 0.95, 0.55, 0.9);
  cairo_set_line_width (cr, 1.5);
  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);

    for (guint k = 0; grip->bone && k < bones->len; k++)
      if (g_array_index (bones, guint, k) == (guint) grip->row && map (p, grip->at, &to)) {
        cairo_move_to (cr, from.x, from.y);
        cairo_line_to (cr, to.x, to.y);
        cairo_new_sub_path (cr);
        cairo_arc (cr, to.x, to.y, PIN_RADIUS, 0, 2 * KG_PI);
        cairo_stroke (cr);
      }
  }
}

static void
draw_point (cairo_t *cr, const KgGrip *grip, Place at, bool active)
{
  const double radius = grip->minor ? MINOR_RADIUS : POINT_RADIUS;

  if (grip->locked || (grip->kind == KG_HANDLE_PARTS && !grip->bone))
    cairo_rectangle (cr, at.x - radius, at.y - radius, 2 * radius, 2 * radius);
  else
    cairo_arc (cr, at.x, at.y, radius, 0, 2 * KG_PI);
  set_color (cr, grip, active, 1);
  cairo_fill_preserve (cr);
  cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}

static void
draw_arrow (cairo_t *cr, const KgGrip *grip, const KgProjection *p, bool active)
{
  Place from, to;
  double angle;

  if (!map_along (grip, p, ARROW_FROM, &from) || !map_along (grip, p, ARROW_TO, &to))
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
  Place at;

  if (!map_along (grip, p, BOX_AT, &at))
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
  const KgVector sight = kg_projection_get_sight (p, grip->at);
  const bool facing = fabs (kg_vector_dot (sight, grip->direction)) > 0.9;

  cairo_set_line_width (cr, active ? 3 : 1.8);
  for (int half = 0; half < 2; half++) {
    for (guint i = 0; i < RING_STEPS; i++) {
      const KgVector from = get_ring_point (grip, p, i);
      const bool behind = !facing && kg_vector_dot (kg_vector_subtract (from, grip->at), sight) > 0;
      Place a, b;

      if (behind != (half == 0) || !map (p, from, &a) || !map (p, get_ring_point (grip, p, i + 1), &b))
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
draw_label (cairo_t *cr, PangoContext *context, const char *text, Place at, GArray *taken, double width, double height)
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
draw_labels (KgHandleView *self, cairo_t *cr, PangoContext *context, const KgProjection *p, const GArray *grips,
             double width, double height)
{
  const KgGrip *active = kg_handle_view_get_active (self);
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (Box));
  Place at;

  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);

    if (grip->shape == KG_GRIP_POINT && map (p, grip->at, &at)) {
      const Box box = { at.x - POINT_RADIUS, at.y - POINT_RADIUS, 2 * POINT_RADIUS, 2 * POINT_RADIUS };

      g_array_append_val (taken, box);
    } else if (grip->shape == KG_GRIP_AXIS && is_seen (grip, p)) {
      for (double along = ARROW_FROM; along <= ARROW_TO + 8; along += 10)
        if (map_along (grip, p, along, &at)) {
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

      if (is_active != (pass == 0) || grip->shape != KG_GRIP_POINT || !map (p, grip->at, &at))
        continue;
      if (is_active)
        text = kg_handle_view_dup_text (self);
      else if (grip->label != NULL)
        text = grip->locked ? g_strdup_printf (_ ("%s (linked)"), kg_type_translate (grip->label))
                            : g_strdup (kg_type_translate (grip->label));
      if (text != NULL)
        draw_label (cr, context, text, at, taken, width, height);
    }
}

void
kg_handle_view_draw (KgHandleView *self, cairo_t *cr, PangoContext *context, const KgProjection *p, double width,
                     double height)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_autoptr (GArray) grips = find_grips (self);
  g_autoptr (GArray) frames = kg_handles_find_frames (&handles);
  const KgGrip *active = kg_handle_view_get_active (self);

  for (guint i = 0; i < frames->len; i++)
    kg_scene_view_draw_frame (cr, p, &g_array_index (frames, KgTransform, i), 44);
  stroke_lines (cr, p, grips);
  draw_figure (self, cr, p);
  draw_part (self, cr, p, grips);
  stroke_lattice (cr, p, grips);
  /* Points last: they are on top, as they are when taken. */
  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < grips->len; i++) {
      const KgGrip *grip = &g_array_index (grips, KgGrip, i);
      const bool is_active = active != NULL && kg_grip_is_same (grip, active);
      Place at;

      if ((grip->shape == KG_GRIP_POINT) != (pass == 1) || !is_seen (grip, p))
        continue;
      if (grip->shape == KG_GRIP_RING)
        draw_ring (cr, grip, p, is_active);
      else if (grip->shape == KG_GRIP_AXIS)
        draw_arrow (cr, grip, p, is_active);
      else if (grip->shape == KG_GRIP_FACTOR)
        draw_box (cr, grip, p, is_active);
      else if (map (p, grip->at, &at))
        draw_point (cr, grip, at, is_active);
    }
  draw_labels (self, cr, context, p, grips, width, height);
}

/* The pointer. */

/* What is smaller is easier to miss, and is taken before what is larger. */
static double
get_handicap (const KgGrip *grip, const KgGrip *active)
{
  const double shape = grip->shape == KG_GRIP_POINT ? 0 : grip->shape == KG_GRIP_FACTOR ? 1 : 3;

  return shape + (grip->locked ? 4 : 0) - (active != NULL && kg_grip_is_same (grip, active) ? 2 : 0);
}

static bool
pick (KgHandleView *self, const KgProjection *p, Place at, KgGrip *picked)
{
  g_autoptr (GArray) grips = find_grips (self);
  const KgGrip *active = kg_handle_view_get_active (self);
  double nearest = INFINITY;

  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);
    const double distance = get_distance (grip, p, at), weighed = distance + get_handicap (grip, active);

    if (distance < REACH && weighed < nearest) {
      nearest = weighed;
      *picked = *grip;
    }
  }
  return isfinite (nearest);
}

/* Takes what the pointer is on. */
static void
take (KgHandleView *self, const KgProjection *p, double x, double y, KgGrip grip)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  const KgRay ray = kg_projection_get_ray (p, x, y);
  Place at;

  self->active = self->grip = grip;
  self->has_active = true;
  self->dragged_to = grip.at;
  if (grip.locked || !kg_grip_get_start (&handles, &grip, &self->start))
    return;
  self->dragging = true;
  self->turned = 0;
  if (map (p, grip.at, &at)) {
    self->grab_x = at.x - x;
    self->grab_y = at.y - y;
  }
  if (grip.shape == KG_GRIP_RING)
    self->dragging = kg_ray_meet_plane (&ray, grip.at, grip.direction, &self->grab_at);
  else if (grip.shape != KG_GRIP_POINT)
    self->dragging = kg_ray_meet_line (&ray, grip.at, grip.direction, &self->grab_along);
  if (!self->dragging)
    kg_value_clear (&self->start);
}

bool
kg_handle_view_press (KgHandleView *self, const KgProjection *p, double x, double y)
{
  KgGrip grip;

  kg_handle_view_release (self);
  self->has_active = pick (self, p, (Place){ x, y }, &grip);
  if (self->has_active && grip.kind == KG_HANDLE_PARTS)
    self->active = grip;
  else if (self->has_active)
    take (self, p, x, y, grip);
  return self->has_active;
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
  g_autoptr (GArray) grips = find_grips (self);

  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);

    if (grip->shape == KG_GRIP_POINT && grip->slot == slot && grip->row == (int) row) {
      *point = *grip;
      return true;
    }
  }
  return false;
}

/* The active one as it is now. */
static bool
find_active (KgHandleView *self, KgGrip *grip)
{
  g_autoptr (GArray) grips = find_grips (self);
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
  return find_active (self, point) && is_figure_point (point);
}

/* Where a pixel is on what is flat, in its plane z = at.z; otherwise, and where that is looked at from its edge, in the
 * plane through at that faces the camera. */
static KgVector
find_place (const KgProjection *p, double x, double y, KgVector at, bool flat)
{
  const KgRay ray = kg_projection_get_ray (p, x, y);
  KgVector meeting;

  if (flat && fabs (ray.direction.z) > LEAST_FLAT && kg_ray_meet_plane (&ray, at, kg_vector (0, 0, 1), &meeting) &&
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
    return false;
  if (pick (self, p, (Place){ x, y }, &grip) && is_figure_point (&grip)) {
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

static void
open_group (KgHandleView *self)
{
  if (self->group_open)
    return;
  kg_graph_begin_group (kg_document_get_graph (self->document), _ ("Drag in view"));
  self->group_open = true;
}

static bool
move_to (KgHandleView *self, const KgHandles *handles, const KgProjection *p, const KgGrip *grip, const KgValue *start,
         KgVector to, KgHandleModifiers modifiers, GError **error)
{
  const double metres = kg_projection_get_metres (p, grip->at), snap = kg_handles_get_snap (metres);
  const KgVector snapped = modifiers.snap ? kg_handles_snap (to, snap) : to;
  const int decimals = kg_handles_get_decimals (metres);

  if (grip->shape == KG_GRIP_AXIS && modifiers.snap) {
    /* Only along the arrow. */
    const KgVector d = grip->direction;

    to = kg_vector (d.x != 0 ? snapped.x : to.x, d.y != 0 ? snapped.y : to.y, d.z != 0 ? snapped.z : to.z);
  } else
    to = snapped;
  /* Snapped places are round already, and coarser than a pixel. */
  self->dragged_to = kg_handles_round (to, grip->at, modifiers.snap ? decimals + 1 : decimals);
  return kg_grip_move (handles, grip, start, self->dragged_to, modifiers.snap ? decimals + 1 : decimals,
                       modifiers.apart, error);
}

bool
kg_handle_view_drag (KgHandleView *self, const KgProjection *p, double x, double y, KgHandleModifiers modifiers,
                     GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  const KgRay ray = kg_projection_get_ray (p, x, y);
  const KgGrip *grip = &self->grip;
  KgVector meeting;
  double along;

  /* Its node may have gone meanwhile. */
  if (!self->dragging || handles.node != grip->node)
    return true;
  if (grip->kind == KG_HANDLE_GRAB) {
    const KgVector to = find_place (p, x + self->grab_x, y + self->grab_y, grip->at, is_in_plane (&handles, grip));

    self->dragged_to =
        kg_handles_round (to, kg_vector (0, 0, 0), kg_handles_get_decimals (kg_projection_get_metres (p, grip->at)));
    return kg_grab_hold (self->grab, grip, self->dragged_to, error);
  }
  open_group (self);
  switch (grip->shape) {
  case KG_GRIP_RING:
    if (!kg_ray_meet_plane (&ray, grip->at, grip->direction, &meeting))
      return true;
    /* Piece by piece, so that it may go round more than once. */
    self->turned += kg_angle_about (grip->at, grip->direction, self->grab_at, meeting);
    self->grab_at = meeting;
    return kg_grip_turn (&handles, grip, &self->start, self->turned, modifiers.snap ? TURN_SNAP : TURN_STEP, error);
  case KG_GRIP_FACTOR:
    if (!kg_ray_meet_line (&ray, grip->at, grip->direction, &along) || self->grab_along == 0)
      return true;
    return kg_grip_scale (&handles, grip, &self->start, along / self->grab_along,
                          modifiers.snap ? FACTOR_SNAP : FACTOR_STEP, error);
  case KG_GRIP_AXIS:
    if (!kg_ray_meet_line (&ray, grip->at, grip->direction, &along))
      return true;
    return move_to (self, &handles, p, grip, &self->start,
                    kg_vector_add_scaled (grip->at, along - self->grab_along, grip->direction), modifiers, error);
  case KG_GRIP_POINT:
  default:
    return move_to (self, &handles, p, grip, &self->start,
                    find_place (p, x + self->grab_x, y + self->grab_y, grip->at, is_in_plane (&handles, grip)),
                    modifiers, error);
  }
}

void
kg_handle_view_release (KgHandleView *self)
{
  if (self->dragging)
    kg_value_clear (&self->start);
  self->dragging = false;
  kg_grab_release (self->grab);
  if (self->group_open) {
    self->group_open = false;
    kg_graph_end_group (kg_document_get_graph (self->document));
  }
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
  g_autoptr (GArray) grips = find_grips (self);
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

bool
kg_handle_view_nudge (KgHandleView *self, const KgProjection *p, double right, double up, double away,
                      KgHandleModifiers modifiers, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_auto (KgValue) start = KG_VALUE_INIT;
  double metres, along;
  KgVector to;
  KgGrip grip;

  if (!find_active (self, &grip) || !kg_grip_get_start (&handles, &grip, &start))
    return true;
  metres = kg_projection_get_metres (p, grip.at);
  /* Arrow keys turn and scale by what they move: to the right and up is more. */
  along = fabs (right) > fabs (up) ? right : up;
  if (grip.shape == KG_GRIP_RING)
    return kg_grip_turn (&handles, &grip, &start, along * KG_DEGREE, modifiers.snap ? TURN_SNAP : TURN_STEP, error);
  if (grip.shape == KG_GRIP_FACTOR)
    return kg_grip_scale (&handles, &grip, &start, 1 + FACTOR_STEP * along, modifiers.snap ? FACTOR_SNAP : FACTOR_STEP,
                          error);
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
  return move_to (self, &handles, p, &grip, &start, to, modifiers, error);
}

/* Points of lists. */

static bool
is_point_of_list (const KgGrip *grip)
{
  return grip->shape == KG_GRIP_POINT && grip->kind == KG_HANDLE_POINTS && !grip->locked;
}

bool
kg_handle_view_insert (KgHandleView *self, const KgProjection *p, double x, double y, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  g_autoptr (GArray) grips = find_grips (self);
  const KgVector origin = { 0, 0, 0 };
  const KgGrip *last = NULL, *after = NULL;
  double nearest = INFINITY;
  KgGrip behind;
  KgVector near_to = { 0, 0, 0 };
  Place a, b;
  guint row;

  /* Figures are no lines: a point by itself. */
  if (kg_figure_find_points (handles.node) >= 0)
    return kg_figure_add_point (&handles, NULL, find_place (p, x, y, origin, kg_figure_is_flat (&handles)),
                                kg_handles_get_decimals (kg_projection_get_metres (p, origin)), &row, error);
  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);
    double along, distance;

    if (!is_point_of_list (grip) || grip->minor)
      continue;
    if (after == NULL) {
      after = grip;
      near_to = grip->at;
    }
    if (last != NULL && last->slot == grip->slot && map (p, last->at, &a) && map (p, grip->at, &b)) {
      distance = get_distance_to_piece ((Place){ x, y }, a, b, &along);
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
  g_autoptr (GArray) grips = find_grips (self);
  KgVector at;
  KgGrip grip;

  if (!find_active (self, &grip) || !is_point_of_list (&grip))
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

    if (is_point_of_list (next) && !next->minor && next->slot == grip.slot && next->row > grip.row) {
      at = kg_vector_lerp (grip.at, next->at, 0.5);
      break;
    }
  }
  return kg_grip_insert_point (&handles, &grip, at, kg_handles_get_decimals (kg_projection_get_metres (p, grip.at)),
                               error);
}

bool
kg_handle_view_remove (KgHandleView *self, GError **error)
{
  const KgHandles handles = kg_handle_view_get_handles (self);
  const KgGrip *active = kg_handle_view_get_active (self);

  if (active == NULL || !is_point_of_list (active) || !kg_grip_remove_point (&handles, active, error))
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

  if (!find_active (self, &grip))
    return NULL;
  slot = kg_node_get_slot (grip.node, grip.slot);
  if (grip.axis >= 0 && kg_grip_get_start (&handles, &grip, &value) && value.kind == KG_VECTOR) {
    const double x[] = { value.vector.x, value.vector.y, value.vector.z };

    return g_strdup_printf ("%s %s  %g", kg_type_translate (slot->label), names[grip.axis], x[grip.axis]);
  }
  /* Numbers of figures stand in their texts, and count from 0. */
  if (grip.kind == KG_HANDLE_PARTS)
    return g_strdup_printf (grip.bone ? _ ("Point %d") : _ ("Part %d"), grip.row);
  if (is_figure_point (&grip) || grip.kind == KG_HANDLE_GRAB)
    return g_strdup_printf (_ ("Point %d  %g, %g, %g"),
                            grip.kind == KG_HANDLE_GRAB ? grip.row : (int) kg_figure_get_number (&handles, &grip),
                            grip.at.x, grip.at.y, grip.at.z);
  if (grip.kind == KG_HANDLE_POINTS)
    return g_strdup_printf (_ ("Point %d  %g, %g, %g"), grip.row + 1, grip.at.x, grip.at.y, grip.at.z);
  if (grip.kind == KG_HANDLE_MOVES)
    return g_strdup_printf (_ ("Point %d %d %d  %.4g, %.4g, %.4g"), grip.cell[0], grip.cell[1], grip.cell[2], grip.at.x,
                            grip.at.y, grip.at.z);
  if (grip.kind == KG_HANDLE_TANGENTS || grip.kind == KG_HANDLE_INCOMING)
    return g_strdup_printf ("%s %d", kg_type_translate (slot->label), grip.row + 1);
  shown = kg_grip_get_vector (&grip);
  return g_strdup_printf ("%s  %.4g, %.4g, %.4g", kg_type_translate (slot->label), shown.x, shown.y, shown.z);
}
