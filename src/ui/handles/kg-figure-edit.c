/* kg-figure-edit: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-figure-edit.h"

#include "config.h"
#include "text/points_text.h"
#include "kg-floats.h"
#include "kg-handles-private.h"
#include "kg-number.h"

#include <glib/gi18n.h>
#include <string.h>

/* Numbers in a row: points, and what belongs to them. */
#define MAX_NUMBERS 64

#define HINGE_REACH 45.0 /* degrees to each side */

/* The points as the rows of the joins see them. */
typedef struct {
  const KgHandles *handles;
  int slot;                 /* of the text with the points */
  KgValue text;             /* of it */
  const KgGeometry *before; /* (nullable) what the points are numbered after */
  guint first;              /* number of the first row */
} Figure;

static bool
is_join_of (KgNode *node, guint slot, int points)
{
  return kg_handles_get_kind (kg_node_get_slot (node, slot)) == KG_HANDLE_JOINS &&
         kg_handles_get_anchor (node, slot) == points;
}

/* The first text with so many points in a row. */
static int
find_join (KgNode *node, int points, guint n_points)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    if (is_join_of (node, i, points) && kg_node_get_slot (node, i)->handle.n_points == n_points)
      return (int) i;
  return -1;
}

bool
kg_figure_has_points (KgNode *node, guint slot)
{
  return find_join (node, (int) slot, 2) >= 0;
}

int
kg_figure_find_points (KgNode *node)
{
  for (guint i = 0; node != NULL && i < kg_node_get_n_slots (node); i++)
    if (kg_figure_has_points (node, i))
      return (int) i;
  return -1;
}

int
kg_figure_find_linked (KgNode *node)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);

    if (slot->role == KG_SLOT_INPUT && slot->kind == KG_GEOMETRY && !slot->list &&
        kg_node_get_source (node, i)->kind == KG_SOURCE_LINK)
      return (int) i;
  }
  return -1;
}

static void
figure_clear (Figure *figure)
{
  kg_value_clear (&figure->text);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Figure, figure_clear)

/* False when the numbers of the points are not known yet. */
static bool
figure_init (Figure *figure, const KgHandles *handles, int slot)
{
  const int linked = kg_figure_find_linked (handles->node);

  *figure = (Figure){ .handles = handles, .slot = slot, .text = KG_VALUE_INIT };
  if (linked >= 0) {
    const KgValue *value = kg_handles_look_up (handles, (guint) linked);

    if (value == NULL || value->kind != KG_GEOMETRY)
      return false;
    figure->before = value->geometry;
    figure->first = (guint) kg_geometry_get_n_points (figure->before);
  }
  return slot >= 0 && kg_handles_get_value (handles, (guint) slot, &figure->text) && figure->text.kind == KG_TEXT;
}

static bool
get_point (const Figure *figure, double number, KgVector *at)
{
  if (!(number >= 0) || number != floor (number))
    return false;
  if (number < figure->first) {
    const float *p = kg_geometry_get_positions (figure->before) + 3 * (size_t) number;

    *at = kg_floats_get_vector (p, 0);
    return true;
  }
  return number - figure->first < G_MAXINT &&
         kg_handles_get_row (figure->text.text, (guint) number - figure->first, at);
}

guint
kg_figure_get_number (const KgHandles *handles, const KgGrip *grip)
{
  g_auto (Figure) figure = { 0 };

  return (figure_init (&figure, handles, (int) grip->slot) ? figure.first : 0) + (guint) grip->row;
}

bool
kg_figure_is_flat (const KgHandles *handles)
{
  g_auto (Figure) figure = { 0 };
  KgVector at;

  if (!figure_init (&figure, handles, kg_figure_find_points (handles->node)))
    return false;
  for (guint row = points_text_get_n_rows (figure.text.text); row-- > 0;)
    if (kg_handles_get_row (figure.text.text, row, &at) && at.z != 0)
      return false;
  return true;
}

GArray *
kg_figure_find_lines (const KgHandles *handles)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (KgFigureLine));
  g_auto (Figure) figure = { 0 };

  if (handles->node == NULL || !figure_init (&figure, handles, kg_figure_find_points (handles->node)))
    return lines;
  for (guint i = 0; i < kg_node_get_n_slots (handles->node); i++) {
    g_auto (KgValue) value = KG_VALUE_INIT;
    guint n_rows;

    /* Bodies are seen as what they are. */
    if (!is_join_of (handles->node, i, figure.slot) || kg_node_get_slot (handles->node, i)->handle.n_points > 3 ||
        !kg_handles_get_value (handles, i, &value) || value.kind != KG_TEXT)
      continue;
    n_rows = points_text_get_n_rows (value.text);
    for (guint row = 0; row < n_rows; row++) {
      KgFigureLine line = { .n = kg_node_get_slot (handles->node, i)->handle.n_points };
      double x[MAX_NUMBERS];
      bool good;
      guint n;

      good = points_text_get_row (value.text, row, MAX_NUMBERS, x, &n) && n >= line.n;
      for (guint k = 0; good && k < line.n; k++)
        good = get_point (&figure, x[k], &line.at[k]);
      if (good)
        g_array_append_val (lines, line);
    }
  }
  return lines;
}

/* Editing. */

static bool
is_same_join (const double *a, const double *b, guint n)
{
  bool forwards = true, backwards = true;

  for (guint i = 0; i < n; i++) {
    forwards = forwards && a[i] == b[i];
    backwards = backwards && a[i] == b[n - 1 - i];
  }
  return forwards || backwards;
}

/* The row that joins these points, in either direction; -1: none. */
static int
find_row (const char *text, const double *points, guint n_points)
{
  const guint n_rows = points_text_get_n_rows (text);
  double x[MAX_NUMBERS];
  guint n;

  for (guint row = 0; row < n_rows; row++)
    if (points_text_get_row (text, row, MAX_NUMBERS, x, &n) && n >= n_points && is_same_join (x, points, n_points))
      return (int) row;
  return -1;
}

/* (transfer full) (nullable) The text of an input that can be edited. */
static char *
dup_join (const KgHandles *handles, int slot, GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (slot >= 0 && kg_handles_check_free (handles->node, (guint) slot, error) &&
      kg_handles_get_value (handles, (guint) slot, &value) && value.kind == KG_TEXT)
    return g_strdup (value.text);
  return NULL;
}

/* Numbers that belong to rods and bodies stay with them when a row comes (insert: a 0 for it) or goes. */
static bool
shift_values (const KgHandles *handles, int joins, guint row, bool insert, GError **error)
{
  KgNode *node = handles->node;
  const int points = kg_handles_get_anchor (node, (guint) joins), rods = find_join (node, points, 2);
  g_autofree char *text = NULL, *rows = NULL;
  g_autoptr (GArray) numbers = NULL;
  g_autoptr (GString) changed = g_string_new (NULL);
  const char *between;
  guint index = row;
  int values = -1;

  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    if (kg_handles_get_kind (kg_node_get_slot (node, i)) == KG_HANDLE_JOIN_VALUES &&
        kg_handles_get_anchor (node, i) == rods)
      values = (int) i;
  if (values < 0 || (joins != rods && kg_node_get_slot (node, (guint) joins)->handle.n_points <= 3))
    return true;
  text = dup_join (handles, values, NULL);
  numbers = text != NULL ? points_text_read_numbers (text, NULL) : NULL;
  rows = dup_join (handles, rods, NULL);
  if (joins != rods)
    index += rows != NULL ? points_text_get_n_rows (rows) : 0;
  if (numbers == NULL || index >= numbers->len)
    return true;
  if (insert) {
    const double none = 0;

    g_array_insert_val (numbers, index, none);
  } else
    g_array_remove_index (numbers, index);
  between = strchr (text, '\n') != NULL ? "\n" : " ";
  for (guint i = 0; i < numbers->len; i++) {
    g_autofree char *number = kg_number_format_exact (g_array_index (numbers, double, i));

    g_string_append_printf (changed, "%s%s", i > 0 ? between : "", number);
  }
  return kg_handles_set_text (handles, (guint) values, changed->str, error);
}

/* The numbers begin with n_points points; present: whether the row is to be there. */
static bool
set_join (const KgHandles *handles, int slot, const double *numbers, guint n, guint n_points, bool present,
          GError **error)
{
  g_autofree char *text = dup_join (handles, slot, error), *changed = NULL;
  int row;

  if (text == NULL)
    return false;
  row = find_row (text, numbers, n_points);
  if ((row >= 0) == present)
    return true;
  if (present)
    row = (int) points_text_get_n_rows (text);
  changed = present ? points_text_set_row (text, (guint) row, numbers, n) : points_text_remove_row (text, (guint) row);
  return kg_handles_set_text (handles, (guint) slot, changed, error) &&
         shift_values (handles, slot, (guint) row, present, error);
}

static bool
has_join (const KgHandles *handles, int slot, const double *points, guint n_points)
{
  g_autofree char *text = dup_join (handles, slot, NULL);

  return text != NULL && find_row (text, points, n_points) >= 0;
}

bool
kg_figure_add_point (const KgHandles *handles, const KgGrip *from, KgVector at, int decimals, guint *row,
                     GError **error)
{
  const int points = kg_figure_find_points (handles->node), rods = find_join (handles->node, points, 2);
  g_autofree char *text = dup_join (handles, points, error), *longer = NULL;
  g_auto (Figure) figure = { 0 };
  bool good;

  if (text == NULL || !figure_init (&figure, handles, points))
    return false;
  *row = points_text_get_n_rows (text);
  at = kg_handles_round (at, kg_vector (0, 0, 0), decimals);
  {
    const double x[] = { at.x, at.y, at.z };

    longer = points_text_set_row (text, *row, x, at.z == 0 ? 2 : 3);
  }
  kg_graph_begin_group (kg_node_get_parent (handles->node), _ ("Draw point"));
  good = kg_handles_set_text (handles, (guint) points, longer, error);
  if (good && from != NULL && from->row >= 0) {
    const double ends[] = { figure.first + (guint) from->row, figure.first + *row };

    good = set_join (handles, rods, ends, 2, 2, true, error);
  }
  return kg_graph_close_group (kg_node_get_parent (handles->node), good);
}

bool
kg_figure_toggle_rod (const KgHandles *handles, const KgGrip *a, const KgGrip *b, GError **error)
{
  const int points = kg_figure_find_points (handles->node), rods = find_join (handles->node, points, 2);
  g_auto (Figure) figure = { 0 };

  if (a->row < 0 || b->row < 0 || a->row == b->row || !figure_init (&figure, handles, points))
    return false;
  {
    const double ends[] = { figure.first + (guint) a->row, figure.first + (guint) b->row };
    const bool present = has_join (handles, rods, ends, 2);

    kg_graph_begin_group (kg_node_get_parent (handles->node), present ? _ ("Remove rod") : _ ("Draw rod"));
    return kg_graph_close_group (kg_node_get_parent (handles->node),
                                 set_join (handles, rods, ends, 2, 2, !present, error));
  }
}

bool
kg_figure_toggle_mark (const KgHandles *handles, const KgGrip *grip, GError **error)
{
  const int points = kg_figure_find_points (handles->node), marks = find_join (handles->node, points, 1);
  g_auto (Figure) figure = { 0 };

  if (grip->row < 0 || marks < 0 || !figure_init (&figure, handles, points))
    return false;
  {
    const double number = figure.first + (guint) grip->row;

    kg_graph_begin_group (kg_node_get_parent (handles->node), _ ("Pin point"));
    return kg_graph_close_group (
        kg_node_get_parent (handles->node),
        set_join (handles, marks, &number, 1, 1, !has_join (handles, marks, &number, 1), error));
  }
}

/* (transfer full) (element-type double) What rods lead to from a point. */
static GArray *
find_neighbours (const char *rods, double number)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (double));
  const guint n_rows = points_text_get_n_rows (rods);
  double x[MAX_NUMBERS];
  guint n;

  for (guint row = 0; row < n_rows; row++)
    if (points_text_get_row (rods, row, MAX_NUMBERS, x, &n) && n >= 2 && (x[0] == number) != (x[1] == number))
      g_array_append_val (found, x[x[0] == number ? 1 : 0]);
  return found;
}

/* How the way over three points turns there, and what it may turn: in the plane to the left or the right, otherwise
 * only how far. */
static void
get_limits (const Figure *figure, const double number[3], double *low, double *high)
{
  KgVector at[3] = { { 0 } }, along[2], across;
  double angle;

  for (int i = 0; i < 3; i++)
    get_point (figure, number[i], &at[i]);
  for (int i = 0; i < 2; i++)
    along[i] = kg_vector_subtract (at[i + 1], at[i]);
  across = kg_vector_cross (along[0], along[1]);
  angle = atan2 (kg_vector_length (across), kg_vector_dot (along[0], along[1])) / KG_DEGREE;
  if (at[0].z == at[1].z && at[1].z == at[2].z) {
    angle = copysign (angle, across.z);
    *low = fmax (-180, nearbyint (angle - HINGE_REACH));
    *high = fmin (180, nearbyint (angle + HINGE_REACH));
  } else {
    *low = fmax (0, nearbyint (angle - HINGE_REACH));
    *high = fmin (180, nearbyint (angle + HINGE_REACH));
  }
}

bool
kg_figure_toggle_hinge (const KgHandles *handles, const KgGrip *grip, GError **error)
{
  const int points = kg_figure_find_points (handles->node), rods = find_join (handles->node, points, 2);
  const int hinges = find_join (handles->node, points, 3);
  g_autofree char *text = grip->row >= 0 && hinges >= 0 ? dup_join (handles, rods, error) : NULL;
  g_autoptr (GArray) neighbours = NULL;
  g_auto (Figure) figure = { 0 };
  bool found = false, added = false, good = true;
  double number;

  if (text == NULL || !figure_init (&figure, handles, points))
    return false;
  number = figure.first + (guint) grip->row;
  neighbours = find_neighbours (text, number);
  if (neighbours->len < 2) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a hinge needs two rods that meet, but point %u has %u: draw more rods",
                  figure.first + (guint) grip->row, neighbours->len);
    return false;
  }
  kg_graph_begin_group (kg_node_get_parent (handles->node), _ ("Change hinge"));
  /* The pair after the one that has a hinge, or the first. */
  for (int pass = 0; pass < 2 && good && !added && !(pass == 1 && found); pass++)
    for (guint i = 0; good && !added && i < neighbours->len; i++)
      for (guint k = i + 1; good && !added && k < neighbours->len; k++) {
        double row[5] = { g_array_index (neighbours, double, i), number, g_array_index (neighbours, double, k), 0, 0 };

        if (pass == 0 && !found) {
          found = has_join (handles, hinges, row, 3);
          if (found)
            good = set_join (handles, hinges, row, 3, 3, false, error);
          continue;
        }
        get_limits (&figure, row, &row[3], &row[4]);
        good = set_join (handles, hinges, row, 5, 3, true, error);
        added = true;
      }
  return kg_graph_close_group (kg_node_get_parent (handles->node), good);
}

/* (transfer full) Of one text of joins.  removed: gets the rows that go, the last first. */
static char *
renumber_text (const char *text, guint n_points, double number, bool insert, GArray *removed)
{
  char *changed = g_strdup (text);

  for (guint row = points_text_get_n_rows (text); row-- > 0;) {
    double x[MAX_NUMBERS];
    bool names_it = false;
    char *next;
    guint n;

    if (!points_text_get_row (text, row, MAX_NUMBERS, x, &n))
      continue;
    for (guint i = 0; i < MIN (n, n_points); i++) {
      if (insert && x[i] >= number)
        x[i]++;
      else if (!insert && x[i] > number)
        x[i]--;
      else if (!insert && x[i] == number) {
        names_it = true;
        /* A body has a corner less. */
        if (n_points > 3) {
          memmove (x + i, x + i + 1, (--n - i) * sizeof *x);
          i--;
          names_it = n < 3;
        }
      }
    }
    if (names_it)
      g_array_append_val (removed, row);
    next = names_it ? points_text_remove_row (changed, row) : points_text_set_row (changed, row, x, n);
    g_free (changed);
    changed = next;
  }
  return changed;
}

bool
kg_figure_renumber (const KgHandles *handles, int points, guint row, bool insert, GError **error)
{
  g_auto (Figure) figure = { 0 };

  if (!kg_figure_has_points (handles->node, (guint) points))
    return true;
  if (!figure_init (&figure, handles, points))
    return false;
  for (guint i = 0; i < kg_node_get_n_slots (handles->node); i++) {
    g_autoptr (GArray) removed = g_array_new (FALSE, FALSE, sizeof (guint));
    g_autofree char *text = NULL, *changed = NULL;

    if (!is_join_of (handles->node, i, points))
      continue;
    text = dup_join (handles, (int) i, error);
    if (text == NULL)
      return false;
    changed =
        renumber_text (text, kg_node_get_slot (handles->node, i)->handle.n_points, figure.first + row, insert, removed);
    if (!g_str_equal (text, changed) && !kg_handles_set_text (handles, i, changed, error))
      return false;
    for (guint k = 0; k < removed->len; k++)
      if (!shift_values (handles, (int) i, g_array_index (removed, guint, k), false, error))
        return false;
  }
  return true;
}
