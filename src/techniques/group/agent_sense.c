/* agent_sense: what agents know of the world around them, and what they remember.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_step.h"
#include "kg-floats.h"
#include "group/agent_view.h"

#include <string.h>

/* How many of the nearest are looked at first. */
#define FIRST_LOOK 8
/* Steps by which senses are late at most, and the ring of names of what is kept for them. */
#define MOST_PAST 1000u
#define PAST_RING 1024u
/* How many are counted: beyond, there are many. */
#define COUNT_MOST 64

/* The kind of each point: an attribute of text, or of numbers, which is then written as one; else a default. */
static void
read_kinds (const AgentProgram *program, const KgGeometry *geometry, size_t n, const char *def, int *kinds)
{
  const int32_t *numbers = kg_geometry_get_int (geometry, KG_POINTS, "kind", 1);
  KgAttribute attribute;
  const bool texts = kg_geometry_find_attribute (geometry, KG_POINTS, "kind", &attribute) &&
                     attribute.scalar == KG_STRING;

  for (size_t i = 0; i < n; i++) {
    char number[16];
    const char *name = texts ? kg_geometry_get_text (geometry, KG_POINTS, "kind", i) : def;

    if (!texts && numbers != NULL) {
      g_snprintf (number, sizeof number, "k%d", numbers[i]);
      name = number;
    }
    kinds[i] = -1;
    for (guint k = 0; name != NULL && k < program->kinds->len; k++)
      if (g_str_equal (program->kinds->pdata[k], name))
        kinds[i] = (int) k;
  }
}

const char *
agent_world_find_missing_kind (const AgentProgram *program, const KgGeometry *agents, const KgGeometry *things)
{
  const size_t n = kg_geometry_get_n_points (agents), m = things != NULL ? kg_geometry_get_n_points (things) : 0;
  g_autofree int *kinds = g_new (int, n + m + 1);
  guint64 there = 0;

  read_kinds (program, agents, n, "agent", kinds);
  if (things != NULL)
    read_kinds (program, things, m, "thing", kinds + n);
  for (size_t i = 0; i < n + m; i++)
    there |= kinds[i] >= 0 ? (guint64) 1 << kinds[i] : 0;
  for (guint k = 0; k < program->kinds->len; k++)
    if ((program->sensed >> k & 1) != 0 && (there >> k & 1) == 0)
      return (const char *) program->kinds->pdata[k];
  return NULL;
}

static void
read_objects (AgentStep *s)
{
  const AgentWorld *w = s->world;
  AgentObjects *o = &s->objects;
  const float *agent_width = kg_geometry_get_float (w->agents, KG_POINTS, "width", 1);
  const float *agent_loudness = kg_geometry_get_float (w->agents, KG_POINTS, "loudness", 1);

  o->n_things = s->m;
  o->n = s->m + s->n;
  o->p = g_new (float, 3 * o->n + 1);
  o->v = g_new0 (KgVector, o->n + 1);
  o->radius = g_new0 (double, o->n + 1);
  o->loudness = g_new0 (double, o->n + 1);
  o->kind = g_new (int, o->n + 1);
  o->gone = g_new0 (uint8_t, o->n + 1);
  if (s->m > 0) {
    const float *p = kg_geometry_get_positions (w->things), *v = kg_geometry_get_float (w->things, KG_POINTS, "v", 3),
                *width = kg_geometry_get_float (w->things, KG_POINTS, "width", 1),
                *loudness = kg_geometry_get_float (w->things, KG_POINTS, "loudness", 1);

    read_kinds (s->program, w->things, s->m, "thing", o->kind);
    for (size_t i = 0; i < s->m; i++) {
      memcpy (o->p + 3 * i, (s->placed[i] != 0 ? s->moved : p) + 3 * i, 3 * sizeof *p);
      o->v[i] = v != NULL && s->placed[i] == 0 ? kg_floats_get_vector (v, i) : kg_vector (0, 0, 0);
      o->radius[i] = width != NULL ? 0.5 * (double) width[i] : 0;
      o->loudness[i] = loudness != NULL ? (double) loudness[i] : 1;
      o->gone[i] = s->thing_gone[i] != 0;
    }
  }
  read_kinds (s->program, w->agents, s->n, "agent", o->kind + s->m);
  for (size_t i = 0; i < s->n; i++) {
    memcpy (o->p + 3 * (s->m + i), s->p + 3 * i, 3 * sizeof *s->p);
    o->v[s->m + i] = kg_floats_get_vector (s->v, i);
    o->radius[s->m + i] = agent_width != NULL ? 0.5 * (double) agent_width[i] : w->settings.body_radius;
    o->loudness[s->m + i] = agent_loudness != NULL ? (double) agent_loudness[i] : 1;
    o->gone[s->m + i] = s->gone[i] != 0;
  }
}

static bool
make_tree (AgentStep *s, const float *p, const uint32_t *index, size_t n, PointTree **tree)
{
  g_autofree float *places = g_new (float, 3 * n + 1);

  for (size_t i = 0; i < n; i++)
    memcpy (places + 3 * i, p + 3 * (size_t) index[i], 3 * sizeof *places);
  *tree = point_tree_new (places, n, s->monitor);
  return *tree != NULL;
}

static void
note_targets (AgentStep *s)
{
  const AgentProgram *program = s->program;

  for (guint i = 0; i < program->questions->len; i++) {
    const AgentQuestion *question = &g_array_index (program->questions, AgentQuestion, i);

    if (question->ask <= ASK_OF_KINDS)
      s->kinds[question->subject].asked[question->ask] = true;
  }
  for (guint i = 0; i < program->motors->len; i++) {
    const AgentMotor *motor = &g_array_index (program->motors, AgentMotor, i);

    if (motor->target == TARGET_FREE)
      s->kinds[motor->subject].free = true;
  }
}

/* What is late is told by where all was: attributes past_p0 ... of the steps, in a ring; those before the first step are as in it. */
static void
name_past (uint64_t step, char p[24], char v[24])
{
  g_snprintf (p, 24, "past_p%u", (guint) (step % PAST_RING));
  g_snprintf (v, 24, "past_v%u", (guint) (step % PAST_RING));
}

/* In steps; 0: senses are not late.  All agents have the delay of the first. */
static double
get_delay (const AgentStep *s)
{
  g_autofree double *row = NULL;

  if (s->program->senses.delay < 0 || s->n == 0 || !(s->world->dt > 0))
    return 0;
  row = g_new (double, agent_program_get_n_inputs (s->program));
  agent_get_row (s, 0, row);
  return kg_clamp (agent_program_call (s->program, s->program->senses.delay, 0, row) / s->world->dt, 0, MOST_PAST);
}

/* Where one of the first n objects, or of the others, was so many steps ago.  Where nothing was kept, it is where it is. */
static void
look_back_at (const AgentStep *s, const KgGeometry *state, size_t first, guint back, float share)
{
  const size_t n = kg_geometry_get_n_points (state);
  const AgentObjects *o = &s->objects;
  const int32_t *known = kg_geometry_get_int (state, KG_POINTS, "past_known", 1);
  const float *p = NULL, *v = NULL;
  guint found = 0; /* the steps that p and v are of */

  for (size_t i = 0; known != NULL && i < n; i++) {
    const guint steps = MIN (back, (guint) MAX (known[i], 0));

    if (steps == 0)
      continue;
    /* Nearly all have been known for as long. */
    if (steps != found) {
      char name_p[24], name_v[24];

      name_past (s->step - steps, name_p, name_v);
      p = kg_geometry_get_float (state, KG_POINTS, name_p, 3);
      v = kg_geometry_get_float (state, KG_POINTS, name_v, 3);
      found = steps;
    }
    if (p == NULL || v == NULL)
      continue;
    for (size_t c = 0; c < 3; c++)
      o->seen_p[3 * (first + i) + c] += share * (p[3 * i + c] - o->p[3 * (first + i) + c]);
    o->seen_v[first + i] = kg_vector_add_scaled (o->seen_v[first + i], (double) share,
                                                 kg_vector_subtract (kg_floats_get_vector (v, i), o->v[first + i]));
  }
}

/* All objects as they were the delay of senses ago. */
static void
look_back (AgentStep *s)
{
  AgentObjects *o = &s->objects;
  const double delay = get_delay (s);
  const guint back = (guint) ceil (delay - 1e-9);
  const float share = (float) ((double) back - delay); /* of the step after that */

  o->seen_p = o->p;
  o->seen_v = o->v;
  if (back == 0)
    return;
  o->seen_p = g_memdup2 (o->p, (3 * o->n + 1) * sizeof *o->p);
  o->seen_v = g_memdup2 (o->v, (o->n + 1) * sizeof *o->v);
  for (guint k = 0; k < 2; k++) {
    look_back_at (s, s->state->things, 0, back - k, k == 0 ? 1 - share : share);
    look_back_at (s, s->state->agents, s->m, back - k, k == 0 ? 1 - share : share);
  }
}

static void
keep_objects (const AgentStep *s, KgGeometry *state, size_t first, guint most)
{
  const size_t n = kg_geometry_get_n_points (state);
  char name_p[24], name_v[24];
  int32_t *known;
  float *p, *v;

  /* What is older than any will be asked for. */
  name_past (s->step + PAST_RING - most - 1, name_p, name_v);
  kg_geometry_remove_attribute (state, KG_POINTS, name_p);
  kg_geometry_remove_attribute (state, KG_POINTS, name_v);
  name_past (s->step, name_p, name_v);
  p = kg_geometry_edit_float (state, KG_POINTS, name_p, 3);
  v = kg_geometry_edit_float (state, KG_POINTS, name_v, 3);
  known = kg_geometry_edit_int (state, KG_POINTS, "past_known", 1);
  for (size_t i = 0; i < n; i++) {
    memcpy (p + 3 * i, s->objects.p + 3 * (first + i), 3 * sizeof *p);
    kg_floats_set_vector (v, i, s->objects.v[first + i]);
    known[i] = (int32_t) MIN ((guint) MAX (known[i], 0) + 1, most);
  }
}

void
agent_step_keep_past (AgentStep *s)
{
  /* A delay that grows later finds no more than it has asked for so far, and one step. */
  const guint most = MIN ((guint) ceil (get_delay (s) - 1e-9) + 1, MOST_PAST);

  if (s->program->senses.delay < 0)
    return;
  keep_objects (s, s->state->things, 0, most);
  keep_objects (s, s->state->agents, s->m, most);
}

void
agent_world_hide_past (KgGeometry *agents)
{
  for (guint k = kg_geometry_get_n_attributes (agents, KG_POINTS); k > 0; k--) {
    KgAttribute attribute;

    kg_geometry_get_attribute (agents, KG_POINTS, k - 1, &attribute);
    if (g_str_has_prefix (attribute.name, "past_") || g_str_has_prefix (attribute.name, "held_"))
      kg_geometry_remove_attribute (agents, KG_POINTS, attribute.name);
  }
}

/* Views of what those saw that do not look in each step. */
static void
open_held (AgentStep *s, guint k)
{
  KgGeometry *g = s->state->agents;
  char name[32];

  if (s->program->senses.rate < 0)
    return;
  g_snprintf (name, sizeof name, "held_%u", k);
  s->kinds[k].held = kg_geometry_edit_int (g, KG_POINTS, name, 2);
  for (guint half = 0; half < 2; half++) {
    g_snprintf (name, sizeof name, "held_%u_%u", k, half);
    s->kinds[k].held_answers[half] = kg_geometry_edit_float (g, KG_POINTS, name, 4);
  }
}

static bool
is_rendered (const AgentStep *s)
{
  return s->program->senses.given ? s->program->senses.rendered : s->world->settings.sense == SENSE_RENDERED;
}

bool
agent_step_collect (AgentStep *s)
{
  const AgentProgram *program = s->program;
  size_t count = 0;

  read_objects (s);
  look_back (s);
  s->kinds = g_new0 (AgentKind, program->kinds->len + 1);
  note_targets (s);
  for (guint k = 0; k < program->kinds->len; k++) {
    AgentKind *kind = &s->kinds[k];

    if ((program->sensed >> k & 1) == 0)
      continue;
    kind->index = g_new (uint32_t, s->objects.n + 1);
    for (size_t i = 0; i < s->objects.n; i++)
      if (s->objects.kind[i] == (int) k && s->objects.gone[i] == 0) {
        kind->index[kind->n++] = (uint32_t) i;
        kind->loudest = fmax (kind->loudest, s->objects.loudness[i]);
        kind->largest = fmax (kind->largest, s->objects.radius[i]);
      }
    kind->nearest = g_new (int32_t, s->n + 1);
    kind->nearest_free = kind->free ? g_new (int32_t, s->n + 1) : NULL;
    open_held (s, k);
    if (!make_tree (s, s->objects.seen_p, kind->index, kind->n, &kind->tree))
      return false;
  }
  if (is_rendered (s)) {
    s->visible_index = g_new (uint32_t, s->objects.n + 1);
    for (size_t i = 0; i < s->objects.n; i++)
      if (s->objects.gone[i] == 0) {
        s->visible_index[s->n_visible++] = (uint32_t) i;
        s->largest = fmax (s->largest, s->objects.radius[i]);
      }
    if (!make_tree (s, s->objects.seen_p, s->visible_index, s->n_visible, &s->visible))
      return false;
  }
  if (s->world->settings.look_ahead <= 0 && !s->world->settings.collide)
    return true;
  s->body_index = g_new (uint32_t, s->n + 1);
  for (size_t i = 0; i < s->n; i++)
    if (s->gone[i] == 0)
      s->body_index[count++] = (uint32_t) (s->m + i);
  return make_tree (s, s->objects.p, s->body_index, count, &s->bodies);
}

void
agent_step_release (AgentStep *s)
{
  AgentObjects *o = &s->objects;
  const bool late = o->seen_p != o->p;
  void *const blocks[] = { late ? o->seen_p : NULL,
                           late ? o->seen_v : NULL,
                           o->p,
                           o->v,
                           o->radius,
                           o->loudness,
                           o->kind,
                           o->gone,
                           s->body_index };

  for (guint k = 0; s->kinds != NULL && k < s->program->kinds->len; k++) {
    g_free (s->kinds[k].index);
    g_free (s->kinds[k].nearest);
    g_free (s->kinds[k].nearest_free);
    g_clear_pointer (&s->kinds[k].tree, point_tree_free);
  }
  g_clear_pointer (&s->kinds, g_free);
  g_clear_pointer (&s->bodies, point_tree_free);
  g_clear_pointer (&s->visible, point_tree_free);
  g_clear_pointer (&s->visible_index, g_free);
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    g_free (blocks[i]);
}

/* How far and how wide an agent senses. */
typedef struct {
  bool sight, touch, hearing, all;
  double radius, cosine, reach, threshold;
  const AgentView *view; /* (nullable) */
  double pixels;
} Organ;

typedef struct {
  bool seen, heard, touched;
} Contact;

static Contact
sense_object (const AgentStep *s, const Organ *organ, size_t i, KgVector heading, uint32_t object, double distance)
{
  const AgentObjects *o = &s->objects;
  const KgVector x = kg_floats_get_vector (s->p, i),
                 d = kg_vector_subtract (kg_floats_get_vector (o->seen_p, object), x);
  Contact contact;

  contact.seen = organ->all;
  contact.touched = organ->touch && distance <= o->radius[s->m + i] + o->radius[object] + organ->reach;
  contact.heard = organ->hearing && o->loudness[object] >= organ->threshold * distance * distance;
  if (organ->view != NULL && !contact.seen)
    contact.seen = distance <= organ->radius &&
                   (double) agent_view_count (organ->view, (int32_t) object) >= organ->pixels;
  else if (organ->sight && !contact.seen && distance <= organ->radius &&
           kg_vector_dot (d, heading) >= organ->cosine * distance - 1e-9) {
    double t = 1;
    uint32_t triangle;

    /* It is not hidden by what it stands in. */
    t = distance > 1e-9 ? 1 - fmin (o->radius[object] / distance, 0.99) : 0;
    contact.seen = s->world->obstacles == NULL || !triangle_mesh_hit (s->world->obstacles, x, d, &t, &triangle);
  }
  return contact;
}

/* What is remembered first goes when there is no room: the least recently seen. */
static void
remember (AgentStep *s, size_t i, uint32_t object)
{
  int32_t *of = s->memory_of + AGENT_MEMORY * i;
  guint slot = 0;

  for (guint k = 0; k < s->world->settings.memory_limit; k++) {
    if (of[k] == (int32_t) object) {
      slot = k;
      break;
    }
    if (of[k] < 0 ? of[slot] >= 0
                  : of[slot] >= 0 && s->memory_time[AGENT_MEMORY * i + k] < s->memory_time[AGENT_MEMORY * i + slot])
      slot = k;
  }
  of[slot] = (int32_t) object;
  s->memory_time[AGENT_MEMORY * i + slot] = (float) s->world->time;
  for (int c = 0; c < 3; c++)
    s->memory_p[c][AGENT_MEMORY * i + slot] = s->objects.seen_p[3 * (size_t) object + (size_t) c];
  for (size_t c = 0; c < 3 && s->memory_v[0] != NULL; c++)
    s->memory_v[c][AGENT_MEMORY * i + slot] = (float) kg_vector_get (s->objects.seen_v[object], c);
}

double
agent_step_get_extrapolation (const AgentStep *s, size_t i)
{
  const int expression = s->program->extrapolate;
  g_autofree double *row = NULL;

  if (expression < 0)
    return 0;
  row = g_new (double, agent_program_get_n_inputs (s->program));
  agent_get_row (s, i, row);
  return fmax (0, agent_program_call (s->program, expression, 0, row));
}

KgVector
agent_step_believe (const AgentStep *s, size_t at, double seconds)
{
  const double age = kg_clamp (s->world->time - (double) s->memory_time[at], 0, seconds);
  KgVector place = { (double) s->memory_p[0][at], (double) s->memory_p[1][at], (double) s->memory_p[2][at] };

  if (s->memory_v[0] != NULL)
    place = kg_vector_add_scaled (
        place, age, kg_vector ((double) s->memory_v[0][at], (double) s->memory_v[1][at], (double) s->memory_v[2][at]));
  return place;
}

/* What was seen too long ago, or is not where it was, or where it would be by now. */
static void
forget (AgentStep *s, const Organ *organ, size_t i, KgVector heading, double seconds)
{
  const KgVector x = kg_floats_get_vector (s->p, i);
  const double moves_on = agent_step_get_extrapolation (s, i);

  for (guint k = 0; k < AGENT_MEMORY; k++) {
    const size_t at = AGENT_MEMORY * i + k;
    const int32_t object = s->memory_of[at];
    KgVector place, d;
    double distance;
    bool in_view;

    if (object < 0)
      continue;
    if (object >= (int32_t) s->objects.n || k >= s->world->settings.memory_limit ||
        s->world->time - (double) s->memory_time[at] >= seconds + 1e-6) {
      s->memory_of[at] = -1;
      continue;
    }
    if (s->memory_time[at] >= (float) s->world->time)
      continue;
    place = agent_step_believe (s, at, moves_on);
    d = kg_vector_subtract (place, x);
    distance = kg_vector_length (d);
    in_view = organ->all ||
              (organ->sight && distance <= organ->radius && kg_vector_dot (d, heading) >= organ->cosine * distance);
    if (in_view && !organ->all && s->world->obstacles != NULL) {
      double t = 1;
      uint32_t triangle;

      in_view = !triangle_mesh_hit (s->world->obstacles, x, d, &t, &triangle);
    }
    if (in_view && organ->view != NULL && !organ->all)
      in_view = agent_view_is_open (organ->view, place);
    if (in_view)
      s->memory_of[at] = -1;
  }
}

/* Of one kind, for one agent. */
static void
sense_kind (AgentStep *s, const Organ *organ, size_t i, guint k, KgVector heading, GArray *within, double *answers)
{
  AgentKind *kind = &s->kinds[k];
  const bool recalled = (s->program->recalled >> k & 1) != 0;
  const bool all = kind->asked[ASK_COUNT] || recalled;
  const KgVector x = kg_floats_get_vector (s->p, i);
  double radius = organ->all ? INFINITY : 0, count = 0;
  size_t look = all && !organ->all ? COUNT_MOST : FIRST_LOOK, found = 0, done = 0;
  PointNear near[FIRST_LOOK];
  const PointNear *items = near;

  kind->nearest[i] = -1;
  if (kind->nearest_free != NULL)
    kind->nearest_free[i] = -1;
  for (guint a = 0; a <= ASK_OF_KINDS; a++)
    answers[a] = 0;
  answers[ASK_DISTANCE] = AGENT_FAR;
  if (organ->sight)
    radius = fmax (radius, organ->radius);
  if (organ->hearing)
    radius = fmax (radius, sqrt (kind->loudest / fmax (organ->threshold, 1e-12)));
  if (organ->touch)
    radius = fmax (radius, (organ->reach + s->objects.radius[s->m + i] + kind->largest) * (1 + 1e-6));
  for (bool more = kind->n > 0; more;) {
    if (look <= FIRST_LOOK)
      found = point_tree_find_nearest (kind->tree, s->p + 3 * i, look, (float) radius, near);
    else {
      g_array_set_size (within, (guint) look);
      found = point_tree_find_nearest (kind->tree, s->p + 3 * i, look, (float) radius,
                                       (PointNear *) (gpointer) within->data);
      items = (const PointNear *) (gpointer) within->data;
    }
    for (; done < found; done++) {
      const uint32_t object = kind->index[items[done].index];
      const double distance = kg_vector_distance (x, kg_floats_get_vector (s->objects.seen_p, object));
      Contact contact;

      if (object == s->m + i)
        continue;
      contact = sense_object (s, organ, i, heading, object, distance);
      answers[ASK_SEES] = fmax (answers[ASK_SEES], contact.seen);
      answers[ASK_HEARS] = fmax (answers[ASK_HEARS], contact.heard);
      answers[ASK_TOUCHES] = fmax (answers[ASK_TOUCHES], contact.touched);
      if (!contact.seen && !contact.heard && !contact.touched)
        continue;
      answers[ASK_SENSES] = 1;
      count++;
      if (kind->nearest[i] < 0) {
        kind->nearest[i] = (int32_t) object;
        answers[ASK_DISTANCE] = distance;
      }
      if (kind->nearest_free != NULL && kind->nearest_free[i] < 0 &&
          (object >= s->m || ((s->claimed[object] < 0 || s->claimed[object] == (int32_t) i) &&
                              (s->holder[object] < 0 || s->holder[object] == (int32_t) i))))
        kind->nearest_free[i] = (int32_t) object;
      if (recalled)
        remember (s, i, object);
    }
    more = found == look && (!all || organ->all) && look < kind->n &&
           (kind->nearest[i] < 0 || (kind->free && kind->nearest_free[i] < 0) ||
            (kind->asked[ASK_HEARS] && answers[ASK_HEARS] == 0 && organ->hearing) ||
            (kind->asked[ASK_TOUCHES] && answers[ASK_TOUCHES] == 0 && organ->touch && look < 64) ||
            (kind->asked[ASK_SEES] && answers[ASK_SEES] == 0 && organ->sight));
    look *= 8;
  }
  /* Whoever knows all knows how many. */
  answers[ASK_COUNT] = organ->all ? (double) kind->n - (s->objects.kind[s->m + i] == (int) k && s->gone[i] == 0 ? 1 : 0)
                                  : count;
  if (kind->nearest[i] >= 0) {
    const KgVector d = kg_vector_subtract (kg_floats_get_vector (s->objects.seen_p, (size_t) kind->nearest[i]), x);
    const KgVector left = kg_vector_cross (kg_vector (0, 1, 0), heading);

    answers[ASK_BEARING] = atan2 (kg_vector_dot (d, left), kg_vector_dot (d, heading)) * 180 / KG_PI;
  }
}

/* What is within reach of the eye of agent i, nearest first as far as memory goes. */
static void
render_view (const AgentStep *s, const Organ *organ, size_t i, double fov, GArray *within, AgentView *view)
{
  const float *q = s->orient + 4 * i;
  const KgRotation look = kg_floats_get_rotation (q, 0);

  agent_view_begin (view, kg_floats_get_vector (s->p, i), look, fov);
  g_array_set_size (within, 0);
  point_tree_find_within (s->visible, s->p + 3 * i, (float) (organ->radius + s->largest), within);
  for (guint k = 0; k < within->len; k++) {
    const uint32_t object = s->visible_index[g_array_index (within, PointNear, k).index];

    if (object != s->m + i)
      agent_view_add (view, (int32_t) object, kg_floats_get_vector (s->objects.seen_p, object),
                      s->objects.radius[object]);
  }
  if (s->world->obstacles != NULL)
    agent_view_hide (view, s->world->obstacles);
}

/* Agents that look so often a second do so at times of their own. */
static bool
looks_now (const AgentStep *s, size_t i, double rate)
{
  const double shift = agent_column (s, AGENT_U)[i], now = s->world->time * rate + shift;

  return s->program->senses.rate < 0 || !(rate > 0) || s->step <= 1 ||
         floor (now + 1e-6) != floor (now - s->world->dt * rate + 1e-6);
}

/* What was seen last is what is believed until the next look; what is gone is not. */
static void
recall_look (AgentStep *s, size_t i, guint k, double *answers)
{
  AgentKind *kind = &s->kinds[k];

  for (guint a = 0; a <= ASK_OF_KINDS; a++)
    answers[a] = (double) kind->held_answers[a / 4][4 * i + a % 4];
  for (guint which = 0; which < 2; which++) {
    int32_t *nearest = which == 0 ? kind->nearest : kind->nearest_free;
    const int32_t object = kind->held[2 * i + which];

    if (nearest != NULL)
      nearest[i] = object >= 0 && object < (int32_t) s->objects.n && s->objects.gone[object] == 0 ? object : -1;
  }
}

static void
hold_look (AgentStep *s, size_t i, guint k, const double *answers)
{
  AgentKind *kind = &s->kinds[k];

  for (guint a = 0; kind->held != NULL && a <= ASK_OF_KINDS; a++)
    kind->held_answers[a / 4][4 * i + a % 4] = (float) answers[a];
  if (kind->held != NULL) {
    kind->held[2 * i] = kind->nearest[i];
    kind->held[2 * i + 1] = kind->nearest_free != NULL ? kind->nearest_free[i] : -1;
  }
}

static void
answer_memory (AgentStep *s, size_t i, guint question, guint kind)
{
  double answer = 0;

  for (guint k = 0; k < AGENT_MEMORY; k++) {
    const int32_t object = s->memory_of[AGENT_MEMORY * i + k];

    if (object >= 0 && object < (int32_t) s->objects.n && s->objects.kind[object] == (int) kind)
      answer = 1;
  }
  agent_column (s, AGENT_N_FIXED + question)[i] = answer;
}

void
agent_step_sense (AgentStep *s, size_t start, size_t n)
{
  const AgentProgram *program = s->program;
  const AgentSettings *settings = &s->world->settings;
  const AgentSenses *senses = &program->senses;
  g_autofree const double **inputs = g_new (const double *, agent_program_get_n_inputs (program));
  g_autoptr (GArray) within = g_array_new (FALSE, FALSE, sizeof (PointNear));
  double radius[AGENT_BLOCK], fov[AGENT_BLOCK], reach[AGENT_BLOCK], threshold[AGENT_BLOCK], memory[AGENT_BLOCK],
      pixels[AGENT_BLOCK], rate[AGENT_BLOCK];
  g_autofree AgentView *view = is_rendered (s) ? g_new (AgentView, 1) : NULL;
  const Organ closed = { .sight = false };

  agent_get_inputs (s, start, inputs);
  agent_program_run (program, senses->radius, settings->sight_radius, inputs, n, radius);
  agent_program_run (program, senses->fov, settings->sight_fov * 180 / KG_PI, inputs, n, fov);
  agent_program_run (program, senses->reach, settings->reach, inputs, n, reach);
  agent_program_run (program, senses->threshold, 1, inputs, n, threshold);
  agent_program_run (program, program->memory, settings->memory, inputs, n, memory);
  agent_program_run (program, senses->pixels, 1, inputs, n, pixels);
  agent_program_run (program, senses->rate, 0, inputs, n, rate);
  for (size_t j = 0; j < n; j++) {
    const size_t i = start + j;
    const bool given = senses->given;
    const Organ organ = { .sight = given ? senses->sight : settings->sense >= SENSE_SIGHT,
                          .touch = given ? senses->touch : settings->sense != SENSE_ALL,
                          .hearing = senses->hearing,
                          .all = given ? senses->all : settings->sense == SENSE_ALL,
                          .radius = kg_clamp (radius[j], 0, AGENT_FAR),
                          .cosine = cos (kg_clamp (fov[j], 0, 360) * KG_PI / 360),
                          .reach = kg_clamp (reach[j], 0, AGENT_FAR),
                          .threshold = fmax (threshold[j], 0),
                          .view = view,
                          .pixels = fmax (pixels[j], 1) };
    const KgVector heading = agent_get_heading (s, i);
    double answers[AGENT_MAX_ITEMS][ASK_OF_KINDS + 1];
    bool looks;

    if (s->gone[i] != 0 || kg_progress_is_cancelled (s->monitor)) {
      for (guint k = 0; k < program->kinds->len; k++)
        if (s->kinds[k].nearest != NULL) {
          s->kinds[k].nearest[i] = -1;
          if (s->kinds[k].nearest_free != NULL)
            s->kinds[k].nearest_free[i] = -1;
        }
      continue;
    }
    looks = looks_now (s, i, rate[j]);
    if (view != NULL && looks)
      render_view (s, &organ, i, kg_clamp (fov[j], 0.1, 360) * KG_DEGREE, within, view);
    for (guint k = 0; k < program->kinds->len; k++) {
      if ((program->sensed >> k & 1) == 0)
        continue;
      if (looks) {
        sense_kind (s, &organ, i, k, heading, within, answers[k]);
        hold_look (s, i, k, answers[k]);
      } else
        recall_look (s, i, k, answers[k]);
    }
    if (program->recalled != 0)
      forget (s, looks ? &organ : &closed, i, heading, fmax (memory[j], 0));
    for (guint q = 0; q < program->questions->len; q++) {
      const AgentQuestion *question = &g_array_index (program->questions, AgentQuestion, q);
      double *answer = &agent_column (s, AGENT_N_FIXED + q)[i];

      if (question->ask == ASK_REMEMBERS)
        answer_memory (s, i, q, question->subject);
      else if (question->ask <= ASK_OF_KINDS)
        *answer = answers[question->subject][question->ask];
      else if (question->ask == ASK_SMELL)
        *answer = agent_step_smell (s, question->subject, kg_floats_get_vector (s->p, i));
      else if (question->ask == ASK_IN)
        *answer = agent_is_in (s, i, question->subject);
      else {
        *answer = 0;
        for (guint k = 0; k < AGENT_MAX_SETS; k++)
          if (s->behaviours[AGENT_MAX_SETS * i + k] == (int32_t) question->subject)
            *answer = 1;
      }
    }
  }
}
