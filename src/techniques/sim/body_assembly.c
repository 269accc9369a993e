/* body_assembly: a geometry read as rigid bodies that joints hold together.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sim/body_assembly.h"

#include "sim/skeleton_figure.h"
#include "value/disjoint_sets.h"

/* Most bodies that a message lists. */
#define MAX_LISTED 12
/* Bodies this often ask for cancelling: clearing thousands of them takes time, too. */
#define CANCEL_EVERY 256

typedef struct {
  const KgGeometry *geometry;
  const BodyAssemblyOptions *options;
  const KgProgressMonitor *monitor;
  BodyAssembly *assembly;
  /* The bodies of point i: members[starts[i]] to members[starts[i + 1] - 1]. */
  uint32_t *starts;
  guint *members;
  uint32_t *linked; /* disjoint sets of members: those of one point that joints hold together already */
  GArray *found;    /* BodyJoint, of trees and of rings alike */
  GArray *limits;   /* BodyLimit, with joints as numbers of found */
  uint8_t *limited; /* by number of found */
} Reading;

static Body *
get_body (const Reading *reading, guint i)
{
  return &g_array_index (reading->assembly->bodies, Body, i);
}

static KgVector
get_place (const Reading *reading, uint32_t point)
{
  const float *p = kg_geometry_get_positions (reading->geometry) + 3 * (size_t) point;

  return kg_vector ((double) p[0], (double) p[1], reading->options->plane ? 0 : (double) p[2]);
}

/* Bodies. */

static void
clear_body (gpointer data)
{
  Body *body = (Body *) data;

  body_shape_clear (&body->shape);
  g_clear_pointer (&body->points, g_array_unref);
}

static bool
check_body (Reading *reading, guint number, GError **error)
{
  Body *body = get_body (reading, number);
  MassProperties properties;

  if (!(body->mass > 0 && body->mass < 1e30)) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the mass of body %u is %g kg: use a mass above 0; to hold the body, give its points the attribute pin", number,
        body->mass);
    return false;
  }
  if (!moments_get_mass_properties (&body->shape.moments, body->mass, &properties)) {
    kg_set_error (
        error, KG_ERROR_DEGENERATE,
        "body %u has no size: its points (the first is %u) are all at one position; move them apart, or remove it",
        number, body->points->len > 0 ? g_array_index (body->points, uint32_t, 0) : 0);
    return false;
  }
  body->center = properties.center;
  body->inertia = properties.inertia;
  body_shape_move (&body->shape, kg_vector_scale (body->center, -1));
  return true;
}

/* (transfer none) An empty body behind the others, or NULL. */
static Body *
add_body (Reading *reading, uint32_t primitive, GError **error)
{
  const float *mass = kg_geometry_get_float (reading->geometry, KG_PRIMITIVES, "mass", 1);
  Body body = { .mass = reading->options->mass, .points = g_array_new (FALSE, FALSE, sizeof (uint32_t)) };

  /* 0: that of the options.  Negative and infinite masses are reported later. */
  if (mass != NULL && mass[primitive] != 0)
    body.mass = (double) mass[primitive];
  if (reading->assembly->bodies->len == BODY_ASSEMBLY_MAX) {
    kg_set_error (error, KG_ERROR_LIMIT, "more than %d bodies: use a smaller geometry", BODY_ASSEMBLY_MAX);
    g_array_unref (body.points);
    return NULL;
  }
  if (reading->assembly->bodies->len % CANCEL_EVERY == 0 && !kg_progress_check (reading->monitor, error)) {
    g_array_unref (body.points);
    return NULL;
  }
  g_array_append_val (reading->assembly->bodies, body);
  return get_body (reading, reading->assembly->bodies->len - 1);
}

static bool
add_body_of (Reading *reading, const uint32_t *primitives, guint n_primitives, GError **error)
{
  Body *body = add_body (reading, primitives[0], error);

  if (body == NULL)
    return false;
  body_shape_read (&body->shape, reading->geometry, primitives, n_primitives, reading->options->plane, body->points);
  return check_body (reading, reading->assembly->bodies->len - 1, error);
}

static bool
add_edges (Reading *reading, uint32_t index, const KgPrimitive *primitive, GError **error)
{
  const bool closed = primitive->kind == KG_POLYGON || primitive->closed;

  for (uint32_t i = 0; i + (closed ? 0 : 1) < primitive->n_vertices && primitive->n_vertices > 1; i++) {
    Body *body = add_body (reading, index, error);

    if (body == NULL)
      return false;
    body_shape_read_edge (&body->shape, reading->geometry, primitive->vertices[i],
                          primitive->vertices[(i + 1) % primitive->n_vertices], reading->options->plane, body->points);
    if (!check_body (reading, reading->assembly->bodies->len - 1, error))
      return false;
  }
  return true;
}

static bool
add_pieces (Reading *reading, GError **error)
{
  const size_t n_points = kg_geometry_get_n_points (reading->geometry);
  const size_t n_primitives = kg_geometry_get_n_primitives (reading->geometry);
  g_autofree uint32_t *parents = g_new (uint32_t, MAX (n_points, 1));
  g_autoptr (GHashTable) pieces = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  KgPrimitive primitive;

  for (size_t i = 0; i < n_points; i++)
    parents[i] = (uint32_t) i;
  for (size_t k = 0; k < n_primitives; k++) {
    kg_geometry_get_primitive (reading->geometry, k, &primitive);
    for (uint32_t i = 1; i < primitive.n_vertices && !skeleton_figure_is_hinge (reading->geometry, k); i++)
      parents[disjoint_sets_find (parents, primitive.vertices[i])] =
          disjoint_sets_find (parents, primitive.vertices[0]);
  }
  for (size_t k = 0; k < n_primitives; k++) {
    const uint32_t number = (uint32_t) k;
    gpointer root;
    GArray *piece;

    kg_geometry_get_primitive (reading->geometry, k, &primitive);
    if (primitive.n_vertices == 0 || skeleton_figure_is_hinge (reading->geometry, k))
      continue;
    root = GUINT_TO_POINTER (disjoint_sets_find (parents, primitive.vertices[0]));
    piece = (GArray *) g_hash_table_lookup (pieces, root);
    if (piece == NULL) {
      piece = g_array_new (FALSE, FALSE, sizeof (uint32_t));
      g_hash_table_insert (pieces, root, piece);
      g_ptr_array_add (order, piece);
    }
    g_array_append_val (piece, number);
  }
  for (guint i = 0; i < order->len; i++) {
    const GArray *piece = (const GArray *) g_ptr_array_index (order, i);

    if (!add_body_of (reading, (const uint32_t *) (const void *) piece->data, piece->len, error))
      return false;
  }
  return true;
}

static bool
add_bodies (Reading *reading, GError **error)
{
  if (reading->options->division == BODY_OF_PIECE)
    return add_pieces (reading, error);
  for (size_t k = 0; k < kg_geometry_get_n_primitives (reading->geometry); k++) {
    const uint32_t number = (uint32_t) k;
    KgPrimitive primitive;

    kg_geometry_get_primitive (reading->geometry, k, &primitive);
    if (primitive.n_vertices == 0 || skeleton_figure_is_hinge (reading->geometry, k))
      continue;
    if (reading->options->division == BODY_OF_EDGE ? !add_edges (reading, number, &primitive, error)
                                                   : !add_body_of (reading, &number, 1, error))
      return false;
  }
  return true;
}

/* Which bodies a point belongs to. */

static void
list_members (Reading *reading)
{
  const size_t n_points = kg_geometry_get_n_points (reading->geometry);
  const GArray *bodies = reading->assembly->bodies;
  uint32_t n;

  reading->starts = g_new0 (uint32_t, n_points + 2);
  for (guint b = 0; b < bodies->len; b++)
    for (guint i = 0; i < get_body (reading, b)->points->len; i++)
      reading->starts[g_array_index (get_body (reading, b)->points, uint32_t, i) + 2]++;
  for (size_t i = 0; i < n_points; i++)
    reading->starts[i + 2] += reading->starts[i + 1];
  n = reading->starts[n_points + 1];
  reading->members = g_new (guint, MAX (n, 1));
  reading->linked = g_new (uint32_t, MAX (n, 1));
  for (guint b = 0; b < bodies->len; b++)
    for (guint i = 0; i < get_body (reading, b)->points->len; i++) {
      const uint32_t point = g_array_index (get_body (reading, b)->points, uint32_t, i);

      reading->members[reading->starts[point + 1]++] = b;
    }
  for (uint32_t i = 0; i < n; i++)
    reading->linked[i] = i;
}

/* Where body b is among the members of a point; false when it is not. */
static bool
find_member (const Reading *reading, uint32_t point, guint b, uint32_t *member)
{
  for (uint32_t i = reading->starts[point]; i < reading->starts[point + 1]; i++)
    if (reading->members[i] == b) {
      *member = i;
      return true;
    }
  return false;
}

/* Joints. */

const KgTableColumn body_assembly_joint_columns[] = {
  { "first", N_ ("First body"), 0, false },
  { "second", N_ ("Second body"), 0, false },
  { "x", N_ ("x"), 0, false },
  { "y", N_ ("y"), 0, false },
  { "z", N_ ("z"), NAN, true },
  { "low", N_ ("Lowest"), NAN, true },
  { "high", N_ ("Highest"), NAN, true },
  KG_TABLE_COLUMNS_END,
};

static guint
add_joint (Reading *reading, guint a, guint b, KgVector pin)
{
  const BodyJoint joint = { a, b, pin };

  g_array_append_val (reading->found, joint);
  return reading->found->len - 1;
}

static bool
add_typed_joints (Reading *reading, GError **error)
{
  const guint n_bodies = reading->assembly->bodies->len;
  const guint rows = reading->options->joints != NULL ? (guint) kg_table_get_n_rows (reading->options->joints) : 0;

  for (guint i = 0; i < rows; i++) {
    const double *x = kg_table_get_row (reading->options->joints, i);
    BodyLimit limit = { .low = x[5] * KG_DEGREE, .high = x[6] * KG_DEGREE };
    KgVector pin = { x[2], x[3], isnan (x[4]) || reading->options->plane ? 0 : x[4] };

    for (int c = 0; c < 2; c++)
      if (!(x[c] >= 0 && x[c] < n_bodies && x[c] == floor (x[c]))) {
        kg_set_error (error, KG_ERROR_INVALID_VALUE, "joints, row %u: %g is not the index of a body: use 0 to %d",
                      i + 1, x[c], (int) n_bodies - 1);
        return false;
      }
    if (x[0] == x[1] || isnan (x[5]) != isnan (x[6])) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "joints, row %u: type the indices of two different bodies, x, y and z of the joint, and either two angles or none",
          i + 1);
      return false;
    }
    limit.joint = add_joint (reading, (guint) x[0], (guint) x[1], pin);
    if (isnan (x[5]))
      continue;
    if (limit.low > limit.high) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "joints, row %u: the limits %g to %g degrees are reversed: swap them", i + 1, x[5], x[6]);
      return false;
    }
    /* From where the second body is at rest. */
    limit.u = limit.w = kg_vector_normalize_or (kg_vector_subtract (get_body (reading, (guint) x[1])->center, pin),
                                                kg_vector (1, 0, 0));
    if (!reading->options->plane) {
      limit.high = fmax (fabs (limit.low), fabs (limit.high));
      limit.low = 0;
    }
    g_array_append_val (reading->limits, limit);
  }
  return true;
}

/* The joint between a body of point a and one of point c that point b is part of: typed, or made. */
static bool
find_hinge_joint (Reading *reading, const SkeletonHinge *hinge, guint *joint, bool *swapped)
{
  const KgVector place = get_place (reading, hinge->b);
  uint32_t i, k;

  for (guint j = 0; j < reading->found->len; j++) {
    const BodyJoint *typed = &g_array_index (reading->found, BodyJoint, j);

    for (int turn = 0; turn < 2; turn++)
      if (find_member (reading, hinge->a, turn ? typed->b : typed->a, &i) &&
          find_member (reading, hinge->c, turn ? typed->a : typed->b, &k) &&
          kg_vector_distance (typed->pin, place) <= 1e-6 * (1 + kg_vector_length (place))) {
        *joint = j;
        *swapped = turn == 1;
        return true;
      }
  }
  for (i = reading->starts[hinge->b]; i < reading->starts[hinge->b + 1]; i++)
    for (k = reading->starts[hinge->b]; k < reading->starts[hinge->b + 1]; k++) {
      uint32_t other;

      if (i == k || !find_member (reading, hinge->a, reading->members[i], &other) ||
          !find_member (reading, hinge->c, reading->members[k], &other) ||
          disjoint_sets_find (reading->linked, i) == disjoint_sets_find (reading->linked, k))
        continue;
      reading->linked[disjoint_sets_find (reading->linked, k)] = disjoint_sets_find (reading->linked, i);
      *joint = add_joint (reading, reading->members[i], reading->members[k], place);
      *swapped = false;
      return true;
    }
  return false;
}

static bool
add_hinges (Reading *reading, const GArray *hinges, GError **error)
{
  for (guint h = 0; h < hinges->len; h++) {
    const SkeletonHinge *hinge = &g_array_index (hinges, SkeletonHinge, h);
    const KgVector middle = get_place (reading, hinge->b);
    const KgVector in = kg_vector_subtract (middle, get_place (reading, hinge->a));
    const KgVector out = kg_vector_subtract (get_place (reading, hinge->c), middle);
    BodyLimit limit = { .low = hinge->low, .high = hinge->high };
    bool swapped;

    if (!find_hinge_joint (reading, hinge, &limit.joint, &swapped)) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "hinge %u (points %u %u %u): no joint at point %u connects a body with point %u to another body with point %u; let the bodies share the point, and if three bodies share it, start their hinges from the same body",
          h, hinge->a, hinge->b, hinge->c, hinge->b, hinge->a, hinge->c);
      return false;
    }
    if (!(kg_vector_length (in) > 1e-12) || !(kg_vector_length (out) > 1e-12)) {
      kg_set_error (
          error, KG_ERROR_DEGENERATE,
          "hinge %u (points %u %u %u): two of its points are at the same position, so it has no angle; move them apart",
          h, hinge->a, hinge->b, hinge->c);
      return false;
    }
    limit.u = kg_vector_normalize_or (in, in);
    limit.w = kg_vector_normalize_or (out, out);
    if (swapped) {
      const KgVector u = limit.u;

      /* Against the direction of the joint, left and right are exchanged. */
      limit.u = limit.w;
      limit.w = u;
      if (reading->options->plane) {
        limit.low = -hinge->high;
        limit.high = -hinge->low;
      }
    }
    g_array_append_val (reading->limits, limit);
  }
  return true;
}

/* Joins the other bodies at a shared point to the one that hinges rotate about, or to the first. */
static void
add_shared_points (Reading *reading)
{
  for (size_t p = 0; p < kg_geometry_get_n_points (reading->geometry); p++) {
    const uint32_t first = reading->starts[p], end = reading->starts[p + 1];
    uint32_t hub = first;

    for (uint32_t i = end; i-- > first;)
      for (uint32_t k = i + 1; k < end; k++)
        if (disjoint_sets_find (reading->linked, i) == disjoint_sets_find (reading->linked, k))
          hub = i;
    for (uint32_t i = first; i < end; i++)
      if (disjoint_sets_find (reading->linked, i) != disjoint_sets_find (reading->linked, hub)) {
        reading->linked[disjoint_sets_find (reading->linked, i)] = disjoint_sets_find (reading->linked, hub);
        add_joint (reading, reading->members[hub], reading->members[i], get_place (reading, (uint32_t) p));
      }
  }
}

/* Trees. */

/* The bodies on the path from a to b along the joints so far, as text. */
static char *
describe_ring (const Reading *reading, guint a, guint b)
{
  const guint n_bodies = reading->assembly->bodies->len, n_joints = reading->assembly->joints->len;
  const BodyJoint *joints = (const BodyJoint *) (const void *) reading->assembly->joints->data;
  g_autofree guint *from = g_new (guint, n_bodies);
  g_autoptr (GString) text = g_string_new (NULL);
  bool grew = true;
  guint n = 1;

  for (guint i = 0; i < n_bodies; i++)
    from[i] = G_MAXUINT;
  from[b] = b;
  while (grew && from[a] == G_MAXUINT) {
    grew = false;
    for (guint j = 0; j < n_joints; j++)
      for (int turn = 0; turn < 2; turn++) {
        const guint near = turn ? joints[j].b : joints[j].a, far = turn ? joints[j].a : joints[j].b;

        if (from[near] != G_MAXUINT && from[far] == G_MAXUINT) {
          from[far] = near;
          grew = true;
        }
      }
  }
  g_string_append_printf (text, "%u", a);
  for (guint i = a; i != b; n++) {
    i = from[i];
    if (n == MAX_LISTED && i != b) {
      g_string_append (text, ", ...");
      break;
    }
    g_string_append_printf (text, i == b ? " and %u" : ", %u", i);
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static bool
take_joint (Reading *reading, guint number, uint32_t *parents, guint *numbers, GError **error)
{
  const BodyJoint joint = g_array_index (reading->found, BodyJoint, number);
  const uint32_t a = disjoint_sets_find (parents, joint.a), b = disjoint_sets_find (parents, joint.b);

  if (a != b) {
    parents[MAX (a, b)] = MIN (a, b);
    numbers[number] = reading->assembly->joints->len;
    g_array_append_val (reading->assembly->joints, joint);
    return true;
  }
  if (reading->options->rings && !reading->limited[number]) {
    g_array_append_val (reading->assembly->rings, joint);
    return true;
  }
  if (reading->options->rings)
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "the joint of bodies %u and %u at (%g, %g, %g) closes a ring in which all joints have angle limits, but a joint that closes a ring cannot have limits: remove one hinge of the ring",
        joint.a, joint.b, joint.pin.x, joint.pin.y, joint.pin.z);
  else {
    g_autofree char *ring = describe_ring (reading, joint.a, joint.b);

    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "bodies %s form a ring that closes at (%g, %g, %g), but joints must form a tree: give one of the bodies a point of its own there, or turn Close rings on",
        ring, joint.pin.x, joint.pin.y, joint.pin.z);
  }
  return false;
}

static int
compare_limits (gconstpointer a, gconstpointer b)
{
  const guint x = ((const BodyLimit *) a)->joint, y = ((const BodyLimit *) b)->joint;

  return (x > y) - (x < y);
}

/* Joints with limits come first, so that others are left to close rings. */
static bool
make_trees (Reading *reading, GError **error)
{
  const guint n_bodies = reading->assembly->bodies->len;
  g_autofree uint32_t *parents = g_new (uint32_t, MAX (n_bodies, 1));
  g_autofree guint *numbers = g_new0 (guint, MAX (reading->found->len, 1));

  reading->limited = g_new0 (uint8_t, MAX (reading->found->len, 1));
  for (guint i = 0; i < reading->limits->len; i++)
    reading->limited[g_array_index (reading->limits, BodyLimit, i).joint] = 1;
  for (guint i = 0; i < n_bodies; i++)
    parents[i] = i;
  for (int limited = 1; limited >= 0; limited--)
    for (guint j = 0; j < reading->found->len; j++)
      if (reading->limited[j] == limited && !take_joint (reading, j, parents, numbers, error))
        return false;
  for (guint i = 0; i < reading->limits->len; i++) {
    BodyLimit limit = g_array_index (reading->limits, BodyLimit, i);

    limit.joint = numbers[limit.joint];
    g_array_append_val (reading->assembly->limits, limit);
  }
  g_array_sort (reading->assembly->limits, compare_limits);
  for (guint i = 0; i < n_bodies; i++) {
    /* The root of a set is its lowest number, which came before. */
    const uint32_t root = disjoint_sets_find (parents, i);

    get_body (reading, i)->component = root == i ? reading->assembly->n_components++
                                                 : get_body (reading, root)->component;
  }
  return true;
}

/* Limits that contradict each other.  In the plane each says how far the second body of the joint may have turned from
 * where it is at rest, which can be compared; in space only limits between the same directions can. */
static bool
check_limits (const Reading *reading, GError **error)
{
  const GArray *limits = reading->assembly->limits;

  for (guint i = 1; i < limits->len; i++)
    for (guint k = i;
         k-- > 0 && g_array_index (limits, BodyLimit, k).joint == g_array_index (limits, BodyLimit, i).joint;) {
      const BodyLimit *a = &g_array_index (limits, BodyLimit, k), *b = &g_array_index (limits, BodyLimit, i);
      const BodyJoint *joint = &g_array_index (reading->assembly->joints, BodyJoint, a->joint);
      double shift = 0, apart;

      if (reading->options->plane)
        shift = atan2 (kg_vector_cross (a->u, a->w).z, kg_vector_dot (a->u, a->w)) -
                atan2 (kg_vector_cross (b->u, b->w).z, kg_vector_dot (b->u, b->w));
      else if (kg_vector_distance (a->u, b->u) > 1e-9 || kg_vector_distance (a->w, b->w) > 1e-9)
        continue;
      apart = fabs (remainder (0.5 * (b->low + b->high) + shift - 0.5 * (a->low + a->high), 2 * KG_PI));
      if (apart > 0.5 * (a->high - a->low + b->high - b->low) + 1e-9) {
        kg_set_error (
            error, KG_ERROR_INVALID_VALUE,
            "the joint of bodies %u and %u has two limits, %g to %g and %g to %g degrees, and no angle satisfies both: remove one",
            joint->a, joint->b, a->low / KG_DEGREE, a->high / KG_DEGREE, (b->low + shift) / KG_DEGREE,
            (b->high + shift) / KG_DEGREE);
        return false;
      }
    }
  return true;
}

static bool
read_joints (Reading *reading, GError **error)
{
  const SkeletonFigureOptions options = {
    .plane = reading->options->plane, .shortest = 1, .longest = 1, .bend = KG_PI, .hinges_only = true
  };
  g_auto (SkeletonFigure) figure = { NULL, NULL };

  if (!skeleton_figure_read (&figure, reading->geometry, &options, error))
    return false;
  list_members (reading);
  if (!add_typed_joints (reading, error) || !add_hinges (reading, figure.hinges, error))
    return false;
  add_shared_points (reading);
  return make_trees (reading, error) && check_limits (reading, error);
}

bool
body_assembly_read (BodyAssembly *assembly, const KgGeometry *geometry, const BodyAssemblyOptions *options,
                    const KgProgressMonitor *monitor, GError **error)
{
  Reading reading = { .geometry = geometry,
                      .options = options,
                      .monitor = monitor,
                      .assembly = assembly,
                      .found = g_array_new (FALSE, FALSE, sizeof (BodyJoint)),
                      .limits = g_array_new (FALSE, FALSE, sizeof (BodyLimit)) };
  bool good;

  *assembly = (BodyAssembly){ .bodies = g_array_new (FALSE, FALSE, sizeof (Body)),
                              .joints = g_array_new (FALSE, FALSE, sizeof (BodyJoint)),
                              .limits = g_array_new (FALSE, FALSE, sizeof (BodyLimit)),
                              .rings = g_array_new (FALSE, FALSE, sizeof (BodyJoint)) };
  g_array_set_clear_func (assembly->bodies, clear_body);
  good = add_bodies (&reading, error) && read_joints (&reading, error);
  g_array_unref (reading.found);
  g_array_unref (reading.limits);
  g_free (reading.starts);
  g_free (reading.members);
  g_free (reading.linked);
  g_free (reading.limited);
  return good;
}

void
body_assembly_clear (BodyAssembly *assembly)
{
  g_clear_pointer (&assembly->bodies, g_array_unref);
  g_clear_pointer (&assembly->joints, g_array_unref);
  g_clear_pointer (&assembly->limits, g_array_unref);
  g_clear_pointer (&assembly->rings, g_array_unref);
}

int32_t *
body_assembly_get_owners (const BodyAssembly *assembly, size_t n_points)
{
  int32_t *owners = g_new (int32_t, MAX (n_points, 1));

  for (size_t i = 0; i < n_points; i++)
    owners[i] = -1;
  for (guint b = assembly->bodies->len; b-- > 0;) {
    const GArray *points = g_array_index (assembly->bodies, Body, b).points;

    for (guint i = 0; i < points->len; i++)
      owners[g_array_index (points, uint32_t, i)] = (int32_t) b;
  }
  return owners;
}
