/* field/image: an image, extruded through space.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/image_field.h"
#include "kg-node.h"

typedef struct {
  const KgImage *image;
  int axis;
  KgVector centre;
  KgVector size;
  double feather;
  const KgField *outside;
  KgColor color;
  KgField *field;
  KgField *inside;
} ImageField;

static const KgChoice image_axes[] = {
  [IMAGE_FIELD_X] = { "x", N_ ("x") },
  [IMAGE_FIELD_Y] = { "y", N_ ("y") },
  [IMAGE_FIELD_Z] = { "z", N_ ("z") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (image_axes, IMAGE_FIELD_N_AXES);

static bool
image_evaluate (ImageField *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageFieldBox box = { .low = kg_vector_add_scaled (n->centre, -0.5, n->size),
                              .high = kg_vector_add_scaled (n->centre, 0.5, n->size),
                              .axis = (ImageFieldAxis) n->axis,
                              .feather = n->feather };

  if (!(box.low.x < box.high.x && box.low.y < box.high.y && box.low.z < box.high.z)) {
    kg_set_error (error, KG_ERROR_DEGENERATE,
                  "a box of %g × %g × %g m at (%g, %g, %g) has no inside: enlarge it, or move it closer to the origin",
                  n->size.x, n->size.y, n->size.z, n->centre.x, n->centre.y, n->centre.z);
    return false;
  }
  n->field =
      image_field_new (n->image, &box, n->outside, kg_vector (n->color.r, n->color.g, n->color.b), &monitor, error);
  n->inside = n->field != NULL ? image_field_new_weight (&box, error) : NULL;
  return n->inside != NULL;
}

static const KgSlot image_slots[] = {
  KG_INPUT (ImageField, image, IMAGE, .label = N_ ("Image"),
            .help = N_ ("The image, stretched over the whole box. Where it is transparent, the colour is that of "
                        "Elsewhere.")),
  KG_INPUT (ImageField, axis, CHOICE, .label = N_ ("Axis"), .choices = image_axes, .def = IMAGE_FIELD_Z,
            .help = N_ ("Axis along which all colours are the same. The image is upright if seen from the side of "
                        "negative x, from above, or from the side of positive z.")),
  KG_INPUT (ImageField, centre, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .group = N_ ("Box"),
            .help = N_ ("Centre of the box that the image fills.")),
  KG_INPUT (ImageField, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES, .def_v = { 2, 2, 2 }, .min = 1e-6,
            .max = 1e6, .soft_max = 10, .handle = { KG_HANDLE_SIZE, .anchor = "centre" }, .group = N_ ("Box"),
            .help = N_ ("Size of the box.")),
  KG_INPUT (ImageField, feather, NUMBER, .label = N_ ("Feather"), .unit = KG_METRES, .min = 0, .max = 1e6,
            .soft_max = 1, .group = N_ ("Box"),
            .help = N_ ("Distance from the faces of the box, inside it, over which the image fades.")),
  KG_INPUT (
      ImageField, outside, FIELD, .label = N_ ("Elsewhere"), .optional = true,
      .help =
          N_ ("Colours outside of the box, used instead of the colour: those of the object itself, or another image.")),
  KG_INPUT (ImageField, color, COLOR, .label = N_ ("Colour"), .def_v = { 1, 1, 1, 1 },
            .help = N_ ("Colour outside of the box.")),
  KG_OUTPUT (ImageField, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("Colours: for Attribute, with the name Cd, or for the colour of Polygonise.")),
  KG_OUTPUT (ImageField, inside, FIELD, .label = N_ ("Inside"),
             .help = N_ ("1 in the box, 0 outside, and between them where the image fades.")),
};

KG_NODE (
    field, image, ImageField, .label = N_ ("Image Field"), .version = 1, .since = "0.1",
    .tags = N_ ("texture solid picture projection extrude decal colour space"),
    .formula =
        "x: u = (z − z₀)/d, v = (y − y₀)/h;  y: u = (x − x₀)/w, v = (z₁ − z)/d;  z: u = (x − x₀)/w, v = (y − y₀)/h",
    .source = "Wyvill 1988; Perlin 1985; Peachey 1985",
    .help = N_ (
        "Extrudes an image through space: a mesh that samples the field looks as if it were cut out of a block with the image running through it. Objects that move through a box at rest change their colours; sampled at positions at rest, the image sticks to them."));
