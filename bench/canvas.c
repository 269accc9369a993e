/* canvas: times the application as one sees it: the frames of the canvas while one pans, zooms, drags a node and drags
 * all nodes at once, with 100, 1,000 and 5,000 nodes, and the way from the start of the program to its first frame.
 *
 * The window is the real one, and the mouse comes through the controllers of the canvas.  A frame counts from when the
 * frame clock wakes until the display has drawn everything.  Prints a line for each: name, nodes, seconds of a frame
 * (median), seconds of a slow one (19 of 20 are faster), frames in a second as they were shown.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-application.h"
#include "kg-canvas-private.h"
#include "kg-window.h"

#include <glib/gstdio.h>

#define FRAMES 180
#define SETTLE_FRAMES 20 /* not counted: what is drawn for the first time */
#define STARTS 5
#define COLUMN 190.0
#define ROW 130.0

typedef enum { PAN, READ, ZOOM, DRAG, DRAG_ALL, N_MOVES } Move;

static const char *const names[N_MOVES] = { "pan-all", "pan-close", "zoom", "drag-node", "drag-all" };

typedef struct {
  GMainLoop *loop;
  KgCanvas *canvas;
  GtkGesture *drag, *pan;
  GtkEventController *scroll;
  Move move;
  guint frame;
  gint64 wake, first, last;
  double seconds[FRAMES];
} Run;

static int
compare (const void *a, const void *b)
{
  return (*(const double *) a > *(const double *) b) - (*(const double *) a < *(const double *) b);
}

/* Nodes in rows, each linked with the one before and the one above, as wide as the window is. */
static char *
make_text (KgTypes *types, guint n)
{
  g_autoptr (KgGraph) graph = kg_graph_new (types);
  const guint columns = (guint) ceil (sqrt (n * ROW / COLUMN * 16 / 9));
  g_autofree char *display = g_strdup_printf ("n%u.result", n - 1);

  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf ("n%u", i);
    KgNode *node = kg_graph_add (graph, "value/math", name, COLUMN * (i % columns), ROW * (i / columns), NULL);
    g_autoptr (GError) error = NULL;

    kg_graph_set_json (graph, node, "operation", "\"maximum\"", &error);
    if (i > 0) {
      g_autofree char *link = g_strdup_printf ("{\"link\": \"n%u.result\"}", i - 1);

      kg_graph_set_json (graph, node, "a", link, &error);
    }
    if (i >= columns) {
      g_autofree char *link = g_strdup_printf ("{\"link\": \"n%u.result\"}", i - columns);

      kg_graph_set_json (graph, node, "b", link, &error);
    }
    g_assert_no_error (error);
  }
  kg_graph_set_display (graph, display);
  return kg_graph_to_text (graph);
}

static GtkWidget *
find_canvas (GtkWidget *widget)
{
  if (KG_IS_CANVAS (widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    GtkWidget *found = find_canvas (child);

    if (found != NULL)
      return found;
  }
  return NULL;
}

static void
find_controllers (Run *run)
{
  g_autoptr (GListModel) all = gtk_widget_observe_controllers (GTK_WIDGET (run->canvas));

  for (guint i = 0; i < g_list_model_get_n_items (all); i++) {
    g_autoptr (GtkEventController) controller = GTK_EVENT_CONTROLLER (g_list_model_get_item (all, i));

    if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
      run->scroll = controller;
    else if (GTK_IS_GESTURE_DRAG (controller) &&
             gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller)) == GDK_BUTTON_MIDDLE)
      run->pan = GTK_GESTURE (controller);
    else if (GTK_IS_GESTURE_DRAG (controller))
      run->drag = GTK_GESTURE (controller);
  }
}

/* The middle of the head of a node near the middle of what is shown, in the widget's coordinates. */
static void
find_node (Run *run, double *x, double *y)
{
  KgCanvas *canvas = run->canvas;
  KgGraph *graph = kg_canvas_graph (canvas);
  const guint n = kg_graph_get_n_nodes (graph);
  const KgRect *rect = &kg_canvas_get_item (canvas, kg_graph_get_node (graph, n / 2))->layout.rect;

  *x = (rect->x + 0.5 * rect->width - canvas->x) * canvas->zoom;
  *y = (rect->y + 0.5 * KG_NODE_HEAD - canvas->y) * canvas->zoom;
}

static void
begin (Run *run)
{
  double x, y;

  kg_canvas_fit (run->canvas, false);
  if (run->move == READ) {
    find_node (run, &x, &y);
    kg_canvas_zoom_at (run->canvas, x, y, 0.5 / run->canvas->zoom);
  }
  if (run->move == DRAG_ALL)
    gtk_widget_activate_action (GTK_WIDGET (run->canvas), "canvas.select-all", NULL);
  if (run->move == DRAG || run->move == DRAG_ALL) {
    find_node (run, &x, &y);
    g_signal_emit_by_name (run->drag, "drag-begin", x, y);
    g_assert_cmpint (run->canvas->tool, ==, KG_TOOL_MOVE);
  } else if (run->move != ZOOM)
    g_signal_emit_by_name (run->pan, "drag-begin", 0.0, 0.0);
}

static void
step (Run *run)
{
  const double angle = 2 * KG_PI * run->frame / 90;
  gboolean handled;

  switch (run->move) {
  case ZOOM:
    run->canvas->pointer_x = 0.5 * gtk_widget_get_width (GTK_WIDGET (run->canvas));
    run->canvas->pointer_y = 0.5 * gtk_widget_get_height (GTK_WIDGET (run->canvas));
    g_signal_emit_by_name (run->scroll, "scroll", 0.0, run->frame / 30 % 2 == 0 ? -0.5 : 0.5, &handled);
    break;
  case DRAG:
  case DRAG_ALL:
    g_signal_emit_by_name (run->drag, "drag-update", 100 * sin (angle), 60 * sin (2 * angle));
    break;
  default:
    g_signal_emit_by_name (run->pan, "drag-update", 100 * sin (angle), 60 * sin (2 * angle));
  }
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Run *run = (Run *) data;

  (void) widget;
  (void) clock;
  if (run->frame == 0)
    begin (run);
  step (run);
  return G_SOURCE_CONTINUE;
}

static void
on_wake (GdkFrameClock *clock, Run *run)
{
  (void) clock;
  run->wake = g_get_monotonic_time ();
}

static void
on_painted (GdkFrameClock *clock, Run *run)
{
  (void) clock;
  gdk_display_sync (gtk_widget_get_display (GTK_WIDGET (run->canvas)));
  run->last = g_get_monotonic_time ();
  if (run->frame >= SETTLE_FRAMES)
    run->seconds[run->frame - SETTLE_FRAMES] = 1e-6 * (double) (run->last - run->wake);
  else
    run->first = run->last;
  if (++run->frame == SETTLE_FRAMES + FRAMES)
    g_main_loop_quit (run->loop);
}

static gboolean
on_rest (gpointer loop)
{
  g_main_loop_quit ((GMainLoop *) loop);
  return G_SOURCE_REMOVE;
}

static void
rest (GMainLoop *loop, guint milliseconds)
{
  g_timeout_add (milliseconds, on_rest, loop);
  g_main_loop_run (loop);
}

static void
measure (Run *run, Move move, guint n)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (run->canvas));
  gulong wake, painted;
  guint tick;

  run->move = move;
  run->frame = 0;
  wake = g_signal_connect (clock, "before-paint", G_CALLBACK (on_wake), run);
  painted = g_signal_connect_after (clock, "after-paint", G_CALLBACK (on_painted), run);
  tick = gtk_widget_add_tick_callback (GTK_WIDGET (run->canvas), on_tick, run, NULL);
  g_main_loop_run (run->loop);
  gtk_widget_remove_tick_callback (GTK_WIDGET (run->canvas), tick);
  g_signal_handler_disconnect (clock, wake);
  g_signal_handler_disconnect (clock, painted);
  if (move == DRAG || move == DRAG_ALL) {
    g_signal_emit_by_name (run->drag, "drag-end", 0.0, 0.0);
    /* For the next, nodes are where they were. */
    gtk_widget_activate_action (GTK_WIDGET (run->canvas), "win.undo", NULL);
  } else if (move != ZOOM)
    g_signal_emit_by_name (run->pan, "drag-end", 0.0, 0.0);
  qsort (run->seconds, FRAMES, sizeof *run->seconds, compare);
  g_print ("%s\t%u\t%.6f\t%.6f\t%.1f\n", names[move], n, run->seconds[FRAMES / 2], run->seconds[FRAMES * 19 / 20],
           FRAMES / (1e-6 * (double) (run->last - run->first)));
}

static void
measure_canvas (KgApplication *application, guint n)
{
  KgTypes *types = kg_application_get_types (application);
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autofree char *text = make_text (types, n);
  g_autoptr (KgDocument) document = kg_document_parse (types, text, NULL, problems);
  GtkWindow *window = kg_window_new (application, document);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Run run = { .loop = loop, .canvas = KG_CANVAS (find_canvas (GTK_WIDGET (window))) };

  /* The canvas has the whole window, so that what is measured is as large as it can be. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-viewport", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-inspector", NULL);
  gtk_window_set_default_size (window, 1920, 1080);
  gtk_window_present (window);
  find_controllers (&run);
  do
    rest (loop, 300);
  while (kg_worker_is_busy (run.canvas->worker));
  for (Move move = 0; move < N_MOVES; move++)
    measure (&run, move, n);
  gtk_window_destroy (window);
  rest (loop, 100);
}

/* Starting: another process of this program is the application, and says when its first frame is done. */

static gint64 started;

static void
on_first_frame (GdkFrameClock *clock, GtkWidget *window)
{
  (void) clock;
  if (find_canvas (window) == NULL)
    return;
  gdk_display_sync (gtk_widget_get_display (window));
  g_print ("%.6f\n", 1e-6 * (double) (g_get_monotonic_time () - started));
  exit (0);
}

static void
on_realize (GtkWidget *window)
{
  g_signal_connect_after (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (on_first_frame), window);
}

static void
on_window_added (GtkApplication *application, GtkWindow *window)
{
  (void) application;
  g_signal_connect_after (window, "realize", G_CALLBACK (on_realize), NULL);
}

static int
start (char *program, char *file)
{
  g_autoptr (KgApplication) application = kg_application_new ();
  char *arguments[] = { program, file, NULL };

  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_HANDLES_OPEN | G_APPLICATION_NON_UNIQUE);
  g_signal_connect (application, "window-added", G_CALLBACK (on_window_added), NULL);
  return g_application_run (G_APPLICATION (application), 2, arguments);
}

static void
measure_start (const char *program, KgTypes *types, guint n)
{
  g_autofree char *text = make_text (types, n), *path = NULL;
  double seconds[STARTS];
  const int file = g_file_open_tmp ("kineograph-XXXXXX.json", &path, NULL);

  g_close (file, NULL);
  g_file_set_contents (path, text, -1, NULL);
  for (guint i = 0; i < STARTS; i++) {
    g_autofree char *now = g_strdup_printf ("%" G_GINT64_FORMAT, g_get_monotonic_time ()), *output = NULL;
    const char *arguments[] = { program, "start", path, now, NULL };
    g_autoptr (GError) error = NULL;

    g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, NULL, &error);
    g_assert_no_error (error);
    seconds[i] = g_ascii_strtod (output, NULL);
  }
  g_remove (path);
  qsort (seconds, STARTS, sizeof *seconds, compare);
  g_print ("start\t%u\t%.6f\t%.6f\t0\n", n, seconds[STARTS / 2], seconds[STARTS - 1]);
}

int
main (int argc, char **argv)
{
  static const guint sizes[] = { 100, 1000, 5000 };
  g_autoptr (KgApplication) application = NULL;
  g_autoptr (GError) error = NULL;

  if (argc == 4 && g_str_equal (argv[1], "start")) {
    started = g_ascii_strtoll (argv[3], NULL, 10);
    return start (argv[0], argv[2]);
  }
  application = kg_application_new ();
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_HANDLES_OPEN | G_APPLICATION_NON_UNIQUE);
  if (!g_application_register (G_APPLICATION (application), NULL, &error)) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  /* Only so many nodes, for who looks into it. */
  if (argc == 2) {
    measure_canvas (application, (guint) g_ascii_strtoull (argv[1], NULL, 10));
    return 0;
  }
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    measure_canvas (application, sizes[i]);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    measure_start (argv[0], kg_application_get_types (application), sizes[i]);
  return 0;
}
