/* kg-context: what a running node may ask of the evaluator: cancelling, progress, warnings, scratch memory,
 * memos, samples; and what its demand callback may say.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-job.h"
#include "kg-regular-file.h"

/* A warning for every point of a million is of no use. */
#define MAX_WARNINGS 20

void
kg_context_private_init (KgContextPrivate *private_data)
{
  memset (private_data, 0, sizeof *private_data);
  g_mutex_init (&private_data->lock);
}

void
kg_context_private_clear (KgContextPrivate *private_data)
{
  g_clear_pointer (&private_data->warnings, g_ptr_array_unref);
  g_clear_pointer (&private_data->scratch, g_ptr_array_unref);
  g_clear_pointer (&private_data->memos, g_ptr_array_unref);
  g_mutex_clear (&private_data->lock);
}

bool
kg_context_is_cancelled (const KgContext *ctx)
{
  return g_cancellable_is_cancelled (ctx->private_data->cancellable);
}

void
kg_context_progress (const KgContext *ctx, double done)
{
  const KgContextPrivate *p = ctx->private_data;

  if (p->progress != NULL)
    p->progress (p->name, kg_clamp (done, 0, 1), p->progress_data);
}

static bool
is_cancelled (gpointer data)
{
  return kg_context_is_cancelled (data);
}

static void
report_progress (gpointer data, double done)
{
  kg_context_progress (data, done);
}

KgProgressMonitor
kg_context_get_progress_monitor (const KgContext *ctx)
{
  return (KgProgressMonitor){ is_cancelled, report_progress, (gpointer) ctx };
}

const KgNodeType *
kg_context_get_type (const KgContext *ctx)
{
  return ctx->private_data->type;
}

bool
kg_context_may_leave_pending (const KgContext *ctx)
{
  return ctx->private_data->may_leave_pending;
}

double
kg_context_get_proxy (const KgContext *ctx)
{
  return ctx->private_data->proxy > 0 ? ctx->private_data->proxy : 1;
}

/* A warning is one line: one of several, such as a list of conflicts, is joined.  (transfer full) */
static char *
dup_as_one_line (const char *text)
{
  g_autofree char *trimmed = g_strchomp (g_strdup (text));
  g_auto (GStrv) lines = g_strsplit (trimmed, "\n", -1);

  return g_strjoinv ("; ", lines);
}

static void
add_warning (const KgContext *ctx, const char *warning)
{
  KgContextPrivate *p = ctx->private_data;
  char *text = dup_as_one_line (warning);

  g_mutex_lock (&p->lock);
  if (p->warnings == NULL)
    p->warnings = g_ptr_array_new_with_free_func (g_free);
  if (p->warnings->len < MAX_WARNINGS)
    g_ptr_array_add (p->warnings, g_steal_pointer (&text));
  g_mutex_unlock (&p->lock);
  g_free (text);
}

/* format: translated. */
static void G_GNUC_PRINTF (2, 0) add_formatted_warning (const KgContext *ctx, const char *format, va_list arguments)
{
  g_autofree char *text = g_strdup_vprintf (format, arguments);

  add_warning (ctx, text);
}

void
kg_context_warn (const KgContext *ctx, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  add_formatted_warning (ctx, kg_translate (format), arguments);
  va_end (arguments);
}

void
kg_context_warn_plural (const KgContext *ctx, gulong n, const char *one, const char *many, ...)
{
  va_list arguments;

  va_start (arguments, many);
  add_formatted_warning (ctx, g_dngettext (GETTEXT_PACKAGE, one, many, n), arguments);
  va_end (arguments);
}

void
kg_context_take_warning (const KgContext *ctx, GError *warning)
{
  if (warning == NULL)
    return;
  add_warning (ctx, warning->message);
  g_error_free (warning);
}

char **
kg_context_dup_permitted (const KgContext *ctx)
{
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();

  g_strv_builder_add (folders, ctx->folder != NULL ? ctx->folder : ".");
  if (ctx->permitted != NULL)
    g_strv_builder_addv (folders, (const char **) (size_t) ctx->permitted);
  return g_strv_builder_end (folders);
}

char *
kg_context_dup_path (const KgContext *ctx, const char *path, GError **error)
{
  g_autofree char *full = kg_regular_file_dup_path (ctx->folder, path), *real = NULL, *around = NULL;
  g_auto (GStrv) folders = NULL;

  if (ctx->permitted == NULL)
    return g_steal_pointer (&full);
  folders = kg_context_dup_permitted (ctx);
  if (kg_regular_file_is_below (full, (const char *const *) folders))
    return g_steal_pointer (&full);
  real = kg_regular_file_dup_real_path (full);
  around = g_path_get_dirname (real);
  kg_set_error (error, KG_ERROR_REFUSED,
                "%s is outside the folder of the graph: move it there, or permit reading it (kineo: "
                "--allow-path %s; in the window: choose the file again)",
                real, around);
  return NULL;
}

void *
kg_context_scratch (const KgContext *ctx, size_t bytes, GError **error)
{
  KgContextPrivate *p = ctx->private_data;
  void *memory = g_try_malloc0 (MAX (bytes, 1));

  if (memory == NULL) {
    kg_set_error (error, KG_ERROR_LIMIT, "cannot allocate %zu bytes of working memory", bytes);
    return NULL;
  }
  g_mutex_lock (&p->lock);
  if (p->scratch == NULL)
    p->scratch = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (p->scratch, memory);
  g_mutex_unlock (&p->lock);
  return memory;
}

/* What the memo of a result stays valid by until evaluate returns.  result: (transfer full) */
static gconstpointer
hold_memo (KgContextPrivate *p, KgResult *result)
{
  g_mutex_lock (&p->lock);
  if (p->memos == NULL)
    p->memos = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_result_unref);
  g_ptr_array_add (p->memos, result);
  g_mutex_unlock (&p->lock);
  return result->memo;
}

/* (transfer full) */
static KgResult *
insert_memo (const KgContextPrivate *p, KgHash key, gpointer memo, size_t bytes, GDestroyNotify destroy)
{
  KgResult *result = kg_result_new (0);

  result->memo = memo;
  result->memo_destroy = destroy;
  result->bytes = sizeof *result + bytes;
  p->host->insert (p->cache, key, result);
  return result;
}

const void *
kg_context_memo (const KgContext *ctx, KgHash key, KgMemoBuild build, gpointer data, GDestroyNotify destroy,
                 GError **error)
{
  KgContextPrivate *p = ctx->private_data;
  KgResult *result;

  key = kg_hash_join (key, p->type_hash);
  result = p->host->lookup (p->cache, key);
  if (result == NULL) {
    size_t bytes = 0;
    void *memo = build (data, &bytes, error);

    if (memo == NULL)
      return NULL;
    result = insert_memo (p, key, memo, bytes, destroy);
  }
  return hold_memo (p, result);
}

static gconstpointer
find_memo (gpointer data, KgHash key)
{
  KgContextPrivate *p = ((const KgContext *) data)->private_data;
  KgResult *result = p->host->lookup (p->cache, kg_hash_join (key, p->type_hash));

  return result != NULL ? hold_memo (p, result) : NULL;
}

static void
keep_memo (gpointer data, KgHash key, gpointer memo, size_t bytes, GDestroyNotify destroy)
{
  const KgContextPrivate *p = ((const KgContext *) data)->private_data;

  kg_result_unref (insert_memo (p, kg_hash_join (key, p->type_hash), memo, bytes, destroy));
}

KgMemoStore
kg_context_get_memo_store (const KgContext *ctx)
{
  return (KgMemoStore){ find_memo, keep_memo, (gpointer) ctx };
}

static int
find_slot (const KgSlot *slots, guint n_slots, size_t field)
{
  for (guint i = 0; i < n_slots; i++)
    if (slots[i].offset == field && slots[i].role == KG_SLOT_INPUT)
      return (int) i;
  g_return_val_if_reached (-1);
}

/* (nullable) The sample-th one of an input. */
static const KgSample *
find_sample (const KgContext *ctx, size_t field, guint sample)
{
  const KgContextPrivate *p = ctx->private_data;
  const int slot = find_slot (p->slots, p->n_slots, field);

  for (guint i = 0; i < p->samples->len; i++) {
    const KgSample *s = &g_array_index (p->samples, KgSample, i);

    if ((int) s->slot == slot && sample-- == 0)
      return s;
  }
  return NULL;
}

bool
kg_context_get_part (const KgContext *ctx, KgImagePart *part)
{
  const KgContextPrivate *p = ctx->private_data;

  if (p->parts == NULL)
    return false;
  *part = p->parts[p->n_slots];
  return true;
}

KgImagePart
kg_context_get_image_part (const KgContext *ctx, size_t field, const KgImage *image)
{
  const KgContextPrivate *p = ctx->private_data;
  const int slot = p->parts != NULL ? find_slot (p->slots, p->n_slots, field) : -1;
  const int width = image != NULL ? kg_image_get_width (image) : 0;
  const int height = image != NULL ? kg_image_get_height (image) : 0;

  return slot >= 0 ? p->parts[slot] : kg_image_part_all (width, height);
}

void
kg_context_refuse_part (const KgContext *ctx)
{
  ctx->private_data->refused = true;
}

guint
kg_context_get_n_samples (const KgContext *ctx, size_t field)
{
  const KgContextPrivate *p = ctx->private_data;
  const int slot = find_slot (p->slots, p->n_slots, field);
  guint n = 0;

  for (guint i = 0; i < p->samples->len; i++)
    n += (int) g_array_index (p->samples, KgSample, i).slot == slot;
  return n;
}

const KgValue *
kg_context_get_sample (const KgContext *ctx, size_t field, guint sample)
{
  const KgSample *s = find_sample (ctx, field, sample);

  g_return_val_if_fail (s != NULL, NULL);
  return &s->value;
}

KgList
kg_context_get_list (const KgContext *ctx, size_t field, guint sample)
{
  const KgSample *s = find_sample (ctx, field, sample);
  KgList list = { 0, NULL };

  g_return_val_if_fail (s != NULL, list);
  list.n = s->n_items;
  list.items = s->items;
  return list;
}

KgHash
kg_context_get_fingerprint (const KgContext *ctx, size_t field)
{
  const KgSample *s = find_sample (ctx, field, 0);
  const KgContextPrivate *p = ctx->private_data;
  const int slot = find_slot (p->slots, p->n_slots, field);
  KgHash hash = { 0, 0 };

  /* Plain constants take no sample: the job started with them. */
  if (s == NULL)
    return slot >= 0 ? p->host->get_constant (p->node, (guint) slot) : hash;
  for (guint i = 0; i < s->n_items; i++)
    hash = kg_hash_join (hash, kg_value_get_fingerprint (&s->items[i]));
  if (s->n_items > 0 || !s->present)
    return hash;
  return s->fingerprint;
}

/* Parts. */

double
kg_reach_none (const void *job)
{
  (void) job;
  return 0;
}

/* Demand. */

void
kg_demand_none (KgDemand *demand, size_t field)
{
  const int slot = find_slot (demand->slots, demand->n_slots, field);

  g_return_if_fail (slot >= 0 && !demand->slots[slot].early);
  demand->asked[slot] = 2;
}

static guint
count_samples (const KgDemand *demand, int slot)
{
  guint n = 0;

  for (guint i = 0; i < demand->samples->len; i++)
    n += (int) g_array_index (demand->samples, KgSample, i).slot == slot;
  return n;
}

void
kg_demand_at (KgDemand *demand, size_t field, double time)
{
  const int slot = find_slot (demand->slots, demand->n_slots, field);
  const KgSample sample = { .slot = (guint) slot, .time = time };

  g_return_if_fail (slot >= 0 && !demand->slots[slot].early);
  demand->asked[slot] = 1;
  if (count_samples (demand, slot) < KG_DEMAND_MAX)
    g_array_append_val (demand->samples, sample);
}

void
kg_demand_item (KgDemand *demand, size_t field, guint item)
{
  const int slot = find_slot (demand->slots, demand->n_slots, field);

  g_return_if_fail (slot >= 0 && demand->slots[slot].list && !demand->slots[slot].early);
  /* The default sample is added after demand; until then the wish is kept in a sample without a time. */
  for (guint i = 0; i < demand->samples->len; i++) {
    KgSample *s = &g_array_index (demand->samples, KgSample, i);

    if ((int) s->slot == slot && s->wanted != NULL) {
      g_array_append_val (s->wanted, item);
      return;
    }
  }
  {
    KgSample sample = { .slot = (guint) slot, .time = demand->time };

    sample.wanted = g_array_new (FALSE, FALSE, sizeof (guint));
    g_array_append_val (sample.wanted, item);
    g_array_append_val (demand->samples, sample);
    demand->asked[slot] = 1;
  }
}

void
kg_demand_item_at (KgDemand *demand, size_t field, guint item, double time)
{
  const int slot = find_slot (demand->slots, demand->n_slots, field);
  KgSample sample = { .slot = (guint) slot, .time = time };

  g_return_if_fail (slot >= 0 && demand->slots[slot].list && !demand->slots[slot].early);
  demand->asked[slot] = 1;
  if (count_samples (demand, slot) >= KG_DEMAND_MAX)
    return;
  sample.wanted = g_array_new (FALSE, FALSE, sizeof (guint));
  g_array_append_val (sample.wanted, item);
  g_array_append_val (demand->samples, sample);
}

guint
kg_demand_get_n_items (const KgDemand *demand, size_t field)
{
  const int slot = find_slot (demand->slots, demand->n_slots, field);

  return slot >= 0 ? demand->host->get_n_items (demand->node, (guint) slot) : 0;
}
