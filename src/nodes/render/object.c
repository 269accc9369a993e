/* render/object: a geometry with a material, at a place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/variants.h"
#include "kg-node.h"
#include "kg-floats.h"

typedef struct {
  const KgGeometry *geometry;
  KgVector translate;
  KgVector rotate;
  KgVector scale;
  KgColor color;
  int shading;
  double ambient;
  double diffuse;
  double specular;
  double shininess;
  bool wireframe;
  KgColor wire_color;
  double width;
  int blend;
  const KgGeometry *instances;
  KgList variants;
  double instance_scale;
  bool orient;
  const KgField *shadow;
  double shadow_strength;
  KgScene *scene;
} Object;

static const KgChoice object_shadings[] = {
  [KG_SHADE_FLAT] = { "flat", N_ ("Flat: one shade per face") },
  [KG_SHADE_GOURAUD] = { "gouraud", N_ ("Gouraud: light interpolated between points") },
  [KG_SHADE_PHONG] = { "phong", N_ ("Phong: smooth, with round highlights") },
  [KG_SHADE_CONSTANT] = { "constant", N_ ("Constant: no lighting") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (object_shadings, KG_SHADE_CONSTANT + 1);

static const KgChoice object_blends[] = {
  [KG_BLEND_OVER] = { "over", N_ ("Over each other") },
  [KG_BLEND_ADD] = { "add", N_ ("Added, as light") },
  [KG_BLEND_SCREEN] = { "screen", N_ ("Screen: added up to white") },
  [KG_BLEND_MAX] = { "max", N_ ("Brightest") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (object_blends, KG_N_BLENDS);

/* Colours of primitives hide those of points: each is darkened by the mean of its corners. */
static void
object_shade_primitives (KgGeometry *shaded, const float *share)
{
  for (uint8_t size = 3; size <= 4; size++) {
    float *color;

    if (kg_geometry_get_float (shaded, KG_PRIMITIVES, "Cd", size) == NULL)
      continue;
    color = kg_geometry_edit_float (shaded, KG_PRIMITIVES, "Cd", size);
    for (size_t i = 0; i < kg_geometry_get_n_primitives (shaded); i++) {
      KgPrimitive primitive;
      double sum = 0;

      kg_geometry_get_primitive (shaded, i, &primitive);
      for (uint32_t k = 0; k < primitive.n_vertices; k++)
        sum += (double) share[primitive.vertices[k]];
      for (size_t c = 0; c < 3 && primitive.n_vertices > 0; c++)
        color[size * i + c] = (float) (sum / primitive.n_vertices * (double) color[size * i + c]);
    }
  }
}

/* (transfer full) The geometry, darkened where the field says that less light comes: its colour at each point, which the light
 * there multiplies. */
static KgGeometry *
object_shade (const Object *n, const KgGeometry *geometry, const KgTransform *place, double time)
{
  const size_t count = kg_geometry_get_n_points (geometry);
  const bool named = kg_geometry_get_float (geometry, KG_POINTS, "Cd", 4) != NULL,
             three = kg_geometry_get_float (geometry, KG_POINTS, "Cd", 3) != NULL;
  const float *p = kg_geometry_get_positions (geometry);
  g_autofree float *places = g_new (float, 3 * MAX (count, 1)), *light = g_new (float, MAX (count, 1));
  KgGeometry *shaded = kg_geometry_ref (geometry);
  const size_t size = three ? 3 : 4;
  float *color;

  for (size_t i = 0; i < count; i++) {
    const KgVector at = kg_transform_point (*place, kg_floats_get_vector (p, i));

    kg_floats_set_vector (places, i, at);
  }
  kg_field_sample_points (n->shadow, places, count, time, light);
  kg_geometry_make_writable (&shaded);
  color = kg_geometry_edit_float (shaded, KG_POINTS, "Cd", (uint8_t) size);
  for (size_t i = 0; i < count; i++) {
    const double share = 1 - n->shadow_strength * (1 - kg_clamp ((double) light[i], 0, 1));

    for (size_t c = 0; c < 3; c++)
      color[size * i + c] = (float) (share * (named || three ? (double) color[size * i + c] : 1));
    if (!named && !three)
      color[size * i + 3] = 1;
    light[i] = (float) share;
  }
  object_shade_primitives (shaded, light);
  return shaded;
}

static bool
object_evaluate (Object *n, const KgContext *ctx, GError **error)
{
  const KgTransform place = kg_transform_from_parts (n->translate, kg_rotation_from_angles (n->rotate), n->scale);
  const KgMaterial material = { .color = n->color,
                                .ambient = n->ambient,
                                .diffuse = n->diffuse,
                                .specular = n->specular,
                                .shininess = n->shininess,
                                .shading = (KgShading) n->shading,
                                .wireframe = n->wireframe,
                                .wire_color = n->wire_color,
                                .width = n->width,
                                .blend = (KgBlend) n->blend };

  const KgTransform world = kg_transform_identity ();
  g_autoptr (KgGeometry) geometry = kg_geometry_ref (n->geometry);
  g_autoptr (KgGeometry) on = n->instances != NULL ? kg_geometry_ref (n->instances) : NULL;
  KgInstances instances = { NULL, n->instance_scale, n->orient };

  if (n->shadow != NULL && kg_field_get_width (n->shadow) != 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the shadow is a field of vectors: link a field of numbers, such as Optical Depth");
    return false;
  }
  if (n->shadow != NULL && n->shadow_strength > 0) {
    KgGeometry **shaded = on != NULL ? &on : &geometry;
    KgGeometry *dark = object_shade (n, *shaded, on != NULL ? &world : &place, ctx->time);

    kg_geometry_unref (*shaded);
    *shaded = dark;
  }
  n->scene = kg_scene_new ();
  if (on != NULL && n->variants.n > 0) {
    const guint count = n->variants.n + 1;
    g_autofree uint32_t *which = g_new (uint32_t, kg_geometry_get_n_points (on) + 1);

    variants_choose (on, count, which);
    for (guint k = 0; k < count; k++) {
      g_autoptr (KgGeometry) some = variants_take (on, which, k);

      instances.points = some;
      kg_scene_add_instances (n->scene, k == 0 ? geometry : n->variants.items[k - 1].geometry, &place, &material,
                              &instances);
    }
    return true;
  }
  instances.points = on;
  kg_scene_add_instances (n->scene, geometry, &place, &material, &instances);
  return true;
}

static const KgSlot object_slots[] = {
  KG_INPUT (Object, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("Geometry of the object.")),
  KG_INPUT (Object, translate, VECTOR, .label = N_ ("Translate"), .unit = KG_METRES,
            .help = N_ ("Position of the object.")),
  KG_INPUT (Object, rotate, VECTOR, .label = N_ ("Rotate"), .unit = KG_DEGREES, .soft_min = -180, .soft_max = 180,
            .handle = { KG_HANDLE_TURN, .anchor = "translate" }, .help = N_ ("Rotation about x, then y, then z.")),
  KG_INPUT (Object, scale, VECTOR, .label = N_ ("Scale"), .def_v = { 1, 1, 1 },
            .handle = { KG_HANDLE_SCALE, .anchor = "rotate" }, .help = N_ ("Scale along x, y and z.")),
  KG_INPUT (Object, color, COLOR, .label = N_ ("Colour"), .def_v = { 0.6, 0.6, 0.6, 1 },
            .help = N_ ("Colour of the object, multiplied by the attribute Cd if the geometry has it.")),
  KG_INPUT (Object, shading, CHOICE, .label = N_ ("Shading"), .choices = object_shadings, .def = 2,
            .help = N_ ("How the surface is shaded.")),
  KG_INPUT (Object, ambient, NUMBER, .label = N_ ("Ambient"), .def = 1, .min = 0, .max = 100, .soft_max = 1,
            .help = N_ ("Fraction of the ambient light that the object reflects.")),
  KG_INPUT (Object, diffuse, NUMBER, .label = N_ ("Diffuse"), .def = 1, .min = 0, .max = 100, .soft_max = 1,
            .help = N_ ("Fraction of the light that the object scatters.")),
  KG_INPUT (Object, specular, NUMBER, .label = N_ ("Specular"), .def = 0.3, .min = 0, .max = 100, .soft_max = 1,
            .help = N_ ("Strength of the highlights.")),
  KG_INPUT (Object, shininess, NUMBER, .label = N_ ("Shininess"), .def = 32, .min = 0, .max = 10000, .soft_min = 1,
            .soft_max = 200, .help = N_ ("Larger values make smaller, sharper highlights.")),
  KG_INPUT (Object, wireframe, BOOLEAN, .label = N_ ("Wireframe"), .help = N_ ("Draws the edges over the object.")),
  KG_INPUT (Object, wire_color, COLOR, .label = N_ ("Wire colour"), .def_v = { 0, 0, 0, 1 },
            .help = N_ ("Colour of the edges.")),
  KG_INPUT (Object, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.02, .min = 0, .max = 1e6,
            .soft_max = 0.5, .help = N_ ("Width of lines and points without the attribute width.")),
  KG_INPUT (
      Object, blend, CHOICE, .label = N_ ("Blend"), .choices = object_blends,
      .help = N_ (
          "How the object is combined with what is behind it, and with itself. Fire, sparks and beams are light: it "
          "adds up in any order, is hidden by what is in front of it, and hides nothing. Points smaller than a pixel "
          "keep their light.")),
  KG_INPUT (
      Object, instances, GEOMETRY, .label = N_ ("Instances on"), .optional = true, .group = N_ ("Instances"),
      .help = N_ (
          "Draws the object on every point of this geometry, as Copy to Points would, but without copies in memory: a million leaves take the space of a million points. Their attribute Cd tints the instances.")),
  KG_INPUTS (Object, variants, GEOMETRY, .label = N_ ("Variants"), .optional = true, .group = N_ ("Instances"),
             .help = N_ ("Other geometries that are drawn on some of the points: those with 1, 2 ... in the "
                         "attribute variant. Points without this attribute get one of the geometries, chosen at "
                         "random.")),
  KG_INPUT (Object, instance_scale, NUMBER, .label = N_ ("Scale"), .def = 1, .soft_max = 4, .group = N_ ("Instances"),
            .help = N_ ("Size of the instances, multiplied by the attributes width and scale of the points.")),
  KG_INPUT (
      Object, orient, BOOLEAN, .label = N_ ("Orient"), .def = 1, .group = N_ ("Instances"),
      .help = N_ (
          "Rotates the instances by the attributes of the points: by orient, or else with z along N, or else with x along tangent.")),
  KG_INPUT (
      Object, shadow, FIELD, .label = N_ ("Field"), .optional = true, .group = N_ ("Shadow"),
      .help = N_ (
          "A field of numbers: the share of the light that reaches each position, such as that of Optical Depth. It "
          "darkens the colours of points, so that the ground needs enough points for the details of the shadow; "
          "instances are darkened as a whole.")),
  KG_INPUT (Object, shadow_strength, NUMBER, .label = N_ ("Strength"), .unit = KG_PERCENT, .def = 1, .min = 0, .max = 1,
            .group = N_ ("Shadow"),
            .help = N_ ("0: no shadow; below 100 %, some light remains in the deepest shadow.")),
  KG_OUTPUT (Object, scene, SCENE, .label = N_ ("Scene"), .help = N_ ("A scene with this object.")),
};

KG_NODE (render, object, Object, .label = N_ ("Object"), .version = 1, .since = "0.1", .role = KG_ROLE_SCENE_OBJECT,
         .tags = N_ ("material place surface shading color mesh"),
         .help = N_ ("Gives a geometry a position and a material, to be rendered by Render Scene."));
