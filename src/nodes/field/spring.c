/* field/spring: springs that stand for nothing one could see, to a point or to a surface.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/triangle_mesh.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *surface;
  KgVector center;
  KgVector velocity;
  double stiffness;
  double damping;
  double length;
  int acts;
  double reach;
  KgField *field;
} Spring;

enum { SPRING_BOTH, SPRING_PUSHES, SPRING_PULLS, N_SPRING_ACTS };
enum {
  SPRING_X,
  SPRING_Y,
  SPRING_Z,
  SPRING_VX,
  SPRING_VY,
  SPRING_VZ,
  SPRING_STIFFNESS,
  SPRING_DAMPING,
  SPRING_LENGTH,
  SPRING_ACTS,
  SPRING_REACH,
  SPRING_N
};

static const KgChoice spring_acts[] = {
  [SPRING_BOTH] = { "both", N_ ("Pulls and pushes") },
  [SPRING_PUSHES] = { "pushes", N_ ("Only pushes, where it is shorter") },
  [SPRING_PULLS] = { "pulls", N_ ("Only pulls, where it is longer") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (spring_acts, N_SPRING_ACTS);

/* The mesh that a spring goes to, and what it was made of. */
typedef struct {
  KgGeometry *geometry;
  TriangleMesh *mesh;
} Surface;

static void
surface_free (gpointer data)
{
  Surface *surface = (Surface *) data;

  kg_geometry_unref (surface->geometry);
  g_clear_pointer (&surface->mesh, triangle_mesh_free);
  g_free (surface);
}

static bool
surface_equal (gconstpointer a, gconstpointer b)
{
  return kg_geometry_equal (((const Surface *) a)->geometry, ((const Surface *) b)->geometry);
}

/* The way from the nearest point of a surface, of length 1, and its length; sided: negative inside of a closed one. */
static KgVector
get_way_from_surface (const TriangleMesh *mesh, KgVector x, bool sided, double *length)
{
  const MeshNearest nearest = triangle_mesh_find_nearest (mesh, x);
  const bool inside = sided && mesh->n_open == 0 && triangle_mesh_contains (mesh, NULL, INSIDE_RAY, x);
  KgVector corners[3];

  *length = inside ? -nearest.distance : nearest.distance;
  if (nearest.distance > 1e-9 * mesh->size)
    return kg_vector_scale (kg_vector_subtract (x, nearest.point), 1 / *length);
  /* On the surface the way has no direction, but the face has. */
  triangle_mesh_get_corners (mesh, nearest.triangle, corners);
  return kg_vector_normalize_or (
      kg_vector_cross (kg_vector_subtract (corners[1], corners[0]), kg_vector_subtract (corners[2], corners[0])),
      kg_vector (0, 1, 0));
}

static void
spring_sample (const KgField *field, const KgFieldBlock *block, float *const *out)
{
  const double *p = kg_field_get_parameters (field);
  const Surface *surface = (const Surface *) kg_field_get_data (field);
  const KgVector center = kg_vector (p[SPRING_X], p[SPRING_Y], p[SPRING_Z]),
                 moves = kg_vector (p[SPRING_VX], p[SPRING_VY], p[SPRING_VZ]);
  const int acts = (int) p[SPRING_ACTS];
  /* Springs to the surface itself are the same on both sides, and need not know which it is. */
  const bool sided = acts != SPRING_BOTH || p[SPRING_LENGTH] > 0;

  for (size_t i = 0; i < block->n; i++) {
    const KgVector x = kg_vector ((double) block->x[i], (double) block->y[i], (double) block->z[i]);
    const KgVector v = block->vx == NULL
                           ? kg_vector (0, 0, 0)
                           : kg_vector ((double) block->vx[i], (double) block->vy[i], (double) block->vz[i]);
    KgVector way = kg_vector_subtract (x, center), force = kg_vector (0, 0, 0);
    double length = kg_vector_length (way), longer;

    if (surface->mesh != NULL)
      way = get_way_from_surface (surface->mesh, x, sided, &length);
    else
      way = kg_vector_normalize_or (way, kg_vector (0, 0, 0));
    longer = length - p[SPRING_LENGTH];
    if (!(p[SPRING_REACH] > 0 && fabs (length) > p[SPRING_REACH]) && !(acts == SPRING_PUSHES && longer > 0) &&
        !(acts == SPRING_PULLS && longer < 0))
      force = kg_vector_scale (way, -p[SPRING_STIFFNESS] * longer -
                                        p[SPRING_DAMPING] * kg_vector_dot (kg_vector_subtract (v, moves), way));
    out[0][i] = (float) force.x;
    out[1][i] = (float) force.y;
    out[2][i] = (float) force.z;
  }
}

static double
spring_get_hold (const KgField *field)
{
  return kg_field_get_parameters (field)[SPRING_DAMPING];
}

static const KgFieldClass spring_class = { .name = "spring",
                                           .width = 3,
                                           .sample = spring_sample,
                                           .free_data = surface_free,
                                           .equal_data = surface_equal,
                                           .get_hold = spring_get_hold };

static bool
spring_evaluate (Spring *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const double parameters[SPRING_N] = { n->center.x,   n->center.y,   n->center.z,  n->velocity.x,
                                        n->velocity.y, n->velocity.z, n->stiffness, n->damping,
                                        n->length,     n->acts,       n->reach };
  Surface *surface = g_new0 (Surface, 1);

  surface->geometry = n->surface != NULL ? kg_geometry_ref (n->surface) : kg_geometry_new ();
  if (n->surface != NULL) {
    surface->mesh = triangle_mesh_new (n->surface, &monitor, error);
    if (surface->mesh != NULL && surface->mesh->n == 0)
      kg_set_error (error, KG_ERROR_DEGENERATE,
                    "the surface has no faces: link a mesh, or unlink it for a spring to a point");
    if (surface->mesh == NULL || surface->mesh->n == 0) {
      surface_free (surface);
      return false;
    }
  }
  n->field = kg_field_new_with_data (&spring_class, parameters, SPRING_N, NULL, 0, surface, error);
  return n->field != NULL;
}

static const KgSlot spring_slots[] = {
  KG_INPUT (Spring, surface, GEOMETRY, .label = N_ ("Surface"), .optional = true,
            .help = N_ (
                "The mesh that the springs are attached to, at the nearest point. Without one they are attached to the "
                "point below.")),
  KG_INPUT (Spring, center, VECTOR, .label = N_ ("Point"), .unit = KG_METRES,
            .help = N_ ("The point that the springs are attached to. Key or link it, and things follow.")),
  KG_INPUT (Spring, velocity, VECTOR, .label = N_ ("Velocity"), .unit = KG_METRES_PER_SECOND,
            .help = N_ ("Velocity of the point or the surface, for the damping: with it, nothing lags behind.")),
  KG_INPUT (Spring, stiffness, NUMBER, .label = N_ ("Stiffness (1/s²)"), .def = 40, .min = 0, .max = 1e9,
            .soft_max = 200, .help = N_ ("Acceleration for each metre that a spring is too long.")),
  KG_INPUT (Spring, damping, NUMBER, .label = N_ ("Damping (1/s)"), .def = 2, .min = 0, .max = 1e6, .soft_max = 30,
            .help = N_ ("Acceleration against each metre per second along the spring. Twice the root of the stiffness "
                        "stops any oscillation.")),
  KG_INPUT (Spring, length, NUMBER, .label = N_ ("Rest length"), .unit = KG_METRES, .min = 0, .max = 1e6, .soft_max = 5,
            .help = N_ ("Distance at which a spring neither pulls nor pushes: 0 holds things on a surface, "
                        "more keeps them away from it, outside of closed meshes.")),
  KG_INPUT (Spring, acts, CHOICE, .label = N_ ("Acts"), .choices = spring_acts,
            .help = N_ ("Direction in which the springs act.")),
  KG_INPUT (Spring, reach, NUMBER, .label = N_ ("Reach"), .unit = KG_METRES, .min = 0, .max = 1e6, .soft_max = 10,
            .help = N_ ("Beyond this distance there are no springs. 0 is unlimited.")),
  KG_OUTPUT (Spring, field, FIELD, .label = N_ ("Field"), .help = N_ ("Field for the forces of a simulation.")),
};

KG_NODE (field, spring, Spring, .label = N_ ("Virtual Springs"), .version = 1, .since = "0.1",
         .tags = N_ ("force pull push hold keep distance follow surface attach hover one-sided elastic"),
         .formula = "a = −(k (l − L) + c (v − V) · u) u", .source = "Parent, Computer Animation, 4.4.3",
         .help = N_ (
             "Holds things by invisible springs: at a point that may move, on a surface, or at a distance from it."));
