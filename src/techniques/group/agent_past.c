/* agent_past: what senses that are late, or that perceive only so often, show: all as it was then.
 *
 * Where all is in a step is kept in attributes past_p0 past_v0 past_q0 ... of the state, in a ring; past_known: how many of them a
 * point has.  Before the first of them all is as in it.  An agent perceives with the body that it had then: with rate it looks
 * when floor (time rate + u) changes (u: its random number), and in between at what was there at that time; delay comes on top.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_step.h"

#include <string.h>

/* Steps by which senses are late at most, those from one look to the next, and the ring. */
#define MOST_DELAY 1000u
#define MOST_AGE 240
#define PAST_RING 2048u

typedef enum { PAST_PLACE, PAST_VELOCITY, PAST_ORIENT, PAST_SMELL, N_PASTS } Past;

static void
name_past (Past past, uint64_t step, char name[24])
{
  static const char letters[N_PASTS] = { 'p', 'v', 'q', 's' };

  g_snprintf (name, 24, "past_%c%u", letters[past], (guint) (step % PAST_RING));
}

static const float *
get_past (const AgentStep *s, const KgGeometry *state, Past past, guint back)
{
  static const uint8_t sizes[N_PASTS] = { 3, 3, 4, AGENT_SMELT };
  char name[24];

  name_past (past, s->step - back, name);
  return kg_geometry_get_float (state, KG_POINTS, name, sizes[past]);
}

/* How many steps of what a point was are kept, up to so many; known: (nullable) past_known. */
static guint
count_kept (const int32_t *known, size_t i, guint back)
{
  return known != NULL ? MIN (back, (guint) MAX (known[i], 0)) : 0;
}

/* How much of the state so many steps ago there is in what was seen. */
static void
add_moment (const AgentStep *s, const KgGeometry *state, size_t first, guint back, double weight, AgentMoment *moment)
{
  const size_t n = kg_geometry_get_n_points (state);
  const AgentObjects *o = &s->objects;
  const int32_t *known = kg_geometry_get_int (state, KG_POINTS, "past_known", 1);
  const bool agents = first == s->m && state == s->state->agents;
  const float *p = NULL, *v = NULL, *q = NULL;
  guint found = 0; /* the steps that p, v and q are of */

  for (size_t i = 0; i < n; i++) {
    const guint steps = count_kept (known, i, back);
    const size_t object = first + i;
    bool there;

    /* Nearly all have been known for as long. */
    if (steps != found) {
      p = get_past (s, state, PAST_PLACE, steps);
      v = get_past (s, state, PAST_VELOCITY, steps);
      q = agents ? get_past (s, state, PAST_ORIENT, steps) : NULL;
      found = steps;
    }
    there = steps > 0 && p != NULL && v != NULL;
    for (size_t c = 0; c < 3; c++)
      moment->p[3 * object + c] += (float) weight * (there ? p[3 * i + c] : o->p[3 * object + c]);
    moment->v[object] =
        kg_vector_add_scaled (moment->v[object], weight, there ? kg_floats_get_vector (v, i) : o->v[object]);
    if (agents) {
      const float *from = there && q != NULL ? q + 4 * i : s->orient + 4 * i;
      float *to = moment->orient + 4 * i;
      const float along = to[0] * from[0] + to[1] * from[1] + to[2] * from[2] + to[3] * from[3];

      /* The nearer of the two quaternions of a rotation. */
      for (size_t c = 0; c < 4; c++)
        to[c] += (along < 0 ? -1 : 1) * (float) weight * from[c];
    }
  }
}

static AgentMoment *
new_moment (const AgentStep *s, double back)
{
  const AgentObjects *o = &s->objects;
  AgentMoment *moment = g_new0 (AgentMoment, 1);
  const guint older = (guint) ceil (back);
  const double share = (double) older - back; /* of the step after that */

  moment->back = back;
  if (older == 0) {
    moment->p = o->p;
    moment->v = o->v;
    moment->orient = s->orient;
    return moment;
  }
  moment->p = g_new0 (float, 3 * o->n + 1);
  moment->v = g_new0 (KgVector, o->n + 1);
  moment->orient = g_new0 (float, 4 * s->n + 1);
  for (guint k = 0; k < 2; k++) {
    const double weight = k == 0 ? 1 - share : share;

    if (weight > 0) {
      add_moment (s, s->state->things, 0, older - k, weight, moment);
      add_moment (s, s->state->agents, s->m, older - k, weight, moment);
    }
  }
  for (size_t i = 0; share > 0 && i < s->n; i++)
    kg_floats_set_rotation (moment->orient, i, kg_rotation_normalize (kg_floats_get_rotation (moment->orient, i)));
  return moment;
}

static void
free_moment (const AgentStep *s, AgentMoment *moment)
{
  for (guint k = 0; moment->trees != NULL && k < s->program->kinds->len; k++)
    g_clear_pointer (&moment->trees[k], point_tree_free);
  g_free (moment->trees);
  g_clear_pointer (&moment->visible, point_tree_free);
  if (moment->p != s->objects.p) {
    g_free (moment->p);
    g_free (moment->v);
    g_free (moment->orient);
  }
  g_free (moment);
}

void
agent_step_release_past (AgentStep *s)
{
  for (guint k = 0; s->moments != NULL && k < s->moments->len; k++)
    free_moment (s, (AgentMoment *) s->moments->pdata[k]);
  g_clear_pointer (&s->moments, g_ptr_array_unref);
  g_clear_pointer (&s->moment_of, g_free);
  g_clear_pointer (&s->kept_orient, g_free);
  g_clear_pointer (&s->smell_back, g_free);
  g_clear_pointer (&s->smelt_then, g_free);
}

/* What an expression of a sense is for each agent, not below 0. */
static void
run_timing (const AgentStep *s, int expression, double *values)
{
  g_autofree const double **inputs = g_new (const double *, agent_program_get_n_inputs (s->program));

  agent_get_inputs (s, 0, inputs);
  agent_program_run_raw (s->program, expression, 0, inputs, s->n, values);
  for (size_t i = 0; i < s->n; i++) {
    values[i] = agent_get_number (s, expression, i, values[i]);
    if (values[i] < 0)
      agent_step_note (s, (AgentFault){ FAULT_SENSE, expression, i, values[i] });
    values[i] = fmax (values[i], 0);
  }
}

/* In steps.  Delays of all that are the same are exact; if they differ, they are rounded: there are not too many then. */
static bool
find_delays (const AgentStep *s, int expression, double *delays, GError **error)
{
  bool same = true;

  run_timing (s, expression, delays);
  for (size_t i = 1; i < s->n; i++)
    same = same && delays[i] <= delays[0] && delays[i] >= delays[0];
  for (size_t i = 0; i < s->n; i++) {
    const double steps = delays[i] / s->world->dt, whole = round (steps);

    if (!(steps <= MOST_DELAY + 1e-6)) {
      const AgentExpression *at = &g_array_index (s->program->expressions, AgentExpression, expression);

      kg_set_error (error, KG_ERROR_LIMIT,
                    "%s: a delay of \"%s\" = %g s for agent %zu is %.0f steps of %g s: senses can be at most %u steps "
                    "late; shorten the delay, or use fewer substeps",
                    at->where, at->text, delays[i], i, steps, s->world->dt, MOST_DELAY);
      return false;
    }
    delays[i] = !same || fabs (steps - whole) < 1e-6 ? whole : steps;
  }
  return true;
}

/* Steps since the last look, which may be this one; most: those from one look to the next. */
static int32_t
find_age (const AgentStep *s, size_t i, double rate, bool first, int32_t age, guint *most)
{
  const double now = s->world->time * rate + agent_column (s, AGENT_U)[i];

  *most = 0;
  if (!(rate > 0))
    return 0;
  *most = (guint) fmin (ceil (1 / (rate * s->world->dt)), MOST_AGE);
  return first || age < 0 || age >= MOST_AGE || floor (now + 1e-6) != floor (now - s->world->dt * rate + 1e-6)
             ? 0
             : age + 1;
}

/* What agents smelt at the times that they ask for, so that nobody has to look for it by name again. */
static void
find_smelt (AgentStep *s)
{
  guint most = 0;

  s->smelt = g_new0 (float, AGENT_SMELT * s->n);
  s->past_known = kg_geometry_get_int (s->state->agents, KG_POINTS, "past_known", 1);
  for (size_t i = 0; i < s->n; i++)
    most = MAX (most, (guint) ceil (s->smell_back[i]));
  s->smelt_then = g_new0 (const float *, most + 1);
  for (size_t i = 0; i < s->n; i++)
    for (guint k = 0; k < 2; k++) {
      const guint back = (guint) ceil (s->smell_back[i]), steps = count_kept (s->past_known, i, back - MIN (k, back));

      if (steps > 0 && s->smelt_then[steps] == NULL)
        s->smelt_then[steps] = get_past (s, s->state->agents, PAST_SMELL, steps);
    }
}

/* When all agents perceive by one sense, in steps from now. */
static bool
find_backs (AgentStep *s, AgentChannel channel, bool first, int32_t *ages, double *backs, GError **error)
{
  const AgentTiming *of = &s->program->senses.of[channel];
  g_autofree double *rates = g_new0 (double, s->n + 1);

  if (of->delay >= 0 && !find_delays (s, of->delay, backs, error))
    return false;
  if (of->rate >= 0)
    run_timing (s, of->rate, rates);
  for (size_t i = 0; i < s->n; i++) {
    int32_t *age = &ages[AGENT_N_CHANNELS * i + channel];
    guint most;

    *age = find_age (s, i, rates[i], first, *age, &most);
    s->most_past = MAX (s->most_past, (guint) ceil (backs[i]) + most + 1);
    backs[i] += *age;
  }
  return true;
}

bool
agent_step_look_back (AgentStep *s, GError **error)
{
  const AgentSenses *senses = &s->program->senses;
  g_autoptr (GHashTable) found = NULL; /* moments, by back */
  bool first;
  int32_t *ages;

  s->moments = g_ptr_array_new ();
  g_ptr_array_add (s->moments, new_moment (s, 0));
  if (!senses->timed || s->n == 0 || !(s->world->dt > 0))
    return true;
  found = g_hash_table_new_full (g_double_hash, g_double_equal, g_free, NULL);
  first = kg_geometry_get_int (s->state->agents, KG_POINTS, "past_age", AGENT_N_CHANNELS) == NULL;
  ages = kg_geometry_edit_int (s->state->agents, KG_POINTS, "past_age", AGENT_N_CHANNELS);
  s->moment_of = g_new0 (uint32_t, AGENT_N_CHANNELS * s->n);
  s->kept_orient = g_memdup2 (s->orient, 4 * s->n * sizeof *s->orient);
  for (guint c = 0; c < AGENT_N_CHANNELS; c++) {
    g_autofree double *backs = NULL;

    if (senses->of[c].rate < 0 && senses->of[c].delay < 0)
      continue;
    backs = g_new0 (double, s->n);
    if (!find_backs (s, (AgentChannel) c, first, ages, backs, error))
      return false;
    if (c == AGENT_SMELL) {
      s->smell_back = g_steal_pointer (&backs);
      find_smelt (s);
      continue;
    }
    for (size_t i = 0; i < s->n; i++) {
      gpointer index = NULL;

      if (i % 64 == 0 && kg_progress_is_cancelled (s->monitor))
        return false;
      if (!(backs[i] > 0) || s->gone[i] != 0)
        continue;
      if (!g_hash_table_lookup_extended (found, &backs[i], NULL, &index)) {
        index = GUINT_TO_POINTER (s->moments->len);
        g_hash_table_insert (found, g_memdup2 (&backs[i], sizeof backs[i]), index);
        g_ptr_array_add (s->moments, new_moment (s, backs[i]));
      }
      s->moment_of[AGENT_N_CHANNELS * i + c] = GPOINTER_TO_UINT (index);
    }
  }
  return true;
}

/* What is older than any will be asked for. */
static void
drop_past (const AgentStep *s, KgGeometry *state, guint from, guint to)
{
  for (guint back = from; back <= MIN (to, PAST_RING - 1); back++)
    for (guint past = 0; past < N_PASTS; past++) {
      char name[24];

      name_past ((Past) past, s->step + PAST_RING - back, name);
      kg_geometry_remove_attribute (state, KG_POINTS, name);
    }
}

static float *
edit_past (const AgentStep *s, KgGeometry *state, Past past, uint8_t size)
{
  char name[24];

  name_past (past, s->step, name);
  return kg_geometry_edit_float (state, KG_POINTS, name, size);
}

static void
keep_objects (const AgentStep *s, KgGeometry *state, size_t first)
{
  const size_t n = kg_geometry_get_n_points (state);
  const bool agents = state == s->state->agents;
  guint kept = 0;
  int32_t *known = kg_geometry_edit_int (state, KG_POINTS, "past_known", 1);
  float *p, *v;

  for (size_t i = 0; i < n; i++)
    kept = MAX (kept, (guint) MAX (known[i], 0));
  drop_past (s, state, s->most_past + 1, MAX (kept, s->most_past) + 1);
  p = edit_past (s, state, PAST_PLACE, 3);
  v = edit_past (s, state, PAST_VELOCITY, 3);
  known = kg_geometry_edit_int (state, KG_POINTS, "past_known", 1);
  for (size_t i = 0; i < n; i++) {
    memcpy (p + 3 * i, s->objects.p + 3 * (first + i), 3 * sizeof *p);
    kg_floats_set_vector (v, i, s->objects.v[first + i]);
    known[i] = (int32_t) MIN ((guint) MAX (known[i], 0) + 1, s->most_past);
  }
  if (agents)
    memcpy (edit_past (s, state, PAST_ORIENT, 4), s->kept_orient, 4 * n * sizeof *p);
  if (agents && s->smelt != NULL)
    memcpy (edit_past (s, state, PAST_SMELL, AGENT_SMELT), s->smelt, AGENT_SMELT * n * sizeof *p);
}

void
agent_step_keep_past (AgentStep *s)
{
  if (s->moment_of == NULL)
    return;
  keep_objects (s, s->state->things, 0);
  keep_objects (s, s->state->agents, s->m);
}

void
agent_world_hide_past (KgGeometry *agents)
{
  for (guint k = kg_geometry_get_n_attributes (agents, KG_POINTS); k > 0; k--) {
    KgAttribute attribute;

    kg_geometry_get_attribute (agents, KG_POINTS, k - 1, &attribute);
    if (g_str_has_prefix (attribute.name, "past_"))
      kg_geometry_remove_attribute (agents, KG_POINTS, attribute.name);
  }
}

void
agent_step_note_smells (AgentStep *s, size_t i)
{
  float *smelt = s->smelt + AGENT_SMELT * i;

  for (guint k = 0; k < MIN (s->program->scents->len, 4); k++) {
    KgVector to;

    smelt[k] = (float) agent_step_smell (s, k, kg_floats_get_vector (s->p, i));
    if (!agent_step_climb (s, i, k, &to))
      to = kg_vector (0, 0, 0);
    kg_floats_set_vector (smelt + 4, k, to);
  }
}

/* What agent i smelt so many steps ago, or as far back as is known. */
static const float *
get_smelt (const AgentStep *s, size_t i, guint back)
{
  const guint steps = count_kept (s->past_known, i, back);
  const float *smelt = steps > 0 ? s->smelt_then[steps] : NULL;

  return (smelt != NULL ? smelt : s->smelt) + AGENT_SMELT * i;
}

double
agent_step_get_smell (const AgentStep *s, size_t i, guint scent)
{
  double back, share;
  guint older;

  if (s->smelt == NULL)
    return agent_step_smell (s, scent, kg_floats_get_vector (s->p, i));
  back = s->smell_back[i];
  older = (guint) ceil (back);
  share = (double) older - back;
  return kg_lerp ((double) get_smelt (s, i, older)[scent], (double) get_smelt (s, i, older - (older > 0))[scent],
                  share);
}

bool
agent_step_get_climb (const AgentStep *s, size_t i, guint scent, KgVector *to)
{
  if (s->smelt == NULL)
    return agent_step_climb (s, i, scent, to);
  *to = kg_floats_get_vector (get_smelt (s, i, (guint) ceil (s->smell_back[i])) + 4, scent);
  return kg_vector_dot (*to, *to) > 0;
}
