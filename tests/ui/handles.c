/* tests/ui/handles: what of nodes can be taken hold of in the viewport, and what moving it writes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "handles-test.h"
#include "kg-grip-group.h"
#include "kg-handle-view.h"
#include "kg-lines-edit.h"

#include <string.h>

static guint
count (const GArray *grips, KgGripShape shape)
{
  guint n = 0;

  for (guint i = 0; i < grips->len; i++)
    n += g_array_index (grips, KgGrip, i).shape == shape;
  return n;
}

static void
test_points (void)
{
  g_autoptr (KgDocument) document = open_document ("\"points\": \"0 1\\n\\n  2, 3, 4\\n-1 -1\"", "curve/spline");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  g_autoptr (GArray) grips = kg_handles_find (&handles, NULL);
  KgGrip grip;

  g_assert_cmpuint (grips->len, ==, 3);
  grip = find (&handles, "points", KG_GRIP_POINT, 1, -1);
  g_assert_cmpfloat (grip.at.z, ==, 4);
  move (&handles, &grip, kg_vector (5, 6.5, 7), false);
  grip = find (&handles, "points", KG_GRIP_POINT, 2, -1);
  move (&handles, &grip, kg_vector (0.25, 0, 0), false);
  /* A flat point stays flat, and what is not moved stays as it is. */
  assert_text (node, "points", "0 1\n\n  5 6.5 7\n0.25 0");
}

/* Points of a lattice and of a curve, moved, turned and scaled as one; rows that are near with a share. */
static void
test_group (void)
{
  g_autoptr (KgDocument) document =
      open_document ("\"points\": \"0 0; 1 0; 2 0; 3 0; 9 0\", \"basis\": \"hermite\", \"tangents\": \"1 1; 2 0; 3 3\"",
                     "curve/spline");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (KgGrip));
  g_autoptr (KgGripGroup) group = NULL, soft = NULL;
  g_autoptr (GError) error = NULL;
  KgGroupChange change;

  for (int row = 0; row < 2; row++) {
    const KgGrip grip = find (&handles, "points", KG_GRIP_POINT, row, -1);

    g_array_append_val (chosen, grip);
  }
  group = kg_grip_group_new (&handles, chosen, false);
  change = kg_group_change_identity (kg_grip_group_get_center (group));
  g_assert_cmpfloat (change.center.x, ==, 0.5);
  /* What is done is done to how it was, however often. */
  for (int i = 0; i < 3; i++) {
    change.rotation = kg_rotation_from_axis_angle (kg_vector (0, 0, 1), 0.5 * KG_PI);
    change.translation = kg_vector (0, 1, 0);
    g_assert_true (kg_grip_group_change (group, &handles, &change, 3, &error));
    g_assert_no_error (error);
  }
  assert_text (node, "points", "0.5 0.5; 0.5 1.5; 2 0; 3 0; 9 0");
  assert_text (node, "tangents", "-1 1; 0 2; 3 3");
  change = kg_group_change_identity (kg_grip_group_get_center (group));
  change.scale = kg_vector (3, 1, 1);
  g_assert_true (kg_grip_group_change (group, &handles, &change, 3, &error));
  assert_text (node, "points", "-1 0; 2 0; 2 0; 3 0; 9 0");
  change.scale = kg_vector (1, 1, 1);
  g_assert_true (kg_grip_group_change (group, &handles, &change, 3, &error));
  assert_text (node, "points", "0 0; 1 0; 2 0; 3 0; 9 0");
  assert_text (node, "tangents", "1 1; 2 0; 3 3");
  /* Of a radius of 2 the next point has half of it left, whose share is half; that of the others is none. */
  soft = kg_grip_group_new (&handles, chosen, true);
  kg_grip_group_set_radius (soft, 2);
  g_assert_cmpfloat (kg_grip_group_get_falloff (0, 2), ==, 1);
  g_assert_cmpfloat (kg_grip_group_get_falloff (0.5, 2), ==, 0.75 * 0.75 * 1.5);
  g_assert_cmpfloat (kg_grip_group_get_falloff (2, 2), ==, 0);
  change = kg_group_change_identity (kg_vector (0, 0, 0));
  change.translation = kg_vector (0, 2, 0);
  g_assert_true (kg_grip_group_change (soft, &handles, &change, 3, &error));
  assert_text (node, "points", "0 2; 1 2; 2 1; 3 0; 9 0");
  /* What is out of reach now stands where it was. */
  kg_grip_group_set_radius (soft, 0.5);
  g_assert_true (kg_grip_group_change (soft, &handles, &change, 3, &error));
  assert_text (node, "points", "0 2; 1 2; 2 0; 3 0; 9 0");
}

/* Offsets of a lattice: those that are there are added to, others come. */
static void
test_group_of_lattice (void)
{
  g_autoptr (KgDocument) document = open_document ("\"moves\": [[0, 0, 0, 1, 0, 0]]", "deform/ffd_lattice");
  KgNode *node = get_node (document);
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles handles = { document, node, values };
  g_autoptr (GArray) grips = kg_handles_find (&handles, NULL), chosen = g_array_new (FALSE, FALSE, sizeof (KgGrip));
  g_autoptr (KgGripGroup) group = NULL;
  KgGroupChange change = kg_group_change_identity (kg_vector (0, 0, 0));

  for (guint i = 0; i < grips->len; i++)
    if (g_array_index (grips, KgGrip, i).kind == KG_HANDLE_MOVES && g_array_index (grips, KgGrip, i).row < 2)
      g_array_append_vals (chosen, &g_array_index (grips, KgGrip, i), 1);
  g_assert_cmpuint (chosen->len, ==, 2);
  group = kg_grip_group_new (&handles, chosen, false);
  for (int i = 0; i < 2; i++) {
    change.translation = kg_vector (0, 0.25, 0);
    g_assert_true (kg_grip_group_change (group, &handles, &change, 3, NULL));
  }
  assert_text (node, "moves", "0 0 0 1 0.25 0; 0 0 1 0 0.25 0");
}

/* Steps and what they start from are moved once, not twice; a ball that is scaled stays one, and turns. */
static void
test_group_of_values (void)
{
  g_autoptr (KgDocument)
      document = open_document ("\"table\": [[0, 0, 0, 1, null, null], [2, 0, 0, 0.5, 0.25, 0.25]]", "soft/keys");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (KgGrip));
  g_autoptr (KgGripGroup) group = NULL;
  KgGroupChange change = kg_group_change_identity (kg_vector (0, 0, 0));
  g_autofree char *text = NULL;

  for (int row = 0; row < 2; row++) {
    const KgGrip grip = find (&handles, "table", KG_GRIP_POINT, row, -1);

    g_array_append_val (chosen, grip);
  }
  group = kg_grip_group_new (&handles, chosen, false);
  change.scale = kg_vector (2, 2, 2);
  change.rotation = kg_rotation_from_axis_angle (kg_vector (0, 0, 1), 0.5 * KG_PI);
  for (int i = 0; i < 2; i++)
    g_assert_true (kg_grip_group_change (group, &handles, &change, 3, NULL));
  text = dup_text (node, "table");
  g_assert_true (g_str_has_prefix (text, "0 0 0 2 - - - - 0 0 90"));
  g_assert_nonnull (strstr (text, "\n0 4 0 1 0.5 0.5 - - 0 0 90"));
}

/* Pairs of lines: drawn, moved, removed; a second line that says nothing is as the first. */
static void
test_lines (void)
{
  g_autoptr (KgDocument) document = open_document ("\"amount\": 0.25", "morph/image");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  const int slot = kg_lines_find_slot (&handles);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) pairs = NULL;
  KgGrip grip;
  guint row;

  g_assert_cmpint (slot, >=, 0);
  g_assert_true (kg_lines_draw (&handles, (guint) slot, kg_vector (0.5, 0.25, 0), 3, &row, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (row, ==, 1);
  grip = find (&handles, "lines", KG_GRIP_POINT, (int) row, -1);
  move (&handles, &grip, kg_vector (1, 0.5, 0), false);
  assert_text (node, "lines", "0.5 0.25 1 0.5");
  grip = find (&handles, "lines", KG_GRIP_POINT, 3, -1);
  g_assert_cmpfloat (grip.at.x, ==, 1);
  g_assert_true (grip.second);
  move (&handles, &grip, kg_vector (1, -0.5, 0), false);
  assert_text (node, "lines", "0.5 0.25 1 0.5 - - 1 -0.5");
  g_assert_true (kg_grip_insert_point (&handles, &grip, kg_vector (1, -0.75, 0), 3, &error));
  assert_text (node, "lines", "0.5 0.25 1 0.5 - - 1 -0.5; 0.5 0 1 0.25 - - 1 -0.75");
  grip = find (&handles, "lines", KG_GRIP_POINT, KG_LINES_ENDS + 1, -1);
  move (&handles, &grip, kg_vector (0.75, 1, 0), false);
  pairs = kg_lines_find (&handles, (guint) slot);
  g_assert_cmpuint (pairs->len, ==, 2);
  g_assert_true (g_array_index (pairs, KgLinePair, 0).crossed[0] && g_array_index (pairs, KgLinePair, 1).crossed[0]);
  g_assert_false (g_array_index (pairs, KgLinePair, 0).crossed[1]);
  g_assert_true (kg_grip_remove_point (&handles, &grip, &error));
  assert_text (node, "lines", "0.5 0.25 1 0.5 - - 1 -0.5");
}

static void
test_point_count (void)
{
  g_autoptr (KgDocument) document = open_document (
      "\"points\": \"0 0; 1 0; 2 0\", \"basis\": \"hermite\", \"tangents\": \"1 1; 2 2; 3 3\"", "curve/spline");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  KgGrip grip = find (&handles, "points", KG_GRIP_POINT, 1, -1);

  g_assert_true (kg_grip_insert_point (&handles, &grip, kg_vector (1.5, 0.5, 0), 2, NULL));
  assert_text (node, "points", "0 0; 1 0; 1.5 0.5; 2 0");
  /* The tangents stay with their points. */
  assert_text (node, "tangents", "1 1; 2 2; 3 3; 3 3");
  g_assert_true (kg_grip_remove_point (&handles, &grip, NULL));
  assert_text (node, "points", "0 0; 1.5 0.5; 2 0");
  assert_text (node, "tangents", "1 1; 3 3; 3 3");
  g_assert_true (kg_graph_undo (kg_document_get_graph (document)));
  g_assert_true (kg_graph_undo (kg_document_get_graph (document)));
  assert_text (node, "points", "0 0; 1 0; 2 0");
  assert_text (node, "tangents", "1 1; 2 2; 3 3");
}

/* A point of a Bezier curve takes its handles along, comes with handles, and goes with them. */
static void
test_bezier (void)
{
  g_autoptr (KgDocument) document = open_document (
      "\"points\": \"0 0\\n0 1\\n2 1\\n2 0\\n2 -1\\n4 -1\\n4 0\", \"basis\": \"bezier\"", "curve/spline");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  KgGrip grip = find (&handles, "points", KG_GRIP_POINT, 3, -1);
  g_autofree char *text = NULL;

  g_assert_false (grip.minor);
  move (&handles, &grip, kg_vector (2.5, 0.5, 0), false);
  assert_text (node, "points", "0 0\n0 1\n2.5 1.5\n2.5 0.5\n2.5 -0.5\n4 -1\n4 0");
  grip = find (&handles, "points", KG_GRIP_POINT, 1, -1);
  g_assert_true (grip.minor);
  move (&handles, &grip, kg_vector (0, 2, 0), false);
  assert_text (node, "points", "0 0\n0 2\n2.5 1.5\n2.5 0.5\n2.5 -0.5\n4 -1\n4 0");
  /* A handle is not removed by itself. */
  g_assert_false (kg_grip_remove_point (&handles, &grip, NULL));
  grip = find (&handles, "points", KG_GRIP_POINT, 3, -1);
  g_assert_true (kg_grip_remove_point (&handles, &grip, NULL));
  assert_text (node, "points", "0 0\n0 2\n4 -1\n4 0");
  grip = find (&handles, "points", KG_GRIP_POINT, 0, -1);
  g_assert_true (kg_grip_insert_point (&handles, &grip, kg_vector (2, 1, 0), 3, NULL));
  assert_text (node, "points", "0 0\n0 2\n1 1\n2 1\n3 1\n4 -1\n4 0");
  grip = find (&handles, "points", KG_GRIP_POINT, 6, -1);
  g_assert_true (kg_grip_insert_point (&handles, &grip, kg_vector (6, 0, 0), 3, NULL));
  text = dup_text (node, "points");
  g_assert_true (g_str_has_prefix (text, "0 0 0\n0 2 0\n1 1 0\n2 1 0\n3 1 0\n4 -1 0\n4 0 0\n4 1 0\n"));
  g_assert_true (g_str_has_suffix (text, "\n6 0 0"));
}

/* Handles of tangents are a third of them away; the incoming one is where the outgoing one is not, until it is torn off. */
static void
test_tangents (void)
{
  g_autoptr (KgDocument) document =
      open_document ("\"points\": \"0 0\\n3 0\\n6 0\", \"basis\": \"hermite\", \"tangents\": \"0 3\"", "curve/spline");
  KgNode *node = get_node (document);
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles handles = { document, node, values };
  KgGrip grip = find (&handles, "tangents", KG_GRIP_POINT, 0, -1);

  g_assert_cmpfloat (grip.at.y, ==, 1);
  grip = find (&handles, "tangents_in", KG_GRIP_POINT, 0, -1);
  g_assert_cmpfloat (grip.at.y, ==, -1);
  /* The second point has the tangent of Catmull and Rom: half the way from neighbour to neighbour. */
  grip = find (&handles, "tangents", KG_GRIP_POINT, 1, -1);
  g_assert_cmpfloat (grip.at.x, ==, 4);
  /* Dragging the third one writes the second one as it is. */
  grip = find (&handles, "tangents", KG_GRIP_POINT, 2, -1);
  move (&handles, &grip, kg_vector (6, 2, 0), false);
  assert_text (node, "tangents", "0 3\n3 0 0\n0 6 0");
  grip = find (&handles, "tangents_in", KG_GRIP_POINT, 2, -1);
  move (&handles, &grip, kg_vector (6, 1, 0), false);
  assert_text (node, "tangents", "0 3\n3 0 0\n0 -3 0");
  grip = find (&handles, "tangents_in", KG_GRIP_POINT, 0, -1);
  move (&handles, &grip, kg_vector (-2, 0, 0), true);
  assert_text (node, "tangents", "0 3\n3 0 0\n0 -3 0");
  assert_text (node, "tangents_in", "6 0 0");
}

static void
test_tension (void)
{
  g_autoptr (KgDocument)
      document = open_document ("\"basis\": \"kochanek-bartels\", \"tension\": 0.5, \"bias\": -0.25", "curve/spline");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  const KgGrip grip = find (&handles, "points", KG_GRIP_POINT, 1, -1);
  const int slot = kg_grip_find_numbers (&grip, -1);
  g_autoptr (GArray) numbers = NULL;

  g_assert_cmpint (slot, ==, kg_node_find_slot (node, "tcb"));
  g_assert_cmpint (kg_grip_find_numbers (&grip, slot), ==, -1);
  numbers = kg_grip_get_numbers (&handles, &grip, (guint) slot);
  g_assert_cmpuint (numbers->len, ==, 3);
  g_assert_cmpfloat (g_array_index (numbers, double, 0), ==, 0.5);
  g_assert_true (kg_grip_set_number (&handles, &grip, (guint) slot, 1, 1, NULL));
  assert_text (node, "tcb", "0.5 0 -0.25\n0.5 1 -0.25");
}

static void
test_lattice (void)
{
  g_autoptr (KgDocument)
      document = open_document ("\"l\": 1, \"m\": 1, \"n\": 2, \"moves\": \"0 1 2 0.5 0 0\"", "deform/ffd_lattice");
  KgNode *node = get_node (document);
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles handles = { document, node, values };
  KgGrip grip = find (&handles, "moves", KG_GRIP_POINT, 5, -1);

  /* 0 1 2 of two by two by three, in a frame from -1 to 1. */
  g_assert_cmpfloat (grip.at.x, ==, -0.5);
  g_assert_cmpfloat (grip.at.y, ==, 1);
  g_assert_cmpfloat (grip.at.z, ==, 1);
  move (&handles, &grip, kg_vector (-0.5, 1.25, 1), false);
  assert_text (node, "moves", "0 1 2 0.5 0.25 0");
  grip = find (&handles, "moves", KG_GRIP_POINT, 0, -1);
  move (&handles, &grip, kg_vector (-1, -1, -2), false);
  assert_text (node, "moves", "0 1 2 0.5 0.25 0\n0 0 0 0 0 -1");
  /* One that is moved back leaves no row. */
  grip.at.z = -2;
  move (&handles, &grip, kg_vector (-1, -1, -1), false);
  assert_text (node, "moves", "0 1 2 0.5 0.25 0");
}

static void
test_vector (void)
{
  g_autoptr (KgDocument) document = open_document ("\"center\": [1, 2, 0]", "geometry/circle");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  g_autoptr (GArray) grips = kg_handles_find (&handles, NULL);
  const KgValue there = kg_value_vector (kg_vector (1, 2, 0));
  KgGrip grip;

  g_assert_cmpuint (grips->len, ==, 1);
  /* Where there are keys, dragging makes one. */
  g_assert_true (kg_input_set_key (node, (guint) kg_node_find_slot (node, "center"), 1, &there, NULL));
  kg_document_set_frame (document, 11);
  grip = find (&handles, "center", KG_GRIP_POINT, -1, -1);
  move (&handles, &grip, kg_vector (9, 9, 0), false);
  assert_vector (node, "center", 1, 1, 2, 0);
  assert_vector (node, "center", 11, 9, 9, 0);
}

/* The active point has arrows. */
static void
test_active (void)
{
  g_autoptr (KgDocument) document = open_document ("", "geometry/line");
  const KgHandles handles = { document, get_node (document), NULL };
  const KgGrip end = find (&handles, "end", KG_GRIP_POINT, -1, -1);
  g_autoptr (GArray) none = kg_handles_find (&handles, NULL), some = kg_handles_find (&handles, &end);

  g_assert_cmpuint (count (none, KG_GRIP_AXIS), ==, 0);
  g_assert_cmpuint (count (some, KG_GRIP_AXIS), ==, 3);
}

static void
test_size (void)
{
  g_autoptr (KgDocument) document = open_document ("\"size\": [2, 4, 6], \"center\": [1, 1, 1]", "geometry/box");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  KgGrip grip = find (&handles, "size", KG_GRIP_POINT, -1, -1);

  g_assert_cmpfloat (grip.at.y, ==, 3);
  move (&handles, &grip, kg_vector (1.5, 3, 4), false);
  assert_vector (node, "size", 1, 1, 4, 6);
}

static void
test_transform (void)
{
  g_autoptr (KgDocument) document =
      open_document ("\"translate\": [1, 0, 0], \"pivot\": [0, 2, 0], \"rotate\": [0, 0, 90], \"scale\": [2, 1, 1]",
                     "geometry/transform");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  g_autoptr (GArray) grips = kg_handles_find (&handles, NULL);
  g_auto (KgValue) start = KG_VALUE_INIT;
  KgGrip grip;

  /* Where it is moved to and the pivot; the transform that follows is not set. */
  g_assert_cmpuint (count (grips, KG_GRIP_POINT), ==, 2);
  g_assert_cmpuint (count (grips, KG_GRIP_RING), ==, 3);
  g_assert_cmpuint (count (grips, KG_GRIP_FACTOR), ==, 3);
  grip = find (&handles, "translate", KG_GRIP_AXIS, -1, 1);
  g_assert_cmpfloat (grip.at.x, ==, 1);
  g_assert_cmpfloat (grip.at.y, ==, 2);
  move (&handles, &grip, kg_vector (1, 2.5, 0), false);
  assert_vector (node, "translate", 1, 1, 0.5, 0);
  /* Turned by a quarter about z, the x axis of the angles and of the factors points up. */
  grip = find (&handles, "rotate", KG_GRIP_RING, -1, 0);
  g_assert_cmpfloat_with_epsilon (grip.direction.y, 1, 1e-12);
  g_assert_true (kg_grip_get_start (&handles, &grip, &start));
  g_assert_true (kg_grip_turn (&handles, &grip, &start, -400.04 * KG_DEGREE, 0.1, NULL));
  assert_vector (node, "rotate", 1, -400, 0, 90);
  kg_value_clear (&start);
  grip = find (&handles, "rotate", KG_GRIP_RING, -1, 2);
  g_assert_true (kg_grip_get_start (&handles, &grip, &start));
  g_assert_true (kg_grip_turn (&handles, &grip, &start, 20 * KG_DEGREE, 15, NULL));
  assert_vector (node, "rotate", 1, -400, 0, 105);
  kg_value_clear (&start);
  grip = find (&handles, "scale", KG_GRIP_FACTOR, -1, 0);
  g_assert_true (kg_grip_get_start (&handles, &grip, &start));
  g_assert_true (kg_grip_scale (&handles, &grip, &start, 1.234, 0.01, NULL));
  assert_vector (node, "scale", 1, 2.47, 1, 1);
}

/* The turn of a ring is what the geometry turns by: the axis it is drawn about stays in place. */
/* With the numbers that the input has: of what starts elsewhere not the place where it ends. */
static void
test_labels (void)
{
  static const struct {
    const char *inputs, *type, *labels[3];
  } cases[] = {
    { "\"translate\": [1, 0, 0], \"pivot\": [0, 2, 0]",
      "geometry/transform",
      { "Translate  1, 0, 0", "Rotate x  0", "Rotate y  0" } },
    { "\"size\": [2, 4, 6], \"center\": [1, 1, 1]", "geometry/box", { "Size  2, 4, 6", "Centre  1, 1, 1", NULL } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (KgDocument) document = open_document (cases[i].inputs, cases[i].type);
    g_autoptr (KgHandleView) view = kg_handle_view_new (document);

    kg_document_select (document, get_node (document), false);
    for (guint k = 0; k < 3 && cases[i].labels[k] != NULL; k++) {
      g_autofree char *text = NULL;

      g_assert_true (kg_handle_view_step (view, 1));
      text = kg_handle_view_dup_text (view);
      g_assert_cmpstr (text, ==, cases[i].labels[k]);
    }
  }
}

static void
test_rings_are_axes (void)
{
  for (int axis = 0; axis < 3; axis++) {
    g_autoptr (KgDocument) document = open_document ("\"rotate\": [20, 30, 40]", "geometry/transform");
    const KgHandles handles = { document, get_node (document), NULL };
    const KgGrip grip = find (&handles, "rotate", KG_GRIP_RING, -1, axis);
    g_auto (KgValue) start = KG_VALUE_INIT, after = KG_VALUE_INIT;
    KgRotation from, to, by, expected;

    g_assert_true (kg_grip_get_start (&handles, &grip, &start));
    g_assert_true (kg_grip_turn (&handles, &grip, &start, 10 * KG_DEGREE, 0.1, NULL));
    g_assert_true (kg_grip_get_start (&handles, &grip, &after));
    from = kg_rotation_from_angles (kg_vector_scale (start.vector, KG_DEGREE));
    to = kg_rotation_from_angles (kg_vector_scale (after.vector, KG_DEGREE));
    by = kg_rotation_multiply (to, kg_rotation_conjugate (from));
    expected = kg_rotation_from_axis_angle (grip.direction, 10 * KG_DEGREE);
    g_assert_cmpfloat_with_epsilon (by.w, expected.w, 1e-12);
    g_assert_cmpfloat_with_epsilon (by.x, expected.x, 1e-12);
    g_assert_cmpfloat_with_epsilon (by.y, expected.y, 1e-12);
    g_assert_cmpfloat_with_epsilon (by.z, expected.z, 1e-12);
  }
}

/* A transform as a whole is moved, turned in its place, and scaled along its own axes. */
static void
test_matrix (void)
{
  g_autoptr (KgDocument) document =
      open_document ("\"transform\": [0, -1, 0, 5, 1, 0, 0, 6, 0, 0, 1, 7, 0, 0, 0, 1]", "geometry/transform");
  KgNode *node = get_node (document);
  const KgHandles handles = { document, node, NULL };
  g_auto (KgValue) start = KG_VALUE_INIT, value = KG_VALUE_INIT;
  KgGrip grip = find (&handles, "transform", KG_GRIP_FACTOR, -1, 0);

  g_assert_cmpfloat (grip.at.z, ==, 7);
  g_assert_cmpfloat (grip.direction.y, ==, 1);
  g_assert_true (kg_grip_get_start (&handles, &grip, &start));
  g_assert_true (kg_grip_scale (&handles, &grip, &start, 2, 0.01, NULL));
  g_assert_true (kg_grip_get_start (&handles, &grip, &value));
  g_assert_cmpfloat (value.transform->m[1][0], ==, 2);
  g_assert_cmpfloat (value.transform->m[0][1], ==, -1);
  g_assert_cmpfloat (value.transform->m[1][3], ==, 6);
  /* A quarter more about z: the x axis, two long, points to the left. */
  grip = find (&handles, "transform", KG_GRIP_RING, -1, 2);
  g_assert_true (kg_grip_turn (&handles, &grip, &value, 90 * KG_DEGREE, 0.1, NULL));
  kg_value_clear (&value);
  g_assert_true (kg_grip_get_start (&handles, &grip, &value));
  g_assert_cmpfloat_with_epsilon (value.transform->m[0][0], -2, 1e-12);
  g_assert_cmpfloat (value.transform->m[0][3], ==, 5);
  grip = find (&handles, "transform", KG_GRIP_POINT, -1, -1);
  move (&handles, &grip, kg_vector (1, 2, 3), false);
  kg_value_clear (&value);
  g_assert_true (kg_grip_get_start (&handles, &grip, &value));
  g_assert_cmpfloat (value.transform->m[2][3], ==, 3);
  g_assert_cmpfloat_with_epsilon (value.transform->m[0][0], -2, 1e-12);
}

/* Where a point is before it is moved, only the node knows. */
static void
test_reported (void)
{
  g_autoptr (KgDocument) document = open_document (
      "\"geometry\": { \"link\": \"f.figure\" }, \"point\": 1, \"offset\": [0, 0.5, 0]", "deform/move_points");
  KgNode *node = get_node (document);
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles unknown = { document, node, NULL }, handles = { document, node, values };
  g_autoptr (GArray) none = kg_handles_find (&unknown, NULL);
  g_auto (KgValue) figure = KG_VALUE_INIT;
  KgEvaluator *evaluator = kg_evaluator_new (kg_document_get_graph (document), NULL);
  KgNode *source = kg_graph_find (kg_document_get_graph (document), "f");
  const float *p;
  KgGrip grip;

  g_assert_true (
      kg_evaluator_evaluate (evaluator, source, (guint) kg_node_find_slot (source, "figure"), 0, NULL, &figure, NULL));
  kg_evaluator_free (evaluator);
  p = kg_geometry_get_positions (figure.geometry) + 3;
  g_assert_cmpuint (none->len, ==, 0);
  grip = find (&handles, "offset", KG_GRIP_POINT, -1, -1);
  g_assert_cmpfloat (grip.anchor.x, ==, (double) p[0]);
  g_assert_cmpfloat (grip.anchor.y, ==, (double) p[1]);
  g_assert_cmpfloat (grip.at.y, ==, (double) p[1] + 0.5);
  move (&handles, &grip, kg_vector (p[0] + 0.25, p[1] - 1, p[2]), false);
  g_assert_cmpfloat (kg_node_get_source (node, grip.slot)->constant.vector.x, ==, 0.25);
  g_assert_cmpfloat (kg_node_get_source (node, grip.slot)->constant.vector.y, ==, -1);
}

/* What is linked is shown where it is, and stays there. */
static void
test_linked (void)
{
  g_autoptr (KgDocument) document = open_document ("\"goal\": { \"link\": \"v.output\" }", "rig/ik_two_bone");
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles unknown = { document, get_node (document), NULL }, known = { document, get_node (document), values };
  g_autoptr (GArray) before = kg_handles_find (&unknown, NULL), after = kg_handles_find (&known, NULL);
  g_auto (KgValue) start = KG_VALUE_INIT;
  const KgGrip grip = find (&known, "goal", KG_GRIP_POINT, -1, -1);

  g_assert_cmpuint (after->len, ==, before->len + 1);
  g_assert_true (grip.locked);
  g_assert_cmpfloat (grip.at.x, ==, 3);
  g_assert_false (kg_grip_get_start (&known, &grip, &start));
}

/* Inputs that the node does not read as things are have no handles. */
static void
test_idle (void)
{
  g_autoptr (KgDocument) document = open_document ("", "curve/spline");
  KgGraph *graph = kg_document_get_graph (document);
  KgNode *line = kg_graph_add (graph, "geometry/line", NULL, 0, 0, NULL);
  const KgHandles handles = { document, get_node (document), NULL }, nothing = { document, NULL, NULL };
  g_autoptr (GArray) before = kg_handles_find (&handles, NULL), none = kg_handles_find (&nothing, NULL);
  g_autoptr (GArray) after = NULL;

  g_assert_cmpuint (before->len, ==, 4);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_true (kg_graph_link (graph, line, "geometry", handles.node, "control", NULL));
  after = kg_handles_find (&handles, NULL);
  g_assert_cmpuint (after->len, ==, 0);
}

/* The frame along a path. */
static void
test_frames (void)
{
  g_autoptr (KgDocument) document = open_document ("", "curve/evaluate");
  KgGraph *graph = kg_document_get_graph (document);
  KgNode *line = kg_graph_add (graph, "geometry/line", NULL, 0, 0, NULL);
  g_autoptr (GHashTable) values = NULL;
  g_autoptr (GArray) frames = NULL;
  KgHandles handles = { document, get_node (document), NULL };

  g_assert_true (kg_graph_link (graph, line, "geometry", handles.node, "geometry", NULL));
  values = evaluate_wanted (document);
  handles.values = values;
  frames = kg_handles_find_frames (&handles);
  g_assert_cmpuint (frames->len, ==, 1);
  g_assert_cmpfloat (g_array_index (frames, KgTransform, 0).m[0][3], ==, -1);
}

static void
test_rounding (void)
{
  KgVector v;

  g_assert_cmpint (kg_handles_get_decimals (0.004), ==, 3);
  g_assert_cmpint (kg_handles_get_decimals (0.01), ==, 2);
  g_assert_cmpint (kg_handles_get_decimals (30), ==, -1);
  g_assert_cmpint (kg_handles_get_decimals (0), >, 0);
  v = kg_handles_round (kg_vector (0.123456, 1.0004, -0.0001), kg_vector (0, 1.00023, 0.5), 3);
  g_assert_cmpfloat (v.x, ==, 0.123);
  g_assert_cmpfloat (v.y, ==, 1.00023);
  g_assert_cmpfloat (v.z, ==, 0);
  g_assert_false (signbit (v.z));
  g_assert_cmpfloat (kg_handles_get_snap (0.004), ==, 0.05);
  v = kg_handles_snap (kg_vector (0.34, -0.071, 12), 0.05);
  g_assert_cmpfloat (v.x, ==, 0.35);
  g_assert_cmpfloat (v.y, ==, -0.05);
  g_assert_cmpfloat (v.z, ==, 12);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/handles/points", test_points);
  g_test_add_func ("/handles/point-count", test_point_count);
  g_test_add_func ("/handles/group", test_group);
  g_test_add_func ("/handles/group-of-lattice", test_group_of_lattice);
  g_test_add_func ("/handles/group-of-values", test_group_of_values);
  g_test_add_func ("/handles/lines", test_lines);
  g_test_add_func ("/handles/bezier", test_bezier);
  g_test_add_func ("/handles/tangents", test_tangents);
  g_test_add_func ("/handles/tension", test_tension);
  g_test_add_func ("/handles/lattice", test_lattice);
  g_test_add_func ("/handles/vector", test_vector);
  g_test_add_func ("/handles/active", test_active);
  g_test_add_func ("/handles/size", test_size);
  g_test_add_func ("/handles/transform", test_transform);
  g_test_add_func ("/handles/labels", test_labels);
  g_test_add_func ("/handles/rings-are-axes", test_rings_are_axes);
  g_test_add_func ("/handles/matrix", test_matrix);
  g_test_add_func ("/handles/reported", test_reported);
  g_test_add_func ("/handles/linked", test_linked);
  g_test_add_func ("/handles/idle", test_idle);
  g_test_add_func ("/handles/frames", test_frames);
  g_test_add_func ("/handles/rounding", test_rounding);
  return g_test_run ();
}
