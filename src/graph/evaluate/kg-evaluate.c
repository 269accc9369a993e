/* kg-evaluate: pull with an explicit stack.
 *
 * A frame of the stack works out one request: the outputs of a node at a time, or the value of one input.  It
 * lists what it needs (its wires, at the times its demand callback asks for), one frame above it works out one
 * need after the other, and then it computes.  Two fingerprints avoid work.  The first, known beforehand, is
 * that of the settings upstream and the time.  The second, known once the inputs are there, is that of the
 * values: a node whose inputs turn out the same does not run again, and nodes below it do not either.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-evaluate-private.h"

#include "config.h"
#include "kg-regular-file.h"

#include <glib/gi18n-lib.h>

/* In simulations, states that outlive others in the cache. */
#define CHECKPOINT_EVERY 16

/* Looking for an earlier state of a simulation: every frame so far back, every checkpoint so far, then only now and
 * then, so that a far jump does not look for as long as it will compute. */
#define LOOK_AT_ALL 64
#define LOOK_AT_CHECKPOINTS 4096

/* Most steps of a simulation. */
#define MOST_STEPS 1e9

/* What one evaluation may hold on to beyond the budget of the cache, in bytes: see hold. */
#define MOST_HELD ((guint64) 64 << 20)

/* Frames of the stack that are kept for the next evaluation. */
#define SPARE_FRAMES 256

/* A part of a frame shorter than this is none: times come from frame numbers by a division. */
#define SMALLEST_PART 1e-6

typedef struct {
  KgNode *node;
  int slot;     /* -1: the outputs */
  guint output; /* which one, where slot is -1 */
  double time;
  KgResult *result; /* once it is there */
} Need;

typedef enum { PHASE_BEGIN, PHASE_EARLY, PHASE_ALL, PHASE_SIMULATE } Phase;

typedef struct _Record Record;

typedef struct {
  KgNode *node;
  Record *record;
  int slot;
  double time;
  Phase phase;
  KgHash values; /* of what the node was called with; zero: its result is not found by that */
  GArray *needs; /* Need */
  guint next_need;
  GArray *samples; /* KgSample */
  /* Simulations */
  bool claimed;
  gint64 reached; /* frame of state, -1 before the first */
  gint64 wanted;
  double part; /* of a frame beyond wanted, seconds */
  bool part_done;
  KgHash file; /* of the states in the folder of the cache; zero: they are not kept there */
  KgResult *state;
} Frame;

/* The newest state of a simulation, kept by an evaluator that need not share it. */
typedef struct {
  KgHash key;
  gint64 reached;
  KgResult *state;
} Latest;

struct _Record {
  KgNodeStats stats;
  GError *error;
  GPtrArray *warnings;
  Latest latest;
};

struct _KgEvaluator {
  KgGraph *graph;
  KgCache *cache;
  GHashTable *records; /* KgNode (a reference) -> Record */
  GCancellable *cancellable;
  KgProgress progress;
  gpointer progress_data;
  bool lean;
  GPtrArray *stack; /* Frame */
  GPtrArray *spare; /* Frame: done with, to be used again with the arrays that they have grown */
  GHashTable *held; /* KgHash -> KgResult: see hold */
  guint64 held_bytes;
  void *job; /* the struct of the node that runs; one at a time does */
  size_t job_size;
  KgHash environment; /* frames and folder */
  KgFrames frames;
};

/* Records. */

static void
record_free (gpointer data)
{
  Record *record = (Record *) data;

  g_clear_error (&record->error);
  g_clear_pointer (&record->warnings, g_ptr_array_unref);
  g_clear_pointer (&record->latest.state, kg_result_unref);
  g_free (record);
}

static Record *
get_record (KgEvaluator *evaluator, KgNode *node)
{
  Record *record = (Record *) g_hash_table_lookup (evaluator->records, node);

  if (record == NULL) {
    record = g_new0 (Record, 1);
    g_hash_table_insert (evaluator->records, kg_node_ref (node), record);
  }
  return record;
}

static void
frame_destroy (gpointer data)
{
  Frame *frame = (Frame *) data;

  g_array_unref (frame->needs);
  g_array_unref (frame->samples);
  g_free (frame);
}

KgEvaluator *
kg_evaluator_new (KgGraph *graph, KgCache *cache)
{
  KgEvaluator *evaluator = g_new0 (KgEvaluator, 1);

  evaluator->graph = (KgGraph *) g_object_ref (graph);
  evaluator->cache = cache != NULL ? kg_cache_ref (cache) : kg_cache_new (KG_CACHE_DEFAULT_BUDGET);
  evaluator->records = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) kg_node_unref, record_free);
  evaluator->stack = g_ptr_array_new ();
  evaluator->held =
      g_hash_table_new_full (kg_hash_table_hash, kg_hash_table_equal, g_free, (GDestroyNotify) kg_result_unref);
  evaluator->spare = g_ptr_array_new_with_free_func (frame_destroy);
  return evaluator;
}

void
kg_evaluator_free (KgEvaluator *evaluator)
{
  g_ptr_array_unref (evaluator->stack);
  g_ptr_array_unref (evaluator->spare);
  g_hash_table_unref (evaluator->held);
  g_free (evaluator->job);
  g_hash_table_unref (evaluator->records);
  g_object_unref (evaluator->graph);
  kg_cache_unref (evaluator->cache);
  g_free (evaluator);
}

KgGraph *
kg_evaluator_get_graph (KgEvaluator *evaluator)
{
  return evaluator->graph;
}

KgCache *
kg_evaluator_get_cache (KgEvaluator *evaluator)
{
  return evaluator->cache;
}

void
kg_evaluator_set_progress (KgEvaluator *evaluator, KgProgress progress, gpointer data)
{
  evaluator->progress = progress;
  evaluator->progress_data = data;
}

void
kg_evaluator_set_lean (KgEvaluator *evaluator, bool lean)
{
  evaluator->lean = lean;
}

void
kg_evaluator_get_stats (KgEvaluator *evaluator, KgNode *node, KgNodeStats *stats)
{
  const Record *record = (const Record *) g_hash_table_lookup (evaluator->records, node);

  *stats = record != NULL ? record->stats : (KgNodeStats){ 0 };
}

void
kg_evaluator_reset_stats (KgEvaluator *evaluator)
{
  GHashTableIter iter;
  gpointer record;

  g_hash_table_iter_init (&iter, evaluator->records);
  while (g_hash_table_iter_next (&iter, NULL, &record))
    ((Record *) record)->stats = (KgNodeStats){ 0 };
}

guint64
kg_evaluator_get_n_evaluations (KgEvaluator *evaluator)
{
  GHashTableIter iter;
  gpointer record;
  guint64 n = 0;

  g_hash_table_iter_init (&iter, evaluator->records);
  while (g_hash_table_iter_next (&iter, NULL, &record))
    n += ((Record *) record)->stats.evaluations;
  return n;
}

GError *
kg_evaluator_dup_error (KgEvaluator *evaluator, KgNode *node)
{
  const Record *record = (const Record *) g_hash_table_lookup (evaluator->records, node);

  return record != NULL && record->error != NULL ? g_error_copy (record->error) : NULL;
}

char **
kg_evaluator_dup_warnings (KgEvaluator *evaluator, KgNode *node)
{
  const Record *record = (const Record *) g_hash_table_lookup (evaluator->records, node);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; record != NULL && record->warnings != NULL && i < record->warnings->len; i++)
    g_strv_builder_add (builder, (const char *) g_ptr_array_index (record->warnings, i));
  return g_strv_builder_end (builder);
}

/* Remembers what the node shows (badge, tooltip). */
static void
note_result (Record *record, const KgResult *result)
{
  g_clear_error (&record->error);
  g_clear_pointer (&record->warnings, g_ptr_array_unref);
  if (result->error != NULL)
    record->error = g_error_copy (result->error);
  if (result->warnings != NULL)
    record->warnings = g_ptr_array_ref (result->warnings);
}

/* Frames. */

static Frame *
frame_new (KgEvaluator *evaluator, KgNode *node, int slot, double time)
{
  Frame *frame;

  if (evaluator->spare->len > 0) {
    frame = (Frame *) g_ptr_array_steal_index (evaluator->spare, evaluator->spare->len - 1);
    *frame = (Frame){ .needs = frame->needs, .samples = frame->samples };
  } else {
    frame = g_new0 (Frame, 1);
    frame->needs = g_array_new (FALSE, FALSE, sizeof (Need));
    frame->samples = g_array_new (FALSE, FALSE, sizeof (KgSample));
  }
  frame->node = node;
  frame->record = get_record (evaluator, node);
  frame->slot = slot;
  frame->time = time;
  return frame;
}

/* Forgets needs and samples: a simulation reads its inputs anew for each step. */
static void
frame_reset (Frame *frame)
{
  for (guint i = 0; i < frame->needs->len; i++)
    g_clear_pointer (&g_array_index (frame->needs, Need, i).result, kg_result_unref);
  for (guint i = 0; i < frame->samples->len; i++) {
    KgSample *sample = &g_array_index (frame->samples, KgSample, i);

    if (!sample->ready)
      kg_value_clear (&sample->value);
    for (guint k = 0; k < sample->n_items; k++)
      kg_value_clear (&sample->items[k]);
    g_free (sample->items);
    g_clear_pointer (&sample->wanted, g_array_unref);
  }
  frame->needs->len = 0;
  frame->samples->len = 0;
  frame->next_need = 0;
}

static KgHash
simulation_key (KgEvaluator *evaluator, KgNode *node)
{
  KgHash key = kg_hash_begin (KG_HASH_SIMULATION, 0);

  key = kg_hash_join (key, evaluator->environment);
  return kg_hash_join (key, kg_node_get_mark (node, -1)->hash);
}

static void
frame_free (KgEvaluator *evaluator, Frame *frame)
{
  frame_reset (frame);
  if (frame->claimed)
    kg_cache_release (evaluator->cache, simulation_key (evaluator, frame->node));
  g_clear_pointer (&frame->state, kg_result_unref);
  if (evaluator->spare->len < SPARE_FRAMES)
    g_ptr_array_add (evaluator->spare, frame);
  else
    frame_destroy (frame);
}

/* Whether one wire reads the node, so that its result may be handed over instead of kept.  Behind a sub-graph, an
 * interface or a bypassed node there may be any number of readers: see forward. */
static bool
is_read_once (const KgNode *node)
{
  const KgNode *user;

  if (node->users.n > 1)
    return false;
  user = node->users.n > 0 ? node->users.items[0].node : NULL;
  return user == NULL || (user->inside == NULL && !user->bypass && kg_node_get_role (user) != KG_ROLE_INTERFACE_OUTPUT);
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

/* The value of an input that is linked to an output of its own kind is that output. */
static bool
follow_link (Need *need)
{
  const KgInput *input = &need->node->inputs[need->slot];
  const KgSlot *slot = &need->node->slots[need->slot];
  KgNode *from;
  guint output;

  if (input->source.kind != KG_SOURCE_LINK || slot->list || input->n_wires != 1 || input->wires[0].node == NULL ||
      !input->wires[0].reads_output)
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

/* Where an output really comes from: through sub-graphs, their interface nodes and bypassed nodes, without
 * running anything.  Nothing of it is evaluated as a node, so a sub-graph costs no more than what is inside. */
static void
forward (Need *need)
{
  while (need->node->type != NULL && (need->slot >= 0 || need->output < need->node->n_slots)) {
    KgNode *inner, *owner;
    guint slot;
    int input;

    if (need->slot >= 0) {
      if (!follow_link (need))
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
add_need (Frame *frame, KgNode *node, guint slot, double time)
{
  Need need = { node, -1, slot, time, NULL };

  if (node != NULL && slot != KG_SLOT_UNKNOWN && node->slots[slot].role == KG_SLOT_INPUT)
    need.slot = (int) slot;
  if (node != NULL)
    forward (&need);
  g_array_append_val (frame->needs, need);
}

static void
add_sample_needs (Frame *frame, KgSample *sample)
{
  const KgInput *input = &frame->node->inputs[sample->slot];

  sample->first_need = frame->needs->len;
  if (sample->wanted != NULL) {
    for (guint i = 0; i < sample->wanted->len; i++) {
      const guint item = g_array_index (sample->wanted, guint, i);

      if (item < input->n_wires)
        add_need (frame, input->wires[item].node, input->wires[item].slot, sample->time);
    }
  } else
    for (guint i = 0; i < input->n_wires; i++)
      add_need (frame, input->wires[i].node, input->wires[i].slot, sample->time);
  sample->n_needs = frame->needs->len - sample->first_need;
}

static void
init_sample (Frame *frame, KgSample *sample, guint slot, double time)
{
  KgInput *input = &frame->node->inputs[slot];

  *sample = (KgSample){ .slot = slot, .time = time };
  /* The outputs of a node are asked for after its marks; an input alone is not. */
  if (frame->slot < 0 && (kg_job_is_ready (frame->node, slot) || kg_job_prepare (frame->node, slot))) {
    sample->done = sample->present = sample->ready = true;
    sample->plain = input->plain;
    sample->value = input->ready;
    sample->fingerprint = input->ready_fingerprint;
  } else
    add_sample_needs (frame, sample);
}

static void
add_sample (Frame *frame, guint slot, double time)
{
  g_array_set_size (frame->samples, frame->samples->len + 1);
  init_sample (frame, &g_array_index (frame->samples, KgSample, frame->samples->len - 1), slot, time);
}

static void
add_input_samples (Frame *frame, double time, bool early_only)
{
  const bool asks = frame->node->type->demand != NULL;

  for (guint i = 0; i < frame->node->n_slots; i++)
    if (frame->node->slots[i].role == KG_SLOT_INPUT && (!early_only || frame->node->slots[i].early) &&
        (asks || !kg_job_starts_with (frame->node, i)))
      add_sample (frame, i, time);
}

/* Values of inputs. */

static double
snap (double frame)
{
  /* (end - start) / rate * rate may miss a whole frame by a rounding; keys sit on whole frames. */
  const double whole = nearbyint (frame);

  return fabs (frame - whole) < 1e-9 * fmax (1.0, fabs (frame)) ? whole : frame;
}

static double
to_frame (const KgEvaluator *evaluator, double time)
{
  return snap (evaluator->frames.start + time * evaluator->frames.rate);
}

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
  kg_channel_evaluate (keys, to_frame (evaluator, time), x);
  return set_doubles (slot->kind, kg_channel_get_width (keys), x, value, error);
}

/* Where the value that was asked for is in a result. */
static guint
get_index (const Need *need, const KgResult *result)
{
  return need->slot < 0 ? need->output - result->first : 0;
}

static const KgValue *
get_need_value (const Need *need)
{
  const guint index = need->result != NULL ? get_index (need, need->result) : 0;

  return need->result != NULL && index < need->result->n && need->result->present[index] ? &need->result->values[index]
                                                                                         : NULL;
}

static bool
evaluate_expression (const KgEvaluator *evaluator, const Frame *frame, const KgSample *sample, KgValue *value,
                     GError **error)
{
  KgExpression *expression = frame->node->inputs[sample->slot].expression;
  const KgFrames *frames = &evaluator->frames;
  const KgMoment moment = { sample->time, to_frame (evaluator, sample->time), frames->rate, frames->start,
                            frames->end };
  g_autofree double *references = g_new (double, MAX (sample->n_needs, 1));
  double results[KG_CHANNEL_MAX_WIDTH];

  for (guint i = 0; i < sample->n_needs; i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);
    const Need *need = &g_array_index (frame->needs, Need, sample->first_need + i);
    const KgValue *read = get_need_value (need);

    if (need->node == NULL) {
      kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "column %u: there is no %s.%s", reference->column, reference->node,
                    reference->slot);
      return false;
    }
    if (read == NULL || !kg_value_get_component (read, reference->component, &references[i])) {
      kg_set_error (error, KG_ERROR_TYPE_MISMATCH,
                    "column %u: %s.%s%s%s is not a number (components: x y z w, r g b a)", reference->column,
                    reference->node, reference->slot, reference->component != NULL ? "." : "",
                    reference->component != NULL ? reference->component : "");
      return false;
    }
  }
  if (!kg_expression_evaluate (expression, &moment, references, results, error))
    return false;
  return set_doubles (frame->node->slots[sample->slot].kind, kg_expression_get_n_results (expression), results, value,
                      error);
}

static bool
evaluate_default (const KgEvaluator *evaluator, const KgSlot *slot, KgSample *sample)
{
  const KgFrames *frames = &evaluator->frames;
  const double frame = to_frame (evaluator, sample->time);

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

/* Takes the value of a wire: a copy of the reference, or the reference itself when nobody else has it. */
static KgValue
take_need_value (Need *need)
{
  const guint index = get_index (need, need->result);
  KgValue value;

  if (!g_atomic_ref_count_compare (&need->result->refs, 1))
    return kg_value_copy (&need->result->values[index]);
  value = need->result->values[index];
  need->result->values[index] = (KgValue) KG_VALUE_INIT;
  need->result->present[index] = false;
  return value;
}

static bool
check_need (const Need *need, const char *text, GError **error)
{
  if (need->node == NULL) {
    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "the link to %s leads nowhere: link it again", text);
    return false;
  }
  return true;
}

static void
take_list (Frame *frame, KgSample *sample)
{
  const KgSource *source = &frame->node->inputs[sample->slot].source;
  const guint n = sample->wanted != NULL ? sample->wanted->len : source->list.n;

  sample->items = g_new0 (KgValue, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    const guint item = sample->wanted != NULL ? g_array_index (sample->wanted, guint, i) : i;
    Need *need;

    if (item >= source->list.n)
      continue;
    if (source->list.items[item].kind == KG_SOURCE_CONSTANT) {
      sample->items[sample->n_items++] = kg_value_copy (&source->list.items[item].constant);
      continue;
    }
    need = &g_array_index (frame->needs, Need, sample->first_need + i);
    if (get_need_value (need) != NULL)
      sample->items[sample->n_items++] = take_need_value (need);
  }
}

/* Works out the value of a sample whose needs are all there. */
static bool
evaluate_sample (const KgEvaluator *evaluator, Frame *frame, KgSample *sample, GError **error)
{
  const KgSlot *slot = &frame->node->slots[sample->slot];
  const KgInput *input = &frame->node->inputs[sample->slot];
  Need *need = sample->n_needs > 0 ? &g_array_index (frame->needs, Need, sample->first_need) : NULL;

  sample->done = true;
  sample->present = true;
  switch (input->source.kind) {
  case KG_SOURCE_CONSTANT:
    sample->value = kg_value_copy (&input->source.constant);
    return true;
  case KG_SOURCE_KEYS:
    return evaluate_keys (evaluator, slot, input->source.keys, sample->time, &sample->value, error);
  case KG_SOURCE_EXPRESSION:
    return evaluate_expression (evaluator, frame, sample, &sample->value, error);
  case KG_SOURCE_LIST:
    for (guint i = 0; sample->wanted == NULL && i < sample->n_needs; i++)
      if (input->source.list.items[i].kind == KG_SOURCE_LINK &&
          !check_need (&need[i], input->source.list.items[i].text, error))
        return false;
    take_list (frame, sample);
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

static bool
evaluate_samples (const KgEvaluator *evaluator, Frame *frame, GError **error)
{
  for (guint i = 0; i < frame->samples->len; i++) {
    KgSample *sample = &g_array_index (frame->samples, KgSample, i);

    if (!sample->done && !evaluate_sample (evaluator, frame, sample, error)) {
      g_prefix_error (error, "%s: ", frame->node->slots[sample->slot].name);
      return false;
    }
  }
  return true;
}

/* Calling nodes. */

static KgResult *
lookup_memo (gpointer cache, KgHash key)
{
  return kg_cache_lookup ((KgCache *) cache, key);
}

static void
insert_memo (gpointer cache, KgHash key, KgResult *result)
{
  kg_cache_insert ((KgCache *) cache, key, result);
}

static KgHash
get_constant (gpointer data, guint slot)
{
  KgNode *node = (KgNode *) data;

  return kg_job_starts_with (node, slot) ? node->inputs[slot].ready_fingerprint : (KgHash){ 0, 0 };
}

static guint
get_n_items (gpointer data, guint slot)
{
  const KgSource *source = &((const KgNode *) data)->inputs[slot].source;

  return source->kind == KG_SOURCE_LIST ? source->list.n : 0;
}

static const KgJobHost host = { lookup_memo, insert_memo, get_constant, get_n_items };

static void
make_context (KgEvaluator *evaluator, Frame *frame, double time, KgContext *ctx, KgContextPrivate *private_data)
{
  kg_context_private_init (private_data);
  private_data->host = &host;
  private_data->node = frame->node;
  private_data->name = frame->node->name;
  private_data->slots = frame->node->slots;
  private_data->n_slots = frame->node->n_slots;
  private_data->type_hash = frame->node->type_hash;
  private_data->cache = evaluator->cache;
  private_data->cancellable = evaluator->cancellable;
  private_data->progress = evaluator->progress;
  private_data->progress_data = evaluator->progress_data;
  private_data->samples = frame->samples;
  *ctx = (KgContext){ .time = time,
                      .frame = to_frame (evaluator, time),
                      .rate = evaluator->frames.rate,
                      .start = evaluator->frames.start,
                      .end = evaluator->frames.end,
                      .folder = kg_graph_get_folder (evaluator->graph),
                      .private_data = private_data };
}

/* Fills the inputs of the job from the samples (only the first of an input goes into the field) and adds up
 * what they are in sum. */
static bool
fill_job (Frame *frame, void *job, const KgContext *ctx, KgHash *sum, bool early_only, GError **error)
{
  KgHash hash = { 0, 0 };
  int last = -1;

  for (guint i = 0; i < frame->samples->len; i++) {
    KgSample *sample = &g_array_index (frame->samples, KgSample, i);
    const KgSlot *slot = &frame->node->slots[sample->slot];

    if (early_only && !slot->early)
      continue;
    if ((int) sample->slot == last) {
      if (!kg_job_convert (slot, sample, &hash, error))
        return false;
      continue;
    }
    if (last >= 0)
      *sum = kg_hash_add (*sum, hash);
    last = (int) sample->slot;
    hash = kg_job_hash_slot (sample->slot);
    if (!kg_job_fill (job, slot, sample, ctx, &hash, error))
      return false;
    /* The same name is another input when the file is. */
    if (slot->path && slot->kind == KG_TEXT && sample->present)
      hash = kg_node_hash_file (frame->node, G_STRUCT_MEMBER (const char *, job, slot->offset), hash);
  }
  if (last >= 0)
    *sum = kg_hash_add (*sum, hash);
  return true;
}

static KgResult *
fail (KgEvaluator *evaluator, KgNode *node, GError *error)
{
  g_autofree char *path = kg_node_dup_path (node);
  KgResult *result;

  if (error == NULL || g_cancellable_is_cancelled (evaluator->cancellable)) {
    g_clear_error (&error);
    error = g_cancellable_is_cancelled (evaluator->cancellable)
                ? kg_error_new (KG_ERROR_CANCELLED, "cancelled")
                : kg_error_new (KG_ERROR_INVALID_VALUE, "it failed without saying why");
  }
  g_prefix_error (&error, "%s: ", path);
  result = kg_result_new_error (error);
  g_error_free (error);
  return result;
}

/* Memory for the struct of a node of this type. */
static void *
get_job (KgEvaluator *evaluator, const KgNodeType *type)
{
  if (evaluator->job_size < type->size) {
    g_free (evaluator->job);
    evaluator->job = g_malloc (type->size);
    evaluator->job_size = type->size;
  }
  return evaluator->job;
}

/* For outputs or for states.  States have a place for each slot, as their files do; outputs are few and come last, so
 * that the inputs before them need no place. */
static KgResult *
new_result (const KgNodeType *type, KgSlotRole role)
{
  guint first = 0;
  KgResult *result;

  while (role == KG_SLOT_OUTPUT && first < type->n_slots && type->slots[first].role == KG_SLOT_INPUT)
    first++;
  result = kg_result_new (type->n_slots - first);
  result->first = first;
  return result;
}

typedef enum { CALL_EVALUATE, CALL_START, CALL_ADVANCE } Call;

/* Runs one callback of the node on the samples gathered for time.  state (or NULL) is what a simulation goes
 * on from; it is given up, so that the node may write in place when nobody else holds it. */
static KgResult *
call_node (KgEvaluator *evaluator, Frame *frame, Call call, double time, double dt, KgResult *state)
{
  const KgNodeType *type = frame->node->type;
  Record *record = frame->record;
  void *job = get_job (evaluator, type);
  g_autoptr (KgResult) result = NULL;
  KgHash hash = kg_hash_uint (kg_hash_join (frame->node->type_hash, evaluator->environment), call), inputs;
  KgContextPrivate private_data;
  GError *error = NULL;
  KgContext ctx;
  gint64 start_time;
  bool good;

  make_context (evaluator, frame, time, &ctx, &private_data);
  inputs = kg_job_begin (job, frame->node, &ctx);
  /* Nodes that ask have samples of all their inputs. */
  if (type->demand != NULL)
    inputs = (KgHash){ 0, 0 };
  if (type->time == KG_TIME_READS || type->advance != NULL)
    hash = kg_hash_double (hash, time);
  if (type->advance != NULL)
    hash = kg_hash_join (hash, kg_node_get_mark (frame->node, -1)->hash);
  good = evaluate_samples (evaluator, frame, &error) && fill_job (frame, job, &ctx, &inputs, false, &error);
  hash = kg_hash_join (hash, inputs);
  if (good && call == CALL_EVALUATE && type->advance == NULL) {
    KgResult *known = kg_cache_lookup (evaluator->cache, hash);

    if (known != NULL) {
      record->stats.hits++;
      kg_job_clear_inputs (job, type);
      kg_context_private_clear (&private_data);
      return known;
    }
  }
  if (good && state != NULL) {
    kg_job_set_state (job, type, state);
    if (call == CALL_ADVANCE)
      kg_result_unref (state);
  }
  if (good) {
    start_time = g_get_monotonic_time ();
    good = call == CALL_START     ? type->start (job, &ctx, &error)
           : call == CALL_ADVANCE ? type->advance (job, &ctx, dt, &error)
                                  : type->evaluate (job, &ctx, &error);
    record->stats.evaluations++;
    record->stats.seconds += (double) (g_get_monotonic_time () - start_time) * 1e-6;
  } else if (call == CALL_ADVANCE)
    kg_result_unref (state);
  result = new_result (type, call == CALL_EVALUATE ? KG_SLOT_OUTPUT : KG_SLOT_STATE);
  good = kg_job_take (job, type, call == CALL_EVALUATE ? KG_SLOT_OUTPUT : KG_SLOT_STATE, result, hash,
                      good ? &error : NULL) &&
         good;
  if (good && g_cancellable_is_cancelled (evaluator->cancellable))
    good = false;
  kg_job_clear_inputs (job, type);
  if (!good) {
    kg_result_unref (g_steal_pointer (&result));
    result = fail (evaluator, frame->node, error);
  }
  kg_result_measure (result);
  record->stats.bytes = 0;
  for (guint i = 0; i < result->n; i++)
    record->stats.bytes += result->present[i] ? kg_value_get_bytes (&result->values[i]) : 0;
  result->warnings = g_steal_pointer (&private_data.warnings);
  kg_context_private_clear (&private_data);
  if (call == CALL_EVALUATE && result->error == NULL && type->advance == NULL &&
      !(evaluator->lean && is_read_once (frame->node)))
    frame->values = hash;
  return g_steal_pointer (&result);
}

/* Asks the node what it wants beyond its early inputs, and adds the samples. */
static bool
ask_demand (KgEvaluator *evaluator, Frame *frame, KgResult **failed)
{
  const KgNodeType *type = frame->node->type;
  void *job = get_job (evaluator, type);
  g_autofree guint8 *asked = g_new0 (guint8, MAX (frame->node->n_slots, 1));
  g_autoptr (GArray) wishes = g_array_new (FALSE, FALSE, sizeof (KgSample));
  KgDemand demand = { .host = &host,
                      .node = frame->node,
                      .slots = frame->node->slots,
                      .n_slots = frame->node->n_slots,
                      .time = frame->time,
                      .samples = wishes,
                      .asked = asked };
  KgContextPrivate private_data;
  KgHash hash = { 0, 0 };
  GError *error = NULL;
  KgContext ctx;
  bool good;

  make_context (evaluator, frame, frame->time, &ctx, &private_data);
  kg_job_begin (job, frame->node, &ctx);
  good = evaluate_samples (evaluator, frame, &error) && fill_job (frame, job, &ctx, &hash, true, &error) &&
         type->demand (job, &ctx, &demand, &error);
  kg_context_private_clear (&private_data);
  if (!good) {
    for (guint i = 0; i < wishes->len; i++)
      g_clear_pointer (&g_array_index (wishes, KgSample, i).wanted, g_array_unref);
    *failed = fail (evaluator, frame->node, error);
    return false;
  }
  /* In the order of the slots, so that equal graphs have equal fingerprints. */
  for (guint s = 0; s < frame->node->n_slots; s++) {
    const KgSlot *slot = &frame->node->slots[s];

    if (slot->role != KG_SLOT_INPUT || slot->early || asked[s] == 2)
      continue;
    if (asked[s] == 0)
      add_sample (frame, s, frame->time);
    for (guint i = 0; i < wishes->len; i++) {
      KgSample sample = g_array_index (wishes, KgSample, i);

      if (sample.slot == s) {
        add_sample_needs (frame, &sample);
        g_array_append_val (frame->samples, sample);
      }
    }
  }
  return true;
}

/* Simulations. */

static KgHash
state_key (KgEvaluator *evaluator, KgNode *node, gint64 reached)
{
  return kg_hash_uint (simulation_key (evaluator, node), (uint64_t) reached);
}

/* Sums up which files are read by what feeds a simulation, since its states may be found again long after.  False when
 * that cannot be said beforehand. */
static bool
add_path (const KgEvaluator *evaluator, const KgNode *node, guint slot, KgHash *hash)
{
  const KgSource *source = &node->inputs[slot].source;
  const char *folder = kg_graph_get_folder (evaluator->graph), *text = node->slots[slot].def_text;
  g_autofree char *path = NULL;

  if (source->kind == KG_SOURCE_CONSTANT && source->constant.kind == KG_TEXT)
    text = source->constant.text;
  else if (source->kind != KG_SOURCE_DEFAULT)
    return false;
  if (text == NULL || text[0] == '\0')
    return true;
  /* It may stand for any number of files. */
  if (strchr (text, '%') != NULL)
    return false;
  path = kg_regular_file_dup_path (folder, text);
  *hash = kg_regular_file_hash (path, kg_hash_text (*hash, path));
  return true;
}

static void
visit (GHashTable *seen, GPtrArray *stack, KgNode *node)
{
  if (node != NULL && g_hash_table_add (seen, node))
    g_ptr_array_add (stack, node);
}

/* The next node of a walk over everything that the first one depends on; NULL at the end. */
static KgNode *
walk (GHashTable *seen, GPtrArray *stack)
{
  KgNode *node;

  if (stack->len == 0)
    return NULL;
  node = (KgNode *) g_ptr_array_steal_index (stack, stack->len - 1);
  for (guint i = 0; i < node->n_slots; i++)
    for (guint k = 0; node->slots[i].role == KG_SLOT_INPUT && k < node->inputs[i].n_wires; k++)
      visit (seen, stack, node->inputs[i].wires[k].node);
  for (guint i = 0; node->inside != NULL && i < node->inside->nodes->len; i++)
    visit (seen, stack, (KgNode *) g_ptr_array_index (node->inside->nodes, i));
  if (node->parent != NULL)
    visit (seen, stack, node->parent->owner);
  return node;
}

static bool
add_paths (const KgEvaluator *evaluator, KgNode *target, KgHash *hash)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  KgNode *node;

  visit (seen, stack, target);
  while ((node = walk (seen, stack)) != NULL)
    for (guint i = 0; i < node->n_slots; i++)
      if (node->slots[i].role == KG_SLOT_INPUT && node->slots[i].path && !add_path (evaluator, node, i, hash))
        return false;
  return true;
}

/* What the states of a simulation are called in the folder of the cache. */
static KgHash
find_file_key (KgEvaluator *evaluator, KgNode *node)
{
  KgHash key =
      kg_hash_text (kg_hash_join (kg_hash_begin (KG_HASH_STATE_FILE, 0), simulation_key (evaluator, node)), KG_VERSION);

  return kg_cache_has_folder (evaluator->cache) && add_paths (evaluator, node, &key) ? key : (KgHash){ 0, 0 };
}

static KgHash
file_key (const Frame *frame, gint64 reached)
{
  return kg_hash_is_zero (frame->file) ? frame->file : kg_hash_uint (frame->file, (uint64_t) reached);
}

/* Finds the newest state not after the wanted frame. */
static void
find_state (KgEvaluator *evaluator, Frame *frame)
{
  Latest *latest = &frame->record->latest;
  const KgHash key = simulation_key (evaluator, frame->node);

  frame->reached = -1;
  if (latest->state != NULL && kg_hash_equal (latest->key, key) && latest->reached <= frame->wanted) {
    frame->state = g_steal_pointer (&latest->state);
    frame->reached = latest->reached;
  }
  for (gint64 at = frame->wanted; at > frame->reached; at--) {
    const gint64 back = frame->wanted - at;
    KgResult *state;

    if (back > LOOK_AT_ALL)
      at -= at % (back > LOOK_AT_CHECKPOINTS ? LOOK_AT_CHECKPOINTS : CHECKPOINT_EVERY);
    if (at <= frame->reached)
      break;
    state = kg_cache_lookup (evaluator->cache, state_key (evaluator, frame->node, at));
    if (state == NULL && at % CHECKPOINT_EVERY == 0) {
      state = kg_cache_load_checkpoint (evaluator->cache, file_key (frame, at));
      if (state != NULL)
        kg_cache_insert_checkpoint (evaluator->cache, state_key (evaluator, frame->node, at), state,
                                    file_key (frame, at));
    }
    if (state != NULL) {
      g_clear_pointer (&frame->state, kg_result_unref);
      frame->state = state;
      frame->reached = at;
      return;
    }
  }
}

static void
keep_state (KgEvaluator *evaluator, Frame *frame)
{
  const KgHash key = state_key (evaluator, frame->node, frame->reached);

  if (frame->reached % CHECKPOINT_EVERY == 0)
    kg_cache_insert_checkpoint (evaluator->cache, key, frame->state, file_key (frame, frame->reached));
  else if (!evaluator->lean || kg_cache_is_shared (evaluator->cache))
    kg_cache_insert (evaluator->cache, key, frame->state);
}

static double
step_time (const KgEvaluator *evaluator, gint64 step)
{
  return (double) step / evaluator->frames.rate;
}

/* The time for which a simulation wants its inputs next. */
static double
next_time (const KgEvaluator *evaluator, const Frame *frame)
{
  if (frame->reached < frame->wanted)
    return step_time (evaluator, frame->reached + 1);
  return frame->part > 0 ? frame->time : step_time (evaluator, frame->wanted);
}

static bool
begin_simulation (KgEvaluator *evaluator, Frame *frame, KgResult **failed)
{
  const double steps = fmax (0.0, snap (frame->time * evaluator->frames.rate));

  if (!(steps <= MOST_STEPS)) {
    *failed = fail (evaluator, frame->node,
                    kg_error_new (KG_ERROR_LIMIT,
                                  "the time %g s is %g frames after the first: a simulation takes at most %g steps",
                                  frame->time, steps, MOST_STEPS));
    return false;
  }
  frame->claimed = kg_cache_claim (evaluator->cache, simulation_key (evaluator, frame->node), evaluator->cancellable);
  if (!frame->claimed) {
    *failed = fail (evaluator, frame->node, NULL);
    return false;
  }
  frame->file = find_file_key (evaluator, frame->node);
  frame->wanted = (gint64) floor (steps);
  frame->part = (steps - (double) frame->wanted) / evaluator->frames.rate;
  if (steps - (double) frame->wanted < SMALLEST_PART)
    frame->part = 0;
  find_state (evaluator, frame);
  frame->phase = PHASE_SIMULATE;
  add_input_samples (frame, next_time (evaluator, frame), false);
  return true;
}

/* What was warned of in the step that made the state is true of the frame, too. */
static void
inherit_warnings (KgResult *result, const KgResult *state)
{
  if (state->warnings == NULL)
    return;
  if (result->warnings == NULL)
    result->warnings = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < state->warnings->len; i++) {
    const char *warning = (const char *) g_ptr_array_index (state->warnings, i);

    if (!g_ptr_array_find_with_equal_func (result->warnings, warning, g_str_equal, NULL))
      g_ptr_array_add (result->warnings, g_strdup (warning));
  }
}

/* One step; NULL when there are more to come. */
static KgResult *
simulate (KgEvaluator *evaluator, Frame *frame)
{
  const double time = next_time (evaluator, frame);
  KgResult *result;

  if (frame->reached < frame->wanted) {
    const bool first = frame->reached < 0;

    result = call_node (evaluator, frame, first ? CALL_START : CALL_ADVANCE, time, 1.0 / evaluator->frames.rate,
                        g_steal_pointer (&frame->state));
    if (result->error != NULL)
      return result;
    frame->state = result;
    frame->reached++;
    keep_state (evaluator, frame);
  } else if (frame->part > 0 && !frame->part_done) {
    /* The state at the whole frame stays what it is: the part is a side branch. */
    Latest *latest = &frame->record->latest;

    g_clear_pointer (&latest->state, kg_result_unref);
    *latest = (Latest){ simulation_key (evaluator, frame->node), frame->reached, kg_result_ref (frame->state) };
    result = call_node (evaluator, frame, CALL_ADVANCE, time, frame->part, g_steal_pointer (&frame->state));
    if (result->error != NULL)
      return result;
    frame->state = result;
    frame->part_done = true;
  } else {
    Latest *latest = &frame->record->latest;

    result = call_node (evaluator, frame, CALL_EVALUATE, time, 0, frame->state);
    inherit_warnings (result, frame->state);
    if (!frame->part_done) {
      g_clear_pointer (&latest->state, kg_result_unref);
      *latest = (Latest){ simulation_key (evaluator, frame->node), frame->reached, g_steal_pointer (&frame->state) };
    }
    return result;
  }
  frame_reset (frame);
  add_input_samples (frame, next_time (evaluator, frame), false);
  return NULL;
}

/* The stack. */

/* slot -1: the outputs. */
static KgHash
result_key (KgEvaluator *evaluator, KgNode *node, int slot, double time)
{
  const KgMark *mark = kg_node_get_mark (node, slot);
  KgHash key = kg_hash_join (kg_hash_join (kg_hash_begin (KG_HASH_RESULT, 0), evaluator->environment), mark->hash);

  /* What an input takes depends on its declaration too. */
  if (slot >= 0)
    key = kg_hash_uint (kg_hash_uint (kg_hash_join (key, node->type_hash), node->slots[slot].kind), (uint64_t) slot);
  return mark->timed ? kg_hash_double (key, time) : key;
}

/* Results that are read again within one evaluation stay for its length, however small the budget of the cache: with
 * none, a ladder of nodes that each read two others would be worked out anew on every way through it. */
static void
hold (KgEvaluator *evaluator, KgHash key, KgResult *result, guint64 bytes)
{
  if (evaluator->held_bytes + bytes > MOST_HELD)
    return;
  evaluator->held_bytes += bytes + sizeof *result;
  g_hash_table_insert (evaluator->held, g_memdup2 (&key, sizeof key), kg_result_ref (result));
}

static void
let_go (KgEvaluator *evaluator)
{
  g_hash_table_remove_all (evaluator->held);
  evaluator->held_bytes = 0;
}

/* Nodes with the same settings have one result, but an error begins with the name of its node: see fail(). */
static bool
is_error_of (const KgResult *result, KgNode *node)
{
  g_autofree char *path = kg_node_dup_path (node);
  const gsize length = strlen (path);

  return strncmp (result->error->message, path, length) == 0 &&
         g_str_has_prefix (result->error->message + length, ": ");
}

static KgResult *
look_up (KgEvaluator *evaluator, KgNode *node, KgHash key)
{
  KgResult *result = kg_cache_lookup (evaluator->cache, key);

  if (result == NULL && g_hash_table_size (evaluator->held) > 0) {
    result = (KgResult *) g_hash_table_lookup (evaluator->held, &key);
    if (result != NULL)
      kg_result_ref (result);
  }
  if (result != NULL && result->error != NULL && !is_error_of (result, node))
    g_clear_pointer (&result, kg_result_unref);
  return result;
}

/* True (and the result) when a request can be answered at once. */
static bool
answer (KgEvaluator *evaluator, const Need *need, KgResult **result)
{
  if (need->node->type == NULL) {
    *result = fail (evaluator, need->node, kg_node_new_unknown_error (need->node));
    return true;
  }
  if (need->slot >= 0) {
    *result = look_up (evaluator, need->node, result_key (evaluator, need->node, need->slot, need->time));
    return *result != NULL;
  }
  if (need->node->inside != NULL || need->node->type->role == KG_ROLE_ANNOTATION || need->node->bypass) {
    *result =
        fail (evaluator, need->node,
              kg_error_new (KG_ERROR_NOT_CONNECTED,
                            need->node->bypass ? N_ ("it is bypassed, and no input can stand in for the output %s")
                                               : N_ ("nothing inside makes the output %s"),
                            need->node->slots[need->output].name));
    return true;
  }
  *result = look_up (evaluator, need->node, result_key (evaluator, need->node, -1, need->time));
  if (*result != NULL) {
    Record *record = get_record (evaluator, need->node);

    record->stats.hits++;
    /* Another evaluator may have put it there, or what the node shows be that of an edit taken back since. */
    note_result (record, *result);
  }
  return *result != NULL;
}

/* Errors are kept like results, but not those that another try may mend. */
static bool
may_keep (const KgEvaluator *evaluator, const Frame *frame, const KgResult *result)
{
  if (result->error != NULL)
    return !g_error_matches (result->error, KG_ERROR, KG_ERROR_CANCELLED) &&
           !g_error_matches (result->error, KG_ERROR, KG_ERROR_IO);
  /* Of inputs only small values: large ones are kept where they were made. */
  if (frame->slot >= 0)
    return result->present[0] && result->values[0].kind < KG_MOTION;
  return !(evaluator->lean && is_read_once (frame->node) && kg_node_get_mark (frame->node, -1)->timed);
}

static KgResult *
finish_input (KgEvaluator *evaluator, Frame *frame)
{
  KgSample *sample = &g_array_index (frame->samples, KgSample, 0);
  const KgSlot *slot = &frame->node->slots[frame->slot];
  GError *error = NULL;
  KgResult *result;

  if (!evaluate_samples (evaluator, frame, &error))
    return fail (evaluator, frame->node, error);
  if (slot->list) {
    result = kg_result_new (1);
    if (sample->n_items > 0) {
      result->values[0] = kg_value_copy (&sample->items[0]);
      result->present[0] = true;
    }
    return result;
  }
  result = kg_result_new (1);
  result->present[0] = sample->present;
  if (sample->present) {
    const KgHash hash = kg_hash_uint (kg_value_get_fingerprint (&sample->value), slot->kind);

    if (!kg_value_convert (&sample->value, slot->kind, &result->values[0], &error)) {
      kg_result_unref (result);
      g_prefix_error (&error, "%s: ", slot->name);
      return fail (evaluator, frame->node, error);
    }
    kg_value_publish (&result->values[0], hash);
  }
  return result;
}

/* Goes on with the frame as far as it can.  Returns its result, or NULL when it has (more) needs. */
static KgResult *
advance_frame (KgEvaluator *evaluator, Frame *frame)
{
  KgResult *result = NULL;

  switch (frame->phase) {
  case PHASE_BEGIN:
    if (frame->slot >= 0) {
      add_sample (frame, (guint) frame->slot, frame->time);
      frame->phase = PHASE_ALL;
    } else if (frame->node->type->advance != NULL) {
      if (!begin_simulation (evaluator, frame, &result))
        return result;
    } else {
      const bool asks = frame->node->type->demand != NULL;

      add_input_samples (frame, frame->time, asks);
      frame->phase = asks ? PHASE_EARLY : PHASE_ALL;
    }
    return NULL;
  case PHASE_EARLY:
    if (!ask_demand (evaluator, frame, &result))
      return result;
    frame->phase = PHASE_ALL;
    return NULL;
  case PHASE_SIMULATE:
    result = simulate (evaluator, frame);
    break;
  case PHASE_ALL:
  default:
    result = frame->slot >= 0 ? finish_input (evaluator, frame)
                              : call_node (evaluator, frame, CALL_EVALUATE, frame->time, 0, NULL);
    break;
  }
  if (result != NULL && frame->slot < 0)
    note_result (frame->record, result);
  if (result != NULL && may_keep (evaluator, frame, result)) {
    const KgHash key = result_key (evaluator, frame->node, frame->slot, frame->time);

    if (kg_hash_is_zero (frame->values))
      kg_cache_insert (evaluator->cache, key, result);
    else
      kg_cache_insert_twice (evaluator->cache, key, frame->values, result);
    if (frame->slot >= 0 || !is_read_once (frame->node))
      hold (evaluator, key, result, frame->slot < 0 ? frame->record->stats.bytes : 0);
  }
  return result;
}

/* The next need of the frame without a result: pushes a frame for it, or answers it at once.  A need that
 * failed makes the frame fail with the same error.  True when all are there. */
static bool
work_on_needs (KgEvaluator *evaluator, Frame *frame, KgResult **failed)
{
  while (frame->next_need < frame->needs->len) {
    Need *need = &g_array_index (frame->needs, Need, frame->next_need);

    if (need->node != NULL && need->result == NULL && !answer (evaluator, need, &need->result)) {
      g_ptr_array_add (evaluator->stack, frame_new (evaluator, need->node, need->slot, need->time));
      return false;
    }
    if (need->result != NULL && need->result->error != NULL) {
      *failed = kg_result_new_error (need->result->error);
      return false;
    }
    frame->next_need++;
  }
  return true;
}

static KgResult *
run (KgEvaluator *evaluator, Need *request)
{
  KgResult *answered = NULL;

  forward (request);
  if (answer (evaluator, request, &answered))
    return answered;
  g_ptr_array_add (evaluator->stack, frame_new (evaluator, request->node, request->slot, request->time));
  for (;;) {
    Frame *frame = (Frame *) g_ptr_array_index (evaluator->stack, evaluator->stack->len - 1);
    const guint depth = evaluator->stack->len;
    KgResult *result = NULL;

    if (g_cancellable_is_cancelled (evaluator->cancellable))
      result = fail (evaluator, frame->node, NULL);
    else if (work_on_needs (evaluator, frame, &result))
      result = advance_frame (evaluator, frame);
    else if (result != NULL && frame->slot < 0)
      note_result (frame->record, result);
    if (result == NULL || evaluator->stack->len > depth)
      continue;
    g_ptr_array_set_size (evaluator->stack, depth - 1);
    frame_free (evaluator, frame);
    if (depth == 1)
      return result;
    frame = (Frame *) g_ptr_array_index (evaluator->stack, depth - 2);
    g_array_index (frame->needs, Need, frame->next_need).result = result;
  }
}

static void
read_environment (KgEvaluator *evaluator)
{
  KgHash hash = kg_hash_begin (KG_HASH_ENVIRONMENT, 0);

  evaluator->frames = kg_graph_get_frames (evaluator->graph);
  hash = kg_hash_double (hash, evaluator->frames.start);
  hash = kg_hash_double (hash, evaluator->frames.end);
  hash = kg_hash_double (hash, evaluator->frames.rate);
  evaluator->environment = kg_hash_text (hash, kg_graph_get_folder (evaluator->graph));
}

bool
kg_evaluator_evaluate (KgEvaluator *evaluator, KgNode *node, guint slot, double time, GCancellable *cancellable,
                       KgValue *value, GError **error)
{
  Need request = { node, -1, slot, time, NULL };
  g_autoptr (KgResult) result = NULL;
  guint index;

  g_return_val_if_fail (slot < node->n_slots || node->type == NULL, false);
  g_return_val_if_fail (evaluator->stack->len == 0, false);
  if (node->type != NULL && node->slots[slot].role == KG_SLOT_INPUT)
    request.slot = (int) slot;
  evaluator->cancellable = cancellable;
  read_environment (evaluator);
  result = run (evaluator, &request);
  let_go (evaluator);
  evaluator->cancellable = NULL;
  if (result->error != NULL) {
    g_propagate_error (error, g_error_copy (result->error));
    return false;
  }
  index = get_index (&request, result);
  if (index >= result->n || !result->present[index]) {
    kg_set_error (error, KG_ERROR_NOT_CONNECTED, "%s: %s has no value: link something to it", node->name,
                  node->slots[slot].name);
    return false;
  }
  *value = kg_value_copy (&result->values[index]);
  return true;
}

void
kg_evaluator_find_ready (KgEvaluator *evaluator, KgNode *node, guint output, double first, guint n, bool *ready)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new (), simulations = g_ptr_array_new ();
  KgNode *next;

  visit (seen, stack, node);
  while ((next = walk (seen, stack)) != NULL)
    if (next->type != NULL && next->type->advance != NULL)
      g_ptr_array_add (simulations, next);
  read_environment (evaluator);
  for (guint i = 0; i < n; i++) {
    Need need = { node, -1, output, kg_graph_frame_to_time (evaluator->graph, first + i), NULL };
    const gint64 step = (gint64) nearbyint (first + i - evaluator->frames.start);

    forward (&need);
    ready[i] = need.node->type != NULL &&
               kg_cache_has (evaluator->cache, result_key (evaluator, need.node, need.slot, need.time));
    for (guint k = 0; !ready[i] && k < simulations->len; k++) {
      KgNode *simulation = (KgNode *) g_ptr_array_index (simulations, k);

      if (!kg_cache_has (evaluator->cache, state_key (evaluator, simulation, step)))
        break;
      ready[i] = k + 1 == simulations->len;
    }
  }
}
