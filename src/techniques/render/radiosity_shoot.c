/* radiosity_shoot: progressive shooting of light, and what elements receive.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/radiosity_private.h"

#include <string.h>

/* The rows of patches by columns: who receives light of a patch, and how much of it. */
typedef struct {
  size_t *first, *end; /* n */
  RadiosityFactor *receivers;
} Columns;

typedef struct {
  const RadiosityScene *scene;
  Columns columns;
  double *radiosity, *unshot; /* three numbers a patch */
  double *power;              /* area times unshot light */
  uint32_t *heap, *place;     /* patches, the one with most power first, and where each is */
  size_t n;
} Shooting;

static void
shooting_clear (Shooting *s)
{
  g_free (s->columns.first);
  g_free (s->columns.end);
  g_free (s->columns.receivers);
  g_free (s->radiosity);
  g_free (s->unshot);
  g_free (s->power);
  g_free (s->heap);
  g_free (s->place);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Shooting, shooting_clear)

/* A heap whose entries change. */

static bool
has_more (const Shooting *s, uint32_t a, uint32_t b)
{
  return s->power[a] > s->power[b] || (s->power[a] == s->power[b] && a < b);
}

static void
put (Shooting *s, size_t at, uint32_t patch)
{
  s->heap[at] = patch;
  s->place[patch] = (uint32_t) at;
}

static void
move_up (Shooting *s, uint32_t patch)
{
  size_t at = s->place[patch];

  while (at > 0 && has_more (s, patch, s->heap[(at - 1) / 2])) {
    put (s, at, s->heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  put (s, at, patch);
}

static void
move_down (Shooting *s, uint32_t patch)
{
  size_t at = s->place[patch];

  for (size_t child; (child = 2 * at + 1) < s->n; at = child) {
    if (child + 1 < s->n && has_more (s, s->heap[child + 1], s->heap[child]))
      child++;
    if (!has_more (s, s->heap[child], patch))
      break;
    put (s, at, s->heap[child]);
  }
  put (s, at, patch);
}

/* Columns. */

/* The share of an element's light in that of its patch. */
static double
get_part (const Radiosity *result, size_t element)
{
  return result->elements[element].area / result->patches[result->patch[element]].area;
}

/* Elements of a patch stand for it together: one after the other, they add up. */
static void
make_columns (Shooting *s)
{
  const Radiosity *result = s->scene->result;
  size_t n = 0;

  s->columns.first = g_new0 (size_t, result->n_patches);
  s->columns.end = g_new0 (size_t, result->n_patches);
  for (size_t i = 0; i < result->n_elements; i++)
    for (uint32_t k = 0; k < result->rows[i].n; k++)
      s->columns.end[result->rows[i].factors[k].patch]++;
  for (size_t i = 0; i < result->n_patches; i++) {
    s->columns.first[i] = n;
    n += s->columns.end[i];
    s->columns.end[i] = s->columns.first[i];
  }
  s->columns.receivers = g_new (RadiosityFactor, MAX (n, 1));
  for (size_t i = 0; i < result->n_elements; i++)
    for (uint32_t k = 0; k < result->rows[i].n; k++) {
      const RadiosityFactor *factor = &result->rows[i].factors[k];
      size_t *end = &s->columns.end[factor->patch];
      const float share = (float) (get_part (result, i) * (double) factor->share);

      if (*end > s->columns.first[factor->patch] && s->columns.receivers[*end - 1].patch == result->patch[i])
        s->columns.receivers[*end - 1].share += share;
      else
        s->columns.receivers[(*end)++] = (RadiosityFactor){ result->patch[i], share };
    }
}

/* Shooting. */

static void
update_power (Shooting *s, uint32_t patch)
{
  const double *unshot = s->unshot + 3 * (size_t) patch;

  s->power[patch] = s->scene->result->patches[patch].area * (unshot[0] + unshot[1] + unshot[2]);
}

static void
start_shooting (Shooting *s)
{
  const Radiosity *result = s->scene->result;

  s->n = result->n_patches;
  make_columns (s);
  s->radiosity = g_new0 (double, 3 * s->n);
  s->unshot = g_new0 (double, 3 * s->n);
  s->power = g_new (double, s->n);
  s->heap = g_new (uint32_t, s->n);
  s->place = g_new (uint32_t, s->n);
  for (size_t i = 0; i < s->n; i++)
    memcpy (s->unshot + 3 * i, result->patches[i].emission, 3 * sizeof (double));
  for (size_t i = 0; i < result->n_elements; i++)
    for (size_t c = 0; c < 3; c++)
      s->unshot[3 * (size_t) result->patch[i] + c] += get_part (result, i) * result->rows[i].outside *
                                                      result->patches[result->patch[i]].reflectance[c] *
                                                      s->scene->rule->background[c];
  for (size_t i = 0; i < s->n; i++) {
    update_power (s, (uint32_t) i);
    put (s, i, (uint32_t) i);
  }
  for (size_t i = s->n; i-- > 0;)
    move_down (s, (uint32_t) i);
}

static void
shoot (Shooting *s, uint32_t from)
{
  double light[3];
  double *unshot = s->unshot + 3 * (size_t) from;

  for (size_t c = 0; c < 3; c++) {
    light[c] = unshot[c];
    s->radiosity[3 * (size_t) from + c] += light[c];
    unshot[c] = 0;
  }
  update_power (s, from);
  move_down (s, from);
  for (size_t k = s->columns.first[from]; k < s->columns.end[from]; k++) {
    const RadiosityFactor *to = &s->columns.receivers[k];

    for (size_t c = 0; c < 3; c++)
      s->unshot[3 * (size_t) to->patch + c] += s->scene->result->patches[to->patch].reflectance[c] *
                                               (double) to->share * light[c];
    update_power (s, to->patch);
    move_up (s, to->patch);
  }
}

static double
get_total (const Shooting *s)
{
  double sum = 0;

  for (size_t i = 0; i < s->n; i++)
    sum += s->power[i];
  return sum;
}

/* What the elements receive, and so are. */
static bool
gather (const Shooting *s)
{
  const Radiosity *result = s->scene->result;
  bool stopped = false;

#pragma omp parallel for schedule(static) reduction(|| : stopped)
  for (size_t i = 0; i < result->n_elements; i++) {
    RadiosityPatch *element = &result->elements[i];
    const RadiosityRow *row = &result->rows[i];

    stopped = stopped || (i % 256 == 0 && kg_progress_is_cancelled (s->scene->monitor));
    for (size_t c = 0; c < 3; c++) {
      double arriving = row->outside * s->scene->rule->background[c];

      for (uint32_t k = 0; k < row->n; k++)
        arriving += (double) row->factors[k].share * s->radiosity[3 * (size_t) row->factors[k].patch + c];
      element->radiosity[c] = element->emission[c] + element->reflectance[c] * arriving;
      element->shown[c] = element->radiosity[c] + element->mirror * arriving;
    }
  }
  return !stopped;
}

bool
radiosity_shoot (RadiosityScene *scene, double from, double to)
{
  g_auto (Shooting) s = { .scene = scene };
  double total, left;

  start_shooting (&s);
  total = left = get_total (&s);
  while (left > scene->rule->tolerance * total) {
    for (size_t i = 0; i < s.n && s.power[s.heap[0]] > 0; i++) {
      shoot (&s, s.heap[0]);
      if (i % 64 == 0 && kg_progress_is_cancelled (scene->monitor))
        return false;
    }
    left = get_total (&s);
    kg_progress_report (scene->monitor,
                        kg_lerp (from, to, kg_clamp (log (left / total) / log (scene->rule->tolerance), 0, 1)));
  }
  /* What was not shot is there, too. */
  for (size_t i = 0; i < 3 * s.n; i++)
    s.radiosity[i] += s.unshot[i];
  for (size_t i = 0; i < s.n; i++)
    memcpy (scene->result->patches[i].radiosity, s.radiosity + 3 * i, 3 * sizeof (double));
  return gather (&s);
}
