/* rigid_joint_rows: all joints of a world, solved together, see rigid_world.h.
 *
 * The conditions of joints that hold both ways are one system J M⁻¹ Jᵀ lambda = -(velocity), which is sparse: chains take time
 * in proportion to their length (envelope_matrix.h), and hold any weight.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_world_private.h"

/* Share of an error of position that a substep takes out. */
#define JOINT_BIAS 0.5
/* Share of the diagonal that is added to it: decides between joints that hold the same. */
#define RIDGE 1e-9
/* Above this many multiplications, joints are solved one after the other. */
#define MAX_WORK 3e8
/* Less than this share of a body's inertia is not worth adding. */
#define SWING_SHARE 0.1
/* The same of an angle (radians), and the frequency and damping ratio of the springs that close what gapes. */
#define GAPING_ANGLE 0.3
#define GAPING_HERTZ 5.0
#define GAPING_RATIO 1.0
/* Softness of rows that take no impulse. */
#define HELD 1e30
/* Frequency and damping ratio of a hand that pulls. */
#define GRAB_HERTZ 5.0
#define GRAB_RATIO 1.0

static void
add_grab (RigidWorld *world, const RigidSettings *settings, double h)
{
  const RigidMotion *motion = &world->motions[settings->grab_body];
  const RigidBody *body = rigid_set_get_body (world->set, settings->grab_body);
  const KgVector arm = kg_rotation_apply (motion->turn, settings->grab_point);
  const KgVector error = kg_vector_subtract (kg_vector_add (motion->place, arm), settings->grab_to);
  const double omega = 2 * KG_PI * GRAB_HERTZ, k = body->mass * omega * omega, c = 2 * GRAB_RATIO * body->mass * omega;

  for (size_t i = 0; i < 3; i++) {
    const KgVector axis = { i == 0, i == 1, i == 2 };
    RigidRow row = rigid_row_along (settings->grab_body, world->n, axis, arm, kg_vector (0, 0, 0));

    row.softness = 1 / (h * (c + h * k));
    row.wanted = row.kept = -k * kg_vector_get (error, i) / (c + h * k);
    g_array_append_val (world->work->equal, row);
  }
}

/* Pairs of rows that a body couples. */
static GArray *
find_couples (const RigidWorld *world, const GArray *rows)
{
  GArray *couples = g_array_new (FALSE, FALSE, 2 * sizeof (uint32_t));
  g_autofree guint *starts = g_new0 (guint, world->n + 2);
  g_autofree uint32_t *members = g_new (uint32_t, MAX (2 * rows->len, 1));

  for (int pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < rows->len; i++)
      for (int side = 0; side < 2; side++) {
        const RigidRow *row = &g_array_index (rows, RigidRow, i);
        const uint32_t body = side == 0 ? row->a : row->b;

        if (world->work->speeds[body].inverse_mass == 0)
          continue;
        if (pass == 0)
          starts[body + 1]++;
        else
          members[starts[body]++] = i;
      }
    if (pass == 0)
      for (guint b = 0; b <= world->n; b++)
        starts[b + 1] += starts[b];
  }
  /* The second pass has moved each start to the end of its body. */
  for (guint b = 0, from = 0; b <= world->n; from = starts[b++])
    for (guint i = from; i < starts[b]; i++)
      for (guint k = from; k < i; k++) {
        const uint32_t couple[2] = { members[k], members[i] };

        if (couple[0] != couple[1])
          g_array_append_vals (couples, couple, 1);
      }
  return couples;
}

static bool
is_known (const RigidWork *work)
{
  if (work->known->len != work->equal->len)
    return false;
  for (guint i = 0; i < work->equal->len; i++) {
    const RigidRow *row = &g_array_index (work->equal, RigidRow, i);
    const RigidPair *pair = &g_array_index (work->known, RigidPair, i);

    if (row->a != pair->a || row->b != pair->b)
      return false;
  }
  return true;
}

static void
factorize (RigidWorld *world)
{
  RigidWork *work = world->work;
  const GArray *rows = work->equal;
  g_autoptr (GArray) couples = find_couples (world, rows);
  double multiplications = 0;

  if (!is_known (work)) {
    envelope_matrix_clear (&work->matrix);
    envelope_matrix_init (&work->matrix, rows->len, (const uint32_t (*)[2]) (const void *) couples->data, couples->len);
    g_array_set_size (work->known, 0);
    for (guint i = 0; i < rows->len; i++) {
      const RigidRow *row = &g_array_index (rows, RigidRow, i);
      const RigidPair pair = { row->a, row->b };

      g_array_append_val (work->known, pair);
    }
    g_free (work->right);
    work->right = g_new (double, MAX (rows->len, 1));
  } else
    envelope_matrix_set_zero (&work->matrix);
  for (size_t i = 0; i < work->matrix.n; i++)
    multiplications += 0.5 * pow ((double) (i - work->matrix.first[i]), 2);
  work->direct = false;
  if (multiplications > MAX_WORK)
    return;
  for (guint i = 0; i < rows->len; i++) {
    const RigidRow *row = &g_array_index (rows, RigidRow, i);

    /* Where neither body yields there is no impulse. */
    envelope_matrix_add (&work->matrix, i, i, row->inverse > 0 ? (1 + RIDGE) / row->inverse : 1);
  }
  for (guint k = 0; k < couples->len; k++) {
    const uint32_t *couple = &g_array_index (couples, uint32_t, 2 * k);
    const RigidRow *i = &g_array_index (rows, RigidRow, couple[0]), *j = &g_array_index (rows, RigidRow, couple[1]);

    /* Rows that share both bodies are listed for each of them. */
    if ((i->a == j->a || i->a == j->b) && (i->b == j->a || i->b == j->b) &&
        world->work->speeds[i->a].inverse_mass > 0 && world->work->speeds[i->b].inverse_mass > 0)
      envelope_matrix_add (&work->matrix, couple[0], couple[1], 0.5 * rigid_rows_couple (i, j, work->speeds));
    else
      envelope_matrix_add (&work->matrix, couple[0], couple[1], rigid_rows_couple (i, j, work->speeds));
  }
  work->direct = envelope_matrix_factorize (&work->matrix);
}

/* Springs and motors have had their impulse: they take none while joints are relaxed. */
static void
hold_soft_rows (RigidWork *work)
{
  for (guint i = 0; i < work->equal->len; i++) {
    RigidRow *row = &g_array_index (work->equal, RigidRow, i);

    if (row->softness > 0)
      row->softness = HELD;
  }
  for (guint i = 0; i < work->limited->len; i++) {
    RigidRow *row = &g_array_index (work->limited, RigidRow, i);

    if (row->softness > 0)
      row->low = row->high = 0;
  }
}

/* A body that is pulled at an arm swings back like a stiff spring, too fast for the step.  As much inertia is added as an
 * implicit step would feel, h² |force| |arm|, which only damps that swing (Tournier, Nesme, Gilles and Faure 2015). */
static void
calm_swings (RigidWorld *world, double h)
{
  RigidWork *work = world->work;

  for (guint k = 0; k < world->joints->len; k++) {
    const RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);

    if (!joint->broken) {
      work->swings[joint->a] += h * h * joint->tension * kg_vector_length (joint->pin_a);
      work->swings[joint->b] += h * h * joint->tension * kg_vector_length (joint->pin_b);
    }
  }
  for (guint k = 0; k < world->joints->len; k++)
    for (int side = 0; side < 2; side++) {
      const RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);
      const uint32_t body = side == 0 ? joint->a : joint->b;
      const double added = work->swings[body];
      SymmetricMatrix inertia;

      work->swings[body] = 0;
      if (!rigid_world_is_awake (world, body) || !(added > 0))
        continue;
      inertia = rigid_body_get_inertia (rigid_set_get_body (world->set, body), world->motions[body].turn);
      if (added < SWING_SHARE * fmin (inertia.xx, fmin (inertia.yy, inertia.zz)))
        continue;
      inertia.xx += added;
      inertia.yy += added;
      inertia.zz += added;
      symmetric_matrix_invert (inertia, &work->speeds[body].inverse_inertia);
    }
}

static double
get_radius (const RigidWorld *world, uint32_t body)
{
  return body < world->n && rigid_set_get_body (world->set, body)->kind == RIGID_MOVING
             ? rigid_set_get_body (world->set, body)->radius
             : INFINITY;
}

/* Joints that are far from closed become springs: those that contradict each other would pull without bounds, for nothing that
 * closes the one leaves the other as it is. */
static void
soften_gaping (RigidWorld *world, const RigidJoint *joint, guint first, double h)
{
  RigidWork *work = world->work;
  const double size = fmin (get_radius (world, joint->a), get_radius (world, joint->b)),
               omega = 2 * KG_PI * GAPING_HERTZ;

  for (guint i = first; i < work->equal->len; i++) {
    RigidRow *row = &g_array_index (work->equal, RigidRow, i);
    const bool turns = row->n.x == 0 && row->n.y == 0 && row->n.z == 0;
    const double error = -row->wanted * h / JOINT_BIAS, yield = rigid_rows_couple (row, row, work->speeds);
    double k, c;

    if (row->softness > 0 || row->kept != 0 || !(yield > 0) ||
        !(fabs (error) > (turns ? GAPING_ANGLE : RIGID_GAPING * size)))
      continue;
    k = omega * omega / yield;
    c = 2 * GAPING_RATIO * omega / yield;
    row->softness = 1 / (h * (c + h * k));
    row->wanted = row->kept = -k * error / (c + h * k);
  }
}

void
rigid_world_make_rows (RigidWorld *world, const RigidSettings *settings, double h, bool relax)
{
  RigidWork *work = world->work;

  calm_swings (world, h);
  g_array_set_size (work->equal, 0);
  g_array_set_size (work->limited, 0);
  for (guint k = 0; k < world->joints->len; k++) {
    RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);

    work->first_equal[k] = work->equal->len;
    work->first_limited[k] = work->limited->len;
    if (rigid_world_is_awake (world, joint->a) || rigid_world_is_awake (world, joint->b))
      rigid_joint_add_rows (joint, world->motions, h, JOINT_BIAS, work->equal, work->limited);
    soften_gaping (world, joint, work->first_equal[k], h);
  }
  work->first_equal[world->joints->len] = work->equal->len;
  work->first_limited[world->joints->len] = work->limited->len;
  if (settings->grab)
    add_grab (world, settings, h);
  if (relax)
    hold_soft_rows (work);
  for (guint i = 0; i < work->equal->len; i++)
    rigid_row_prepare (&g_array_index (work->equal, RigidRow, i), work->speeds);
  for (guint i = 0; i < work->limited->len; i++)
    rigid_row_prepare (&g_array_index (work->limited, RigidRow, i), work->speeds);
  if (work->equal->len > 0)
    factorize (world);
}

void
rigid_world_solve_joints (RigidWorld *world, bool relax)
{
  RigidWork *work = world->work;
  RigidRow *equal = (RigidRow *) (void *) work->equal->data;
  const guint n = work->equal->len;

  for (guint i = 0; i < work->limited->len; i++)
    rigid_row_solve (&g_array_index (work->limited, RigidRow, i), work->speeds, relax);
  if (n == 0)
    return;
  if (!work->direct) {
    for (guint i = 0; i < n; i++)
      rigid_row_solve (&equal[i], work->speeds, relax);
    return;
  }
  for (guint i = 0; i < n; i++)
    work->right[i] = (relax ? equal[i].kept : equal[i].wanted) - rigid_row_get_velocity (&equal[i], work->speeds) -
                     equal[i].softness * equal[i].impulse;
  envelope_matrix_solve (&work->matrix, work->right, work->right);
  for (guint i = 0; i < n; i++) {
    equal[i].impulse += work->right[i];
    rigid_row_apply (&equal[i], work->right[i], work->speeds);
  }
}

void
rigid_world_add_loads (RigidWorld *world, bool relax)
{
  RigidWork *work = world->work;

  for (guint k = 0; k < world->joints->len; k++) {
    RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);

    for (guint i = work->first_limited[k]; i < work->first_limited[k + 1]; i++) {
      const RigidRow *row = &g_array_index (work->limited, RigidRow, i);

      joint->spent[row->slot] = relax ? 0 : row->impulse;
    }
  }

  for (guint k = 0; k < world->joints->len; k++)
    for (int pass = 0; pass < 2; pass++) {
      const GArray *rows = pass == 0 ? work->equal : work->limited;
      const guint *firsts = pass == 0 ? work->first_equal : work->first_limited;

      for (guint i = firsts[k]; i < firsts[k + 1]; i++) {
        const RigidRow *row = &g_array_index (rows, RigidRow, i);
        const double side = row->a == g_array_index (world->joints, RigidJoint, k).a ? 1 : -1;

        if (row->n.x != 0 || row->n.y != 0 || row->n.z != 0)
          work->pulls[k] = kg_vector_add_scaled (work->pulls[k], side * row->impulse, row->n);
        else
          work->twists[k] = kg_vector_add_scaled (work->twists[k], side * row->impulse, row->arm_a);
      }
    }
}

void
rigid_world_break_joints (RigidWorld *world, double h, RigidReport *report)
{
  RigidWork *work = world->work;

  for (guint k = 0; k < world->joints->len; k++) {
    RigidJoint *joint = &g_array_index (world->joints, RigidJoint, k);
    /* A twist is a pull at the rim of the smaller body. */
    const double radius = fmin (get_radius (world, joint->a), get_radius (world, joint->b));
    const double load = (kg_vector_length (work->pulls[k]) +
                         (isfinite (radius) && radius > 0 ? kg_vector_length (work->twists[k]) / radius : 0)) /
                        h;

    joint->tension = kg_vector_length (work->pulls[k]) / h;
    joint->load = fmax (joint->load, load);
    work->pulls[k] = work->twists[k] = kg_vector (0, 0, 0);
    if (!joint->broken && load > joint->settings.strength) {
      joint->broken = true;
      report->n_broken++;
    }
  }
}
