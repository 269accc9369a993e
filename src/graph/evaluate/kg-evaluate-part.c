/* kg-evaluate-part: a part of an image, from parts of the images that it is made of.
 *
 * Goes up from the node that is asked: a node whose type says how far around its pixels count (KgNodeReach) takes that part of its
 * images, and a margin; one whose type says which parts of its images a part of its result comes from (KgNodeRegion) takes those; any
 * other is evaluated as a whole, as ever, and cut.  Results of parts are kept by the values that they are made of: the same part
 * again costs nothing.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-evaluate-private.h"

/* Nodes in a row, at most: above them all is evaluated as a whole. */
#define MOST_IN_A_ROW 500

typedef struct {
  KgEvaluator *evaluator;
  bool differs; /* an image has another size than was thought */
} Work;

/* As many pixels more on all sides as there are, at most. */
static KgImagePart
grow (const KgImagePart *place, double reach)
{
  return kg_image_part_grow (*place, (int) fmin (ceil (reach), MAX (place->width, place->height)));
}

/* (transfer full) The result with its images cut: from and to are places of the same image, to within from. */
static KgResult *
cut (KgEvaluator *evaluator, KgNode *node, KgResult *result, const KgImagePart *from, const KgImagePart *to)
{
  g_autoptr (KgResult) parts = NULL;

  if (from->part_width == to->part_width && from->part_height == to->part_height)
    return kg_result_ref (result);
  parts = kg_result_new (result->n);
  parts->first = result->first;
  for (guint i = 0; i < result->n; i++) {
    const KgValue *value = &result->values[i];
    GError *error = NULL;
    KgImage *image;

    parts->present[i] = result->present[i];
    if (!result->present[i])
      continue;
    if (value->kind != KG_IMAGE || kg_image_get_width (value->image) != from->part_width ||
        kg_image_get_height (value->image) != from->part_height) {
      parts->values[i] = kg_value_copy (value);
      continue;
    }
    image = kg_image_new_part (value->image, to->x - from->x, to->y - from->y, to->part_width, to->part_height, &error);
    if (image == NULL)
      return kg_evaluator_fail (evaluator, node, error);
    parts->values[i] = kg_value_take (KG_IMAGE, image);
  }
  kg_result_measure (parts);
  return g_steal_pointer (&parts);
}

/* (nullable) The image that was requested. */
static const KgImage *
get_image (const KgNeed *need, const KgResult *result)
{
  const guint index = kg_need_get_index (need, result);

  return result->error == NULL && index < result->n && result->present[index] && result->values[index].kind == KG_IMAGE
             ? result->values[index].image
             : NULL;
}

/* (transfer full) (nullable) As a whole, and cut; NULL: it has another size.  counts: its parts know of the whole. */
static KgResult *
cut_whole (Work *work, KgNeed need, const KgImagePart *place, bool counts)
{
  const KgImagePart all = kg_image_part_all (place->width, place->height);
  g_autoptr (KgResult) result = kg_evaluator_run (work->evaluator, &need);
  const KgImage *image = get_image (&need, result);

  if (image == NULL)
    return g_steal_pointer (&result);
  if (kg_image_get_width (image) != place->width || kg_image_get_height (image) != place->height) {
    work->differs = true;
    return NULL;
  }
  if (counts)
    kg_image_is_opaque (image);
  return cut (work->evaluator, need.node, result, &all, place);
}

static bool
is_alone (const KgNode *node)
{
  return node->type == NULL || (node->type->reach == NULL && node->type->region == NULL) ||
         node->type->advance != NULL || node->inside != NULL || node->bypass;
}

/* Values of any kind may be images as well. */
static bool
takes_image (const KgTask *task, const KgSample *sample)
{
  const KgSlot *slot = &task->node->slots[sample->slot];

  return !slot->early && (slot->kind == KG_IMAGE || slot->kind == KG_ANY);
}

/* Evaluates what the inputs need that are no images. */
static bool
run_needs (Work *work, KgTask *task)
{
  for (guint i = 0; i < task->samples->len; i++) {
    const KgSample *sample = &g_array_index (task->samples, KgSample, i);

    for (guint k = sample->first_need; !takes_image (task, sample) && k < sample->first_need + sample->n_needs; k++) {
      KgNeed *need = &g_array_index (task->needs, KgNeed, k);
      KgNeed request = *need;

      if (need->node != NULL && need->result == NULL)
        need->result = kg_evaluator_run (work->evaluator, &request);
      if (need->result == NULL || need->result->error != NULL)
        return false;
    }
  }
  return true;
}

/* A task of the node with the values of all inputs but images.  (nullable) NULL: what is wrong its evaluation reports. */
static KgTask *
begin (Work *work, const KgNeed *need)
{
  const bool asks = need->node->type->demand != NULL;
  KgResult *failed = NULL;
  KgTask *task;

  /* Marks are valid when the outputs were asked for: see kg_task_add_sample. */
  kg_evaluator_get_result_key (work->evaluator, need->node, -1, need->time);
  task = kg_task_new (work->evaluator, need, (KgHash){ 0, 0 });
  kg_task_add_input_samples (task, need->time, asks);
  if (run_needs (work, task) &&
      (!asks || (kg_task_find_demand (work->evaluator, task, &failed) && run_needs (work, task))))
    return task;
  g_clear_pointer (&failed, kg_result_unref);
  kg_task_free (work->evaluator, task);
  return NULL;
}

/* The size of an image that is not there yet; false where it is none. */
static bool
find_size (Work *work, KgNeed need, int *width, int *height, guint depth)
{
  KgTask *task = NULL;
  bool good = false;

  kg_need_forward (&need);
  if (need.slot < 0 && !is_alone (need.node) && depth < MOST_IN_A_ROW)
    task = begin (work, &need);
  if (task != NULL)
    task->parts = g_new0 (KgImagePart, task->node->n_slots + 1);
  for (guint i = 0; task != NULL && i < task->samples->len; i++) {
    const KgSample *sample = &g_array_index (task->samples, KgSample, i);
    KgImagePart *part = &task->parts[sample->slot];

    if (!takes_image (task, sample) || sample->n_needs == 0 || (good && task->node->type->find_size == NULL))
      continue;
    if (!find_size (work, g_array_index (task->needs, KgNeed, sample->first_need), &part->width, &part->height,
                    depth + 1))
      continue;
    if (!good) {
      *width = part->width;
      *height = part->height;
    }
    good = true;
  }
  if (task != NULL && task->node->type->find_size != NULL)
    good = kg_task_get_size (work->evaluator, task, width, height);
  if (task != NULL)
    kg_task_free (work->evaluator, task);
  if (!good) {
    g_autoptr (KgResult) result = kg_evaluator_run (work->evaluator, &need);
    const KgImage *image = get_image (&need, result);

    good = image != NULL;
    *width = good ? kg_image_get_width (image) : 0;
    *height = good ? kg_image_get_height (image) : 0;
  }
  return good;
}

static KgResult *evaluate (Work *work, KgNeed need, const KgImagePart *place, guint depth);

/* The part of the image that a sample is for.  larger: of an operation that says how far around its pixels count. */
static KgImagePart
find_part (Work *work, KgTask *task, const KgSample *sample, const KgImagePart *larger, guint depth)
{
  const KgNodeType *type = task->node->type;
  const KgSlot *slot = &task->node->slots[sample->slot];
  KgImagePart *part, all;

  if (type->region == NULL)
    return *larger;
  part = &task->parts[sample->slot];
  /* Of several samples of an input, all are for the same. */
  if (part->width > 0)
    return *part;
  *part = *larger;
  if (slot->whole)
    return *part;
  all = kg_image_part_all (larger->width, larger->height);
  if (type->find_size != NULL &&
      find_size (work, g_array_index (task->needs, KgNeed, sample->first_need), &all.width, &all.height, depth)) {
    part->width = all.part_width = all.width;
    part->height = all.part_height = all.height;
  }
  if (!kg_task_get_region (work->evaluator, task, slot->offset, part))
    *part = all;
  return *part;
}

/* Needs of one input.  (transfer full) (nullable) What one of them failed with. */
static KgResult *
resolve (Work *work, KgTask *task, const KgSample *sample, const KgImagePart *larger, guint depth)
{
  const KgSlot *slot = &task->node->slots[sample->slot];
  KgImagePart part;

  if (!takes_image (task, sample) || sample->n_needs == 0)
    return NULL;
  part = find_part (work, task, sample, larger, depth);
  for (guint i = sample->first_need; i < sample->first_need + sample->n_needs && !work->differs; i++) {
    KgNeed *need = &g_array_index (task->needs, KgNeed, i);
    KgNeed request = *need;

    if (need->node == NULL)
      continue;
    need->result = slot->whole ? cut_whole (work, request, &part, true) : evaluate (work, request, &part, depth + 1);
    if (need->result != NULL && need->result->error != NULL)
      return kg_result_new_error (need->result->error);
  }
  return NULL;
}

/* (transfer full) (nullable) NULL: an image has another size. */
static KgResult *
evaluate (Work *work, KgNeed need, const KgImagePart *place, guint depth)
{
  KgEvaluator *evaluator = work->evaluator;
  KgResult *result = NULL;
  KgImagePart larger = *place;
  KgTask *task;

  kg_need_forward (&need);
  if (g_cancellable_is_cancelled (evaluator->cancellable))
    return kg_evaluator_fail (evaluator, need.node, NULL);
  if (need.slot >= 0 || is_alone (need.node) || depth > MOST_IN_A_ROW || kg_image_part_is_all (place))
    return cut_whole (work, need, place, false);
  task = begin (work, &need);
  if (task == NULL)
    return cut_whole (work, need, place, false);
  if (task->node->type->region == NULL) {
    const double reach = kg_task_get_reach (evaluator, task);

    if (reach >= 0)
      larger = grow (place, reach);
    if (!(reach >= 0) || kg_image_part_is_all (&larger)) {
      kg_task_free (evaluator, task);
      return cut_whole (work, need, place, false);
    }
  } else {
    task->parts = g_new0 (KgImagePart, task->node->n_slots + 1);
    task->parts[task->node->n_slots] = *place;
  }
  for (guint i = task->samples->len; i > 0 && result == NULL && !work->differs; i--)
    result = resolve (work, task, &g_array_index (task->samples, KgSample, i - 1), &larger, depth);
  if (work->differs) {
    /* Images of several sizes are laid together by rules that parts do not know. */
    work->differs = false;
    g_clear_pointer (&result, kg_result_unref);
    kg_task_free (evaluator, task);
    return cut_whole (work, need, place, false);
  }
  if (result == NULL) {
    result = kg_task_call (evaluator, task, KG_CALL_EVALUATE, need.time, 0, NULL);
    if (task->refused) {
      kg_result_unref (result);
      kg_task_free (evaluator, task);
      return cut_whole (work, need, place, false);
    }
    if (result->error == NULL && !kg_hash_is_zero (task->values))
      kg_cache_insert (evaluator->cache, task->values, result);
  }
  kg_record_set_result (task->record, result);
  kg_task_free (evaluator, task);
  if (result->error == NULL) {
    KgResult *uncut = result;
    const KgImage *image = get_image (&need, uncut);

    /* It is not as large as was thought. */
    if (image != NULL &&
        (kg_image_get_width (image) != larger.part_width || kg_image_get_height (image) != larger.part_height)) {
      kg_result_unref (uncut);
      return cut_whole (work, need, place, false);
    }
    result = cut (evaluator, need.node, uncut, &larger, place);
    kg_result_unref (uncut);
  }
  return result;
}

bool
kg_evaluator_evaluate_part (KgEvaluator *evaluator, KgNode *node, guint slot, double time, const KgImagePart *part,
                            GCancellable *cancellable, KgValue *value, bool *is_part, GError **error)
{
  Work work = { .evaluator = evaluator };
  KgNeed request = { node, -1, slot, time, NULL };
  g_autoptr (KgResult) result = NULL;

  *is_part = false;
  g_return_val_if_fail (part->x >= 0 && part->y >= 0 && part->part_width >= 1 && part->part_height >= 1 &&
                            part->part_width <= part->width - part->x && part->part_height <= part->height - part->y,
                        false);
  if (node->type == NULL || node->slots[slot].role != KG_SLOT_OUTPUT || kg_image_part_is_all (part))
    return kg_evaluator_evaluate (evaluator, node, slot, time, cancellable, value, error);
  evaluator->cancellable = cancellable;
  kg_evaluator_read_environment (evaluator);
  result = evaluate (&work, request, part, 0);
  kg_evaluator_release_held (evaluator);
  kg_need_forward (&request);
  evaluator->cancellable = NULL;
  if (result == NULL)
    return kg_evaluator_evaluate (evaluator, node, slot, time, cancellable, value, error);
  if (!kg_evaluator_take_value (&request, result, node, slot, cancellable, value, error))
    return false;
  *is_part = value->kind == KG_IMAGE;
  return true;
}
