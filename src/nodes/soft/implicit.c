/* soft/implicit: simple bodies as fields.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "soft/implicit_shape.h"

typedef struct {
  int shape;
  double radius;
  double tube;
  double height;
  KgVector size;
  double north_south;
  double east_west;
  KgTransform transform;
  KgField *field;
} Implicit;

static const KgChoice implicit_shapes[] = {
  [IMPLICIT_SPHERE] = { "sphere", N_ ("Sphere") },
  [IMPLICIT_BOX] = { "box", N_ ("Box") },
  [IMPLICIT_CYLINDER] = { "cylinder", N_ ("Cylinder along y") },
  [IMPLICIT_CONE] = { "cone", N_ ("Cone along y") },
  [IMPLICIT_TORUS] = { "torus", N_ ("Torus around y") },
  [IMPLICIT_PLANE] = { "plane", N_ ("Everything below the plane zx") },
  [IMPLICIT_SUPERQUADRIC] = { "superquadric", N_ ("Superquadric") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (implicit_shapes, IMPLICIT_N_SHAPES);

static KgVector
implicit_get_size (const Implicit *n)
{
  switch (n->shape) {
  case IMPLICIT_BOX:
  case IMPLICIT_SUPERQUADRIC:
    return kg_vector_scale (n->size, 0.5);
  case IMPLICIT_CYLINDER:
  case IMPLICIT_CONE:
    return kg_vector (n->radius, 0.5 * n->height, n->radius);
  case IMPLICIT_TORUS:
    return kg_vector (n->radius, n->tube, n->radius);
  default:
    return kg_vector (n->radius, n->radius, n->radius);
  }
}

static bool
implicit_evaluate (Implicit *n, const KgContext *ctx, GError **error)
{
  const ImplicitOptions options = { .shape = (ImplicitShape) n->shape,
                                    .size = implicit_get_size (n),
                                    .north_south = n->north_south,
                                    .east_west = n->east_west,
                                    .transform = n->transform };

  (void) ctx;
  n->field = implicit_shape_new (&options, error);
  return n->field != NULL;
}

static const KgSlot implicit_slots[] = {
  KG_INPUT (Implicit, shape, CHOICE, .label = N_ ("Shape"), .choices = implicit_shapes,
            .help = N_ ("Shape of the body.")),
  KG_INPUT (Implicit, radius, NUMBER, .label = N_ ("Radius"), .unit = KG_METRES, .def = 0.5, .min = 1e-6, .max = 1e6,
            .soft_min = 0.01, .soft_max = 5, .shown_when = "shape=sphere|cylinder|cone|torus",
            .help = N_ ("Radius of the sphere, cylinder or base of the cone, or of the circle inside the torus.")),
  KG_INPUT (Implicit, tube, NUMBER, .label = N_ ("Tube radius"), .unit = KG_METRES, .def = 0.15, .min = 1e-6,
            .max = 1e6, .soft_min = 0.01, .soft_max = 2, .shown_when = "shape=torus",
            .help = N_ ("Radius of the tube, from its centre line to its surface.")),
  KG_INPUT (Implicit, height, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .def = 1, .min = 1e-6, .max = 1e6,
            .soft_min = 0.01, .soft_max = 5, .shown_when = "shape=cylinder|cone",
            .help = N_ ("Height from the base to the top; the centre is halfway.")),
  KG_INPUT (Implicit, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES, .def_v = { 1, 1, 1 }, .min = 1e-6,
            .max = 1e6, .soft_min = 0.01, .soft_max = 5, .shown_when = "shape=box|superquadric",
            .help = N_ ("Sides of the box, or diameters of the superquadric.")),
  KG_INPUT (Implicit, north_south, NUMBER, .label = N_ ("North-south exponent"), .def = 1, .min = 0.01, .max = 4,
            .shown_when = "shape=superquadric",
            .help = N_ ("Along z: below 1 squares it off, 1 is round, 2 is a double cone, above is pinched.")),
  KG_INPUT (Implicit, east_west, NUMBER, .label = N_ ("East-west exponent"), .def = 1, .min = 0.01, .max = 4,
            .shown_when = "shape=superquadric", .help = N_ ("The same around z.")),
  KG_INPUT (Implicit, transform, TRANSFORM, .label = N_ ("Transform"), .help = N_ ("Transform of the body.")),
  KG_OUTPUT (Implicit, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("A field of numbers: 1 on the surface, more inside, falling with the distance.")),
};

KG_NODE (soft, implicit, Implicit, .label = N_ ("Implicit Body"), .version = 1, .since = "0.1",
         .tags = N_ ("implicit sphere box cylinder cone torus plane superquadric superellipsoid solid distance field"),
         .formula = "F = 1 − f; sphere: f = |P − C| − r; superquadric:\n"
                    "f = ((|x/a|^(2/ε₂) + |y/b|^(2/ε₂))^(ε₂/ε₁) + |z/c|^(2/ε₁))^(ε₁/2) − 1",
         .source = "Barr, Superquadrics and Angle-Preserving Transformations, 1981; Hart 1996",
         .help = N_ ("Creates a simple body as a field, to be combined with others, polygonised or sampled."));
