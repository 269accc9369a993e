/* tests/ui/figure: drawing figures of rods in the viewport, and taking hold of what moves by itself.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "handles-test.h"
#include "kg-figure-edit.h"
#include "kg-grab.h"
#include "kg-part-edit.h"
#include "kg-stroke.h"

/* The figure of the defaults: points "-0.5 0\n0 0\n0.4 0.3", rods "0 1\n1 2", hinge "0 1 2 -90 90". */

static void
undo (KgDocument *document)
{
  g_assert_true (kg_graph_undo (kg_document_get_graph (document)));
}

static void
assert_figure (KgDocument *document, const char *points, const char *rods, const char *hinges, const char *pins)
{
  assert_text (get_node (document), "points", points);
  assert_text (get_node (document), "rods", rods);
  assert_text (get_node (document), "hinges", hinges);
  assert_text (get_node (document), "pins", pins);
}

static void
test_points (void)
{
  g_autoptr (KgDocument) document = open_document ("", "rig/wire_figure");
  const KgHandles handles = { document, get_node (document), NULL };
  g_autoptr (GError) error = NULL;
  KgGrip end = find (&handles, "points", KG_GRIP_POINT, 2, -1);
  guint row;

  g_assert_false (end.joined);
  g_assert_true (kg_figure_is_flat (&handles));
  g_assert_true (kg_figure_add_point (&handles, &end, kg_vector (1, 1.00049, 0), 3, &row, &error));
  g_assert_cmpuint (row, ==, 3);
  assert_figure (document, "-0.5 0\n0 0\n0.4 0.3\n1 1", "0 1\n1 2\n2 3", "0 1 2 -90 90", "");
  g_assert_true (kg_figure_add_point (&handles, NULL, kg_vector (2, 1, 0.5), 3, &row, &error));
  assert_figure (document, "-0.5 0\n0 0\n0.4 0.3\n1 1\n2 1 0.5", "0 1\n1 2\n2 3", "0 1 2 -90 90", "");
  g_assert_false (kg_figure_is_flat (&handles));
  undo (document);
  /* Point and rod are one step. */
  undo (document);
  assert_figure (document, "-0.5 0\n0 0\n0.4 0.3", "0 1\n1 2", "0 1 2 -90 90", "");
  g_assert_no_error (error);
}

static void
test_removed_point (void)
{
  g_autoptr (KgDocument) document = open_document ("\"pins\": \"0\\n2\"", "rig/wire_figure");
  const KgHandles handles = { document, get_node (document), NULL };
  g_autoptr (GError) error = NULL;
  KgGrip first = find (&handles, "points", KG_GRIP_POINT, 0, -1);

  g_assert_true (kg_grip_remove_point (&handles, &first, &error));
  assert_figure (document, "0 0\n0.4 0.3", "0 1", "", "1");
  undo (document);
  assert_figure (document, "-0.5 0\n0 0\n0.4 0.3", "0 1\n1 2", "0 1 2 -90 90", "0\n2");
  g_assert_true (kg_grip_insert_point (&handles, &first, kg_vector (-0.25, 0.5, 0), 3, &error));
  assert_figure (document, "-0.5 0\n-0.25 0.5\n0 0\n0.4 0.3", "0 2\n2 3", "0 2 3 -90 90", "0\n3");
  g_assert_no_error (error);
}

static void
test_rods (void)
{
  g_autoptr (KgDocument) document = open_document ("\"rods\": \"0 1\\n2 1 0.5 2\"", "rig/wire_figure");
  const KgHandles handles = { document, get_node (document), NULL };
  g_autoptr (GError) error = NULL;
  KgGrip grips[3];

  for (int i = 0; i < 3; i++)
    grips[i] = find (&handles, "points", KG_GRIP_POINT, i, -1);
  g_assert_true (kg_figure_toggle_rod (&handles, &grips[0], &grips[2], &error));
  assert_text (get_node (document), "rods", "0 1\n2 1 0.5 2\n0 2");
  /* Whichever end comes first, and whatever else stands in the row. */
  g_assert_true (kg_figure_toggle_rod (&handles, &grips[1], &grips[2], &error));
  assert_text (get_node (document), "rods", "0 1\n0 2");
  g_assert_false (kg_figure_toggle_rod (&handles, &grips[1], &grips[1], &error));
  g_assert_no_error (error);
}

static void
test_hinges (void)
{
  g_autoptr (KgDocument) document = open_document (
      "\"points\": \"0 0\\n1 0\\n1 1\\n2 0\", \"rods\": \"0 1\\n1 2\\n1 3\", \"hinges\": \"\"", "rig/wire_figure");
  const KgHandles handles = { document, get_node (document), NULL };
  static const char *const cycle[] = { "0 1 2 45 135", "0 1 3 -45 45", "2 1 3 45 135", "", "0 1 2 45 135" };
  const KgGrip joint = find (&handles, "points", KG_GRIP_POINT, 1, -1);
  const KgGrip end = find (&handles, "points", KG_GRIP_POINT, 3, -1);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cycle); i++) {
    g_assert_true (kg_figure_toggle_hinge (&handles, &joint, &error));
    assert_text (get_node (document), "hinges", cycle[i]);
  }
  g_assert_false (kg_figure_toggle_hinge (&handles, &end, &error));
  g_assert_nonnull (strstr (error->message, "point 3"));
  assert_text (get_node (document), "hinges", "0 1 2 45 135");
}

/* Bodies lose a corner, and then go; masses stay with what they belong to. */
static void
test_bodies (void)
{
  g_autoptr (KgDocument)
      document = open_document ("\"points\": \"0 0 0 5\\n1 0\\n1 1\\n0 1\", \"rods\": \"0 1\\n2 3\", \"hinges\": \"\", "
                                "\"bodies\": \"0 1 2 3\\n1 2 3\", \"masses\": \"1 2 30 40\"",
                                "rig/wire_figure");
  const KgHandles handles = { document, get_node (document), NULL };
  KgGrip grips[4];
  guint row;

  /* The mass behind a point is kept when that moves. */
  grips[0] = find (&handles, "points", KG_GRIP_POINT, 0, -1);
  move (&handles, &grips[0], kg_vector (-1, 0, 0), false);
  assert_text (get_node (document), "points", "-1 0 0 5\n1 0\n1 1\n0 1");
  for (int i = 0; i < 4; i++)
    grips[i] = find (&handles, "points", KG_GRIP_POINT, i, -1);
  g_assert_true (kg_figure_add_point (&handles, &grips[3], kg_vector (0, 2, 0), 3, &row, NULL));
  assert_text (get_node (document), "masses", "1 2 0 30 40");
  g_assert_true (kg_figure_toggle_rod (&handles, &grips[0], &grips[1], NULL));
  assert_text (get_node (document), "masses", "2 0 30 40");
  g_assert_true (kg_grip_remove_point (&handles, &grips[3], NULL));
  assert_text (get_node (document), "rods", "");
  assert_text (get_node (document), "bodies", "0 1 2");
  assert_text (get_node (document), "masses", "30");
  for (int i = 0; i < 3; i++)
    undo (document);
  assert_text (get_node (document), "masses", "1 2 30 40");
}

static void
test_pins (void)
{
  g_autoptr (KgDocument) document = open_document ("", "rig/wire_figure");
  const KgHandles handles = { document, get_node (document), NULL };
  const KgGrip grip = find (&handles, "points", KG_GRIP_POINT, 2, -1);

  g_assert_true (kg_figure_toggle_mark (&handles, &grip, NULL));
  assert_text (get_node (document), "pins", "2");
  g_assert_true (kg_figure_toggle_mark (&handles, &grip, NULL));
  assert_text (get_node (document), "pins", "");
}

/* Points that are typed count on from those that are linked. */
static void
test_linked (void)
{
  g_autoptr (KgDocument) document =
      open_document ("\"geometry\": { \"link\": \"f.figure\" }, \"points\": \"1 1\\n2 1\", \"rods\": \"2 3\\n3 4\", "
                     "\"hinges\": \"\"",
                     "rig/wire_figure");
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles blind = { document, get_node (document), NULL }, handles = { document, get_node (document), values };
  const KgGrip last = find (&handles, "points", KG_GRIP_POINT, 1, -1);
  g_autoptr (GArray) none = kg_figure_find_lines (&blind), lines = kg_figure_find_lines (&handles);
  const KgFigureLine *line = &g_array_index (lines, KgFigureLine, 0);
  guint row;

  /* Nothing is known of the numbers before the first evaluation. */
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_false (kg_figure_add_point (&blind, &last, kg_vector (3, 1, 0), 3, &row, NULL));
  g_assert_cmpuint (lines->len, ==, 2);
  g_assert_cmpuint (kg_figure_get_number (&handles, &last), ==, 4);
  g_assert_cmpfloat_with_epsilon (line->at[0].x, 0.4, 1e-6);
  g_assert_cmpfloat (line->at[1].x, ==, 1);
  g_assert_true (kg_figure_add_point (&handles, &last, kg_vector (3, 1, 0), 3, &row, NULL));
  assert_text (get_node (document), "rods", "2 3\n3 4\n4 5");
}

/* Grabbing. */

static KgDocument *
open_simulation (void)
{
  return open_document ("\"geometry\": { \"link\": \"f.figure\" }, \"gravity\": [0, 0, 0], \"space\": \"space\"",
                        "sim/skeleton_dynamics");
}

static KgVector
get_place (KgDocument *document, double frame, guint point)
{
  KgGraph *graph = kg_document_get_graph (document);
  g_autoptr (KgEvaluator) evaluator = kg_evaluator_new (graph, NULL);
  KgNode *node = get_node (document);
  g_auto (KgValue) value = KG_VALUE_INIT;
  const float *p;

  g_assert_true (kg_evaluator_evaluate (evaluator, node, (guint) kg_node_find_slot (node, "figure"),
                                        kg_graph_frame_to_time (graph, frame), NULL, &value, NULL));
  p = kg_geometry_get_positions (value.geometry) + 3 * point;
  return kg_vector ((double) p[0], (double) p[1], (double) p[2]);
}

/* Drags the last point by 0.1 m a frame from frame 5 to 8, as playing does that leaves out frame 7. */
static void throw (KgDocument * document, KgGrab *grab)
{
  g_autoptr (GHashTable) values = NULL;
  g_autoptr (GError) error = NULL;
  KgHandles handles = { document, get_node (document), NULL };
  KgGrip grip;

  kg_document_set_frame (document, 5);
  values = evaluate_wanted (document);
  handles.values = values;
  grip = find (&handles, "grab_to", KG_GRIP_POINT, 2, -1);
  g_assert_cmpfloat_with_epsilon (grip.at.x, 0.4, 1e-6);
  for (int frame = 5; frame <= 8; frame += frame == 6 ? 2 : 1) {
    kg_document_set_frame (document, frame);
    g_assert_true (kg_grab_hold (grab, &grip, kg_vector (0.4 + 0.1 * (frame - 5), 0.3, 0.25), &error));
  }
  g_assert_no_error (error);
  g_assert_true (kg_grab_is_holding (grab));
  kg_grab_release (grab);
  g_assert_false (kg_grab_is_holding (grab));
}

static void
assert_held (KgDocument *document, double frame, bool expected)
{
  KgNode *node = get_node (document);
  g_auto (KgValue) value = KG_VALUE_INIT;

  g_assert_true (kg_input_get_value (node, (guint) kg_node_find_slot (node, "grab"), frame, &value));
  g_assert_cmpint (value.boolean, ==, expected);
}

static void
test_throw (void)
{
  g_autoptr (KgDocument) document = open_simulation ();
  g_autoptr (KgGrab) grab = kg_grab_new (document);
  KgVector at, next;

  kg_grab_set_recording (grab, true);
  throw (document, grab);
  for (int frame = 1; frame <= 10; frame++)
    assert_held (document, frame, frame >= 5 && frame <= 8);
  /* Where the hand was, to the last bit of a float. */
  at = get_place (document, 6, 2);
  g_assert_cmpfloat (at.x, ==, (double) 0.5f);
  g_assert_cmpfloat (at.z, ==, (double) 0.25f);
  at = get_place (document, 8, 2);
  g_assert_cmpfloat (at.x, ==, (double) 0.7f);
  /* It was at rest before, and flies on after. */
  at = get_place (document, 4, 2);
  g_assert_cmpfloat_with_epsilon (at.x, 0.4, 1e-6);
  at = get_place (document, 10, 2);
  next = get_place (document, 11, 2);
  g_assert_cmpfloat (next.x - at.x, >, 0.02);
  /* All of it is one step. */
  undo (document);
  assert_held (document, 6, false);
  g_assert_null (kg_graph_get_undo_label (kg_document_get_graph (document)));
}

/* Bodies, too, whose inputs for it are hidden until then. */
static void
test_throw_body (void)
{
  g_autoptr (KgDocument) document =
      open_document ("\"geometry\": { \"link\": \"f.figure\" }, \"gravity\": [0, 0, 0]", "sim/procedural_body");
  g_autoptr (KgGrab) grab = kg_grab_new (document);
  KgVector at;

  throw (document, grab);
  at = get_place (document, 8, 2);
  g_assert_cmpfloat_with_epsilon (at.x, 0.7, 1e-4);
  at = get_place (document, 12, 2);
  g_assert_cmpfloat (at.x, >, 0.72);
}

static void
test_forget (void)
{
  g_autoptr (KgDocument) document = open_simulation ();
  g_autoptr (KgGrab) grab = kg_grab_new (document);

  throw (document, grab);
  kg_document_set_frame (document, 12);
  kg_grab_frame_changed (grab);
  assert_held (document, 6, true);
  kg_document_set_frame (document, 1);
  kg_grab_frame_changed (grab);
  assert_held (document, 6, false);
  /* After the fact it can still be kept. */
  g_assert_true (kg_graph_redo (kg_document_get_graph (document)));
  assert_held (document, 6, true);
  kg_document_set_frame (document, 12);
  kg_grab_frame_changed (grab);
  kg_document_set_frame (document, 1);
  kg_grab_frame_changed (grab);
  assert_held (document, 6, true);
}

/* What was done after it must not be undone with it. */
static void
test_forget_nothing_else (void)
{
  g_autoptr (KgDocument) document = open_simulation ();
  g_autoptr (KgGrab) grab = kg_grab_new (document);

  throw (document, grab);
  g_assert_true (kg_graph_set_json (kg_document_get_graph (document), get_node (document), "friction", "0.5", NULL));
  kg_document_set_frame (document, 1);
  kg_grab_frame_changed (grab);
  assert_held (document, 6, true);
}

static void
test_over_again (void)
{
  g_autoptr (KgDocument) document = open_simulation ();
  g_autoptr (KgGrab) grab = kg_grab_new (document);
  KgNode *node = get_node (document);
  gsize n;

  kg_grab_set_recording (grab, true);
  throw (document, grab);
  throw (document, grab);
  kg_channel_get_keys (kg_node_get_source (node, (guint) kg_node_find_slot (node, "grab"))->keys, &n);
  /* Frames 4, 5 and 9, as after the first time. */
  g_assert_cmpuint (n, ==, 3);
  assert_held (document, 4, false);
  assert_held (document, 8, true);
}

/* A drag over an older one with other frames: nothing of that is left in it. */
static void
test_over_another (void)
{
  g_autoptr (KgDocument) document = open_simulation ();
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles handles = { document, get_node (document), values };
  g_autoptr (KgGrab) grab = kg_grab_new (document);
  const int spans[2][2] = { { 10, 14 }, { 5, 20 } };

  kg_grab_set_recording (grab, true);
  for (int k = 0; k < 2; k++) {
    const KgGrip grip = find (&handles, "grab_to", KG_GRIP_POINT, k + 1, -1);

    for (int frame = spans[k][0]; frame <= spans[k][1]; frame++) {
      kg_document_set_frame (document, frame);
      g_assert_true (kg_grab_hold (grab, &grip, kg_vector (1, 0, 0), NULL));
    }
    kg_grab_release (grab);
  }
  for (int frame = 1; frame <= 25; frame++) {
    g_auto (KgValue) number = KG_VALUE_INIT;
    KgNode *node = get_node (document);

    assert_held (document, frame, frame >= 5 && frame <= 20);
    g_assert_true (kg_input_get_value (node, (guint) kg_node_find_slot (node, "grab_point"), frame, &number));
    if (frame >= 5 && frame <= 20)
      g_assert_cmpint (number.integer, ==, 2);
  }
}

/* From the first frame on: there is none before it, but coming back to it counts. */
static void
test_forget_first_frame (void)
{
  g_autoptr (KgDocument) document = open_simulation ();
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles handles = { document, get_node (document), values };
  const KgGrip grip = find (&handles, "grab_to", KG_GRIP_POINT, 2, -1);
  g_autoptr (KgGrab) grab = kg_grab_new (document);

  for (int frame = 1; frame <= 4; frame++) {
    kg_document_set_frame (document, frame);
    kg_grab_frame_changed (grab);
    g_assert_true (kg_grab_hold (grab, &grip, kg_vector (1, 0, 0), NULL));
  }
  kg_grab_release (grab);
  assert_held (document, 3, true);
  kg_document_set_frame (document, 1);
  kg_grab_frame_changed (grab);
  assert_held (document, 3, false);
}

/* An edit without effect is not a step that undo could take in place of another one. */
static void
test_forget_nothing_new (void)
{
  g_autoptr (KgDocument) document = open_simulation ();
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles handles = { document, get_node (document), values };
  const KgGrip grip = find (&handles, "grab_to", KG_GRIP_POINT, 2, -1);
  g_autoptr (KgGrab) grab = kg_grab_new (document);
  g_auto (KgValue) friction = KG_VALUE_INIT;

  g_assert_true (kg_graph_set_json (kg_document_get_graph (document), get_node (document), "friction", "0.5", NULL));
  kg_document_set_frame (document, 6);
  kg_grab_frame_changed (grab);
  for (int k = 0; k < 3; k++) {
    g_assert_true (kg_grab_hold (grab, &grip, kg_vector (1, 0, 0), NULL));
    kg_grab_release (grab);
  }
  kg_document_set_frame (document, 1);
  kg_grab_frame_changed (grab);
  assert_held (document, 6, false);
  g_assert_true (kg_input_get_value (get_node (document), (guint) kg_node_find_slot (get_node (document), "friction"),
                                     1, &friction));
  g_assert_cmpfloat (friction.number, ==, 0.5);
}

static void
test_grab_refused (void)
{
  g_autoptr (KgDocument) document = open_document (
      "\"geometry\": { \"link\": \"f.figure\" }, \"grab\": { \"expr\": \"t > 1\" }", "sim/skeleton_dynamics");
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles handles = { document, get_node (document), values };
  const KgGrip grip = find (&handles, "grab_to", KG_GRIP_POINT, 2, -1);
  g_autoptr (KgGrab) grab = kg_grab_new (document);
  g_autoptr (GError) error = NULL;

  g_assert_false (kg_grab_hold (grab, &grip, kg_vector (1, 0, 0), &error));
  g_assert_nonnull (strstr (error->message, "n.grab"));
  g_assert_false (kg_grab_is_holding (grab));
  g_assert_null (kg_graph_get_undo_label (kg_document_get_graph (document)));
}

static void
test_deleted (void)
{
  g_autoptr (KgDocument) document = open_simulation ();
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles handles = { document, get_node (document), values };
  const KgGrip grip = find (&handles, "grab_to", KG_GRIP_POINT, 1, -1);
  g_autoptr (KgGrab) grab = kg_grab_new (document);

  g_assert_true (kg_grab_hold (grab, &grip, kg_vector (1, 0, 0), NULL));
  kg_graph_remove (kg_document_get_graph (document), get_node (document));
  kg_grab_release (grab);
  g_assert_null (get_node (document));
  undo (document);
  g_assert_nonnull (get_node (document));
}

/* Parts. */

static void
assert_toggled (const char *text, guint part, guint bone, const char *expected)
{
  g_autofree char *changed = kg_part_toggle (text, part, bone);

  g_assert_cmpstr (changed, ==, expected);
}

static void
test_part_text (void)
{
  g_autoptr (GArray) bones = kg_part_get_bones ("arm: 1 2\n 3 : 4, 5\n3: 6", 3);

  g_assert_cmpuint (bones->len, ==, 2);
  g_assert_cmpuint (g_array_index (bones, guint, 1), ==, 5);
  assert_toggled ("", 2, 7, "2: 7");
  assert_toggled ("0: 1", 2, 7, "0: 1\n2: 7");
  assert_toggled ("0: 1; 2: 7 9", 2, 7, "0: 1\n2: 9");
  assert_toggled ("0: 1\n2: 9", 2, 9, "0: 1");
  assert_toggled ("arm: 1\n\n2: 3", 2, 4, "arm: 1\n2: 3 4");
}

static void
test_parts (void)
{
  g_autoptr (KgDocument)
      document = open_document ("\"geometry\": { \"link\": \"f.figure\" }, \"rest\": { \"link\": \"f.figure\" }, "
                                "\"posed\": { \"link\": \"f.figure\" }",
                                "deform/skeleton_skin");
  g_autoptr (GHashTable) values = evaluate_wanted (document);
  const KgHandles handles = { document, get_node (document), values };
  g_autoptr (GArray) grips = kg_handles_find (&handles, NULL);
  const KgGrip *part = &g_array_index (grips, KgGrip, 1), *bone = &g_array_index (grips, KgGrip, 5);
  g_autoptr (GError) error = NULL;

  /* Two rods and a hinge are the parts, three points the skeleton. */
  g_assert_cmpuint (grips->len, ==, 6);
  g_assert_false (part->bone);
  g_assert_true (bone->bone);
  g_assert_false (kg_grip_is_same (part, &g_array_index (grips, KgGrip, 4)));
  g_assert_cmpfloat_with_epsilon (part->at.x, 0.2, 1e-6);
  g_assert_true (kg_grip_toggle_bone (&handles, part, bone, &error));
  g_assert_no_error (error);
  assert_text (get_node (document), "parts", "1: 2");
  undo (document);
  assert_text (get_node (document), "parts", "");
}

/* Strokes. */

static void
add (GArray *points, double x, double y)
{
  const KgStrokePoint point = { x, y };

  g_array_append_val (points, point);
}

static void
test_stroke (void)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (KgStrokePoint)), simple = NULL, none = NULL;
  double farthest = 0;

  none = kg_stroke_simplify (points, 1);
  g_assert_cmpuint (none->len, ==, 0);
  /* A corner of two straight lines with a tremor below the tolerance. */
  for (int i = 0; i <= 100; i++)
    add (points, i, i % 2 == 0 ? 0.4 : -0.4);
  for (int i = 1; i <= 100; i++)
    add (points, 100, i);
  simple = kg_stroke_simplify (points, 1);
  g_assert_cmpuint (simple->len, ==, 3);
  g_assert_cmpfloat_with_epsilon (g_array_index (simple, KgStrokePoint, 1).x, 100, 1);
  g_assert_false (kg_stroke_is_closed (points, 14));

  /* A circle: no pixel of it farther than the tolerance from what is left, and few points. */
  g_array_set_size (points, 0);
  for (int i = 0; i <= 720; i++)
    add (points, 100 * cos (i * KG_PI / 360), 100 * sin (i * KG_PI / 360));
  g_assert_true (kg_stroke_is_closed (points, 14));
  g_array_unref (simple);
  simple = kg_stroke_simplify (points, 1.5);
  g_assert_cmpuint (simple->len, <, 40);
  for (guint i = 0; i + 1 < simple->len; i++) {
    const KgStrokePoint a = g_array_index (simple, KgStrokePoint, i), b = g_array_index (simple, KgStrokePoint, i + 1);

    /* The sagitta of the chord. */
    farthest = fmax (farthest, 100 - hypot (0.5 * (a.x + b.x), 0.5 * (a.y + b.y)));
  }
  g_assert_cmpfloat (farthest, <=, 1.5);
  g_assert_cmpfloat (farthest, >, 0.1);
}

static void
test_stroke_text (void)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (KgStrokePoint));
  g_autofree char *text = NULL;
  KgProjection projection;

  /* 100 pixels for 2 m around the origin. */
  kg_projection_from_drawing (&projection, kg_vector (0, 0, 0), 2, 100, 100, 0, 0, 1);
  add (points, 0, 0);
  add (points, 50, 50);
  add (points, 100, 25);
  text = kg_stroke_dup_text (points, &projection, kg_vector (0, 0, 0));
  g_assert_cmpstr (text, ==, "-1 1\n0 0\n1 0.5");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/figure/points", test_points);
  g_test_add_func ("/figure/removed-point", test_removed_point);
  g_test_add_func ("/figure/rods", test_rods);
  g_test_add_func ("/figure/hinges", test_hinges);
  g_test_add_func ("/figure/bodies", test_bodies);
  g_test_add_func ("/figure/pins", test_pins);
  g_test_add_func ("/figure/linked", test_linked);
  g_test_add_func ("/grab/throw", test_throw);
  g_test_add_func ("/grab/throw-body", test_throw_body);
  g_test_add_func ("/grab/forget", test_forget);
  g_test_add_func ("/grab/forget-nothing-else", test_forget_nothing_else);
  g_test_add_func ("/grab/over-again", test_over_again);
  g_test_add_func ("/grab/over-another", test_over_another);
  g_test_add_func ("/grab/forget-first-frame", test_forget_first_frame);
  g_test_add_func ("/grab/forget-nothing-new", test_forget_nothing_new);
  g_test_add_func ("/grab/refused", test_grab_refused);
  g_test_add_func ("/grab/deleted", test_deleted);
  g_test_add_func ("/parts/text", test_part_text);
  g_test_add_func ("/parts/choose", test_parts);
  g_test_add_func ("/stroke/simplify", test_stroke);
  g_test_add_func ("/stroke/text", test_stroke_text);
  return g_test_run ();
}
