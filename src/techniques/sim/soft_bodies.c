/* soft_bodies: rigid motion of soft objects that press against each other and against a floor.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/soft_bodies.h"

#include "kg-floats.h"
#include "soft/body_moments.h"
#include "soft/contact_patch.h"

/* Cells along the longest side of a body. */
#define CELLS 16
/* Contact surfaces of one pair. */
#define MAX_PEAKS 8
/* Samples that are traced to one: those deepest inside the other body come first. */
#define MAX_TRIES 16
/* A floor yields by one part in so many of what a body does, per metre. */
#define GROUND_SLOPE 1e4
/* Samples that are outside of the other body by so much of its level may still be near a contact. */
#define NEAR 0.25
/* Most pieces that a substep is cut into. */
#define MAX_PIECES 8

static void
soft_body_free (gpointer data)
{
  SoftBody *body = (SoftBody *) data;

  g_clear_pointer (&body->keys, soft_keys_unref);
  g_clear_pointer (&body->geometry, kg_geometry_unref);
  g_clear_pointer (&body->samples, g_array_unref);
  g_free (body);
}

void
soft_bodies_free (SoftBodies *bodies)
{
  g_ptr_array_unref (bodies->bodies);
  g_free (bodies);
}

size_t
soft_bodies_get_bytes (const SoftBodies *bodies)
{
  size_t bytes = sizeof *bodies;

  for (guint i = 0; i < bodies->bodies->len; i++)
    bytes += sizeof (SoftBody) + soft_bodies_get (bodies, i)->samples->len * sizeof (KgVector) +
             kg_geometry_get_bytes (soft_bodies_get (bodies, i)->geometry);
  return bytes;
}

/* Mass, centre, inertia and samples of the surface. */
static bool
soft_body_measure (SoftBody *body, const SoftBodiesOptions *o, double level, const KgProgressMonitor *monitor,
                   GError **error)
{
  g_autoptr (KgField) field = soft_keys_make_field (body->keys, error);
  g_autoptr (KgGeometry) mesh = NULL;
  PolygonizeOptions options = { .level = level, .limit = 1000000 };
  Moments moments = { 0 };
  MassProperties mass;
  const float *p;

  if (field == NULL)
    return false;
  if (soft_keys_get_bounds (body->keys, &options.low, &options.high)) {
    const KgVector size = kg_vector_subtract (options.high, options.low);

    options.cell = body->cell = o->cell > 0 ? o->cell : MAX (MAX (size.x, size.y), size.z) / CELLS;
    if (!body_moments_measure (field, &options, monitor, &moments, &mesh, error))
      return false;
  }
  if (mesh == NULL || !(moments.measure > 0) ||
      !moments_get_mass_properties (&moments, o->density * moments.measure, &mass)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "body %d has no surface: give its keys a larger size or force, or use smaller cells", body->id);
    return false;
  }
  body->rigid.mass = mass.mass;
  body->rigid.inverse_mass = 1 / mass.mass;
  body->rigid.inertia = mass.inertia;
  symmetric_matrix_invert (mass.inertia, &body->rigid.inverse_inertia);
  body->rigid.center = mass.center;
  body->rigid.turn = kg_rotation_identity ();
  body->samples = g_array_new (false, false, sizeof (KgVector));
  p = kg_geometry_get_positions (mesh);
  for (size_t i = 0; i < kg_geometry_get_n_points (mesh); i++) {
    const KgVector at = kg_floats_get_vector (p, i);

    g_array_append_val (body->samples, at);
    body->rigid.radius = MAX (body->rigid.radius, kg_vector_distance (at, mass.center));
  }
  return true;
}

static SoftBody *
soft_body_new (const KgGeometry *keys, const int32_t *ids, int32_t id, const SoftOptions *soft,
               const SoftBodiesOptions *options, const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = kg_geometry_get_n_points (keys);
  g_autofree uint8_t *keep = g_new (uint8_t, n);
  SoftBody *body = g_new0 (SoftBody, 1);
  const KgGeometry *list[1];
  const float *v;

  body->id = id;
  body->geometry = kg_geometry_ref ((KgGeometry *) keys);
  for (size_t i = 0; i < n; i++)
    keep[i] = ids == NULL || ids[i] == id;
  kg_geometry_make_writable (&body->geometry);
  kg_geometry_keep_points (body->geometry, keep);
  list[0] = body->geometry;
  body->keys = soft_keys_new (list, 1, soft, monitor, error);
  if (body->keys == NULL || !soft_body_measure (body, options, soft->density.level, monitor, error)) {
    soft_body_free (body);
    return NULL;
  }
  v = kg_geometry_get_float (body->geometry, KG_POINTS, "v", 3);
  body->rigid.velocity = options->velocity;
  if (v != NULL)
    body->rigid.velocity = kg_vector_add (options->velocity, kg_floats_get_vector (v, 0));
  return body;
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  const int32_t i = *(const int32_t *) a, k = *(const int32_t *) b;

  return (i > k) - (i < k);
}

SoftBodies *
soft_bodies_new (const KgGeometry *keys, const SoftOptions *soft, const SoftBodiesOptions *options,
                 const KgProgressMonitor *monitor, GError **error)
{
  const size_t n = kg_geometry_get_n_points (keys);
  const int32_t *own = kg_geometry_get_int (keys, KG_POINTS, "body", 1);
  const int32_t *ids = own != NULL ? own : kg_geometry_get_int (keys, KG_POINTS, "part", 1);
  g_autofree int32_t *sorted = g_new0 (int32_t, MAX (n, 1));
  g_autoptr (SoftBodies) bodies = g_new0 (SoftBodies, 1);

  bodies->bodies = g_ptr_array_new_with_free_func (soft_body_free);
  bodies->level = soft->density.level;
  if (ids != NULL)
    memcpy (sorted, ids, n * sizeof *sorted);
  qsort (sorted, n, sizeof *sorted, compare_ids);
  for (size_t i = 0; i < n; i++) {
    SoftBody *body;

    if (i > 0 && sorted[i] == sorted[i - 1])
      continue;
    if (bodies->bodies->len == SOFT_BODIES_MAX) {
      kg_set_error (error, KG_ERROR_LIMIT, "there are more than %d bodies: give keys of one body the same number",
                    SOFT_BODIES_MAX);
      return NULL;
    }
    body = soft_body_new (keys, ids, sorted[i], soft, options, monitor, error);
    if (body == NULL)
      return NULL;
    g_ptr_array_add (bodies->bodies, body);
  }
  return g_steal_pointer (&bodies);
}

KgTransform
soft_body_get_transform (const SoftBody *body, const RigidMotion *motion)
{
  KgTransform t = kg_transform_from_parts (kg_vector (0, 0, 0), motion->turn, kg_vector (1, 1, 1));
  const KgVector center = kg_transform_point (t, body->rigid.center);

  for (size_t c = 0; c < 3; c++)
    t.m[c][3] = kg_vector_get (motion->place, c) - kg_vector_get (center, c);
  return t;
}

/* A body where it is; without keys: the ground. */
typedef struct {
  const SoftBody *body;
  const RigidMotion *motion;
  double level, height;
} Placed;

static KgVector
placed_to_rest (const Placed *placed, KgVector p)
{
  return kg_vector_add (placed->body->rigid.center, kg_rotation_apply (kg_rotation_conjugate (placed->motion->turn),
                                                                       kg_vector_subtract (p, placed->motion->place)));
}

static double
placed_get_potential (gconstpointer data, KgVector p, KgVector *gradient)
{
  const Placed *placed = (const Placed *) data;
  double value;

  if (placed->body == NULL) {
    *gradient = kg_vector (0, -GROUND_SLOPE, 0);
    return GROUND_SLOPE * (placed->height - p.y);
  }
  value = soft_keys_get_value (placed->body->keys, placed_to_rest (placed, p), gradient);
  *gradient = kg_rotation_apply (placed->motion->turn, *gradient);
  return value - placed->level;
}

static KgVector
placed_get_sample (const Placed *placed, guint i)
{
  return kg_vector_add (
      placed->motion->place,
      kg_rotation_apply (placed->motion->turn, kg_vector_subtract (g_array_index (placed->body->samples, KgVector, i),
                                                                   placed->body->rigid.center)));
}

typedef struct {
  double g;
  guint i;
  KgVector p;
} Candidate;

static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *p = (const Candidate *) a, *q = (const Candidate *) b;

  return p->g != q->g ? (p->g < q->g) - (p->g > q->g) : (p->i > q->i) - (p->i < q->i);
}

/* The places where b is pressed most into a, which the samples of a lead to. */
static guint
find_peaks (const Placed *a, const Placed *b, KgVector peaks[MAX_PEAKS])
{
  const double cell = a->body->cell, level = b->body != NULL ? b->level : 0;
  g_autoptr (GArray) candidates = g_array_new (false, false, sizeof (Candidate));
  const ContactPair pair = { placed_get_potential, a, b };
  guint n = 0, tries = 0;

  for (guint i = 0; i < a->body->samples->len; i++) {
    Candidate candidate = { .i = i, .p = placed_get_sample (a, i) };
    KgVector ignored;

    if (b->body != NULL && kg_vector_distance (candidate.p, b->motion->place) > b->body->rigid.radius + 2 * cell)
      continue;
    candidate.g = placed_get_potential (b, candidate.p, &ignored);
    if (candidate.g > (b->body != NULL ? -NEAR * level : -GROUND_SLOPE * cell))
      g_array_append_val (candidates, candidate);
  }
  g_array_sort (candidates, compare_candidates);
  for (guint i = 0; i < candidates->len && n < MAX_PEAKS && tries < MAX_TRIES; i++) {
    KgVector p = g_array_index (candidates, Candidate, i).p;
    bool apart = true;

    for (guint k = 0; k < n && apart; k++)
      apart = kg_vector_distance (p, peaks[k]) > 4 * cell;
    if (!apart)
      continue;
    tries++;
    if (!(contact_pair_climb (&pair, &p, cell, 0.01 * cell) > 0))
      continue;
    for (guint k = 0; k < n && apart; k++)
      apart = kg_vector_distance (p, peaks[k]) > cell;
    if (apart)
      peaks[n++] = p;
  }
  return n;
}

/* Of one pair. */
typedef struct {
  guint a, b; /* b = the number of bodies: the ground */
  GArray *samples;
} Touch;

static void
touch_find (Touch *touch, const SoftBodies *bodies, const RigidMotion *motions, const SoftBodiesSettings *settings)
{
  const guint n = bodies->bodies->len;
  const Placed a = { soft_bodies_get (bodies, touch->a), &motions[touch->a], bodies->level, 0 };
  const Placed b = touch->b < n ? (Placed){ soft_bodies_get (bodies, touch->b), &motions[touch->b], bodies->level, 0 }
                                : (Placed){ NULL, NULL, 0, settings->ground_height };
  const double reach = a.body->rigid.radius + (b.body != NULL ? b.body->rigid.radius : 0);
  const double apart = b.body != NULL ? kg_vector_distance (a.motion->place, b.motion->place)
                                      : a.motion->place.y - settings->ground_height;
  const ContactPair pair = { placed_get_potential, &a, &b };
  KgVector peaks[MAX_PEAKS];
  guint n_peaks;

  if (apart > reach)
    return;
  n_peaks = find_peaks (&a, &b, peaks);
  for (guint i = 0; i < n_peaks; i++)
    contact_pair_sample (&pair, peaks, n_peaks, i, a.body->cell, touch->samples);
}

static KgVector
get_velocity (const SoftBodies *bodies, const RigidMotion *motions, const KgVector *omegas, guint i, KgVector p)
{
  if (i >= bodies->bodies->len)
    return kg_vector (0, 0, 0);
  return kg_vector_add (motions[i].velocity, kg_vector_cross (omegas[i], kg_vector_subtract (p, motions[i].place)));
}

/* What else a step depends on. */
typedef struct {
  KgVector *forces, *torques, *omegas;
  double *rates; /* κ ∫ k dA / m of each body, 1/s² */
  double h;
} Load;

static double
touch_get_push (const Touch *touch, const SoftBodies *bodies, const RigidMotion *motions,
                const SoftBodiesSettings *settings, const KgVector *omegas, const ContactSample *sample, KgVector *slip)
{
  const KgVector v = kg_vector_subtract (get_velocity (bodies, motions, omegas, touch->a, sample->p),
                                         get_velocity (bodies, motions, omegas, touch->b, sample->p));
  const double closing = kg_vector_dot (v, sample->normal);

  *slip = kg_vector_add_scaled (v, -closing, sample->normal);
  return MAX (settings->stiffness * sample->compression + settings->damping * closing, 0);
}

/* Adds the forces of a pair, which are opposite on its two bodies. */
static void
touch_apply (const Touch *touch, const SoftBodies *bodies, const RigidMotion *motions,
             const SoftBodiesSettings *settings, const Load *load, GArray *contacts)
{
  const guint n = bodies->bodies->len;
  const double mass = MIN (soft_bodies_get (bodies, touch->a)->rigid.mass,
                           touch->b < n ? soft_bodies_get (bodies, touch->b)->rigid.mass : (double) INFINITY);
  double total = 0, least;
  KgVector slip;

  for (guint i = 0; i < touch->samples->len; i++) {
    const ContactSample *s = &g_array_index (touch->samples, ContactSample, i);

    total += s->area * touch_get_push (touch, bodies, motions, settings, load->omegas, s, &slip);
  }
  /* Slower than this friction is weaker, so that it stops a body within a step and does not turn it back. */
  least = MAX (1e-4, 4 * settings->friction * total * load->h / mass);
  for (guint i = 0; i < touch->samples->len; i++) {
    const ContactSample *s = &g_array_index (touch->samples, ContactSample, i);
    const double pressure = touch_get_push (touch, bodies, motions, settings, load->omegas, s, &slip);
    KgVector force = kg_vector_scale (s->normal, -pressure * s->area);
    const double rate = settings->stiffness * s->stiffness * s->area;

    force = kg_vector_add_scaled (
        force, -settings->friction * pressure * s->area / MAX (kg_vector_length (slip), least), slip);
    for (guint side = 0; side < 2; side++) {
      const guint body = side == 0 ? touch->a : touch->b;

      if (body >= n)
        continue;
      load->forces[body] = kg_vector_add_scaled (load->forces[body], side == 0 ? 1 : -1, force);
      load->torques[body] =
          kg_vector_add_scaled (load->torques[body], side == 0 ? 1 : -1,
                                kg_vector_cross (kg_vector_subtract (s->p, motions[body].place), force));
      if (load->rates != NULL)
        load->rates[body] += rate / soft_bodies_get (bodies, body)->rigid.mass;
    }
    if (contacts != NULL) {
      const SoftBodiesContact contact = {
        (int32_t) touch->a, touch->b < n ? (int32_t) touch->b : -1, s->p, s->normal, s->area, pressure
      };

      g_array_append_val (contacts, contact);
    }
  }
}

static guint
add_contacts (const SoftBodies *bodies, const RigidMotion *motions, const SoftBodiesSettings *settings,
              const Load *load, GArray *contacts)
{
  const guint n = bodies->bodies->len, n_pairs = n * (n - 1) / 2 + (settings->ground ? n : 0);
  g_autofree Touch *touches = g_new0 (Touch, MAX (n_pairs, 1));
  guint at = 0, count = 0;

  for (guint a = 0; a < n; a++)
    for (guint b = a + 1; b < n + (settings->ground ? 1 : 0); b++)
      touches[at++] = (Touch){ a, b, g_array_new (false, false, sizeof (ContactSample)) };
#pragma omp parallel for schedule(dynamic, 1)
  for (guint i = 0; i < n_pairs; i++)
    touch_find (&touches[i], bodies, motions, settings);
  for (guint i = 0; i < n_pairs; i++) {
    count += touches[i].samples->len > 0;
    touch_apply (&touches[i], bodies, motions, settings, load, contacts);
    g_array_unref (touches[i].samples);
  }
  return count;
}

guint
soft_bodies_get_forces (const SoftBodies *bodies, const RigidMotion *motions, const SoftBodiesSettings *settings,
                        KgVector *forces, KgVector *torques, GArray *contacts)
{
  const guint n = bodies->bodies->len;
  g_autofree KgVector *own = g_new0 (KgVector, 3 * MAX (n, 1));
  const Load load = { own, own + n, own + 2 * (size_t) n, NULL, 0 };
  guint count;

  for (guint i = 0; i < n; i++)
    load.omegas[i] = rigid_body_get_omega (&soft_bodies_get (bodies, i)->rigid, &motions[i]);
  count = add_contacts (bodies, motions, settings, &load, contacts);
  if (forces != NULL)
    memcpy (forces, load.forces, n * sizeof *forces);
  if (torques != NULL)
    memcpy (torques, load.torques, n * sizeof *torques);
  return count;
}

static void
drift (const SoftBodies *bodies, RigidMotion *motions, double h)
{
  const KgVector none = { 0, 0, 0 };

  for (guint i = 0; i < bodies->bodies->len; i++)
    rigid_body_fly (&soft_bodies_get (bodies, i)->rigid, &motions[i], none, none, h, RIGID_AXIS_ANGLE);
}

/* Drift, kick, drift.  Returns how many such steps would have been needed. */
static guint
step (const SoftBodies *bodies, RigidMotion *motions, const SoftBodiesSettings *settings, double time, double h,
      Load *load, SoftBodiesReport *report)
{
  const guint n = bodies->bodies->len;
  double most = 0;

  drift (bodies, motions, 0.5 * h);
  load->h = h;
  memset (load->forces, 0, n * sizeof *load->forces);
  memset (load->torques, 0, n * sizeof *load->torques);
  memset (load->rates, 0, n * sizeof *load->rates);
  for (guint i = 0; i < n; i++)
    load->omegas[i] = rigid_body_get_omega (&soft_bodies_get (bodies, i)->rigid, &motions[i]);
  report->n_contacts = add_contacts (bodies, motions, settings, load, NULL);
  for (guint i = 0; i < n; i++) {
    KgVector acceleration =
        kg_vector_add_scaled (settings->gravity, soft_bodies_get (bodies, i)->rigid.inverse_mass, load->forces[i]);

    if (settings->force != NULL) {
      const float place[] = { (float) motions[i].place.x, (float) motions[i].place.y, (float) motions[i].place.z };
      float field[3];

      kg_field_sample_points (settings->force, place, 1, time, field);
      acceleration = kg_vector_add (acceleration, kg_floats_get_vector (field, 0));
    }
    motions[i].velocity = kg_vector_add_scaled (motions[i].velocity, h, acceleration);
    motions[i].angular = kg_vector_add_scaled (motions[i].angular, h, load->torques[i]);
    most = MAX (most, load->rates[i] * h * h);
  }
  drift (bodies, motions, 0.5 * h);
  report->n_steps++;
  return (guint) kg_clamp (ceil (sqrt (2 * most)), 1, MAX_PIECES);
}

bool
soft_bodies_advance (const SoftBodies *bodies, RigidMotion *motions, const SoftBodiesSettings *settings, double time,
                     double dt, SoftBodiesReport *report, const KgProgressMonitor *monitor)
{
  const guint n = bodies->bodies->len;
  g_autofree KgVector *vectors = g_new (KgVector, 3 * MAX (n, 1));
  g_autofree double *rates = g_new (double, MAX (n, 1));
  g_autofree RigidMotion *before = g_new (RigidMotion, MAX (n, 1));
  Load load = { vectors, vectors + n, vectors + 2 * (size_t) n, rates, 0 };
  const double h = dt / settings->substeps;

  *report = (SoftBodiesReport){ 0, 0 };
  for (guint i = 0; i < settings->substeps; i++) {
    guint pieces;

    if (kg_progress_is_cancelled (monitor))
      return false;
    memcpy (before, motions, n * sizeof *before);
    pieces = step (bodies, motions, settings, time + i * h, h, &load, report);
    if (pieces == 1)
      continue;
    memcpy (motions, before, n * sizeof *before);
    for (guint k = 0; k < pieces; k++) {
      if (kg_progress_is_cancelled (monitor))
        return false;
      step (bodies, motions, settings, time + i * h + k * h / pieces, h / pieces, &load, report);
    }
  }
  return true;
}
