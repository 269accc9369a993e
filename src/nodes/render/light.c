/* render/light: what a scene is lit by.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  int kind;
  KgVector position;
  KgVector target;
  KgColor color;
  double intensity;
  int falloff;
  double distance;
  KgScene *scene;
} Light;

static const KgChoice light_kinds[] = {
  [KG_LIGHT_AMBIENT] = { "ambient", N_ ("Ambient: from all around") },
  [KG_LIGHT_DIRECTIONAL] = { "directional", N_ ("Directional: from far away, like the sun") },
  [KG_LIGHT_POINT] = { "point", N_ ("Point: from one place, like a lamp") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (light_kinds, KG_LIGHT_POINT + 1);

static const KgChoice light_falloffs[] = {
  [KG_FALLOFF_NONE] = { "none", N_ ("None: equally bright everywhere") },
  [KG_FALLOFF_LINEAR] = { "linear", N_ ("Linear: half as bright at twice the distance") },
  [KG_FALLOFF_INVERSE_SQUARE] = { "inverse_square", N_ ("Inverse square: a quarter as bright, like real lamps") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (light_falloffs, KG_FALLOFF_INVERSE_SQUARE + 1);

static bool
light_evaluate (Light *n, const KgContext *ctx, GError **error)
{
  const KgLight light = { .kind = (KgLightKind) n->kind,
                          .position = n->position,
                          .direction = kg_vector_normalize_or (kg_vector_subtract (n->target, n->position),
                                                               kg_vector (0, -1, 0)),
                          .color = n->color,
                          .intensity = n->intensity,
                          .falloff = (KgFalloff) n->falloff,
                          .distance = n->distance };

  (void) ctx;
  (void) error;
  n->scene = kg_scene_new ();
  kg_scene_add_light (n->scene, &light);
  return true;
}

static const KgSlot light_slots[] = {
  KG_INPUT (Light, kind, CHOICE, .label = N_ ("Kind"), .choices = light_kinds, .def = 1,
            .help = N_ ("Where the light comes from.")),
  KG_INPUT (Light, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES, .def_v = { 3, 5, 4 },
            .help = N_ ("Position of a point light; a directional light shines from here towards the target.")),
  KG_INPUT (Light, target, VECTOR, .label = N_ ("Target"), .unit = KG_METRES,
            .help = N_ ("Point towards which a directional light shines.")),
  KG_INPUT (Light, color, COLOR, .label = N_ ("Colour"), .def_v = { 1, 1, 1, 1 }, .help = N_ ("Colour of the light.")),
  KG_INPUT (Light, intensity, NUMBER, .label = N_ ("Intensity"), .def = 1, .min = 0, .max = 1e6, .soft_max = 4,
            .help = N_ ("Brightness of the light.")),
  KG_INPUT (Light, falloff, CHOICE, .label = N_ ("Falloff"), .choices = light_falloffs,
            .help = N_ ("How a point light gets weaker with distance; other kinds do not.")),
  KG_INPUT (Light, distance, NUMBER, .label = N_ ("Distance"), .unit = KG_METRES, .def = 1, .min = 1e-3, .max = 1e6,
            .soft_max = 20,
            .help = N_ ("Distance from a point light at which it has this intensity, if it has a falloff.")),
  KG_OUTPUT (Light, scene, SCENE, .label = N_ ("Scene"), .help = N_ ("A scene with this light.")),
};

KG_NODE (render, light, Light, .label = N_ ("Light"), .version = 2, .since = "0.1",
         .tags = N_ ("lamp sun illumination ambient point"),
         .help = N_ ("Adds a light to a scene: from all around, from one direction, or from a point."));
