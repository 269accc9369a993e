/* kg-handles: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-handles.h"

#include "config.h"
#include "curve/points_text.h"
#include "kg-input-row.h"

#include <glib/gi18n.h>
#include <string.h>

/* More points of one input than anyone drags by hand. */
#define MAX_POINTS 4096

/* Anchors of anchors. */
#define MAX_DEPTH 8

/* A handle of a Bezier curve is a third of the derivative away from its point. */
#define THIRD (1.0 / 3)

#define SNAP_PIXELS 12

static const KgVector axes[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

static double *
get_axis (KgVector *v, int axis)
{
  return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

/* Rounding. */

int
kg_handles_get_decimals (double metres_per_pixel)
{
  return metres_per_pixel > 0 && isfinite (metres_per_pixel)
             ? (int) kg_clamp (-floor (log10 (metres_per_pixel) + 1e-9), -9, 12)
             : 6;
}

/* Divides by whole powers of ten, so that the shortest form of the number is the short one. */
static double
round_number (double x, int decimals)
{
  const double scale = pow (10, abs (decimals));
  const double rounded = decimals >= 0 ? nearbyint (x * scale) / scale : nearbyint (x / scale) * scale;

  return rounded == 0 ? 0 : rounded;
}

KgVector
kg_handles_round (KgVector place, KgVector from, int decimals)
{
  const double half = 0.5 * pow (10, -decimals);
  KgVector rounded = place;

  for (int i = 0; i < 3; i++) {
    const double old = *get_axis (&from, i), new = *get_axis (&place, i);

    *get_axis (&rounded, i) = fabs (new - old) < half ? old : round_number (new, decimals);
  }
  return rounded;
}

double
kg_handles_get_snap (double metres_per_pixel)
{
  const double least = SNAP_PIXELS * metres_per_pixel, power = pow (10, floor (log10 (least)));

  return power * (least <= power ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10);
}

KgVector
kg_handles_snap (KgVector place, double step)
{
  const int decimals = MAX (0, (int) ceil (-log10 (step) - 1e-9));

  for (int i = 0; i < 3; i++) {
    double *x = get_axis (&place, i);

    *x = round_number (nearbyint (*x / step) * step, decimals);
  }
  return place;
}

/* Values. */

static char *
dup_key (KgNode *node, guint slot)
{
  g_autofree char *path = kg_node_dup_path (node);

  return g_strdup_printf ("%s.%s", path, kg_node_get_slot (node, slot)->name);
}

static bool
is_free (KgNode *node, guint slot)
{
  const KgSourceKind kind = kg_node_get_source (node, slot)->kind;

  return kind == KG_SOURCE_CONSTANT || kind == KG_SOURCE_DEFAULT || kind == KG_SOURCE_KEYS;
}

/* (nullable) What evaluating found. */
static const KgValue *
look_up (const KgHandles *handles, guint slot)
{
  g_autofree char *key = handles->values != NULL ? dup_key (handles->node, slot) : NULL;

  return key != NULL ? (const KgValue *) g_hash_table_lookup (handles->values, key) : NULL;
}

/* What feeds an input now, if that is known. */
static bool
get_value (const KgHandles *handles, guint slot, KgValue *value)
{
  const KgValue *known;

  if (kg_input_get_value (handles->node, slot, kg_document_get_frame (handles->document), value))
    return true;
  known = look_up (handles, slot);
  if (known != NULL)
    *value = kg_value_copy (known);
  return known != NULL;
}

static KgHandleKind
get_kind (const KgSlot *slot)
{
  if (slot->role != KG_SLOT_INPUT || slot->list)
    return KG_HANDLE_NONE;
  if (slot->handle.kind != KG_HANDLE_BY_KIND)
    return slot->handle.kind;
  return slot->kind == KG_VECTOR && slot->unit == KG_METRES ? KG_HANDLE_PLACE
         : slot->kind == KG_TRANSFORM                       ? KG_HANDLE_TRANSFORM
                                                            : KG_HANDLE_NONE;
}

static int
get_anchor (KgNode *node, guint slot)
{
  const char *name = kg_node_get_slot (node, slot)->handle.anchor;

  return name != NULL ? kg_node_find_slot (node, name) : -1;
}

/* All of the conditions between which there is &; NULL: false. */
static bool
holds (const KgHandles *handles, const char *conditions)
{
  g_auto (GStrv) all = conditions != NULL ? g_strsplit (conditions, "&", -1) : NULL;
  bool good = all != NULL;

  for (guint i = 0; good && all[i] != NULL; i++)
    good = kg_input_meets (handles->node, all[i], kg_document_get_frame (handles->document));
  return good;
}

bool
kg_handles_is_used (const KgHandles *handles, guint slot)
{
  const KgViewHandle *handle = &kg_node_get_slot (handles->node, slot)->handle;
  const char *other = handle->unless_linked;
  const int index = other != NULL ? kg_node_find_slot (handles->node, other) : -1;

  return kg_input_is_shown (handles->node, slot, kg_document_get_frame (handles->document)) &&
         !holds (handles, handle->unless) &&
         (index < 0 || kg_node_get_source (handles->node, (guint) index)->kind != KG_SOURCE_LINK);
}

/* Where the handle of an input stands; false when that is not known. */
static bool
get_place (const KgHandles *handles, int slot, guint depth, KgVector *at)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgHandleKind kind;

  *at = kg_vector (0, 0, 0);
  if (slot < 0)
    return true;
  kind = get_kind (kg_node_get_slot (handles->node, (guint) slot));
  if (depth > MAX_DEPTH ||
      (kind != KG_HANDLE_PLACE && !get_place (handles, get_anchor (handles->node, (guint) slot), depth + 1, at)))
    return false;
  if (kind != KG_HANDLE_PLACE && kind != KG_HANDLE_STEP && kind != KG_HANDLE_SIZE)
    return true;
  if (!get_value (handles, (guint) slot, &value) || value.kind != KG_VECTOR)
    return false;
  *at = kg_vector_add_scaled (*at, kind == KG_HANDLE_SIZE ? 0.5 : 1, value.vector);
  return true;
}

/* The first output that is a geometry; -1 when there is none. */
static int
find_geometry (KgNode *node)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT && kg_node_get_slot (node, i)->kind == KG_GEOMETRY)
      return (int) i;
  return -1;
}

static const KgGeometry *
look_up_geometry (const KgHandles *handles)
{
  const int slot = find_geometry (handles->node);
  const KgValue *value = slot >= 0 ? look_up (handles, (guint) slot) : NULL;

  return value != NULL && value->kind == KG_GEOMETRY ? value->geometry : NULL;
}

static bool
needs_geometry (KgHandleKind kind)
{
  return kind == KG_HANDLE_MOVES || kind == KG_HANDLE_TANGENTS || kind == KG_HANDLE_INCOMING;
}

GPtrArray *
kg_handles_dup_wanted (KgDocument *document, KgNode *node)
{
  GPtrArray *wanted = g_ptr_array_new_with_free_func (g_free);
  const KgHandles handles = { document, node, NULL };
  bool geometry = false;

  for (guint i = 0; node != NULL && i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    const KgHandleKind kind = get_kind (slot);
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (slot->role == KG_SLOT_OUTPUT && slot->kind == KG_TRANSFORM)
      g_ptr_array_add (wanted, dup_key (node, i));
    if (kind == KG_HANDLE_NONE || !kg_handles_is_used (&handles, i))
      continue;
    geometry = geometry || needs_geometry (kind);
    if (!kg_input_get_value (node, i, kg_document_get_frame (document), &value))
      g_ptr_array_add (wanted, dup_key (node, i));
  }
  if (geometry && find_geometry (node) >= 0)
    g_ptr_array_add (wanted, dup_key (node, (guint) find_geometry (node)));
  return wanted;
}

/* Finding. */

static KgGrip
make_grip (const KgHandles *handles, guint slot, KgVector at)
{
  return (KgGrip){ .node = handles->node,
                   .slot = slot,
                   .kind = get_kind (kg_node_get_slot (handles->node, slot)),
                   .row = -1,
                   .axis = -1,
                   .at = at,
                   .anchor = at,
                   .locked = !is_free (handles->node, slot),
                   .label = kg_node_get_slot (handles->node, slot)->label };
}

bool
kg_grip_is_same (const KgGrip *a, const KgGrip *b)
{
  return a->node == b->node && a->slot == b->slot && a->shape == b->shape && a->row == b->row && a->axis == b->axis;
}

static void
add_arrows (GArray *grips, const KgGrip *point)
{
  KgGrip arrow = *point;

  arrow.shape = KG_GRIP_AXIS;
  arrow.label = NULL;
  arrow.stem = arrow.joined = false;
  for (arrow.axis = 0; !point->locked && arrow.axis < 3; arrow.axis++) {
    arrow.direction = axes[arrow.axis];
    g_array_append_val (grips, arrow);
  }
}

static void
add_three (GArray *grips, const KgGrip *like, KgGripShape shape, const KgVector directions[3])
{
  KgGrip grip = *like;

  grip.shape = shape;
  grip.label = NULL;
  for (grip.axis = 0; grip.axis < 3; grip.axis++) {
    grip.direction = directions[grip.axis];
    g_array_append_val (grips, grip);
  }
}

/* The axes that the rings of an input turn about: of angles each one's own. */
static bool
get_ring_axes (const KgValue *value, KgVector directions[3])
{
  KgRotation y, z;

  if (value->kind == KG_ROTATION) {
    for (int i = 0; i < 3; i++)
      directions[i] = kg_rotation_apply (value->rotation, axes[i]);
    return true;
  }
  if (value->kind != KG_VECTOR)
    return false;
  y = kg_rotation_from_axis_angle (axes[1], KG_DEGREE * value->vector.y);
  z = kg_rotation_from_axis_angle (axes[2], KG_DEGREE * value->vector.z);
  directions[0] = kg_rotation_apply (z, kg_rotation_apply (y, axes[0]));
  directions[1] = kg_rotation_apply (z, axes[1]);
  directions[2] = axes[2];
  return true;
}

/* The axes after turning. */
static void
get_turned_axes (const KgHandles *handles, int slot, KgVector directions[3])
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgRotation q = kg_rotation_identity ();

  if (slot >= 0 && get_kind (kg_node_get_slot (handles->node, (guint) slot)) == KG_HANDLE_TURN &&
      get_value (handles, (guint) slot, &value)) {
    if (value.kind == KG_ROTATION)
      q = value.rotation;
    else if (value.kind == KG_VECTOR)
      q = kg_rotation_from_angles (kg_vector_scale (value.vector, KG_DEGREE));
  }
  for (int i = 0; i < 3; i++)
    directions[i] = kg_rotation_apply (q, axes[i]);
}

/* Other inputs turn or scale what is at this one: it is in the middle of a gizmo. */
static bool
is_center (KgNode *node, guint slot)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++) {
    const KgHandleKind kind = get_kind (kg_node_get_slot (node, i));

    if ((kind == KG_HANDLE_TURN || kind == KG_HANDLE_SCALE) && get_anchor (node, i) == (int) slot)
      return true;
  }
  return false;
}

static void
add_vector (const KgHandles *handles, GArray *grips, guint slot, const KgGrip *active)
{
  KgGrip grip;
  KgVector at;

  if (!get_place (handles, (int) slot, 0, &at))
    return;
  grip = make_grip (handles, slot, at);
  if (grip.kind != KG_HANDLE_PLACE) {
    get_place (handles, get_anchor (handles->node, slot), 0, &grip.anchor);
    /* The pivot of what is moved is no place that this starts from. */
    grip.stem = !is_center (handles->node, slot);
  }
  g_array_append_val (grips, grip);
  if (is_center (handles->node, slot) || (active != NULL && kg_grip_is_same (active, &grip)) ||
      (active != NULL && active->shape == KG_GRIP_AXIS && active->slot == slot))
    add_arrows (grips, &grip);
}

static void
add_turn (const KgHandles *handles, GArray *grips, guint slot)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgVector at, directions[3];
  KgGrip grip;

  /* What is evaluated is in radians, and could not be turned anyway. */
  if (!is_free (handles->node, slot) || !get_place (handles, (int) slot, 0, &at) ||
      !get_value (handles, slot, &value) || !get_ring_axes (&value, directions))
    return;
  grip = make_grip (handles, slot, at);
  add_three (grips, &grip, KG_GRIP_RING, directions);
}

static void
add_scale (const KgHandles *handles, GArray *grips, guint slot)
{
  KgVector at, directions[3];
  KgGrip grip;

  if (!is_free (handles->node, slot) || !get_place (handles, (int) slot, 0, &at))
    return;
  get_turned_axes (handles, get_anchor (handles->node, slot), directions);
  grip = make_grip (handles, slot, at);
  add_three (grips, &grip, KG_GRIP_FACTOR, directions);
}

static KgVector
get_column (const KgTransform *t, int column)
{
  return kg_vector (t->m[0][column], t->m[1][column], t->m[2][column]);
}

static void
add_transform (const KgHandles *handles, GArray *grips, guint slot)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgVector directions[3];
  KgGrip grip;

  /* One that nobody has set would only be in the way of the handles that such nodes have besides. */
  if (!is_free (handles->node, slot) ||
      (kg_node_get_source (handles->node, slot)->kind == KG_SOURCE_DEFAULT && grips->len > 0) ||
      !get_value (handles, slot, &value) || value.kind != KG_TRANSFORM)
    return;
  grip = make_grip (handles, slot, get_column (value.transform, 3));
  for (int i = 0; i < 3; i++)
    directions[i] = kg_vector_normalize_or (get_column (value.transform, i), axes[i]);
  g_array_append_val (grips, grip);
  add_arrows (grips, &grip);
  add_three (grips, &grip, KG_GRIP_RING, directions);
  add_three (grips, &grip, KG_GRIP_FACTOR, directions);
}

static bool
get_row (const char *text, guint row, KgVector *at)
{
  double x[3] = { 0 };
  guint n;

  if (!points_text_get_row (text, row, 3, x, &n) || n < 2)
    return false;
  *at = kg_vector (x[0], x[1], x[2]);
  return true;
}

static void
add_points (const KgHandles *handles, GArray *grips, guint slot, const KgGrip *active)
{
  const KgSlot *declared = kg_node_get_slot (handles->node, slot);
  const bool thirds = holds (handles, declared->handle.when);
  g_auto (KgValue) value = KG_VALUE_INIT;
  guint n;

  if (!get_value (handles, slot, &value) || value.kind != KG_TEXT)
    return;
  n = MIN (points_text_get_n_rows (value.text), MAX_POINTS);
  for (guint row = 0; row < n; row++) {
    KgGrip grip = make_grip (handles, slot, kg_vector (0, 0, 0));

    if (!get_row (value.text, row, &grip.at))
      continue;
    grip.row = (int) row;
    grip.minor = thirds && row % 3 != 0;
    grip.joined = row > 0 && !(thirds && row % 3 == 2);
    grip.label = NULL;
    g_array_append_val (grips, grip);
  }
  /* Last, so that lines lead from point to point. */
  for (guint i = 0, last = grips->len; active != NULL && i < last; i++) {
    const KgGrip grip = g_array_index (grips, KgGrip, i);

    if (grip.slot == slot && active->slot == slot && active->row == grip.row)
      add_arrows (grips, &grip);
  }
}

/* The tangent of a point as it is typed, or as the node chose it (a derivative); false when there is none. */
static bool
get_tangent (const KgHandles *handles, guint slot, const char *text, guint row, bool *typed, KgVector *tangent)
{
  const KgGeometry *geometry = look_up_geometry (handles);
  const char *attribute = kg_node_get_slot (handles->node, slot)->handle.attribute;
  const float *x = geometry != NULL && attribute != NULL ? kg_geometry_get_float (geometry, KG_POINTS, attribute, 3)
                                                         : NULL;

  *typed = get_row (text, row, tangent);
  if (*typed)
    return true;
  if (x == NULL || row >= kg_geometry_get_n_points (geometry))
    return false;
  *tangent = kg_vector ((double) x[3 * row], (double) x[3 * row + 1], (double) x[3 * row + 2]);
  return true;
}

/* What a number in the text stands for in metres from the point to the handle. */
static double
get_tangent_scale (const KgHandles *handles, guint slot, bool typed)
{
  const KgSlot *declared = kg_node_get_slot (handles->node, slot);
  const char *name = typed ? declared->handle.factor : NULL;
  const int factor = name != NULL ? kg_node_find_slot (handles->node, name) : -1;
  g_auto (KgValue) value = KG_VALUE_INIT;
  const bool whole = typed && holds (handles, declared->handle.when);

  double times = 1;

  if (factor >= 0 && get_value (handles, (guint) factor, &value))
    kg_value_get_component (&value, NULL, &times);
  /* What is multiplied by nothing cannot be dragged anywhere. */
  return (times != 0 ? times : 1) * (whole ? 1 : declared->handle.kind == KG_HANDLE_INCOMING ? -THIRD : THIRD);
}

static void
add_tangents (const KgHandles *handles, GArray *grips, guint slot)
{
  const int anchor = get_anchor (handles->node, slot);
  g_auto (KgValue) value = KG_VALUE_INIT, points = KG_VALUE_INIT;
  guint n;

  if (anchor < 0 || !get_value (handles, slot, &value) || value.kind != KG_TEXT ||
      !get_value (handles, (guint) anchor, &points) || points.kind != KG_TEXT)
    return;
  n = MIN (points_text_get_n_rows (points.text), MAX_POINTS);
  for (guint row = 0; row < n; row++) {
    KgGrip grip = make_grip (handles, slot, kg_vector (0, 0, 0));
    KgVector tangent;
    bool typed;

    if (!get_row (points.text, row, &grip.anchor) || !get_tangent (handles, slot, value.text, row, &typed, &tangent))
      continue;
    grip.row = (int) row;
    grip.at = kg_vector_add_scaled (grip.anchor, get_tangent_scale (handles, slot, typed), tangent);
    grip.stem = grip.minor = true;
    grip.label = NULL;
    g_array_append_val (grips, grip);
  }
}

static void
add_lattice (const KgHandles *handles, GArray *grips, guint slot)
{
  const KgGeometry *geometry = look_up_geometry (handles);
  const int32_t *size = geometry != NULL ? kg_geometry_get_int (geometry, KG_WHOLE, "lattice", 4) : NULL;
  const float *p = geometry != NULL ? kg_geometry_get_positions (geometry) : NULL;
  size_t index = 0;

  if (size == NULL || size[0] < 1 || size[1] < 1 || size[2] < 1 ||
      kg_geometry_get_n_points (geometry) != ((size_t) size[0] + 1) * ((size_t) size[1] + 1) * ((size_t) size[2] + 1) ||
      kg_geometry_get_n_points (geometry) > MAX_POINTS)
    return;
  for (int i = 0; i <= size[0]; i++)
    for (int j = 0; j <= size[1]; j++)
      for (int k = 0; k <= size[2]; k++, index++) {
        KgGrip grip = make_grip (
            handles, slot, kg_vector ((double) p[3 * index], (double) p[3 * index + 1], (double) p[3 * index + 2]));

        grip.row = (int) index;
        grip.cell[0] = i;
        grip.cell[1] = j;
        grip.cell[2] = k;
        grip.minor = true;
        grip.label = NULL;
        g_array_append_val (grips, grip);
      }
}

GArray *
kg_handles_find (const KgHandles *handles, const KgGrip *active)
{
  GArray *grips = g_array_new (FALSE, FALSE, sizeof (KgGrip));

  if (active != NULL && active->node != handles->node)
    active = NULL;
  for (guint i = 0; handles->node != NULL && i < kg_node_get_n_slots (handles->node); i++) {
    const KgHandleKind kind = get_kind (kg_node_get_slot (handles->node, i));

    if (kind == KG_HANDLE_NONE || !kg_handles_is_used (handles, i))
      continue;
    if (kind == KG_HANDLE_PLACE || kind == KG_HANDLE_STEP || kind == KG_HANDLE_SIZE)
      add_vector (handles, grips, i, active);
    else if (kind == KG_HANDLE_TURN)
      add_turn (handles, grips, i);
    else if (kind == KG_HANDLE_SCALE)
      add_scale (handles, grips, i);
    else if (kind == KG_HANDLE_TRANSFORM)
      add_transform (handles, grips, i);
    else if (kind == KG_HANDLE_POINTS)
      add_points (handles, grips, i, active);
    else if (kind == KG_HANDLE_TANGENTS || kind == KG_HANDLE_INCOMING)
      add_tangents (handles, grips, i);
    else if (kind == KG_HANDLE_MOVES)
      add_lattice (handles, grips, i);
  }
  return grips;
}

GArray *
kg_handles_find_frames (const KgHandles *handles)
{
  GArray *frames = g_array_new (FALSE, FALSE, sizeof (KgTransform));

  for (guint i = 0; handles->node != NULL && i < kg_node_get_n_slots (handles->node); i++) {
    const KgValue *value = kg_node_get_slot (handles->node, i)->kind == KG_TRANSFORM ? look_up (handles, i) : NULL;

    if (value != NULL && value->kind == KG_TRANSFORM)
      g_array_append_val (frames, *value->transform);
  }
  return frames;
}

/* Writing. */

static bool
set_value (const KgHandles *handles, guint slot, const KgValue *value, GError **error)
{
  return kg_input_set_value (handles->node, slot, kg_document_get_frame (handles->document), value, error);
}

static bool
set_text (const KgHandles *handles, guint slot, const char *text, GError **error)
{
  g_auto (KgValue) value = kg_value_text (text);

  return set_value (handles, slot, &value, error);
}

/* (transfer full) (nullable) */
static char *
dup_text (const KgHandles *handles, guint slot)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  return kg_input_get_value (handles->node, slot, kg_document_get_frame (handles->document), &value) &&
                 value.kind == KG_TEXT
             ? g_strdup (value.text)
             : NULL;
}

/* The first input of a kind that is anchored where another one is. */
static int
find_anchored (KgNode *node, KgHandleKind kind, int anchor)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    if (get_kind (kg_node_get_slot (node, i)) == kind && get_anchor (node, i) == anchor)
      return (int) i;
  return -1;
}

/* A tangent that follows the one on the other side is that one, turned round. */
static bool
follows_other_side (const KgHandles *handles, const KgGrip *grip, const char *text, int *other)
{
  KgVector row;

  *other = grip->kind == KG_HANDLE_INCOMING
               ? find_anchored (grip->node, KG_HANDLE_TANGENTS, get_anchor (grip->node, grip->slot))
               : -1;
  return *other >= 0 && !get_row (text, (guint) grip->row, &row) && is_free (handles->node, (guint) *other);
}

bool
kg_grip_get_start (const KgHandles *handles, const KgGrip *grip, KgValue *start)
{
  return !grip->locked && kg_input_get_value (grip->node, grip->slot, kg_document_get_frame (handles->document), start);
}

/* (transfer full) Flat points stay flat. */
static char *
set_point (const char *text, guint row, KgVector to)
{
  double old[3] = { 0 };
  const double x[] = { to.x, to.y, to.z };
  guint n = 0;

  points_text_get_row (text, row, 3, old, &n);
  return points_text_set_row (text, row, x, n == 2 && to.z == 0 ? 2 : 3);
}

static bool
move_point (const KgHandles *handles, const KgGrip *grip, const char *text, KgVector to, int decimals, GError **error)
{
  const KgSlot *slot = kg_node_get_slot (grip->node, grip->slot);
  const bool thirds = holds (handles, slot->handle.when);
  g_autofree char *moved = set_point (text, (guint) grip->row, to);

  /* A point on the curve takes its handles along. */
  for (int row = grip->row - 1; thirds && grip->row % 3 == 0 && row <= grip->row + 1; row += 2) {
    KgVector at;
    char *next;

    if (row < 0 || !get_row (text, (guint) row, &at))
      continue;
    next = set_point (moved, (guint) row,
                      kg_handles_round (kg_vector_add (at, kg_vector_subtract (to, grip->at)), at, decimals));
    g_free (moved);
    moved = next;
  }
  return set_text (handles, grip->slot, moved, error);
}

static bool
move_tangent (const KgHandles *handles, const KgGrip *grip, const char *start, KgVector to, int decimals, bool apart,
              GError **error)
{
  g_autofree char *text = g_strdup (start), *other_text = NULL;
  KgVector tangent = kg_vector_subtract (to, grip->anchor);
  guint slot = grip->slot;
  double scale;
  int other;

  if (!apart && follows_other_side (handles, grip, start, &other)) {
    slot = (guint) other;
    tangent = kg_vector_scale (tangent, -1);
    other_text = dup_text (handles, slot);
    if (other_text == NULL)
      return false;
    g_free (text);
    text = g_steal_pointer (&other_text);
  }
  scale = get_tangent_scale (handles, slot, true);
  /* Rows are in the order of the points: those before that are not there yet are written as they are. */
  for (guint row = points_text_get_n_rows (text); row < (guint) grip->row; row++) {
    KgVector before;
    char *next;
    bool typed;

    if (!get_tangent (handles, slot, text, row, &typed, &before))
      return false;
    before = kg_vector_scale (before, get_tangent_scale (handles, slot, false) / scale);
    before = kg_handles_round (before, kg_vector (0, 0, 0), decimals + 1);
    next = set_point (text, row, before);
    g_free (text);
    text = next;
  }
  {
    const KgVector numbers = kg_handles_round (kg_vector_scale (tangent, 1 / scale), kg_vector (0, 0, 0), decimals);
    g_autofree char *moved = set_point (text, (guint) grip->row, numbers);

    return set_text (handles, slot, moved, error);
  }
}

static bool
move_lattice_point (const KgHandles *handles, const KgGrip *grip, const char *text, KgVector to, int decimals,
                    GError **error)
{
  const KgVector by = kg_vector_subtract (to, grip->at);
  double x[6] = { grip->cell[0], grip->cell[1], grip->cell[2], by.x, by.y, by.z };
  const guint n_rows = points_text_get_n_rows (text);
  g_autofree char *moved = NULL;
  guint row, n;

  for (row = 0; row < n_rows; row++) {
    double old[6] = { 0 };

    if (!points_text_get_row (text, row, 6, old, &n) || old[0] != x[0] || old[1] != x[1] || old[2] != x[2])
      continue;
    for (int i = 3; i < 6; i++)
      x[i] += old[i];
    break;
  }
  for (int i = 3; i < 6; i++)
    x[i] = round_number (x[i], decimals);
  if (x[3] == 0 && x[4] == 0 && x[5] == 0)
    moved = row < n_rows ? points_text_remove_row (text, row) : g_strdup (text);
  else
    moved = points_text_set_row (text, row, x, 6);
  return set_text (handles, grip->slot, moved, error);
}

bool
kg_grip_move (const KgHandles *handles, const KgGrip *grip, const KgValue *start, KgVector to, int decimals, bool apart,
              GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgVector v = kg_vector_subtract (to, grip->anchor);

  if (grip->locked)
    return true;
  if (start->kind == KG_TEXT)
    return grip->kind == KG_HANDLE_MOVES    ? move_lattice_point (handles, grip, start->text, to, decimals, error)
           : grip->kind == KG_HANDLE_POINTS ? move_point (handles, grip, start->text, to, decimals, error)
                                            : move_tangent (handles, grip, start->text, to, decimals, apart, error);
  if (start->kind == KG_TRANSFORM) {
    KgTransform moved = *start->transform;

    moved.m[0][3] = to.x;
    moved.m[1][3] = to.y;
    moved.m[2][3] = to.z;
    value = kg_value_transform (&moved);
    return set_value (handles, grip->slot, &value, error);
  }
  if (start->kind != KG_VECTOR)
    return true;
  if (grip->kind == KG_HANDLE_PLACE)
    v = to;
  else if (grip->kind == KG_HANDLE_SIZE)
    v = kg_vector (2 * fabs (v.x), 2 * fabs (v.y), 2 * fabs (v.z));
  value = kg_value_vector (kg_handles_round (v, start->vector, decimals));
  return set_value (handles, grip->slot, &value, error);
}

/* Turns or scales a transform about its own place. */
static bool
change_transform (const KgHandles *handles, const KgGrip *grip, const KgTransform *start, const KgTransform *by,
                  bool before, GError **error)
{
  const KgVector place = get_column (start, 3);
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgTransform t = *start;

  t.m[0][3] = t.m[1][3] = t.m[2][3] = 0;
  t = before ? kg_transform_multiply (*by, t) : kg_transform_multiply (t, *by);
  t.m[0][3] = place.x;
  t.m[1][3] = place.y;
  t.m[2][3] = place.z;
  value = kg_value_transform (&t);
  return set_value (handles, grip->slot, &value, error);
}

/* A multiple of a step, as the number that reads so. */
static double
round_to_step (double x, double step)
{
  return round_number (nearbyint (x / step) * step, MAX (0, (int) ceil (-log10 (step) - 1e-9)));
}

bool
kg_grip_turn (const KgHandles *handles, const KgGrip *grip, const KgValue *start, double angle, double step,
              GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (start->kind == KG_VECTOR) {
    KgVector angles = start->vector;

    *get_axis (&angles, grip->axis) = round_to_step (*get_axis (&angles, grip->axis) + angle / KG_DEGREE, step);
    value = kg_value_vector (angles);
    return set_value (handles, grip->slot, &value, error);
  }
  {
    const double rounded = KG_DEGREE * round_to_step (angle / KG_DEGREE, step);
    const KgRotation by = kg_rotation_from_axis_angle (grip->direction, rounded);

    if (start->kind == KG_TRANSFORM) {
      const KgTransform turn = kg_transform_from_parts (kg_vector (0, 0, 0), by, kg_vector (1, 1, 1));

      return change_transform (handles, grip, start->transform, &turn, true, error);
    }
    if (start->kind != KG_ROTATION)
      return true;
    value = kg_value_rotation (kg_rotation_normalize (kg_rotation_multiply (by, start->rotation)));
    return set_value (handles, grip->slot, &value, error);
  }
}

bool
kg_grip_scale (const KgHandles *handles, const KgGrip *grip, const KgValue *start, double factor, double step,
               GError **error)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgVector factors = { 1, 1, 1 };

  if (start->kind == KG_TRANSFORM) {
    const double rounded = round_to_step (factor, step);
    KgTransform scale;

    /* Nothing that was pressed flat could be pulled up again. */
    if (rounded == 0)
      return true;
    *get_axis (&factors, grip->axis) = rounded;
    scale = kg_transform_from_parts (kg_vector (0, 0, 0), kg_rotation_identity (), factors);
    return change_transform (handles, grip, start->transform, &scale, false, error);
  }
  if (start->kind != KG_VECTOR)
    return true;
  factors = start->vector;
  {
    double *x = get_axis (&factors, grip->axis);

    *x = round_to_step (fabs (*x) < 1e-6 ? factor - 1 : *x * factor, step);
  }
  value = kg_value_vector (factors);
  return set_value (handles, grip->slot, &value, error);
}

/* Points of a list. */

static bool
is_row_of (KgNode *node, guint slot, int anchor)
{
  const KgHandleKind kind = get_kind (kg_node_get_slot (node, slot));

  return (kind == KG_HANDLE_TANGENTS || kind == KG_HANDLE_INCOMING || kind == KG_HANDLE_ROW_VALUES) &&
         get_anchor (node, slot) == anchor;
}

/* Rows of other inputs stay with their points. */
static bool
shift_rows (const KgHandles *handles, int anchor, guint row, bool insert, GError **error)
{
  for (guint i = 0; i < kg_node_get_n_slots (handles->node); i++) {
    g_autofree char *text = NULL, *changed = NULL;
    double x[6];
    guint n = 0;

    if (!is_row_of (handles->node, i, anchor) || !is_free (handles->node, i))
      continue;
    text = dup_text (handles, i);
    if (text == NULL || row >= points_text_get_n_rows (text) || !points_text_get_row (text, row, 6, x, &n))
      continue;
    changed = insert ? points_text_insert_row (text, row, x, n) : points_text_remove_row (text, row);
    if (!set_text (handles, i, changed, error))
      return false;
  }
  return true;
}

static char *
insert_point (const char *text, guint row, KgVector at, bool flat)
{
  const double x[] = { at.x, at.y, at.z };

  return points_text_insert_row (text, row, x, flat && at.z == 0 ? 2 : 3);
}

static KgVector
extrapolate (KgVector from, KgVector to)
{
  return kg_vector_add (to, kg_vector_subtract (to, from));
}

/* A point on the curve with its two handles, after point row. */
static char *
insert_knot (const char *text, int row, KgVector at, bool flat, int decimals)
{
  const guint n = points_text_get_n_rows (text);
  KgVector here = at, next = at, before = at, added[3];
  guint place;
  char *out = g_strdup (text);

  if (row >= 0)
    get_row (text, (guint) row, &here);
  if (row >= 0 && (guint) row + 3 < n) {
    /* Between two points: its own handles along the chord; those of the neighbours stay. */
    get_row (text, (guint) row + 3, &next);
    added[0] = kg_vector_add_scaled (at, -0.25, kg_vector_subtract (next, here));
    added[1] = at;
    added[2] = kg_vector_add_scaled (at, 0.25, kg_vector_subtract (next, here));
    place = (guint) row + 2;
  } else if (row >= 0) {
    if (row > 0 && get_row (text, (guint) row - 1, &before))
      added[0] = extrapolate (before, here);
    else
      added[0] = kg_vector_lerp (here, at, THIRD);
    added[1] = kg_vector_lerp (here, at, 2 * THIRD);
    added[2] = at;
    place = (guint) row + 1;
  } else {
    get_row (text, 0, &here);
    added[0] = at;
    added[1] = kg_vector_lerp (at, here, THIRD);
    added[2] = n > 1 && get_row (text, 1, &before) ? extrapolate (before, here) : kg_vector_lerp (at, here, 2 * THIRD);
    place = 0;
  }
  for (guint i = 0; i < 3; i++) {
    char *changed = insert_point (out, place + i, kg_handles_round (added[i], kg_vector (0, 0, 0), decimals), flat);

    g_free (out);
    out = changed;
  }
  return out;
}

bool
kg_grip_insert_point (const KgHandles *handles, const KgGrip *grip, KgVector at, int decimals, GError **error)
{
  const KgSlot *slot = kg_node_get_slot (grip->node, grip->slot);
  const bool thirds = holds (handles, slot->handle.when);
  g_autofree char *text = grip->locked || grip->kind != KG_HANDLE_POINTS ? NULL : dup_text (handles, grip->slot);
  g_autofree char *changed = NULL;
  KgGraph *graph = kg_node_get_parent (grip->node);
  double x[3];
  bool flat, good;
  guint n;

  if (text == NULL)
    return false;
  flat = !points_text_get_row (text, 0, 3, x, &n) || n == 2;
  at = kg_handles_round (at, kg_vector (0, 0, 0), decimals);
  changed = thirds ? insert_knot (text, grip->row < 0 ? -1 : grip->row - grip->row % 3, at, flat, decimals)
                   : insert_point (text, (guint) (grip->row + 1), at, flat);
  kg_graph_begin_group (graph, _ ("Add point"));
  good = set_text (handles, grip->slot, changed, error) &&
         shift_rows (handles, (int) grip->slot, (guint) (grip->row + 1), true, error);
  if (good)
    kg_graph_end_group (graph);
  else
    kg_graph_cancel_group (graph);
  return good;
}

bool
kg_grip_remove_point (const KgHandles *handles, const KgGrip *grip, GError **error)
{
  const KgSlot *slot = kg_node_get_slot (grip->node, grip->slot);
  const bool thirds = holds (handles, slot->handle.when);
  g_autofree char *text = grip->locked || grip->kind != KG_HANDLE_POINTS ? NULL : dup_text (handles, grip->slot);
  KgGraph *graph = kg_node_get_parent (grip->node);
  guint first = (guint) grip->row, count = 1, n;
  bool good;

  if (text == NULL || grip->row < 0 || (thirds && grip->row % 3 != 0))
    return false;
  n = points_text_get_n_rows (text);
  if (thirds) {
    count = MIN (3, n);
    first = grip->row == 0 ? 0 : first + 1 >= n ? n - count : first - 1;
  }
  for (guint i = 0; i < count; i++) {
    char *less = points_text_remove_row (text, first);

    g_free (text);
    text = less;
  }
  kg_graph_begin_group (graph, _ ("Remove point"));
  good = set_text (handles, grip->slot, text, error) &&
         shift_rows (handles, (int) grip->slot, (guint) grip->row, false, error);
  if (good)
    kg_graph_end_group (graph);
  else
    kg_graph_cancel_group (graph);
  return good;
}

/* Numbers of a point. */

int
kg_grip_find_numbers (const KgGrip *grip, int after)
{
  if (grip->kind != KG_HANDLE_POINTS || grip->row < 0)
    return -1;
  for (guint i = (guint) (after + 1); i < kg_node_get_n_slots (grip->node); i++)
    if (get_kind (kg_node_get_slot (grip->node, i)) == KG_HANDLE_ROW_VALUES &&
        get_anchor (grip->node, i) == (int) grip->slot)
      return (int) i;
  return -1;
}

static char **
split_columns (KgNode *node, guint slot)
{
  return g_strsplit (kg_node_get_slot (node, slot)->handle.columns, " ", -1);
}

GArray *
kg_grip_get_numbers (const KgHandles *handles, const KgGrip *grip, guint slot)
{
  GArray *numbers = g_array_new (FALSE, TRUE, sizeof (double));
  g_auto (GStrv) columns = split_columns (grip->node, slot);
  const guint width = g_strv_length (columns);
  g_autofree char *text = dup_text (handles, slot);
  guint n = 0;

  g_array_set_size (numbers, width);
  if (text != NULL)
    points_text_get_row (text, (guint) grip->row, width, (double *) (void *) numbers->data, &n);
  for (guint i = n; i < width; i++) {
    const int input = kg_node_find_slot (grip->node, columns[i]);
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (input >= 0 && get_value (handles, (guint) input, &value))
      kg_value_get_component (&value, NULL, &g_array_index (numbers, double, i));
  }
  return numbers;
}

bool
kg_grip_set_number (const KgHandles *handles, const KgGrip *grip, guint slot, guint column, double number,
                    GError **error)
{
  g_autofree char *text = is_free (grip->node, slot) ? dup_text (handles, slot) : NULL;

  for (guint row = text != NULL ? MIN (points_text_get_n_rows (text), (guint) grip->row) : 0;
       text != NULL && row <= (guint) grip->row; row++) {
    KgGrip before = *grip;
    g_autoptr (GArray) numbers = NULL;
    char *changed;

    before.row = (int) row;
    numbers = kg_grip_get_numbers (handles, &before, slot);
    if (row == (guint) grip->row)
      g_array_index (numbers, double, column) = number;
    changed = points_text_set_row (text, row, (const double *) (const void *) numbers->data, numbers->len);
    g_free (text);
    text = changed;
  }
  return text != NULL && set_text (handles, slot, text, error);
}
