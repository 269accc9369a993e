/* kg-grip-group: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-grip-group.h"

#include "config.h"
#include "kg-body-edit.h"
#include "kg-handles-private.h"
#include "kg-input-table.h"
#include "kg-lines-edit.h"
#include "kg-outline-edit.h"

typedef struct {
  KgGrip grip;                     /* as it was */
  KgValue start;                   /* of those that are no rows of a table */
  double numbers[KG_BODY_NUMBERS]; /* of a body */
  bool chosen;
  double share; /* of what the group does */
} Member;

/* The rows of an input as they were. */
typedef struct {
  guint slot;
  KgTable *rows;
  bool changed;
} Rows;

struct _KgGripGroup {
  GArray *members;  /* Member */
  GArray *tables;   /* Rows */
  GHashTable *keys; /* gint64 * -> number of the member + 1 */
  KgVector center;
  double radius;
};

gint64
kg_grip_get_key (const KgGrip *grip)
{
  return ((gint64) grip->slot << 40) | ((gint64) (grip->row + 1) << 8) | ((gint64) (grip->axis + 1) << 4) |
         ((gint64) grip->shape << 1) | (gint64) grip->bone;
}

static bool
is_row (const KgGrip *grip)
{
  return grip->kind == KG_HANDLE_POINTS || grip->kind == KG_HANDLE_MOVES || grip->kind == KG_HANDLE_OUTLINE ||
         grip->kind == KG_HANDLE_BODIES || grip->kind == KG_HANDLE_LINES;
}

bool
kg_grip_is_groupable (const KgGrip *grip)
{
  if (grip->shape != KG_GRIP_POINT || grip->locked)
    return false;
  /* What stands beside a point goes with it. */
  if (grip->kind == KG_HANDLE_OUTLINE || grip->kind == KG_HANDLE_BODIES)
    return grip->axis < 0;
  return is_row (grip) || grip->kind == KG_HANDLE_PLACE || grip->kind == KG_HANDLE_STEP ||
         grip->kind == KG_HANDLE_SIZE || grip->kind == KG_HANDLE_TRANSFORM;
}

bool
kg_grip_is_soft (const KgGrip *grip)
{
  return kg_grip_is_groupable (grip) && is_row (grip);
}

/* Making. */

static void
clear_member (gpointer data)
{
  kg_value_clear (&((Member *) data)->start);
}

static void
clear_rows (gpointer data)
{
  g_clear_pointer (&((Rows *) data)->rows, kg_table_unref);
}

static Member *
get_member (const KgGripGroup *self, guint i)
{
  return &g_array_index (self->members, Member, i);
}

static void
add_table (KgGripGroup *self, const KgHandles *handles, guint slot)
{
  Rows rows = { slot, NULL, false };

  for (guint i = 0; i < self->tables->len; i++)
    if (g_array_index (self->tables, Rows, i).slot == slot)
      return;
  if (!kg_handles_is_free (handles->node, slot))
    return;
  rows.rows = kg_handles_dup_rows (handles, slot);
  if (rows.rows != NULL)
    g_array_append_val (self->tables, rows);
}

/* False where it is already. */
static bool
add_member (KgGripGroup *self, const KgHandles *handles, const KgGrip *grip, bool chosen)
{
  Member member = { .grip = *grip, .start = KG_VALUE_INIT, .chosen = chosen, .share = chosen ? 1 : 0 };
  gint64 key = kg_grip_get_key (grip);

  if (g_hash_table_contains (self->keys, &key))
    return false;
  if (grip->kind == KG_HANDLE_BODIES && !kg_body_get_numbers (handles, grip, member.numbers))
    return false;
  if (is_row (grip))
    add_table (self, handles, grip->slot);
  else if (!kg_grip_get_start (handles, grip, &member.start))
    return false;
  g_array_append_val (self->members, member);
  g_hash_table_insert (self->keys, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (self->members->len));
  return true;
}

static bool
is_chosen_row (const KgGripGroup *self, const KgGrip *like, int row)
{
  KgGrip grip = *like;
  gint64 key;
  gpointer number;

  grip.row = row;
  key = kg_grip_get_key (&grip);
  number = g_hash_table_lookup (self->keys, &key);
  return number != NULL && get_member (self, GPOINTER_TO_UINT (number) - 1)->chosen;
}

/* A point on a Bezier curve takes its two handles along. */
static bool
is_taken_along (const KgGripGroup *self, const KgHandles *handles, const KgGrip *grip)
{
  return grip->kind == KG_HANDLE_POINTS && grip->minor && grip->row % 3 != 0 &&
         kg_handles_holds (handles, kg_node_get_slot (grip->node, grip->slot)->handle.when) &&
         is_chosen_row (self, grip, grip->row % 3 == 1 ? grip->row - 1 : grip->row + 1);
}

KgGripGroup *
kg_grip_group_new (const KgHandles *handles, const GArray *chosen, bool near)
{
  KgGripGroup *self = g_new0 (KgGripGroup, 1);
  KgVector sum = { 0, 0, 0 };
  g_autoptr (GArray) all = NULL;
  guint n;

  self->members = g_array_new (FALSE, FALSE, sizeof (Member));
  g_array_set_clear_func (self->members, clear_member);
  self->tables = g_array_new (FALSE, FALSE, sizeof (Rows));
  g_array_set_clear_func (self->tables, clear_rows);
  self->keys = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < chosen->len; i++) {
    const KgGrip *grip = &g_array_index (chosen, KgGrip, i);

    if (kg_grip_is_groupable (grip) && add_member (self, handles, grip, true))
      sum = kg_vector_add (sum, grip->at);
  }
  n = self->members->len;
  self->center = kg_vector_scale (sum, 1.0 / MAX (n, 1));
  all = kg_handles_find (handles, NULL);
  for (guint i = 0; i < all->len; i++) {
    const KgGrip *grip = &g_array_index (all, KgGrip, i);

    if (!grip->locked && is_taken_along (self, handles, grip))
      add_member (self, handles, grip, true);
  }
  for (guint i = 0; near && i < all->len; i++) {
    const KgGrip *grip = &g_array_index (all, KgGrip, i);
    bool beside = false;

    for (guint k = 0; k < n && !beside; k++)
      beside = kg_grip_is_soft (&get_member (self, k)->grip) && get_member (self, k)->grip.slot == grip->slot &&
               get_member (self, k)->grip.second == grip->second;
    if (beside && kg_grip_is_soft (grip))
      add_member (self, handles, grip, false);
  }
  /* Tangents that are typed turn with their points. */
  for (guint i = 0; i < kg_node_get_n_slots (handles->node); i++) {
    const KgHandleKind kind = kg_handles_get_kind (kg_node_get_slot (handles->node, i));
    const int anchor = kg_handles_get_anchor (handles->node, i);

    if (kind != KG_HANDLE_TANGENTS && kind != KG_HANDLE_INCOMING)
      continue;
    for (guint k = 0; k < n; k++)
      if ((int) get_member (self, k)->grip.slot == anchor) {
        add_table (self, handles, i);
        break;
      }
  }
  return self;
}

void
kg_grip_group_free (KgGripGroup *self)
{
  g_array_unref (self->members);
  g_array_unref (self->tables);
  g_hash_table_unref (self->keys);
  g_free (self);
}

KgVector
kg_grip_group_get_center (const KgGripGroup *self)
{
  return self->center;
}

double
kg_grip_group_get_share (const KgGripGroup *self, const KgGrip *grip)
{
  gint64 key = kg_grip_get_key (grip);
  gpointer number = g_hash_table_lookup (self->keys, &key);

  return number != NULL ? get_member (self, GPOINTER_TO_UINT (number) - 1)->share : 0;
}

double
kg_grip_group_get_falloff (double distance, double radius)
{
  const double s = radius > 0 ? kg_clamp (1 - distance / radius, 0, 1) : 0;

  return s * s * (3 - 2 * s);
}

void
kg_grip_group_set_radius (KgGripGroup *self, double radius)
{
  self->radius = radius;
  for (guint i = 0; i < self->members->len; i++) {
    Member *member = get_member (self, i);
    double nearest = INFINITY;

    if (member->chosen)
      continue;
    for (guint k = 0; k < self->members->len; k++) {
      const Member *other = get_member (self, k);

      if (other->chosen && other->grip.slot == member->grip.slot)
        nearest = fmin (nearest, kg_vector_distance (other->grip.at, member->grip.at));
    }
    member->share = kg_grip_group_get_falloff (nearest, radius);
  }
}

/* Changing. */

KgGroupChange
kg_group_change_identity (KgVector center)
{
  return (KgGroupChange){ center, { 1, 1, 1 }, { 0, 0, 0 }, kg_rotation_identity () };
}

/* A vector, without where it starts. */
static KgVector
change_vector (const KgGroupChange *change, KgVector v)
{
  return kg_rotation_apply (change->rotation,
                            kg_vector (v.x * change->scale.x, v.y * change->scale.y, v.z * change->scale.z));
}

static KgVector
change_place (const KgGroupChange *change, KgVector at, double share)
{
  const KgVector to = kg_vector_add (kg_vector_add (change->center, change->translation),
                                     change_vector (change, kg_vector_subtract (at, change->center)));

  return kg_vector_lerp (at, to, share);
}

bool
kg_grip_group_find_place (const KgGripGroup *self, const KgGrip *grip, const KgGroupChange *change, KgVector *at)
{
  gint64 key = kg_grip_get_key (grip);
  const guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->keys, &key));

  if (number == 0)
    return false;
  *at = change_place (change, get_member (self, number - 1)->grip.at, get_member (self, number - 1)->share);
  return true;
}

static bool
is_only_moved (const KgGroupChange *change)
{
  return change->scale.x == 1 && change->scale.y == 1 && change->scale.z == 1 && fabs (change->rotation.w) == 1;
}

static double
round_number (double x, double from, int decimals)
{
  return fabs (x - from) < 0.5 * pow (10, -decimals) ? from : kg_handles_round_number (x, decimals);
}

/* Three cells that stand side by side, or two. */
static void
set_cells (double *row, int first, guint n, KgVector to, KgVector from, int decimals)
{
  for (guint i = 0; i < n; i++)
    row[(guint) first + i] =
        round_number (*kg_vector_component (&to, (int) i), *kg_vector_component (&from, (int) i), decimals);
}

/* Angles about x, then y, then z, in degrees. */
static KgVector
get_angles (KgRotation q)
{
  const KgVector x = kg_rotation_apply (q, kg_vector (1, 0, 0)), y = kg_rotation_apply (q, kg_vector (0, 1, 0)),
                 z = kg_rotation_apply (q, kg_vector (0, 0, 1));
  const double up = kg_clamp (-x.z, -1, 1);
  /* Looking straight up or down only the sum of the other two is known: all of it is about z. */
  const bool straight = fabs (up) > 1 - 1e-12;

  return kg_vector_scale (
      kg_vector (straight ? 0 : atan2 (y.z, z.z), asin (up), straight ? atan2 (-y.x, y.y) : atan2 (x.y, x.x)),
      1 / KG_DEGREE);
}

/* How a body is turned and how large it is. */
static void
change_body (const KgTable *table, const Member *member, const KgGroupChange *change, double *row, int decimals)
{
  static const char *const sizes[] = { "a", "b", "c" };
  static const char *const turns[] = { "rx", "ry", "rz" };
  const double *numbers = member->numbers;
  double factors[3];
  KgRotation old, turn;
  KgVector angles;

  old = kg_rotation_from_angles (kg_vector_scale (kg_vector (numbers[6], numbers[7], numbers[8]), KG_DEGREE));
  turn = kg_rotation_slerp (kg_rotation_identity (), change->rotation, member->share);
  angles = get_angles (kg_rotation_multiply (turn, old));
  for (int i = 0; i < 3 && fabs (change->rotation.w) != 1; i++)
    row[kg_table_find (table, turns[i])] = round_number (*kg_vector_component (&angles, i), numbers[6 + i], 1);
  for (int i = 0; i < 3; i++) {
    KgVector axis = { 0, 0, 0 };

    *kg_vector_component (&axis, i) = 1;
    factors[i] = kg_lerp (1, kg_vector_length (change_vector (change, kg_rotation_apply (old, axis))), member->share);
  }
  if (fabs (factors[0] - 1) < 1e-12 && fabs (factors[1] - 1) < 1e-12 && fabs (factors[2] - 1) < 1e-12)
    return;
  for (int i = 0; i < 3; i++) {
    double *cell = &row[kg_table_find (table, sizes[i])];
    /* A ball stays one. */
    const bool follows = i > 0 && isnan (*cell) && numbers[3 + i] == numbers[3] &&
                         fabs (factors[1] - factors[0]) < 1e-9 && fabs (factors[2] - factors[0]) < 1e-9;
    const double size = isnan (*cell) ? numbers[3 + i] : *cell;

    if (!follows)
      *cell = round_number (size * factors[i], size, decimals);
  }
}

static void
change_typed_tangents (const KgHandles *handles, const Rows *points, const Member *member, const KgGroupChange *change,
                       const Rows *tangents, double *cells)
{
  const size_t row = (size_t) member->grip.row;
  const guint width = kg_table_get_n_columns (tangents->rows);

  if (kg_handles_get_anchor (handles->node, tangents->slot) != (int) points->slot ||
      row >= kg_table_get_n_rows (tangents->rows) || width < 3)
    return;
  {
    const double *x = kg_table_get_row (tangents->rows, row);
    const KgVector old = kg_vector (x[0], x[1], x[2]),
                   turned = kg_vector_lerp (old, change_vector (change, old), member->share);

    if (isfinite (old.x) && isfinite (old.y) && isfinite (old.z))
      set_cells (cells + row * width, 0, 3, turned, old, 6);
  }
}

/* Of outlines, in the columns from first on, if they are typed. */
static void
change_outline_tangents (const KgTable *table, const Member *member, const KgGroupChange *change, double *row)
{
  static const char *const names[] = { "in_x", "out_x" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const int column = kg_table_find (table, names[i]);
    const KgVector old = column >= 0 ? kg_vector (row[column], row[column + 1], 0) : kg_vector (NAN, NAN, 0);

    if (!isnan (old.x) && !isnan (old.y))
      set_cells (row, column, 2, kg_vector_lerp (old, change_vector (change, old), member->share), old, 3);
  }
}

/* (transfer full) Row i of the lattice's offsets is of these three numbers. */
static GHashTable *
index_moves (const KgTable *rows)
{
  GHashTable *index = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (size_t i = 0; i < kg_table_get_n_rows (rows); i++) {
    const double *x = kg_table_get_row (rows, i);
    const gint64 key = ((gint64) x[0] << 40) | ((gint64) x[1] << 20) | (gint64) x[2];

    /* Of several the first is the one that is moved. */
    if (!g_hash_table_contains (index, &key))
      g_hash_table_insert (index, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER ((guint) i + 1));
  }
  return index;
}

/* (transfer full) (nullable) Offsets are added to; points that have none get a row. */
static KgTable *
change_lattice (KgGripGroup *self, const Rows *table, const KgGroupChange *change, int decimals, GError **error)
{
  g_autoptr (GHashTable) index = index_moves (table->rows);
  g_autoptr (GArray) added = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (KgTable) old = kg_table_copy (table->rows, error), all = NULL;
  const guint width = kg_table_get_n_columns (table->rows);
  const size_t n = kg_table_get_n_rows (table->rows);
  double *cells = old != NULL && n > 0 ? kg_table_edit (old) : NULL;
  g_autofree const char **names = g_new0 (const char *, width + 1);

  if (old == NULL || width < 6)
    return NULL;
  for (guint i = 0; i < self->members->len; i++) {
    const Member *member = get_member (self, i);
    const int *cell = member->grip.cell;
    const gint64 key = ((gint64) cell[0] << 40) | ((gint64) cell[1] << 20) | (gint64) cell[2];
    const KgVector by = kg_vector_subtract (change_place (change, member->grip.at, member->share), member->grip.at);
    const guint row = GPOINTER_TO_UINT (g_hash_table_lookup (index, &key));

    if (member->grip.slot != table->slot || member->share == 0)
      continue;
    if (row > 0) {
      double *x = cells + (size_t) (row - 1) * width + 3;
      const KgVector was = kg_vector (x[0], x[1], x[2]);

      set_cells (x, 0, 3, kg_vector_add (was, by), was, decimals);
    } else {
      double x[6] = { cell[0], cell[1], cell[2], 0, 0, 0 };

      set_cells (x, 3, 3, by, kg_vector (0, 0, 0), decimals);
      if (x[3] != 0 || x[4] != 0 || x[5] != 0)
        g_array_append_vals (added, x, 6);
    }
  }
  if (added->len == 0)
    return g_steal_pointer (&old);
  for (guint i = 0; kg_table_has_names (old) && i < width; i++)
    names[i] = kg_table_get_name (old, i);
  all = kg_table_new (width, kg_table_has_names (old) ? names : NULL, n + added->len / 6, error);
  if (all == NULL)
    return NULL;
  {
    double *to = kg_table_edit (all);

    for (size_t i = 0; i < n * width; i++)
      to[i] = cells[i];
    for (guint i = 0; i < added->len; i++)
      to[(n + i / 6) * width + i % 6] = g_array_index (added, double, i);
  }
  return g_steal_pointer (&all);
}

/* A blank end of the second image goes with that of the first, if that moves the same. */
static bool
follows_first (const KgGripGroup *self, const Member *member, const double *row)
{
  const int end = member->grip.row % KG_LINES_ENDS;
  const KgGrip first = kg_lines_get_other (&member->grip);

  return end >= 2 && isnan (row[2 * end]) && isnan (row[2 * end + 1]) &&
         kg_grip_group_get_share (self, &first) == member->share;
}

/* (transfer full) (nullable) */
static KgTable *
change_rows (KgGripGroup *self, const KgHandles *handles, const Rows *table, const KgGroupChange *change, int decimals,
             GError **error)
{
  KgTable *rows;
  const guint width = kg_table_get_n_columns (table->rows);
  double *cells;

  if (kg_handles_get_kind (kg_node_get_slot (handles->node, table->slot)) == KG_HANDLE_MOVES)
    return change_lattice (self, table, change, decimals, error);
  rows = kg_table_copy (table->rows, error);
  if (rows == NULL || kg_table_get_n_rows (rows) == 0)
    return rows;
  cells = kg_table_edit (rows);
  for (guint i = 0; i < self->members->len; i++) {
    const Member *member = get_member (self, i);
    const KgGrip *grip = &member->grip;
    const bool lines = grip->kind == KG_HANDLE_LINES;
    const size_t index = (size_t) (lines ? grip->row / KG_LINES_ENDS : grip->row);
    const KgVector to = change_place (change, grip->at, member->share);
    double *row = cells + index * width;

    if (member->share == 0 || grip->row < 0)
      continue;
    if (grip->slot != table->slot) {
      for (guint k = 0; k < self->tables->len && grip->kind == KG_HANDLE_POINTS && !is_only_moved (change); k++)
        if (g_array_index (self->tables, Rows, k).slot == grip->slot)
          change_typed_tangents (handles, &g_array_index (self->tables, Rows, k), member, change, table, cells);
      continue;
    }
    if (index >= kg_table_get_n_rows (rows))
      continue;
    if (lines && follows_first (self, member, row))
      continue;
    if (lines)
      set_cells (row, 2 * (grip->row % KG_LINES_ENDS), 2, to, grip->at, decimals);
    else
      set_cells (row, 0, grip->kind == KG_HANDLE_OUTLINE ? 2 : MIN (3, width), to, grip->at, decimals);
    if (grip->kind == KG_HANDLE_OUTLINE && !is_only_moved (change))
      change_outline_tangents (table->rows, member, change, row);
    if (grip->kind == KG_HANDLE_BODIES && !is_only_moved (change))
      change_body (table->rows, member, change, row, decimals);
  }
  return rows;
}

/* Where the anchor of a step goes, if it goes along. */
static KgVector
find_anchor (KgGripGroup *self, const KgHandles *handles, const Member *member, const KgGroupChange *change,
             int decimals)
{
  const int slot = kg_handles_get_anchor (handles->node, member->grip.slot);

  for (guint i = 0; i < self->members->len; i++) {
    const Member *other = get_member (self, i);

    if ((int) other->grip.slot == slot && !other->grip.timed && !is_row (&other->grip))
      return kg_handles_round (change_place (change, other->grip.at, other->share), other->grip.at, decimals);
  }
  return member->grip.anchor;
}

static bool
change_value (KgGripGroup *self, const KgHandles *handles, const Member *member, const KgGroupChange *change,
              int decimals, GError **error)
{
  const KgVector to =
      kg_handles_round (change_place (change, member->grip.at, member->share), member->grip.at, decimals);
  KgGrip grip = member->grip;

  if (grip.kind == KG_HANDLE_STEP || grip.kind == KG_HANDLE_SIZE)
    grip.anchor = find_anchor (self, handles, member, change, decimals);
  if (member->start.kind == KG_TRANSFORM && !is_only_moved (change)) {
    const KgTransform by = kg_transform_from_parts (kg_vector (0, 0, 0), change->rotation, change->scale);
    g_auto (KgValue) value = KG_VALUE_INIT;
    KgTransform turned = *member->start.transform;

    kg_transform_set_place (&turned, kg_vector (0, 0, 0));
    turned = kg_transform_multiply (by, turned);
    kg_transform_set_place (&turned, to);
    value = kg_value_transform (&turned);
    return kg_input_set_value (handles->node, grip.slot, kg_document_get_frame (handles->document), &value,
                               kg_document_get_auto_key (handles->document), error);
  }
  return kg_grip_move (handles, &grip, &member->start, to, decimals, false, error);
}

bool
kg_grip_group_change (KgGripGroup *self, const KgHandles *handles, const KgGroupChange *change, int decimals,
                      GError **error)
{
  const double frame = kg_document_get_frame (handles->document);
  const bool key = kg_document_get_auto_key (handles->document);
  bool good = true;

  for (guint i = 0; good && i < self->tables->len; i++) {
    Rows *table = &g_array_index (self->tables, Rows, i);
    g_autoptr (KgTable) rows = change_rows (self, handles, table, change, decimals, error);

    /* What never moved is not set at all, not even to what it is. */
    table->changed = table->changed || (rows != NULL && !kg_table_equal (rows, table->rows));
    good = rows != NULL && (!table->changed || kg_input_set_rows (handles->node, table->slot, frame, rows, key, error));
  }
  for (guint i = 0; good && i < self->members->len; i++)
    if (!is_row (&get_member (self, i)->grip))
      good = change_value (self, handles, get_member (self, i), change, decimals, error);
  return good;
}
