/* key_tethers: keys between two soft objects that hold it together while it changes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "soft/key_tethers.h"

#include "kg-floats.h"
#include "soft/key_attributes.h"
#include "soft/lattice_map.h"

/* All keys of a model are compared with each other. */
#define MOST_KEYS 5000
/* Bodies of two equal keys flow together up to this distance, in radii of the bodies: 1.33 times the influence of the usual
 * density, which is twice the body. */
#define JOINED 2.66
/* Helpers at most in one tie. */
#define MOST_HELPERS 100

/* How much longer than keys may be apart a tie is where its helpers have all of their force. */
#define ONSET 0.15

typedef struct {
  uint32_t first, second; /* keys between */
} Tether;

/* One model, and where its keys are among those between. */
typedef struct {
  KeyAttributes a;
  size_t n;
  GArray *places;  /* uint32_t: keys between, model key after model key */
  uint32_t *first; /* of each key of the model in places; n + 1 */
} Model;

static void
model_clear (Model *model)
{
  g_clear_pointer (&model->places, g_array_unref);
  g_clear_pointer (&model->first, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Model, model_clear)

static int64_t
get_end (const KeyPair *pair, bool source)
{
  return source ? pair->source : pair->destination;
}

static void
model_read (Model *model, const KgGeometry *geometry, const KeyMatch *match, bool source)
{
  g_autofree uint32_t *next = NULL;

  model->a = key_attributes_find (geometry);
  model->n = kg_geometry_get_n_points (geometry);
  model->first = g_new0 (uint32_t, model->n + 1);
  model->places = g_array_new (false, false, sizeof (uint32_t));
  g_array_set_size (model->places, match->pairs->len);
  for (guint i = 0; i < match->pairs->len; i++) {
    const int64_t key = get_end (&g_array_index (match->pairs, KeyPair, i), source);

    if (key >= 0)
      model->first[key + 1]++;
  }
  for (size_t k = 0; k < model->n; k++)
    model->first[k + 1] += model->first[k];
  next = g_memdup2 (model->first, (model->n + 1) * sizeof *next);
  for (guint i = 0; i < match->pairs->len; i++) {
    const int64_t key = get_end (&g_array_index (match->pairs, KeyPair, i), source);

    if (key >= 0)
      g_array_index (model->places, uint32_t, next[key]++) = i;
  }
}

/* Of a ball as large as the body of a key of force 1. */
static double
get_radius (const KeyAttributes *a, size_t i)
{
  bool influence;
  const KgVector half = key_attributes_get_half_extent (a, i, &influence);

  return (influence ? 0.5 : 1) * (half.x + half.y + half.z) / 3;
}

/* 1 and less: the bodies flow together. */
static double
get_stretch (const Model *model, size_t i, size_t k)
{
  const double distance =
      kg_vector_distance (key_attributes_get_place (&model->a, i), key_attributes_get_place (&model->a, k));
  const double joined = 0.5 * JOINED * (get_radius (&model->a, i) + get_radius (&model->a, k));

  return joined > 0 ? distance / joined : INFINITY;
}

static void
add_tether (GArray *tethers, LatticeMap *known, uint32_t a, uint32_t b)
{
  const Tether tether = { MIN (a, b), MAX (a, b) };
  uint32_t ignored;

  if (a != b && lattice_map_add (known, (uint64_t) tether.first << 32 | tether.second, 0, &ignored))
    g_array_append_val (tethers, tether);
}

/* Prim's algorithm, over keys that add to the body. */
static bool
add_tree (const Model *model, GArray *tethers, LatticeMap *known, const KgProgressMonitor *monitor, GError **error)
{
  g_autofree double *least = g_new (double, MAX (model->n, 1));
  g_autofree size_t *nearest = g_new (size_t, MAX (model->n, 1));
  g_autofree uint8_t *done = g_new0 (uint8_t, MAX (model->n, 1));

  for (size_t i = 0; i < model->n; i++) {
    least[i] = INFINITY;
    done[i] = !(key_attributes_get_force (&model->a, i) > 0) || model->first[i + 1] == model->first[i];
  }
  for (;;) {
    size_t next = model->n;

    if (!kg_progress_check (monitor, error))
      return false;
    for (size_t i = 0; i < model->n; i++)
      if (!done[i] && (next == model->n || least[i] < least[next]))
        next = i;
    if (next == model->n)
      return true;
    done[next] = 1;
    if (least[next] <= 1)
      add_tether (tethers, known, g_array_index (model->places, uint32_t, model->first[next]),
                  g_array_index (model->places, uint32_t, model->first[nearest[next]]));
    /* Those that it is split into. */
    for (uint32_t c = model->first[next]; c + 1 < model->first[next + 1]; c++)
      add_tether (tethers, known, g_array_index (model->places, uint32_t, c),
                  g_array_index (model->places, uint32_t, c + 1));
    for (size_t i = 0; i < model->n; i++) {
      const double stretch = done[i] ? INFINITY : get_stretch (model, next, i);

      if (stretch < least[i]) {
        least[i] = stretch;
        nearest[i] = next;
      }
    }
  }
}

/* What a key between would be if it neither grew nor shrank. */
typedef struct {
  KgVector place;
  double radius, force;
} Whole;

static Whole
get_whole (const Model *s, const Model *d, const KeyPair *pair, double t)
{
  const int64_t a = pair->source, b = pair->destination;
  const double from = get_radius (a >= 0 ? &s->a : &d->a, (size_t) (a >= 0 ? a : b)),
               to = get_radius (b >= 0 ? &d->a : &s->a, (size_t) (b >= 0 ? b : a));
  const double before = key_attributes_get_force (a >= 0 ? &s->a : &d->a, (size_t) (a >= 0 ? a : b)),
               after = key_attributes_get_force (b >= 0 ? &d->a : &s->a, (size_t) (b >= 0 ? b : a));

  return (Whole){ key_pair_get_place (pair, t), from + t * (to - from), before + t * (after - before) };
}

/* A tie on its way: 1 and less is short enough. */
static double
measure (const Whole *a, const Whole *b)
{
  const double joined = 0.5 * JOINED * (a->radius + b->radius);

  return joined > 0 && a->force > 0 && b->force > 0 ? kg_vector_distance (a->place, b->place) / joined : 0;
}

/* Helpers of a tie: as many as it takes where it is longest, which is at one of its ends, so that none appears on the way.  They
 * are half of what keys may be apart, so that they join while they are weak; nearer to each other, each is weaker. */
typedef struct {
  guint count;
  Whole a, b;
  double force; /* of each */
} Helpers;

static Helpers
find_helpers (const Model *s, const Model *d, const KeyMatch *match, const Tether *tether, double amount)
{
  const KeyPair *first = &g_array_index (match->pairs, KeyPair, tether->first),
                *second = &g_array_index (match->pairs, KeyPair, tether->second);
  const Whole from[] = { get_whole (s, d, first, 0), get_whole (s, d, second, 0) };
  const Whole to[] = { get_whole (s, d, first, 1), get_whole (s, d, second, 1) };
  Helpers helpers = { .a = get_whole (s, d, first, amount), .b = get_whole (s, d, second, amount) };
  const double stretch = measure (&helpers.a, &helpers.b),
               most = MAX (measure (&from[0], &from[1]), measure (&to[0], &to[1]));

  if (!(stretch > 1))
    return helpers;
  helpers.count = (guint) CLAMP (ceil (2 * most) - 1, 1, MOST_HELPERS);
  helpers.force = 4 * amount * (1 - amount) * 0.5 * (helpers.a.force + helpers.b.force) *
                  MIN ((stretch - 1) / ONSET, 1) * MIN ((2 * stretch - 1) / helpers.count, 1);
  return helpers;
}

static bool
add_helpers (KgGeometry *keys, const Model *s, const Model *d, const KeyMatch *match, const GArray *tethers,
             double amount, size_t *n, GError **error)
{
  const bool influence = kg_geometry_get_float (keys, KG_POINTS, "size", 3) == NULL;
  size_t at = kg_geometry_get_n_points (keys);
  float *p, *extent, *orient, *power, *force, *sized, *color;
  int32_t *group, *part;
  g_autofree Helpers *all = g_new (Helpers, MAX (tethers->len, 1));

  for (guint i = 0; i < tethers->len; i++) {
    all[i] = find_helpers (s, d, match, &g_array_index (tethers, Tether, i), amount);
    *n += all[i].count;
  }
  if (*n == 0)
    return true;
  if (!kg_geometry_set_n_points (keys, at + *n, error))
    return false;
  p = kg_geometry_edit_positions (keys);
  extent = kg_geometry_edit_float (keys, KG_POINTS, influence ? "axes" : "size", 3);
  orient = kg_geometry_edit_float (keys, KG_POINTS, "orient", 4);
  power = kg_geometry_edit_float (keys, KG_POINTS, "power", 1);
  force = kg_geometry_edit_float (keys, KG_POINTS, "force", 1);
  sized = kg_geometry_edit_float (keys, KG_POINTS, "sized", 1);
  color = kg_geometry_edit_float (keys, KG_POINTS, "Cd", 4);
  group = kg_geometry_edit_int (keys, KG_POINTS, "group", 1);
  part = kg_geometry_edit_int (keys, KG_POINTS, "part", 1);
  for (guint i = 0; i < tethers->len; i++) {
    const Tether *tether = &g_array_index (tethers, Tether, i);
    const Helpers helpers = all[i];
    const double radius = (influence ? 2 : 1) * 0.5 * (helpers.a.radius + helpers.b.radius);

    for (guint k = 1; k <= helpers.count; k++, at++) {
      kg_floats_set_vector (p, at, kg_vector_lerp (helpers.a.place, helpers.b.place, (double) k / (helpers.count + 1)));
      kg_floats_set_vector (extent, at, kg_vector (radius, radius, radius));
      orient[4 * at] = 1;
      power[at] = 2;
      force[at] = (float) helpers.force;
      sized[at] = (float) (0.5 * (helpers.a.force + helpers.b.force));
      for (size_t c = 0; c < 4; c++)
        color[4 * at + c] = 0.5f * (color[4 * tether->first + c] + color[4 * tether->second + c]);
      group[at] = group[tether->first];
      part[at] = part[tether->first];
    }
  }
  return true;
}

bool
key_tethers_add (KgGeometry *keys, const KgGeometry *source, const KgGeometry *destination, const KeyMatch *match,
                 double amount, const KgProgressMonitor *monitor, size_t *n, GError **error)
{
  g_auto (Model) s = { .n = 0 }, d = { .n = 0 };
  g_autoptr (GArray) tethers = g_array_new (false, false, sizeof (Tether));
  g_auto (LatticeMap) known = { 0 };

  *n = 0;
  if (!(amount > 0 && amount < 1))
    return true;
  if (kg_geometry_get_n_points (source) > MOST_KEYS || kg_geometry_get_n_points (destination) > MOST_KEYS) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%zu and %zu keys are more than the %d that can be kept joined: turn Keep joined off",
                  kg_geometry_get_n_points (source), kg_geometry_get_n_points (destination), MOST_KEYS);
    return false;
  }
  model_read (&s, source, match, true);
  model_read (&d, destination, match, false);
  return add_tree (&s, tethers, &known, monitor, error) && add_tree (&d, tethers, &known, monitor, error) &&
         add_helpers (keys, &s, &d, match, tethers, amount, n, error);
}
