/* kg-field: trees of functions of space and time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-field.h"

#include "kg-hash.h"

struct _KgField {
  gatomicrefcount refs;
  const KgFieldClass *klass;
  guint n_parameters, n_children, depth;
  double *parameters;
  KgField **children;
  KgHash fingerprint;
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
    g_set_error (error, KG_ERROR, KG_ERROR_LIMIT, "a field made of fields more than %d levels deep: combine fewer",
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
  float x[KG_FIELD_BLOCK], y[KG_FIELD_BLOCK], z[KG_FIELD_BLOCK];
  float *const parts[] = { x, y, z };

  for (guint c = 0; c < 3; c++)
    memset (out[c], 0, block->n * sizeof (float));
  for (guint k = 0; k < field->n_children; k++) {
    const KgField *child = field->children[k];

    if (child->klass->width == 1) {
      float *const one[] = { y };

      kg_field_sample (child, block, one);
      for (size_t i = 0; i < block->n; i++)
        out[1][i] += y[i];
      continue;
    }
    kg_field_sample (child, block, parts);
    for (guint c = 0; c < 3; c++) {
      float *restrict to = out[c];
      const float *restrict from = parts[c];

      for (size_t i = 0; i < block->n; i++)
        to[i] += from[i];
    }
  }
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

void
kg_field_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  g_return_if_fail (block->n <= KG_FIELD_BLOCK);
  field->klass->sample (field, block, out);
}

static void
sample_block (const KgField *field, const float *points, size_t n, double time, float *out)
{
  float x[KG_FIELD_BLOCK], y[KG_FIELD_BLOCK], z[KG_FIELD_BLOCK], parts[3][KG_FIELD_BLOCK];
  float *const to[] = { parts[0], parts[1], parts[2] };
  const KgFieldBlock block = { .n = n, .x = x, .y = y, .z = z, .time = time };
  const guint width = field->klass->width;

  for (size_t i = 0; i < n; i++) {
    x[i] = points[3 * i];
    y[i] = points[3 * i + 1];
    z[i] = points[3 * i + 2];
  }
  kg_field_sample (field, &block, to);
  for (size_t i = 0; i < n; i++)
    for (guint c = 0; c < width; c++)
      out[i * width + c] = parts[c][i];
}

void
kg_field_sample_points (const KgField *field, const float *points, size_t n, double time, float *out)
{
  const size_t n_blocks = (n + KG_FIELD_BLOCK - 1) / KG_FIELD_BLOCK;

#pragma omp parallel for schedule(static)
  for (size_t b = 0; b < n_blocks; b++) {
    const size_t start = b * KG_FIELD_BLOCK;

    sample_block (field, points + 3 * start, MIN (KG_FIELD_BLOCK, n - start), time, out + start * field->klass->width);
  }
}

bool
kg_field_equal (const KgField *a, const KgField *b)
{
  if (a == b)
    return true;
  if (a->klass != b->klass || a->n_parameters != b->n_parameters || a->n_children != b->n_children)
    return false;
  for (guint i = 0; i < a->n_parameters; i++)
    if (!(a->parameters[i] == b->parameters[i]))
      return false;
  for (guint i = 0; i < a->n_children; i++)
    if (!kg_field_equal (a->children[i], b->children[i]))
      return false;
  return true;
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
