/* kg-job-constants: the constants of a node, converted once and ready in what its jobs start as.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-evaluate-private.h"

/* Prepares a constant or default for all further calls. False when it needs an evaluation, which then also reports what is
 * wrong with the source. */
static bool
prepare (KgNode *node, guint slot)
{
  const KgSlot *declared = &node->slots[slot];
  KgInput *input = &node->inputs[slot];
  KgMark *mark = kg_node_mark_of (node, (int) slot);
  KgValue value = KG_VALUE_INIT;

  /* Jobs never start with an outdated value of an input. */
  if (mark->plain) {
    mark->plain = false;
    g_clear_pointer (&node->prepared, g_free);
  }
  if (!mark->valid || input->n_wires > 0 || declared->list || declared->kind >= KG_MOTION)
    return false;
  if (input->source.kind == KG_SOURCE_CONSTANT)
    value = kg_value_copy (&input->source.constant);
  else if (input->source.kind != KG_SOURCE_DEFAULT || declared->driver != KG_DRIVER_NONE ||
           !kg_slot_get_default (declared, &value))
    return false;
  if (!kg_slot_convert (declared, &value, NULL)) {
    kg_value_clear (&value);
    return false;
  }
  kg_value_clear (&input->ready);
  input->ready = value;
  input->ready_fingerprint = kg_value_get_fingerprint (&value);
  mark->ready = true;
  mark->plain = kg_slot_takes_plainly (declared, &value);
  g_clear_pointer (&node->prepared, g_free);
  return true;
}

/* Whether a prepared value is still that of the input. */
static bool
is_ready (const KgNode *node, guint slot)
{
  const KgMark *mark = kg_node_mark_of (node, (int) slot);

  return mark->valid && mark->ready;
}

bool
kg_job_make_ready (KgNode *node, guint slot)
{
  return is_ready (node, slot) || prepare (node, slot);
}

bool
kg_job_starts_with (KgNode *node, guint slot)
{
  /* The same name is a different input after the file has changed. */
  return !node->slots[slot].path && kg_job_make_ready (node, slot) && kg_node_mark_of (node, (int) slot)->plain;
}

KgHash
kg_job_begin (void *job, KgNode *node, const KgContext *ctx)
{
  const size_t size = node->type->size;

  if (node->prepared == NULL) {
    node->prepared = g_malloc0 (size);
    node->prepared_hash = (KgHash){ 0, 0 };
    for (guint i = 0; i < node->n_slots; i++) {
      KgInput *input = &node->inputs[i];

      if (node->slots[i].role != KG_SLOT_INPUT || !kg_node_mark_of (node, (int) i)->plain || !is_ready (node, i))
        continue;
      kg_job_fill_value (node->prepared, &node->slots[i], &input->ready, ctx, NULL);
      if (!node->slots[i].path)
        node->prepared_hash = kg_hash_add (
            node->prepared_hash, kg_hash_join (kg_hash_uint (kg_job_hash_slot (i), true), input->ready_fingerprint));
    }
  }
  memcpy (job, node->prepared, size);
  return node->prepared_hash;
}
