/* kg-field: trees of functions of space and time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-field.h"

#include "kg-hash.h"
#include "kg-kernel.h"

struct _KgField {
  gatomicrefcount refs;
  const KgFieldClass *klass;
  guint n_parameters, n_children, depth;
  double *parameters;
  KgField **children;
  gpointer data; /* owned */
  KgHash fingerprint;
  gsize planned;      /* g_once: shared is there */
  GHashTable *shared; /* KgField * → how often (a guint) fields of this tree use it, where that is more than once; NULL
                         where there are none.  Leaves are not among them: they cost no more than their uses. */
};

/* The values of a shared field, kept until its last use. */
typedef struct {
  guint left; /* uses to come */
  KgFieldArrays values;
} Memo;

/* What sampling one tree at one block works with. */
struct _KgFieldScratch {
  KgFieldBlock block;
  GPtrArray *spare;  /* KgFieldArrays that are not in use */
  GHashTable *memos; /* KgField * → Memo; NULL where nothing is shared */
};

KgField *
kg_field_new (const KgFieldClass *klass, const double *parameters, guint n_parameters, const KgField *const *children,
              guint n_children, GError **error)
{
  KgField *field;
  guint depth = 1;

  for (guint i = 0; i < n_children; i++)
    depth = MAX (depth, children[i]->depth + 1);
  if (depth > KG_FIELD_MAX_DEPTH) {
    kg_set_error (error, KG_ERROR_LIMIT, "fields nested more than %d levels deep: combine fewer fields",
                  KG_FIELD_MAX_DEPTH);
    return NULL;
  }
  field = g_new0 (KgField, 1);
  g_atomic_ref_count_init (&field->refs);
  field->klass = klass;
  field->depth = depth;
  field->n_parameters = n_parameters;
  field->n_children = n_children;
  field->parameters = (double *) g_memdup2 (parameters, n_parameters * sizeof *parameters);
  field->children = g_new (KgField *, MAX (n_children, 1));
  for (guint i = 0; i < n_children; i++)
    field->children[i] = kg_field_ref (children[i]);
  return field;
}

KgField *
kg_field_new_with_data (const KgFieldClass *klass, const double *parameters, guint n_parameters,
                        const KgField *const *children, guint n_children, gpointer data, GError **error)
{
  KgField *field = kg_field_new (klass, parameters, n_parameters, children, n_children, error);

  if (field != NULL)
    field->data = data;
  else
    klass->free_data (data);
  return field;
}

gconstpointer
kg_field_get_data (const KgField *field)
{
  return field->data;
}

KgField *
kg_field_ref (const KgField *field)
{
  KgField *f = (KgField *) field;

  g_atomic_ref_count_inc (&f->refs);
  return f;
}

void
kg_field_unref (KgField *field)
{
  if (!g_atomic_ref_count_dec (&field->refs))
    return;
  /* Bounded by KG_FIELD_MAX_DEPTH. */
  for (guint i = 0; i < field->n_children; i++)
    kg_field_unref (field->children[i]);
  g_clear_pointer (&field->shared, g_hash_table_unref);
  if (field->data != NULL)
    field->klass->free_data (field->data);
  g_free (field->children);
  g_free (field->parameters);
  g_free (field);
}

static void
constant_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  for (guint c = 0; c < field->klass->width; c++) {
    const float value = (float) field->parameters[c];

    for (size_t i = 0; i < block->n; i++)
      out[c][i] = value;
  }
}

static const KgFieldClass constant_class = { "constant", 1, constant_sample };
static const KgFieldClass constant_vector_class = { "constant vector", 3, constant_sample };

KgField *
kg_field_new_constant (double value)
{
  return kg_field_new (&constant_class, &value, 1, NULL, 0, NULL);
}

KgField *
kg_field_new_constant_vector (KgVector value)
{
  return kg_field_new (&constant_vector_class, &value.x, 3, NULL, 0, NULL);
}

static void
sum_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const KgFieldArrays arrays = kg_field_take_arrays (block);
  float *const parts[] = { arrays[0], arrays[1], arrays[2] };

  for (guint c = 0; c < 3; c++)
    memset (out[c], 0, block->n * sizeof (float));
  for (guint k = 0; k < field->n_children; k++) {
    const KgField *child = field->children[k];

    kg_field_sample (child, block, parts);
    if (child->klass->width == 1) {
      for (size_t i = 0; i < block->n; i++)
        out[1][i] += parts[0][i];
      continue;
    }
    for (guint c = 0; c < 3; c++) {
      float *restrict to = out[c];
      const float *restrict from = parts[c];

      for (size_t i = 0; i < block->n; i++)
        to[i] += from[i];
    }
  }
  kg_field_release_arrays (block, arrays);
}

static const KgFieldClass sum_class = { "sum", 3, sum_sample };

KgField *
kg_field_new_sum (const KgField *const *fields, guint n, GError **error)
{
  return kg_field_new (&sum_class, NULL, 0, fields, n, error);
}

guint
kg_field_get_width (const KgField *field)
{
  return field->klass->width;
}

const char *
kg_field_get_name (const KgField *field)
{
  return field->klass->name;
}

const KgFieldClass *
kg_field_get_class (const KgField *field)
{
  return field->klass;
}

const double *
kg_field_get_parameters (const KgField *field)
{
  return field->parameters;
}

guint
kg_field_get_n_parameters (const KgField *field)
{
  return field->n_parameters;
}

const KgField *
kg_field_get_child (const KgField *field, guint index)
{
  g_return_val_if_fail (index < field->n_children, NULL);
  return field->children[index];
}

guint
kg_field_get_n_children (const KgField *field)
{
  return field->n_children;
}

KgFieldArrays
kg_field_take_arrays (const KgFieldBlock *block)
{
  GPtrArray *spare = block->scratch != NULL ? block->scratch->spare : NULL;

  if (spare != NULL && spare->len > 0)
    return (KgFieldArrays) g_ptr_array_steal_index_fast (spare, spare->len - 1);
  return (KgFieldArrays) g_malloc (3 * KG_FIELD_BLOCK * sizeof (float));
}

void
kg_field_release_arrays (const KgFieldBlock *block, KgFieldArrays arrays)
{
  if (block->scratch != NULL)
    g_ptr_array_add (block->scratch->spare, arrays);
  else
    g_free (arrays);
}

/* Counts how often each field below is used; no deeper than KG_FIELD_MAX_DEPTH. */
static void
count_uses (const KgField *field, GHashTable *uses)
{
  for (guint i = 0; i < field->n_children; i++) {
    KgField *child = field->children[i];
    const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (uses, child)) + 1;

    if (child->n_children == 0)
      continue;
    g_hash_table_insert (uses, child, GUINT_TO_POINTER (n));
    if (n == 1)
      count_uses (child, uses);
  }
}

static gboolean
is_used_once (gpointer field, gpointer uses, gpointer data)
{
  (void) field;
  (void) data;
  return GPOINTER_TO_UINT (uses) == 1;
}

/* (nullable) The shared fields within the field, looked for when it is first sampled. */
static GHashTable *
get_shared (const KgField *field)
{
  KgField *f = (KgField *) field;

  if (g_once_init_enter (&f->planned)) {
    g_autoptr (GHashTable) uses = g_hash_table_new (NULL, NULL);

    count_uses (field, uses);
    g_hash_table_foreach_remove (uses, is_used_once, NULL);
    if (g_hash_table_size (uses) > 0)
      f->shared = g_steal_pointer (&uses);
    g_once_init_leave (&f->planned, 1);
  }
  return f->shared;
}

static void
memo_free (gpointer data)
{
  Memo *memo = (Memo *) data;

  g_free (memo->values);
  g_free (memo);
}

static GHashTable *
memos_new (GHashTable *shared)
{
  GHashTable *memos = g_hash_table_new_full (NULL, NULL, NULL, memo_free);
  GHashTableIter iter;
  gpointer field, uses;

  g_hash_table_iter_init (&iter, shared);
  while (g_hash_table_iter_next (&iter, &field, &uses)) {
    Memo *memo = g_new0 (Memo, 1);

    memo->left = GPOINTER_TO_UINT (uses);
    g_hash_table_insert (memos, field, memo);
  }
  return memos;
}

/* Samples a field that has children, as a tree of its own. */
static void
sample_tree (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  GHashTable *shared = get_shared (field);
  g_autoptr (GPtrArray) spare = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) memos = shared != NULL ? memos_new (shared) : NULL;
  struct _KgFieldScratch scratch = { .block = *block, .spare = spare, .memos = memos };

  scratch.block.scratch = &scratch;
  field->klass->sample (field, &scratch.block, out);
}

static void
sample_shared (const KgField *field, const KgFieldBlock *block, Memo *memo, float *const *out)
{
  const size_t bytes = block->n * sizeof (float);
  const bool known = memo->values != NULL;

  if (known)
    for (guint c = 0; c < field->klass->width; c++)
      memcpy (out[c], memo->values[c], bytes);
  else
    field->klass->sample (field, block, out);
  if (memo->left > 0)
    memo->left--;
  if (known && memo->left == 0) {
    kg_field_release_arrays (block, memo->values);
    memo->values = NULL;
  } else if (!known && memo->left > 0) {
    memo->values = kg_field_take_arrays (block);
    for (guint c = 0; c < field->klass->width; c++)
      memcpy (memo->values[c], out[c], bytes);
  }
}

void
kg_field_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  struct _KgFieldScratch *scratch = block->scratch;
  Memo *memo;

  g_return_if_fail (block->n <= KG_FIELD_BLOCK);
  if (field->n_children == 0) {
    field->klass->sample (field, block, out);
    return;
  }
  /* A block that a class has derived from its own has other places: values known for this one do not hold there. */
  if (scratch == NULL || block != &scratch->block) {
    sample_tree (field, block, out);
    return;
  }
  memo = scratch->memos != NULL ? (Memo *) g_hash_table_lookup (scratch->memos, field) : NULL;
  if (memo != NULL)
    sample_shared (field, block, memo, out);
  else
    field->klass->sample (field, block, out);
}

static void
sample_block (const KgField *field, const float *points, size_t n, double time, float *out)
{
  float x[KG_FIELD_BLOCK], y[KG_FIELD_BLOCK], z[KG_FIELD_BLOCK];
  const KgFieldBlock block = { .n = n, .x = x, .y = y, .z = z, .time = time };

  kg_split3 (points, n, x, y, z);
  if (field->klass->width == 1) {
    kg_field_sample (field, &block, &out);
  } else {
    float parts[3][KG_FIELD_BLOCK];

    kg_field_sample (field, &block, (float *const[]){ parts[0], parts[1], parts[2] });
    kg_join3 (parts[0], parts[1], parts[2], n, out);
  }
}

void
kg_field_sample_points (const KgField *field, const float *points, size_t n, double time, float *out)
{
  KG_PARALLEL (n, KG_FIELD_BLOCK, n > KG_FIELD_BLOCK,
               sample_block (field, points + 3 * first, end - first, time, out + first * field->klass->width));
}

/* Samples the field with one of its coordinates moved. */
static void
sample_moved (const KgField *field, const KgFieldBlock *block, guint axis, float distance, float *moved, float *out)
{
  const float *from = axis == 0 ? block->x : axis == 1 ? block->y : block->z;
  KgFieldBlock at = *block;

  for (size_t i = 0; i < block->n; i++)
    moved[i] = from[i] + distance;
  *(axis == 0 ? &at.x : axis == 1 ? &at.y : &at.z) = moved;
  at.scratch = NULL;
  kg_field_sample (field, &at, &out);
}

void
kg_field_sample_gradient (const KgField *field, const KgFieldBlock *block, double step, float *value,
                          float *const gradient[3])
{
  KgFieldArrays arrays;

  g_return_if_fail (field->klass->width == 1);
  if (field->klass->sample_gradient != NULL) {
    field->klass->sample_gradient (field, block, value, gradient);
    return;
  }
  kg_field_sample (field, block, &value);
  arrays = kg_field_take_arrays (block);
  for (guint axis = 0; axis < 3; axis++) {
    sample_moved (field, block, axis, (float) step, arrays[2], arrays[0]);
    sample_moved (field, block, axis, (float) -step, arrays[2], arrays[1]);
    for (size_t i = 0; i < block->n; i++)
      gradient[axis][i] = (arrays[0][i] - arrays[1][i]) / (float) (2 * step);
  }
  kg_field_release_arrays (block, arrays);
}

static void
sample_gradient_block (const KgField *field, const float *points, size_t n, double time, double step, float *values,
                       float *gradients)
{
  float x[KG_FIELD_BLOCK], y[KG_FIELD_BLOCK], z[KG_FIELD_BLOCK], parts[3][KG_FIELD_BLOCK];
  float *const to[] = { parts[0], parts[1], parts[2] };
  const KgFieldBlock block = { .n = n, .x = x, .y = y, .z = z, .time = time };

  kg_split3 (points, n, x, y, z);
  kg_field_sample_gradient (field, &block, step, values, to);
  kg_join3 (parts[0], parts[1], parts[2], n, gradients);
}

void
kg_field_sample_gradients (const KgField *field, const float *points, size_t n, double time, double step, float *values,
                           float *gradients)
{
  KG_PARALLEL (n, KG_FIELD_BLOCK, n > KG_FIELD_BLOCK,
               sample_gradient_block (field, points + 3 * first, end - first, time, step, values + first,
                                      gradients + 3 * first));
}

bool
kg_field_get_bounds (const KgField *field, KgVector *low, KgVector *high)
{
  return field->klass->get_bounds != NULL && field->klass->get_bounds (field, low, high);
}

bool
kg_field_get_bounds_at (const KgField *field, double level, KgVector *low, KgVector *high)
{
  if (!(level > 0))
    return false;
  return field->klass->get_bounds_at != NULL ? field->klass->get_bounds_at (field, level, low, high)
                                             : kg_field_get_bounds (field, low, high);
}

double
kg_field_get_level (const KgField *field)
{
  return field->klass->get_level != NULL ? field->klass->get_level (field) : KG_FIELD_LEVEL;
}

double
kg_field_get_hold (const KgField *field)
{
  double hold = 0;

  if (field->klass->get_hold != NULL)
    return field->klass->get_hold (field);
  for (guint i = 0; i < kg_field_get_n_children (field); i++)
    hold += kg_field_get_hold (kg_field_get_child (field, i));
  /* What others make of their children, only they know. */
  return hold > 0 && field->klass != &sum_class ? INFINITY : hold;
}

void
kg_field_add_seeds (const KgField *field, GArray *seeds)
{
  if (field->klass->add_seeds != NULL)
    field->klass->add_seeds (field, seeds);
}

/* Deeper trees are not hashed: their branches may be shared, and are walked once for each way through. */
#define MAX_HASHED_DEPTH 8

bool
kg_field_hash_within (const KgField *field, KgVector low, KgVector high, KgHash *hash)
{
  if (field->klass->hash_within == NULL || field->depth > MAX_HASHED_DEPTH)
    return false;
  *hash = kg_hash_text (*hash, field->klass->name);
  return field->klass->hash_within (field, low, high, hash);
}

bool
kg_field_hash_tree_within (const KgField *field, KgVector low, KgVector high, KgHash *hash)
{
  *hash = kg_hash_doubles (kg_hash_uint (*hash, field->n_children), field->parameters, field->n_parameters);
  for (guint c = 0; c < field->n_children; c++)
    if (!kg_field_hash_within (field->children[c], low, high, hash))
      return false;
  return true;
}

/* Two fields that are known to be equal, so that trees with shared branches are not walked once for each way through. */
typedef struct {
  const KgField *a, *b;
} Pair;

static guint
pair_hash (gconstpointer key)
{
  const Pair *pair = (const Pair *) key;

  return g_direct_hash (pair->a) * 31 + g_direct_hash (pair->b);
}

static gboolean
pair_equal (gconstpointer x, gconstpointer y)
{
  const Pair *p = (const Pair *) x, *q = (const Pair *) y;

  return p->a == q->a && p->b == q->b;
}

static bool
equal_trees (const KgField *a, const KgField *b, GHashTable *equal)
{
  const Pair pair = { a, b };

  if (a == b || g_hash_table_contains (equal, &pair))
    return true;
  if (a->klass != b->klass || a->n_parameters != b->n_parameters || a->n_children != b->n_children)
    return false;
  if (a->data != b->data && !a->klass->equal_data (a->data, b->data))
    return false;
  for (guint i = 0; i < a->n_parameters; i++)
    if (!(a->parameters[i] == b->parameters[i]))
      return false;
  for (guint i = 0; i < a->n_children; i++)
    if (!equal_trees (a->children[i], b->children[i], equal))
      return false;
  if (a->n_children > 0)
    g_hash_table_add (equal, g_memdup2 (&pair, sizeof pair));
  return true;
}

bool
kg_field_equal (const KgField *a, const KgField *b)
{
  g_autoptr (GHashTable) equal = g_hash_table_new_full (pair_hash, pair_equal, g_free, NULL);

  return equal_trees (a, b, equal);
}

KgHash
kg_field_get_fingerprint (const KgField *field)
{
  return field->fingerprint;
}

void
kg_field_set_fingerprint (KgField *field, KgHash fingerprint)
{
  field->fingerprint = fingerprint;
}
