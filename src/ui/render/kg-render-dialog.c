/* kg-render-dialog: see the header.
 *
 * The rendering threads count into the job under its lock; the window looks at the counts ten times a second, so
 * that thousands of quick frames cost it nothing.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-render-dialog.h"

#include "kg-image.h"
#include "kg-movie-file.h"
#include "kg-permission-dialog.h"
#include "kg-problems-dialog.h"
#include "kg-render.h"
#include "kg-settings.h"
#include "kg-widget.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define LOOK_EVERY 100 /* milliseconds */

typedef enum { WHAT_DISPLAY, WHAT_SELECTED, WHAT_FILE_NODES, N_WHATS } What;

typedef struct {
  const char *suffix;
  const char *label;
} Format;

/* Images first. */
static const Format formats[] = {
  { ".png", N_ ("PNG images") },
  { ".exr", N_ ("OpenEXR images") },
  { ".mp4", N_ ("MP4 movie (H.264)") },
  { ".webm", N_ ("WebM movie (VP9)") },
  { ".mov", N_ ("QuickTime movie (ProRes 4444)") },
  { ".mkv", N_ ("Matroska movie (FFV1, lossless)") },
  { ".avi", N_ ("AVI movie (Motion JPEG)") },
  { ".gif", N_ ("GIF animation") },
  { ".apng", N_ ("APNG animation") },
  { ".webp", N_ ("WebP animation") },
};

/* One rendering: what the thread is given, and what it says. */
typedef struct {
  KgGraph *graph; /* a snapshot */
  char *path, *target;
  char **writable; /* folders, for nodes that name files */
  KgRenderRange range;
  KgRenderOptions options;
  KgRenderReport report;
  gint64 start;
  GApplication *application; /* (nullable) held, so that closing the last window does not kill the rendering midway */

  GMutex lock;
  guint64 done, total, rendered;
} Job;

struct _KgRenderDialog {
  GtkWindow parent_instance;
  KgDocument *document;
  GtkWidget *settings; /* everything that cannot change while it renders */
  GtkWidget *what, *path, *browse, *format, *all_frames, *first, *last, *step, *own_size, *width, *height, *jobs,
      *resume, *message, *progress, *open_folder, *cancel, *render;
  GCancellable *cancellable; /* while it renders */
  Job *job;                  /* borrowed from the task, while it renders */
  char *written;             /* (nullable) folder of what was rendered last */
  guint look_source;
  bool updating; /* the dialog itself changes its widgets */
};

G_DEFINE_FINAL_TYPE (KgRenderDialog, kg_render_dialog, GTK_TYPE_WINDOW)

/* File names. */

/* -1 when path has none of the suffixes. */
static int
find_format (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    const size_t length = strlen (path), n = strlen (formats[i].suffix);

    if (length > n && g_ascii_strcasecmp (path + length - n, formats[i].suffix) == 0)
      return (int) i;
  }
  return -1;
}

static char *
replace (const char *text, const char *pattern, const char *with)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);

  return g_regex_replace_literal (regex, text, -1, 0, with, 0, NULL);
}

/* (transfer full) path with the suffix of format.  Images have a place for the frame number and write a percent sign
 * twice; movies do neither. */
static char *
change_format (const char *path, int format)
{
  const int now = find_format (path);
  const bool was_movie = now < 0 || kg_movie_path_is_movie (path);
  const bool is_movie = kg_movie_path_is_movie (formats[format].suffix);
  g_autofree char *stem = NULL, *converted = NULL;

  stem = g_strndup (path, strlen (path) - (now >= 0 ? strlen (formats[now].suffix) : 0));
  if (is_movie == was_movie)
    return g_strconcat (stem, formats[format].suffix, NULL);
  if (is_movie) {
    g_autofree char *without = replace (stem, "[._-]?(?<!%)%0?[0-9]*d", "");

    converted = replace (without, "%%", "%");
    return g_strconcat (converted, formats[format].suffix, NULL);
  }
  converted = replace (stem, "%", "%%");
  return g_strconcat (converted, ".%04d", formats[format].suffix, NULL);
}

/* (transfer full) Where new files go: the folder of the document, or the one used last. */
static char *
get_folder (KgRenderDialog *self)
{
  const char *path = kg_document_get_path (self->document), *folder = NULL;

  if (path != NULL) {
    g_autofree char *full = g_canonicalize_filename (path, NULL);

    return g_path_get_dirname (full);
  }
  folder = kg_settings_get_recent_folder (kg_settings_get_default ());
  if (*folder == '\0' || !g_file_test (folder, G_FILE_TEST_IS_DIR))
    folder = g_get_user_special_dir (G_USER_DIRECTORY_VIDEOS);
  return g_strdup (folder != NULL ? folder : g_get_home_dir ());
}

/* (transfer full) */
static char *
propose_path (KgRenderDialog *self)
{
  g_autofree char *folder = get_folder (self), *name = NULL, *file = NULL;
  const char *path = kg_document_get_path (self->document);

  name = path != NULL ? g_path_get_basename (path) : kg_document_dup_name (self->document);
  if (g_str_has_suffix (name, ".json"))
    name[strlen (name) - strlen (".json")] = '\0';
  if (g_str_has_suffix (name, ".kineo"))
    name[strlen (name) - strlen (".kineo")] = '\0';
  g_strdelimit (name, "/", '-');
  file = g_strconcat (name, ".mp4", NULL);
  return g_build_filename (folder, file, NULL);
}

/* (transfer full) The destination as an absolute path. */
static char *
get_path (KgRenderDialog *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->path));
  g_autofree char *folder = get_folder (self);

  if (g_str_has_prefix (text, "~/"))
    return g_build_filename (g_get_home_dir (), text + 2, NULL);
  return g_canonicalize_filename (text, folder);
}

/* Settings. */

static What
get_what (KgRenderDialog *self)
{
  return (What) gtk_drop_down_get_selected (GTK_DROP_DOWN (self->what));
}

/* (transfer full) (nullable) What is rendered, as kg_render wants it. */
static char *
get_target (KgRenderDialog *self)
{
  KgNode *active = kg_document_get_active (self->document);

  if (get_what (self) == WHAT_SELECTED && active != NULL)
    return kg_node_dup_path (active);
  return get_what (self) == WHAT_DISPLAY ? g_strdup (kg_graph_get_display (kg_document_get_graph (self->document)))
                                         : NULL;
}

static int64_t
get_spin (GtkWidget *spin)
{
  return (int64_t) round (gtk_spin_button_get_value (GTK_SPIN_BUTTON (spin)));
}

static bool
is_checked (GtkWidget *check)
{
  return gtk_check_button_get_active (GTK_CHECK_BUTTON (check));
}

static KgRenderRange
get_range (KgRenderDialog *self)
{
  const KgFrames frames = kg_graph_get_frames (kg_document_get_graph (self->document));

  if (is_checked (self->all_frames))
    return (KgRenderRange){ .first = (int64_t) ceil (frames.start), .last = (int64_t) floor (frames.end), .step = 1 };
  return (
      KgRenderRange){ .first = get_spin (self->first), .last = get_spin (self->last), .step = get_spin (self->step) };
}

static guint
count_file_nodes (KgGraph *graph)
{
  guint n = 0;

  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    const KgNodeType *type = kg_node_get_type (node);

    n += type != NULL && type->role == KG_ROLE_FILE_OUTPUT && !kg_node_get_bypass (node);
  }
  return n;
}

static bool
check_target (KgRenderDialog *self, GError **error)
{
  KgGraph *graph = kg_document_get_graph (self->document);
  g_autofree char *target = get_target (self);
  KgNode *node;
  guint slot;

  switch (get_what (self)) {
  case WHAT_DISPLAY:
    if (target != NULL)
      return kg_graph_find_output (graph, target, &node, &slot, error);
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "The graph has no displayed node: set the display flag of a node.");
    return false;
  case WHAT_SELECTED:
    if (target != NULL)
      return kg_graph_find_output (graph, target, &node, &slot, error);
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "No node is selected.");
    return false;
  default:
    if (count_file_nodes (graph) > 0)
      return true;
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "The graph has no Write File node: add one, or render something else.");
    return false;
  }
}

static bool
check_settings (KgRenderDialog *self, GError **error)
{
  const KgRenderRange range = get_range (self);
  g_autofree char *path = get_path (self);

  if (!check_target (self, error) || !kg_render_check_range (&range, error))
    return false;
  if (get_what (self) == WHAT_FILE_NODES)
    return true;
  if (*gtk_editable_get_text (GTK_EDITABLE (self->path)) == '\0') {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "Name the file to write.");
    return false;
  }
  return kg_render_check_path (path, &range, error);
}

static void
show_message (KgRenderDialog *self, const char *text, bool is_error)
{
  gtk_label_set_text (GTK_LABEL (self->message), text);
  kg_widget_set_class (self->message, "kg-error", is_error);
}

/* What happens to a file that is there already. */
static void
show_note (KgRenderDialog *self)
{
  const KgRenderRange range = get_range (self);
  g_autofree char *path = get_path (self), *first = kg_render_expand_path (path, range.first);
  const char *note = "";

  if (get_what (self) != WHAT_FILE_NODES && g_file_test (first, G_FILE_TEST_EXISTS)) {
    if (kg_movie_path_is_movie (path))
      note = _ ("The movie already exists and will be replaced.");
    else if (is_checked (self->resume))
      note = _ ("Existing images are kept if they are up to date.");
    else
      note = _ ("Existing images will be replaced.");
  }
  show_message (self, note, false);
}

/* Shows which settings count, and whether they can be rendered. */
static void
update (KgRenderDialog *self)
{
  const bool running = self->cancellable != NULL, to_path = get_what (self) != WHAT_FILE_NODES;
  const bool custom_size = !is_checked (self->own_size), custom_range = !is_checked (self->all_frames);
  const int format = find_format (gtk_editable_get_text (GTK_EDITABLE (self->path)));
  g_autoptr (GError) error = NULL;

  if (self->updating)
    return;
  self->updating = true;
  gtk_widget_set_sensitive (self->settings, !running);
  gtk_widget_set_sensitive (self->path, to_path);
  gtk_widget_set_sensitive (self->browse, to_path);
  gtk_widget_set_sensitive (self->format, to_path);
  if (format >= 0)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->format), (guint) format);
  gtk_widget_set_sensitive (self->first, custom_range);
  gtk_widget_set_sensitive (self->last, custom_range);
  gtk_widget_set_sensitive (self->step, custom_range);
  gtk_widget_set_sensitive (self->width, custom_size);
  gtk_widget_set_sensitive (self->height, custom_size);
  gtk_widget_set_sensitive (self->resume,
                            !to_path || (format >= 0 && !kg_movie_path_is_movie (formats[format].suffix)));
  gtk_widget_set_visible (self->progress, running);
  gtk_button_set_label (GTK_BUTTON (self->cancel), running ? _ ("_Cancel") : _ ("_Close"));
  self->updating = false;
  if (running) {
    gtk_widget_set_sensitive (self->render, FALSE);
    return;
  }
  if (check_settings (self, &error))
    show_note (self);
  else
    show_message (self, error->message, true);
  gtk_widget_set_sensitive (self->render, error == NULL);
}

/* The graph was edited: its frames, its display, its selection. */
static void
update_from_document (KgRenderDialog *self)
{
  const KgFrames frames = kg_graph_get_frames (kg_document_get_graph (self->document));
  g_autofree char *label = g_strdup_printf (_ ("All frames of the graph (%g to %g)"), frames.start, frames.end);

  if (self->cancellable != NULL)
    return;
  gtk_check_button_set_label (GTK_CHECK_BUTTON (self->all_frames), label);
  update (self);
}

/* The message of the last rendering stays, unless another node will be rendered. */
static void
on_selection (KgRenderDialog *self)
{
  if (get_what (self) == WHAT_SELECTED)
    update (self);
}

static void
on_format (KgRenderDialog *self)
{
  const guint format = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->format));
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->path));
  g_autofree char *changed = NULL;

  if (self->updating || format >= G_N_ELEMENTS (formats) || find_format (text) == (int) format)
    return;
  changed = change_format (text, (int) format);
  gtk_editable_set_text (GTK_EDITABLE (self->path), changed);
}

static void
on_chosen (GtkNativeDialog *chooser, int response, KgRenderDialog *self)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser))
                                                           : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (path != NULL) {
    g_autofree char *folder = g_path_get_dirname (path);
    const guint format = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->format));
    g_autofree char *complete = find_format (path) >= 0 ? g_strdup (path) : change_format (path, (int) format);

    kg_settings_set_recent_folder (kg_settings_get_default (), folder);
    gtk_editable_set_text (GTK_EDITABLE (self->path), complete);
  }
  gtk_native_dialog_destroy (chooser);
}

static void
browse (KgRenderDialog *self)
{
  g_autoptr (GtkFileChooserNative) chooser = gtk_file_chooser_native_new (
      _ ("Render To"), GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Select"), _ ("_Cancel"));
  g_autofree char *path = get_path (self), *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
  g_autoptr (GFile) file = g_file_new_for_path (folder);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (chooser), TRUE);
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (chooser), file, NULL);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), name);
  /* The chooser lives until it is answered. */
  g_signal_connect_object (chooser, "response", G_CALLBACK (on_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
  g_object_set_data_full (G_OBJECT (self), "chooser", g_steal_pointer (&chooser), g_object_unref);
}

/* Rendering. */

static void
job_free (gpointer data)
{
  Job *job = (Job *) data;

  g_clear_object (&job->application);
  g_object_unref (job->graph);
  g_free (job->path);
  g_free (job->target);
  g_strfreev (job->writable);
  g_mutex_clear (&job->lock);
  g_free (job);
}

static void
count_frame (const KgRenderEvent *event, gpointer data)
{
  Job *job = (Job *) data;

  g_mutex_lock (&job->lock);
  job->done = event->done;
  job->total = event->total;
  job->rendered += event->outcome != KG_RENDER_FRAME_SKIPPED;
  g_mutex_unlock (&job->lock);
}

static void
run_job (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = (Job *) data;
  GError *error = NULL;

  (void) source;
  if (kg_render (job->graph, &job->options, cancellable, &job->report, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static Job *
make_job (KgRenderDialog *self)
{
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (self));
  GtkApplication *application = parent != NULL ? gtk_window_get_application (parent) : NULL;
  Job *job = g_new0 (Job, 1);

  g_mutex_init (&job->lock);
  job->graph = kg_graph_snapshot (kg_document_get_graph (self->document));
  job->start = g_get_monotonic_time ();
  job->range = get_range (self);
  job->target = get_target (self);
  if (get_what (self) != WHAT_FILE_NODES)
    job->path = get_path (self);
  job->writable = g_strdupv ((char **) (size_t) kg_document_get_writable (self->document));
  job->options = (KgRenderOptions){ .path = job->path,
                                    .writable = (const char *const *) job->writable,
                                    .target = job->target,
                                    .range = is_checked (self->all_frames) ? NULL : &job->range,
                                    .jobs = (guint) get_spin (self->jobs),
                                    .resume = is_checked (self->resume) && gtk_widget_get_sensitive (self->resume),
                                    .progress = count_frame,
                                    .data = job };
  if (!is_checked (self->own_size)) {
    job->options.width = (int) get_spin (self->width);
    job->options.height = (int) get_spin (self->height);
  }
  if (application != NULL) {
    job->application = G_APPLICATION (g_object_ref (application));
    g_application_hold (job->application);
  }
  return job;
}

/* (transfer full) "1:05" or "2:00:00" */
static char *
format_seconds (double seconds)
{
  const int whole = (int) CLAMP (ceil (seconds), 0, 1e9);

  if (whole >= 3600)
    return g_strdup_printf ("%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
  return g_strdup_printf ("%d:%02d", whole / 60, whole % 60);
}

static gboolean
look (gpointer data)
{
  KgRenderDialog *self = KG_RENDER_DIALOG (data);
  Job *job = self->job;
  const double seconds = (double) (g_get_monotonic_time () - job->start) * 1e-6;
  g_autofree char *left = NULL, *text = NULL;
  guint64 done, total, rendered;
  double speed;

  g_mutex_lock (&job->lock);
  done = job->done;
  total = job->total;
  rendered = job->rendered;
  g_mutex_unlock (&job->lock);
  if (g_cancellable_is_cancelled (self->cancellable)) {
    gtk_progress_bar_set_text (GTK_PROGRESS_BAR (self->progress), _ ("Stopping…"));
    return G_SOURCE_CONTINUE;
  }
  if (total == 0 || rendered == 0 || seconds <= 0) {
    gtk_progress_bar_pulse (GTK_PROGRESS_BAR (self->progress));
    return G_SOURCE_CONTINUE;
  }
  speed = (double) rendered / seconds;
  left = format_seconds ((double) (total - done) / speed);
  text =
      g_strdup_printf (_ ("%lu of %lu frames · %.1f frames/s · %s left"), (gulong) done, (gulong) total, speed, left);
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress), (double) done / (double) total);
  gtk_progress_bar_set_text (GTK_PROGRESS_BAR (self->progress), text);
  return G_SOURCE_CONTINUE;
}

static void
show_result (KgRenderDialog *self, const Job *job, const GError *error)
{
  g_autofree char *seconds = format_seconds ((double) (g_get_monotonic_time () - job->start) * 1e-6);
  g_autoptr (GString) text = g_string_new (NULL);

  if (error == NULL) {
    const gulong done = (gulong) job->report.done, skipped = (gulong) job->report.skipped;

    g_string_printf (text, ngettext ("Done: %lu frame in %s.", "Done: %lu frames in %s.", done), done, seconds);
    if (skipped > 0)
      g_string_append_printf (text, ngettext (" %lu was up to date.", " %lu were up to date.", skipped), skipped);
  } else {
    g_string_append (text, error->message);
  }
  show_message (self, text->str, error != NULL && !g_error_matches (error, KG_ERROR, KG_ERROR_CANCELLED));
}

static void
on_rendered (GObject *source, GAsyncResult *result, gpointer data)
{
  KgRenderDialog *self = KG_RENDER_DIALOG (source);
  const Job *job = (const Job *) g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;

  (void) data;
  g_task_propagate_boolean (G_TASK (result), &error);
  if (job->application != NULL)
    g_application_release (job->application);
  g_clear_handle_id (&self->look_source, g_source_remove);
  self->job = NULL;
  /* It was destroyed with its parent meanwhile. */
  if (self->document == NULL)
    return;
  g_clear_object (&self->cancellable);
  update_from_document (self);
  show_result (self, job, error);
  if (job->report.done + job->report.skipped > 0) {
    g_free (self->written);
    self->written = job->path != NULL ? g_path_get_dirname (job->path) : g_strdup (kg_graph_get_folder (job->graph));
  }
  gtk_widget_set_sensitive (self->open_folder, self->written != NULL);
}

static void
run (KgRenderDialog *self)
{
  g_autoptr (GTask) task = NULL;

  self->cancellable = g_cancellable_new ();
  self->job = make_job (self);
  task = g_task_new (self, self->cancellable, on_rendered, NULL);
  /* The message of the rendering says how far it came. */
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, self->job, job_free);
  g_task_run_in_thread (task, run_job);
  self->look_source = g_timeout_add (LOOK_EVERY, look, self);
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress), 0);
  gtk_progress_bar_set_text (GTK_PROGRESS_BAR (self->progress), _ ("Starting…"));
  show_message (self, "", false);
  /* Before the entry that has it becomes insensitive. */
  gtk_window_set_focus (GTK_WINDOW (self), self->cancel);
  update (self);
}

/* What was not allowed is refused by the rendering, which says so; the rest is rendered. */
static void
on_permission (GtkDialog *dialog, int response, KgRenderDialog *self)
{
  GPtrArray *folders = (GPtrArray *) g_object_get_data (G_OBJECT (dialog), "folders");

  for (guint i = 0; response == GTK_RESPONSE_ACCEPT && i < folders->len; i++)
    kg_document_permit_writing (self->document, (const char *) folders->pdata[i]);
  gtk_window_destroy (GTK_WINDOW (dialog));
  if (self->cancellable == NULL)
    run (self);
}

static void
start (KgRenderDialog *self)
{
  g_autoptr (GPtrArray) folders = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL, *question = NULL;
  GtkWidget *dialog;

  if (self->cancellable != NULL)
    return;
  if (!check_settings (self, &error)) {
    show_message (self, error->message, true);
    return;
  }
  folders = get_what (self) == WHAT_FILE_NODES ? kg_document_dup_unwritable (self->document) : NULL;
  if (folders == NULL || folders->len == 0) {
    run (self);
    return;
  }
  name = kg_document_dup_name (self->document);
  question = g_strdup_printf (_ ("Let “%s” write files outside its folder?"), name);
  dialog = kg_permission_dialog_new (GTK_WINDOW (self), question,
                                     _ ("Allow this only if you trust where the graph comes from. It writes files in:"),
                                     folders);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_permission), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_folder_opened (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (KgRenderDialog) self = KG_RENDER_DIALOG (data);
  g_autoptr (GError) error = NULL;

  (void) source;
  if (!g_app_info_launch_default_for_uri_finish (result, &error) && self->document != NULL)
    kg_error_dialog_show (GTK_WINDOW (self), _ ("The folder cannot be opened"), error);
}

static void
open_folder (KgRenderDialog *self)
{
  g_autoptr (GFile) file = g_file_new_for_path (self->written);
  g_autofree char *uri = g_file_get_uri (file);

  g_app_info_launch_default_for_uri_async (uri, NULL, NULL, on_folder_opened, g_object_ref (self));
}

/* The window. */

static void
add_row (KgRenderDialog *self, int row, const char *text, GtkWidget *widget)
{
  GtkWidget *label = gtk_label_new_with_mnemonic (text);

  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), widget);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
  gtk_widget_add_css_class (label, "kg-dim");
  gtk_grid_attach (GTK_GRID (self->settings), label, 0, row, 1, 1);
}

static GtkWidget *
make_row_box (KgRenderDialog *self, int row)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  gtk_widget_set_hexpand (box, TRUE);
  gtk_grid_attach (GTK_GRID (self->settings), box, 1, row, 1, 1);
  return box;
}

static GtkWidget *
add_spin (KgRenderDialog *self, GtkWidget *box, const char *text, const char *name, double low, double high)
{
  GtkWidget *spin = gtk_spin_button_new_with_range (low, high, 1);

  if (*text != '\0')
    gtk_box_append (GTK_BOX (box), gtk_label_new (text));
  gtk_box_append (GTK_BOX (box), spin);
  gtk_editable_set_width_chars (GTK_EDITABLE (spin), 5);
  gtk_accessible_update_property (GTK_ACCESSIBLE (spin), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_object (spin, "value-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return spin;
}

static GtkWidget *
add_check (KgRenderDialog *self, int row, const char *text, bool active)
{
  GtkWidget *check = gtk_check_button_new_with_mnemonic (text);

  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), active);
  gtk_grid_attach (GTK_GRID (self->settings), check, 1, row, 1, 1);
  g_signal_connect_object (check, "toggled", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return check;
}

static void
make_destination (KgRenderDialog *self)
{
  GtkStringList *whats = gtk_string_list_new (NULL), *names = gtk_string_list_new (NULL);
  GtkWidget *box;

  gtk_string_list_append (whats, _ ("What the graph displays"));
  gtk_string_list_append (whats, _ ("The selected node"));
  gtk_string_list_append (whats, _ ("Every Write File node"));
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    gtk_string_list_append (names, _ (formats[i].label));
  self->what = gtk_drop_down_new (G_LIST_MODEL (whats), NULL);
  gtk_grid_attach (GTK_GRID (self->settings), self->what, 1, 0, 1, 1);
  add_row (self, 0, _ ("Render _what"), self->what);

  box = make_row_box (self, 1);
  self->path = gtk_entry_new ();
  gtk_widget_set_hexpand (self->path, TRUE);
  gtk_entry_set_activates_default (GTK_ENTRY (self->path), TRUE);
  self->browse = gtk_button_new_from_icon_name ("document-open-symbolic");
  gtk_widget_set_tooltip_text (self->browse, _ ("Choose the file"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->browse), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Choose the file"),
                                  -1);
  gtk_box_append (GTK_BOX (box), self->path);
  gtk_box_append (GTK_BOX (box), self->browse);
  add_row (self, 1, _ ("_File"), self->path);

  self->format = gtk_drop_down_new (G_LIST_MODEL (names), NULL);
  gtk_grid_attach (GTK_GRID (self->settings), self->format, 1, 2, 1, 1);
  add_row (self, 2, _ ("For_mat"), self->format);
  g_signal_connect_object (self->what, "notify::selected", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->path, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->browse, "clicked", G_CALLBACK (browse), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->format, "notify::selected", G_CALLBACK (on_format), self, G_CONNECT_SWAPPED);
}

static void
make_numbers (KgRenderDialog *self)
{
  GtkWidget *box;

  self->all_frames = add_check (self, 3, "", true);
  add_row (self, 3, _ ("Fr_ames"), self->all_frames);
  box = make_row_box (self, 4);
  self->first = add_spin (self, box, _ ("from"), _ ("First frame"), -KG_RENDER_MAX_FRAME, KG_RENDER_MAX_FRAME);
  self->last = add_spin (self, box, _ ("to"), _ ("Last frame"), -KG_RENDER_MAX_FRAME, KG_RENDER_MAX_FRAME);
  self->step = add_spin (self, box, _ ("step"), _ ("Step between frames"), 1, KG_RENDER_MAX_FRAME);

  self->own_size = add_check (self, 5, _ ("As in the graph"), true);
  add_row (self, 5, _ ("_Size"), self->own_size);
  box = make_row_box (self, 6);
  self->width = add_spin (self, box, "", _ ("Width in pixels"), 1, KG_IMAGE_MAX_SIDE);
  self->height = add_spin (self, box, "×", _ ("Height in pixels"), 1, KG_IMAGE_MAX_SIDE);
  gtk_box_append (GTK_BOX (box), gtk_label_new (_ ("pixels")));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->width), 1920);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->height), 1080);

  box = make_row_box (self, 7);
  self->jobs = add_spin (self, box, "", _ ("Frames at a time"), 0, KG_RENDER_MAX_JOBS);
  gtk_box_append (GTK_BOX (box), gtk_label_new (_ ("frames at a time (0: one per processor)")));
  add_row (self, 7, _ ("_Jobs"), self->jobs);
  self->resume = add_check (self, 8, _ ("_Keep images that are up to date"), false);
}

static void
make_actions (KgRenderDialog *self, GtkWidget *box)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *space = gtk_label_new (NULL);

  self->open_folder = gtk_button_new_with_mnemonic (_ ("_Open Folder"));
  self->cancel = gtk_button_new_with_mnemonic (_ ("_Close"));
  self->render = gtk_button_new_with_mnemonic (_ ("_Render"));
  gtk_widget_set_sensitive (self->open_folder, FALSE);
  gtk_widget_set_hexpand (space, TRUE);
  gtk_widget_add_css_class (self->render, "suggested-action");
  gtk_box_append (GTK_BOX (row), self->open_folder);
  gtk_box_append (GTK_BOX (row), space);
  gtk_box_append (GTK_BOX (row), self->cancel);
  gtk_box_append (GTK_BOX (row), self->render);
  gtk_box_append (GTK_BOX (box), row);
  gtk_window_set_default_widget (GTK_WINDOW (self), self->render);
  g_signal_connect_object (self->open_folder, "clicked", G_CALLBACK (open_folder), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->cancel, "clicked", G_CALLBACK (gtk_window_close), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->render, "clicked", G_CALLBACK (start), self, G_CONNECT_SWAPPED);
}

/* The first time it stops the rendering, so that neither Escape nor a slip of the pointer takes the result away
 * unread. */
static gboolean
kg_render_dialog_close_request (GtkWindow *window)
{
  KgRenderDialog *self = KG_RENDER_DIALOG (window);

  if (self->cancellable != NULL) {
    g_cancellable_cancel (self->cancellable);
    gtk_progress_bar_set_text (GTK_PROGRESS_BAR (self->progress), _ ("Stopping…"));
    return TRUE;
  }
  return GTK_WINDOW_CLASS (kg_render_dialog_parent_class)->close_request (window);
}

static void
kg_render_dialog_dispose (GObject *object)
{
  KgRenderDialog *self = KG_RENDER_DIALOG (object);

  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_handle_id (&self->look_source, g_source_remove);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (kg_render_dialog_parent_class)->dispose (object);
}

static void
kg_render_dialog_finalize (GObject *object)
{
  g_free (KG_RENDER_DIALOG (object)->written);
  G_OBJECT_CLASS (kg_render_dialog_parent_class)->finalize (object);
}

static void
kg_render_dialog_class_init (KgRenderDialogClass *class)
{
  G_OBJECT_CLASS (class)->dispose = kg_render_dialog_dispose;
  G_OBJECT_CLASS (class)->finalize = kg_render_dialog_finalize;
  GTK_WINDOW_CLASS (class)->close_request = kg_render_dialog_close_request;
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (class), GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
kg_render_dialog_init (KgRenderDialog *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  gtk_window_set_title (GTK_WINDOW (self), _ ("Render"));
  gtk_window_set_default_size (GTK_WINDOW (self), 560, -1);
  gtk_window_set_destroy_with_parent (GTK_WINDOW (self), TRUE);
  gtk_widget_set_margin_top (box, 18);
  gtk_widget_set_margin_bottom (box, 18);
  gtk_widget_set_margin_start (box, 18);
  gtk_widget_set_margin_end (box, 18);
  self->updating = true;
  self->settings = gtk_grid_new ();
  gtk_grid_set_row_spacing (GTK_GRID (self->settings), 9);
  gtk_grid_set_column_spacing (GTK_GRID (self->settings), 12);
  make_destination (self);
  make_numbers (self);
  gtk_box_append (GTK_BOX (box), self->settings);

  self->message = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->message), 0);
  gtk_label_set_wrap (GTK_LABEL (self->message), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (self->message), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (self->message), TRUE);
  /* Room for two lines, so that the window does not jump while a name is typed. */
  gtk_label_set_lines (GTK_LABEL (self->message), 2);
  gtk_label_set_yalign (GTK_LABEL (self->message), 0);
  gtk_widget_set_size_request (self->message, -1, 40);
  gtk_widget_set_can_focus (self->message, FALSE);
  gtk_box_append (GTK_BOX (box), self->message);
  self->progress = gtk_progress_bar_new ();
  gtk_progress_bar_set_show_text (GTK_PROGRESS_BAR (self->progress), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Rendering"), -1);
  gtk_box_append (GTK_BOX (box), self->progress);
  make_actions (self, box);
  gtk_window_set_child (GTK_WINDOW (self), box);
}

GtkWindow *
kg_render_dialog_new (KgDocument *document, GtkWindow *parent, int width, int height)
{
  KgRenderDialog *self = KG_RENDER_DIALOG (g_object_new (KG_TYPE_RENDER_DIALOG, "transient-for", parent, NULL));
  KgGraph *graph = kg_document_get_graph (document);
  const KgFrames frames = kg_graph_get_frames (graph);
  g_autofree char *path = NULL;

  self->document = g_object_ref (document);
  path = propose_path (self);
  gtk_editable_set_text (GTK_EDITABLE (self->path), path);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->first), ceil (frames.start));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->last), floor (frames.end));
  if (width > 0 && height > 0) {
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->width), width);
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->height), height);
  }
  if (kg_graph_get_display (graph) == NULL && count_file_nodes (graph) > 0)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->what), WHAT_FILE_NODES);
  self->updating = false;
  g_signal_connect_object (document, "changed", G_CALLBACK (update_from_document), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "selection-changed", G_CALLBACK (on_selection), self, G_CONNECT_SWAPPED);
  update_from_document (self);
  gtk_window_set_focus (GTK_WINDOW (self), self->path);
  return GTK_WINDOW (self);
}
