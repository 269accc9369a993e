/* rigid_links: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/rigid_links.h"

#include "kg-error.h"
#include "kg-floats.h"

/* Most distances of links from bodies. */
#define MAX_DISTANCES 200000000

const KgTableColumn rigid_ball_columns[] = {
  { "a", N_ ("Body"), 0, false },
  { "b", N_ ("Second body"), 0, false },
  { "x", N_ ("x"), 0, false },
  { "y", N_ ("y"), 0, false },
  { "z", N_ ("z"), 0, false },
  { "swing", N_ ("Swing limit (°)"), NAN, true },
  { "strength", N_ ("Strength (N)"), NAN, true },
  { "twist", N_ ("Twist limit (°)"), NAN, true },
  KG_TABLE_COLUMNS_END,
};

const KgTableColumn rigid_axis_columns[] = {
  { "a", N_ ("Body"), 0, false },
  { "b", N_ ("Second body"), 0, false },
  { "x", N_ ("x"), 0, false },
  { "y", N_ ("y"), 0, false },
  { "z", N_ ("z"), 0, false },
  { "ax", N_ ("Axis x"), 0, true },
  { "ay", N_ ("Axis y"), 0, true },
  { "az", N_ ("Axis z"), 1, true },
  { "low", N_ ("Lower limit"), NAN, true },
  { "high", N_ ("Upper limit"), NAN, true },
  { "speed", N_ ("Motor speed"), NAN, true },
  { "target", N_ ("Motor target"), NAN, true },
  { "stiffness", N_ ("Motor stiffness"), 0, true },
  { "damping", N_ ("Motor damping"), 0, true },
  { "force", N_ ("Motor force"), NAN, true },
  { "strength", N_ ("Strength (N)"), NAN, true },
  KG_TABLE_COLUMNS_END,
};

const KgTableColumn rigid_weld_columns[] = {
  { "a", N_ ("Body"), 0, false },
  { "b", N_ ("Second body"), 0, false },
  { "strength", N_ ("Strength (N)"), NAN, true },
  KG_TABLE_COLUMNS_END,
};

const KgTableColumn rigid_rod_columns[] = {
  { "a", N_ ("Body"), 0, false },
  { "b", N_ ("Second body"), 0, false },
  { "x", N_ ("x"), 0, false },
  { "y", N_ ("y"), 0, false },
  { "z", N_ ("z"), 0, false },
  { "x2", N_ ("Second x"), 0, false },
  { "y2", N_ ("Second y"), 0, false },
  { "z2", N_ ("Second z"), 0, false },
  { "length", N_ ("Length"), NAN, true },
  { "stiffness", N_ ("Stiffness (N/m)"), 0, true },
  { "damping", N_ ("Damping (N s/m)"), 0, true },
  { "rope", N_ ("Only pulls (1)"), 0, true },
  { "strength", N_ ("Strength (N)"), NAN, true },
  KG_TABLE_COLUMNS_END,
};

const KgTableColumn rigid_gear_columns[] = {
  { "a", N_ ("Body"), 0, false },
  { "b", N_ ("Second body"), 0, false },
  { "ratio", N_ ("Ratio"), -1, false },
  { "ax", N_ ("Axis x"), 0, true },
  { "ay", N_ ("Axis y"), 0, true },
  { "az", N_ ("Axis z"), 1, true },
  { "bx", N_ ("Second axis x"), NAN, true },
  { "by", N_ ("Second axis y"), NAN, true },
  { "bz", N_ ("Second axis z"), NAN, true },
  { "strength", N_ ("Strength (N)"), NAN, true },
  KG_TABLE_COLUMNS_END,
};

typedef struct {
  const RigidSet *set;
  RigidMotion *motions; /* at rest; the world after the bodies */
  GArray *joints;
} Reading;

static const RigidJointSettings no_settings = {
  .low = NAN, .high = NAN, .speed = NAN, .target = NAN, .force = NAN, .strength = INFINITY, .length = NAN
};

/* The two bodies that begin a row. */
static bool
read_bodies (const Reading *reading, const char *name, guint row, const double *cells, uint32_t bodies[2],
             GError **error)
{
  const guint n = reading->set->bodies->len;

  for (int side = 0; side < 2; side++) {
    if (!(cells[side] >= -1 && cells[side] < n && cells[side] == floor (cells[side]))) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "%s, row %u: %g is not the index of a body: use 0 to %d, or -1 for the world", name, row,
                    cells[side], (int) n - 1);
      return false;
    }
    bodies[side] = cells[side] < 0 ? n : (uint32_t) cells[side];
  }
  if (bodies[0] == bodies[1]) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s, row %u: both bodies are %g: join two different ones", name, row,
                  cells[0]);
    return false;
  }
  return true;
}

static bool
check_settings (const RigidJoint *joint, const char *name, GError **error)
{
  const RigidJointSettings *s = &joint->settings;

  if (s->low > s->high) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s, row %u: the lower limit is above the upper one: swap them", name,
                  joint->row);
    return false;
  }
  if (s->stiffness < 0 || s->damping < 0 || s->force < 0 || s->strength < 0 || s->length < 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s, row %u: a stiffness, damping, force, strength or length is below 0: use 0 or more", name,
                  joint->row);
    return false;
  }
  return true;
}

static RigidJoint
make_joint (const Reading *reading, RigidJointKind kind, guint row, const uint32_t bodies[2], KgVector place,
            KgVector axis)
{
  RigidJoint joint;

  rigid_joint_init (&joint, kind, row, bodies[0], &reading->motions[bodies[0]], bodies[1], &reading->motions[bodies[1]],
                    place, axis);
  joint.settings = no_settings;
  return joint;
}

static double
or_infinite (double x)
{
  return isnan (x) ? INFINITY : x;
}

static bool
read_balls (const Reading *reading, const KgTable *table, GError **error)
{
  for (guint row = 0; table != NULL && row < kg_table_get_n_rows (table); row++) {
    const double *c = kg_table_get_row (table, row);
    const KgVector place = { c[2], c[3], c[4] };
    uint32_t bodies[2];
    RigidJoint joint;

    if (!read_bodies (reading, "balls", row, c, bodies, error))
      return false;
    /* What swings is the line to the centre of the second body. */
    joint = make_joint (
        reading, RIGID_BALL, row, bodies, place,
        kg_vector_normalize_or (kg_vector_subtract (reading->motions[bodies[1]].place, place), kg_vector (0, -1, 0)));
    joint.settings.high = c[5] * KG_DEGREE;
    joint.settings.strength = or_infinite (c[6]);
    if (c[5] < 0 || c[7] < 0) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "balls, row %u: a limit is below 0: use 0 to 180 degrees", row);
      return false;
    }
    if (!check_settings (&joint, "balls", error))
      return false;
    joint.settings.low = c[7] * KG_DEGREE;
    g_array_append_val (reading->joints, joint);
  }
  return true;
}

static bool
read_axes (const Reading *reading, const KgTable *table, RigidJointKind kind, const char *name, GError **error)
{
  const double unit = kind == RIGID_HINGE ? KG_DEGREE : 1;

  for (guint row = 0; table != NULL && row < kg_table_get_n_rows (table); row++) {
    const double *c = kg_table_get_row (table, row);
    const KgVector axis = { c[5], c[6], c[7] };
    uint32_t bodies[2];
    RigidJoint joint;

    if (!read_bodies (reading, name, row, c, bodies, error))
      return false;
    if (!(kg_vector_length (axis) > 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s, row %u: the axis is 0 0 0: type a direction", name, row);
      return false;
    }
    joint = make_joint (reading, kind, row, bodies, kg_vector (c[2], c[3], c[4]), axis);
    joint.settings = (RigidJointSettings){ .low = c[8] * unit,
                                           .high = c[9] * unit,
                                           .speed = c[10] * unit,
                                           .target = c[11] * unit,
                                           .stiffness = c[12],
                                           .damping = c[13],
                                           .force = c[14],
                                           .strength = or_infinite (c[15]),
                                           .length = NAN };
    if (!check_settings (&joint, name, error))
      return false;
    g_array_append_val (reading->joints, joint);
  }
  return true;
}

static bool
read_welds (const Reading *reading, const KgTable *table, GError **error)
{
  for (guint row = 0; table != NULL && row < kg_table_get_n_rows (table); row++) {
    const double *c = kg_table_get_row (table, row);
    uint32_t bodies[2];
    RigidJoint joint;

    if (!read_bodies (reading, "welds", row, c, bodies, error))
      return false;
    joint =
        make_joint (reading, RIGID_WELD, row, bodies,
                    bodies[0] == reading->set->bodies->len || bodies[1] == reading->set->bodies->len
                        ? reading->motions[MIN (bodies[0], bodies[1])].place
                        : kg_vector_lerp (reading->motions[bodies[0]].place, reading->motions[bodies[1]].place, 0.5),
                    kg_vector (0, 0, 1));
    joint.settings.strength = or_infinite (c[2]);
    if (!check_settings (&joint, "welds", error))
      return false;
    g_array_append_val (reading->joints, joint);
  }
  return true;
}

static RigidJoint
make_rod (const Reading *reading, guint row, const uint32_t bodies[2], KgVector from, KgVector to)
{
  RigidJoint joint;

  rigid_joint_init_rod (&joint, row, bodies[0], &reading->motions[bodies[0]], bodies[1], &reading->motions[bodies[1]],
                        from, to);
  joint.settings = no_settings;
  return joint;
}

static bool
read_rods (const Reading *reading, const KgTable *table, GError **error)
{
  for (guint row = 0; table != NULL && row < kg_table_get_n_rows (table); row++) {
    const double *c = kg_table_get_row (table, row);
    uint32_t bodies[2];
    RigidJoint joint;

    if (!read_bodies (reading, "rods", row, c, bodies, error))
      return false;
    joint = make_rod (reading, row, bodies, kg_vector (c[2], c[3], c[4]), kg_vector (c[5], c[6], c[7]));
    joint.settings.length = c[8];
    joint.settings.stiffness = c[9];
    joint.settings.damping = c[10];
    joint.settings.rope = c[11] > 0;
    joint.settings.strength = or_infinite (c[12]);
    if (!check_settings (&joint, "rods", error))
      return false;
    g_array_append_val (reading->joints, joint);
  }
  return true;
}

/* Where the axis of a wheel is: in its hinge along that axis, that to the world if there is one, else the nearest; without
 * one at its centre. */
static KgVector
find_bearing (const Reading *reading, uint32_t body, KgVector axis)
{
  KgVector place = reading->motions[body].place;
  double least = INFINITY;

  for (guint k = 0; k < reading->joints->len; k++) {
    const RigidJoint *joint = &g_array_index (reading->joints, RigidJoint, k);
    const bool first = joint->a == body;
    const uint32_t other = first ? joint->b : joint->a;
    const bool stands = other == reading->set->bodies->len ||
                        rigid_set_get_body (reading->set, other)->kind != RIGID_MOVING;
    const KgVector arm = kg_rotation_apply (reading->motions[body].turn, first ? joint->pin_a : joint->pin_b);
    const KgVector along =
        kg_rotation_apply (kg_rotation_multiply (reading->motions[body].turn, first ? joint->frame_a : joint->frame_b),
                           kg_vector (0, 0, 1));
    const double distance = stands ? -1 : kg_vector_length (arm);

    if (joint->kind != RIGID_HINGE || (!first && joint->b != body) || !(distance < least) ||
        kg_vector_length (kg_vector_cross (along, axis)) > 1e-3 * kg_vector_length (axis))
      continue;
    least = distance;
    place = kg_vector_add (reading->motions[body].place, arm);
  }
  return place;
}

/* Whether a joint is a hinge of two bodies, along an axis in the world unless that is NULL. */
static bool
is_hinge_of (const Reading *reading, const RigidJoint *joint, uint32_t a, uint32_t b, const KgVector *axis)
{
  const KgVector along =
      kg_rotation_apply (kg_rotation_multiply (reading->motions[joint->a].turn, joint->frame_a), kg_vector (0, 0, 1));

  return joint->kind == RIGID_HINGE && ((joint->a == a && joint->b == b) || (joint->a == b && joint->b == a)) &&
         (axis == NULL || kg_vector_length (kg_vector_cross (along, *axis)) <= 1e-3 * kg_vector_length (*axis));
}

/* Where the axis of a wheel is that is fixed to the world: in the hinge between the world and what carries the other wheel. */
static bool
find_carrier (const Reading *reading, uint32_t wheel, KgVector axis, KgVector *place)
{
  const uint32_t world = reading->set->bodies->len;

  for (guint k = 0; k < reading->joints->len; k++) {
    const RigidJoint *hinge = &g_array_index (reading->joints, RigidJoint, k);
    const uint32_t carrier = hinge->a == world ? hinge->b : hinge->a;

    if (carrier == wheel || !is_hinge_of (reading, hinge, world, carrier, &axis))
      continue;
    for (guint j = 0; j < reading->joints->len; j++)
      if (is_hinge_of (reading, &g_array_index (reading->joints, RigidJoint, j), carrier, wheel, NULL)) {
        *place = hinge->a == world ? hinge->pin_a : hinge->pin_b;
        return true;
      }
  }
  return false;
}

static bool
read_gears (const Reading *reading, const KgTable *table, GError **error)
{
  for (guint row = 0; table != NULL && row < kg_table_get_n_rows (table); row++) {
    const double *c = kg_table_get_row (table, row);
    const KgVector axis = { c[3], c[4], c[5] };
    const KgVector second = isnan (c[6]) && isnan (c[7]) && isnan (c[8])
                                ? axis
                                : kg_vector (isnan (c[6]) ? 0 : c[6], isnan (c[7]) ? 0 : c[7], isnan (c[8]) ? 0 : c[8]);
    KgVector places[2];
    uint32_t bodies[2];
    RigidJoint joint;

    if (!read_bodies (reading, "gears", row, c, bodies, error))
      return false;
    if (!(kg_vector_length (axis) > 0) || !(kg_vector_length (second) > 0)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "gears, row %u: the axis is 0 0 0: type a direction", row);
      return false;
    }
    if (c[2] == 0) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "gears, row %u: the ratio is 0: use the number of teeth of the first over that of the second, "
                    "negative for wheels that turn against each other",
                    row);
      return false;
    }
    for (int side = 0; side < 2; side++) {
      const KgVector *own = side == 0 ? &axis : &second;

      if (bodies[side] != reading->set->bodies->len)
        places[side] = find_bearing (reading, bodies[side], *own);
      else if (!find_carrier (reading, bodies[1 - side], *own, &places[side])) {
        kg_set_error (
            error, KG_ERROR_INVALID_VALUE,
            "gears, row %u: the world does not turn: join two bodies, or let body %u roll about a wheel of the "
            "world: on a hinge of a carrier that another hinge along %g %g %g joins to the world",
            row, bodies[1 - side], own->x, own->y, own->z);
        return false;
      }
    }
    rigid_joint_init_gear (&joint, row, bodies[0], &reading->motions[bodies[0]], places[0], axis, bodies[1],
                           &reading->motions[bodies[1]], places[1], second, c[2]);
    joint.settings = no_settings;
    joint.settings.ratio = c[2];
    joint.settings.strength = or_infinite (c[9]);
    if (!check_settings (&joint, "gears", error))
      return false;
    g_array_append_val (reading->joints, joint);
  }
  return true;
}

/* Links. */

static double
get_distance (const Reading *reading, guint body, KgVector x)
{
  const RigidBody *b = rigid_set_get_body (reading->set, body);
  double least = INFINITY;

  if (b->surface >= 0)
    return triangle_mesh_find_nearest (
               ((const RigidSurface *) g_ptr_array_index (reading->set->surfaces, (guint) b->surface))->mesh, x)
        .distance;
  for (guint i = 0; i < b->n_parts; i++) {
    const ConvexPlaced part =
        rigid_part_place (&g_array_index (reading->set->parts, RigidPart, b->first_part + i), b->center, b->turn);
    KgVector way;

    least = fmin (least, convex_get_distance_of_point (&part, x, &way));
  }
  return least;
}

/* The nearest bodies, with the lowest index first of those that are equally near.  Returns how many, up to n. */
static guint
find_nearest (const Reading *reading, KgVector x, uint32_t *bodies, guint n)
{
  double distances[2] = { INFINITY, INFINITY };
  guint found = 0;

  for (guint b = 0; b < reading->set->bodies->len; b++) {
    const RigidBody *body = rigid_set_get_body (reading->set, b);
    double distance;
    guint at = found;

    if (body->surface < 0 && kg_vector_distance (body->center, x) - body->radius > distances[n - 1])
      continue;
    distance = get_distance (reading, b, x);
    while (at > 0 && distance < distances[at - 1] - 1e-9)
      at--;
    if (at >= n)
      continue;
    found = MIN (found + 1, n);
    for (guint k = found - 1; k > at; k--) {
      distances[k] = distances[k - 1];
      bodies[k] = bodies[k - 1];
    }
    distances[at] = distance;
    bodies[at] = b;
  }
  if (n == 2 && found == 2 && bodies[0] > bodies[1]) {
    const uint32_t first = bodies[0];

    bodies[0] = bodies[1];
    bodies[1] = first;
  }
  return found;
}

static KgVector
get_place (const KgGeometry *geometry, size_t i)
{
  return kg_floats_get_vector (kg_geometry_get_positions (geometry), i);
}

static double
get_number (const KgGeometry *geometry, KgDomain domain, const char *name, size_t i, double fallback)
{
  const float *x = kg_geometry_get_float (geometry, domain, name, 1);

  return x != NULL ? (double) x[i] : fallback;
}

static bool
read_lines (const Reading *reading, const KgGeometry *links, uint8_t *used, GError **error)
{
  for (size_t k = 0; k < kg_geometry_get_n_primitives (links); k++) {
    KgPrimitive primitive;
    uint32_t bodies[2];
    RigidJoint joint;
    double strength;

    kg_geometry_get_primitive (links, k, &primitive);
    if (primitive.kind != KG_POLYLINE || primitive.n_vertices != 2)
      continue;
    for (int end = 0; end < 2; end++) {
      used[primitive.vertices[end]] = 1;
      if (find_nearest (reading, get_place (links, primitive.vertices[end]), &bodies[end], 1) == 0)
        return true;
    }
    if (bodies[0] == bodies[1]) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "links: both ends of line %zu are nearest to body %u: move one end to another body", k, bodies[0]);
      return false;
    }
    joint = make_rod (reading, (guint) k, bodies, get_place (links, primitive.vertices[0]),
                      get_place (links, primitive.vertices[1]));
    joint.settings.stiffness = get_number (links, KG_PRIMITIVES, "stiffness", k, 0);
    joint.settings.damping = get_number (links, KG_PRIMITIVES, "damping", k, 0);
    joint.settings.rope = get_number (links, KG_PRIMITIVES, "rope", k, 0) > 0;
    strength = get_number (links, KG_PRIMITIVES, "strength", k, 0);
    joint.settings.strength = strength > 0 ? strength : INFINITY;
    if (!check_settings (&joint, "links", error))
      return false;
    g_array_append_val (reading->joints, joint);
  }
  return true;
}

static bool
read_links (const Reading *reading, const KgGeometry *links, RigidJointKind kind, const KgProgressMonitor *monitor,
            GError **error)
{
  const size_t n = kg_geometry_get_n_points (links);
  const float *axes = kg_geometry_get_float (links, KG_POINTS, "N", 3);
  g_autofree uint8_t *used = g_new0 (uint8_t, MAX (n, 1));

  if (n * reading->set->bodies->len > MAX_DISTANCES) {
    kg_set_error (error, KG_ERROR_LIMIT, "%zu links of %u bodies are too many: use fewer", n,
                  reading->set->bodies->len);
    return false;
  }
  if (!read_lines (reading, links, used, error))
    return false;
  for (size_t i = 0; i < n; i++) {
    const KgVector axis = axes != NULL ? kg_floats_get_vector (axes, i) : kg_vector (0, 0, 1);
    const double strength = get_number (links, KG_POINTS, "strength", i, 0);
    uint32_t bodies[2];
    RigidJoint joint;

    if (used[i] != 0)
      continue;
    if (i % 64 == 0 && kg_progress_is_cancelled (monitor))
      return false;
    if (find_nearest (reading, get_place (links, i), bodies, 2) < 2) {
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "links: there are no two bodies for point %zu to join: link more bodies", i);
      return false;
    }
    joint = make_joint (reading, kind, (guint) i, bodies, get_place (links, i), axis);
    joint.settings.strength = strength > 0 ? strength : INFINITY;
    g_array_append_val (reading->joints, joint);
  }
  return true;
}

bool
rigid_links_read (const RigidLinks *links, const RigidSet *set, GArray *joints, const KgProgressMonitor *monitor,
                  GError **error)
{
  g_autofree RigidMotion *motions = g_new0 (RigidMotion, set->bodies->len + 1);
  const Reading reading = { set, motions, joints };

  for (guint i = 0; i < set->bodies->len; i++)
    rigid_body_start (rigid_set_get_body (set, i), &motions[i]);
  motions[set->bodies->len].turn = kg_rotation_identity ();
  return read_balls (&reading, links->balls, error) &&
         read_axes (&reading, links->hinges, RIGID_HINGE, "hinges", error) &&
         read_axes (&reading, links->sliders, RIGID_SLIDER, "sliders", error) &&
         read_welds (&reading, links->welds, error) && read_rods (&reading, links->rods, error) &&
         (links->links == NULL || read_links (&reading, links->links, links->kind, monitor, error)) &&
         /* Last, for they ask where the hinges are. */
         read_gears (&reading, links->gears, error);
}
