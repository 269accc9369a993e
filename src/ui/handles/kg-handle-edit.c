/* kg-handle-edit: what moving handles writes into inputs; see kg-handles.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "text/points_text.h"
#include "kg-body-edit.h"
#include "kg-figure-edit.h"
#include "kg-handles-private.h"
#include "kg-input-value.h"
#include "kg-lines-edit.h"
#include "kg-outline-edit.h"

#include <glib/gi18n.h>

static bool
set_value (const KgHandles *handles, guint slot, const KgValue *value, GError **error)
{
  return kg_input_set_value (handles->node, slot, kg_document_get_frame (handles->document), value,
                             kg_document_get_auto_key (handles->document), error);
}

bool
kg_handles_set_text (const KgHandles *handles, guint slot, const char *text, GError **error)
{
  g_auto (KgValue) value = kg_value_text (text);

  return set_value (handles, slot, &value, error);
}

/* (transfer full) (nullable) */
static char *
dup_text (const KgHandles *handles, guint slot)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  return kg_handles_get_own_value (handles, slot, &value) && value.kind == KG_TEXT ? g_strdup (value.text) : NULL;
}

/* The first input of a kind that is anchored where another one is. */
static int
find_anchored (KgNode *node, KgHandleKind kind, int anchor)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    if (kg_handles_get_kind (kg_node_get_slot (node, i)) == kind && kg_handles_get_anchor (node, i) == anchor)
      return (int) i;
  return -1;
}

/* A tangent that follows the one on the other side is that one, turned round. */
static bool
follows_other_side (const KgHandles *handles, const KgGrip *grip, const char *text, int *other)
{
  KgVector row;

  *other = grip->kind == KG_HANDLE_INCOMING
               ? find_anchored (grip->node, KG_HANDLE_TANGENTS, kg_handles_get_anchor (grip->node, grip->slot))
               : -1;
  return *other >= 0 && !kg_handles_get_row (text, (guint) grip->row, &row) &&
         kg_handles_is_free (handles->node, (guint) *other);
}

bool
kg_grip_get_start (const KgHandles *handles, const KgGrip *grip, KgValue *start)
{
  if (!grip->locked && grip->kind == KG_HANDLE_BODIES)
    return kg_body_get_start (handles, grip, start);
  return !grip->locked && kg_handles_get_own_value (handles, grip->slot, start);
}

/* The number written for a metre from the anchor. */
static double
get_size_factor (const KgGrip *grip)
{
  return grip->kind == KG_HANDLE_SIZE ? 2 : 1;
}

static bool
is_from_anchor (const KgGrip *grip)
{
  return grip->kind == KG_HANDLE_STEP || grip->kind == KG_HANDLE_SIZE;
}

KgVector
kg_grip_get_vector (const KgGrip *grip)
{
  return is_from_anchor (grip) ? kg_vector_scale (kg_vector_subtract (grip->at, grip->anchor), get_size_factor (grip))
                               : grip->at;
}

KgVector
kg_grip_get_place (const KgGrip *grip, KgVector vector)
{
  return is_from_anchor (grip) ? kg_vector_add_scaled (grip->anchor, 1 / get_size_factor (grip), vector) : vector;
}

/* (transfer full) Flat points stay flat, and heavy ones heavy. */
static char *
set_point (const char *text, guint row, KgVector to)
{
  double old[4] = { 0 };
  guint n = 0;

  points_text_get_row (text, row, 4, old, &n);
  {
    const double x[] = { to.x, to.y, to.z, old[3] };

    return points_text_set_row (text, row, x, n == 4 ? 4 : n == 2 && to.z == 0 ? 2 : 3);
  }
}

static bool
move_point (const KgHandles *handles, const KgGrip *grip, const char *text, KgVector to, int decimals, GError **error)
{
  const KgSlot *slot = kg_node_get_slot (grip->node, grip->slot);
  const bool thirds = kg_handles_holds (handles, slot->handle.when);
  g_autofree char *moved = set_point (text, (guint) grip->row, to);

  /* A point on the curve takes its handles along. */
  for (int row = grip->row - 1; thirds && grip->row % 3 == 0 && row <= grip->row + 1; row += 2) {
    KgVector at;
    char *next;

    if (row < 0 || !kg_handles_get_row (text, (guint) row, &at))
      continue;
    next = set_point (moved, (guint) row,
                      kg_handles_round (kg_vector_add (at, kg_vector_subtract (to, grip->at)), at, decimals));
    g_free (moved);
    moved = next;
  }
  return kg_handles_set_text (handles, grip->slot, moved, error);
}

static bool
move_tangent (const KgHandles *handles, const KgGrip *grip, const char *start, KgVector to, int decimals, bool apart,
              GError **error)
{
  g_autofree char *text = g_strdup (start), *other_text = NULL;
  KgVector tangent = kg_vector_subtract (to, grip->anchor);
  guint slot = grip->slot;
  double scale;
  int other;

  if (!apart && follows_other_side (handles, grip, start, &other)) {
    slot = (guint) other;
    tangent = kg_vector_scale (tangent, -1);
    other_text = dup_text (handles, slot);
    if (other_text == NULL)
      return false;
    g_free (text);
    text = g_steal_pointer (&other_text);
  }
  scale = kg_handles_get_tangent_scale (handles, slot, true);
  /* Rows are in the order of the points: those before that are not there yet are written as they are. */
  for (guint row = points_text_get_n_rows (text); row < (guint) grip->row; row++) {
    KgVector before;
    char *next;
    bool typed;

    if (!kg_handles_get_tangent (handles, slot, text, row, &typed, &before))
      return false;
    before = kg_vector_scale (before, kg_handles_get_tangent_scale (handles, slot, false) / scale);
    before = kg_handles_round (before, kg_vector (0, 0, 0), decimals + 1);
    next = set_point (text, row, before);
    g_free (text);
    text = next;
  }
  {
    const KgVector numbers = kg_handles_round (kg_vector_scale (tangent, 1 / scale), kg_vector (0, 0, 0), decimals);
    g_autofree char *moved = set_point (text, (guint) grip->row, numbers);

    return kg_handles_set_text (handles, slot, moved, error);
  }
}

static bool
move_lattice_point (const KgHandles *handles, const KgGrip *grip, const char *text, KgVector to, int decimals,
                    GError **error)
{
  const KgVector by = kg_vector_subtract (to, grip->at);
  double x[6] = { grip->cell[0], grip->cell[1], grip->cell[2], by.x, by.y, by.z };
  const guint n_rows = points_text_get_n_rows (text);
  g_autofree char *moved = NULL;
  guint row, n;

  for (row = 0; row < n_rows; row++) {
    double old[6] = { 0 };

    if (!points_text_get_row (text, row, 6, old, &n) || old[0] != x[0] || old[1] != x[1] || old[2] != x[2])
      continue;
    for (int i = 3; i < 6; i++)
      x[i] += old[i];
    break;
  }
  for (int i = 3; i < 6; i++)
    x[i] = kg_handles_round_number (x[i], decimals);
  /* A row with keys stays when the point comes back. */
  if (x[3] == 0 && x[4] == 0 && x[5] == 0 && kg_node_get_source (handles->node, grip->slot)->kind != KG_SOURCE_TABLE)
    moved = row < n_rows ? points_text_remove_row (text, row) : g_strdup (text);
  else
    moved = points_text_set_row (text, row, x, 6);
  return kg_handles_set_text (handles, grip->slot, moved, error);
}

bool
kg_grip_move (const KgHandles *handles, const KgGrip *grip, const KgValue *start, KgVector to, int decimals, bool apart,
              GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgVector v = kg_vector_subtract (to, grip->anchor);

  if (grip->locked)
    return true;
  if (grip->kind == KG_HANDLE_OUTLINE)
    return kg_outline_move (handles, grip, to, decimals, apart, error);
  if (grip->kind == KG_HANDLE_LINES)
    return kg_lines_move (handles, grip, to, decimals, error);
  if (grip->kind == KG_HANDLE_BODIES)
    return kg_body_move (handles, grip, to, decimals, error);
  if (grip->timed) {
    const KgVector from = grip->kind == KG_HANDLE_PLACE ? kg_vector (0, 0, 0) : grip->anchor;

    value = kg_value_vector (
        kg_handles_round (kg_vector_subtract (to, from), kg_vector_subtract (grip->at, from), decimals));
    return kg_input_set_value (handles->node, grip->slot, grip->frame, &value, true, error);
  }
  if (start->kind == KG_TEXT)
    return grip->kind == KG_HANDLE_MOVES    ? move_lattice_point (handles, grip, start->text, to, decimals, error)
           : grip->kind == KG_HANDLE_POINTS ? move_point (handles, grip, start->text, to, decimals, error)
                                            : move_tangent (handles, grip, start->text, to, decimals, apart, error);
  if (start->kind == KG_TRANSFORM) {
    KgTransform moved = *start->transform;

    kg_transform_set_place (&moved, to);
    value = kg_value_transform (&moved);
    return set_value (handles, grip->slot, &value, error);
  }
  if (start->kind != KG_VECTOR)
    return true;
  if (grip->kind == KG_HANDLE_PLACE)
    v = to;
  else if (grip->kind == KG_HANDLE_SIZE)
    v = kg_vector (2 * fabs (v.x), 2 * fabs (v.y), 2 * fabs (v.z));
  value = kg_value_vector (kg_handles_round (v, start->vector, decimals));
  return set_value (handles, grip->slot, &value, error);
}

/* Turns or scales a transform about its own place. */
static bool
change_transform (const KgHandles *handles, const KgGrip *grip, const KgTransform *start, const KgTransform *by,
                  bool before, GError **error)
{
  const KgVector place = kg_transform_get_place (start);
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgTransform t = *start;

  kg_transform_set_place (&t, kg_vector (0, 0, 0));
  t = before ? kg_transform_multiply (*by, t) : kg_transform_multiply (t, *by);
  kg_transform_set_place (&t, place);
  value = kg_value_transform (&t);
  return set_value (handles, grip->slot, &value, error);
}

/* A multiple of a step, as the number that reads so. */
static double
round_to_step (double x, double step)
{
  return kg_handles_round_number (nearbyint (x / step) * step, MAX (0, (int) ceil (-log10 (step) - 1e-9)));
}

bool
kg_grip_turn (const KgHandles *handles, const KgGrip *grip, const KgValue *start, double angle, double step,
              GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (start->kind == KG_VECTOR) {
    KgVector angles = start->vector;

    *kg_vector_component (&angles, grip->axis) =
        round_to_step (*kg_vector_component (&angles, grip->axis) + angle / KG_DEGREE, step);
    if (grip->kind == KG_HANDLE_BODIES)
      return kg_body_set_angles (handles, grip, angles, error);
    value = kg_value_vector (angles);
    return set_value (handles, grip->slot, &value, error);
  }
  {
    const double rounded = KG_DEGREE * round_to_step (angle / KG_DEGREE, step);
    const KgRotation by = kg_rotation_from_axis_angle (grip->direction, rounded);

    if (start->kind == KG_TRANSFORM) {
      const KgTransform turn = kg_transform_from_parts (kg_vector (0, 0, 0), by, kg_vector (1, 1, 1));

      return change_transform (handles, grip, start->transform, &turn, true, error);
    }
    if (start->kind != KG_ROTATION)
      return true;
    value = kg_value_rotation (kg_rotation_normalize (kg_rotation_multiply (by, start->rotation)));
    return set_value (handles, grip->slot, &value, error);
  }
}

bool
kg_grip_scale (const KgHandles *handles, const KgGrip *grip, const KgValue *start, double factor, double step,
               GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgVector factors = { 1, 1, 1 };

  if (start->kind == KG_TRANSFORM) {
    const double rounded = round_to_step (factor, step);
    KgTransform scale;

    /* A scale of 0 could not be dragged up again. */
    if (rounded == 0)
      return true;
    *kg_vector_component (&factors, grip->axis) = rounded;
    scale = kg_transform_from_parts (kg_vector (0, 0, 0), kg_rotation_identity (), factors);
    return change_transform (handles, grip, start->transform, &scale, false, error);
  }
  if (start->kind != KG_VECTOR)
    return true;
  factors = start->vector;
  {
    double *x = kg_vector_component (&factors, grip->axis);

    *x = round_to_step (fabs (*x) < 1e-6 ? factor - 1 : *x * factor, step);
  }
  value = kg_value_vector (factors);
  return set_value (handles, grip->slot, &value, error);
}

/* Points of a list. */

static bool
is_row_of (KgNode *node, guint slot, int anchor)
{
  const KgHandleKind kind = kg_handles_get_kind (kg_node_get_slot (node, slot));

  return (kind == KG_HANDLE_TANGENTS || kind == KG_HANDLE_INCOMING || kind == KG_HANDLE_ROW_VALUES) &&
         kg_handles_get_anchor (node, slot) == anchor;
}

/* Rows of other inputs stay with their points. */
static bool
shift_rows (const KgHandles *handles, int anchor, guint row, bool insert, GError **error)
{
  for (guint i = 0; i < kg_node_get_n_slots (handles->node); i++) {
    g_autofree char *text = NULL, *changed = NULL;
    double x[6];
    guint n = 0;

    if (!is_row_of (handles->node, i, anchor) || !kg_handles_is_free (handles->node, i))
      continue;
    text = dup_text (handles, i);
    if (text == NULL || row >= points_text_get_n_rows (text) || !points_text_get_row (text, row, 6, x, &n))
      continue;
    changed = insert ? points_text_insert_row (text, row, x, n) : points_text_remove_row (text, row);
    if (!kg_handles_set_text (handles, i, changed, error))
      return false;
  }
  return true;
}

static char *
insert_point (const char *text, guint row, KgVector at, bool flat)
{
  const double x[] = { at.x, at.y, at.z };

  return points_text_insert_row (text, row, x, flat && at.z == 0 ? 2 : 3);
}

static KgVector
extrapolate (KgVector from, KgVector to)
{
  return kg_vector_add (to, kg_vector_subtract (to, from));
}

/* A point on the curve with its two handles, after point row. */
static char *
insert_knot (const char *text, int row, KgVector at, bool flat, int decimals)
{
  const guint n = points_text_get_n_rows (text);
  KgVector here = at, next = at, before = at, added[3];
  guint place;
  char *out = g_strdup (text);

  if (row >= 0)
    kg_handles_get_row (text, (guint) row, &here);
  if (row >= 0 && (guint) row + 3 < n) {
    /* Between two points: its own handles along the chord; those of the neighbours stay. */
    kg_handles_get_row (text, (guint) row + 3, &next);
    added[0] = kg_vector_add_scaled (at, -0.25, kg_vector_subtract (next, here));
    added[1] = at;
    added[2] = kg_vector_add_scaled (at, 0.25, kg_vector_subtract (next, here));
    place = (guint) row + 2;
  } else if (row >= 0) {
    if (row > 0 && kg_handles_get_row (text, (guint) row - 1, &before))
      added[0] = extrapolate (before, here);
    else
      added[0] = kg_vector_lerp (here, at, KG_BEZIER_THIRD);
    added[1] = kg_vector_lerp (here, at, 2 * KG_BEZIER_THIRD);
    added[2] = at;
    place = (guint) row + 1;
  } else {
    kg_handles_get_row (text, 0, &here);
    added[0] = at;
    added[1] = kg_vector_lerp (at, here, KG_BEZIER_THIRD);
    added[2] = n > 1 && kg_handles_get_row (text, 1, &before) ? extrapolate (before, here)
                                                              : kg_vector_lerp (at, here, 2 * KG_BEZIER_THIRD);
    place = 0;
  }
  for (guint i = 0; i < 3; i++) {
    char *changed = insert_point (out, place + i, kg_handles_round (added[i], kg_vector (0, 0, 0), decimals), flat);

    g_free (out);
    out = changed;
  }
  return out;
}

bool
kg_grip_insert_point (const KgHandles *handles, const KgGrip *grip, KgVector at, int decimals, GError **error)
{
  const KgSlot *slot = kg_node_get_slot (grip->node, grip->slot);
  const bool thirds = kg_handles_holds (handles, slot->handle.when);
  g_autofree char *text = grip->locked || grip->kind != KG_HANDLE_POINTS ? NULL : dup_text (handles, grip->slot);
  g_autofree char *changed = NULL;
  KgGraph *graph = kg_node_get_parent (grip->node);
  double x[3];
  bool flat, good;
  guint n;

  if (grip->kind == KG_HANDLE_OUTLINE)
    return kg_outline_insert (handles, grip, at, decimals, error);
  if (grip->kind == KG_HANDLE_LINES)
    return kg_lines_insert (handles, grip, at, decimals, error);
  if (grip->kind == KG_HANDLE_BODIES)
    return kg_body_insert (handles, grip, at, decimals, error);
  if (text == NULL)
    return false;
  flat = !points_text_get_row (text, 0, 3, x, &n) || n == 2;
  at = kg_handles_round (at, kg_vector (0, 0, 0), decimals);
  changed = thirds ? insert_knot (text, grip->row < 0 ? -1 : grip->row - grip->row % 3, at, flat, decimals)
                   : insert_point (text, (guint) (grip->row + 1), at, flat);
  kg_graph_begin_group (graph, _ ("Add point"));
  good = kg_handles_set_text (handles, grip->slot, changed, error) &&
         shift_rows (handles, (int) grip->slot, (guint) (grip->row + 1), true, error) &&
         kg_figure_renumber (handles, (int) grip->slot, (guint) (grip->row + 1), true, error);
  return kg_graph_close_group (graph, good);
}

bool
kg_grip_remove_point (const KgHandles *handles, const KgGrip *grip, GError **error)
{
  const KgSlot *slot = kg_node_get_slot (grip->node, grip->slot);
  const bool thirds = kg_handles_holds (handles, slot->handle.when);
  g_autofree char *text = grip->locked || grip->kind != KG_HANDLE_POINTS ? NULL : dup_text (handles, grip->slot);
  KgGraph *graph = kg_node_get_parent (grip->node);
  guint first = (guint) grip->row, count = 1, n;
  bool good;

  if (grip->kind == KG_HANDLE_OUTLINE)
    return kg_outline_remove (handles, grip, error);
  if (grip->kind == KG_HANDLE_LINES)
    return kg_lines_remove (handles, grip, error);
  if (grip->kind == KG_HANDLE_BODIES)
    return kg_body_remove (handles, grip, error);
  if (text == NULL || grip->row < 0 || (thirds && grip->row % 3 != 0))
    return false;
  n = points_text_get_n_rows (text);
  if (thirds) {
    count = MIN (3, n);
    first = grip->row == 0 ? 0 : first + 1 >= n ? n - count : first - 1;
  }
  for (guint i = 0; i < count; i++) {
    char *less = points_text_remove_row (text, first);

    g_free (text);
    text = less;
  }
  kg_graph_begin_group (graph, _ ("Remove point"));
  good = kg_handles_set_text (handles, grip->slot, text, error) &&
         shift_rows (handles, (int) grip->slot, (guint) grip->row, false, error) &&
         kg_figure_renumber (handles, (int) grip->slot, (guint) grip->row, false, error);
  return kg_graph_close_group (graph, good);
}

/* Numbers of a point. */

int
kg_grip_find_numbers (const KgGrip *grip, int after)
{
  if (grip->kind != KG_HANDLE_POINTS || grip->row < 0)
    return -1;
  for (guint i = (guint) (after + 1); i < kg_node_get_n_slots (grip->node); i++)
    if (kg_handles_get_kind (kg_node_get_slot (grip->node, i)) == KG_HANDLE_ROW_VALUES &&
        kg_handles_get_anchor (grip->node, i) == (int) grip->slot)
      return (int) i;
  return -1;
}

static char **
split_columns (KgNode *node, guint slot)
{
  return g_strsplit (kg_node_get_slot (node, slot)->handle.columns, " ", -1);
}

GArray *
kg_grip_get_numbers (const KgHandles *handles, const KgGrip *grip, guint slot)
{
  GArray *numbers = g_array_new (FALSE, TRUE, sizeof (double));
  g_auto (GStrv) columns = split_columns (grip->node, slot);
  const guint width = g_strv_length (columns);
  g_autofree char *text = dup_text (handles, slot);
  guint n = 0;

  g_array_set_size (numbers, width);
  if (text != NULL)
    points_text_get_row (text, (guint) grip->row, width, (double *) (void *) numbers->data, &n);
  for (guint i = n; i < width; i++) {
    const int input = kg_node_find_slot (grip->node, columns[i]);
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (input >= 0 && kg_handles_get_value (handles, (guint) input, &value))
      kg_value_get_component (&value, NULL, &g_array_index (numbers, double, i));
  }
  return numbers;
}

bool
kg_grip_set_number (const KgHandles *handles, const KgGrip *grip, guint slot, guint column, double number,
                    GError **error)
{
  g_autofree char *text = kg_handles_is_free (grip->node, slot) ? dup_text (handles, slot) : NULL;

  for (guint row = text != NULL ? MIN (points_text_get_n_rows (text), (guint) grip->row) : 0;
       text != NULL && row <= (guint) grip->row; row++) {
    KgGrip before = *grip;
    g_autoptr (GArray) numbers = NULL;
    char *changed;

    before.row = (int) row;
    numbers = kg_grip_get_numbers (handles, &before, slot);
    if (row == (guint) grip->row)
      g_array_index (numbers, double, column) = number;
    changed = points_text_set_row (text, row, (const double *) (const void *) numbers->data, numbers->len);
    g_free (text);
    text = changed;
  }
  return text != NULL && kg_handles_set_text (handles, slot, text, error);
}
