/* kg-body-edit: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-body-edit.h"

#include "config.h"
#include "kg-handles-private.h"
#include "kg-input-table.h"

#include <glib/gi18n.h>

/* The columns of a body, by name. */
enum { X, Y, Z, A, B, C, RX, RY, RZ, N_COLUMNS };

static const char *const names[] = { "x", "y", "z", "a", "b", "c", "rx", "ry", "rz" };

/* Those that the table of the input has; false where it cannot be one of bodies. */
static bool
find_columns (const KgHandles *handles, guint slot, int columns[N_COLUMNS])
{
  const KgTableColumn *declared = kg_node_get_slot (handles->node, slot)->columns;

  for (int i = 0; i < N_COLUMNS; i++) {
    columns[i] = -1;
    for (guint k = 0; declared != NULL && declared[k].name != NULL; k++)
      if (g_str_equal (declared[k].name, names[i]))
        columns[i] = (int) k;
    if (columns[i] < 0)
      return false;
  }
  return true;
}

int
kg_body_find_slot (const KgHandles *handles)
{
  for (guint i = 0; handles->node != NULL && i < kg_node_get_n_slots (handles->node); i++)
    if (kg_handles_get_kind (kg_node_get_slot (handles->node, i)) == KG_HANDLE_BODIES &&
        kg_handles_is_used (handles, i))
      return (int) i;
  return -1;
}

void
kg_body_add_wanted (const KgHandles *handles, guint slot, GPtrArray *wanted)
{
  const int size = kg_handles_get_anchor (handles->node, slot);
  g_autofree char *path = kg_node_dup_path (handles->node);
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (size >= 0 && !kg_handles_get_own_value (handles, (guint) size, &value))
    g_ptr_array_add (wanted, g_strdup_printf ("%s.%s", path, kg_node_get_slot (handles->node, (guint) size)->name));
}

/* Half the extents of bodies that say nothing of them. */
static KgVector
get_usual_size (const KgHandles *handles, guint slot)
{
  const int size = kg_handles_get_anchor (handles->node, slot);
  g_auto (KgValue) value = KG_VALUE_INIT;

  return size >= 0 && kg_handles_get_value (handles, (guint) size, &value) && value.kind == KG_VECTOR
             ? value.vector
             : kg_vector (1, 1, 1);
}

/* As its node reads it: one size is that along all axes. */
static void
read_sizes (const double *row, const int columns[N_COLUMNS], KgVector usual, double sizes[3])
{
  const double along_x = row[columns[A]];

  for (int i = 0; i < 3; i++) {
    const double own = row[columns[A + i]];

    sizes[i] = !isnan (own) ? own : !isnan (along_x) ? along_x : *kg_vector_component (&usual, i);
  }
}

static KgBody
read_body (const double *row, const int columns[N_COLUMNS], KgVector usual)
{
  const KgVector angles = { row[columns[RX]], row[columns[RY]], row[columns[RZ]] };
  const KgRotation turn = kg_rotation_from_angles (kg_vector_scale (angles, KG_DEGREE));
  KgBody body = { .at = kg_vector (row[columns[X]], row[columns[Y]], row[columns[Z]]) };
  double sizes[3];

  read_sizes (row, columns, usual, sizes);
  for (int i = 0; i < 3; i++) {
    KgVector axis = { 0, 0, 0 };

    *kg_vector_component (&axis, i) = sizes[i];
    body.half[i] = kg_rotation_apply (turn, axis);
  }
  return body;
}

GArray *
kg_body_find (const KgHandles *handles, guint slot)
{
  GArray *bodies = g_array_new (FALSE, FALSE, sizeof (KgBody));
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, slot);
  const size_t n = rows != NULL ? MIN (kg_table_get_n_rows (rows), KG_HANDLES_MAX_POINTS) : 0;
  const KgVector usual = get_usual_size (handles, slot);
  int columns[N_COLUMNS];

  if (!find_columns (handles, slot, columns))
    return bodies;
  for (size_t i = 0; i < n; i++) {
    const KgBody body = read_body (kg_table_get_row (rows, i), columns, usual);

    g_array_append_val (bodies, body);
  }
  return bodies;
}

/* The axis of a body of any size. */
static KgVector
get_axis (const KgBody *body, int axis)
{
  static const KgVector axes[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

  return kg_vector_normalize_or (body->half[axis], axes[axis]);
}

static void
add_rings (const KgHandles *handles, GArray *grips, const KgGrip *point)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgVector directions[3];

  if (!kg_body_get_start (handles, &(KgGrip){ .slot = point->slot, .row = point->row, .shape = KG_GRIP_RING },
                          &value) ||
      !kg_handles_get_ring_axes (&value, directions))
    return;
  for (int axis = 0; axis < 3; axis++) {
    KgGrip ring = *point;

    ring.shape = KG_GRIP_RING;
    ring.axis = axis;
    ring.direction = directions[axis];
    g_array_append_val (grips, ring);
  }
}

void
kg_body_add_grips (const KgHandles *handles, GArray *grips, guint slot, const KgGrip *active)
{
  g_autoptr (GArray) bodies = kg_body_find (handles, slot);

  for (guint row = 0; row < bodies->len; row++) {
    KgGrip grip = kg_handles_make_grip (handles, slot, g_array_index (bodies, KgBody, row).at);

    grip.row = (int) row;
    grip.label = NULL;
    g_array_append_val (grips, grip);
  }
  if (active == NULL || active->slot != slot || active->row < 0 || (guint) active->row >= bodies->len ||
      !kg_handles_is_free (handles->node, slot))
    return;
  {
    const KgBody *body = &g_array_index (bodies, KgBody, active->row);
    KgGrip grip = kg_handles_make_grip (handles, slot, body->at);

    grip.row = active->row;
    grip.label = NULL;
    for (int axis = 0; axis < 3; axis++) {
      KgGrip extent = grip;

      extent.axis = axis;
      extent.at = kg_vector_add (body->at, body->half[axis]);
      extent.direction = get_axis (body, axis);
      extent.stem = extent.minor = true;
      g_array_append_val (grips, extent);
    }
    add_rings (handles, grips, &grip);
  }
}

/* Editing. */

bool
kg_body_get_start (const KgHandles *handles, const KgGrip *grip, KgValue *start)
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, grip->slot);
  int columns[N_COLUMNS];
  const double *row;

  if (rows == NULL || grip->row < 0 || (size_t) grip->row >= kg_table_get_n_rows (rows) ||
      !find_columns (handles, grip->slot, columns))
    return false;
  row = kg_table_get_row (rows, (size_t) grip->row);
  *start = kg_value_vector (grip->shape == KG_GRIP_RING
                                ? kg_vector (row[columns[RX]], row[columns[RY]], row[columns[RZ]])
                                : kg_vector (row[columns[X]], row[columns[Y]], row[columns[Z]]));
  return true;
}

/* Sets three cells, those that change; all of a row that has not been evaluated yet. */
static bool
set_three (const KgHandles *handles, const KgGrip *grip, const int columns[3], KgVector to, GError **error)
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, grip->slot);
  const double *row = rows != NULL ? kg_table_get_row (rows, (size_t) grip->row) : NULL;

  for (int i = 0; i < 3; i++)
    if ((row == NULL || row[columns[i]] != *kg_vector_component (&to, i)) &&
        !kg_handles_set_cell (handles, grip->slot, grip->row, columns[i], *kg_vector_component (&to, i), error))
      return false;
  return true;
}

/* Where the row says nothing of an axis, the size along x counts for it.  ball: of a ball that is the one that changes, whatever
 * the axis. */
static bool
set_extent (const KgHandles *handles, const KgGrip *grip, int axis, const int columns[N_COLUMNS], double size,
            bool ball, GError **error)
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, grip->slot);
  const double *row = kg_table_get_row (rows, (size_t) grip->row);
  KgVector usual = get_usual_size (handles, grip->slot);
  const bool alike = !isnan (row[columns[A]]) || (usual.x == usual.y && usual.y == usual.z);
  double sizes[3];

  read_sizes (row, columns, usual, sizes);
  if (sizes[axis] == size)
    return true;
  if (alike && isnan (row[columns[B]]) && isnan (row[columns[C]]) && (ball || axis == 0))
    return kg_handles_set_cell (handles, grip->slot, grip->row, columns[A], size, error);
  /* A first size along x would change the others that are blank: they are written as they are. */
  for (int i = 1; i < 3; i++)
    if (axis == 0 && isnan (row[columns[A + i]]) &&
        !kg_handles_set_cell (handles, grip->slot, grip->row, columns[A + i], sizes[i], error))
      return false;
  return kg_handles_set_cell (handles, grip->slot, grip->row, columns[A + axis], size, error);
}

static bool
is_there (const KgHandles *handles, const KgGrip *grip, int columns[N_COLUMNS])
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, grip->slot);

  return rows != NULL && grip->row >= 0 && (size_t) grip->row < kg_table_get_n_rows (rows) &&
         find_columns (handles, grip->slot, columns);
}

bool
kg_body_move (const KgHandles *handles, const KgGrip *grip, KgVector to, int decimals, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);
  int columns[N_COLUMNS];
  bool good;

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  if (!is_there (handles, grip, columns))
    return true;
  kg_graph_begin_group (graph, _ ("Move body"));
  if (grip->axis >= 0 && grip->minor) {
    const double along = kg_vector_dot (kg_vector_subtract (to, grip->anchor), grip->direction);

    /* Never inside out. */
    good = set_extent (handles, grip, grip->axis, columns, fmax (0, kg_handles_round_number (along, decimals)), true,
                       error);
  } else {
    g_auto (KgValue) start = KG_VALUE_INIT;

    kg_body_get_start (handles, grip, &start);
    good = set_three (handles, grip, columns + X, kg_handles_round (to, start.vector, decimals), error);
  }
  return kg_graph_close_group (graph, good);
}

bool
kg_body_set_angles (const KgHandles *handles, const KgGrip *grip, KgVector angles, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);
  int columns[N_COLUMNS];

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  if (!is_there (handles, grip, columns))
    return true;
  kg_graph_begin_group (graph, _ ("Rotate body"));
  return kg_graph_close_group (graph, set_three (handles, grip, columns + RX, angles, error));
}

const char *
kg_body_get_number_label (const KgGrip *grip, int number)
{
  const KgTableColumn *declared = kg_node_get_slot (grip->node, grip->slot)->columns;

  while (declared->name != NULL && !g_str_equal (declared->name, names[number]))
    declared++;
  return kg_type_translate (declared->label);
}

bool
kg_body_get_numbers (const KgHandles *handles, const KgGrip *grip, double numbers[KG_BODY_NUMBERS])
{
  g_autoptr (KgTable) rows = kg_handles_dup_rows (handles, grip->slot);
  int columns[N_COLUMNS];
  const double *row;

  if (!is_there (handles, grip, columns))
    return false;
  row = kg_table_get_row (rows, (size_t) grip->row);
  for (int i = 0; i < N_COLUMNS; i++)
    numbers[i] = row[columns[i]];
  read_sizes (row, columns, get_usual_size (handles, grip->slot), numbers + A);
  return true;
}

bool
kg_body_set_number (const KgHandles *handles, const KgGrip *grip, int number, double x, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);
  const bool is_size = number >= A && number <= C;
  int columns[N_COLUMNS];
  const KgSource *cell;

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  if (!is_there (handles, grip, columns))
    return true;
  cell = kg_source_get_cell (kg_node_get_source (grip->node, grip->slot), (guint) grip->row, (guint) columns[number]);
  if (cell != NULL && cell->kind != KG_SOURCE_KEYS) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is computed: set it in the table",
                  kg_body_get_number_label (grip, number));
    return false;
  }
  if (!isfinite (x)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is %g: write a finite number",
                  kg_body_get_number_label (grip, number), x);
    return false;
  }
  if (is_size && x < 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s is %g: write half the extent in metres, 0 for one that has faded away",
                  kg_body_get_number_label (grip, number), x);
    return false;
  }
  kg_graph_begin_group (graph, _ ("Edit body"));
  return kg_graph_close_group (
      graph, is_size ? set_extent (handles, grip, number - A, columns, x, false, error)
                     : kg_handles_set_cell (handles, grip->slot, grip->row, columns[number], x, error));
}

bool
kg_body_insert (const KgHandles *handles, const KgGrip *grip, KgVector at, int decimals, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);
  KgGrip added = *grip;
  int columns[N_COLUMNS];

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  if (!is_there (handles, grip, columns))
    return true;
  added.row++;
  at = kg_handles_round (at, kg_vector (0, 0, 0), decimals);
  kg_graph_begin_group (graph, _ ("Add body"));
  return kg_graph_close_group (graph, kg_handles_copy_row (handles, grip->slot, grip->row, error) &&
                                          set_three (handles, &added, columns + X, at, error));
}

bool
kg_body_remove (const KgHandles *handles, const KgGrip *grip, GError **error)
{
  KgGraph *graph = kg_node_get_parent (grip->node);

  if (!kg_handles_check_free (grip->node, grip->slot, error))
    return false;
  kg_graph_begin_group (graph, _ ("Remove body"));
  return kg_graph_close_group (graph, kg_handles_drop_row (handles, grip->slot, grip->row, error));
}
