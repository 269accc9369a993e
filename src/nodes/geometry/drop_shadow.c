/* geometry/drop_shadow: the shadow of a geometry on a plane.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/planar_shadow.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  int kind;
  KgVector light;
  KgVector direction;
  KgVector ground;
  KgVector normal;
  double lift;
  int sides;
  KgColor color;
  double softness;
  double grow;
  double blur;
  double fade;
  KgGeometry *shadow;
} DropShadowGeometry;

enum { DROP_SHADOW_DISC = SHADOW_N_LIGHTS, DROP_SHADOW_N_KINDS };

static const KgChoice drop_shadow_kinds[] = {
  [SHADOW_POINT] = { "point", N_ ("Of a light at a point") },
  [SHADOW_PARALLEL] = { "parallel", N_ ("Of parallel light") },
  [SHADOW_FLATTEN] = { "flatten", N_ ("Flattened, straight down") },
  [DROP_SHADOW_DISC] = { "disc", N_ ("A soft disc below") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (drop_shadow_kinds, DROP_SHADOW_N_KINDS);

static const KgChoice drop_shadow_sides[] = {
  [SHADOW_LIT] = { "lit", N_ ("Lit sides") },
  [SHADOW_ALL] = { "all", N_ ("All sides") },
  [SHADOW_OUTLINE] = { "outline", N_ ("Outline: one convex polygon") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (drop_shadow_sides, SHADOW_N_SIDES);

static bool
drop_shadow_evaluate (DropShadowGeometry *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const bool disc = n->kind == DROP_SHADOW_DISC;
  const PlanarShadow shadow = { .point = n->ground,
                                .normal = kg_vector_normalize_or (n->normal, kg_vector (0, 0, 0)),
                                .kind = disc ? SHADOW_FLATTEN : (ShadowLight) n->kind,
                                .light = n->kind == SHADOW_PARALLEL ? n->direction : n->light,
                                .lift = n->lift,
                                .sides = (ShadowSides) n->sides };
  const ShadowDisc look = { .grow = n->grow, .soft = n->softness, .blur = n->blur, .fade = n->fade };
  const double *color = &n->color.r;
  size_t count;
  float *rgba;

  if (kg_vector_length (shadow.normal) == 0) {
    kg_set_error (error, KG_ERROR_DEGENERATE, "a ground without a normal: set it, for example to 0, 1, 0");
    return false;
  }
  if (disc) {
    n->shadow = planar_shadow_make_disc (&shadow, &look, n->color, n->geometry, error);
    return n->shadow != NULL;
  }
  n->shadow = planar_shadow_make (&shadow, n->geometry, &monitor, error);
  if (n->shadow == NULL)
    return false;
  count = kg_geometry_get_n_points (n->shadow);
  rgba = kg_geometry_edit_float (n->shadow, KG_POINTS, "Cd", 4);
  for (size_t i = 0; i < 4 * count; i++)
    rgba[i] = (float) color[i % 4];
  return true;
}

static const KgSlot drop_shadow_slots[] = {
  KG_INPUT (DropShadowGeometry, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("What casts the shadow.")),
  KG_INPUT (DropShadowGeometry, kind, CHOICE, .label = N_ ("Kind"), .choices = drop_shadow_kinds, .def = SHADOW_POINT,
            .help = N_ ("How the shadow is made.")),
  KG_INPUT (DropShadowGeometry, light, VECTOR, .label = N_ ("Light"), .unit = KG_METRES, .def_v = { 2, 4, 2 },
            .shown_when = "kind=point",
            .help = N_ ("Position of the light. What is not below it casts no shadow; polygons are clipped there.")),
  KG_INPUT (DropShadowGeometry, direction, VECTOR, .label = N_ ("Direction"), .def_v = { -1, -2, -1 },
            .shown_when = "kind=parallel", .help = N_ ("Direction in which the light shines, down on the ground.")),
  KG_INPUT (DropShadowGeometry, ground, VECTOR, .label = N_ ("Ground"), .unit = KG_METRES,
            .help = N_ ("A point of the plane that receives the shadow.")),
  KG_INPUT (DropShadowGeometry, normal, VECTOR, .label = N_ ("Normal"), .def_v = { 0, 1, 0 },
            .help = N_ ("Direction in which that plane faces.")),
  KG_INPUT (
      DropShadowGeometry, lift, NUMBER, .label = N_ ("Height"), .unit = KG_METRES, .def = 0.002, .min = -1e6,
      .max = 1e6, .soft_min = 0, .soft_max = 0.05,
      .help = N_ ("Height of the shadow above the plane: large enough not to mix with it, too small to be seen.")),
  KG_INPUT (
      DropShadowGeometry, sides, CHOICE, .label = N_ ("Sides"), .choices = drop_shadow_sides,
      .shown_when = "kind=point|parallel|flatten",
      .help =
          N_ ("Which polygons have a shadow. The lit sides cover the shadow of a closed convex body once; its outline "
              "has no seams where the shadow is transparent.")),
  KG_INPUT (DropShadowGeometry, color, COLOR, .label = N_ ("Colour"), .def_v = { 0, 0, 0, 0.5 },
            .help = N_ ("Colour of the shadow. Its alpha is its darkness: at 1 it hides the ground completely.")),
  KG_INPUT (DropShadowGeometry, softness, NUMBER, .label = N_ ("Softness"), .unit = KG_PERCENT, .def = 0.4, .max = 1,
            .shown_when = "kind=disc",
            .help = N_ ("Share of the disc's radius over which it fades while the body is on the ground.")),
  KG_INPUT (DropShadowGeometry, grow, NUMBER, .label = N_ ("Grow by Height"), .max = 1e6, .def = 0.2, .soft_max = 2,
            .shown_when = "kind=disc", .help = N_ ("How much wider the disc is for each metre below the body.")),
  KG_INPUT (DropShadowGeometry, blur, NUMBER, .label = N_ ("Soften by Height"), .max = 1e6, .def = 0.3, .soft_max = 2,
            .shown_when = "kind=disc", .help = N_ ("How much softer it is for each metre.")),
  KG_INPUT (DropShadowGeometry, fade, NUMBER, .label = N_ ("Fade by Height"), .max = 1e6, .def = 0.8, .soft_max = 5,
            .shown_when = "kind=disc", .help = N_ ("How much lighter it is for each metre.")),
  KG_OUTPUT (DropShadowGeometry, shadow, GEOMETRY, .label = N_ ("Shadow"),
             .help = N_ ("The shadow in the plane, with its colour and opacity as Cd.")),
};

KG_NODE (
    geometry, drop_shadow, DropShadowGeometry, .label = N_ ("Drop Shadow"), .version = 1, .since = "0.1",
    .tags = N_ ("ground contact blob fake planar projected flatten light"),
    .formula = "P' = L + (n·L + d)/(n·L − n·P)·(P − L)\ndisc: opacity·(1 − smoothstep (1 − softness, 1, r/radius))",
    .source = "J. Blinn, Me and My (Fake) Shadow, IEEE Computer Graphics and Applications, January 1988",
    .help = N_ (
        "Makes the shadow of a body on a plane as geometry: projected from a light, flattened, or as a soft disc that shows by its size and softness how high the body is."));
