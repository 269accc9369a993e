/* geometry/mass: what a thing weighs, where it balances, and how hard it is to turn.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/mass_properties.h"
#include "kg-node.h"

typedef struct {
  KgGeometry *geometry;
  int model;
  KgVector size;
  KgVector position;
  double density;
  double total;
  double thickness;
  KgRotation turn;
  int about;
  KgVector point;
  KgGeometry *weighed;
  double mass;
  KgVector center;
  double volume;
  double area;
  KgTransform inertia;
  KgTable *tensor;
  KgVector moments;
  KgRotation axes;
  KgVector gyration;
} Mass;

/* The models of a geometry, and behind them the closed forms. */
enum { N_MODELS = (int) MASS_N_MODELS + (int) MASS_N_SHAPES };

static const KgChoice mass_models[] = {
  [MASS_AUTO] = { "auto", N_ ("Automatic") },
  [MASS_SOLID] = { "solid", N_ ("Solid") },
  [MASS_SHELL] = { "shell", N_ ("Shell") },
  [MASS_LINES] = { "lines", N_ ("Lines") },
  [MASS_POINTS] = { "points", N_ ("Points") },
  [MASS_N_MODELS + MASS_BOX] = { "box", N_ ("Box") },
  [MASS_N_MODELS + MASS_ELLIPSOID] = { "ellipsoid", N_ ("Ellipsoid or ball") },
  [MASS_N_MODELS + MASS_HOLLOW_BALL] = { "hollow-ball", N_ ("Hollow ball") },
  [MASS_N_MODELS + MASS_CYLINDER] = { "cylinder", N_ ("Cylinder") },
  [MASS_N_MODELS + MASS_CONE] = { "cone", N_ ("Cone") },
  [MASS_N_MODELS + MASS_CAPSULE] = { "capsule", N_ ("Capsule") },
  [MASS_N_MODELS + MASS_TORUS] = { "torus", N_ ("Torus") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (mass_models, N_MODELS);

enum { ABOUT_CENTER, ABOUT_ORIGIN, ABOUT_POINT, N_ABOUTS };

static const KgChoice mass_abouts[] = {
  [ABOUT_CENTER] = { "center", N_ ("Centre of mass") },
  [ABOUT_ORIGIN] = { "origin", N_ ("Origin") },
  [ABOUT_POINT] = { "point", N_ ("Point") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (mass_abouts, N_ABOUTS);

/* A closed form in the box around the geometry, or in one of the given size. */
static bool
mass_weigh_shape (Mass *n, const KgContext *ctx, MassProperties *properties, GError **error)
{
  const MassShape shape = (MassShape) (n->model - MASS_N_MODELS);
  KgVector low, high;
  double mass;

  if (kg_geometry_get_n_points (n->geometry) > 0) {
    kg_geometry_get_bounds (n->geometry, &low, &high);
    n->position = kg_vector_lerp (low, high, 0.5);
    n->size = kg_vector_subtract (high, low);
  }
  if (!(n->size.x >= 0 && n->size.y >= 0 && n->size.z >= 0)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the size (%g, %g, %g) is negative: use sizes of 0 or more", n->size.x,
                  n->size.y, n->size.z);
    return false;
  }
  if (shape == MASS_HOLLOW_BALL) {
    const double least = fmin (n->size.x, fmin (n->size.y, n->size.z));

    if (least < 0.99 * fmax (n->size.x, fmax (n->size.y, n->size.z)))
      kg_context_warn (ctx, "a hollow ball must be round, but the size is (%g, %g, %g): its diameter is set to %g m",
                       n->size.x, n->size.y, n->size.z, least);
    n->size = kg_vector (least, least, least);
  }
  n->volume = mass_shape_get_volume (shape, n->size);
  mass = n->total > 0                ? n->total
         : shape == MASS_HOLLOW_BALL ? n->density * n->thickness * KG_PI * n->size.x * n->size.x
                                     : n->density * n->volume;
  if (!(mass > 0) || !isfinite (mass)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "the mass of a shape of size (%g, %g, %g) is %g kg: make it larger, or give a total mass", n->size.x,
                  n->size.y, n->size.z, mass);
    return false;
  }
  *properties = mass_shape_get_properties (shape, n->size, mass);
  properties->center = kg_vector_add (properties->center, n->position);
  return true;
}

static bool
mass_weigh_geometry (Mass *n, const KgContext *ctx, MassProperties *properties, GError **error)
{
  const MassFilling filling = {
    .model = (MassModel) n->model, .density = n->density, .total = n->total, .thickness = n->thickness
  };
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  GError *warning = NULL;
  MassExtent extent;
  const bool done = mass_properties_measure (n->geometry, &filling, &monitor, properties, &extent, &warning, error);

  kg_context_take_warning (ctx, warning);
  n->volume = fabs (extent.volume);
  n->area = extent.area;
  return done;
}

static KgTransform
mass_get_matrix (SymmetricMatrix a)
{
  return (KgTransform){ { { a.xx, a.xy, a.xz, 0 }, { a.xy, a.yy, a.yz, 0 }, { a.xz, a.yz, a.zz, 0 }, { 0, 0, 0, 1 } } };
}

/* Three rows of three, exact. */
static KgTable *
mass_make_table (SymmetricMatrix a, GError **error)
{
  const double cells[] = { a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz };
  KgTable *table = kg_table_new (3, NULL, 3, error);

  if (table != NULL)
    memcpy (kg_table_edit (table), cells, sizeof cells);
  return table;
}

/* Writes the results as attributes of the whole geometry, for the nodes below. */
static void
mass_note_results (Mass *n)
{
  float *inertia, *center;

  kg_geometry_make_writable (&n->geometry);
  *kg_geometry_edit_float (n->geometry, KG_WHOLE, "mass", 1) = (float) n->mass;
  center = kg_geometry_edit_float (n->geometry, KG_WHOLE, "center", 3);
  inertia = kg_geometry_edit_float (n->geometry, KG_WHOLE, "inertia", 9);
  for (size_t i = 0; i < 3; i++) {
    center[i] = (float) kg_vector_get (n->center, i);
    for (size_t k = 0; k < 3; k++)
      inertia[3 * i + k] = (float) n->inertia.m[i][k];
  }
  n->weighed = g_steal_pointer (&n->geometry);
}

static bool
mass_evaluate (Mass *n, const KgContext *ctx, GError **error)
{
  MassProperties properties;
  SymmetricMatrix tensor;
  KgVector axes[3];
  double values[3];

  if (n->geometry == NULL)
    n->geometry = kg_geometry_new ();
  if (!(n->model < (int) MASS_N_MODELS ? mass_weigh_geometry (n, ctx, &properties, error)
                                       : mass_weigh_shape (n, ctx, &properties, error)))
    return false;
  properties.inertia = symmetric_matrix_rotate (properties.inertia, n->turn);
  n->mass = properties.mass;
  n->center = properties.center;
  tensor = properties.inertia;
  if (n->about != ABOUT_CENTER)
    tensor = mass_properties_get_inertia_about (
        &properties, kg_vector_subtract (n->about == ABOUT_ORIGIN ? kg_vector (0, 0, 0) : n->point, n->center));
  n->inertia = mass_get_matrix (tensor);
  n->tensor = mass_make_table (tensor, error);
  if (n->tensor == NULL)
    return false;
  symmetric_matrix_decompose (tensor, values, axes);
  n->moments = kg_vector (fmax (values[0], 0), fmax (values[1], 0), fmax (values[2], 0));
  n->axes = symmetric_matrix_get_rotation (axes);
  n->gyration = kg_vector (sqrt (n->moments.x / n->mass), sqrt (n->moments.y / n->mass), sqrt (n->moments.z / n->mass));
  if (!(n->moments.x > 1e-12 * n->moments.z))
    kg_context_warn (
        ctx,
        "the smallest moment of inertia is 0 (all mass lies on one line or in one point): a rigid body cannot rotate about that axis");
  mass_note_results (n);
  return true;
}

static const KgSlot mass_slots[] = {
  KG_INPUT (
      Mass, geometry, GEOMETRY, .label = N_ ("Geometry"), .optional = true,
      .help = N_ (
          "The object to weigh. The simple shapes need none: they fill the box around it, or one of the given size.")),
  KG_INPUT (
      Mass, model, CHOICE, .label = N_ ("Model"), .choices = mass_models,
      .help = N_ (
          "What is filled with mass. Solid: the inside of a closed surface. Shell: its polygons as thin sheets. "
          "Lines: thin wires. Points: the attribute mass of each, or equal masses. Automatic takes the first of these "
          "that applies. The others are exact formulas for simple shapes; cylinder, cone and capsule stand along y, a "
          "torus lies around y.")),
  KG_INPUT (Mass, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES,
            .handle = { KG_HANDLE_SIZE, .anchor = "position" }, .def_v = { 1, 1, 1 }, .group = N_ ("Simple shapes"),
            .help = N_ ("Width, height and depth of the box that the shape fills, when no geometry is linked.")),
  KG_INPUT (Mass, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES, .group = N_ ("Simple shapes"),
            .help = N_ ("Centre of that box.")),
  KG_INPUT (Mass, density, NUMBER, .label = N_ ("Density"), .def = 1000, .min = 0, .max = 1e12, .soft_max = 10000,
            .help = N_ ("Kilograms per cubic metre: water 1000, wood 700, steel 7850.")),
  KG_INPUT (Mass, total, NUMBER, .label = N_ ("Total mass"), .unit = KG_KILOGRAMS, .min = 0, .max = 1e30,
            .soft_max = 100, .help = N_ ("If above 0, the total mass; the density follows from it.")),
  KG_INPUT (Mass, thickness, NUMBER, .label = N_ ("Thickness"), .unit = KG_METRES, .def = 0.01, .min = 0, .max = 1e6,
            .soft_max = 0.1, .help = N_ ("Thickness of the sheets of a shell, and of round wires.")),
  KG_INPUT (Mass, turn, ROTATION, .label = N_ ("Rotate"), .group = N_ ("Tensor"),
            .help = N_ (
                "Rotates the object about its centre of mass. The inverse rotation gives the tensor in rotated axes.")),
  KG_INPUT (Mass, about, CHOICE, .label = N_ ("About"), .choices = mass_abouts, .group = N_ ("Tensor"),
            .help = N_ ("The point about which inertia is measured.")),
  KG_INPUT (Mass, point, VECTOR, .label = N_ ("Point"), .unit = KG_METRES, .group = N_ ("Tensor"),
            .shown_when = "about=point", .help = N_ ("Point about which inertia is measured.")),
  KG_OUTPUT (
      Mass, weighed, GEOMETRY, .label = N_ ("Geometry"),
      .help = N_ ("The geometry with attributes of the whole: mass, center and inertia (9 numbers, row by row).")),
  KG_OUTPUT (Mass, mass, NUMBER, .label = N_ ("Mass"), .unit = KG_KILOGRAMS, .help = N_ ("The whole mass.")),
  KG_OUTPUT (Mass, center, VECTOR, .label = N_ ("Centre of mass"), .unit = KG_METRES,
             .help = N_ ("A force through this point moves the object without rotating it.")),
  KG_OUTPUT (Mass, volume, NUMBER, .label = N_ ("Volume"),
             .help = N_ ("In cubic metres; 0 if the surface is not closed.")),
  KG_OUTPUT (Mass, area, NUMBER, .label = N_ ("Area"), .help = N_ ("Area of all polygons, in square metres.")),
  KG_OUTPUT (Mass, inertia, TRANSFORM, .label = N_ ("Inertia tensor"),
             .help = N_ ("The tensor in its first three rows and columns, in kg m².")),
  KG_OUTPUT (Mass, tensor, TABLE, .label = N_ ("Tensor as a table"),
             .help = N_ ("The same as three rows of three numbers.")),
  KG_OUTPUT (Mass, moments, VECTOR, .label = N_ ("Principal moments"), .help = N_ ("The smallest first, in kg m².")),
  KG_OUTPUT (Mass, axes, ROTATION, .label = N_ ("Principal axes"),
             .help = N_ ("Rotates x to the axis of the smallest moment, and z to that of the largest.")),
  KG_OUTPUT (Mass, gyration, VECTOR, .label = N_ ("Radii of gyration"), .unit = KG_METRES,
             .help = N_ ("Radius of a thin ring of the same mass and moment about each principal axis.")),
};

KG_NODE (
    geometry, mass, Mass, .label = N_ ("Mass"), .version = 1, .since = "0.1",
    .tags = N_ ("weight volume density centre center of gravity inertia tensor principal axes moment rigid body"),
    .formula = "M = ∫ dm, c = ∫ r dm / M\nI = ∫ (r² 1 − r rᵀ) dm\nabout d: I + M (d² 1 − d dᵀ)\nrotated: R I Rᵀ",
    .source =
        "Parent, Computer Animation, B.6; Tonon, Explicit exact formulas for the 3-D tetrahedron inertia tensor, 2004",
    .help = N_ (
        "Computes the mass, the centre of mass and the tensor of inertia of an object. Meshes count as solids or as sheets, lines as wires, points by their masses, and simple shapes have exact formulas."));
