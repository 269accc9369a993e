/* shapes: times questions about shapes and prints one line for each: name, seconds (median of the runs).  With the name of a
 * file it writes the points of the hull there instead, for qhull's own program.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kineograph.h"

#include "geometry/convex_shape.h"
#include "geometry/mass_properties.h"
#include "geometry/point_cloud.h"
#include "geometry/point_tree.h"
#include "geometry/shape_mesh.h"
#include "geometry/triangle_mesh.h"
#include "kg-random.h"
#include "times.h"

#include <stdio.h>
#ifdef HAVE_CCD
#include <ccd/ccd.h>
#endif
#ifdef HAVE_ODE
#include <ode/ode.h>
#endif

#define RUNS 5
#define POINTS 1000000
#define PAIRS 200000
#define HULL_POINTS 32
#define BOXES 10000

static double seconds[RUNS];

static void
report (const char *name)
{
  report_median (name, seconds, RUNS);
}

/* Evenly in a ball. */
static KgGeometry *
new_ball_of_points (size_t n)
{
  KgGeometry *geometry = kg_geometry_new ();
  float *p;

  kg_geometry_set_n_points (geometry, n, NULL);
  p = kg_geometry_edit_positions (geometry);
  for (size_t i = 0; i < n; i++) {
    const KgVector x = kg_vector_scale (kg_random_direction (1, i, 0), cbrt (kg_random_uniform (1, i, 7)));

    for (size_t c = 0; c < 3; c++)
      p[3 * i + c] = (float) kg_vector_get (x, c);
  }
  return geometry;
}

static void
measure_hull (const KgGeometry *geometry)
{
  const HullOptions options = { .tolerance = 1e-9, .triangles = true };

  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();
    size_t n;
    g_autofree KgVector *points = point_cloud_get_points (geometry, NULL, &n, NULL, NULL);
    g_auto (ConvexHull) hull = { 0 };
    g_autoptr (KgGeometry) mesh = NULL;

    convex_hull_find (&hull, points, n, &options, NULL, NULL);
    mesh = point_cloud_make_hull (&hull, NULL, NULL);
    seconds[r] = now () - start;
  }
  report ("hull");
}

static void
measure_neighbours (const KgGeometry *geometry)
{
  const PointQuery query = { .k = 8, .radius = INFINITY };
  const float *p = kg_geometry_get_positions (geometry);

  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();
    g_auto (PointNeighbours) found = { 0 };

    point_neighbours_find (&found, p, POINTS, p, POINTS, &query, G_MAXINT32, NULL, NULL);
    seconds[r] = now () - start;
  }
  report ("neighbours");
}

/* A sphere of about a million triangles. */
static void
measure_mass (void)
{
  g_autoptr (KgGeometry) sphere = shape_mesh_new_sphere (kg_vector (0, 0, 0), 1, 1000);
  const MassFilling filling = { .model = MASS_SOLID, .density = 1000 };

  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();
    MassProperties properties;
    MassExtent extent;
    GError *warning = NULL;

    mass_properties_measure (sphere, &filling, NULL, &properties, &extent, &warning, NULL);
    seconds[r] = now () - start;
  }
  report ("mass");
  /* What copying its arrays takes. */
  for (guint r = 0; r < RUNS; r++) {
    const size_t bytes = kg_geometry_get_bytes (sphere);
    g_autofree char *from = g_malloc (bytes), *to = g_malloc (bytes);
    double start;

    memset (from, 1, bytes);
    memset (to, 1, bytes);
    start = now ();
    memcpy (to, from, bytes);
    /* Reading alone is half of it. */
    seconds[r] = 0.5 * (now () - start);
  }
  report ("memory");
}

#ifdef HAVE_ODE
#define MOST_CONTACTS 32768

/* It says for each of thousands of contacts that a table of its own is full, which would be what is measured. */
static void
say_nothing (int number, const char *message, va_list arguments)
{
  (void) number;
  (void) message;
  (void) arguments;
}

/* (transfer full) The triangles of a mesh. */
static dTriMeshDataID
new_ode_mesh (const TriangleMesh *mesh)
{
  const size_t n_points = kg_geometry_get_n_points (mesh->geometry);
  dTriMeshDataID data = dGeomTriMeshDataCreate ();

  dGeomTriMeshDataBuildSingle (data, mesh->p, 3 * sizeof (float), (int) n_points, mesh->corners, (int) (3 * mesh->n),
                               3 * sizeof (uint32_t));
  return data;
}

/* Contacts of two meshes of triangles, as dynamics ask for them in each step. */
static void
measure_ode_meshes (const TriangleMesh *a, const TriangleMesh *b)
{
  g_autofree dContactGeom *contacts = g_new (dContactGeom, MOST_CONTACTS);
  dTriMeshDataID data_a = new_ode_mesh (a), data_b = new_ode_mesh (b);
  dGeomID geom_a = dCreateTriMesh (NULL, data_a, NULL, NULL, NULL),
          geom_b = dCreateTriMesh (NULL, data_b, NULL, NULL, NULL);

  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();

    if (dCollide (geom_a, geom_b, MOST_CONTACTS, contacts, sizeof *contacts) == 0)
      g_printerr ("ODE finds no contact\n");
    seconds[r] = now () - start;
  }
  report ("meshes-ode");
  dGeomDestroy (geom_a);
  dGeomDestroy (geom_b);
  dGeomTriMeshDataDestroy (data_a);
  dGeomTriMeshDataDestroy (data_b);
}

static void
count_pair (void *data, dGeomID a, dGeomID b)
{
  (void) a;
  (void) b;
  (*(size_t *) data)++;
}

/* Each of its spaces; returns how many pairs the last run found. */
static size_t
measure_ode_boxes (const char *name, dSpaceID space)
{
  g_autofree dGeomID *geoms = g_new (dGeomID, BOXES);
  size_t n = 0;

  for (size_t i = 0; i < BOXES; i++)
    geoms[i] = dCreateBox (space, 1, 1, 1);
  for (guint r = 0; r < RUNS; r++) {
    double start;

    for (size_t i = 0; i < BOXES; i++)
      dGeomSetPosition (geoms[i], (double) (float) (20 * kg_random_uniform (r, i, 0)) + 0.5,
                        (double) (float) (20 * kg_random_uniform (r, i, 1)) + 0.5,
                        (double) (float) (20 * kg_random_uniform (r, i, 2)) + 0.5);
    n = 0;
    start = now ();
    dSpaceCollide (space, &n, count_pair);
    seconds[r] = now () - start;
  }
  report (name);
  dSpaceDestroy (space);
  return n;
}
#endif

static void
measure_meshes (void)
{
  g_autoptr (KgGeometry) a = shape_mesh_new_sphere (kg_vector (0, 0, 0), 1, 318);
  g_autoptr (KgGeometry) b = shape_mesh_new_sphere (kg_vector (0.3, 0.2, 0.1), 1, 318);
  g_autoptr (TriangleMesh) mesh_a = triangle_mesh_new (a, NULL, NULL), mesh_b = triangle_mesh_new (b, NULL, NULL);

  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();
    g_autoptr (GArray) found = triangle_mesh_find_crossings (mesh_a, mesh_b, G_MAXINT32, NULL, NULL, NULL);

    seconds[r] = now () - start;
  }
  report ("meshes");
#ifdef HAVE_ODE
  measure_ode_meshes (mesh_a, mesh_b);
#endif
  for (guint r = 0; r < RUNS; r++) {
    const double start = now ();
    g_autoptr (TriangleMesh) mesh = triangle_mesh_new (a, NULL, NULL);

    seconds[r] = now () - start;
  }
  report ("mesh-tree");
}

static void
measure_boxes (void)
{
  g_autofree BoundingBox *boxes = g_new (BoundingBox, BOXES);
  size_t ours = 0;

  for (guint r = 0; r < RUNS; r++) {
    double start;
    g_autoptr (BoxTree) tree = NULL;
    g_autoptr (GArray) pairs = NULL;

    for (size_t i = 0; i < BOXES; i++)
      for (size_t c = 0; c < 3; c++) {
        boxes[i].low[c] = (float) (20 * kg_random_uniform (r, i, c));
        boxes[i].high[c] = boxes[i].low[c] + 1;
      }
    start = now ();
    tree = box_tree_new (boxes, BOXES, NULL);
    pairs = box_tree_find_pairs (tree, NULL, G_MAXINT32, NULL, NULL, NULL);
    seconds[r] = now () - start;
    ours = pairs->len;
  }
  report ("boxes");
#ifdef HAVE_ODE
  {
    const dVector3 center = { 10, 10, 10 }, extents = { 11, 11, 11 };
    const size_t theirs[] = { measure_ode_boxes ("boxes-ode-hash", dHashSpaceCreate (NULL)),
                              measure_ode_boxes ("boxes-ode-sweep", dSweepAndPruneSpaceCreate (NULL, dSAP_AXES_XYZ)),
                              measure_ode_boxes ("boxes-ode-tree", dQuadTreeSpaceCreate (NULL, center, extents, 6)) };

    /* Rounding may decide about boxes that just touch. */
    for (guint i = 0; i < G_N_ELEMENTS (theirs); i++)
      if (theirs[i] > ours + 5 || theirs[i] + 5 < ours)
        g_printerr ("ODE's space %u finds %zu pairs, and ours are %zu\n", i, theirs[i], ours);
  }
#else
  (void) ours;
#endif
}

#ifdef HAVE_CCD
typedef struct {
  const KgVector *points;
  KgVector position;
  KgRotation rotation;
} CcdShape;

/* The same search among all corners. */
static void
support (const void *object, const ccd_vec3_t *direction, ccd_vec3_t *vec)
{
  const CcdShape *shape = object;
  const KgVector d = kg_rotation_apply (kg_rotation_conjugate (shape->rotation),
                                        kg_vector (direction->v[0], direction->v[1], direction->v[2]));
  size_t found = 0;
  double best = -INFINITY;
  KgVector x;

  for (size_t i = 0; i < HULL_POINTS; i++) {
    const double along = kg_vector_dot (shape->points[i], d);

    if (along > best) {
      best = along;
      found = i;
    }
  }
  x = kg_vector_add (shape->position, kg_rotation_apply (shape->rotation, shape->points[found]));
  ccdVec3Set (vec, x.x, x.y, x.z);
}
#endif

/* Two hulls about so far apart: of far pairs half overlap, and most are decided by the balls within and around them; of near ones
 * none are. */
static void
measure_pairs (const char *name, const char *peer, double from, double to)
{
  const HullOptions options = { .tolerance = 1e-9 };
  g_autofree KgVector *positions = g_new (KgVector, PAIRS);
  g_autofree KgRotation *rotations = g_new (KgRotation, PAIRS);
  KgVector points[HULL_POINTS];
  g_auto (ConvexHull) hull = { 0 };
  g_auto (ConvexShape) shape = { 0 };
  guint ours = 0;

  for (uint64_t i = 0; i < HULL_POINTS; i++)
    points[i] = kg_random_direction (3, i, 0);
  convex_hull_find (&hull, points, HULL_POINTS, &options, NULL, NULL);
  shape = convex_shape_hull (&hull, 0);
  for (uint64_t i = 0; i < PAIRS; i++) {
    positions[i] = kg_vector_scale (kg_random_direction (4, i, 0), from + (to - from) * kg_random_uniform (4, i, 5));
    rotations[i] = kg_rotation_from_axis_angle (kg_random_direction (5, i, 0), 3 * kg_random_uniform (5, i, 5));
  }
  for (guint r = 0; r < RUNS; r++) {
    const ConvexPlaced a = convex_shape_place (&shape, kg_vector (0, 0, 0), kg_rotation_identity ());
    const double start = now ();

    ours = 0;
    for (size_t i = 0; i < PAIRS; i++) {
      const ConvexPlaced b = convex_shape_place (&shape, positions[i], rotations[i]);

      ours += convex_overlap (&a, &b, NULL);
    }
    seconds[r] = now () - start;
  }
  report (name);
#ifdef HAVE_CCD
  {
    guint theirs = 0;

    for (guint r = 0; r < RUNS; r++) {
      CcdShape a = { hull.points, kg_vector (0, 0, 0), kg_rotation_identity () };
      const double start = now ();
      ccd_t ccd;

      CCD_INIT (&ccd);
      ccd.support1 = ccd.support2 = support;
      ccd.max_iterations = 100;
      theirs = 0;
      for (size_t i = 0; i < PAIRS; i++) {
        const CcdShape b = { hull.points, positions[i], rotations[i] };

        theirs += (guint) ccdGJKIntersect (&a, &b, &ccd);
      }
      seconds[r] = now () - start;
    }
    report (peer);
    if (theirs != ours)
      g_printerr ("libccd finds %u of %u pairs to overlap\n", theirs, ours);
  }
#else
  (void) ours;
  (void) peer;
#endif
}

static int
write_points (const KgGeometry *geometry, const char *path)
{
  const float *p = kg_geometry_get_positions (geometry);
  FILE *file = fopen (path, "w");

  if (file == NULL)
    return 1;
  fprintf (file, "3\n%d\n", POINTS);
  for (size_t i = 0; i < POINTS; i++)
    fprintf (file, "%.9g %.9g %.9g\n", (double) p[3 * i], (double) p[3 * i + 1], (double) p[3 * i + 2]);
  return fclose (file) == 0 ? 0 : 1;
}

int
main (int argc, char **argv)
{
  g_autoptr (KgGeometry) points = new_ball_of_points (POINTS);

  if (argc > 1)
    return write_points (points, argv[1]);
#ifdef HAVE_ODE
  dInitODE2 (0);
  dSetMessageHandler (say_nothing);
#endif
  measure_hull (points);
  measure_neighbours (points);
  measure_mass ();
  measure_meshes ();
  measure_boxes ();
  measure_pairs ("pairs", "pairs-libccd", 0, 3.5);
  measure_pairs ("pairs-near", "pairs-near-libccd", 1.6, 1.95);
#ifdef HAVE_ODE
  dCloseODE ();
#endif
  return 0;
}
