/* kg-outline-edit: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-outline-edit.h"

#include "config.h"
#include "image/roto.h"
#include "kg-handles-private.h"
#include "kg-input-table.h"
#include "kg-key-edit.h"

#include <glib/gi18n.h>

enum {
  COLUMN_X,
  COLUMN_Y,
  COLUMN_FEATHER,
  COLUMN_IN_X,
  COLUMN_IN_Y,
  COLUMN_OUT_X,
  COLUMN_OUT_Y,
  COLUMN_SHAPE,
  N_COLUMNS
};

/* More points than anyone drags by hand. */
#define MAX_POINTS 4096

/* The handle of a feather of 0 stands so far outside, in shares of the size of the outline. */
#define FEATHER_BASE 0.08

int
kg_outline_find_slot (const KgHandles *handles)
{
  for (guint i = 0; handles->node != NULL && i < kg_node_get_n_slots (handles->node); i++)
    if (kg_handles_get_kind (kg_node_get_slot (handles->node, i)) == KG_HANDLE_OUTLINE &&
        kg_handles_is_used (handles, i))
      return (int) i;
  return -1;
}

/* Other inputs that say where the outlines are. */

/* Angles that are evaluated are in radians. */
static bool
get_number (const KgHandles *handles, const char *name, double fallback, double *x)
{
  const int slot = name != NULL ? kg_node_find_slot (handles->node, name) : -1;
  const double frame = kg_document_get_frame (handles->document);
  const KgValue *known;
  g_auto (KgValue) value = KG_VALUE_INIT;

  *x = fallback;
  if (slot < 0)
    return true;
  if (kg_input_get_value (handles->node, (guint) slot, frame, &value)) {
    kg_value_get_component (&value, NULL, x);
    if (kg_node_get_slot (handles->node, (guint) slot)->unit == KG_DEGREES)
      *x *= KG_DEGREE;
    return true;
  }
  known = kg_handles_look_up (handles, (guint) slot);
  return known != NULL && kg_value_get_component (known, NULL, x);
}

bool
kg_outline_get_frame (const KgHandles *handles, guint slot, double *scale, double *turn, KgVector *offset)
{
  const KgViewHandle *handle = &kg_node_get_slot (handles->node, slot)->handle;
  const int move = handle->anchor != NULL ? kg_node_find_slot (handles->node, handle->anchor) : -1;
  g_auto (KgValue) value = KG_VALUE_INIT;

  *offset = kg_vector (0, 0, 0);
  if (!get_number (handles, handle->factor, 1, scale) || !get_number (handles, handle->turn, 0, turn))
    return false;
  if (move >= 0) {
    if (!kg_handles_get_value (handles, (guint) move, &value) || value.kind != KG_VECTOR)
      return false;
    *offset = value.vector;
  }
  /* What is scaled to nothing cannot be dragged. */
  return isfinite (*scale) && *scale != 0;
}

void
kg_outline_add_wanted (const KgHandles *handles, guint slot, GPtrArray *wanted)
{
  const KgViewHandle *handle = &kg_node_get_slot (handles->node, slot)->handle;
  const char *const names[] = { handle->anchor, handle->factor, handle->turn };
  g_autofree char *path = kg_node_dup_path (handles->node);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const int input = names[i] != NULL ? kg_node_find_slot (handles->node, names[i]) : -1;
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (input >= 0 &&
        !kg_input_get_value (handles->node, (guint) input, kg_document_get_frame (handles->document), &value))
      g_ptr_array_add (wanted, g_strdup_printf ("%s.%s", path, names[i]));
  }
}

/* Rows. */

/* (transfer full) (nullable) The rows, if they are those of outlines. */
static KgTable *
dup_rows (const KgHandles *handles, guint slot)
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, slot);

  return rows != NULL && kg_table_get_n_columns (rows) == N_COLUMNS ? g_steal_pointer (&rows) : NULL;
}

/* The rows of the outline that a row is in: first, and end behind it. */
static void
find_shape (const KgTable *rows, size_t row, size_t *first, size_t *end)
{
  const double shape = kg_table_get_row (rows, row)[COLUMN_SHAPE];

  *first = row;
  *end = row + 1;
  while (*first > 0 && kg_table_get_row (rows, *first - 1)[COLUMN_SHAPE] == shape)
    --*first;
  while (*end < kg_table_get_n_rows (rows) && kg_table_get_row (rows, *end)[COLUMN_SHAPE] == shape)
    ++*end;
}

static KgVector
get_point (const KgTable *rows, size_t row)
{
  const double *x = kg_table_get_row (rows, row);

  return kg_vector (x[COLUMN_X], x[COLUMN_Y], 0);
}

/* Unit, away from the inside, across the line from the point before to the one behind. */
static KgVector
get_outside (const KgTable *rows, size_t row)
{
  size_t first, end;
  double area = 0;
  KgVector along;

  find_shape (rows, row, &first, &end);
  for (size_t i = first; i < end; i++) {
    const KgVector a = get_point (rows, i), b = get_point (rows, i + 1 < end ? i + 1 : first);

    area += a.x * b.y - a.y * b.x;
  }
  along = kg_vector_subtract (get_point (rows, row + 1 < end ? row + 1 : first),
                              get_point (rows, row > first ? row - 1 : end - 1));
  along = kg_vector_normalize_or (along, kg_vector (1, 0, 0));
  return area >= 0 ? kg_vector (along.y, -along.x, 0) : kg_vector (-along.y, along.x, 0);
}

/* From the point to the handle of a feather of 0. */
static double
get_feather_base (const KgTable *rows, size_t row)
{
  size_t first, end;
  double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;

  find_shape (rows, row, &first, &end);
  for (size_t i = first; i < end; i++) {
    const KgVector at = get_point (rows, i);

    left = fmin (left, at.x);
    right = fmax (right, at.x);
    low = fmin (low, at.y);
    high = fmax (high, at.y);
  }
  return FEATHER_BASE * fmax (hypot (right - left, high - low), 1e-6);
}

/* In the units of the table. */
static double
get_feather (const KgHandles *handles, const KgTable *rows, size_t row, double scale)
{
  const double typed = kg_table_get_row (rows, row)[COLUMN_FEATHER];
  double general;

  get_number (handles, "feather", 0, &general);
  return (isnan (typed) ? general : typed) / fabs (scale);
}

/* Outlines are smooth unless the input that says so has the choice "polygon". */
static bool
is_smooth (const KgHandles *handles, guint slot)
{
  const char *when = kg_node_get_slot (handles->node, slot)->handle.when;

  return when == NULL || !kg_handles_holds (handles, when);
}

/* Points of an outline and their tangents, in units of the table that are scaled. */
static void
read_shape (const KgTable *rows, size_t first, size_t end, double scale, GArray *points, GArray *tangents)
{
  for (size_t i = first; i < end; i++) {
    const double *row = kg_table_get_row (rows, i);
    const RotoPoint point = { kg_clamp (row[COLUMN_X] * scale, -1e7, 1e7), kg_clamp (row[COLUMN_Y] * scale, -1e7, 1e7),
                              0 };
    const RotoTangents own = { row[COLUMN_IN_X] * scale, row[COLUMN_IN_Y] * scale, row[COLUMN_OUT_X] * scale,
                               row[COLUMN_OUT_Y] * scale };

    g_array_append_val (points, point);
    g_array_append_val (tangents, own);
  }
}

/* From the point to one of its handles, as the curve has it. */
static KgVector
get_tangent (const KgTable *rows, size_t row, int side)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (RotoPoint));
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (RotoTangents));
  size_t first, end;
  RotoTangents found;

  find_shape (rows, row, &first, &end);
  read_shape (rows, first, end, 1, points, own);
  found = roto_get_tangents ((const RotoPoint *) (void *) points->data, (const RotoTangents *) (void *) own->data,
                             points->len, (guint) (row - first));
  return side == KG_OUTLINE_IN ? kg_vector (found.in_x, found.in_y, 0) : kg_vector (found.out_x, found.out_y, 0);
}

static void
add_tangents (const KgTable *rows, size_t row, const KgGrip *point, GArray *grips)
{
  for (int side = KG_OUTLINE_IN; side <= KG_OUTLINE_OUT; side += KG_OUTLINE_OUT - KG_OUTLINE_IN) {
    KgGrip grip = *point;

    grip.axis = side;
    grip.anchor = point->at;
    grip.stem = grip.minor = true;
    grip.at = kg_vector_add (point->at, get_tangent (rows, row, side));
    g_array_append_val (grips, grip);
  }
}

void
kg_outline_add_grips (const KgHandles *handles, GArray *grips, guint slot, const KgGrip *active)
{
  const bool locked = !kg_handles_is_free (handles->node, slot);
  g_autoptr (KgTable) rows = dup_rows (handles, slot);
  const size_t n = rows != NULL ? MIN (kg_table_get_n_rows (rows), MAX_POINTS) : 0;
  double scale, turn;
  KgVector offset;

  if (!kg_outline_get_frame (handles, slot, &scale, &turn, &offset))
    return;
  for (size_t row = 0; row < n; row++) {
    KgGrip grip = { .node = handles->node,
                    .slot = slot,
                    .kind = KG_HANDLE_OUTLINE,
                    .row = (int) row,
                    .axis = -1,
                    .at = get_point (rows, row),
                    .locked = locked };

    grip.anchor = grip.at;
    g_array_append_val (grips, grip);
  }
  if (active == NULL || active->slot != slot || active->row < 0 || (size_t) active->row >= n || locked)
    return;
  {
    const size_t row = (size_t) active->row;
    const double reach = get_feather_base (rows, row) + get_feather (handles, rows, row, scale);
    KgGrip grip = { .node = handles->node,
                    .slot = slot,
                    .kind = KG_HANDLE_OUTLINE,
                    .row = active->row,
                    .axis = KG_OUTLINE_FEATHER,
                    .anchor = get_point (rows, row),
                    .stem = true,
                    .minor = true };

    grip.at = kg_vector_add_scaled (grip.anchor, reach, get_outside (rows, row));
    g_array_append_val (grips, grip);
    if (is_smooth (handles, slot)) {
      KgGrip point = grip;

      point.at = grip.anchor;
      add_tangents (rows, row, &point, grips);
    }
  }
}

GPtrArray *
kg_outline_find_lines (const KgHandles *handles, guint slot)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (KgTable) rows = dup_rows (handles, slot);
  const size_t n = rows != NULL ? MIN (kg_table_get_n_rows (rows), MAX_POINTS) : 0;
  const bool smooth = is_smooth (handles, slot);
  double scale, turn;
  KgVector offset;

  if (!kg_outline_get_frame (handles, slot, &scale, &turn, &offset))
    return lines;
  for (size_t first = 0, end; first < n; first = end) {
    g_autoptr (GArray) corners = g_array_new (FALSE, FALSE, sizeof (RotoPoint)), round = NULL;
    g_autoptr (GArray) tangents = g_array_new (FALSE, FALSE, sizeof (RotoTangents));
    GArray *line = g_array_new (FALSE, FALSE, sizeof (KgVector));
    const GArray *drawn;
    size_t start;

    find_shape (rows, first, &start, &end);
    end = MIN (end, n);
    /* In pixels, of which the technique makes its lines. */
    read_shape (rows, first, end, scale, corners, tangents);
    if (smooth)
      round = roto_bend ((const RotoPoint *) (void *) corners->data, (const RotoTangents *) (void *) tangents->data,
                         corners->len);
    drawn = smooth ? round : corners;
    for (guint i = 0; i <= drawn->len && drawn->len > 0; i++) {
      const RotoPoint *point = &g_array_index (drawn, RotoPoint, i % drawn->len);
      const KgVector at = kg_vector (point->x / scale, point->y / scale, 0);

      g_array_append_val (line, at);
    }
    g_ptr_array_add (lines, line);
  }
  return lines;
}

/* Editing. */

static bool
set_tangent (const KgHandles *handles, const KgGrip *grip, int side, KgVector to, GError **error)
{
  const int column = side == KG_OUTLINE_IN ? COLUMN_IN_X : COLUMN_OUT_X;

  return kg_handles_set_cell (handles, grip->slot, grip->row, column, to.x, error) &&
         kg_handles_set_cell (handles, grip->slot, grip->row, column + 1, to.y, error);
}

/* The two lie on a line, one on each side. */
static bool
is_straight (KgVector a, KgVector b)
{
  const double lengths = kg_vector_length (a) * kg_vector_length (b);

  return lengths > 0 && kg_vector_dot (a, b) < -0.9999 * lengths;
}

static bool
move_tangent (const KgHandles *handles, const KgGrip *grip, const KgTable *rows, KgVector to, int decimals, bool apart,
              GError **error)
{
  const size_t row = (size_t) grip->row;
  const int other = grip->axis == KG_OUTLINE_IN ? KG_OUTLINE_OUT : KG_OUTLINE_IN;
  const KgVector zero = { 0, 0, 0 }, was = get_tangent (rows, row, grip->axis), beside = get_tangent (rows, row, other);
  const KgVector now = kg_handles_round (kg_vector_subtract (to, get_point (rows, row)), zero, decimals);

  if (!set_tangent (handles, grip, grip->axis, now, error))
    return false;
  /* The one on the other side keeps its length.  A tangent of no length has no direction. */
  if (apart || !is_straight (was, beside) || kg_vector_length (now) == 0)
    return apart || !is_straight (was, beside) || set_tangent (handles, grip, other, beside, error);
  return set_tangent (
      handles, grip, other,
      kg_handles_round (kg_vector_scale (now, -kg_vector_length (beside) / kg_vector_length (now)), zero, decimals + 1),
      error);
}

bool
kg_outline_reset_tangent (const KgHandles *handles, const KgGrip *grip, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);
  g_autoptr (KgTable) rows = dup_rows (handles, grip->slot);

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  if (rows == NULL || grip->row < 0 || (size_t) grip->row >= kg_table_get_n_rows (rows))
    return true;
  kg_graph_begin_group (graph, _ ("Reset tangent"));
  return kg_graph_close_group (graph, set_tangent (handles, grip, grip->axis, kg_vector (NAN, NAN, 0), error));
}

bool
kg_outline_move (const KgHandles *handles, const KgGrip *grip, KgVector to, int decimals, bool apart, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);
  g_autoptr (KgTable) rows = dup_rows (handles, grip->slot);
  double scale, turn;
  KgVector offset, old;
  bool good = true;

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  if (rows == NULL || (size_t) grip->row >= kg_table_get_n_rows (rows) ||
      !kg_outline_get_frame (handles, grip->slot, &scale, &turn, &offset))
    return true;
  old = get_point (rows, (size_t) grip->row);
  kg_graph_begin_group (graph, _ ("Move point"));
  if (grip->axis == KG_OUTLINE_FEATHER) {
    const double reach = kg_vector_dot (kg_vector_subtract (to, old), get_outside (rows, (size_t) grip->row)) -
                         get_feather_base (rows, (size_t) grip->row);

    good = kg_handles_set_cell (handles, grip->slot, grip->row, COLUMN_FEATHER,
                                kg_handles_round_number (reach * fabs (scale), MAX (0, decimals)), error);
  } else if (grip->axis == KG_OUTLINE_IN || grip->axis == KG_OUTLINE_OUT)
    good = move_tangent (handles, grip, rows, to, decimals, apart, error);
  else {
    to = kg_handles_round (to, old, decimals);
    good = (to.x == old.x || kg_handles_set_cell (handles, grip->slot, grip->row, COLUMN_X, to.x, error)) &&
           (to.y == old.y || kg_handles_set_cell (handles, grip->slot, grip->row, COLUMN_Y, to.y, error));
  }
  return kg_graph_close_group (graph, good);
}

/* The cell of a new row: a number, or the keys of the row before, moved. */
static bool
place_cell (const KgHandles *handles, guint slot, int row, int column, double x, GError **error)
{
  const KgKeyed cell = { handles->node, slot, row, column };
  KgChannel *keys = kg_keyed_get_channel (&cell);
  g_autoptr (GByteArray) marks = NULL;
  KgChannel *moved;
  double was;
  bool good;

  if (keys == NULL)
    return kg_keyed_set_number (&cell, x, error);
  kg_channel_evaluate (keys, kg_document_get_frame (handles->document), &was);
  marks = kg_key_marks_new (keys, true);
  moved = kg_key_edit_move (keys, marks, 0, x - was, false);
  good = kg_keyed_set_channel (&cell, moved, error);
  kg_channel_unref (moved);
  return good;
}

bool
kg_outline_insert (const KgHandles *handles, const KgGrip *grip, KgVector at, int decimals, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, grip->slot);
  const guint n = rows != NULL ? (guint) kg_table_get_n_rows (rows) : 0, row = (guint) grip->row;
  bool good;

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  if (grip->row < 0 || row >= n)
    return true;
  at = kg_handles_round (at, kg_vector (0, 0, 0), decimals);
  kg_graph_begin_group (graph, _ ("Add point"));
  good = kg_handles_copy_row (handles, grip->slot, grip->row, error) &&
         place_cell (handles, grip->slot, grip->row + 1, COLUMN_X, at.x, error) &&
         place_cell (handles, grip->slot, grip->row + 1, COLUMN_Y, at.y, error);
  /* It has the tangents of a smooth curve to begin with, not those of another place. */
  for (int column = COLUMN_IN_X; good && column <= COLUMN_OUT_Y; column++)
    good = kg_keyed_set_number (&(KgKeyed){ handles->node, grip->slot, grip->row + 1, column }, NAN, error);
  return kg_graph_close_group (graph, good);
}

bool
kg_outline_remove (const KgHandles *handles, const KgGrip *grip, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  kg_graph_begin_group (graph, _ ("Remove point"));
  return kg_graph_close_group (graph, kg_handles_drop_row (handles, grip->slot, grip->row, error));
}
