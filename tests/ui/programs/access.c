/* access: what a screen reader learns of the canvas.  Started by test_access.py, which has a display and asks GTK to keep
 * what it would report (GTK_A11Y=test).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-canvas-private.h"

#include <locale.h>

/* A circle that is coloured and moved; the colour is shown.  The file that is missing is an error. */
static const char text[] =
    "{ \"kineograph\": 1, \"display\": \"tint.colored\", \"nodes\": {"
    "  \"ring\": { \"type\": \"geometry/circle\", \"at\": [0, 0] },"
    "  \"tint\": { \"type\": \"geometry/color\", \"at\": [300, 0],"
    "    \"inputs\": { \"geometry\": { \"link\": \"ring.geometry\" } } },"
    "  \"moved\": { \"type\": \"geometry/transform\", \"at\": [300, 200], \"bypass\": true,"
    "    \"inputs\": { \"geometry\": { \"link\": \"ring.geometry\" } } },"
    "  \"file\": { \"type\": \"geometry/import\", \"at\": [0, 200], \"inputs\": { \"path\": \"missing.obj\" } },"
    "  \"words\": { \"type\": \"graph/note\", \"at\": [0, -200], \"inputs\": { \"text\": \"Read me\" } },"
    "  \"far\": { \"type\": \"geometry/circle\", \"at\": [100000, 0] } } }";

typedef struct {
  KgDocument *document;
  KgWorker *worker;
  GtkWidget *window;
  KgCanvas *canvas;
} Fixture;

static void
open_window (Fixture *f, KgDocument *document)
{
  g_autoptr (KgCache) cache = kg_cache_new (1 << 20);

  f->document = document;
  f->worker = kg_worker_new (cache);
  f->canvas = kg_canvas_new (f->document, f->worker);
  f->window = gtk_window_new ();
  gtk_window_set_default_size (GTK_WINDOW (f->window), 1000, 800);
  gtk_window_set_child (GTK_WINDOW (f->window), GTK_WIDGET (f->canvas));
  gtk_window_present (GTK_WINDOW (f->window));
  while (gtk_widget_get_width (GTK_WIDGET (f->canvas)) < 900)
    g_main_context_iteration (NULL, TRUE);
  /* The origin at a known place, and what is far away out of view. */
  f->canvas->x = -200;
  f->canvas->y = -300;
  f->canvas->zoom = 1;
  f->canvas->fit_wanted = false;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  g_autoptr (GPtrArray) problems = kg_problems_new ();

  (void) data;
  open_window (f, kg_document_parse (types, text, NULL, problems));
  g_assert_cmpuint (problems->len, ==, 0);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  gtk_window_destroy (GTK_WINDOW (f->window));
  g_object_unref (f->worker);
  g_object_unref (f->document);
}

static KgNode *
find (Fixture *f, const char *name)
{
  return kg_graph_find (kg_document_get_graph (f->document), name);
}

static GtkAccessible *
get (Fixture *f, const char *name)
{
  return kg_canvas_get_accessible (f->canvas, find (f, name));
}

static void
test_nodes (Fixture *f, gconstpointer data)
{
  (void) data;
  kg_canvas_update_access (f->canvas);
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (f->canvas), GTK_ACCESSIBLE_ROLE_LIST_BOX);
  gtk_test_accessible_assert_role (get (f, "ring"), GTK_ACCESSIBLE_ROLE_OPTION);
  gtk_test_accessible_assert_property (get (f, "ring"), GTK_ACCESSIBLE_PROPERTY_LABEL, "ring, Circle");
  gtk_test_accessible_assert_property (get (f, "ring"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                       "read by tint; read by moved");
  gtk_test_accessible_assert_property (get (f, "tint"), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "tint, Colour, shown in the viewport");
  gtk_test_accessible_assert_property (get (f, "tint"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                       "Geometry from ring, Geometry");
  gtk_test_accessible_assert_property (get (f, "moved"), GTK_ACCESSIBLE_PROPERTY_LABEL, "moved, Transform, bypassed");
  gtk_test_accessible_assert_property (get (f, "file"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "without links");
  gtk_test_accessible_assert_property (get (f, "words"), GTK_ACCESSIBLE_PROPERTY_LABEL, "Note: Read me");
  g_assert_null (get (f, "far"));
}

static void
test_changes (Fixture *f, gconstpointer data)
{
  KgGraph *graph = kg_document_get_graph (f->document);
  g_autoptr (GError) error = NULL;

  (void) data;
  kg_canvas_update_access (f->canvas);
  g_assert_true (kg_graph_rename (graph, find (f, "ring"), "hoop", &error));
  g_assert_true (kg_graph_reset (graph, find (f, "tint"), "geometry", &error));
  g_assert_no_error (error);
  kg_canvas_update_access (f->canvas);
  gtk_test_accessible_assert_property (get (f, "hoop"), GTK_ACCESSIBLE_PROPERTY_LABEL, "hoop, Circle");
  gtk_test_accessible_assert_property (get (f, "hoop"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "read by moved");
  gtk_test_accessible_assert_property (get (f, "tint"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "without links");
  {
    KgNode *gone = find (f, "tint");

    kg_graph_remove (graph, gone);
    g_assert_null (kg_canvas_get_accessible (f->canvas, gone));
  }
}

static void
stop (GMainLoop *loop)
{
  g_main_loop_quit (loop);
}

/* What evaluation finds wrong is said. */
static void
test_errors (Fixture *f, gconstpointer data)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  KgGraph *graph = kg_document_get_graph (f->document);
  KgRequest request = { .graph = kg_graph_snapshot (graph), .target = g_strdup ("file.geometry") };
  const KgNodeReport *report;
  g_autofree char *label = NULL;

  (void) data;
  g_signal_connect_swapped (f->worker, "done", G_CALLBACK (stop), loop);
  kg_worker_request (f->worker, &request);
  g_main_loop_run (loop);
  kg_canvas_results_changed (f->canvas);
  kg_canvas_update_access (f->canvas);
  report = kg_canvas_get_report (f->canvas, find (f, "file"));
  g_assert_nonnull (report);
  g_assert_nonnull (strstr (report->error, "missing.obj"));
  label = g_strdup_printf ("file, Import, error: %s", report->error);
  gtk_test_accessible_assert_property (get (f, "file"), GTK_ACCESSIBLE_PROPERTY_LABEL, label);
}

/* The keyboard goes along links and by direction, and the canvas says where it is. */
static void
test_walk (Fixture *f, gconstpointer data)
{
  static const struct {
    const char *action, *way, *arrives;
  } steps[] = {
    { "canvas.follow", "upstream", "ring" },   { "canvas.follow", "downstream", "tint" },
    { "canvas.follow", "other", "moved" },     { "canvas.follow", "other", "tint" },
    { "canvas.walk", "down", "moved" },        { "canvas.walk", "left", "file" },
    { "canvas.follow", "upstream", "file" },   { "canvas.walk", "up", "ring" },
    { "canvas.follow", "upstream", "ring" },   { "canvas.follow", "downstream", "tint" },
    { "canvas.follow", "downstream", "tint" },
  };

  (void) data;
  kg_document_select (f->document, find (f, "tint"), false);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    KgNode *active;

    gtk_widget_activate_action (GTK_WIDGET (f->canvas), steps[i].action, "s", steps[i].way);
    active = kg_document_get_active (f->document);
    g_assert_cmpstr (kg_node_get_name (active), ==, steps[i].arrives);
    kg_canvas_update_access (f->canvas);
    gtk_test_accessible_assert_state (kg_canvas_get_accessible (f->canvas, active), GTK_ACCESSIBLE_STATE_SELECTED,
                                      TRUE);
    gtk_test_accessible_assert_relation (GTK_ACCESSIBLE (f->canvas), GTK_ACCESSIBLE_RELATION_ACTIVE_DESCENDANT,
                                         kg_canvas_get_accessible (f->canvas, active));
  }
  gtk_test_accessible_assert_state (get (f, "ring"), GTK_ACCESSIBLE_STATE_SELECTED, FALSE);
  /* A node out of view comes into it. */
  for (guint i = 0; i < 10; i++)
    gtk_widget_activate_action (GTK_WIDGET (f->canvas), "canvas.walk", "s", "right");
  g_assert_cmpstr (kg_node_get_name (kg_document_get_active (f->document)), ==, "far");
  g_assert_cmpfloat (f->canvas->x, >, 90000);
  kg_canvas_update_access (f->canvas);
  g_assert_nonnull (get (f, "far"));
  g_assert_null (get (f, "ring"));
}

/* Of a crowd in view only the nearest have an object, and the selected ones always; without being asked for, once the
 * view rests. */
static void
test_crowd (void)
{
  g_autoptr (KgTypes) types = kg_types_new (kg_node_table);
  Fixture f;
  KgGraph *graph;
  KgNode *corner, *middle = NULL;

  open_window (&f, kg_document_new (types));
  graph = kg_document_get_graph (f.document);
  for (guint i = 0; i < 5000; i++) {
    KgNode *node = kg_graph_add (graph, "value/random", NULL, 190 * (i % 71), 130 * (i / 71), NULL);

    if (i == 35 * 71 + 35)
      middle = node;
  }
  corner = kg_graph_get_node (graph, 0);
  kg_canvas_fit (f.canvas, false);
  kg_document_select (f.document, corner, false);
  while (kg_canvas_get_accessible (f.canvas, middle) == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (kg_canvas_get_accessible (f.canvas, corner));
  g_assert_null (kg_canvas_get_accessible (f.canvas, kg_graph_get_node (graph, 1)));
  tear_down (&f, NULL);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "C");
  g_setenv ("GTK_A11Y", "test", TRUE);
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_test_add ("/access/nodes", Fixture, NULL, set_up, test_nodes, tear_down);
  g_test_add ("/access/changes", Fixture, NULL, set_up, test_changes, tear_down);
  g_test_add ("/access/errors", Fixture, NULL, set_up, test_errors, tear_down);
  g_test_add ("/access/walk", Fixture, NULL, set_up, test_walk, tear_down);
  g_test_add_func ("/access/crowd", test_crowd);
  return g_test_run ();
}
