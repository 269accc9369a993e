/* flock_lead: leaders of a flock, their slots and the wave of a manoeuvre.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/flock_step.h"

#include "kg-floats.h"
#include "sim/flight_frame.h"

#include <string.h>

/* Seconds in which the lead passes on. */
#define LEAD_BLEND 1.0

/* Whether a member would lead sooner than another one: it has more energy, or as much and is in front of it. */
static bool
leads_before (const float *energy, const float *p, KgVector heading, size_t i, size_t other)
{
  if (other == G_MAXSIZE || fabsf (energy[i] - energy[other]) > 1e-6f)
    return other == G_MAXSIZE || energy[i] > energy[other];
  return kg_vector_dot (kg_floats_get_vector (p, i), heading) >
         kg_vector_dot (kg_floats_get_vector (p, other), heading);
}

/* Who leads, in the new state: the one that is tired hands over to the one in front of the two with the most energy. */
void
flock_change_leader (FlockStep *step, KgGeometry *to, const float *p)
{
  const FlockSettings *s = step->s;
  int32_t *lead = kg_geometry_edit_int (to, KG_WHOLE, "lead", 4), *is_leader;
  float *since = kg_geometry_edit_float (to, KG_WHOLE, "lead_time", 1), *energy;
  const size_t leader = (size_t) CLAMP (lead[0], 0, (int32_t) step->n - 1);
  const KgVector heading = kg_floats_get_vector (step->heading, leader);
  size_t best[2] = { G_MAXSIZE, G_MAXSIZE };

  if (s->leader != FLOCK_LEADER_CHANGING)
    return;
  energy = kg_geometry_edit_float (to, KG_POINTS, "energy", 1);
  since[0] += (float) step->dt;
  for (size_t i = 0; i < step->n; i++) {
    const double rate = i == leader ? -s->lead_cost : s->rest_gain;

    energy[i] = (float) kg_clamp ((double) energy[i] + rate * step->dt, 0, 1);
  }
  for (size_t i = 0; i < step->n; i++) {
    if (i == leader)
      continue;
    if (leads_before (energy, p, heading, i, best[0])) {
      best[1] = best[0];
      best[0] = i;
    } else if (leads_before (energy, p, heading, i, best[1]))
      best[1] = i;
  }
  if (best[0] == G_MAXSIZE || !((double) energy[leader] < s->tired + 1e-6))
    return;
  if (best[1] != G_MAXSIZE && kg_vector_dot (kg_floats_get_vector (p, best[1]), heading) >
                                  kg_vector_dot (kg_floats_get_vector (p, best[0]), heading))
    best[0] = best[1];
  is_leader = kg_geometry_edit_int (to, KG_POINTS, "leader", 1);
  is_leader[leader] = 0;
  is_leader[best[0]] = 1;
  lead[1] = lead[0];
  lead[0] = (int32_t) best[0];
  since[0] = 0;
}

/* What is followed: the leader, and over a second still the one before. */
void
flock_find_lead (FlockStep *step, const KgGeometry *state)
{
  const int32_t *lead = kg_geometry_get_int (state, KG_WHOLE, "lead", 4);
  const double since = (double) kg_geometry_get_float (state, KG_WHOLE, "lead_time", 1)[0];
  const double share = kg_clamp (since / LEAD_BLEND, 0, 1);
  const size_t now = (size_t) CLAMP (lead[0], 0, (int32_t) step->n - 1),
               before = (size_t) CLAMP (lead[1], 0, (int32_t) step->n - 1);

  step->lead_place =
      kg_vector_lerp (kg_floats_get_vector (step->seen.p, before), kg_floats_get_vector (step->seen.p, now), share);
  step->lead_velocity =
      kg_vector_lerp (kg_floats_get_vector (step->seen_v, before), kg_floats_get_vector (step->seen_v, now), share);
  step->has_lead = step->s->leader == FLOCK_LEADER_SCRIPTED || step->s->leader == FLOCK_LEADER_CHANGING;
}

/* Gives out the slots anew when the formation or the leader changed. */
bool
flock_arrange (FlockStep *step, KgGeometry *to, const KgProgressMonitor *monitor)
{
  const FlockSettings *s = step->s;
  int32_t *lead = kg_geometry_edit_int (to, KG_WHOLE, "lead", 4), *slot;
  const size_t leader = (size_t) CLAMP (lead[0], 0, (int32_t) step->n - 1);
  const int32_t wanted = (int32_t) s->formation | (int32_t) leader << 3;
  g_autofree KgVector *places = NULL;

  if (s->formation == FORMATION_NONE)
    return true;
  slot = kg_geometry_edit_int (to, KG_POINTS, "slot", 1);
  if (lead[2] != wanted) {
    const KgVector forward = kg_vector_normalize_or (step->lead_velocity, kg_vector (0, 0, 1));
    const FlightFrame frame = flight_frame_level (forward, kg_vector (0, 1, 0), kg_vector (1, 0, 0));

    places = g_new (KgVector, step->n);
    formation_get_places (s->formation, step->n, s->formation_angle, s->spacing,
                          kg_floats_get_vector (step->seen.p, leader), frame.forward, frame.left, places);
    if (!formation_assign (step->seen.p, step->n, leader, frame.forward, places, slot, monitor))
      return false;
    lead[2] = wanted;
  }
  step->slot = slot;
  step->slot_owner = g_new0 (uint32_t, step->n);
  for (uint32_t i = 0; i < step->n; i++)
    step->slot_owner[CLAMP (slot[i], 0, (int32_t) step->n - 1)] = i;
  return true;
}

/* The wave of a manoeuvre begins. */
bool
flock_begin_turn (FlockStep *step, KgGeometry *to, const KgProgressMonitor *monitor)
{
  const FlockSettings *s = step->s;
  const FormationLooks looks = { step->look_phase, s->perception_rate, step->time - step->dt };
  float *turn;

  if (!(s->turn_at >= 0) || !(s->turn_at >= step->time - step->dt - 1e-9 && s->turn_at < step->time - 1e-9))
    return true;
  turn = kg_geometry_edit_float (to, KG_POINTS, "turn", 1);
  step->turn = turn;
  return formation_spread_turn (step->seen.p, step->n, (size_t) CLAMP (s->turn_by, 0, (int64_t) step->n - 1),
                                s->turn_at, s->reaction_time, step->look_phase != NULL ? &looks : NULL,
                                (size_t) MAX (s->anticipation, 1), s->sight.radius, turn, monitor);
}

void
flock_choose_leader (KgGeometry *members)
{
  const size_t n = kg_geometry_get_n_points (members);
  int32_t *leader = kg_geometry_edit_int (members, KG_POINTS, "leader", 1);
  int32_t *lead = kg_geometry_edit_int (members, KG_WHOLE, "lead", 4);
  size_t first = 0;

  while (first < n && leader[first] == 0)
    first++;
  if (first == n && n > 0)
    leader[first = 0] = 1;
  lead[0] = lead[1] = (int32_t) first;
  lead[2] = lead[3] = -1;
  kg_geometry_edit_float (members, KG_WHOLE, "lead_time", 1)[0] = (float) LEAD_BLEND;
}

bool
flock_name_leaders (KgGeometry *members, const char *ids, GError **error)
{
  const size_t n = kg_geometry_get_n_points (members);
  const int32_t *id = kg_geometry_get_int (members, KG_POINTS, "id", 1);
  g_auto (GStrv) words = g_strsplit_set (ids, " ,;\t\n", -1);
  bool first = true;

  for (char **word = words; *word != NULL; word++) {
    int32_t *leader;
    int64_t wanted;
    bool found = false;

    if (**word == '\0')
      continue;
    if (!g_ascii_string_to_signed (*word, 10, G_MININT32, G_MAXINT32, &wanted, NULL)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "\"%s\" among the leaders is not an id: write whole numbers, such as 0 4 7", *word);
      return false;
    }
    leader = kg_geometry_edit_int (members, KG_POINTS, "leader", 1);
    if (first)
      memset (leader, 0, n * sizeof *leader);
    first = false;
    for (size_t i = 0; i < n; i++)
      if ((id != NULL ? (int64_t) id[i] : (int64_t) i) == wanted) {
        leader[i] = 1;
        found = true;
      }
    if (!found) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "no member has the id %s of a leader: there are %zu members", *word,
                    n);
      return false;
    }
  }
  return true;
}
