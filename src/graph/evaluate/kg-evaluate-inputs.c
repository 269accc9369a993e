/* kg-evaluate-inputs: what a task needs for its inputs, and their values once the needs have results.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-evaluate-private.h"

/* One element more, of any content.  Within what every task has room for nothing is asked. */
static inline void
lengthen (GArray *array)
{
  if (array->len < KG_TASK_FEW)
    array->len++;
  else
    g_array_set_size (array, array->len + 1);
}

/* Needs. */

bool
kg_input_is_limited (const KgNode *node, const KgSlot *slot)
{
  return node->inside != NULL && !slot->list && kg_slot_has_range (slot);
}

/* The first input whose value can stand in for an output while the node is bypassed; -1 when there is none. */
static int
find_bypass (const KgNode *node, guint output)
{
  const KgKind kind = kg_node_get_slot_kind (node, output);

  for (guint i = 0; i < node->n_slots; i++)
    if (node->slots[i].role == KG_SLOT_INPUT && !node->slots[i].list && node->slots[i].kind == node->slots[output].kind)
      return (int) i;
  for (guint i = 0; i < node->n_slots; i++)
    if (node->slots[i].role == KG_SLOT_INPUT && kg_kind_converts (kg_node_get_slot_kind (node, i), kind))
      return (int) i;
  return -1;
}

/* The value of an input that is linked to an output of its own kind is that output, unless a preset limits it. */
static bool
follow_link (KgNeed *need)
{
  const KgInput *input = &need->node->inputs[need->slot];
  const KgSlot *slot = &need->node->slots[need->slot];
  KgNode *from;
  guint output;

  if (input->source.kind != KG_SOURCE_LINK || slot->list || input->n_wires != 1 || input->wires[0].node == NULL ||
      !input->wires[0].reads_output || kg_input_is_limited (need->node, slot))
    return false;
  from = input->wires[0].node;
  output = input->wires[0].slot;
  if (from->type == NULL || output >= from->n_slots ||
      (slot->kind != KG_ANY && kg_node_get_slot_kind (from, output) != slot->kind))
    return false;
  need->node = from;
  need->slot = -1;
  need->output = output;
  return true;
}

/* The value of an input of a sub-graph that is not set is what its default is inside. */
static bool
enter_default (KgNeed *need)
{
  guint value;
  KgNode *interface = kg_node_get_closed_default (need->node, (guint) need->slot, &value);

  if (interface == NULL)
    return false;
  need->node = interface;
  need->slot = (int) value;
  return true;
}

void
kg_need_forward (KgNeed *need)
{
  while (need->node->type != NULL && (need->slot >= 0 || need->output < need->node->n_slots)) {
    KgNode *inner, *owner;
    guint slot;
    int input;

    if (need->slot >= 0) {
      if (!follow_link (need) && !enter_default (need))
        return;
      continue;
    }
    if (need->node->inside != NULL) {
      inner = need->node->interfaces[need->output];
      input = kg_node_find_slot (inner, "value");
      if (input < 0)
        return;
      need->node = inner;
      need->slot = input;
    } else if (kg_node_get_role (need->node) == KG_ROLE_INTERFACE_INPUT) {
      if (kg_node_get_outside (need->node, &owner, &slot) && owner->inputs[slot].source.kind != KG_SOURCE_DEFAULT) {
        need->node = owner;
        need->slot = (int) slot;
      } else {
        need->slot = kg_node_find_slot (need->node, "value");
        g_return_if_fail (need->slot >= 0);
      }
    } else if (need->node->bypass) {
      input = find_bypass (need->node, need->output);
      if (input < 0)
        return;
      need->slot = input;
    } else
      return;
  }
}

static void
add_need (KgTask *task, KgNode *node, guint slot, double time)
{
  KgNeed need = { node, -1, slot, time, NULL };

  if (node != NULL && slot != KG_SLOT_UNKNOWN && node->slots[slot].role == KG_SLOT_INPUT)
    need.slot = (int) slot;
  if (node != NULL)
    kg_need_forward (&need);
  lengthen (task->needs);
  g_array_index (task->needs, KgNeed, task->needs->len - 1) = need;
}

/* Samples. */

void
kg_task_add_sample_needs (KgTask *task, KgSample *sample)
{
  const KgInput *input = &task->node->inputs[sample->slot];

  sample->first_need = task->needs->len;
  if (sample->wanted != NULL) {
    for (guint i = 0; i < sample->wanted->len; i++) {
      const guint item = g_array_index (sample->wanted, guint, i);

      if (item < input->n_wires)
        add_need (task, input->wires[item].node, input->wires[item].slot, sample->time);
    }
  } else
    for (guint i = 0; i < input->n_wires; i++)
      add_need (task, input->wires[i].node, input->wires[i].slot, sample->time);
  sample->n_needs = task->needs->len - sample->first_need;
}

/* ready: the input has a prepared value. */
static void
add_sample (KgTask *task, guint slot, double time, bool ready)
{
  KgInput *input = &task->node->inputs[slot];
  KgSample *sample;

  lengthen (task->samples);
  sample = &g_array_index (task->samples, KgSample, task->samples->len - 1);
  *sample = (KgSample){ .slot = slot, .time = time };
  if (ready) {
    sample->done = sample->present = sample->ready = true;
    sample->plain = kg_node_mark_of (task->node, (int) slot)->plain;
    sample->value = input->ready;
    sample->fingerprint = input->ready_fingerprint;
  } else
    kg_task_add_sample_needs (task, sample);
}

void
kg_task_add_sample (KgTask *task, guint slot, double time)
{
  /* The marks of a node are valid when its outputs are requested, but not for an input alone. */
  add_sample (task, slot, time, task->slot < 0 && kg_job_make_ready (task->node, slot));
}

void
kg_task_add_input_samples (KgTask *task, double time, bool early_only)
{
  const bool asks = task->node->type->demand != NULL;

  for (guint i = 0; i < task->node->n_slots; i++) {
    bool ready;

    /* Nearly all: constants that jobs start with. */
    if (!asks && kg_job_surely_starts_with (task->node, i))
      continue;
    if (task->node->slots[i].role != KG_SLOT_INPUT || (early_only && !task->node->slots[i].early))
      continue;
    ready = kg_job_make_ready (task->node, i);
    if (asks || !ready || !kg_job_starts_with (task->node, i))
      add_sample (task, i, time, ready);
  }
}

/* Values. */

static bool
set_doubles (KgKind kind, guint n, const double *x, KgValue *value, GError **error)
{
  if (n == 1) {
    *value = kg_value_number (x[0]);
    return true;
  }
  if (kind == KG_ROTATION && n == 4) {
    KgRotation q = { x[0], x[1], x[2], x[3] };

    if (!kg_rotation_make_unit (&q, error))
      return false;
    *value = kg_value_rotation (q);
    return true;
  }
  if (n == 4)
    *value = kg_value_color ((KgColor){ x[0], x[1], x[2], x[3] });
  else if (kind == KG_COLOR)
    *value = kg_value_color ((KgColor){ x[0], x[1], x[2], 1 });
  else
    *value = kg_value_vector (kg_vector (x[0], x[1], x[2]));
  return true;
}

static bool
evaluate_keys (const KgEvaluator *evaluator, const KgSlot *slot, const KgChannel *keys, double time, KgValue *value,
               GError **error)
{
  double x[KG_CHANNEL_MAX_WIDTH];

  /* Keys of a motion are the motion itself: a function, not its value now. */
  if (slot->kind == KG_MOTION) {
    *value = kg_value_take (KG_MOTION, kg_motion_new_take ("value", kg_channel_ref (keys)));
    kg_value_publish (value, kg_channel_hash (keys, kg_hash_begin (KG_HASH_KEYED_MOTION, 0)));
    return true;
  }
  kg_channel_evaluate (keys, kg_evaluator_to_frame (evaluator, time), x);
  return set_doubles (slot->kind, kg_channel_get_width (keys), x, value, error);
}

/* (nullable) */
static const KgValue *
get_need_value (const KgNeed *need)
{
  const guint index = need->result != NULL ? kg_need_get_index (need, need->result) : 0;

  return need->result != NULL && index < need->result->n && need->result->present[index] ? &need->result->values[index]
                                                                                         : NULL;
}

/* Its numbers, and how many they are; 0: it has none. */
static guint
get_reference_value (const KgValue *value, const char *component, double *numbers)
{
  if (component == NULL && value->kind == KG_VECTOR) {
    memcpy (numbers, &value->vector, 3 * sizeof *numbers);
    return 3;
  }
  if (component == NULL && value->kind == KG_COLOR) {
    memcpy (numbers, &value->color, 4 * sizeof *numbers);
    return 4;
  }
  return kg_value_get_component (value, component, numbers) ? 1 : 0;
}

/* first_need: of its references. */
static bool
evaluate_expression (const KgEvaluator *evaluator, const KgTask *task, const KgSample *sample, KgExpression *expression,
                     guint first_need, double *results, GError **error)
{
  const KgFrames *frames = &evaluator->frames;
  const KgMoment moment = { sample->time, kg_evaluator_to_frame (evaluator, sample->time), frames->rate, frames->start,
                            frames->end };
  const guint n_references = kg_expression_get_n_references (expression);
  g_autofree double *references = g_new (double, 4 * n_references + 1);
  double *next = references;
  g_autofree guint *widths = g_new (guint, n_references + 1);

  for (guint i = 0; i < n_references; i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);
    const KgNeed *need = &g_array_index (task->needs, KgNeed, first_need + i);
    const KgValue *read = get_need_value (need);

    if (need->node == NULL) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "%s.%s does not exist", reference->node, reference->slot);
      kg_prefix_column (error, reference->column);
      return false;
    }
    widths[i] = read != NULL ? get_reference_value (read, reference->component, next) : 0;
    if (widths[i] == 0) {
      kg_set_error (error, KG_ERROR_TYPE_MISMATCH, "%s.%s%s%s is not a number (components: x y z w, r g b a)",
                    reference->node, reference->slot, reference->component != NULL ? "." : "",
                    reference->component != NULL ? reference->component : "");
      kg_prefix_column (error, reference->column);
      return false;
    }
    next += widths[i];
  }
  if (!kg_expression_bind (expression, widths, error))
    return false;
  /* (One result that is as wide as what it was made of was not known to be when the expression was set.) */
  if (kg_expression_get_n_results (expression) > KG_CHANNEL_MAX_WIDTH) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "%u results: write one", kg_expression_get_n_results (expression));
    kg_prefix_column (error, 1);
    return false;
  }
  return kg_expression_evaluate (expression, &moment, references, results, error);
}

/* Tables. */

static bool
evaluate_cell (const KgEvaluator *evaluator, const KgTask *task, const KgSample *sample, guint index, guint first_need,
               double *x, GError **error)
{
  const KgInput *input = &task->node->inputs[sample->slot];
  const KgSource *source = &input->source.table.cells[index].source;
  KgExpression *expression = kg_input_get_expression (input, index);
  double results[KG_CHANNEL_MAX_WIDTH];

  if (source->kind == KG_SOURCE_KEYS) {
    kg_channel_evaluate (source->keys, kg_evaluator_to_frame (evaluator, sample->time), x);
    return true;
  }
  if (expression == NULL) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "%s cannot be read", source->text);
    return false;
  }
  if (!evaluate_expression (evaluator, task, sample, expression, first_need, results, error))
    return false;
  if (kg_expression_get_n_results (expression) != 1) {
    kg_set_error (error, KG_ERROR_EXPRESSION, "%u results: a cell takes one, such as the x of a vector",
                  kg_expression_get_n_results (expression));
    kg_prefix_column (error, 1);
    return false;
  }
  *x = results[0];
  return true;
}

static bool
evaluate_table (const KgEvaluator *evaluator, const KgTask *task, const KgSample *sample, KgValue *value,
                GError **error)
{
  const KgInput *input = &task->node->inputs[sample->slot];
  const KgSlot *slot = &task->node->slots[sample->slot];
  const KgSource *source = &input->source;
  g_autoptr (KgTable) table = kg_table_copy (source->table.rows, error);
  guint need = sample->first_need;

  if (table == NULL)
    return false;
  for (guint i = 0; i < source->table.n; i++) {
    const KgCell *cell = &source->table.cells[i];
    const guint n_columns = kg_table_get_n_columns (table);
    const KgExpression *expression = kg_input_get_expression (input, i);

    if (!evaluate_cell (evaluator, task, sample, i, need,
                        &kg_table_edit (table)[(size_t) cell->row * n_columns + cell->column], error)) {
      const char *component = kg_slot_get_component (slot, cell->column);
      const char *name = kg_table_get_name (table, cell->column);

      if (component != NULL)
        g_prefix_error (error, "%s: ", component);
      else if (name != NULL)
        kg_prefix_error (error, "row %u, %s: ", cell->row + 1, name);
      else
        kg_prefix_error (error, "row %u, column %u: ", cell->row + 1, cell->column + 1);
      return false;
    }
    need += expression != NULL ? kg_expression_get_n_references (expression) : 0;
  }
  if (slot->kind == KG_VECTOR)
    return set_doubles (KG_VECTOR, 3, kg_table_get_row (table, 0), value, error);
  *value = kg_value_take (KG_TABLE, g_steal_pointer (&table));
  return true;
}

static bool
evaluate_default (const KgEvaluator *evaluator, const KgSlot *slot, KgSample *sample)
{
  const KgFrames *frames = &evaluator->frames;
  const double frame = kg_evaluator_to_frame (evaluator, sample->time);

  switch (slot->driver) {
  case KG_DRIVER_TIME:
    sample->value = kg_value_number (sample->time);
    return true;
  case KG_DRIVER_FRAME:
    sample->value = kg_value_number (frame);
    return true;
  case KG_DRIVER_PHASE:
    sample->value = kg_value_number (frames->end > frames->start
                                         ? (frame - frames->start) / (frames->end - frames->start)
                                         : (frame < frames->start ? 0 : 1));
    return true;
  case KG_DRIVER_NONE:
  default:
    return kg_slot_get_default (slot, &sample->value);
  }
}

/* Takes the value of a wire: a copy of the reference, or the reference itself if it is the only one. */
static KgValue
take_need_value (KgNeed *need)
{
  const guint index = kg_need_get_index (need, need->result);
  KgValue value;

  if (!g_atomic_ref_count_compare (&need->result->refs, 1))
    return kg_value_copy (&need->result->values[index]);
  value = need->result->values[index];
  need->result->values[index] = (KgValue) KG_VALUE_INIT;
  need->result->present[index] = false;
  return value;
}

static bool
check_need (const KgNeed *need, const char *text, GError **error)
{
  if (need->node == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "the link to %s is broken: link it again", text);
    return false;
  }
  return true;
}

static void
take_list (KgTask *task, KgSample *sample)
{
  const KgSource *source = &task->node->inputs[sample->slot].source;
  const guint n = sample->wanted != NULL ? sample->wanted->len : source->list.n;

  sample->items = g_new0 (KgValue, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    const guint item = sample->wanted != NULL ? g_array_index (sample->wanted, guint, i) : i;
    KgNeed *need;

    if (item >= source->list.n)
      continue;
    if (source->list.items[item].kind == KG_SOURCE_CONSTANT) {
      sample->items[sample->n_items++] = kg_value_copy (&source->list.items[item].constant);
      continue;
    }
    need = &g_array_index (task->needs, KgNeed, sample->first_need + i);
    if (get_need_value (need) != NULL)
      sample->items[sample->n_items++] = take_need_value (need);
  }
}

/* Computes the value of a sample whose needs all have results. */
static bool
evaluate_sample (const KgEvaluator *evaluator, KgTask *task, KgSample *sample, GError **error)
{
  const KgSlot *slot = &task->node->slots[sample->slot];
  const KgInput *input = &task->node->inputs[sample->slot];
  KgNeed *need = sample->n_needs > 0 ? &g_array_index (task->needs, KgNeed, sample->first_need) : NULL;
  double results[KG_CHANNEL_MAX_WIDTH];

  sample->done = true;
  sample->present = true;
  switch (input->source.kind) {
  case KG_SOURCE_CONSTANT:
    sample->value = kg_value_copy (&input->source.constant);
    return true;
  case KG_SOURCE_KEYS:
    return evaluate_keys (evaluator, slot, input->source.keys, sample->time, &sample->value, error);
  case KG_SOURCE_EXPRESSION:
    return evaluate_expression (evaluator, task, sample, input->expression, sample->first_need, results, error) &&
           set_doubles (slot->kind, kg_expression_get_n_results (input->expression), results, &sample->value, error);
  case KG_SOURCE_TABLE:
    return evaluate_table (evaluator, task, sample, &sample->value, error);
  case KG_SOURCE_LIST:
    for (guint i = 0; sample->wanted == NULL && i < sample->n_needs; i++)
      if (input->source.list.items[i].kind == KG_SOURCE_LINK &&
          !check_need (&need[i], input->source.list.items[i].text, error))
        return false;
    take_list (task, sample);
    return true;
  case KG_SOURCE_LINK:
    if (!check_need (need, input->source.text, error))
      return false;
    sample->present = get_need_value (need) != NULL;
    if (sample->present)
      sample->value = take_need_value (need);
    return true;
  case KG_SOURCE_DEFAULT:
  default:
    sample->present = !slot->list && evaluate_default (evaluator, slot, sample);
    return true;
  }
}

bool
kg_task_evaluate_samples (const KgEvaluator *evaluator, KgTask *task, GError **error)
{
  for (guint i = 0; i < task->samples->len; i++) {
    KgSample *sample = &g_array_index (task->samples, KgSample, i);

    if (!sample->done && !evaluate_sample (evaluator, task, sample, error)) {
      g_prefix_error (error, "%s: ", task->node->slots[sample->slot].name);
      return false;
    }
  }
  return true;
}

static bool
is_ready (const KgTask *task, const KgSample *sample)
{
  for (guint i = sample->first_need; i < sample->first_need + sample->n_needs; i++) {
    const KgNeed *need = &g_array_index (task->needs, KgNeed, i);

    if (need->node != NULL && need->result == NULL)
      return false;
  }
  return true;
}

bool
kg_task_evaluate_ready_samples (const KgEvaluator *evaluator, KgTask *task)
{
  for (guint i = 0; i < task->samples->len; i++) {
    KgSample *sample = &g_array_index (task->samples, KgSample, i);

    if (!sample->done && is_ready (task, sample) && !evaluate_sample (evaluator, task, sample, NULL))
      return false;
  }
  return true;
}
