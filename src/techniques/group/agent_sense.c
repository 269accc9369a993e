/* agent_sense: what agents know of the world around them, and what they remember.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "group/agent_step.h"
#include "kg-floats.h"
#include "group/agent_view.h"

#include <string.h>

/* How many of the nearest are looked at first. */
#define FIRST_LOOK 8
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

static bool
is_rendered (const AgentStep *s)
{
  return s->program->senses.given ? s->program->senses.rendered : s->world->settings.sense == SENSE_RENDERED;
}

/* The objects of a kind, and all that views show. */
static void
index_objects (AgentStep *s)
{
  const AgentObjects *o = &s->objects;

  for (guint k = 0; k < s->program->kinds->len; k++) {
    AgentKind *kind = &s->kinds[k];

    if ((s->program->sensed >> k & 1) == 0)
      continue;
    kind->index = g_new (uint32_t, o->n + 1);
    for (size_t i = 0; i < o->n; i++)
      if (o->kind[i] == (int) k && o->gone[i] == 0) {
        kind->index[kind->n++] = (uint32_t) i;
        kind->loudest = fmax (kind->loudest, o->loudness[i]);
        kind->largest = fmax (kind->largest, o->radius[i]);
      }
    kind->nearest = g_new (int32_t, s->n + 1);
    kind->nearest_by = g_new0 (uint8_t, s->n + 1);
    kind->nearest_free = kind->free ? g_new (int32_t, s->n + 1) : NULL;
    kind->nearest_free_by = kind->free ? g_new0 (uint8_t, s->n + 1) : NULL;
  }
  if (!is_rendered (s))
    return;
  s->visible_index = g_new (uint32_t, o->n + 1);
  for (size_t i = 0; i < o->n; i++)
    if (o->gone[i] == 0) {
      s->visible_index[s->n_visible++] = (uint32_t) i;
      s->largest = fmax (s->largest, o->radius[i]);
    }
}

static bool
plant_trees (AgentStep *s, AgentMoment *moment)
{
  moment->trees = g_new0 (PointTree *, s->program->kinds->len + 1);
  for (guint k = 0; k < s->program->kinds->len; k++)
    if ((s->program->sensed >> k & 1) != 0 &&
        !make_tree (s, moment->p, s->kinds[k].index, s->kinds[k].n, &moment->trees[k]))
      return false;
  return s->visible_index == NULL || make_tree (s, moment->p, s->visible_index, s->n_visible, &moment->visible);
}

bool
agent_step_collect (AgentStep *s, GError **error)
{
  size_t count = 0;

  read_objects (s);
  if (!agent_step_look_back (s, error))
    return false;
  s->kinds = g_new0 (AgentKind, s->program->kinds->len + 1);
  note_targets (s);
  index_objects (s);
  for (guint k = 0; k < s->moments->len; k++)
    if (!plant_trees (s, (AgentMoment *) s->moments->pdata[k]))
      return false;
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
  void *const blocks[] = { o->p, o->v, o->radius, o->loudness, o->kind, o->gone, s->body_index, s->visible_index };

  agent_step_release_past (s);
  for (guint k = 0; s->kinds != NULL && k < s->program->kinds->len; k++) {
    void *const of_kind[] = { s->kinds[k].index, s->kinds[k].nearest, s->kinds[k].nearest_free, s->kinds[k].nearest_by,
                              s->kinds[k].nearest_free_by };

    for (guint i = 0; i < G_N_ELEMENTS (of_kind); i++)
      g_free (of_kind[i]);
  }
  g_clear_pointer (&s->kinds, g_free);
  g_clear_pointer (&s->bodies, point_tree_free);
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

/* How an agent perceived all at a moment. */
typedef struct {
  const AgentMoment *moment;
  Organ organ;
  KgVector eye, heading;
  double time, moved; /* moved: how far it is from there now */
} Look;

typedef struct {
  bool seen, heard, touched;
} Contact;

static Contact
sense_object (const AgentStep *s, const Look *look, size_t i, uint32_t object, double distance)
{
  const AgentObjects *o = &s->objects;
  const Organ *organ = &look->organ;
  const KgVector x = look->eye, d = kg_vector_subtract (kg_floats_get_vector (look->moment->p, object), x);
  Contact contact;

  contact.seen = organ->all;
  contact.touched = organ->touch && distance <= o->radius[s->m + i] + o->radius[object] + organ->reach;
  contact.heard = organ->hearing && o->loudness[object] >= organ->threshold * distance * distance;
  if (organ->view != NULL && !contact.seen)
    contact.seen = distance <= organ->radius &&
                   (double) agent_view_count (organ->view, (int32_t) object) >= organ->pixels;
  else if (organ->sight && !contact.seen && distance <= organ->radius &&
           kg_vector_dot (d, look->heading) >= organ->cosine * distance - 1e-9) {
    double t = 1;
    uint32_t triangle;

    /* It is not hidden by what it stands in. */
    t = distance > 1e-9 ? 1 - fmin (o->radius[object] / distance, 0.99) : 0;
    contact.seen = s->world->obstacles == NULL || !triangle_mesh_hit (s->world->obstacles, x, d, &t, &triangle);
  }
  return contact;
}

/* What is remembered first goes when there is no room: the least recently seen.  The time is that at which it was there, and
 * what is known of a later time stays.  Returns the slot. */
static guint
remember (AgentStep *s, size_t i, uint32_t object, const Look *look)
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
  if (look->moment->back > 0 && of[slot] == (int32_t) object &&
      (double) s->memory_time[AGENT_MEMORY * i + slot] > look->time + 0.5 * s->world->dt)
    return slot;
  of[slot] = (int32_t) object;
  s->memory_time[AGENT_MEMORY * i + slot] = (float) look->time;
  for (int c = 0; c < 3; c++)
    s->memory_p[c][AGENT_MEMORY * i + slot] = look->moment->p[3 * (size_t) object + (size_t) c];
  for (size_t c = 0; c < 3 && s->memory_v[0] != NULL; c++)
    s->memory_v[c][AGENT_MEMORY * i + slot] = (float) kg_vector_get (look->moment->v[object], c);
  return slot;
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
agent_step_believe (const AgentStep *s, size_t at, double time, double seconds)
{
  const double age = kg_clamp (time - (double) s->memory_time[at], 0, seconds);
  KgVector place = { (double) s->memory_p[0][at], (double) s->memory_p[1][at], (double) s->memory_p[2][at] };

  if (s->memory_v[0] != NULL)
    place = kg_vector_add_scaled (
        place, age, kg_vector ((double) s->memory_v[0][at], (double) s->memory_v[1][at], (double) s->memory_v[2][at]));
  return place;
}

/* Whether an agent saw that a place was empty, or what is there. */
static bool
views_place (const AgentStep *s, const Look *look, KgVector place)
{
  const Organ *organ = &look->organ;
  const KgVector d = kg_vector_subtract (place, look->eye);
  const double distance = kg_vector_length (d);
  bool in_view = organ->all || (organ->sight && distance <= organ->radius &&
                                kg_vector_dot (d, look->heading) >= organ->cosine * distance);

  if (in_view && !organ->all && s->world->obstacles != NULL) {
    double t = 1;
    uint32_t triangle;

    in_view = !triangle_mesh_hit (s->world->obstacles, look->eye, d, &t, &triangle);
  }
  if (in_view && organ->view != NULL && !organ->all)
    in_view = agent_view_is_open (organ->view, place);
  return in_view;
}

/* What was seen too long ago, or is not where it was, or where it would be by then.  perceived: slots of what is perceived: as
 * long as it is, it is not forgotten, however late the senses are. */
static void
forget (AgentStep *s, const Look *looks, guint n_looks, size_t i, double seconds, guint32 perceived)
{
  const double moves_on = agent_step_get_extrapolation (s, i);

  for (guint k = 0; k < AGENT_MEMORY; k++) {
    const size_t at = AGENT_MEMORY * i + k;
    const int32_t object = s->memory_of[at];
    const bool now = (perceived >> k & 1) != 0;

    if (object < 0)
      continue;
    if (object >= (int32_t) s->objects.n || k >= s->world->settings.memory_limit ||
        (!now && s->world->time - (double) s->memory_time[at] >= seconds + 1e-6)) {
      s->memory_of[at] = -1;
      continue;
    }
    for (guint l = 0; !now && l < n_looks && s->memory_of[at] >= 0; l++)
      if (s->memory_time[at] < (float) (looks[l].time - (looks[l].moment->back > 0 ? 0.5 * s->world->dt : 0)) &&
          views_place (s, &looks[l], agent_step_believe (s, at, looks[l].time, moves_on)))
        s->memory_of[at] = -1;
  }
}

static bool
holds_object (const GArray *objects, uint32_t object)
{
  for (guint k = 0; k < objects->len; k++)
    if (g_array_index (objects, uint32_t, k) == object)
      return true;
  return false;
}

/* What an agent perceives of a kind: answers, and how far the nearest free one is. */
typedef struct {
  double answers[ASK_OF_KINDS + 1];
  double free_distance;
} Percept;

/* Of one kind, for one agent.  known: (nullable) objects that later moments have shown, and those that this one shows. */
static void
sense_kind (AgentStep *s, const Look *look, size_t i, guint k, GArray *within, GArray *known, Percept *percept,
            guint32 *remembered)
{
  AgentKind *kind = &s->kinds[k];
  const Organ *organ = &look->organ;
  const PointTree *tree = look->moment->trees[k];
  const float *eye = look->moment->p + 3 * (s->m + i);
  const bool recalled = (s->program->recalled >> k & 1) != 0, late = look->moment->back > 0;
  const bool all = kind->asked[ASK_COUNT] || recalled;
  const KgVector x = kg_floats_get_vector (s->p, i);
  double *answers = percept->answers, radius = organ->all ? INFINITY : 0;
  size_t look_at = all && !organ->all ? COUNT_MOST : FIRST_LOOK, found = 0, done = 0;
  PointNear near[FIRST_LOOK];
  const PointNear *items = near;

  if (organ->sight)
    radius = fmax (radius, organ->radius);
  if (organ->hearing)
    radius = fmax (radius, sqrt (kind->loudest / fmax (organ->threshold, 1e-12)));
  if (organ->touch)
    radius = fmax (radius, (organ->reach + s->objects.radius[s->m + i] + kind->largest) * (1 + 1e-6));
  for (bool more = kind->n > 0; more;) {
    bool closer = false; /* what comes may be closer to where it is now */

    if (look_at <= FIRST_LOOK)
      found = point_tree_find_nearest (tree, eye, look_at, (float) radius, near);
    else {
      g_array_set_size (within, (guint) look_at);
      found = point_tree_find_nearest (tree, eye, look_at, (float) radius, (PointNear *) (gpointer) within->data);
      items = (const PointNear *) (gpointer) within->data;
    }
    for (; done < found; done++) {
      const uint32_t object = kind->index[items[done].index];
      const KgVector place = kg_floats_get_vector (look->moment->p, object);
      const double distance = kg_vector_distance (look->eye, place);
      double from_here = distance;
      Contact contact;
      uint8_t by;

      if (object == s->m + i)
        continue;
      contact = sense_object (s, look, i, object, distance);
      answers[ASK_SEES] = fmax (answers[ASK_SEES], contact.seen);
      answers[ASK_HEARS] = fmax (answers[ASK_HEARS], contact.heard);
      answers[ASK_TOUCHES] = fmax (answers[ASK_TOUCHES], contact.touched);
      if (!contact.seen && !contact.heard && !contact.touched)
        continue;
      answers[ASK_SENSES] = 1;
      if (known != NULL && holds_object (known, object))
        continue;
      if (known != NULL)
        g_array_append_val (known, object);
      answers[ASK_COUNT]++;
      if (late)
        from_here = kg_vector_distance (x, place);
      by = organ->all ? AGENT_KNOWLEDGE : contact.seen ? AGENT_SIGHT : contact.touched ? AGENT_TOUCH : AGENT_HEARING;
      if (kind->nearest[i] < 0 || (late && from_here < answers[ASK_DISTANCE])) {
        kind->nearest[i] = (int32_t) object;
        kind->nearest_by[i] = by;
        answers[ASK_DISTANCE] = from_here;
      }
      if (kind->nearest_free != NULL && (kind->nearest_free[i] < 0 || (late && from_here < percept->free_distance)) &&
          (object >= s->m || ((s->claimed[object] < 0 || s->claimed[object] == (int32_t) i) &&
                              (s->holder[object] < 0 || s->holder[object] == (int32_t) i)))) {
        kind->nearest_free[i] = (int32_t) object;
        kind->nearest_free_by[i] = by;
        percept->free_distance = from_here;
      }
      if (recalled)
        *remembered |= (guint32) 1 << remember (s, i, object, look);
    }
    if (late && found > 0)
      closer = sqrt ((double) items[found - 1].distance2) - look->moved <
               fmax (answers[ASK_DISTANCE], kind->free ? percept->free_distance : 0);
    more = found == look_at && (!all || organ->all) && look_at < kind->n &&
           (kind->nearest[i] < 0 || (kind->free && kind->nearest_free[i] < 0) || closer ||
            (kind->asked[ASK_HEARS] && answers[ASK_HEARS] == 0 && organ->hearing) ||
            (kind->asked[ASK_TOUCHES] && answers[ASK_TOUCHES] == 0 && organ->touch && look_at < 64) ||
            (kind->asked[ASK_SEES] && answers[ASK_SEES] == 0 && organ->sight));
    look_at *= 8;
  }
}

static void
begin_kind (AgentStep *s, size_t i, guint k, Percept *percept)
{
  *percept = (Percept){ .free_distance = AGENT_FAR };
  percept->answers[ASK_DISTANCE] = AGENT_FAR;
  s->kinds[k].nearest[i] = -1;
  if (s->kinds[k].nearest_free != NULL)
    s->kinds[k].nearest_free[i] = -1;
}

static void
finish_kind (AgentStep *s, const Organ *organ, size_t i, guint k, KgVector heading, double *answers)
{
  const AgentKind *kind = &s->kinds[k];

  /* Whoever knows all knows how many. */
  if (organ->all)
    answers[ASK_COUNT] = (double) kind->n - (s->objects.kind[s->m + i] == (int) k && s->gone[i] == 0 ? 1 : 0);
  if (kind->nearest[i] >= 0) {
    const float *p = agent_get_moment (s, i, (AgentChannel) kind->nearest_by[i])->p;
    const KgVector d =
        kg_vector_subtract (kg_floats_get_vector (p, (size_t) kind->nearest[i]), kg_floats_get_vector (s->p, i));
    const KgVector left = kg_vector_cross (kg_vector (0, 1, 0), heading);

    answers[ASK_BEARING] = atan2 (kg_vector_dot (d, left), kg_vector_dot (d, heading)) * 180 / KG_PI;
  }
}

/* Senses of the same moment are one look; the latest moment first. */
static guint
take_looks (const AgentStep *s, size_t i, const Organ *organ, Look looks[AGENT_N_CHANNELS])
{
  const bool on[AGENT_N_CHANNELS] = { organ->all, organ->sight, organ->touch, organ->hearing };
  const KgVector x = kg_floats_get_vector (s->p, i);
  guint n = 0;

  for (guint c = 0; c < AGENT_SMELL; c++) {
    const AgentMoment *moment = agent_get_moment (s, i, (AgentChannel) c);
    guint at = 0;

    if (!on[c])
      continue;
    while (at < n && looks[at].moment->back < moment->back)
      at++;
    if (at == n || looks[at].moment != moment) {
      const KgVector eye = kg_floats_get_vector (moment->p, s->m + i);

      memmove (looks + at + 1, looks + at, (n - at) * sizeof *looks);
      n++;
      looks[at] =
          (Look){ .moment = moment,
                  .organ = *organ,
                  .eye = eye,
                  .heading = kg_rotation_apply (kg_floats_get_rotation (moment->orient, i), kg_vector (0, 0, 1)),
                  .time = s->world->time - moment->back * s->world->dt,
                  .moved = kg_vector_distance (eye, x) };
      looks[at].organ.all = looks[at].organ.sight = looks[at].organ.touch = looks[at].organ.hearing = false;
      looks[at].organ.view = NULL;
    }
    looks[at].organ.all |= c == AGENT_KNOWLEDGE;
    looks[at].organ.sight |= c == AGENT_SIGHT;
    looks[at].organ.touch |= c == AGENT_TOUCH;
    looks[at].organ.hearing |= c == AGENT_HEARING;
    if (c == AGENT_SIGHT)
      looks[at].organ.view = organ->view;
  }
  return n;
}

/* What is within reach of the eye of agent i, nearest first as far as memory goes. */
static void
render_view (const AgentStep *s, const Look *look, size_t i, double fov, GArray *within, AgentView *view)
{
  const AgentMoment *moment = look->moment;

  agent_view_begin (view, look->eye, kg_floats_get_rotation (moment->orient, i), fov);
  g_array_set_size (within, 0);
  point_tree_find_within (moment->visible, moment->p + 3 * (s->m + i), (float) (look->organ.radius + s->largest),
                          within);
  for (guint k = 0; k < within->len; k++) {
    const uint32_t object = s->visible_index[g_array_index (within, PointNear, k).index];

    if (object != s->m + i)
      agent_view_add (view, (int32_t) object, kg_floats_get_vector (moment->p, object), s->objects.radius[object]);
  }
  if (s->world->obstacles != NULL)
    agent_view_hide (view, s->world->obstacles);
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
  g_autoptr (GArray) known = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  double radius[AGENT_BLOCK], fov[AGENT_BLOCK], reach[AGENT_BLOCK], threshold[AGENT_BLOCK], memory[AGENT_BLOCK],
      pixels[AGENT_BLOCK];
  g_autofree AgentView *view = is_rendered (s) ? g_new (AgentView, 1) : NULL;

  agent_get_inputs (s, start, inputs);
  agent_program_run (program, senses->radius, settings->sight_radius, inputs, n, radius);
  agent_program_run (program, senses->fov, settings->sight_fov * 180 / KG_PI, inputs, n, fov);
  agent_program_run (program, senses->reach, settings->reach, inputs, n, reach);
  agent_program_run (program, senses->threshold, 1, inputs, n, threshold);
  agent_program_run (program, program->memory, settings->memory, inputs, n, memory);
  agent_program_run (program, senses->pixels, 1, inputs, n, pixels);
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
    Percept percepts[AGENT_MAX_ITEMS];
    Look looks[AGENT_N_CHANNELS];
    guint32 remembered = 0;
    guint n_looks;

    if (s->gone[i] != 0 || kg_progress_is_cancelled (s->monitor)) {
      for (guint k = 0; k < program->kinds->len; k++)
        if (s->kinds[k].nearest != NULL) {
          s->kinds[k].nearest[i] = -1;
          if (s->kinds[k].nearest_free != NULL)
            s->kinds[k].nearest_free[i] = -1;
        }
      continue;
    }
    if (s->smelt != NULL)
      agent_step_note_smells (s, i);
    n_looks = take_looks (s, i, &organ, looks);
    g_array_set_size (known, 0);
    for (guint k = 0; k < program->kinds->len; k++)
      if ((program->sensed >> k & 1) != 0)
        begin_kind (s, i, k, &percepts[k]);
    for (guint l = 0; l < n_looks; l++) {
      if (looks[l].organ.view != NULL)
        render_view (s, &looks[l], i, kg_clamp (fov[j], 0.1, 360) * KG_DEGREE, within, view);
      for (guint k = 0; k < program->kinds->len; k++)
        if ((program->sensed >> k & 1) != 0)
          sense_kind (s, &looks[l], i, k, within, n_looks > 1 ? known : NULL, &percepts[k], &remembered);
    }
    for (guint k = 0; k < program->kinds->len; k++)
      if ((program->sensed >> k & 1) != 0)
        finish_kind (s, &organ, i, k, heading, percepts[k].answers);
    if (program->recalled != 0)
      forget (s, looks, n_looks, i, fmax (memory[j], 0), remembered);
    for (guint q = 0; q < program->questions->len; q++) {
      const AgentQuestion *question = &g_array_index (program->questions, AgentQuestion, q);
      double *answer = &agent_column (s, AGENT_N_FIXED + q)[i];

      if (question->ask == ASK_REMEMBERS)
        answer_memory (s, i, q, question->subject);
      else if (question->ask <= ASK_OF_KINDS)
        *answer = percepts[question->subject].answers[question->ask];
      else if (question->ask == ASK_SMELL)
        *answer = agent_step_get_smell (s, i, question->subject);
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
