/* particle_collision: bouncing of moving points off a plane and a ball.
 *
 * The path within a step is taken as the parabola with the acceleration (v1 - v0) / h through both ends.  It is cut
 * where it meets the surface, reflected there, and followed for the rest of the step.  Semi-implicit Euler stores
 * speeds that are half a step's acceleration away from the slope of that parabola, Runge-Kutta none: the difference is
 * found at the end of the path and kept, so that both bounce to the height that is due at any length of step.
 * A rebound that would land again within the rest of the step is contact: the point stays on the surface, and slides
 * with Coulomb's friction.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/particle_collision.h"

#include "kg-kernel.h"
#include "sim/particle_contact.h"

/* Points that meet the ground and are computed at once. */
#define CONTACTS 128

static void
collide_ground (ParticlePath *path, const ParticleObstacles *o, ParticleContacts *contacts, size_t i)
{
  const double a = path->x0.y - o->height, c = 0.5 * path->acceleration.y * path->h * path->h;
  const double s = a > 0 ? particle_path_find_crossing (a, path->x1.y - path->x0.y - c, c) : 0;
  KgVector hit = particle_path_get_place (path, s);

  hit.y = o->height;
  particle_contact_meet (o, contacts, i, path, s, hit, kg_vector (0, 1, 0), kg_vector (0, 0, 0), PARTICLE_HELD);
  path->x1.y = fmax (path->x1.y, o->height);
}

/* The chord of the step stands for the parabola here: where it enters the ball first. */
static void
collide_ball (ParticlePath *path, const ParticleObstacles *o, ParticleContacts *contacts, size_t i)
{
  const KgVector from = kg_vector_subtract (path->x0, o->center), d = kg_vector_subtract (path->x1, path->x0);
  const double r = o->radius, start = kg_vector_length (from);
  const double a = kg_vector_dot (d, d), b = kg_vector_dot (from, d);
  const double discriminant = b * b - a * (start * start - r * r);
  /* A point that lies on the ball is a rounding error inside or outside. */
  const bool touching = start <= r * (1 + 1e-6);
  double s = 0;
  KgVector m;

  if (!touching) {
    if (!(b < 0) || !(discriminant > 0))
      return;
    s = (start * start - r * r) / (sqrt (discriminant) - b);
    if (!(s <= 1))
      return;
  }
  m = kg_vector_normalize_or (kg_vector_add_scaled (from, s, d), kg_vector (0, 1, 0));
  /* Leaving a touch, not entering. */
  if (touching && start >= r && kg_vector_dot (d, m) >= 0)
    return;
  if (particle_contact_meet (o, contacts, i, path, s, kg_vector_add_scaled (o->center, r, m), m, kg_vector (0, 0, 0),
                             PARTICLE_HELD))
    return;
  /* Sliding goes along the tangent, never in. */
  if (kg_vector_distance (path->x1, o->center) < r)
    path->x1 = kg_vector_add_scaled (
        o->center, r, kg_vector_normalize_or (kg_vector_subtract (path->x1, o->center), kg_vector (0, 1, 0)));
}

/* Marks what comes near the ball: the distance of the chord from the centre, a hair wide. */
KG_KERNEL static void
mark_near (const ParticleObstacles *o, const ParticleBlock *start, const ParticleBlock *end, int32_t *near, size_t n)
{
  const float cx = (float) o->center.x, cy = (float) o->center.y, cz = (float) o->center.z;
  const float reach = (float) (o->radius * o->radius * 1.001 + 1e-12);

  for (size_t i = 0; i < n; i++) {
    const float x = start->x[0][i] - cx, y = start->x[1][i] - cy, z = start->x[2][i] - cz;
    const float dx = end->x[0][i] - start->x[0][i], dy = end->x[1][i] - start->x[1][i];
    const float dz = end->x[2][i] - start->x[2][i], length = dx * dx + dy * dy + dz * dz;
    const float along = -(x * dx + y * dy + z * dz);
    const float s = along <= 0 ? 0 : along >= length ? 1 : along / length;
    const float px = x + s * dx, py = y + s * dy, pz = z + s * dz;

    near[i] = px * px + py * py + pz * pz <= reach;
  }
}

/* Points of a block that meet the ground: x0 and v0 at the start of the step, x1 and v1 at its end. */
typedef struct {
  uint32_t n, index[CONTACTS];
  double h[CONTACTS], x0[3][CONTACTS], v0[3][CONTACTS], x1[3][CONTACTS], v1[3][CONTACTS];
} Contacts;

/* What particle_path_init, collide_ground and particle_path_reflect compute, to the same bits, for points that meet nothing but the ground: all
 * branches are computed, and one of each is taken, so that it is done in vectors.  x is across the ground. */
KG_KERNEL static void
bounce (Contacts *contacts, double height, double restitution, double friction)
{
  const uint32_t n = contacts->n;
  double *restrict ax = contacts->x1[0], *restrict ay = contacts->x1[1], *restrict az = contacts->x1[2];
  double *restrict ux = contacts->v1[0], *restrict uy = contacts->v1[1], *restrict uz = contacts->v1[2];
  const double *restrict ox = contacts->x0[0], *restrict oy = contacts->x0[1], *restrict oz = contacts->x0[2];
  const double *restrict hs = contacts->h;
  const double *restrict sx = contacts->v0[0], *restrict sy = contacts->v0[1], *restrict sz = contacts->v0[2];

#pragma omp simd
  for (uint32_t i = 0; i < n; i++) {
    const double h = hs[i], inverse = 1 / h;
    /* The parabola, and what the stored velocity is away from its slope. */
    const double px = (ux[i] - sx[i]) * inverse, py = (uy[i] - sy[i]) * inverse, pz = (uz[i] - sz[i]) * inverse;
    const double mx = (ax[i] - ox[i]) * inverse, my = (ay[i] - oy[i]) * inverse, mz = (az[i] - oz[i]) * inverse;
    const double dx = ux[i] - (mx + 0.5 * h * px), dy = uy[i] - (my + 0.5 * h * py), dz = uz[i] - (mz + 0.5 * h * pz);
    /* Where it meets the ground: find_crossing. */
    const double a = oy[i] - height, c = 0.5 * py * h * h, b = ay[i] - oy[i] - c;
    const double inner = b * b - 4 * a * c, q = -0.5 * (b + copysign (sqrt (inner > 0 ? inner : 0), b));
    const double one = a / q, other = q / c;
    const double first = q != 0 ? one : 0, second = c != 0 ? other : 1;
    const double low = second < 0 ? 0 : second, inside = low > 1 ? 1 : low;
    const double early = first <= 1 ? first : inside, crossing = first >= 0 ? early : inside;
    const double s = a > 0 ? crossing : 0;
    const double bend = 0.5 * s * (s - 1) * h * h;
    const double hx = (1 - s) * ox[i] + s * ax[i] + bend * px, hz = (1 - s) * oz[i] + s * az[i] + bend * pz;
    const double left = (1 - s) * h, at = (s - 0.5) * h;
    /* The velocity there, along the ground slowed down by friction, across it reflected. */
    const double wx = s > 0 ? mx + at * px : sx[i], wy = s > 0 ? my + at * py : sy[i],
                 wz = s > 0 ? mz + at * pz : sz[i];
    const double speed = sqrt (wx * wx + wz * wz), brake = -(1 + restitution) * wy * friction;
    const double kept = 1 - brake / speed, share = wy < 0 ? (speed > brake ? kept : 0) : 1;
    const double tx = wx * share, tz = wz * share, wn = wy < 0 ? wy * -restitution : wy;
    /* Contact. */
    const double gx = tx + left * px, gz = tz + left * pz;
    const double slide = sqrt (gx * gx + gz * gz), rub = -py * left * friction;
    const double stays = 1 - rub / slide, held = slide > rub ? stays : 0;
    const double cx = gx * held, cz = gz * held;
    /* 0 or more: it rests. */
    const double surplus = -py * left - 2 * wn, rests = py < 0 ? surplus : -1;
    const double half = 0.5 * left * left, rise = height + left * wn + half * py;
    const double y = rests >= 0 ? height : rise;

    ax[i] = rests >= 0 ? hx + 0.5 * left * (tx + cx) : hx + left * tx + half * px;
    ay[i] = y > height ? y : height;
    az[i] = rests >= 0 ? hz + 0.5 * left * (tz + cz) : hz + left * tz + half * pz;
    ux[i] = rests >= 0 ? cx : tx + left * px + dx;
    uy[i] = rests >= 0 ? 0 : wn + left * py + dy;
    uz[i] = rests >= 0 ? cz : tz + left * pz + dz;
  }
}

static void
add_contact (Contacts *contacts, const ParticleBlock *start, const ParticleBlock *end, size_t i, double h)
{
  const uint32_t n = contacts->n++;

  contacts->index[n] = (uint32_t) i;
  contacts->h[n] = h;
  for (int c = 0; c < 3; c++) {
    contacts->x0[c][n] = (double) start->x[c][i];
    contacts->v0[c][n] = (double) start->v[c][i];
    contacts->x1[c][n] = (double) end->x[c][i];
    contacts->v1[c][n] = (double) end->v[c][i];
  }
}

static void
bounce_contacts (Contacts *contacts, const ParticleObstacles *o, ParticleBlock *end)
{
  bounce (contacts, o->height, o->restitution, o->friction);
  for (uint32_t k = 0; k < contacts->n; k++)
    for (int c = 0; c < 3; c++) {
      end->x[c][contacts->index[k]] = (float) contacts->x1[c][k];
      end->v[c][contacts->index[k]] = (float) contacts->v1[c][k];
    }
  contacts->n = 0;
}

static void
collide_path (const ParticleObstacles *o, const ParticleBlock *start, ParticleBlock *end, size_t i, double h,
              ParticleContacts *contacts)
{
  ParticlePath path;

  particle_path_init (&path, start, end, i, h);
  if (o->ball)
    collide_ball (&path, o, contacts, i);
  if (o->ground && path.x1.y < o->height && (contacts == NULL || contacts->held[i] == PARTICLE_FREE)) {
    if (path.h > 0)
      collide_ground (&path, o, contacts, i);
    else
      path.x1.y = o->height;
  }
  particle_path_store (&path, end, i);
  if (o->ground)
    end->x[1][i] = fmaxf (end->x[1][i], (float) o->height);
}

void
particle_collide (const ParticleObstacles *o, const ParticleBlock *start, ParticleBlock *end, const float *h, size_t n,
                  ParticleContacts *known)
{
  int32_t near[KG_FIELD_BLOCK];
  Contacts contacts = { .n = 0 };
  const float height = (float) o->height;

  if (!o->ground && !o->ball)
    return;
  if (o->ball)
    mark_near (o, start, end, near, n);
  else
    memset (near, 0, n * sizeof *near);
  for (size_t i = 0; i < n; i++) {
    if (!(h[i] > 0))
      continue;
    if (near[i] != 0 || (known != NULL && o->ground && end->x[1][i] < height))
      collide_path (o, start, end, i, (double) h[i], known);
    else if (o->ground && end->x[1][i] < height)
      add_contact (&contacts, start, end, i, (double) h[i]);
    if (contacts.n == CONTACTS)
      bounce_contacts (&contacts, o, end);
  }
  bounce_contacts (&contacts, o, end);
}
