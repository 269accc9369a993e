/* kg-result: what came of one run of a node, counted.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-job.h"

KgResult *
kg_result_new (guint n)
{
  /* One block: the head, n values, n marks of presence. */
  KgResult *result = (KgResult *) g_malloc0 (sizeof (KgResult) + n * (sizeof (KgValue) + sizeof (bool)));

  g_atomic_ref_count_init (&result->refs);
  result->n = n;
  result->values = (KgValue *) (result + 1);
  result->present = (bool *) (result->values + n);
  return result;
}

KgResult *
kg_result_new_error (const GError *error)
{
  KgResult *result = kg_result_new (0);

  result->error = g_error_copy (error);
  result->bytes = sizeof *result + sizeof *error + strlen (error->message);
  return result;
}

KgResult *
kg_result_ref (KgResult *result)
{
  g_atomic_ref_count_inc (&result->refs);
  return result;
}

void
kg_result_unref (KgResult *result)
{
  if (!g_atomic_ref_count_dec (&result->refs))
    return;
  for (guint i = 0; i < result->n; i++)
    kg_value_clear (&result->values[i]);
  g_clear_error (&result->error);
  g_clear_pointer (&result->warnings, g_ptr_array_unref);
  if (result->memo != NULL && result->memo_destroy != NULL)
    result->memo_destroy (result->memo);
  g_free (result);
}

void
kg_result_measure (KgResult *result)
{
  result->bytes = sizeof *result;
  for (guint i = 0; i < result->n; i++) {
    const KgValue *value = &result->values[i];

    if (value->kind == KG_GEOMETRY || value->kind == KG_IMAGE || value->kind == KG_SCENE)
      result->bytes += sizeof *value + 512;
    else
      result->bytes += kg_value_get_bytes (value);
  }
}
