/* kg-handle-paths: the paths of what moves, keyed or computed; see kg-handles.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"
#include "kg-handles-private.h"
#include "kg-keyed.h"

/* Paths. */

/* (nullable) The keys of a place, or of a step whose anchor has none: where it is at each frame is known then. */
static KgChannel *
get_path_keys (const KgHandles *handles, guint slot)
{
  const KgHandleKind kind = kg_handles_get_kind (kg_node_get_slot (handles->node, slot));
  const KgKeyed keyed = { handles->node, slot, -1, -1 };
  const int anchor = kg_handles_get_anchor (handles->node, slot);

  if ((kind != KG_HANDLE_PLACE && kind != KG_HANDLE_STEP) ||
      kg_node_get_source (handles->node, slot)->kind != KG_SOURCE_KEYS ||
      (kind == KG_HANDLE_STEP && anchor >= 0 &&
       (kg_handles_is_computed (handles->node, anchor) || !kg_handles_is_free (handles->node, (guint) anchor) ||
        kg_node_get_source (handles->node, (guint) anchor)->kind == KG_SOURCE_KEYS)))
    return NULL;
  return kg_keyed_get_channel (&keyed);
}

/* What the numbers of a place or a step count from. */
static bool
get_path_start (const KgHandles *handles, guint slot, KgVector *start)
{
  *start = kg_vector (0, 0, 0);
  return kg_handles_get_kind (kg_node_get_slot (handles->node, slot)) == KG_HANDLE_PLACE ||
         kg_handles_get_place (handles, kg_handles_get_anchor (handles->node, slot), 0, start);
}

static KgVector
get_path_place (const KgChannel *keys, KgVector start, double frame)
{
  double x[4] = { 0 };

  kg_channel_evaluate (keys, frame, x);
  return kg_vector_add (start, kg_vector (x[0], x[1], x[2]));
}

GArray *
kg_handles_find_paths (const KgHandles *handles)
{
  const KgFrames frames = kg_graph_get_frames (kg_document_get_graph (handles->document));
  GArray *paths = g_array_new (FALSE, FALSE, sizeof (KgHandlePath));

  for (guint i = 0; handles->node != NULL && i < kg_node_get_n_slots (handles->node); i++) {
    const KgChannel *keys = kg_node_get_slot (handles->node, i)->role == KG_SLOT_INPUT ? get_path_keys (handles, i)
                                                                                       : NULL;
    const double step = fmax (1, ceil ((frames.end - frames.start) / KG_HANDLES_MAX_POINTS));
    KgHandlePath path;
    KgVector start;

    if (keys == NULL || !kg_handles_is_used (handles, i) || !get_path_start (handles, i, &start))
      continue;
    path.places = g_array_new (FALSE, FALSE, sizeof (KgVector));
    for (double frame = frames.start; frame <= frames.end; frame += step) {
      const KgVector at = get_path_place (keys, start, frame);

      g_array_append_val (path.places, at);
    }
    g_array_append_val (paths, path);
  }
  return paths;
}

/* The keys of other frames, to be dragged where they are. */
void
kg_handles_add_path_keys (const KgHandles *handles, GArray *grips, guint slot)
{
  const KgChannel *channel = get_path_keys (handles, slot);
  KgVector start;
  gsize n;
  const KgKey *keys = channel != NULL ? kg_channel_get_keys (channel, &n) : NULL;

  if (keys == NULL || n > KG_HANDLES_MAX_POINTS || !get_path_start (handles, slot, &start))
    return;
  for (gsize i = 0; i < n; i++) {
    KgGrip grip = kg_handles_make_grip (handles, slot, get_path_place (channel, start, keys[i].at));

    if (fabs (keys[i].at - kg_document_get_frame (handles->document)) < 1e-6)
      continue;
    grip.row = (int) i;
    grip.anchor = start;
    grip.timed = grip.minor = true;
    grip.frame = keys[i].at;
    grip.label = NULL;
    g_array_append_val (grips, grip);
  }
}

/* Computed paths. */

/* "path.slot" */
static char *
dup_name (const KgHandles *handles, guint slot)
{
  g_autofree char *path = kg_node_dup_path (handles->node);

  return g_strdup_printf ("%s.%s", path, kg_node_get_slot (handles->node, slot)->name);
}

static void
add_term (const KgHandles *handles, KgPathRequest *request, guint slot, double factor)
{
  g_autofree char *name = dup_name (handles, slot);

  kg_path_request_add (request, name, factor);
}

/* The path of an input or output; whole: which is its only term. */
static KgPathRequest *
make_request (const KgHandles *handles, guint slot, bool whole)
{
  g_autofree char *name = dup_name (handles, slot);
  KgPathRequest *request = kg_path_request_new (name);

  if (whole)
    add_term (handles, request, slot, 1);
  return request;
}

/* What kg_handles_get_place adds up.  *moves: some of it is no constant. */
static bool
add_terms (const KgHandles *handles, int slot, guint depth, KgPathRequest *request, bool *moves)
{
  KgSourceKind source;
  KgHandleKind kind;

  if (slot < 0)
    return true;
  if (kg_handles_is_computed (handles->node, slot)) {
    add_term (handles, request, (guint) slot, 1);
    *moves = true;
    return true;
  }
  kind = kg_handles_get_kind (kg_node_get_slot (handles->node, (guint) slot));
  if (depth > KG_HANDLES_MAX_DEPTH ||
      (kind != KG_HANDLE_PLACE &&
       !add_terms (handles, kg_handles_get_anchor (handles->node, (guint) slot), depth + 1, request, moves)))
    return false;
  if (kind != KG_HANDLE_PLACE && kind != KG_HANDLE_STEP && kind != KG_HANDLE_SIZE)
    return true;
  source = kg_node_get_source (handles->node, (guint) slot)->kind;
  *moves = *moves || (source != KG_SOURCE_CONSTANT && source != KG_SOURCE_DEFAULT);
  add_term (handles, request, (guint) slot, kind == KG_HANDLE_SIZE ? 0.5 : 1);
  return true;
}

/* The output that says where the node moves something: a transform, or else the first place; -1: none. */
static int
find_made_place (KgNode *node)
{
  int found = -1;

  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);

    if (slot->role != KG_SLOT_OUTPUT || slot->list || slot->handle.kind == KG_HANDLE_NONE)
      continue;
    if (slot->kind == KG_TRANSFORM)
      return (int) i;
    if (found < 0 && slot->kind == KG_VECTOR && slot->unit == KG_METRES)
      found = (int) i;
  }
  return found;
}

/* Whether nothing but this input moves the place, by keys: its path is the other kind, which is edited. */
static bool
has_keyed_path (const KgHandles *handles, guint slot)
{
  return kg_node_get_slot (handles->node, slot)->role == KG_SLOT_INPUT && get_path_keys (handles, slot) != NULL;
}

static bool
is_moving_place (const KgHandles *handles, guint slot, KgPathRequest *request)
{
  const KgSlot *declared = kg_node_get_slot (handles->node, slot);
  const KgHandleKind kind = kg_handles_get_kind (declared);
  bool moves = false;

  if (find_made_place (handles->node) == (int) slot) {
    add_term (handles, request, slot, 1);
    return true;
  }
  if (declared->role != KG_SLOT_INPUT || !kg_handles_is_used (handles, slot))
    return false;
  if (kind == KG_HANDLE_TRANSFORM) {
    const KgSourceKind source = kg_node_get_source (handles->node, slot)->kind;

    add_term (handles, request, slot, 1);
    return source != KG_SOURCE_CONSTANT && source != KG_SOURCE_DEFAULT;
  }
  return (kind == KG_HANDLE_PLACE || kind == KG_HANDLE_STEP) && !has_keyed_path (handles, slot) &&
         add_terms (handles, (int) slot, 0, request, &moves) && moves;
}

/* The output of a node with the skeleton that it poses; -1: none. */
static int
find_skeleton (KgNode *node)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT && kg_node_get_slot (node, i)->kind == KG_SKELETON)
      return (int) i;
  return -1;
}

/* The ends of a skeleton: hands, feet and head of a figure, the tip of a chain. */
static void
add_ends (const KgHandles *handles, guint slot, GPtrArray *paths)
{
  g_autofree char *name = dup_name (handles, slot);

  for (guint i = 0; i < KG_MOTION_PATH_MOST_ENDS; i++) {
    g_autofree char *own = g_strdup_printf ("%s %u", name, i);
    KgPathRequest *request = kg_path_request_new (own);

    kg_path_request_add_end (request, name, i);
    g_ptr_array_add (paths, request);
  }
}

GPtrArray *
kg_handles_dup_computed_paths (const KgHandles *handles, bool geometry)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_path_request_free);
  const guint n = handles->node != NULL ? kg_node_get_n_slots (handles->node) : 0;
  bool moves = false;

  for (guint i = 0; i < n; i++) {
    KgPathRequest *request = make_request (handles, i, false);

    moves = moves || has_keyed_path (handles, i);
    if (is_moving_place (handles, i, request)) {
      g_ptr_array_add (paths, request);
      moves = true;
    } else
      kg_path_request_free (request);
  }
  if (geometry && !moves && n > 0 && kg_handles_find_geometry (handles->node) >= 0) {
    g_ptr_array_add (paths, make_request (handles, (guint) kg_handles_find_geometry (handles->node), true));
  } else if (geometry && !moves && n > 0 && find_skeleton (handles->node) >= 0)
    add_ends (handles, (guint) find_skeleton (handles->node), paths);
  return paths;
}
