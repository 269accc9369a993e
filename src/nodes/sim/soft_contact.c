/* sim/soft_contact: soft objects that fall, press against each other and push each other away.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "kg-floats.h"
#include "sim/soft_bodies.h"
#include "soft/contact_field.h"
#include "soft/soft_contact.h"
#include "soft/solid_algebra.h"

typedef struct {
  KgGeometry *keys;
  int density_kind;
  double level;
  double density;
  KgVector velocity;
  KgVector gravity;
  KgList forces;
  bool ground;
  double ground_height;
  double stiffness;
  double damping;
  double friction;
  int64_t substeps;
  double width;
  double bulge;
  double cell;
  /* The keys at the start, and a point for each body with the doubles of its motion. */
  KgGeometry *rest;
  KgGeometry *state;
  KgGeometry *moved;
  KgField *field;
  KgField *color;
  KgGeometry *bodies;
  KgGeometry *contacts;
  int64_t count;
  double kinetic;
  KgVector momentum;
} SoftContactNode;

/* Cells in which contacts of the result are looked for: more would take longer than the simulation. */
#define SKIN_MOST_CUBES 1000000
/* A geometry of N points that hold their motion: place, turn, velocity, angular momentum. */
#define KEEPS "points memory int 26; whole steps int 1"
G_STATIC_ASSERT (2 * SOFT_BODIES_MEMORY == 26);

static const KgChoice soft_contact_densities[] = {
  [DENSITY_WYVILL] = { "wyvill", N_ ("Wyvill: sixth degree") },
  [DENSITY_SMOOTH] = { "smooth", N_ ("Smooth: cubic in the distance") },
  [DENSITY_QUADRATIC] = { "quadratic", N_ ("Quadratic") },
  [DENSITY_METABALL] = { "metaball", N_ ("Metaballs of Nishimura") },
  [DENSITY_GAUSS] = { "gauss", N_ ("Exponential of Blinn") },
  [DENSITY_QUARTIC] = { "quartic", N_ ("Quartic") },
  [DENSITY_CUBIC] = { "cubic", N_ ("Cube of the quadratic") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (soft_contact_densities, DENSITY_N_KINDS);

static SoftOptions
soft_contact_get_options (const SoftContactNode *n)
{
  return (SoftOptions){ .density = { .kind = (DensityKind) n->density_kind,
                                     .level = n->level,
                                     .blobbiness = 2,
                                     .cutoff = MIN (1e-4, 0.5 * n->level) },
                        .blend = SOFT_BLEND_SUM,
                        .power = 4 };
}

typedef struct {
  const SoftContactNode *n;
  const KgContext *ctx;
} Build;

static void *
soft_contact_build (gpointer data, size_t *bytes, GError **error)
{
  const Build *build = (const Build *) data;
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (build->ctx);
  const SoftOptions soft = soft_contact_get_options (build->n);
  const SoftBodiesOptions options = { .density = build->n->density, .velocity = build->n->velocity };
  SoftBodies *bodies = soft_bodies_new (build->n->rest, &soft, &options, &monitor, error);

  if (bodies != NULL)
    *bytes = soft_bodies_get_bytes (bodies);
  return bodies;
}

static const SoftBodies *
soft_contact_get_bodies (const SoftContactNode *n, const KgContext *ctx, GError **error)
{
  const double numbers[] = { n->density_kind, n->level, n->density, n->velocity.x, n->velocity.y, n->velocity.z };
  const KgHash key = kg_hash_doubles (kg_hash_text (kg_geometry_get_fingerprint (n->rest), "soft bodies"), numbers,
                                      G_N_ELEMENTS (numbers));
  Build build = { n, ctx };

  return (const SoftBodies *) kg_context_memo (ctx, key, soft_contact_build, &build, (GDestroyNotify) soft_bodies_free,
                                               error);
}

static void
soft_contact_save (KgGeometry *state, const RigidMotion *motions, guint n)
{
  double *memory = (double *) (void *) kg_geometry_edit_int (state, KG_POINTS, "memory", 2 * SOFT_BODIES_MEMORY);

  for (guint i = 0; i < n; i++, memory += SOFT_BODIES_MEMORY) {
    const RigidMotion *m = &motions[i];
    const double numbers[SOFT_BODIES_MEMORY] = { m->place.x,    m->place.y,    m->place.z,   m->turn.w,
                                                 m->turn.x,     m->turn.y,     m->turn.z,    m->velocity.x,
                                                 m->velocity.y, m->velocity.z, m->angular.x, m->angular.y,
                                                 m->angular.z };

    memcpy (memory, numbers, sizeof numbers);
  }
}

/* (transfer full) (nullable) The motions of the state. */
static RigidMotion *
soft_contact_load (const SoftContactNode *n, guint count, GError **error)
{
  const double *memory =
      (const double *) (const void *) kg_geometry_get_int (n->state, KG_POINTS, "memory", 2 * SOFT_BODIES_MEMORY);
  RigidMotion *motions;

  if (kg_geometry_get_n_points (n->state) != count) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the state has %zu bodies, but the keys have %u: simulate again from the first frame",
                  kg_geometry_get_n_points (n->state), count);
    return NULL;
  }
  motions = g_new0 (RigidMotion, MAX (count, 1));
  for (guint i = 0; i < count; i++, memory += SOFT_BODIES_MEMORY) {
    motions[i].place = kg_vector (memory[0], memory[1], memory[2]);
    motions[i].turn = kg_rotation_normalize ((KgRotation){ memory[3], memory[4], memory[5], memory[6] });
    motions[i].velocity = kg_vector (memory[7], memory[8], memory[9]);
    motions[i].angular = kg_vector (memory[10], memory[11], memory[12]);
  }
  return motions;
}

static bool
soft_contact_start (SoftContactNode *n, const KgContext *ctx, GError **error)
{
  g_autofree RigidMotion *motions = NULL;
  const SoftBodies *bodies;

  n->rest = kg_geometry_ref (n->keys);
  n->state = kg_geometry_new ();
  bodies = soft_contact_get_bodies (n, ctx, error);
  if (bodies == NULL || !kg_geometry_set_n_points (n->state, bodies->bodies->len, error))
    return false;
  motions = g_new0 (RigidMotion, MAX (bodies->bodies->len, 1));
  for (guint i = 0; i < bodies->bodies->len; i++)
    rigid_body_start (&soft_bodies_get (bodies, i)->rigid, &motions[i]);
  soft_contact_save (n->state, motions, bodies->bodies->len);
  kg_geometry_edit_int (n->state, KG_WHOLE, "steps", 1);
  return true;
}

static SoftBodiesSettings
soft_contact_get_settings (const SoftContactNode *n)
{
  return (SoftBodiesSettings){ .stiffness = n->stiffness,
                               .damping = n->damping,
                               .friction = n->friction,
                               .gravity = n->gravity,
                               .ground = n->ground,
                               .ground_height = n->ground_height,
                               .substeps = (guint) n->substeps };
}

static bool
soft_contact_advance (SoftContactNode *n, const KgContext *ctx, double dt, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const SoftBodies *bodies = soft_contact_get_bodies (n, ctx, error);
  g_autofree const KgField **fields = g_new (const KgField *, MAX (n->forces.n, 1));
  g_autofree RigidMotion *motions = NULL;
  g_autoptr (KgField) force = NULL;
  SoftBodiesSettings settings = soft_contact_get_settings (n);
  SoftBodiesReport report;

  if (bodies == NULL || (motions = soft_contact_load (n, bodies->bodies->len, error)) == NULL)
    return false;
  for (guint i = 0; i < n->forces.n; i++)
    fields[i] = n->forces.items[i].field;
  if (n->forces.n > 0 && (force = kg_field_new_sum (fields, n->forces.n, error)) == NULL)
    return false;
  settings.force = force;
  if (!soft_bodies_advance (bodies, motions, &settings, ctx->time - dt, dt, &report, &monitor))
    return false;
  for (guint i = 0; i < bodies->bodies->len; i++)
    if (!(kg_vector_length (motions[i].place) < 1e30) || !(kg_vector_length (motions[i].velocity) < 1e30)) {
      kg_set_error (error, KG_ERROR_DIVERGED,
                    "body %d moves beyond all bounds at frame %g: use more substeps, or a lower stiffness",
                    soft_bodies_get (bodies, i)->id, ctx->frame);
      return false;
    }
  kg_geometry_make_writable (&n->state);
  soft_contact_save (n->state, motions, bodies->bodies->len);
  *kg_geometry_edit_int (n->state, KG_WHOLE, "steps", 1) = (int32_t) MIN (report.n_steps, 1000000);
  return true;
}

/* The keys where they are, and a point for each body. */
static bool
soft_contact_place (SoftContactNode *n, const SoftBodies *bodies, const RigidMotion *motions, GPtrArray *keys,
                    GError **error)
{
  const guint count = bodies->bodies->len;
  float *p, *v, *w, *mass, *orient;
  int32_t *id;

  n->moved = kg_geometry_new ();
  n->bodies = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->bodies, count, error))
    return false;
  p = kg_geometry_edit_positions (n->bodies);
  v = kg_geometry_edit_float (n->bodies, KG_POINTS, "v", 3);
  w = kg_geometry_edit_float (n->bodies, KG_POINTS, "w", 3);
  mass = kg_geometry_edit_float (n->bodies, KG_POINTS, "mass", 1);
  orient = kg_geometry_edit_float (n->bodies, KG_POINTS, "orient", 4);
  id = kg_geometry_edit_int (n->bodies, KG_POINTS, "body", 1);
  for (guint i = 0; i < count; i++) {
    const SoftBody *body = soft_bodies_get (bodies, i);
    const KgTransform t = soft_body_get_transform (body, &motions[i]);
    const KgVector omega = rigid_body_get_omega (&body->rigid, &motions[i]);
    const float turn[] = { (float) motions[i].turn.w, (float) motions[i].turn.x, (float) motions[i].turn.y,
                           (float) motions[i].turn.z };
    KgGeometry *moved = kg_geometry_ref (body->geometry);

    kg_geometry_make_writable (&moved);
    kg_geometry_transform (moved, &t);
    g_ptr_array_add (keys, moved);
    if (!kg_geometry_append (n->moved, moved, error))
      return false;
    kg_floats_set_vector (p, i, motions[i].place);
    kg_floats_set_vector (v, i, motions[i].velocity);
    kg_floats_set_vector (w, i, omega);
    memcpy (orient + 4 * i, turn, sizeof turn);
    mass[i] = (float) body->rigid.mass;
    id[i] = body->id;
    n->kinetic += 0.5 * body->rigid.mass * kg_vector_dot (motions[i].velocity, motions[i].velocity) +
                  0.5 * kg_vector_dot (omega, motions[i].angular);
    n->momentum = kg_vector_add_scaled (n->momentum, body->rigid.mass, motions[i].velocity);
  }
  return true;
}

/* The skin of all, as they press each other. */
static bool
soft_contact_dress (SoftContactNode *n, const GPtrArray *keys, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const SoftOptions soft = soft_contact_get_options (n);
  const SoftContactOptions options = {
    .time = ctx->time, .width = n->width, .bulge = n->bulge, .cell = n->cell, .limit = SKIN_MOST_CUBES
  };
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_field_unref);
  g_autoptr (GPtrArray) colors = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_field_unref);
  g_autoptr (SoftContact) contact = NULL;

  for (guint i = 0; i < keys->len; i++) {
    const KgGeometry *list[] = { (const KgGeometry *) g_ptr_array_index (keys, i) };
    g_autoptr (SoftKeys) read = soft_keys_new (list, 1, &soft, &monitor, error);
    KgField *field = read != NULL ? soft_keys_make_field (read, error) : NULL;
    KgField *color = field != NULL ? soft_keys_make_color_field (read, error) : NULL;

    if (field != NULL)
      g_ptr_array_add (fields, field);
    if (color == NULL)
      return false;
    g_ptr_array_add (colors, color);
  }
  if (keys->len == 0) {
    n->field = kg_field_new_constant (0);
    n->color = kg_field_new_constant_vector (kg_vector (1, 1, 1));
    return true;
  }
  contact = soft_contact_solve ((const KgField *const *) fields->pdata, fields->len, &options, &monitor, error);
  if (contact == NULL)
    return false;
  n->field =
      solid_algebra_new (SOLID_UNION, 1, (const KgField *const *) contact->fields->pdata, contact->fields->len, error);
  n->color = contact_field_new_colors ((const KgField *const *) contact->fields->pdata,
                                       (const KgField *const *) colors->pdata, colors->len, error);
  return n->field != NULL && n->color != NULL;
}

static bool
soft_contact_make_contacts (SoftContactNode *n, const SoftBodies *bodies, const RigidMotion *motions, GError **error)
{
  const SoftBodiesSettings settings = soft_contact_get_settings (n);
  g_autoptr (GArray) found = g_array_new (false, false, sizeof (SoftBodiesContact));
  float *p, *normal, *area, *pressure;
  int32_t *a, *b;

  n->count = soft_bodies_get_forces (bodies, motions, &settings, NULL, NULL, found);
  n->contacts = kg_geometry_new ();
  if (!kg_geometry_set_n_points (n->contacts, found->len, error))
    return false;
  p = kg_geometry_edit_positions (n->contacts);
  normal = kg_geometry_edit_float (n->contacts, KG_POINTS, "N", 3);
  area = kg_geometry_edit_float (n->contacts, KG_POINTS, "area", 1);
  pressure = kg_geometry_edit_float (n->contacts, KG_POINTS, "pressure", 1);
  a = kg_geometry_edit_int (n->contacts, KG_POINTS, "a", 1);
  b = kg_geometry_edit_int (n->contacts, KG_POINTS, "b", 1);
  for (guint i = 0; i < found->len; i++) {
    const SoftBodiesContact *contact = &g_array_index (found, SoftBodiesContact, i);

    kg_floats_set_vector (p, i, contact->p);
    kg_floats_set_vector (normal, i, contact->normal);
    area[i] = (float) contact->area;
    pressure[i] = (float) contact->pressure;
    a[i] = contact->a;
    b[i] = contact->b;
  }
  return true;
}

/* Two bodies in one place press in no direction. */
static void
soft_contact_warn (const SoftContactNode *n, const SoftBodies *bodies, const RigidMotion *motions, const KgContext *ctx)
{
  const int32_t *steps = kg_geometry_get_int (n->state, KG_WHOLE, "steps", 1);

  if (*steps > n->substeps)
    kg_context_warn (ctx, "the contacts are too stiff for %u substeps: %d were taken", (guint) n->substeps, *steps);
  for (guint b = 1; b < bodies->bodies->len; b++)
    for (guint a = 0; a < b; a++) {
      const SoftBody *first = soft_bodies_get (bodies, a), *second = soft_bodies_get (bodies, b);

      if (kg_vector_distance (motions[a].place, motions[b].place) >
          1e-4 * MIN (first->rigid.radius, second->rigid.radius))
        continue;
      kg_context_warn (ctx, "bodies %d and %d are at the same position, so that nothing pushes them apart: move one",
                       first->id, second->id);
      return;
    }
}

static bool
soft_contact_evaluate (SoftContactNode *n, const KgContext *ctx, GError **error)
{
  const SoftBodies *bodies = soft_contact_get_bodies (n, ctx, error);
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func ((GDestroyNotify) kg_geometry_unref);
  g_autofree RigidMotion *motions = NULL;

  if (bodies == NULL || (motions = soft_contact_load (n, bodies->bodies->len, error)) == NULL)
    return false;
  soft_contact_warn (n, bodies, motions, ctx);
  return soft_contact_place (n, bodies, motions, keys, error) && soft_contact_dress (n, keys, ctx, error) &&
         soft_contact_make_contacts (n, bodies, motions, error);
}

static const KgSlot soft_contact_slots[] = {
  KG_INPUT (SoftContactNode, keys, GEOMETRY, .label = N_ ("Keys"),
            .help = N_ ("Keys of soft objects at the first frame. Those with the same whole number in the attribute "
                        "body, or else part, are one body; its first key may have a velocity v.")),
  KG_INPUT (SoftContactNode, density_kind, CHOICE, .label = N_ ("Fall-off"), .choices = soft_contact_densities,
            .help = N_ ("How the influence of a key falls off with the distance.")),
  KG_INPUT (SoftContactNode, level, NUMBER, .label = N_ ("Level"), .def = 0.5, .min = 1e-6, .max = 1e6,
            .soft_min = 0.05, .soft_max = 1, .help = N_ ("The surface of a body is where its field has this value.")),
  KG_INPUT (SoftContactNode, density, NUMBER, .label = N_ ("Density"), .def = 10, .min = 1e-6, .max = 1e6,
            .soft_max = 1000, .help = N_ ("Mass of a cubic metre, in kilograms.")),
  KG_INPUT (SoftContactNode, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
            .handle = { .kind = KG_HANDLE_NONE }, .help = N_ ("Velocity of all bodies at the first frame.")),
  KG_INPUT (SoftContactNode, gravity, VECTOR, .label = N_ ("Gravity"), .unit = KG_METRES_PER_SECOND2,
            .def_v = { 0, -9.81, 0 }, .handle = { .kind = KG_HANDLE_NONE }, .help = N_ ("Acceleration of all bodies.")),
  KG_INPUTS (SoftContactNode, forces, FIELD, .label = N_ ("Forces"), .optional = true,
             .help = N_ ("Fields of acceleration, at the centre of each body.")),
  KG_INPUT (SoftContactNode, ground, BOOLEAN, .label = N_ ("Ground"), .def = 1,
            .help = N_ ("A hard floor below the bodies.")),
  KG_INPUT (SoftContactNode, ground_height, NUMBER, .label = N_ ("Ground height"), .unit = KG_METRES, .min = -1e6,
            .max = 1e6, .soft_min = -10, .soft_max = 10, .shown_when = "ground=true",
            .help = N_ ("Height of the floor.")),
  KG_INPUT (
      SoftContactNode, stiffness, NUMBER, .label = N_ ("Stiffness"), .def = 5000, .min = 0, .max = 1e9,
      .soft_max = 50000,
      .help = N_ (
          "Pressure on a contact surface for each unit that the field is above its level, in pascals. Bodies that are too soft for their weight pass through each other.")),
  KG_INPUT (SoftContactNode, damping, NUMBER, .label = N_ ("Damping"), .def = 50, .min = 0, .max = 1e6, .soft_max = 100,
            .help = N_ ("Pressure against bodies that approach each other, in pascals per metre per second.")),
  KG_INPUT (SoftContactNode, friction, NUMBER, .label = N_ ("Friction"), .def = 0.3, .min = 0, .max = 10, .soft_max = 1,
            .help = N_ ("Coefficient of friction.")),
  KG_INPUT (
      SoftContactNode, substeps, INTEGER, .label = N_ ("Substeps"), .def = 4, .min = 1, .max = 1000, .soft_max = 50,
      .group = N_ ("Solver"),
      .help = N_ ("Number of equal steps in each frame. Where contacts are too stiff for these, more are taken.")),
  KG_INPUT (SoftContactNode, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.3, .min = 0, .max = 1e6,
            .soft_max = 1, .group = N_ ("Shape"), .help = N_ ("Distance from a contact within which bodies bulge.")),
  KG_INPUT (SoftContactNode, bulge, NUMBER, .label = N_ ("Bulge"), .def = 0.4, .min = 0, .max = SOFT_CONTACT_MAX_BULGE,
            .soft_max = 2, .group = N_ ("Shape"),
            .help = N_ ("Height of the bulge, relative to the greatest compression.")),
  KG_INPUT (SoftContactNode, cell, NUMBER, .label = N_ ("Cell"), .unit = KG_METRES, .def = 0.1, .min = 1e-6, .max = 1e6,
            .soft_min = 0.01, .soft_max = 0.5, .group = N_ ("Shape"),
            .help = N_ ("Size of the cells in which contacts are searched for.")),
  KG_STATE (SoftContactNode, rest, GEOMETRY, .keeps = ""),
  KG_STATE (SoftContactNode, state, GEOMETRY, .keeps = KEEPS),
  KG_OUTPUT (SoftContactNode, moved, GEOMETRY, .label = N_ ("Keys"),
             .help = N_ ("The keys at their current positions, body by body.")),
  KG_OUTPUT (SoftContactNode, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("All bodies, pressed against each other, as a field for one common skin; its level is 1.")),
  KG_OUTPUT (SoftContactNode, color, FIELD, .label = N_ ("Colour"), .help = N_ ("The colours of the bodies.")),
  KG_OUTPUT (SoftContactNode, bodies, GEOMETRY, .label = N_ ("Bodies"),
             .help = N_ ("A point at the centre of each body, with v, w (radians per second), orient, mass and body.")),
  KG_OUTPUT (SoftContactNode, contacts, GEOMETRY, .label = N_ ("Contacts"),
             .help = N_ ("Points on the contact surfaces, with N (out of body a), area, pressure (pascals), a and b "
                         "(-1: the ground).")),
  KG_OUTPUT (SoftContactNode, count, INTEGER, .label = N_ ("Count"),
             .help = N_ ("Number of pairs of bodies that touch.")),
  KG_OUTPUT (SoftContactNode, kinetic, NUMBER, .label = N_ ("Kinetic energy"),
             .help = N_ ("Kinetic energy of all bodies, in joules.")),
  KG_OUTPUT (SoftContactNode, momentum, VECTOR, .label = N_ ("Momentum"),
             .help = N_ ("Momentum of all bodies, in kg m/s.")),
};

KG_SIMULATION (
    sim, soft_contact, SoftContactNode, .label = N_ ("Soft Objects in Contact"), .version = 1, .since = "0.1",
    .time = KG_TIME_READS,
    .tags = N_ ("soft object clay jelly collision contact bounce pile implicit metaball dynamics"),
    .formula = "pressure on a contact surface: max (κ g + λ v, 0), g = F − level, v: speed of closing in",
    .source = "Gascuel, Verroust and Puech 1991; Gascuel, An Implicit Formulation for Precise Contact "
              "Modeling between Flexible Solids, 1993",
    .help = N_ (
        "Simulates soft objects that move as whole bodies, and push each other away where they touch: balls of clay, "
        "jelly, heaps of dumplings."));
