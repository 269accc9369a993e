/* kg-motion-path: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-motion-path.h"

#include "config.h"

#include <math.h>
#include <string.h>

/* Requests. */

static void
clear_term (gpointer data)
{
  g_free (((KgPathTerm *) data)->name);
}

KgPathRequest *
kg_path_request_new (const char *name)
{
  KgPathRequest *request = g_new0 (KgPathRequest, 1);

  request->name = g_strdup (name);
  request->terms = g_array_new (FALSE, FALSE, sizeof (KgPathTerm));
  g_array_set_clear_func (request->terms, clear_term);
  return request;
}

void
kg_path_request_add (KgPathRequest *request, const char *name, double factor)
{
  const KgPathTerm term = { g_strdup (name), factor, 0 };

  g_array_append_val (request->terms, term);
}

void
kg_path_request_add_end (KgPathRequest *request, const char *name, guint end)
{
  const KgPathTerm term = { g_strdup (name), 1, end };

  g_array_append_val (request->terms, term);
}

void
kg_path_request_free (KgPathRequest *request)
{
  g_free (request->name);
  g_array_unref (request->terms);
  g_free (request);
}

/* Paths. */

KgMotionPath *
kg_motion_path_ref (KgMotionPath *path)
{
  g_atomic_ref_count_inc (&path->refs);
  return path;
}

void
kg_motion_path_unref (KgMotionPath *path)
{
  if (!g_atomic_ref_count_dec (&path->refs))
    return;
  g_array_unref (path->places);
  g_free (path);
}

/* Sampling. */

typedef struct {
  KgNode *node; /* of the graph that is sampled; NULL: not there */
  guint slot;
  double factor;
  guint end;
} Term;

typedef struct {
  char *name;
  GArray *terms; /* Term */
  KgHash key;
  double first, step;
  guint n;            /* samples in all */
  GArray *places;     /* KgVector: so far */
  KgMotionPath *made; /* (nullable) what is shown */
  bool made_old;      /* of an earlier key */
} Sampled;

struct _KgPathSampler {
  KgGraph *graph;   /* (nullable) */
  GPtrArray *paths; /* Sampled */
};

static void
sampled_free (gpointer data)
{
  Sampled *sampled = (Sampled *) data;

  g_free (sampled->name);
  g_array_unref (sampled->terms);
  g_array_unref (sampled->places);
  g_clear_pointer (&sampled->made, kg_motion_path_unref);
  g_free (sampled);
}

KgPathSampler *
kg_path_sampler_new (void)
{
  KgPathSampler *self = g_new0 (KgPathSampler, 1);

  self->paths = g_ptr_array_new_with_free_func (sampled_free);
  return self;
}

void
kg_path_sampler_free (KgPathSampler *self)
{
  g_ptr_array_unref (self->paths);
  g_free (self);
}

static Term
find_term (KgGraph *graph, const KgPathTerm *wanted)
{
  const char *dot = strrchr (wanted->name, '.');
  g_autofree char *path = dot != NULL ? g_strndup (wanted->name, (gsize) (dot - wanted->name)) : NULL;
  KgNode *node = path != NULL ? kg_graph_find_path (graph, path) : NULL;
  const int slot = node != NULL ? kg_node_find_slot (node, dot + 1) : -1;

  return (Term){ slot >= 0 ? node : NULL, (guint) MAX (slot, 0), wanted->factor, wanted->end };
}

static Sampled *
make_sampled (KgGraph *graph, const KgPathRequest *request)
{
  const KgFrames frames = kg_graph_get_frames (graph);
  Sampled *sampled = g_new0 (Sampled, 1);
  KgHash key = kg_hash_double (kg_hash_double (kg_hash_begin (KG_HASH_DISPLAY, 2), frames.start), frames.end);

  key = kg_hash_double (key, frames.rate);
  sampled->name = g_strdup (request->name);
  sampled->terms = g_array_new (FALSE, FALSE, sizeof (Term));
  sampled->places = g_array_new (FALSE, FALSE, sizeof (KgVector));
  for (guint i = 0; i < request->terms->len; i++) {
    const KgPathTerm *wanted = &g_array_index (request->terms, KgPathTerm, i);
    const Term term = find_term (graph, wanted);

    key = kg_hash_uint (kg_hash_double (kg_hash_text (key, wanted->name), wanted->factor), wanted->end);
    if (term.node != NULL)
      key = kg_hash_join (key, kg_node_get_fingerprint (term.node));
    g_array_append_val (sampled->terms, term);
  }
  sampled->key = key;
  sampled->first = frames.start;
  sampled->step = fmax (1, ceil ((frames.end - frames.start) / KG_MOTION_PATH_MOST));
  sampled->n = (guint) (floor ((frames.end - frames.start) / sampled->step) + 1);
  return sampled;
}

void
kg_path_sampler_set (KgPathSampler *self, const GPtrArray *requests, KgGraph *graph)
{
  g_autoptr (GPtrArray) old = g_steal_pointer (&self->paths);

  self->graph = graph;
  self->paths = g_ptr_array_new_with_free_func (sampled_free);
  for (guint i = 0; requests != NULL && i < requests->len; i++) {
    Sampled *sampled = make_sampled (graph, (const KgPathRequest *) g_ptr_array_index (requests, i));

    for (guint k = 0; k < old->len; k++) {
      Sampled *was = (Sampled *) g_ptr_array_index (old, k);
      const bool same = kg_hash_equal (was->key, sampled->key);

      if (!g_str_equal (was->name, sampled->name))
        continue;
      if (same) {
        g_array_unref (sampled->places);
        sampled->places = g_array_ref (was->places);
      }
      sampled->made = was->made != NULL ? kg_motion_path_ref (was->made) : NULL;
      sampled->made_old = was->made_old || !same;
    }
    g_ptr_array_add (self->paths, sampled);
  }
}

/* Where the joint is that is the end of a chain, counted from 0. */
static bool
find_end (const KgSkeleton *skeleton, guint end, KgVector *at)
{
  const guint n = kg_skeleton_get_n_joints (skeleton);
  g_autofree KgTransform *world = g_new (KgTransform, MAX (n, 1));
  g_autofree bool *followed = g_new0 (bool, MAX (n, 1));
  guint found = 0;

  for (guint i = 0; i < n; i++)
    if (kg_skeleton_get_joint (skeleton, i)->parent >= 0)
      followed[kg_skeleton_get_joint (skeleton, i)->parent] = true;
  for (guint i = 0; i < n; i++)
    if (!followed[i] && found++ == end) {
      kg_skeleton_get_world (skeleton, world);
      *at = kg_transform_get_place (&world[i]);
      return true;
    }
  return false;
}

static bool
add_value (const KgValue *value, double factor, guint end, KgVector *place)
{
  KgVector at;

  if (value->kind == KG_VECTOR)
    at = value->vector;
  else if (value->kind == KG_TRANSFORM)
    at = kg_transform_get_place (value->transform);
  else if (value->kind == KG_GEOMETRY && kg_geometry_get_n_points (value->geometry) > 0) {
    const size_t n = kg_geometry_get_n_points (value->geometry);
    const float *p = kg_geometry_get_positions (value->geometry);
    double sum[3] = { 0 };

    for (size_t i = 0; i < 3 * n; i++)
      sum[i % 3] += (double) p[i];
    at = kg_vector (sum[0] / (double) n, sum[1] / (double) n, sum[2] / (double) n);
  } else if (value->kind != KG_SKELETON || !find_end (value->skeleton, end, &at))
    return false;
  *place = kg_vector_add_scaled (*place, factor, at);
  return true;
}

/* False when it was cancelled. */
static bool
sample (KgPathSampler *self, Sampled *sampled, KgEvaluator *evaluator, GCancellable *cancellable)
{
  const double frame = sampled->first + sampled->step * sampled->places->len;
  const double time = kg_graph_frame_to_time (self->graph, frame);
  KgVector place = { 0, 0, 0 };
  bool known = sampled->terms->len > 0;

  for (guint i = 0; known && i < sampled->terms->len; i++) {
    const Term *term = &g_array_index (sampled->terms, Term, i);
    g_auto (KgValue) value = KG_VALUE_INIT;

    known = term->node != NULL &&
            kg_evaluator_evaluate (evaluator, term->node, term->slot, time, cancellable, &value, NULL) &&
            add_value (&value, term->factor, term->end, &place);
  }
  if (g_cancellable_is_cancelled (cancellable))
    return false;
  if (!known)
    place = kg_vector (NAN, NAN, NAN);
  g_array_append_val (sampled->places, place);
  return true;
}

/* What there is becomes what is shown. */
static void
make_path (Sampled *sampled)
{
  KgMotionPath *made = g_new0 (KgMotionPath, 1);
  const KgVector *at = (const KgVector *) (const void *) sampled->places->data;

  g_atomic_ref_count_init (&made->refs);
  made->first = sampled->first;
  made->step = sampled->step;
  made->places = g_array_sized_new (FALSE, FALSE, sizeof (KgVector), sampled->places->len);
  g_array_append_vals (made->places, at, sampled->places->len);
  for (guint i = 1; i < sampled->places->len; i++)
    made->moves = made->moves || at[i].x != at[0].x || at[i].y != at[0].y || at[i].z != at[0].z;
  g_clear_pointer (&sampled->made, kg_motion_path_unref);
  sampled->made = made;
  sampled->made_old = false;
}

bool
kg_path_sampler_advance (KgPathSampler *self, KgEvaluator *evaluator, gint64 until, GCancellable *cancellable)
{
  bool any = false, cancelled = false;

  for (guint i = 0; i < self->paths->len && !cancelled && g_get_monotonic_time () < until; i++) {
    Sampled *sampled = (Sampled *) g_ptr_array_index (self->paths, i);
    const guint before = sampled->places->len;

    while (sampled->places->len < sampled->n && !cancelled && g_get_monotonic_time () < until)
      cancelled = !sample (self, sampled, evaluator, cancellable);
    if (sampled->places->len == before)
      continue;
    any = true;
    /* An old path is no worse than part of the new one. */
    if (sampled->places->len == sampled->n || sampled->made == NULL || !sampled->made_old)
      make_path (sampled);
  }
  return any && !cancelled;
}

GHashTable *
kg_path_sampler_dup_paths (KgPathSampler *self)
{
  GHashTable *paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) kg_motion_path_unref);

  for (guint i = 0; i < self->paths->len; i++) {
    const Sampled *sampled = (const Sampled *) g_ptr_array_index (self->paths, i);

    if (sampled->made != NULL)
      g_hash_table_insert (paths, g_strdup (sampled->name), kg_motion_path_ref (sampled->made));
  }
  return paths;
}
