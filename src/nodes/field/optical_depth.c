/* field/optical_depth: the light that a cloud of particles or a density lets through.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "field/light_depth.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *points;
  const KgField *density;
  int light;
  KgVector direction;
  KgVector position;
  double strength;
  double width;
  KgVector centre;
  KgVector size;
  double cell;
  int gives;
  KgField *field;
} OpticalDepth;

enum { LIGHT_PARALLEL, LIGHT_LAMP, N_LIGHTS };
enum { GIVES_LIGHT, GIVES_DEPTH, N_GIVES };

static const KgChoice optical_depth_lights[] = {
  [LIGHT_PARALLEL] = { "parallel", N_ ("From far away, like the sun") },
  [LIGHT_LAMP] = { "lamp", N_ ("From one place, like a lamp") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (optical_depth_lights, N_LIGHTS);

static const KgChoice optical_depth_gives[] = {
  [GIVES_LIGHT] = { "light", N_ ("Share of the light that passes") },
  [GIVES_DEPTH] = { "depth", N_ ("Optical depth") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (optical_depth_gives, N_GIVES);

static bool
optical_depth_evaluate (OpticalDepth *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const bool lamp = n->light == LIGHT_LAMP;
  size_t n_unseen = 0;
  const LightDepth settings = { .points = n->points,
                                .width = n->width,
                                .density = n->density,
                                .time = ctx->time,
                                .strength = n->strength,
                                .lamp = lamp,
                                .light = lamp ? n->position : n->direction,
                                .centre = n->centre,
                                .size = n->size,
                                .cell = n->cell,
                                .depth = n->gives == GIVES_DEPTH,
                                .n_unseen = &n_unseen };

  if (n->density != NULL && kg_field_get_width (n->density) != 1) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "the density is a field of vectors: link a field of numbers");
    return false;
  }
  n->field = light_depth_new (&settings, &monitor, error);
  if (n->field != NULL && n_unseen > 0)
    kg_context_warn (
        ctx,
        "%zu of %zu points lie behind the lamp at (%g, %g, %g) and stop no light: move the lamp out of the "
        "cloud, or give the box of the part that it shines on",
        n_unseen, kg_geometry_get_n_points (n->points), n->position.x, n->position.y, n->position.z);
  return n->field != NULL;
}

static const KgSlot optical_depth_slots[] = {
  KG_INPUT (OpticalDepth, points, GEOMETRY, .label = N_ ("Points"), .optional = true,
            .help = N_ ("Points that stop light, such as particles: each according to its width and the opacity of "
                        "its colour.")),
  KG_INPUT (
      OpticalDepth, density, FIELD, .label = N_ ("Density"), .optional = true,
      .help = N_ (
          "A field of numbers that stops light as well, per metre, such as a noise or Near: light falls to 37 % where "
          "density times distance is 1.")),
  KG_INPUT (OpticalDepth, light, CHOICE, .label = N_ ("Light"), .choices = optical_depth_lights,
            .help = N_ ("Where the light comes from.")),
  KG_INPUT (OpticalDepth, direction, VECTOR, .label = N_ ("Direction"), .def_v = { 0.4, -1, 0.2 },
            .shown_when = "light=parallel", .help = N_ ("The direction in which the light shines.")),
  KG_INPUT (OpticalDepth, position, VECTOR, .label = N_ ("Position"), .unit = KG_METRES, .def_v = { 3, 5, 3 },
            .shown_when = "light=lamp", .handle = { KG_HANDLE_PLACE },
            .help = N_ ("The place of the lamp, outside of the cloud.")),
  KG_INPUT (OpticalDepth, strength, NUMBER, .label = N_ ("Strength"), .def = 1, .min = 0, .max = 1e6, .soft_max = 10,
            .help = N_ ("Multiplies the cross-sections of points, and the density: above 1 for few points that stand "
                        "for many.")),
  KG_INPUT (OpticalDepth, width, NUMBER, .label = N_ ("Width"), .unit = KG_METRES, .def = 0.05, .min = 0, .max = 1e6,
            .soft_max = 1, .help = N_ ("Diameter of points without the attribute width.")),
  KG_INPUT (OpticalDepth, centre, VECTOR, .label = N_ ("Centre"), .unit = KG_METRES, .group = N_ ("Box"),
            .help = N_ ("Centre of the box that holds the cloud.")),
  KG_INPUT (OpticalDepth, size, VECTOR, .label = N_ ("Size"), .unit = KG_METRES, .group = N_ ("Box"),
            .handle = { KG_HANDLE_SIZE, .anchor = "centre" },
            .help = N_ ("Size of that box. Where it is 0, the box is that of the points; a density needs one.")),
  KG_INPUT (OpticalDepth, cell, NUMBER, .label = N_ ("Cell"), .unit = KG_METRES, .def = 0.1, .min = 1e-6, .max = 1e6,
            .soft_min = 0.01, .soft_max = 1, .group = N_ ("Box"),
            .help = N_ ("Side of the cells in which light is counted: smaller ones make sharper shadows. Cells smaller "
                        "than the gaps between points show the points.")),
  KG_INPUT (OpticalDepth, gives, CHOICE, .label = N_ ("Gives"), .choices = optical_depth_gives,
            .help = N_ ("What the field gives at a position.")),
  KG_OUTPUT (OpticalDepth, field, FIELD, .label = N_ ("Field"),
             .help = N_ ("A number at each place: the share of the light that reaches it, or the optical depth.")),
};

KG_NODE (
    field, optical_depth, OpticalDepth, .label = N_ ("Optical Depth"), .version = 1, .since = "0.1",
    .tags = N_ ("shadow particles smoke dust cloud density light transmittance absorption self-shadow"),
    .formula = "T = e^-τ, τ = ∫ ρ ds, ρ = Σ κ α π w²/4 / V",
    .source = "Reeves and Blau 1985; Kajiya and Von Herzen 1984, section 4",
    .help = N_ (
        "Computes how much light passes through a cloud of particles, or through a density, to each position: in the "
        "cloud, behind it and on the ground. Link it to the shadow of Object, for the particles and for what their "
        "shadow falls on."));
