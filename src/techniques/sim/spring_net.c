/* spring_net: forces of springs, hinges and faces, their stiffness, and what they do over time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/spring_net_private.h"

#include "geometry/tetrahedra.h"
#include "kg-error.h"
#include "kg-floats.h"
#include "kg-random.h"

/* Sums are kept per block of so many elements, and added in order. */
#define BLOCK 1024

static inline size_t
count_blocks (size_t n)
{
  return (n + BLOCK - 1) / BLOCK;
}

/* Which parts of which elements act on a point. */
static void
gather_init (SpringNet *net)
{
  SpringWork *work = net->work;
  const size_t hinge = net->n_springs, face = hinge + 4 * net->n_hinges;
  size_t *next;

  work->start = g_new0 (size_t, net->n_points + 1);
  for (size_t i = 0; i < net->n_springs; i++) {
    work->start[net->springs[i].a]++;
    work->start[net->springs[i].b]++;
  }
  for (size_t i = 0; i < net->n_hinges; i++)
    for (int k = 0; k < 4; k++)
      work->start[net->hinges[i].points[k]]++;
  for (size_t i = 0; i < net->n_triangles; i++)
    for (int k = 0; k < 3; k++)
      work->start[net->triangles[i][k]]++;
  for (size_t i = 0, sum = 0; i <= net->n_points; i++) {
    const size_t count = work->start[i];

    work->start[i] = sum;
    sum += i < net->n_points ? count : 0;
  }
  work->entries = g_new (uint32_t, MAX (work->start[net->n_points], 1));
  next = g_memdup2 (work->start, (net->n_points + 1) * sizeof *next);
  for (size_t i = 0; i < net->n_springs; i++) {
    work->entries[next[net->springs[i].a]++] = (uint32_t) (2 * i);
    work->entries[next[net->springs[i].b]++] = (uint32_t) (2 * i + 1);
  }
  for (size_t i = 0; i < net->n_hinges; i++)
    for (size_t k = 0; k < 4; k++)
      work->entries[next[net->hinges[i].points[k]]++] = (uint32_t) (2 * (hinge + 4 * i + k));
  for (size_t i = 0; i < net->n_triangles; i++)
    for (size_t k = 0; k < 3; k++)
      work->entries[next[net->triangles[i][k]]++] = (uint32_t) (2 * (face + 3 * i + k));
  g_free (next);
}

static bool
net_check (const SpringNet *net, GError **error)
{
  if (net->n_springs > SPRING_NET_MAX || net->n_hinges > SPRING_NET_MAX / 4 || net->n_triangles > SPRING_NET_MAX / 3) {
    kg_set_error (error, KG_ERROR_LIMIT,
                  "%zu springs and %zu hinges are more than %d: reduce the geometry, or use fewer braces",
                  net->n_springs, net->n_hinges, SPRING_NET_MAX);
    return false;
  }
  for (size_t i = 0; i < net->n_points; i++) {
    const SpringPoint *p = &net->points[i];

    if (!kg_vector_is_finite (p->x) || !kg_vector_is_finite (p->v) || !(p->mass > 0 && p->mass < INFINITY) ||
        !(p->origin >= 0 && p->origin < (double) net->n_points)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "the mass of point %zu is %g kg: use a mass above 0", i, p->mass);
      return false;
    }
  }
  for (size_t i = 0; i < net->n_springs; i++) {
    const Spring *s = &net->springs[i];

    if (s->a >= net->n_points || s->b >= net->n_points || s->a == s->b || !(s->rest > 0 && s->rest < INFINITY) ||
        !isfinite (s->plastic + s->branch + s->share + s->damping)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "spring %zu does not fit the points: simulate again from the start",
                    i);
      return false;
    }
  }
  for (size_t i = 0; i < net->n_hinges; i++) {
    const SpringHinge *h = &net->hinges[i];

    for (int k = 0; k < 4; k++)
      if (h->points[k] >= net->n_points || !isfinite (h->rest + h->plastic + h->share + h->volume)) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE, "hinge %zu does not fit the points: simulate again from the start",
                      i);
        return false;
      }
  }
  return true;
}

bool
spring_net_init (SpringNet *net, SpringPoint *points, size_t n_points, Spring *springs, size_t n_springs,
                 SpringHinge *hinges, size_t n_hinges, uint32_t (*triangles)[3], size_t n_triangles, GError **error)
{
  const size_t n = MAX (n_points, 1);
  SpringWork *work;

  *net = (SpringNet){ .n_points = n_points,
                      .n_springs = n_springs,
                      .n_hinges = n_hinges,
                      .n_triangles = n_triangles,
                      .points = points,
                      .springs = springs,
                      .hinges = hinges,
                      .triangles = triangles };
  if (!net_check (net, error)) {
    spring_net_clear (net);
    return false;
  }
  net->inverse = g_new (double, n);
  net->pull = g_new0 (double, n);
  net->target = g_new0 (KgVector, n);
  net->drift = g_new0 (KgVector, n);
  net->impulse = g_new0 (KgVector, n);
  for (size_t i = 0; i < n_points; i++)
    net->inverse[i] = 1 / points[i].mass;
  net->work = work = g_new0 (SpringWork, 1);
  for (int k = 0; k < SPRING_N_VECTORS; k++)
    work->vectors[k] = g_new0 (KgVector, n);
  work->parts = g_new0 (KgVector, MAX (n_springs + 4 * n_hinges + 3 * n_triangles, 1));
  work->blocks = g_new0 (SpringBlock, MAX (n_springs, 1));
  work->gusts = g_new0 (SpringBlock, MAX (n_triangles, 1));
  work->bends = g_new0 (SpringBend, MAX (n_hinges, 1));
  work->tilts = g_new0 (SpringTilt, MAX (n_hinges, 1));
  work->diagonal = g_new0 (SymmetricMatrix, n);
  work->sums = g_new0 (double, count_blocks (MAX (n, MAX (n_springs, MAX (n_hinges, n_triangles)))) + 1);
  gather_init (net);
  return true;
}

void
spring_net_clear (SpringNet *net)
{
  g_clear_pointer (&net->points, g_free);
  g_clear_pointer (&net->springs, g_free);
  g_clear_pointer (&net->hinges, g_free);
  g_clear_pointer (&net->triangles, g_free);
  g_clear_pointer (&net->inverse, g_free);
  g_clear_pointer (&net->pull, g_free);
  g_clear_pointer (&net->target, g_free);
  g_clear_pointer (&net->drift, g_free);
  g_clear_pointer (&net->impulse, g_free);
  if (net->work == NULL)
    return;
  for (int k = 0; k < SPRING_N_VECTORS; k++)
    g_free (net->work->vectors[k]);
  g_free (net->work->parts);
  g_free (net->work->blocks);
  g_free (net->work->gusts);
  g_free (net->work->bends);
  g_free (net->work->tilts);
  g_free (net->work->diagonal);
  g_free (net->work->sums);
  g_free (net->work->start);
  g_free (net->work->entries);
  g_clear_pointer (&net->work, g_free);
}

/* Hinges. */

bool
spring_hinge_get (const KgVector x[4], double *angle, KgVector gradients[4])
{
  const KgVector e = kg_vector_subtract (x[3], x[2]);
  const KgVector n1 = kg_vector_cross (kg_vector_subtract (x[0], x[2]), e);
  const KgVector n2 = kg_vector_scale (kg_vector_cross (kg_vector_subtract (x[1], x[2]), e), -1);
  const double length = kg_vector_length (e), a1 = kg_vector_dot (n1, n1), a2 = kg_vector_dot (n2, n2);
  /* Heights of the faces below a millionth of the hinge leave no direction. */
  const double least = 1e-12 * length * length * length * length;
  KgVector unit, m1, m2;

  if (!(length > 1e-150) || !(a1 > least) || !(a2 > least))
    return false;
  unit = kg_vector_scale (e, 1 / length);
  *angle = atan2 (kg_vector_dot (kg_vector_cross (n1, n2), unit), kg_vector_dot (n1, n2));
  if (gradients == NULL)
    return true;
  m1 = kg_vector_scale (n1, 1 / a1);
  m2 = kg_vector_scale (n2, 1 / a2);
  gradients[0] = kg_vector_scale (m1, length);
  gradients[1] = kg_vector_scale (m2, length);
  gradients[2] = kg_vector_add (kg_vector_scale (m1, kg_vector_dot (kg_vector_subtract (x[0], x[3]), unit)),
                                kg_vector_scale (m2, kg_vector_dot (kg_vector_subtract (x[1], x[3]), unit)));
  gradients[3] = kg_vector_add (kg_vector_scale (m1, -kg_vector_dot (kg_vector_subtract (x[0], x[2]), unit)),
                                kg_vector_scale (m2, -kg_vector_dot (kg_vector_subtract (x[1], x[2]), unit)));
  return true;
}

bool
spring_corner_get (const KgVector x[3], double *angle, KgVector gradients[4], KgVector *across)
{
  const KgVector in = kg_vector_subtract (x[2], x[0]), out = kg_vector_subtract (x[1], x[2]);
  const double before = kg_vector_length (in), after = kg_vector_length (out);
  KgVector u, w, n;
  double sine, cosine;

  if (!(before > 1e-150) || !(after > 1e-150))
    return false;
  u = kg_vector_scale (in, 1 / before);
  w = kg_vector_scale (out, 1 / after);
  n = kg_vector_cross (u, w);
  sine = kg_vector_length (n);
  cosine = kg_vector_dot (u, w);
  if (!(sine > 1e-12) && cosine < 0)
    return false;
  *angle = atan2 (sine, cosine);
  if (gradients == NULL)
    return true;
  n = sine > 1e-12 ? kg_vector_scale (n, 1 / sine) : kg_vector_perpendicular (u);
  *across = n;
  gradients[0] = kg_vector_scale (kg_vector_cross (n, u), 1 / before);
  gradients[1] = kg_vector_scale (kg_vector_cross (n, w), 1 / after);
  gradients[2] = kg_vector_scale (kg_vector_add (gradients[0], gradients[1]), -1);
  gradients[3] = kg_vector (0, 0, 0);
  return true;
}

/* An angle that was wrapped into -pi ... pi. */
static double
wrap (double angle)
{
  return angle > KG_PI ? angle - 2 * KG_PI : angle < -KG_PI ? angle + 2 * KG_PI : angle;
}

static void
get_corners (const SpringHinge *hinge, const KgVector *x, KgVector corners[4])
{
  for (int k = 0; k < 4; k++)
    corners[k] = x[hinge->points[k]];
}

/* The angle of a hinge or a corner beyond that at rest, with its gradients (nullable); corners: the places of its points. */
static bool
get_turn (const SpringHinge *hinge, const KgVector corners[4], double *turn, KgVector gradients[4])
{
  double angle;
  KgVector across;

  if (!(spring_is_corner (hinge) ? spring_corner_get (corners, &angle, gradients, &across)
                                 : spring_hinge_get (corners, &angle, gradients)))
    return false;
  *turn = wrap (angle - hinge->rest - hinge->plastic);
  return true;
}

/* Faces. */

KgVector
spring_get_drag (const KgVector x[3], KgVector mean_v, KgVector air, double drag, bool normal)
{
  const KgVector across = kg_vector_cross (kg_vector_subtract (x[1], x[0]), kg_vector_subtract (x[2], x[0]));
  const KgVector wind = kg_vector_subtract (air, mean_v);
  const double twice = kg_vector_length (across);
  KgVector unit;
  double along;

  if (!(twice > 0))
    return kg_vector (0, 0, 0);
  unit = kg_vector_scale (across, 1 / twice);
  along = kg_vector_dot (wind, unit);
  return normal ? kg_vector_scale (unit, 0.25 * drag * twice * fabs (along) * along)
                : kg_vector_scale (wind, 0.25 * drag * twice * fabs (along));
}

/* The drag's slope by the mean velocity, negative; along the wind its symmetric part, so that the matrix stays positive. */
static SpringBlock
get_gust (const KgVector x[3], KgVector mean_v, KgVector air, double drag, bool normal)
{
  const KgVector across = kg_vector_cross (kg_vector_subtract (x[1], x[0]), kg_vector_subtract (x[2], x[0]));
  const KgVector unit = kg_vector_normalize_or (across, kg_vector (0, 0, 0));
  const double slope = 0.25 * drag * kg_vector_length (across) *
                       fabs (kg_vector_dot (kg_vector_subtract (air, mean_v), unit));

  return normal ? (SpringBlock){ unit, 2 * slope, 0 } : (SpringBlock){ unit, 0, slope };
}

static double
add_blocks (const double *sums, size_t n_blocks)
{
  double sum = 0;

  for (size_t b = 0; b < n_blocks; b++)
    sum += sums[b];
  return sum;
}

static double
get_volume (const SpringNet *net, const KgVector *x)
{
  const size_t n_blocks = count_blocks (net->n_triangles);
  double *sums = net->work->sums;

#pragma omp parallel for schedule(static) if (n_blocks > 4)
  for (size_t b = 0; b < n_blocks; b++) {
    sums[b] = 0;
    for (size_t i = b * BLOCK; i < MIN ((b + 1) * BLOCK, net->n_triangles); i++) {
      const uint32_t *t = net->triangles[i];

      sums[b] += kg_vector_dot (x[t[0]], kg_vector_cross (x[t[1]], x[t[2]])) / 6;
    }
  }
  return add_blocks (sums, n_blocks);
}

/* Forces. */

/* Samples a vector field at n <= BLOCK places. */
static void
sample_field (const KgField *field, const KgVector *x, const KgVector *v, const int32_t *ids, size_t n, double time,
              KgVector *result)
{
  float places[3][BLOCK], speeds[3][BLOCK], values[3][BLOCK];
  float *const out[] = { values[0], values[1], values[2] };
  const KgFieldBlock block = { .n = n,
                               .x = places[0],
                               .y = places[1],
                               .z = places[2],
                               .vx = speeds[0],
                               .vy = speeds[1],
                               .vz = speeds[2],
                               .id = ids,
                               .time = time };

  G_STATIC_ASSERT (BLOCK <= KG_FIELD_BLOCK);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++) {
      places[c][i] = (float) kg_vector_get (x[i], c);
      speeds[c][i] = (float) kg_vector_get (v[i], c);
    }
  kg_field_sample (field, &block, out);
  for (size_t i = 0; i < n; i++)
    result[i] = kg_vector ((double) values[0][i], (double) values[1][i], (double) values[2][i]);
}

/* The forces of an element, each a factor times a gradient, are limited together: the largest of them counts, so that their sum
 * and their torque stay 0. */
static double
clamp_factor (double factor, const KgVector gradients[4], double most)
{
  double largest = 0;

  for (int k = 0; most > 0 && k < 4; k++)
    largest = fmax (largest, kg_vector_length (gradients[k]));
  return largest > 0 ? kg_clamp (factor, -most / largest, most / largest) : factor;
}

static void
add_springs (SpringNet *net, const SpringSettings *settings, const KgVector *x, const KgVector *v)
{
  const double relaxing = settings->relax_time > 0 ? settings->relax_share : 0;

#pragma omp parallel for schedule(static) if (net->n_springs > SPRING_MANY)
  for (size_t i = 0; i < net->n_springs; i++) {
    const Spring *s = &net->springs[i];
    const KgVector d = kg_vector_subtract (x[s->b], x[s->a]);
    const double length = kg_vector_length (d), l = s->rest * (1 + s->plastic);
    double along;

    /* Ends that meet leave no direction. */
    if (s->torn || !(length > 1e-12 * s->rest)) {
      net->work->parts[i] = kg_vector (0, 0, 0);
      continue;
    }
    along = settings->stretch_only && length < l
                ? 0
                : settings->stiffness * s->share * (1 - relaxing) * (length - l) + s->branch;
    along += settings->damping * s->damping * kg_vector_dot (kg_vector_subtract (v[s->b], v[s->a]), d) / length;
    if (settings->max_force > 0)
      along = kg_clamp (along, -settings->max_force, settings->max_force);
    net->work->parts[i] = kg_vector_scale (d, along / length);
  }
}

/* The volume of a tetrahedron and its gradients at the corners. */
static double
get_tetrahedron (const KgVector x[4], KgVector gradients[4])
{
  const KgVector a = kg_vector_subtract (x[1], x[0]), b = kg_vector_subtract (x[2], x[0]);
  const KgVector c = kg_vector_subtract (x[3], x[0]);

  gradients[1] = kg_vector_scale (kg_vector_cross (b, c), 1.0 / 6);
  gradients[2] = kg_vector_scale (kg_vector_cross (c, a), 1.0 / 6);
  gradients[3] = kg_vector_scale (kg_vector_cross (a, b), 1.0 / 6);
  gradients[0] = kg_vector_scale (kg_vector_add (kg_vector_add (gradients[1], gradients[2]), gradients[3]), -1);
  return tetrahedron_get_volume (x);
}

static void
add_hinges (SpringNet *net, const SpringSettings *settings, const KgVector *x, const KgVector *v)
{
  KgVector *parts = net->work->parts + net->n_springs;
  size_t n_sliver = 0;

#pragma omp parallel for schedule(static) if (net->n_hinges > 1024) reduction(+ : n_sliver)
  for (size_t i = 0; i < net->n_hinges; i++) {
    const SpringHinge *hinge = &net->hinges[i];
    KgVector corners[4], g[4];
    double turn, rate = 0, torque;

    get_corners (hinge, x, corners);
    if (hinge->volume > 0) {
      const double strain = get_tetrahedron (corners, g) / hinge->volume - 1;
      const double push = clamp_factor (-settings->bulk * strain, g, settings->max_force);

      for (size_t k = 0; k < 4; k++)
        parts[4 * i + k] = kg_vector_scale (g[k], push);
      continue;
    }
    if (!get_turn (hinge, corners, &turn, g)) {
      memset (parts + 4 * i, 0, 4 * sizeof *parts);
      n_sliver++;
      continue;
    }
    for (int k = 0; k < 4; k++)
      rate += kg_vector_dot (g[k], v[hinge->points[k]]);
    torque = -settings->bend * hinge->share * turn - settings->bend_damping * hinge->share * rate;
    torque = clamp_factor (torque, g, settings->max_force);
    for (size_t k = 0; k < 4; k++)
      parts[4 * i + k] = kg_vector_scale (g[k], torque);
    if (settings->average)
      parts[4 * i + 2] = parts[4 * i + 3] = kg_vector_scale (kg_vector_add (parts[4 * i], parts[4 * i + 1]), -0.5);
  }
  net->n_sliver = n_sliver;
}

/* Wind and pressure. */
static void
add_faces (SpringNet *net, const SpringSettings *settings, const KgVector *x, const KgVector *v, double time)
{
  KgVector *parts = net->work->parts + net->n_springs + 4 * net->n_hinges;
  const double volume = settings->pressure != 0 ? get_volume (net, x) : 0;
  /* Below a thousandth of the volume the pressure rises no further: an inverted body must not be torn apart. */
  const double pressure =
      settings->pressure != 0 ? settings->pressure * settings->volume / fmax (volume, 1e-3 * settings->volume) : 0;

#pragma omp parallel for schedule(static) if (net->n_triangles > BLOCK)
  for (size_t b = 0; b < count_blocks (net->n_triangles); b++) {
    const size_t first = b * BLOCK, n = MIN (BLOCK, net->n_triangles - first);
    KgVector centers[BLOCK], speeds[BLOCK], air[BLOCK];
    int32_t ids[BLOCK];

    for (size_t i = 0; i < n; i++) {
      const uint32_t *t = net->triangles[first + i];

      centers[i] = kg_vector_scale (kg_vector_add (kg_vector_add (x[t[0]], x[t[1]]), x[t[2]]), 1.0 / 3);
      speeds[i] = kg_vector_scale (kg_vector_add (kg_vector_add (v[t[0]], v[t[1]]), v[t[2]]), 1.0 / 3);
      air[i] = kg_vector (0, 0, 0);
      ids[i] = (int32_t) (first + i);
    }
    if (settings->air != NULL && settings->drag > 0)
      sample_field (settings->air, centers, speeds, ids, n, time, air);
    for (size_t i = 0; i < n; i++) {
      const uint32_t *t = net->triangles[first + i];
      const KgVector corners[3] = { x[t[0]], x[t[1]], x[t[2]] };
      KgVector f = spring_get_drag (corners, speeds[i], air[i], settings->drag, settings->drag_normal);
      SpringBlock gust = get_gust (corners, speeds[i], air[i], settings->drag, settings->drag_normal);

      /* Each corner has a third of the force, and of the mean velocity. */
      gust.along /= 9;
      gust.across /= 9;
      net->work->gusts[first + i] = gust;
      if (pressure != 0)
        f = kg_vector_add_scaled (
            f, 0.5 * pressure,
            kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])));
      f = kg_vector_scale (f, 1.0 / 3);
      for (size_t k = 0; k < 3; k++)
        parts[3 * (first + i) + k] = f;
    }
  }
}

/* The sum of the parts at a point, in their order. */
static inline KgVector
gather (const SpringNet *net, const SpringWork *work, size_t n_parts, size_t point)
{
  KgVector sum = kg_vector (0, 0, 0);

  (void) net;
  for (size_t k = work->start[point]; k < work->start[point + 1]; k++) {
    const uint32_t entry = work->entries[k];

    if (entry >> 1 >= n_parts)
      break; /* faces come last */
    sum = kg_vector_add_scaled (sum, entry & 1 ? -1 : 1, work->parts[entry >> 1]);
  }
  return sum;
}

void
spring_net_evaluate (SpringNet *net, const SpringSettings *settings, const KgVector *x, const KgVector *v, double time,
                     KgVector *forces)
{
  const bool hinges = settings->bend != 0 || settings->bend_damping != 0 || settings->bulk != 0;
  const bool faces = settings->drag > 0 || settings->pressure != 0;
  const SpringWork *work = net->work;
  const size_t n_parts = net->n_springs + 4 * net->n_hinges + 3 * net->n_triangles;

  add_springs (net, settings, x, v);
  if (hinges)
    add_hinges (net, settings, x, v);
  else
    memset (work->parts + net->n_springs, 0, 4 * net->n_hinges * sizeof *work->parts);
  if (faces)
    add_faces (net, settings, x, v, time);
#pragma omp parallel for schedule(static) if (net->n_points > BLOCK)
  for (size_t b = 0; b < count_blocks (net->n_points); b++) {
    const size_t first = b * BLOCK, n = MIN (BLOCK, net->n_points - first);
    KgVector field[BLOCK];
    int32_t ids[BLOCK];

    if (settings->force != NULL) {
      for (size_t i = 0; i < n; i++)
        ids[i] = (int32_t) (first + i);
      sample_field (settings->force, x + first, v + first, ids, n, time, field);
    }
    for (size_t i = first; i < first + n; i++) {
      const double mass = net->points[i].mass;
      KgVector f = kg_vector_add_scaled (gather (net, work, faces ? n_parts : n_parts - 3 * net->n_triangles, i), mass,
                                         settings->gravity);

      if (settings->force != NULL)
        f = kg_vector_add_scaled (f, settings->weigh ? 1 : mass, field[i - first]);
      if (net->pull[i] > 0) {
        const KgVector target = kg_vector_add_scaled (net->target[i], time - net->target_time, net->drift[i]);

        f = kg_vector_add_scaled (f, net->pull[i], kg_vector_subtract (target, x[i]));
        f = kg_vector_add_scaled (f, -net->pull_damping, kg_vector_subtract (v[i], net->drift[i]));
      }
      forces[i] = f;
    }
  }
}

static void
take_state (SpringNet *net, KgVector *x, KgVector *v)
{
#pragma omp parallel for schedule(static) if (net->n_points > SPRING_MANY)
  for (size_t i = 0; i < net->n_points; i++) {
    x[i] = net->points[i].x;
    v[i] = net->points[i].v;
  }
}

void
spring_net_get_forces (SpringNet *net, const SpringSettings *settings, double time, KgVector *forces)
{
  KgVector *x = net->work->vectors[SPRING_X], *v = net->work->vectors[SPRING_V];

  take_state (net, x, v);
  spring_net_evaluate (net, settings, x, v, time, forces);
}

/* Stiffness as a matrix. */

/* A line that is bent further than at rest is pulled flat across its plane as well: E'' = k (θ - θ0) / (2 tan (θ/2)) by the
 * difference of how much its two segments rise out of the plane, and as much as within the plane where it is straight.  What would
 * push is left out, so that the matrix stays positive. */
static bool
set_corner (SpringBend *bend, SpringTilt *tilt, const SpringHinge *hinge, const KgVector corners[4], double stiffness,
            double damping)
{
  double angle, turn, across;
  KgVector normal;

  tilt->across = kg_vector (0, 0, 0);
  if (!spring_corner_get (corners, &angle, bend->g, &normal))
    return false;
  turn = angle - hinge->rest - hinge->plastic;
  across = turn > 0 ? 0.5 * turn / tan (0.5 * angle) : angle > 0 || turn < 0 ? 0 : 1;
  tilt->across = kg_vector_scale (normal, sqrt (hinge->share * (stiffness * across + damping)));
  tilt->factors[0] = kg_vector_length (bend->g[0]);
  tilt->factors[1] = kg_vector_length (bend->g[1]);
  tilt->factors[2] = -tilt->factors[0] - tilt->factors[1];
  return true;
}

void
spring_net_set_blocks (SpringNet *net, const SpringSettings *settings, const KgVector *x, double of_stiffness,
                       double of_damping)
{
  SpringWork *work = net->work;

#pragma omp parallel for schedule(static) if (net->n_springs > SPRING_MANY)
  for (size_t i = 0; i < net->n_springs; i++) {
    const Spring *s = &net->springs[i];
    const KgVector d = kg_vector_subtract (x[s->b], x[s->a]);
    const double length = kg_vector_length (d), l = s->rest * (1 + s->plastic);
    const bool slack = settings->stretch_only && length < l;
    const double k = slack ? 0 : of_stiffness * settings->stiffness * s->share;

    if (s->torn || !(length > 1e-12 * s->rest)) {
      work->blocks[i] = (SpringBlock){ kg_vector (0, 0, 0), 0, 0 };
      continue;
    }
    /* A compressed spring would push sideways: that part is left out, so that the matrix stays positive. */
    work->blocks[i].across = k * fmax (0, 1 - l / length);
    work->blocks[i].along = k - work->blocks[i].across + of_damping * settings->damping * s->damping;
    work->blocks[i].d = kg_vector_scale (d, 1 / length);
  }
#pragma omp parallel for schedule(static) if (net->n_hinges > 1024)
  for (size_t i = 0; i < net->n_hinges; i++) {
    const SpringHinge *hinge = &net->hinges[i];
    SpringBend *bend = &work->bends[i];
    KgVector corners[4];
    double angle;

    get_corners (hinge, x, corners);
    if (hinge->volume > 0) {
      /* What turns the faces is left out, so that the matrix stays positive. */
      get_tetrahedron (corners, bend->g);
      bend->weight = of_stiffness * settings->bulk / hinge->volume;
      continue;
    }
    bend->weight = hinge->share * (of_stiffness * settings->bend + of_damping * settings->bend_damping);
    if (!(spring_is_corner (hinge) ? set_corner (bend, &work->tilts[i], hinge, corners, of_stiffness * settings->bend,
                                                 of_damping * settings->bend_damping)
                                   : spring_hinge_get (corners, &angle, bend->g)))
      *bend = (SpringBend){ .weight = 0 };
  }
}

/* The parts of what the blocks make of w: of springs, hinges and faces [first, end). */

static void
apply_springs (SpringNet *net, const KgVector *w, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++) {
    const SpringBlock *block = &net->work->blocks[i];
    const KgVector d = kg_vector_subtract (w[net->springs[i].a], w[net->springs[i].b]);

    net->work->parts[i] =
        kg_vector_add_scaled (kg_vector_scale (d, block->across), block->along * kg_vector_dot (block->d, d), block->d);
  }
}

static void
apply_tilt (SpringNet *net, const KgVector *w, size_t i)
{
  const SpringTilt *tilt = &net->work->tilts[i];
  KgVector *parts = net->work->parts + net->n_springs + 4 * i;
  double along = 0;

  for (int k = 0; k < 3; k++)
    along += tilt->factors[k] * kg_vector_dot (tilt->across, w[net->hinges[i].points[k]]);
  for (int k = 0; k < 3; k++)
    parts[k] = kg_vector_add_scaled (parts[k], tilt->factors[k] * along, tilt->across);
}

static void
apply_hinges (SpringNet *net, const KgVector *w, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++) {
    const SpringBend *bend = &net->work->bends[i];
    double along = 0;

    for (int k = 0; k < 4; k++)
      along += kg_vector_dot (bend->g[k], w[net->hinges[i].points[k]]);
    for (size_t k = 0; k < 4; k++)
      net->work->parts[net->n_springs + 4 * i + k] = kg_vector_scale (bend->g[k], bend->weight * along);
    if (spring_is_corner (&net->hinges[i]))
      apply_tilt (net, w, i);
  }
}

static void
apply_faces (SpringNet *net, const KgVector *w, double of_drag, size_t first, size_t end)
{
  KgVector *parts = net->work->parts + net->n_springs + 4 * net->n_hinges;

  for (size_t i = first; i < end; i++) {
    const uint32_t *t = net->triangles[i];
    const SpringBlock *gust = &net->work->gusts[i];
    const KgVector sum = kg_vector_scale (kg_vector_add (kg_vector_add (w[t[0]], w[t[1]]), w[t[2]]), of_drag);
    const KgVector part =
        kg_vector_add_scaled (kg_vector_scale (sum, gust->across), gust->along * kg_vector_dot (gust->d, sum), gust->d);

    for (size_t k = 0; k < 3; k++)
      parts[3 * i + k] = part;
  }
}

static void
gather_points (const SpringNet *net, size_t n_parts, KgVector *result, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++)
    result[i] = gather (net, net->work, n_parts, i);
}

void
spring_net_apply_blocks (SpringNet *net, const KgVector *w, double of_drag, KgVector *result)
{
  const size_t n_faces = of_drag > 0 ? net->n_triangles : 0;
  const size_t n_parts = net->n_springs + 4 * net->n_hinges + 3 * n_faces;

  KG_PARALLEL (net->n_springs, SPRING_PIECE, net->n_springs > SPRING_MANY, apply_springs (net, w, first, end));
  KG_PARALLEL (net->n_hinges, SPRING_PIECE, net->n_hinges > SPRING_PIECE, apply_hinges (net, w, first, end));
  KG_PARALLEL (n_faces, SPRING_PIECE, n_faces > SPRING_PIECE, apply_faces (net, w, of_drag, first, end));
  KG_PARALLEL (net->n_points, SPRING_PIECE, net->n_points > SPRING_MANY,
               gather_points (net, n_parts, result, first, end));
}

void
spring_net_multiply (SpringNet *net, double stiffness, double bend, const KgVector *x, KgVector *y)
{
  const SpringSettings settings = { .stiffness = stiffness, .bend = bend };

  take_state (net, net->work->vectors[SPRING_X], net->work->vectors[SPRING_V]);
  spring_net_set_blocks (net, &settings, net->work->vectors[SPRING_X], 1, 0);
  spring_net_apply_blocks (net, x, 0, y);
}

static void
dot_blocks (SpringNet *net, const KgVector *a, const KgVector *b, size_t first, size_t end)
{
  for (size_t k = first; k < end; k++) {
    double sum = 0;

    for (size_t i = k * BLOCK; i < MIN ((k + 1) * BLOCK, net->n_points); i++)
      sum += kg_vector_dot (a[i], b[i]);
    net->work->sums[k] = sum;
  }
}

double
spring_net_dot (SpringNet *net, const KgVector *a, const KgVector *b)
{
  const size_t n_blocks = count_blocks (net->n_points);

  KG_PARALLEL (n_blocks, 1, n_blocks > 8, dot_blocks (net, a, b, first, end));
  return add_blocks (net->work->sums, n_blocks);
}

/* Spectrum. */

/* More would find no more: the bases of Krylov lose their right angles. */
#define LANCZOS_MAX 600

/* How many eigenvalues of the symmetric tridiagonal matrix are above x: the signs of its pivots (Sturm). */
static guint
count_above (const double *diagonal, const double *beside, guint n, double x)
{
  double pivot = 1;
  guint count = 0;

  for (guint i = 0; i < n; i++) {
    const double b = i > 0 ? beside[i - 1] : 0;

    pivot = diagonal[i] - x - b * b / (pivot != 0 ? pivot : 1e-300);
    count += pivot > 0;
  }
  return count;
}

static double
get_largest (const double *diagonal, const double *beside, guint n)
{
  double low = diagonal[0], high = low;

  /* Gershgorin */
  for (guint i = 0; i < n; i++) {
    low = fmax (low, diagonal[i]);
    high = fmax (high, diagonal[i] + (i > 0 ? beside[i - 1] : 0) + (i + 1 < n ? beside[i] : 0));
  }
  for (double middle = 0.5 * (low + high); middle > low && middle < high; middle = 0.5 * (low + high))
    if (count_above (diagonal, beside, n, middle) > 0)
      low = middle;
    else
      high = middle;
  return high;
}

/* y = M^-1/2 B M^-1/2 x; scaled: of the same size, for x over the root of the masses. */
static void
apply_weighed (SpringNet *net, const KgVector *x, KgVector *scaled, KgVector *y)
{
  for (size_t i = 0; i < net->n_points; i++)
    scaled[i] = kg_vector_scale (x[i], 1 / sqrt (net->points[i].mass));
  spring_net_apply_blocks (net, scaled, 0, y);
  for (size_t i = 0; i < net->n_points; i++)
    y[i] = kg_vector_scale (y[i], 1 / sqrt (net->points[i].mass));
}

/* The largest eigenvalue of M^-1/2 B M^-1/2 for the blocks that are set (Lanczos 1950): that of the tridiagonal matrix which the
 * first vectors of Krylov make of it, and which approaches from below. */
static double
find_largest (SpringNet *net, const KgProgressMonitor *monitor)
{
  KgVector *before = net->work->vectors[SPRING_A], *q = net->work->vectors[SPRING_B];
  KgVector *next = net->work->vectors[SPRING_C], *scaled = net->work->vectors[SPRING_D];
  double diagonal[LANCZOS_MAX], beside[LANCZOS_MAX], last = -1, value = 0, size = 0, length;

  for (size_t i = 0; i < net->n_points; i++) {
    before[i] = kg_vector (0, 0, 0);
    q[i] = kg_vector (kg_random_signed (1, i, 0), kg_random_signed (1, i, 1), kg_random_signed (1, i, 2));
  }
  length = sqrt (spring_net_dot (net, q, q));
  for (size_t i = 0; i < net->n_points; i++)
    q[i] = kg_vector_scale (q[i], 1 / length);
  for (guint k = 0; k < LANCZOS_MAX && !kg_progress_is_cancelled (monitor); k++) {
    KgVector *spare = before;
    bool exhausted;

    apply_weighed (net, q, scaled, next);
    diagonal[k] = spring_net_dot (net, q, next);
    for (size_t i = 0; i < net->n_points; i++)
      next[i] = kg_vector_add_scaled (kg_vector_add_scaled (next[i], -diagonal[k], q[i]), k > 0 ? -beside[k - 1] : 0,
                                      before[i]);
    beside[k] = sqrt (spring_net_dot (net, next, next));
    size = fmax (size, diagonal[k]);
    exhausted = !(beside[k] > 1e-12 * size);
    /* The end where eight more vectors change nothing: to look after each would take longer than small nets do. */
    if (exhausted || k % 8 == 7) {
      value = get_largest (diagonal, beside, k + 1);
      if (exhausted || value - last <= 1e-12 * value)
        break;
      last = value;
    }
    for (size_t i = 0; i < net->n_points; i++)
      next[i] = kg_vector_scale (next[i], 1 / beside[k]);
    before = q;
    q = next;
    next = spare;
  }
  return value;
}

SpringSpectrum
spring_net_get_spectrum (SpringNet *net, const KgProgressMonitor *monitor)
{
  const SpringSettings springs = { .stiffness = 1 }, dampers = { .damping = 1 }, hinges = { .bend = 1 };
  const SpringSettings volumes = { .bulk = 1 };
  KgVector *x = net->work->vectors[SPRING_X];
  SpringSpectrum spectrum = { 0, 0, 0, 0 };

  take_state (net, x, net->work->vectors[SPRING_V]);
  spring_net_set_blocks (net, &springs, x, 1, 0);
  spectrum.springs = find_largest (net, monitor);
  spring_net_set_blocks (net, &dampers, x, 0, 1);
  spectrum.dampers = find_largest (net, monitor);
  if (net->n_hinges > 0) {
    spring_net_set_blocks (net, &hinges, x, 1, 0);
    spectrum.hinges = find_largest (net, monitor);
    spring_net_set_blocks (net, &volumes, x, 1, 0);
    spectrum.volumes = find_largest (net, monitor);
  }
  return spectrum;
}

SpringPulls
spring_net_get_pulls (const SpringNet *net)
{
  SpringPulls pulls = { 0, 0 };

  for (size_t i = 0; i < net->n_points; i++)
    if (net->pull[i] > 0) {
      pulls.stiffness = fmax (pulls.stiffness, net->pull[i] / net->points[i].mass);
      pulls.damping = fmax (pulls.damping, net->pull_damping / net->points[i].mass);
    }
  return pulls;
}

/* |R (x + i y)|² of the exponential series up to an order: by how much its square grows in a step. */
static double
get_growth (double x, double y, int order)
{
  double re = 1, im = 0;

  for (int k = order; k > 0; k--) {
    const double next = 1 + (re * x - im * y) / k;

    im = (re * y + im * x) / k;
    re = next;
  }
  return re * re + im * im;
}

/* The longest stable step of a method of Runge and Kutta of that order, which is its number of stages, for the mode of k and c:
 * towards all λ there is just one way out of what is stable. */
static double
get_series_limit (double k, double c, int order)
{
  const double under = k - 0.25 * c * c, im = sqrt (fmax (under, 0)), re = -0.5 * c - sqrt (fmax (-under, 0));
  const double size = hypot (re, im);
  double low = 0, high = 4;

  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);

    if (get_growth (middle * re / size, middle * im / size, order) <= 1)
      low = middle;
    else
      high = middle;
  }
  return low / size;
}

double
spring_get_step_limit (const SpringSpectrum *spectrum, const SpringSettings *settings, SpringPulls pulls,
                       SpringMethod method)
{
  const double k = settings->stiffness * spectrum->springs + settings->bend * spectrum->hinges +
                   settings->bulk * spectrum->volumes + pulls.stiffness;
  const double c = settings->damping * spectrum->dampers + settings->bend_damping * spectrum->hinges + pulls.damping;

  if (method == SPRING_IMPLICIT || (!(k > 0) && !(c > 0)))
    return INFINITY;
  switch (method) {
  case SPRING_EXPLICIT:
    return k > 0 ? fmin (c / k, c > 0 ? 2 / c : 0) : 2 / c;
  case SPRING_MIDPOINT:
    return c > 0 ? get_series_limit (k, c, 2) : 0;
  case SPRING_RK4:
    return get_series_limit (k, c, 4);
  case SPRING_SEMI_IMPLICIT:
  case SPRING_VERLET:
  case SPRING_IMPLICIT:
  case SPRING_N_METHODS:
    break;
  }
  /* h²k + 2 h c <= 4 */
  return k > 0 ? (sqrt (c * c + 4 * k) - c) / k : 2 / c;
}

/* Ageing. */

double
spring_flow (double strain, double plastic, double yield, double creep, double plastic_max, double h)
{
  const double over = fabs (strain) - yield;

  if (!(over > 0) || !(creep > 0))
    return plastic;
  return kg_clamp (plastic + copysign (over * -expm1 (-creep * h), strain), -plastic_max, plastic_max);
}

/* The force of the branch after a step in which the spring got longer by stretch. */
static double
spring_relax (double branch, double stiffness, double stretch, double relax_time, double h)
{
  const double part = -expm1 (-h / relax_time);

  return branch * (1 - part) + stiffness * stretch * part * relax_time / h;
}

static double
get_strain (const Spring *s, const KgVector *x, const SpringPoint *points)
{
  const KgVector a = x != NULL ? x[s->a] : points[s->a].x, b = x != NULL ? x[s->b] : points[s->b].x;

  return kg_vector_distance (a, b) / s->rest - 1 - s->plastic;
}

/* A torn segment ends the corners at its ends. */
static void
end_corners (SpringNet *net, const Spring *torn)
{
  const SpringWork *work = net->work;

  for (int end = 0; end < 2; end++) {
    const uint32_t point = end == 0 ? torn->a : torn->b, other = end == 0 ? torn->b : torn->a;

    for (size_t k = work->start[point]; k < work->start[point + 1]; k++) {
      const size_t part = work->entries[k] >> 1;
      SpringHinge *hinge;

      if (part < net->n_springs)
        continue;
      if (part >= net->n_springs + 4 * net->n_hinges)
        break;
      hinge = &net->hinges[(part - net->n_springs) / 4];
      if (spring_is_corner (hinge) && hinge->points[2] == point &&
          (hinge->points[0] == other || hinge->points[1] == other))
        hinge->share = 0;
    }
  }
}

/* Of springs that share a point the most strained one tears, the first of equal ones: the others may be saved by that. */
static size_t
tear_springs (SpringNet *net, double tear)
{
  SpringWork *work = net->work;
  size_t count = 0;

  for (size_t i = 0; i < net->n_springs; i++) {
    Spring *s = &net->springs[i];
    const double strain = s->torn ? 0 : get_strain (s, NULL, net->points);
    bool most = strain > tear;

    for (int end = 0; most && end < 2; end++) {
      const uint32_t point = end == 0 ? s->a : s->b;

      for (size_t k = work->start[point]; most && k < work->start[point + 1]; k++) {
        const size_t other = work->entries[k] >> 1;

        if (other >= net->n_springs)
          break;
        if (other == i || net->springs[other].torn == 1)
          continue;
        {
          const double rival = get_strain (&net->springs[other], NULL, net->points);

          most = rival < strain || (rival == strain && other > i);
        }
      }
    }
    if (most)
      s->torn = 2; /* in this step: still a rival of those that follow */
  }
  for (size_t i = 0; i < net->n_springs; i++)
    if (net->springs[i].torn == 2) {
      net->springs[i].torn = 1;
      net->springs[i].branch = 0;
      end_corners (net, &net->springs[i]);
      count++;
    }
  return count;
}

size_t
spring_net_age (SpringNet *net, const SpringSettings *settings, const KgVector *before, double h)
{
  const bool flows = settings->yield > 0 && settings->creep > 0;
  const bool relaxes = settings->relax_time > 0 && settings->relax_share > 0;

  if (flows || relaxes) {
#pragma omp parallel for schedule(static) if (net->n_springs > SPRING_MANY)
    for (size_t i = 0; i < net->n_springs; i++) {
      Spring *s = &net->springs[i];

      if (s->torn)
        continue;
      if (flows)
        s->plastic = spring_flow (get_strain (s, NULL, net->points), s->plastic, settings->yield, settings->creep,
                                  settings->plastic_max, h);
      if (relaxes)
        s->branch = spring_relax (s->branch, settings->stiffness * settings->relax_share * s->share,
                                  kg_vector_distance (net->points[s->a].x, net->points[s->b].x) -
                                      kg_vector_distance (before[s->a], before[s->b]),
                                  settings->relax_time, h);
    }
  }
  if (flows && settings->bend > 0) {
#pragma omp parallel for schedule(static) if (net->n_hinges > 1024)
    for (size_t i = 0; i < net->n_hinges; i++) {
      SpringHinge *hinge = &net->hinges[i];
      KgVector corners[4];
      double turn;

      for (int k = 0; k < 4; k++)
        corners[k] = net->points[hinge->points[k]].x;
      if (!(hinge->volume > 0) && get_turn (hinge, corners, &turn, NULL))
        hinge->plastic = spring_flow (turn, hinge->plastic, settings->yield, settings->creep, settings->plastic_max, h);
    }
  }
  return settings->tear > 0 && settings->tear_springs ? tear_springs (net, settings->tear) : 0;
}

/* Contact. */

/* Pushes the point out along the normal, and takes or turns round the speed towards it. */
static void
bounce (SpringPoint *p, KgVector normal, double depth, KgVector speed, const SpringContact *contact)
{
  const KgVector relative = kg_vector_subtract (p->v, speed);
  const double towards = kg_vector_dot (relative, normal);

  p->x = kg_vector_add_scaled (p->x, depth, normal);
  if (towards < 0) {
    const KgVector along = kg_vector_add_scaled (relative, -towards, normal);
    const double slide = kg_vector_length (along), push = -(1 + contact->restitution) * towards;
    const double keep = slide > 0 ? fmax (0, 1 - contact->friction * push / slide) : 0;

    p->v = kg_vector_add (
        speed, kg_vector_add_scaled (kg_vector_scale (along, keep), -contact->restitution * towards, normal));
  }
}

static KgVector
get_obstacle_speed (const SpringContact *contact, uint32_t triangle)
{
  KgVector sum = kg_vector (0, 0, 0);

  if (contact->obstacle_v == NULL)
    return sum;
  for (int k = 0; k < 3; k++) {
    const float *v = contact->obstacle_v + 3 * (size_t) contact->obstacle->corners[triangle][k];

    sum = kg_vector_add_scaled (sum, 1.0 / 3, kg_floats_get_vector (v, 0));
  }
  return sum;
}

static void
collide_obstacle (SpringPoint *p, KgVector before, const SpringContact *contact)
{
  const TriangleMesh *mesh = contact->obstacle;
  const KgVector way = kg_vector_subtract (p->x, before);
  KgVector corners[3], normal;
  MeshNearest nearest;
  uint32_t triangle;
  double t = 1;

  /* What crossed a face goes back to it. */
  if (kg_vector_dot (way, way) > 0 && triangle_mesh_hit (mesh, before, way, &t, &triangle) &&
      !(mesh->n_open == 0 && triangle_mesh_contains (mesh, NULL, INSIDE_RAY, before))) {
    triangle_mesh_get_corners (mesh, triangle, corners);
    normal = kg_vector_normalize_or (
        kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
        kg_vector (0, 1, 0));
    if (kg_vector_dot (normal, way) > 0)
      normal = kg_vector_scale (normal, -1);
    bounce (p, normal, contact->thickness - kg_vector_dot (kg_vector_subtract (p->x, corners[0]), normal),
            get_obstacle_speed (contact, triangle), contact);
    return;
  }
  nearest = triangle_mesh_find_nearest (mesh, p->x);
  triangle_mesh_get_corners (mesh, nearest.triangle, corners);
  normal = kg_vector_normalize_or (
      kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
      kg_vector (0, 1, 0));
  if (mesh->n_open == 0 && nearest.distance < mesh->size && triangle_mesh_contains (mesh, NULL, INSIDE_RAY, p->x)) {
    const KgVector out = kg_vector_normalize_or (kg_vector_subtract (nearest.point, p->x), normal);

    bounce (p, out, nearest.distance + contact->thickness, get_obstacle_speed (contact, nearest.triangle), contact);
  } else if (nearest.distance < contact->thickness) {
    const KgVector out = kg_vector_normalize_or (kg_vector_subtract (p->x, nearest.point), normal);

    bounce (p, out, contact->thickness - nearest.distance, get_obstacle_speed (contact, nearest.triangle), contact);
  }
}

void
spring_net_collide (SpringNet *net, const SpringContact *contact, const KgVector *before)
{
  KgVector low = { 0, 0, 0 }, high = { 0, 0, 0 };

  if (!contact->ground && contact->obstacle == NULL)
    return;
  if (contact->obstacle != NULL) {
    const KgVector margin = { contact->thickness, contact->thickness, contact->thickness };

    kg_geometry_get_bounds (contact->obstacle->geometry, &low, &high);
    low = kg_vector_subtract (low, margin);
    high = kg_vector_add (high, margin);
  }
#pragma omp parallel for schedule(static) if (net->n_points > 256)
  for (size_t i = 0; i < net->n_points; i++) {
    SpringPoint *p = &net->points[i];
    bool near = contact->obstacle != NULL;

    if (net->inverse[i] == 0)
      continue;
    for (size_t c = 0; near && c < 3; c++) {
      const double a = kg_vector_get (before[i], c), b = kg_vector_get (p->x, c);

      near = fmin (a, b) <= kg_vector_get (high, c) && fmax (a, b) >= kg_vector_get (low, c);
    }
    if (near)
      collide_obstacle (p, before[i], contact);
    if (contact->ground && p->x.y < contact->height)
      bounce (p, kg_vector (0, 1, 0), contact->height - p->x.y, kg_vector (0, 0, 0), contact);
  }
}

/* Measures. */

void
spring_net_measure (SpringNet *net, const SpringSettings *settings, SpringReport *report)
{
  const double relaxing = settings->relax_time > 0 ? settings->relax_share : 0;
  KgVector *x = net->work->vectors[SPRING_X];

  *report = (SpringReport){ .kinetic = 0 };
  take_state (net, x, net->work->vectors[SPRING_V]);
  for (size_t i = 0; i < net->n_points; i++) {
    const SpringPoint *p = &net->points[i];
    const KgVector momentum = kg_vector_scale (p->v, p->mass), away = kg_vector_subtract (net->target[i], p->x);

    report->kinetic += 0.5 * p->mass * kg_vector_dot (p->v, p->v);
    report->momentum = kg_vector_add (report->momentum, momentum);
    report->angular = kg_vector_add (report->angular, kg_vector_cross (p->x, momentum));
    if (net->pull[i] > 0)
      report->elastic += 0.5 * net->pull[i] * kg_vector_dot (away, away);
  }
  for (size_t i = 0; i < net->n_springs; i++) {
    const Spring *s = &net->springs[i];
    const double strain = get_strain (s, x, NULL), k = settings->stiffness * s->share;
    const double relaxed = k * relaxing;

    if (s->torn)
      continue;
    report->max_strain = fmax (report->max_strain, fabs (strain));
    report->speed =
        fmax (report->speed, s->rest * sqrt (k * 0.5 * (1 / net->points[s->a].mass + 1 / net->points[s->b].mass)));
    if (settings->stretch_only && strain < 0)
      continue;
    report->elastic += 0.5 * k * (1 - relaxing) * strain * strain * s->rest * s->rest;
    if (relaxed > 0)
      report->elastic += 0.5 * s->branch * s->branch / relaxed;
  }
  for (size_t i = 0; i < net->n_hinges && (settings->bend > 0 || settings->bulk > 0); i++) {
    const SpringHinge *hinge = &net->hinges[i];
    KgVector corners[4];
    double turn;

    get_corners (hinge, x, corners);
    if (hinge->volume > 0) {
      const double strain = tetrahedron_get_volume (corners) / hinge->volume - 1;

      report->elastic += 0.5 * settings->bulk * hinge->volume * strain * strain;
    } else if (get_turn (hinge, corners, &turn, NULL)) {
      report->elastic += 0.5 * settings->bend * hinge->share * turn * turn;
    }
  }
  report->volume = get_volume (net, x);
}
