/* tests/nodes/surface-path: ways over surfaces as curves, against closed forms and catalogue 30-100 to 30-104.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../net.h"
#include "geometry/mesh_walk.h"
#include "node-test.h"
#include "kg-node.h"

static KgGeometry *
make_sphere (NodeTest *test, int segments, int rings)
{
  g_autofree char *s = g_strdup_printf ("%d", segments), *r = g_strdup_printf ("%d", rings);
  g_auto (KgValue) value = KG_VALUE_INIT;

  node_test_add (test, "geometry/sphere", "ball", "segments", s, "rings", r, NULL);
  value = node_test_get (test, "ball.geometry", 0);
  return kg_geometry_ref (value.geometry);
}

/* 30-100: on ever finer spheres the way tends to the great arc, with the square of the faces' size. */
static void
test_plane_sphere (void)
{
  const KgVector a = kg_vector_normalize_or (kg_vector (1, 0.3, 0.4), kg_vector (1, 0, 0));
  const KgVector b = kg_vector_normalize_or (kg_vector (-0.5, 0.6, 0.7), kg_vector (1, 0, 0));
  const double arc = acos (kg_vector_dot (a, b));
  double last = 1;

  for (int k = 16; k <= 256; k *= 4) {
    NodeTest test = node_test_new ();
    g_autoptr (KgGeometry) geometry = make_sphere (&test, 2 * k, k);
    g_autoptr (MeshWalk) walk = mesh_walk_new (geometry, NULL, NULL);
    g_autoptr (MeshPath) path = mesh_path_new ();
    double error;

    g_assert_true (mesh_walk_cut (walk, mesh_walk_find (walk, a), mesh_walk_find (walk, b), path, NULL));
    error = fabs (path->length - arc);
    g_assert_cmpfloat (error, <, last / 8);
    last = error;
    node_test_clear (&test);
  }
  g_assert_cmpfloat (last, <, 1e-3);
}

/* The node: its outputs, warnings and refusals. */
static void
test_node (void)
{
  NodeTest test = node_test_new ();
  g_auto (KgValue) path = KG_VALUE_INIT, edges = KG_VALUE_INIT, still = KG_VALUE_INIT;

  node_test_add (&test, "geometry/grid", "g", "size", "[8, 8, 0]", "columns", "8", "rows", "8", "plane", "\"zx\"",
                 NULL);
  node_test_add (&test, "geometry/surface_path", "w", "geometry", "{\"link\": \"g.geometry\"}", "start", "[-3, 2, 0]",
                 "end", "[3, 0, 2]", NULL);
  assert_near (node_test_number (&test, "w.length", 0), hypot (6, 2), 1e-6);
  node_test_warns (&test, "w.path", "start is 2 m off the surface");
  path = node_test_get (&test, "w.path", 0);
  assert_near ((double) kg_geometry_get_float (path.geometry, KG_POINTS, "N", 3)[1], 1, 1e-6);
  node_test_set (&test, "w", "method", "\"edges\"");
  node_test_set (&test, "w", "start_point", "0");
  node_test_set (&test, "w", "end_point", "80");
  edges = node_test_get (&test, "w.path", 0);
  g_assert_cmpint (kg_geometry_get_int (edges.geometry, KG_POINTS, "id", 1)[0], ==, 0);
  assert_near (node_test_number (&test, "w.length", 0), 16, 1e-6);
  node_test_set (&test, "w", "end_point", "81");
  node_test_fails (&test, "w.path", KG_ERROR_INVALID_VALUE);
  /* Goal equal to start: a path of no length. */
  node_test_set (&test, "w", "end_point", "0");
  still = node_test_get (&test, "w.path", 0);
  g_assert_cmpuint (kg_geometry_get_n_points (still.geometry), ==, 2);
  assert_near (node_test_number (&test, "w.length", 0), 0, 0);
  node_test_set (&test, "w", "method", "\"plane\"");
  assert_near (node_test_number (&test, "w.length", 0), 0, 0);
  node_test_set (&test, "w", "method", "\"faces\"");
  assert_near (node_test_number (&test, "w.length", 0), 0, 0);
  /* Level ground. */
  node_test_set (&test, "w", "method", "\"downhill\"");
  assert_near (node_test_number (&test, "w.slope", 0), 0, 1e-9);
  node_test_warns (&test, "w.path", "no path leads down");
  assert_near (node_test_number (&test, "w.length", 0), 0, 0);
  node_test_set (&test, "w", "method", "\"parameters\"");
  assert_near (node_test_number (&test, "w.length", 0), 6.4 * sqrt (2), 1e-5);
  /* Round the seam the short way: from u = 0.1 out at 0, in at 1, to 0.9. */
  node_test_set (&test, "w", "wrap", "true");
  node_test_set (&test, "w", "end_uv", "[0.9, 0.1, 0]");
  assert_near (node_test_number (&test, "w.length", 0), 1.6, 1e-5);
  node_test_set (&test, "w", "end_uv", "[0.9, 3, 0]");
  node_test_fails (&test, "w.path", KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

/* A field of heights for the next test: a bowl around (2, 1) over the x-z plane, over a level rim. */
static void
bowl_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  (void) field;
  for (size_t i = 0; i < block->n; i++) {
    const float x = block->x[i] - 2, z = block->z[i] - 1, r2 = 0.5f * x * x + 0.25f * z * z;

    out[0][i] = r2 < 8 ? r2 : 8;
  }
}

static const KgFieldClass bowl_class = { "bowl", 1, bowl_sample };

typedef struct {
  KgField *field;
} Bowl;

static bool
bowl_evaluate (Bowl *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  n->field = kg_field_new (&bowl_class, NULL, 0, NULL, 0, error);
  return n->field != NULL;
}

static const KgSlot bowl_slots[] = { KG_OUTPUT (Bowl, field, FIELD, .label = "field", .help = "field") };

KG_NODE (test, bowl, Bowl, .label = "Bowl", .help = "A field for tests.", .version = 1);

/* 30-104 on the field nodes that there are: of a noise, a vector, what it reaches upwards counts. */
static void
test_noise (void)
{
  NodeTest test = node_test_new ();

  node_test_add (&test, "field/noise", "n", NULL);
  node_test_add (&test, "geometry/surface_path", "w", "height", "{\"link\": \"n.field\"}", "method", "\"downhill\"",
                 "start", "[0.3, 0, 0.2]", NULL);
  g_assert_cmpfloat (node_test_number (&test, "w.length", 0), >, 0);
  node_test_clear (&test);
}

/* 30-104 on a field: down to the lowest place, with ||D|| the sine of the slope at the start; level ground stays. */
static void
test_field (void)
{
  g_autoptr (GPtrArray) table = g_ptr_array_new ();
  NodeTest test;
  g_auto (KgValue) path = KG_VALUE_INIT;
  const float *p;
  size_t n;

  for (guint i = 0; kg_node_table[i] != NULL; i++)
    g_ptr_array_add (table, (gpointer) kg_node_table[i]);
  g_ptr_array_add (table, (gpointer) &kg_node_test_bowl);
  g_ptr_array_add (table, NULL);
  test.types = kg_types_new ((const KgNodeType *const *) table->pdata);
  test.graph = kg_graph_new (test.types);
  test.evaluator = kg_evaluator_new (test.graph, NULL);
  node_test_add (&test, "test/bowl", "b", NULL);
  node_test_add (&test, "geometry/surface_path", "w", "height", "{\"link\": \"b.field\"}", "method", "\"downhill\"",
                 "start", "[4, 9, 1]", NULL);
  /* The slope at x = 4 is 2. */
  assert_near (node_test_number (&test, "w.slope", 0), atan (2.0) / KG_DEGREE, 0.01);
  path = node_test_get (&test, "w.path", 0);
  p = kg_geometry_get_positions (path.geometry);
  n = kg_geometry_get_n_points (path.geometry);
  assert_near ((double) p[1], 2, 1e-6);
  assert_near ((double) p[3 * n - 3], 2, 0.01);
  assert_near ((double) p[3 * n - 2], 0, 1e-3);
  assert_near ((double) p[3 * n - 1], 1, 0.01);
  for (size_t i = 1; i < n; i++)
    g_assert_cmpfloat (p[3 * i + 1], <, p[3 * i - 2]);
  assert_near (node_test_number (&test, "w.at_minimum", 0), 1, 0);
  node_test_set (&test, "w", "start", "[40, 9, 1]");
  assert_near (node_test_number (&test, "w.length", 0), 0, 0);
  assert_near (node_test_number (&test, "w.at_minimum", 0), 1, 0);
  node_test_clear (&test);
}

/* Holes, edges, no surface, and opposite sides. */
static void
test_holes (void)
{
  g_autoptr (KgGeometry) geometry = make_net (5, 1, NULL, 2), lines = kg_geometry_new ();
  g_autoptr (MeshWalk) walk = mesh_walk_new (geometry, NULL, NULL), ball = NULL;
  g_autoptr (MeshPath) path = mesh_path_new ();
  g_autoptr (GError) hole = NULL, faces = NULL, none = NULL, opposite = NULL;
  NodeTest test = node_test_new ();
  g_autoptr (KgGeometry) sphere = make_sphere (&test, 32, 16);
  const MeshPlace a = mesh_walk_find (walk, kg_vector (0.5, 0.4, 0)),
                  b = mesh_walk_find (walk, kg_vector (4.5, 0.4, 0));

  g_assert_false (mesh_walk_cut (walk, a, b, path, &hole));
  g_assert_error (hole, KG_ERROR, KG_ERROR_DEGENERATE);
  g_assert_false (mesh_walk_faces (walk, a, b, path, &faces));
  g_assert_error (faces, KG_ERROR, KG_ERROR_DEGENERATE);
  g_assert_null (mesh_walk_new (lines, NULL, &none));
  g_assert_error (none, KG_ERROR, KG_ERROR_DEGENERATE);
  ball = mesh_walk_new (sphere, NULL, NULL);
  g_assert_false (mesh_walk_cut (ball, mesh_walk_find (ball, kg_vector (0, 0, 1)),
                                 mesh_walk_find (ball, kg_vector (0, 0, -1)), path, &opposite));
  g_assert_error (opposite, KG_ERROR, KG_ERROR_DEGENERATE);
  node_test_clear (&test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/surface-path/30-100-plane-sphere", test_plane_sphere);
  g_test_add_func ("/surface-path/node", test_node);
  g_test_add_func ("/surface-path/30-104-field", test_field);
  g_test_add_func ("/surface-path/30-104-field-noise", test_noise);
  g_test_add_func ("/surface-path/holes", test_holes);
  return g_test_run ();
}
