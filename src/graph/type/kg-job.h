/* kg-job: the struct of a node while it runs: how it is filled and emptied, what came of it, and what its context holds.
 * For the core; nodes include kg-node.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-type.h"

#include <gio/gio.h>

/* The result of one evaluation: the outputs of a node by slot, or one value, or an error; or a memo.  values and present
 * lie behind it in the same block. */
typedef struct {
  gatomicrefcount refs;
  guint n;
  guint first; /* the slot of values[0]: the inputs before the first output have none */
  KgValue *values;
  bool *present; /* an optional input without a source has no value */
  GError *error;
  GPtrArray *warnings; /* char *, NULL when there are none */
  gpointer memo;
  GDestroyNotify memo_destroy;
  size_t bytes; /* without shared buffers */
  guint cached; /* entries of the cache that hold it; the cache's lock */
} KgResult;

KgResult *kg_result_new (guint n);
KgResult *kg_result_new_error (const GError *error);
KgResult *kg_result_ref (KgResult *result);
void kg_result_unref (KgResult *result);
/* The bytes of a result without those of its buffers. */
void kg_result_measure (KgResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgResult, kg_result_unref)

/* One value of one input. */
typedef struct {
  guint slot;
  double time;
  guint first_need, n_needs;
  bool done, present;
  bool ready;         /* value belongs to the input of the node */
  bool plain;         /* it is in the job already: see kg_job_begin */
  KgValue value;      /* not for lists */
  KgHash fingerprint; /* of value, also after it was given away */
  KgValue *items;     /* lists */
  guint n_items;
  GArray *wanted; /* guint: items of a list that demand requested; NULL: all */
} KgSample;

/* What answers for the graph that a running node belongs to: this floor knows none.  The evaluator implements it. */
typedef struct {
  /* Memos.  lookup: (transfer full) (nullable) */
  KgResult *(*lookup) (gpointer cache, KgHash key);
  void (*insert) (gpointer cache, KgHash key, KgResult *result);
  /* The fingerprint of a constant that jobs of the node start with; zero for an input that takes a sample. */
  KgHash (*get_constant) (gpointer node, guint slot);
  /* How many items a list input has. */
  guint (*get_n_items) (gpointer node, guint slot);
} KgJobHost;

struct _KgDemand {
  const KgJobHost *host;
  gpointer node; /* for the host */
  const KgSlot *slots;
  guint n_slots;
  double time;
  GArray *samples; /* KgSample */
  guint8 *asked;   /* by slot: 0 default, 1 replaced, 2 none */
};

typedef struct _KgContextPrivate {
  const KgJobHost *host;
  gpointer node, cache; /* for the host */
  const char *name;     /* of the node */
  const KgSlot *slots;
  guint n_slots;
  KgHash type_hash;
  const KgNodeType *type;
  GCancellable *cancellable;
  KgProgress progress;
  gpointer progress_data;
  const GArray *samples;    /* KgSample */
  const KgImagePart *parts; /* (nullable) by slot, then that of the result; width 0: none */
  bool refused;             /* see kg_context_refuse_part */
  bool may_leave_pending;
  double proxy;
  GMutex lock;
  GPtrArray *warnings; /* char * */
  GPtrArray *scratch;
  GPtrArray *memos; /* KgResult, kept until evaluate returns */
} KgContextPrivate;

/* Zeros but for the lock; the caller fills in the rest up to samples. */
void kg_context_private_init (KgContextPrivate *private_data);
void kg_context_private_clear (KgContextPrivate *private_data);

/* Jobs: the struct of a node, as its declaration describes it. */

/* The hash of an input of a job begins like this; those of all are added up (kg_hash_add). */
static inline KgHash
kg_job_hash_slot (guint slot)
{
  return kg_hash_uint (kg_hash_begin (KG_HASH_JOB_INPUT, 0), slot);
}

/* Converts a value to the kind of a slot.  A choice may also come as its number, from 0. */
bool kg_slot_convert (const KgSlot *slot, KgValue *value, GError **error);
/* The same for an input that takes a table, with a message that does not name it: in place of *value the table that the
 * declaration describes. */
bool kg_slot_convert_table (const KgSlot *slot, KgValue *value, GError **error);
/* Whether a value of the kind of the slot goes into its field without a warning. */
bool kg_slot_takes_plainly (const KgSlot *slot, const KgValue *value);
/* Fills the field of a slot with a value of its kind; a reference that the node is given is taken out of value. */
bool kg_job_fill_value (void *job, const KgSlot *slot, KgValue *value, const KgContext *ctx, GError **error);
/* Fills the input of one sample; value is what the wire carries.  A value held by nobody else may be moved
 * (kg_value set to its initial state) where the node is given a reference.  False and *error (without the
 * node's name) when it does not fit. */
bool kg_job_fill (void *job, const KgSlot *slot, KgSample *sample, const KgContext *ctx, KgHash *hash, GError **error);
/* Converts a sample to the kind of the slot, and adds it to hash. */
bool kg_job_convert (const KgSlot *slot, KgSample *sample, KgHash *hash, GError **error);

/* Releases what the node was given and did not take. */
void kg_job_clear_inputs (void *job, const KgNodeType *type);
/* Takes outputs (or states) out of the job into values, published under fingerprint. */
bool kg_job_take (void *job, const KgNodeType *type, KgSlotRole role, KgResult *result, KgHash fingerprint,
                  GError **error);
/* Scales what is in pixels: inputs, but those that are .fixed, by the factor, outputs by its inverse.  Only of types with images:
 * what others say of pixels is about images at their full size. */
void kg_job_scale_pixels (void *job, const KgNodeType *type, KgSlotRole role, double factor);
/* Gives the state fields references to the values. */
void kg_job_set_state (void *job, const KgNodeType *type, const KgResult *state);
