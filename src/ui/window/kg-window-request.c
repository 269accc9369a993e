/* kg-window-request: what is requested from the worker, and when it is asked again.
 *
 * The window decides when what is evaluated: whenever what is displayed, its time or its view may have changed, one
 * request goes to the worker when the main loop is idle next.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-permission-dialog.h"
#include "kg-settings.h"
#include "kg-window-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* (transfer full) (nullable) The output that is shown: of the sub-graph that is open when it has one, else the graph's. */
static char *
dup_target (KgWindow *self)
{
  KgGraph *current = kg_document_get_current (self->document), *root = kg_document_get_graph (self->document);
  KgNode *owner = kg_graph_get_owner (current);
  const char *display = kg_graph_get_display (current);

  if (owner != NULL && display != NULL) {
    g_autofree char *path = kg_node_dup_path (owner);

    return g_strdup_printf ("%s/%s", path, display);
  }
  return g_strdup (kg_graph_get_display (root));
}

/* name: "path.slot" */
static KgHash
hash_node (KgGraph *root, const char *name, KgHash hash)
{
  const char *dot = strrchr (name, '.');
  g_autofree char *path = dot != NULL ? g_strndup (name, (gsize) (dot - name)) : g_strdup (name);
  KgNode *node = kg_graph_find_path (root, path);

  hash = kg_hash_text (hash, name);
  return node != NULL ? kg_hash_join (hash, kg_node_get_fingerprint (node)) : hash;
}

/* What the image is of. */
static KgHash
hash_shown (KgGraph *root, const KgRequest *request, KgHash hash)
{
  if (request->target != NULL)
    hash = hash_node (root, request->target, hash);
  for (guint i = 0; request->stage != NULL && i < request->stage->len; i++) {
    const KgStageItem *item = (const KgStageItem *) g_ptr_array_index (request->stage, i);

    hash = kg_hash_uint (hash_node (root, item->target, hash), item->stage);
  }
  if (request->camera != NULL)
    hash = hash_node (root, request->camera, hash);
  return hash;
}

static KgHash
hash_paths (KgGraph *root, const KgRequest *request, KgHash hash)
{
  for (guint i = 0; request->paths != NULL && i < request->paths->len; i++) {
    const GArray *terms = ((const KgPathRequest *) g_ptr_array_index (request->paths, i))->terms;

    for (guint k = 0; k < terms->len; k++)
      hash = hash_node (root, g_array_index (terms, KgPathTerm, k).name, hash);
  }
  return hash;
}

/* Everything that the answer depends on but time and view. */
static KgHash
hash_display (KgWindow *self, const KgRequest *request)
{
  KgGraph *root = kg_document_get_graph (self->document);
  const KgFrames frames = kg_graph_get_frames (root);
  KgHash hash = kg_hash_double (
      kg_hash_double (kg_hash_text (kg_hash_begin (KG_HASH_DISPLAY, 0), request->target), frames.rate), frames.start);

  hash = kg_hash_double (hash, frames.end);
  hash = kg_hash_uint (hash_shown (root, request, hash), (guint64) request->view.coarser);
  for (guint i = 0; request->thumbnails != NULL && i < request->thumbnails->len; i++)
    hash = hash_node (root, (const char *) g_ptr_array_index (request->thumbnails, i), hash);
  for (guint i = 0; request->wanted != NULL && i < request->wanted->len; i++)
    hash = hash_node (root, (const char *) g_ptr_array_index (request->wanted, i), hash);
  return hash_paths (root, request, hash);
}

/* (transfer full) What small images and graphs are shown of. */
static GPtrArray *
dup_thumbnails (KgWindow *self)
{
  g_autoptr (GPtrArray) motions = kg_inspector_dup_motions (KG_INSPECTOR (self->inspector));
  GPtrArray *targets = kg_canvas_dup_thumbnails (self->canvas);

  if (targets == NULL)
    return g_steal_pointer (&motions);
  for (guint i = 0; i < motions->len; i++)
    if (!g_ptr_array_find_with_equal_func (targets, g_ptr_array_index (motions, i), g_str_equal, NULL))
      g_ptr_array_add (targets, g_strdup ((const char *) g_ptr_array_index (motions, i)));
  return targets;
}

/* What images are kept by: all that they depend on but their frames. */
static KgHash
hash_image (KgWindow *self, const KgRequest *request)
{
  KgGraph *root = kg_document_get_graph (self->document);
  const KgView *view = &request->view;
  const double numbers[] = { view->eye.x,      view->eye.y,         view->eye.z, view->target.x, view->target.y,
                             view->target.z,   view->height_metres, view->width, view->height,   view->orthographic,
                             view->from_scene, view->headlight,     view->style };
  KgHash hash = kg_hash_uint (kg_hash_begin (KG_HASH_DISPLAY, 1), request->keep);

  hash = kg_hash_uint (hash, (guint64) MAX (view->proxy, 1));
  hash = kg_hash_double (hash, kg_graph_get_frames (root).rate);
  hash = hash_shown (root, request, hash);
  for (guint i = 0; request->stage != NULL && i < G_N_ELEMENTS (numbers); i++)
    hash = kg_hash_double (hash, numbers[i]);
  return hash;
}

static void
keep_frames (KgWindow *self, KgRequest *request)
{
  const guint keep = kg_settings_get_keep_frames (kg_settings_get_default ());
  const char *pane = gtk_stack_get_visible_child_name (GTK_STACK (self->lower_stack));

  if (keep != KG_KEEP_FULL && keep != KG_KEEP_HALF && keep != KG_KEEP_QUARTER)
    return;
  request->store = kg_frame_store_ref (self->store);
  request->keep = (KgKeep) keep;
  request->key = hash_image (self, request);
  /* The spreadsheet shows the numbers themselves, and so does the depth; a colour is picked from them. */
  request->plays = kg_document_is_playing (self->document) && g_strcmp0 (pane, "sheet") != 0 &&
                   kg_document_get_picking (self->document) == NULL &&
                   kg_viewport_shows_pixels (KG_VIEWPORT (self->viewport));
}

static void
on_permission (GtkDialog *dialog, int response, KgWindow *self)
{
  GPtrArray *folders = (GPtrArray *) g_object_get_data (G_OBJECT (dialog), "folders");

  for (guint i = 0; response == GTK_RESPONSE_ACCEPT && i < folders->len; i++)
    kg_document_permit (self->document, (const char *) folders->pdata[i]);
  gtk_window_destroy (GTK_WINDOW (dialog));
  self->stale = true;
  kg_window_check_request (self);
}

/* A graph may be of a stranger: once for each folder, the user is asked whether it is read. */
static void
ask_for_permission (KgWindow *self)
{
  g_autoptr (GPtrArray) folders = kg_document_take_unpermitted (self->document);
  g_autofree char *name = NULL, *question = NULL;
  GtkWidget *dialog;

  if (folders->len == 0)
    return;
  name = kg_document_dup_name (self->document);
  question = g_strdup_printf (_ ("Let “%s” read files outside its folder?"), name);
  dialog = kg_permission_dialog_new (GTK_WINDOW (self), question,
                                     _ ("Allow this only if you trust where the graph comes from. It names files in:"),
                                     folders);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_permission), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* The sound that the timeline draws is known besides what the viewport wants. */
static void
want_sound (KgWindow *self, KgRequest *request)
{
  char *wanted = kg_timeline_dup_wanted (KG_TIMELINE (self->timeline));

  if (wanted == NULL)
    return;
  if (request->wanted == NULL)
    request->wanted = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (request->wanted, wanted);
}

/* Of a snapshot: what a draft may have larger is so. */
static void
coarsen (KgGraph *graph, int coarser)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    for (guint k = 0; k < kg_node_get_n_slots (node); k++) {
      const KgSlot *slot = kg_node_get_slot (node, k);
      const KgSource *source = slot->role == KG_SLOT_INPUT && slot->draft ? kg_node_get_source (node, k) : NULL;
      double number = slot->def;

      if (source == NULL || (source->kind != KG_SOURCE_CONSTANT && source->kind != KG_SOURCE_DEFAULT) ||
          (source->kind == KG_SOURCE_CONSTANT && !kg_value_get_component (&source->constant, NULL, &number)))
        continue;
      {
        const KgValue larger = kg_value_number (fmin (ldexp (number, coarser), slot->max));

        kg_graph_set_constant (graph, node, slot->name, &larger, NULL);
      }
    }
    if (kg_node_get_graph (node) != NULL)
      coarsen (kg_node_get_graph (node), coarser);
  }
}

/* While an input of a simulation is dragged and frames are played, the simulation goes on with it from the frame that is there:
 * begun again with each step of the pointer, it would never get beyond its first frames. */
static bool
goes_on (KgWindow *self, const KgRequest *request)
{
  KgGraph *root = kg_document_get_graph (self->document);
  const KgResultSet *set = kg_worker_get_result (self->worker);
  const KgHash hash = hash_shown (root, request, kg_hash_begin (KG_HASH_DISPLAY, 2));

  if (!kg_graph_is_in_group (root))
    self->settled_hash = hash;
  return kg_document_is_playing (self->document) && set != NULL && set->n_simulations > 0 &&
         !kg_hash_equal (hash, self->settled_hash);
}

/* Whether what was changed comes with the next frame, which takes a step of the simulation anyway: frames that are made again and
 * again would leave no time for it. */
static bool
comes_with_next (KgWindow *self, const KgRequest *request)
{
  const KgFrames frames = kg_graph_get_frames (kg_document_get_graph (self->document));

  return request->goes_on && !self->wanted && !self->stale && frames.end >= frames.start + 1;
}

static gboolean
send_request (gpointer data)
{
  KgWindow *self = KG_WINDOW (data);
  KgGraph *root = kg_document_get_graph (self->document);
  KgRequest request = { .target = dup_target (self),
                        .time = kg_graph_frame_to_time (root, kg_document_get_frame (self->document)),
                        .thumbnails = dup_thumbnails (self) };
  KgHash hash;

  self->request_source = 0;
  kg_viewport_fill_request (KG_VIEWPORT (self->viewport), &request);
  want_sound (self, &request);
  /* The spreadsheet is of all pixels. */
  if (g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->lower_stack)), "sheet") == 0)
    request.view.part.part_width = 0;
  request.goes_on = goes_on (self, &request);
  if (request.view.coarser == 0 && !request.goes_on)
    keep_frames (self, &request);
  hash = kg_hash_uint (hash_display (self, &request), request.goes_on);
  /* Moving nodes about changes no image. */
  if (comes_with_next (self, &request) || (!self->wanted && !self->stale && kg_hash_equal (hash, self->sent_hash))) {
    kg_request_clear (&request);
    return G_SOURCE_REMOVE;
  }
  self->wanted = false;
  if (self->stale || !kg_hash_equal (hash, self->sent_hash)) {
    ask_for_permission (self);
    request.graph = kg_graph_snapshot (root);
    if (request.view.coarser > 0)
      coarsen (request.graph, request.view.coarser);
    self->sent_hash = hash;
    self->stale = false;
  }
  kg_worker_request (self->worker, &request);
  gtk_spinner_start (GTK_SPINNER (self->spinner));
  return G_SOURCE_REMOVE;
}

/* Sees whether what was requested last is still it, once for all that has happened so far, but before the window draws: where that
 * takes all the time there is, as while playing, nothing would ever be requested. */
void
kg_window_check_request (KgWindow *self)
{
  if (self->request_source == 0 && self->worker != NULL)
    self->request_source = g_idle_add_full (G_PRIORITY_HIGH_IDLE, send_request, self, NULL);
}

/* Images, meshes and tables that another program has changed meanwhile. */
void
kg_window_read_again (KgWindow *self, bool numbered)
{
  kg_graph_reload (kg_document_get_graph (self->document), numbered);
  kg_window_check_request (self);
}

/* The worker has lost its snapshot of the graph. */
void
kg_window_renew_request (KgWindow *self)
{
  self->stale = true;
  kg_window_check_request (self);
}

void
kg_window_want_request (KgWindow *self)
{
  self->wanted = true;
  kg_window_check_request (self);
}
