/* particle_solid: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_solid.h"

#include "sim/particle_contact.h"

/* Parts of a way that are looked at, halvings of the one with the entry, and steps out of a body. */
#define PARTS 4
#define HALVINGS 24
#define STEPS_OUT 8
/* Length over which a field without an exact gradient is compared, metres. */
#define DIFFERENCE 1e-3

/* Points of a block that are processed together. */
typedef struct {
  size_t n;
  uint32_t index[KG_FIELD_BLOCK];
  float x[3][KG_FIELD_BLOCK];
  float low[KG_FIELD_BLOCK], high[KG_FIELD_BLOCK]; /* shares of the way: outside, inside */
  bool inside[KG_FIELD_BLOCK];                     /* already at the start */
} Entries;

static void
sample (const KgField *solid, double time, size_t n, float (*x)[KG_FIELD_BLOCK], float *values)
{
  const KgFieldBlock block = { .n = n, .x = x[0], .y = x[1], .z = x[2], .time = time };

  kg_field_sample (solid, &block, &values);
}

static void
set_places (const ParticleBlock *start, const ParticleBlock *end, size_t n, float share, float (*x)[KG_FIELD_BLOCK])
{
  for (int c = 0; c < 3; c++)
    for (size_t i = 0; i < n; i++)
      x[c][i] = start->x[c][i] + share * (end->x[c][i] - start->x[c][i]);
}

/* Lists the points that are within the body somewhere on their way. */
static void
find_entries (const KgField *solid, double time, const ParticleBlock *start, const ParticleBlock *end, const float *h,
              size_t n, const ParticleContacts *contacts, Entries *entries)
{
  const float level = (float) kg_field_get_level (solid);
  uint8_t found[KG_FIELD_BLOCK] = { 0 };
  float values[KG_FIELD_BLOCK];

  entries->n = 0;
  for (int k = 0; k <= PARTS; k++) {
    set_places (start, end, n, (float) k / PARTS, entries->x);
    sample (solid, time, n, entries->x, values);
    for (size_t i = 0; i < n; i++) {
      size_t e;

      if (found[i] != 0 || !(values[i] >= level) || !(h[i] > 0) || contacts->held[i] != PARTICLE_FREE)
        continue;
      found[i] = 1;
      e = entries->n++;
      entries->index[e] = (uint32_t) i;
      entries->low[e] = (float) MAX (k - 1, 0) / PARTS;
      entries->high[e] = (float) k / PARTS;
      entries->inside[e] = k == 0;
    }
  }
}

static void
place_entries (const ParticleBlock *start, const ParticleBlock *end, Entries *entries, const float *shares)
{
  for (int c = 0; c < 3; c++)
    for (size_t e = 0; e < entries->n; e++) {
      const float a = start->x[c][entries->index[e]], b = end->x[c][entries->index[e]];

      entries->x[c][e] = a + shares[e] * (b - a);
    }
}

static void
bisect (const KgField *solid, double time, const ParticleBlock *start, const ParticleBlock *end, Entries *entries)
{
  const float level = (float) kg_field_get_level (solid);
  float middle[KG_FIELD_BLOCK], values[KG_FIELD_BLOCK];

  for (int k = 0; k < HALVINGS; k++) {
    for (size_t e = 0; e < entries->n; e++)
      middle[e] = 0.5f * (entries->low[e] + entries->high[e]);
    place_entries (start, end, entries, middle);
    sample (solid, time, entries->n, entries->x, values);
    for (size_t e = 0; e < entries->n; e++)
      if (values[e] >= level)
        entries->high[e] = middle[e];
      else
        entries->low[e] = middle[e];
  }
}

/* One of Newton's steps for each place that is within; normals: (out) away from the body, unit or zero. */
static void
step_out (const KgField *solid, double time, size_t n, float (*x)[KG_FIELD_BLOCK], float (*normals)[KG_FIELD_BLOCK],
          bool move)
{
  const float level = (float) kg_field_get_level (solid);
  const KgFieldBlock block = { .n = n, .x = x[0], .y = x[1], .z = x[2], .time = time };
  float values[KG_FIELD_BLOCK];
  float *const gradient[3] = { normals[0], normals[1], normals[2] };

  kg_field_sample_gradient (solid, &block, DIFFERENCE, values, gradient);
  for (size_t i = 0; i < n; i++) {
    const float gx = normals[0][i], gy = normals[1][i], gz = normals[2][i];
    const float slope = sqrtf (gx * gx + gy * gy + gz * gz), scale = slope > 1e-12f ? -1 / slope : 0;
    /* A hair more than to the surface, so that it ends outside; never farther than a metre, where a field is nearly level. */
    const float out = fminf ((values[i] - level) / fmaxf (slope, 1e-12f) + 1e-6f, 1);

    for (int c = 0; c < 3; c++) {
      normals[c][i] *= scale;
      if (move && values[i] >= level)
        x[c][i] += normals[c][i] * out;
    }
  }
}

void
particle_solid_collide (const KgField *solid, double time, const ParticleObstacles *o, const ParticleBlock *start,
                        ParticleBlock *end, const float *h, size_t n, const int32_t *straight,
                        ParticleContacts *contacts)
{
  float normals[3][KG_FIELD_BLOCK];
  Entries entries;

  find_entries (solid, time, start, end, h, n, contacts, &entries);
  if (entries.n == 0)
    return;
  bisect (solid, time, start, end, &entries);
  place_entries (start, end, &entries, entries.low);
  for (int k = 0; k < STEPS_OUT; k++)
    step_out (solid, time, entries.n, entries.x, normals, true);
  step_out (solid, time, entries.n, entries.x, normals, false);
  for (size_t e = 0; e < entries.n; e++) {
    const size_t i = entries.index[e];
    const KgVector m = kg_vector_normalize_or (
        kg_vector ((double) normals[0][e], (double) normals[1][e], (double) normals[2][e]), kg_vector (0, 1, 0));
    const KgVector at = { (double) entries.x[0][e], (double) entries.x[1][e], (double) entries.x[2][e] };
    ParticlePath path;

    particle_path_init (&path, start, end, i, (double) h[i]);
    if (straight != NULL && straight[i] != 0) {
      path.acceleration = kg_vector (0, 0, 0);
      path.slope = path.v1;
      path.offset = kg_vector (0, 0, 0);
    }
    particle_contact_meet (o, contacts, i, &path, entries.inside[e] ? 0 : (double) entries.low[e], at, m,
                           kg_vector (0, 0, 0), PARTICLE_HELD);
    particle_path_store (&path, end, i);
  }
  /* Along a bent surface the rest of the way may end within. */
  for (size_t e = 0; e < entries.n; e++)
    for (int c = 0; c < 3; c++)
      entries.x[c][e] = end->x[c][entries.index[e]];
  for (int k = 0; k < STEPS_OUT; k++)
    step_out (solid, time, entries.n, entries.x, normals, true);
  for (size_t e = 0; e < entries.n; e++)
    for (int c = 0; c < 3; c++)
      end->x[c][entries.index[e]] = entries.x[c][e];
}
