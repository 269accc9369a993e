/* tests/ui/bodies: the rows of a table as bodies in the viewport (20-164), and what is written when they are moved, sized,
 * rotated, added and removed.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "handles-test.h"
#include "kg-body-edit.h"

/* The columns of soft/keys. */
enum { X, Y, Z, A, B, C, RX = 8, RY, RZ };

/* That of the active body: its sizes and rings are there for it alone. */
static KgGrip
find_of_active (const KgHandles *handles, KgGripShape shape, int row, int axis)
{
  const KgGrip place = find (handles, "table", KG_GRIP_POINT, row, -1);
  g_autoptr (GArray) grips = kg_handles_find (handles, &place);

  for (guint i = 0; i < grips->len; i++) {
    const KgGrip *grip = &g_array_index (grips, KgGrip, i);

    if (grip->shape == shape && grip->row == row && grip->axis == axis)
      return *grip;
  }
  g_assert_not_reached ();
}

/* (transfer full) */
static KgTable *
dup_rows (const KgHandles *handles)
{
  const guint slot = (guint) kg_node_find_slot (handles->node, "table");
  g_auto (KgValue) value = KG_VALUE_INIT;

  g_assert_true (kg_input_get_value (handles->node, slot, 1, &value));
  return kg_table_conform (value.table, kg_node_get_slot (handles->node, slot)->columns, NULL);
}

static void
assert_cells (const KgHandles *handles, size_t row, int first, double x, double y, double z)
{
  g_autoptr (KgTable) rows = dup_rows (handles);
  const double *found = kg_table_get_row (rows, row) + first, wanted[] = { x, y, z };

  for (int i = 0; i < 3; i++)
    g_assert_true (isnan (wanted[i]) ? isnan (found[i]) : fabs (found[i] - wanted[i]) < 1e-12);
}

static void
assert_count (const KgHandles *handles, guint n)
{
  g_autoptr (GArray) bodies = kg_body_find (handles, (guint) kg_body_find_slot (handles));

  g_assert_cmpuint (bodies->len, ==, n);
}

static void
assert_vector_near (KgVector found, double x, double y, double z)
{
  g_assert_cmpfloat (kg_vector_length (kg_vector_subtract (found, kg_vector (x, y, z))), <, 1e-9);
}

static void
test_20_164_found (void)
{
  g_autoptr (KgDocument) document = open_document (
      "\"table\": [[1, 2, 3, null, null, null, null, null, 0, 0, 0], [0, 0, 0, 2, null, 0.5, null, null, 0, 0, 90]], \"size\": [0.25, 0.5, 0.75]",
      "soft/keys");
  const KgHandles handles = { document, get_node (document), NULL };
  g_autoptr (GArray) none = kg_handles_find (&handles, NULL);
  KgGrip grip;

  /* The places alone, as none is active. */
  g_assert_cmpuint (none->len, ==, 2);
  grip = find (&handles, "table", KG_GRIP_POINT, 0, -1);
  assert_vector_near (grip.at, 1, 2, 3);
  /* A row that says nothing of its sizes has those of the input. */
  for (int axis = 0; axis < 3; axis++) {
    grip = find_of_active (&handles, KG_GRIP_POINT, 0, axis);
    assert_vector_near (kg_vector_subtract (grip.at, grip.anchor), axis == 0 ? 0.25 : 0, axis == 1 ? 0.5 : 0,
                        axis == 2 ? 0.75 : 0);
  }
  /* The size along x is that along y where there is none; all turn with the body. */
  grip = find_of_active (&handles, KG_GRIP_POINT, 1, 0);
  assert_vector_near (grip.at, 0, 2, 0);
  grip = find_of_active (&handles, KG_GRIP_POINT, 1, 1);
  assert_vector_near (grip.at, -2, 0, 0);
  grip = find_of_active (&handles, KG_GRIP_POINT, 1, 2);
  assert_vector_near (grip.at, 0, 0, 0.5);
}

static void
test_20_164_sizes (void)
{
  g_autoptr (KgDocument) document = open_document (
      "\"table\": [[0, 0, 0, 1, null], [0, 0, 0, 1, 0.5], [0, 0, 0, null, null]], \"size\": [0.25, 0.5, 0.75]",
      "soft/keys");
  const KgHandles handles = { document, get_node (document), NULL };
  KgGrip grip = find_of_active (&handles, KG_GRIP_POINT, 0, 1);

  /* A ball stays one, whatever it is pulled by. */
  move (&handles, &grip, kg_vector (0.3, 1.5, 0), false);
  assert_cells (&handles, 0, A, 1.5, NAN, NAN);
  /* Never inside out. */
  move (&handles, &grip, kg_vector (0, -2, 0), false);
  assert_cells (&handles, 0, A, 0, NAN, NAN);
  grip = find_of_active (&handles, KG_GRIP_POINT, 1, 2);
  move (&handles, &grip, kg_vector (0, 0, 0.125), false);
  assert_cells (&handles, 1, A, 1, 0.5, 0.125);
  /* The others stay what they were by the input. */
  grip = find_of_active (&handles, KG_GRIP_POINT, 2, 0);
  move (&handles, &grip, kg_vector (2, 0, 0), false);
  assert_cells (&handles, 2, A, 2, 0.5, 0.75);
  /* One step of undo for all three. */
  g_assert_true (kg_graph_undo (kg_document_get_graph (document)));
  assert_cells (&handles, 2, A, NAN, NAN, NAN);
  assert_cells (&handles, 1, A, 1, 0.5, 0.125);
}

static void
test_20_164_places_and_angles (void)
{
  g_autoptr (KgDocument) document =
      open_document ("\"table\": [[{ \"expr\": \"0.5\" }, 1, 0, 1, null, null], [2, 0, 0, 1, 0.5, 0.25]]", "soft/keys");
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles handles = { document, get_node (document), values };
  KgGrip grip = find (&handles, "table", KG_GRIP_POINT, 0, -1);
  g_auto (KgValue) start = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  assert_vector_near (grip.at, 0.5, 1, 0);
  /* What is computed stays so. */
  move (&handles, &grip, kg_vector (4, 5, 6), false);
  {
    const KgSource *table = kg_node_get_source (handles.node, grip.slot);

    g_assert_cmpint (kg_source_get_cell (table, 0, X)->kind, ==, KG_SOURCE_EXPRESSION);
    g_assert_null (kg_source_get_cell (table, 0, Y));
  }
  grip = find (&handles, "table", KG_GRIP_POINT, 0, -1);
  assert_vector_near (grip.at, 0.5, 5, 6);
  grip = find_of_active (&handles, KG_GRIP_RING, 1, 2);
  g_assert_true (kg_grip_get_start (&handles, &grip, &start));
  g_assert_true (kg_grip_turn (&handles, &grip, &start, 0.5 * KG_PI, 15, &error));
  g_assert_no_error (error);
  {
    double numbers[KG_BODY_NUMBERS];

    g_assert_true (kg_body_get_numbers (&handles, &grip, numbers));
    g_assert_cmpfloat (numbers[8], ==, 90);
    g_assert_cmpfloat (numbers[5], ==, 0.25);
  }
  /* A row is added before what is computed in it is known. */
  grip = find (&handles, "table", KG_GRIP_POINT, 1, -1);
  g_assert_true (kg_grip_insert_point (&handles, &grip, kg_vector (7, 8, 9), 2, &error));
  g_assert_no_error (error);
  g_hash_table_unref (g_steal_pointer (&values));
  values = evaluate_wanted (document);
  {
    const KgHandles later = { document, get_node (document), values };

    grip = find (&later, "table", KG_GRIP_POINT, 2, -1);
    assert_vector_near (grip.at, 7, 8, 9);
  }
}

static void
test_20_164_numbers (void)
{
  g_autoptr (KgDocument) document = open_document ("\"table\": [[0, 0, 0, 1], [0, 0, 0, null]]", "soft/keys");
  const KgHandles handles = { document, get_node (document), NULL };
  KgGrip grip = find (&handles, "table", KG_GRIP_POINT, 0, -1);
  const double wrong[] = { -1, -1e-9, INFINITY, NAN };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    for (int number = A; number <= C; number++) {
      g_autoptr (GError) error = NULL;

      g_assert_false (kg_body_set_number (&handles, &grip, number, wrong[i], &error));
      g_assert_error (error, KG_ERROR, KG_ERROR_INVALID_VALUE);
      g_assert_true (strstr (error->message, kg_body_get_number_label (&grip, number)) != NULL);
    }
  g_assert_false (kg_body_set_number (&handles, &grip, X, NAN, NULL));
  assert_cells (&handles, 0, X, 0, 0, 0);
  assert_cells (&handles, 0, A, 1, NAN, NAN);
  /* Typed, a size along y is that alone; a ball stays one by that along x. */
  g_assert_true (kg_body_set_number (&handles, &grip, A, 2, NULL));
  assert_cells (&handles, 0, A, 2, NAN, NAN);
  g_assert_true (kg_body_set_number (&handles, &grip, B, 3, NULL));
  assert_cells (&handles, 0, A, 2, 3, NAN);
  g_assert_true (kg_body_set_number (&handles, &grip, X, -4, NULL));
  assert_cells (&handles, 0, X, -4, 0, 0);
  g_assert_true (kg_body_set_number (&handles, &grip, 8, 45, NULL));
  assert_cells (&handles, 0, RX, 0, 0, 45);
}

static void
test_20_164_added_and_removed (void)
{
  g_autoptr (KgDocument) document =
      open_document ("\"table\": [[{ \"keys\": [[1, 0], [9, 1]] }, 0, 0, 1, 0.5], [5, 0, 0, null, null]]", "soft/keys");
  const KgHandles handles = { document, get_node (document), NULL };
  KgGrip grip = find (&handles, "table", KG_GRIP_POINT, 0, -1);
  const KgSource *table;

  g_assert_true (kg_grip_insert_point (&handles, &grip, kg_vector (2, 1, 0), 2, NULL));
  assert_count (&handles, 3);
  assert_cells (&handles, 1, X, 2, 1, 0);
  assert_cells (&handles, 1, A, 1, 0.5, NAN);
  /* With its keys. */
  table = kg_node_get_source (handles.node, grip.slot);
  g_assert_cmpint (kg_source_get_cell (table, 1, X)->kind, ==, KG_SOURCE_KEYS);
  g_assert_true (kg_graph_undo (kg_document_get_graph (document)));
  assert_cells (&handles, 1, X, 5, 0, 0);
  g_assert_true (kg_grip_remove_point (&handles, &grip, NULL));
  assert_cells (&handles, 0, X, 5, 0, 0);
  grip = find (&handles, "table", KG_GRIP_POINT, 0, -1);
  g_assert_true (kg_grip_remove_point (&handles, &grip, NULL));
  assert_count (&handles, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bodies/20-164/found", test_20_164_found);
  g_test_add_func ("/bodies/20-164/sizes", test_20_164_sizes);
  g_test_add_func ("/bodies/20-164/places-and-angles", test_20_164_places_and_angles);
  g_test_add_func ("/bodies/20-164/numbers", test_20_164_numbers);
  g_test_add_func ("/bodies/20-164/added-and-removed", test_20_164_added_and_removed);
  return g_test_run ();
}
