/* kg-handles: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-handles-private.h"
#include "kg-floats.h"

#include "config.h"
#include "text/points_text.h"
#include "kg-body-edit.h"
#include "kg-figure-edit.h"
#include "kg-input-value.h"
#include "kg-keyed.h"
#include "kg-lines-edit.h"
#include "kg-outline-edit.h"

#include <string.h>

/* More parts of an object than anyone picks by hand: it is a mesh, and not drawn. */
#define MAX_PARTS 256

#define SNAP_PIXELS 12

static const KgVector axes[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

/* Rounding. */

int
kg_handles_get_decimals (double metres_per_pixel)
{
  return metres_per_pixel > 0 && isfinite (metres_per_pixel)
             ? (int) kg_clamp (-floor (log10 (metres_per_pixel) + 1e-9), -9, 12)
             : 6;
}

double
kg_handles_round_number (double x, int decimals)
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
    const double old = *kg_vector_component (&from, i), new = *kg_vector_component (&place, i);

    *kg_vector_component (&rounded, i) = fabs (new - old) < half ? old : kg_handles_round_number (new, decimals);
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
    double *x = kg_vector_component (&place, i);

    *x = kg_handles_round_number (nearbyint (*x / step) * step, decimals);
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

bool
kg_handles_is_free (KgNode *node, guint slot)
{
  const KgSourceKind kind = kg_node_get_source (node, slot)->kind;

  return kind == KG_SOURCE_CONSTANT || kind == KG_SOURCE_DEFAULT || kind == KG_SOURCE_KEYS || kind == KG_SOURCE_TABLE;
}

bool
kg_handles_check_free (KgNode *node, guint slot, GError **error)
{
  const char *name = kg_node_get_slot (node, slot)->name;

  if (kg_handles_is_free (node, slot))
    return true;
  if (kg_node_get_source (node, slot)->kind == KG_SOURCE_EXPRESSION)
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s.%s is an expression: remove it to edit here",
                  kg_node_get_name (node), name);
  else
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s.%s is linked: unlink it to edit here", kg_node_get_name (node),
                  name);
  return false;
}

const KgValue *
kg_handles_look_up (const KgHandles *handles, guint slot)
{
  g_autofree char *key = handles->values != NULL ? dup_key (handles->node, slot) : NULL;

  return key != NULL ? (const KgValue *) g_hash_table_lookup (handles->values, key) : NULL;
}

/* Tables are edited as rows of text. */
static void
make_text (const KgSlot *slot, KgValue *value)
{
  g_autoptr (GString) rows = NULL;

  if (value->kind != KG_TABLE)
    return;
  rows = g_string_new (NULL);
  kg_table_write_text (value->table, slot->columns, rows);
  kg_value_clear (value);
  *value = kg_value_text (rows->str);
}

bool
kg_handles_get_own_value (const KgHandles *handles, guint slot, KgValue *value)
{
  const KgValue *known = NULL;

  if (!kg_input_get_value (handles->node, slot, kg_document_get_frame (handles->document), value)) {
    /* The numbers of cells with expressions and links are known by evaluating; the others can be moved. */
    if (kg_node_get_source (handles->node, slot)->kind == KG_SOURCE_TABLE)
      known = kg_handles_look_up (handles, slot);
    if (known == NULL)
      return false;
    *value = kg_value_copy (known);
  }
  make_text (kg_node_get_slot (handles->node, slot), value);
  return true;
}

bool
kg_handles_get_value (const KgHandles *handles, guint slot, KgValue *value)
{
  const KgValue *known;

  if (kg_handles_get_own_value (handles, slot, value))
    return true;
  known = kg_handles_look_up (handles, slot);
  if (known == NULL)
    return false;
  *value = kg_value_copy (known);
  make_text (kg_node_get_slot (handles->node, slot), value);
  return true;
}

KgHandleKind
kg_handles_get_kind (const KgSlot *slot)
{
  if (slot->role != KG_SLOT_INPUT || slot->list)
    return KG_HANDLE_NONE;
  if (slot->handle.kind != KG_HANDLE_BY_KIND)
    return slot->handle.kind;
  return slot->kind == KG_VECTOR && slot->unit == KG_METRES ? KG_HANDLE_PLACE
         : slot->kind == KG_TRANSFORM                       ? KG_HANDLE_TRANSFORM
                                                            : KG_HANDLE_NONE;
}

int
kg_handles_get_anchor (KgNode *node, guint slot)
{
  const char *name = kg_node_get_slot (node, slot)->handle.anchor;

  return name != NULL ? kg_node_find_slot (node, name) : -1;
}

bool
kg_handles_holds (const KgHandles *handles, const char *condition)
{
  return condition != NULL && kg_input_meets (handles->node, condition, kg_document_get_frame (handles->document));
}

bool
kg_handles_is_used (const KgHandles *handles, guint slot)
{
  const KgViewHandle *handle = &kg_node_get_slot (handles->node, slot)->handle;
  const char *other = handle->unless_linked;
  const int index = other != NULL ? kg_node_find_slot (handles->node, other) : -1;

  /* A point that is not held yet can be grabbed. */
  return (handle->kind == KG_HANDLE_GRAB ||
          kg_input_is_shown (handles->node, slot, kg_document_get_frame (handles->document))) &&
         !kg_handles_holds (handles, handle->unless) &&
         (index < 0 || kg_node_get_source (handles->node, (guint) index)->kind != KG_SOURCE_LINK);
}

bool
kg_handles_is_computed (KgNode *node, int slot)
{
  return slot >= 0 && kg_node_get_slot (node, (guint) slot)->role == KG_SLOT_OUTPUT;
}

bool
kg_handles_get_place (const KgHandles *handles, int slot, guint depth, KgVector *at)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgHandleKind kind;

  *at = kg_vector (0, 0, 0);
  if (slot < 0)
    return true;
  if (kg_handles_is_computed (handles->node, slot)) {
    const KgValue *computed = kg_handles_look_up (handles, (guint) slot);

    if (computed != NULL && computed->kind == KG_VECTOR)
      *at = computed->vector;
    return computed != NULL;
  }
  kind = kg_handles_get_kind (kg_node_get_slot (handles->node, (guint) slot));
  if (depth > KG_HANDLES_MAX_DEPTH ||
      (kind != KG_HANDLE_PLACE &&
       !kg_handles_get_place (handles, kg_handles_get_anchor (handles->node, (guint) slot), depth + 1, at)))
    return false;
  if (kind != KG_HANDLE_PLACE && kind != KG_HANDLE_STEP && kind != KG_HANDLE_SIZE)
    return true;
  if (!kg_handles_get_value (handles, (guint) slot, &value) || value.kind != KG_VECTOR)
    return false;
  *at = kg_vector_add_scaled (*at, kind == KG_HANDLE_SIZE ? 0.5 : 1, value.vector);
  return true;
}

int
kg_handles_find_geometry (KgNode *node)
{
  for (guint i = 0; i < kg_node_get_n_slots (node); i++)
    if (kg_node_get_slot (node, i)->role == KG_SLOT_OUTPUT && kg_node_get_slot (node, i)->kind == KG_GEOMETRY)
      return (int) i;
  return -1;
}

static const KgGeometry *
look_up_geometry (const KgHandles *handles)
{
  const int slot = kg_handles_find_geometry (handles->node);
  const KgValue *value = slot >= 0 ? kg_handles_look_up (handles, (guint) slot) : NULL;

  return value != NULL && value->kind == KG_GEOMETRY ? value->geometry : NULL;
}

bool
kg_handles_are_flat (const KgHandles *handles)
{
  const KgGeometry *geometry = look_up_geometry (handles);
  const float *p = geometry != NULL ? kg_geometry_get_positions (geometry) : NULL;
  const size_t n = geometry != NULL ? kg_geometry_get_n_points (geometry) : 0;

  for (size_t i = 1; i < n; i++)
    if (p[3 * i + 2] != p[2])
      return false;
  return n > 0;
}

static bool
needs_geometry (KgHandleKind kind)
{
  return kind == KG_HANDLE_MOVES || kind == KG_HANDLE_TANGENTS || kind == KG_HANDLE_INCOMING ||
         kind == KG_HANDLE_GRAB || kind == KG_HANDLE_PARTS;
}

GPtrArray *
kg_handles_dup_wanted (KgDocument *document, KgNode *node)
{
  GPtrArray *wanted = g_ptr_array_new_with_free_func (g_free);
  const KgHandles handles = { document, node, NULL };
  bool geometry = false;

  for (guint i = 0; node != NULL && i < kg_node_get_n_slots (node); i++) {
    const KgSlot *slot = kg_node_get_slot (node, i);
    const KgHandleKind kind = kg_handles_get_kind (slot);
    const int anchor = kg_handles_get_anchor (node, i);
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (slot->role == KG_SLOT_OUTPUT && slot->kind == KG_TRANSFORM)
      g_ptr_array_add (wanted, dup_key (node, i));
    if (kind == KG_HANDLE_NONE || !kg_handles_is_used (&handles, i))
      continue;
    geometry = geometry || needs_geometry (kind);
    if (kind == KG_HANDLE_OUTLINE)
      kg_outline_add_wanted (&handles, i, wanted);
    if (kind == KG_HANDLE_BODIES)
      kg_body_add_wanted (&handles, i, wanted);
    if (kind == KG_HANDLE_LINES)
      kg_lines_add_wanted (&handles, i, wanted);
    if (kg_handles_is_computed (node, anchor) || (kind == KG_HANDLE_PARTS && anchor >= 0))
      g_ptr_array_add (wanted, dup_key (node, (guint) anchor));
    if (!kg_input_get_value (node, i, kg_document_get_frame (document), &value))
      g_ptr_array_add (wanted, dup_key (node, i));
  }
  if (geometry && kg_handles_find_geometry (node) >= 0)
    g_ptr_array_add (wanted, dup_key (node, (guint) kg_handles_find_geometry (node)));
  if (kg_figure_find_points (node) >= 0 && kg_figure_find_linked (node) >= 0)
    g_ptr_array_add (wanted, dup_key (node, (guint) kg_figure_find_linked (node)));
  return wanted;
}

/* Finding. */

KgGrip
kg_handles_make_grip (const KgHandles *handles, guint slot, KgVector at)
{
  return (KgGrip){ .node = handles->node,
                   .slot = slot,
                   .kind = kg_handles_get_kind (kg_node_get_slot (handles->node, slot)),
                   .row = -1,
                   .axis = -1,
                   .at = at,
                   .anchor = at,
                   .locked = !kg_handles_is_free (handles->node, slot),
                   .label = kg_node_get_slot (handles->node, slot)->label };
}

bool
kg_grip_is_same (const KgGrip *a, const KgGrip *b)
{
  return a->node == b->node && a->slot == b->slot && a->shape == b->shape && a->row == b->row && a->axis == b->axis &&
         a->bone == b->bone && a->together == b->together;
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

bool
kg_handles_get_ring_axes (const KgValue *value, KgVector directions[3])
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

  if (slot >= 0 && kg_handles_get_kind (kg_node_get_slot (handles->node, (guint) slot)) == KG_HANDLE_TURN &&
      kg_handles_get_value (handles, (guint) slot, &value)) {
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
    const KgHandleKind kind = kg_handles_get_kind (kg_node_get_slot (node, i));

    if ((kind == KG_HANDLE_TURN || kind == KG_HANDLE_SCALE) && kg_handles_get_anchor (node, i) == (int) slot)
      return true;
  }
  return false;
}

static void
add_vector (const KgHandles *handles, GArray *grips, guint slot, const KgGrip *active)
{
  KgGrip grip;
  KgVector at;

  if (!kg_handles_get_place (handles, (int) slot, 0, &at))
    return;
  grip = kg_handles_make_grip (handles, slot, at);
  if (grip.kind != KG_HANDLE_PLACE) {
    kg_handles_get_place (handles, kg_handles_get_anchor (handles->node, slot), 0, &grip.anchor);
    /* The pivot of what is moved does not serve as its start. */
    grip.stem = !is_center (handles->node, slot);
  }
  g_array_append_val (grips, grip);
  if (is_center (handles->node, slot) || (active != NULL && kg_grip_is_same (active, &grip)) ||
      (active != NULL && active->shape == KG_GRIP_AXIS && active->slot == slot))
    add_arrows (grips, &grip);
  kg_handles_add_path_keys (handles, grips, slot);
}

static void
add_turn (const KgHandles *handles, GArray *grips, guint slot)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgVector at, directions[3];
  KgGrip grip;

  /* What is evaluated is in radians, and could not be turned anyway. */
  if (!kg_handles_is_free (handles->node, slot) || !kg_handles_get_place (handles, (int) slot, 0, &at) ||
      !kg_handles_get_value (handles, slot, &value) || !kg_handles_get_ring_axes (&value, directions))
    return;
  grip = kg_handles_make_grip (handles, slot, at);
  add_three (grips, &grip, KG_GRIP_RING, directions);
}

static void
add_scale (const KgHandles *handles, GArray *grips, guint slot)
{
  KgVector at, directions[3];
  KgGrip grip;

  if (!kg_handles_is_free (handles->node, slot) || !kg_handles_get_place (handles, (int) slot, 0, &at))
    return;
  get_turned_axes (handles, kg_handles_get_anchor (handles->node, slot), directions);
  grip = kg_handles_make_grip (handles, slot, at);
  add_three (grips, &grip, KG_GRIP_FACTOR, directions);
}

static void
add_transform (const KgHandles *handles, GArray *grips, guint slot)
{
  g_auto (KgValue) value = KG_VALUE_INIT;
  KgVector directions[3];
  KgGrip grip;

  /* A default would only be in the way of the other handles of such nodes. */
  if (!kg_handles_is_free (handles->node, slot) ||
      (kg_node_get_source (handles->node, slot)->kind == KG_SOURCE_DEFAULT && grips->len > 0) ||
      !kg_handles_get_value (handles, slot, &value) || value.kind != KG_TRANSFORM)
    return;
  grip = kg_handles_make_grip (handles, slot, kg_transform_get_place (value.transform));
  for (int i = 0; i < 3; i++)
    directions[i] = kg_vector_normalize_or (kg_transform_get_column (value.transform, i), axes[i]);
  g_array_append_val (grips, grip);
  add_arrows (grips, &grip);
  add_three (grips, &grip, KG_GRIP_RING, directions);
  add_three (grips, &grip, KG_GRIP_FACTOR, directions);
}

bool
kg_handles_get_row (const char *text, guint row, KgVector *at)
{
  /* A mass may follow. */
  double x[4] = { 0 };
  guint n;

  if (!points_text_get_row (text, row, 4, x, &n) || n < 2)
    return false;
  *at = kg_vector (x[0], x[1], x[2]);
  return true;
}

static void
add_points (const KgHandles *handles, GArray *grips, guint slot, const KgGrip *active)
{
  const KgSlot *declared = kg_node_get_slot (handles->node, slot);
  const bool thirds = kg_handles_holds (handles, declared->handle.when);
  /* Rods lead from point to point there. */
  const bool line = !kg_figure_has_points (handles->node, slot);
  g_auto (KgValue) value = KG_VALUE_INIT;
  guint n;

  if (!kg_handles_get_value (handles, slot, &value) || value.kind != KG_TEXT)
    return;
  n = MIN (points_text_get_n_rows (value.text), KG_HANDLES_MAX_POINTS);
  for (guint row = 0; row < n; row++) {
    KgGrip grip = kg_handles_make_grip (handles, slot, kg_vector (0, 0, 0));

    if (!kg_handles_get_row (value.text, row, &grip.at))
      continue;
    grip.row = (int) row;
    grip.minor = thirds && row % 3 != 0;
    grip.joined = line && row > 0 && !(thirds && row % 3 == 2);
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

bool
kg_handles_get_tangent (const KgHandles *handles, guint slot, const char *text, guint row, bool *typed,
                        KgVector *tangent)
{
  const KgGeometry *geometry = look_up_geometry (handles);
  const char *attribute = kg_node_get_slot (handles->node, slot)->handle.attribute;
  const float *x = geometry != NULL && attribute != NULL ? kg_geometry_get_float (geometry, KG_POINTS, attribute, 3)
                                                         : NULL;

  *typed = kg_handles_get_row (text, row, tangent);
  if (*typed)
    return true;
  if (x == NULL || row >= kg_geometry_get_n_points (geometry))
    return false;
  *tangent = kg_floats_get_vector (x, row);
  return true;
}

double
kg_handles_get_tangent_scale (const KgHandles *handles, guint slot, bool typed)
{
  const KgSlot *declared = kg_node_get_slot (handles->node, slot);
  const char *name = typed ? declared->handle.factor : NULL;
  const int factor = name != NULL ? kg_node_find_slot (handles->node, name) : -1;
  g_auto (KgValue) value = KG_VALUE_INIT;
  const bool whole = typed && kg_handles_holds (handles, declared->handle.when);

  double times = 1;

  if (factor >= 0 && kg_handles_get_value (handles, (guint) factor, &value))
    kg_value_get_component (&value, NULL, &times);
  /* A factor of 0 cannot be dragged. */
  return (times != 0 ? times : 1) * (whole                                         ? 1
                                     : declared->handle.kind == KG_HANDLE_INCOMING ? -KG_BEZIER_THIRD
                                                                                   : KG_BEZIER_THIRD);
}

static void
add_tangents (const KgHandles *handles, GArray *grips, guint slot)
{
  const int anchor = kg_handles_get_anchor (handles->node, slot);
  g_auto (KgValue) value = KG_VALUE_INIT, points = KG_VALUE_INIT;
  guint n;

  if (anchor < 0 || !kg_handles_get_value (handles, slot, &value) || value.kind != KG_TEXT ||
      !kg_handles_get_value (handles, (guint) anchor, &points) || points.kind != KG_TEXT)
    return;
  n = MIN (points_text_get_n_rows (points.text), KG_HANDLES_MAX_POINTS);
  for (guint row = 0; row < n; row++) {
    KgGrip grip = kg_handles_make_grip (handles, slot, kg_vector (0, 0, 0));
    KgVector tangent;
    bool typed;

    if (!kg_handles_get_row (points.text, row, &grip.anchor) ||
        !kg_handles_get_tangent (handles, slot, value.text, row, &typed, &tangent))
      continue;
    grip.row = (int) row;
    grip.at = kg_vector_add_scaled (grip.anchor, kg_handles_get_tangent_scale (handles, slot, typed), tangent);
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
      kg_geometry_get_n_points (geometry) > KG_HANDLES_MAX_POINTS)
    return;
  for (int i = 0; i <= size[0]; i++)
    for (int j = 0; j <= size[1]; j++)
      for (int k = 0; k <= size[2]; k++, index++) {
        KgGrip grip = kg_handles_make_grip (handles, slot, kg_floats_get_vector (p, index));

        grip.row = (int) index;
        grip.cell[0] = i;
        grip.cell[1] = j;
        grip.cell[2] = k;
        grip.minor = true;
        grip.label = NULL;
        g_array_append_val (grips, grip);
      }
}

static void
add_grabs (const KgHandles *handles, GArray *grips, guint slot)
{
  const KgGeometry *geometry = look_up_geometry (handles);
  const float *p = geometry != NULL ? kg_geometry_get_positions (geometry) : NULL;
  const size_t n = geometry != NULL ? MIN (kg_geometry_get_n_points (geometry), KG_HANDLES_MAX_POINTS) : 0;

  for (size_t i = 0; i < n; i++) {
    KgGrip grip = kg_handles_make_grip (handles, slot, kg_floats_get_vector (p, i));

    grip.row = (int) i;
    grip.minor = true;
    grip.label = NULL;
    g_array_append_val (grips, grip);
  }
}

static KgVector
get_center (const KgGeometry *geometry, size_t index)
{
  const float *p = kg_geometry_get_positions (geometry);
  KgVector sum = { 0, 0, 0 };
  KgPrimitive primitive;

  kg_geometry_get_primitive (geometry, index, &primitive);
  for (uint32_t i = 0; i < primitive.n_vertices; i++) {
    const float *at = p + 3 * (size_t) primitive.vertices[i];

    sum = kg_vector_add (sum, kg_floats_get_vector (at, 0));
  }
  return kg_vector_scale (sum, 1.0 / MAX (primitive.n_vertices, 1));
}

static void
add_parts (const KgHandles *handles, GArray *grips, guint slot)
{
  const int anchor = kg_handles_get_anchor (handles->node, slot);
  const KgValue *skeleton = anchor >= 0 ? kg_handles_look_up (handles, (guint) anchor) : NULL;
  const KgGeometry *object = look_up_geometry (handles);
  const float *p;

  if (object == NULL || skeleton == NULL || skeleton->kind != KG_GEOMETRY ||
      kg_geometry_get_n_primitives (object) > MAX_PARTS)
    return;
  for (size_t i = 0; i < kg_geometry_get_n_primitives (object); i++) {
    KgGrip grip = kg_handles_make_grip (handles, slot, get_center (object, i));

    grip.row = (int) i;
    grip.label = NULL;
    g_array_append_val (grips, grip);
  }
  p = kg_geometry_get_positions (skeleton->geometry);
  for (size_t i = 0; i < MIN (kg_geometry_get_n_points (skeleton->geometry), KG_HANDLES_MAX_POINTS); i++) {
    KgGrip grip = kg_handles_make_grip (handles, slot, kg_floats_get_vector (p, i));

    grip.row = (int) i;
    grip.minor = grip.bone = true;
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
    const KgHandleKind kind = kg_handles_get_kind (kg_node_get_slot (handles->node, i));

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
    else if (kind == KG_HANDLE_GRAB)
      add_grabs (handles, grips, i);
    else if (kind == KG_HANDLE_PARTS)
      add_parts (handles, grips, i);
    else if (kind == KG_HANDLE_OUTLINE)
      kg_outline_add_grips (handles, grips, i, active);
    else if (kind == KG_HANDLE_BODIES)
      kg_body_add_grips (handles, grips, i, active);
    else if (kind == KG_HANDLE_LINES)
      kg_lines_add_grips (handles, grips, i);
  }
  return grips;
}

GArray *
kg_handles_find_frames (const KgHandles *handles)
{
  GArray *frames = g_array_new (FALSE, FALSE, sizeof (KgTransform));

  for (guint i = 0; handles->node != NULL && i < kg_node_get_n_slots (handles->node); i++) {
    const KgValue *value = kg_node_get_slot (handles->node, i)->kind == KG_TRANSFORM ? kg_handles_look_up (handles, i)
                                                                                     : NULL;

    if (value != NULL && value->kind == KG_TRANSFORM)
      g_array_append_val (frames, *value->transform);
  }
  return frames;
}
