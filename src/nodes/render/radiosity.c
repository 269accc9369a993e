/* render/radiosity: light between surfaces, as colours of their points.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "render/radiosity.h"
#include "kg-node.h"

typedef struct {
  const KgGeometry *geometry;
  double patch_size;
  int64_t elements;
  int sides;
  double reflectance;
  KgColor background;
  int factors;
  int64_t rays;
  int64_t hemicube;
  int64_t seed;
  double tolerance;
  int surfaces;
  int64_t bins;
  int lobe;
  double gloss;
  double shine;
  double index;
  KgVector eye;
  KgGeometry *lit;
  int64_t patches;
} RadiosityNode;

static const KgChoice radiosity_sides[] = {
  [RADIOSITY_FRONT] = { "front", N_ ("Front only") },
  [RADIOSITY_BOTH] = { "both", N_ ("Both") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (radiosity_sides, RADIOSITY_N_SIDES);

static const KgChoice radiosity_factors[] = {
  [RADIOSITY_RAYS] = { "rays", N_ ("Rays") },
  [RADIOSITY_HEMICUBE] = { "hemicube", N_ ("Hemicube") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (radiosity_factors, RADIOSITY_N_FACTORS);

static const KgChoice radiosity_surfaces[] = {
  [RADIOSITY_DIFFUSE] = { "diffuse", N_ ("Diffuse") },
  [RADIOSITY_DIRECTIONAL] = { "directional", N_ ("Directional: shiny surfaces") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (radiosity_surfaces, RADIOSITY_N_SURFACES);

static const KgChoice radiosity_lobes[] = {
  [RADIOSITY_PHONG] = { "phong", N_ ("Phong") },
  [RADIOSITY_COOK_TORRANCE] = { "cook_torrance", N_ ("Cook and Torrance") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (radiosity_lobes, RADIOSITY_N_LOBES);

static bool
radiosity_check_even (int64_t n, const char *what, GError **error)
{
  if (n % 2 == 0)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s is %d, but a hemicube needs an even number: use %d", what, (int) n,
                (int) n + 1);
  return false;
}

static bool
radiosity_is_dark (const Radiosity *radiosity)
{
  for (size_t i = 0; i < radiosity->n_elements; i++)
    for (int c = 0; c < 3; c++)
      if (radiosity->elements[i].shown[c] > 0)
        return false;
  return true;
}

static void
radiosity_warn (const Radiosity *radiosity, const RadiosityRule *rule, const KgContext *ctx)
{
  if (radiosity_is_dark (radiosity)) {
    if (rule->background[0] > 0 || rule->background[1] > 0 || rule->background[2] > 0)
      kg_context_warn (ctx,
                       "no face scatters light of the background: open the scene towards it, turn the faces' fronts "
                       "to it, or set the attribute emission of some faces");
    else
      kg_context_warn (ctx, "there is no light: set the attribute emission of some faces, or a background");
  }
  for (int i = 0; radiosity->twice[i] != NULL; i++)
    kg_context_warn (ctx,
                     "both primitives and points have the attribute %s: only that of primitives counts; remove one of "
                     "them",
                     radiosity->twice[i]);
  if (radiosity->shine > RADIOSITY_MOST_SHINE)
    kg_context_warn (ctx, "the attribute shine is up to %g, more than %d: %d is used", radiosity->shine,
                     RADIOSITY_MOST_SHINE, RADIOSITY_MOST_SHINE);
  if (radiosity->n_near > 0)
    kg_context_warn_plural (
        ctx, radiosity->n_near,
        "%zu pair of patches is nearer to each other than their size, as in every corner: its form factors come from rays",
        "%zu pairs of patches are nearer to each other than their size, as in every corner: their form factors come from rays",
        radiosity->n_near);
}

static bool
radiosity_evaluate (RadiosityNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const RadiosityRule rule = { .patch_size = n->patch_size,
                               .elements = (uint32_t) n->elements,
                               .sides = (RadiositySides) n->sides,
                               .reflectance = n->reflectance,
                               .background = { n->background.r, n->background.g, n->background.b },
                               .factors = (RadiosityFactors) n->factors,
                               .rays = (uint32_t) n->rays,
                               .hemicube = (uint32_t) n->hemicube,
                               .seed = (uint64_t) n->seed,
                               .tolerance = n->tolerance,
                               .surfaces = (RadiositySurfaces) n->surfaces,
                               .bins = (uint32_t) n->bins,
                               .lobe = (RadiosityLobe) n->lobe,
                               .gloss = n->gloss,
                               .shine = n->shine,
                               .index = n->index,
                               .eye = n->eye };
  g_autoptr (Radiosity) radiosity = NULL;

  if ((rule.factors == RADIOSITY_HEMICUBE && rule.surfaces == RADIOSITY_DIFFUSE &&
       !radiosity_check_even (n->hemicube, "hemicube", error)) ||
      (rule.surfaces == RADIOSITY_DIRECTIONAL && !radiosity_check_even (n->bins, "bins", error)))
    return false;
  radiosity = radiosity_new (n->geometry, &rule, &monitor, error);
  if (radiosity == NULL)
    return false;
  radiosity_warn (radiosity, &rule, ctx);
  n->lit = kg_geometry_ref (radiosity->lit);
  n->patches = (int64_t) radiosity->n_patches;
  return true;
}

static const KgSlot radiosity_slots[] = {
  KG_INPUT (
      RadiosityNode, geometry, GEOMETRY, .label = N_ ("Geometry"),
      .help = N_ (
          "All surfaces of the scene, merged. Their attributes say what they are made of: Cd the colour, "
          "emission the light that they send out (a number or a colour), mirror the share of the light "
          "that they reflect as an ideal mirror. Negative values count as 0. Where both primitives and points have one of them, that of primitives counts for all faces. Lines are left out.")),
  KG_INPUT (RadiosityNode, patch_size, NUMBER, .label = N_ ("Patch size"), .unit = KG_METRES, .def = 0.25, .min = 1e-4,
            .max = 1e6, .soft_min = 0.05, .soft_max = 1, .draft = true,
            .help = N_ ("Largest length of a side of the patches that the faces are divided into.")),
  KG_INPUT (RadiosityNode, elements, INTEGER, .label = N_ ("Elements"), .def = 1, .min = 1, .max = 8,
            .help = N_ ("Number of parts of a patch along each side. Patches send light and elements receive it: "
                        "shadows get sharper at a lower cost than by smaller patches.")),
  KG_INPUT (RadiosityNode, sides, CHOICE, .label = N_ ("Sides"), .choices = radiosity_sides,
            .help = N_ ("Sides of the faces that scatter light. The front is the side from which the corners are "
                        "counter-clockwise; if only the front does, the back is black.")),
  KG_INPUT (RadiosityNode, reflectance, NUMBER, .label = N_ ("Reflectance"), .def = 0.8, .min = 0, .max = 1,
            .help = N_ ("Share of the light that white surfaces scatter. The colour Cd multiplies it. Together with "
                        "mirror, no surface may reflect more than 0.9999.")),
  KG_INPUT (RadiosityNode, background, COLOR, .label = N_ ("Background"), .def_v = { 0, 0, 0, 1 },
            .help = N_ ("Light that comes from outside, where the scene is open.")),
  KG_INPUT (RadiosityNode, factors, CHOICE, .label = N_ ("Form factors"), .choices = radiosity_factors,
            .shown_when = "surfaces=diffuse",
            .help = N_ ("How the light that goes from patch to patch is measured. A hemicube has errors that are the "
                        "same for neighbours and so are hard to see; those of rays look like noise.")),
  KG_INPUT (RadiosityNode, rays, INTEGER, .label = N_ ("Rays"), .def = 256, .min = 1, .max = 65536, .soft_min = 16,
            .soft_max = 4096,
            .help = N_ ("Number of rays of each element. Directional surfaces have one for each direction at least; "
                        "with hemicubes, they measure what is near.")),
  KG_INPUT (RadiosityNode, hemicube, INTEGER, .label = N_ ("Hemicube"), .unit = KG_UNIT_NONE, .def = 64, .min = 8,
            .max = 512, .soft_max = 128, .shown_when = "factors=hemicube",
            .help = N_ ("Number of pixels along each side of the hemicube; even.")),
  KG_INPUT (RadiosityNode, seed, INTEGER, .label = N_ ("Seed"), .def = 1, .min = 0, .max = 1e9, .soft_max = 100,
            .help = N_ ("Each number gives a different noise.")),
  KG_INPUT (RadiosityNode, tolerance, NUMBER, .label = N_ ("Tolerance"), .def = 1e-3, .min = 1e-9, .max = 1,
            .soft_max = 0.1, .help = N_ ("Share of the light at which what is still on its way is left there.")),
  KG_INPUT (RadiosityNode, surfaces, CHOICE, .label = N_ ("Surfaces"), .choices = radiosity_surfaces,
            .help = N_ ("Whether surfaces look the same from everywhere.")),
  KG_INPUT (RadiosityNode, bins, INTEGER, .label = N_ ("Directions"), .def = 8, .min = 2, .max = 32, .soft_max = 16,
            .shown_when = "surfaces=directional", .group = N_ ("Directions"),
            .help = N_ ("Number of directions along each side of a hemicube around a patch; even.")),
  KG_INPUT (RadiosityNode, lobe, CHOICE, .label = N_ ("Reflection"), .choices = radiosity_lobes,
            .shown_when = "surfaces=directional", .group = N_ ("Directions"),
            .help = N_ ("How light is spread around the mirrored direction.")),
  KG_INPUT (RadiosityNode, gloss, NUMBER, .label = N_ ("Gloss"), .unit = KG_PERCENT, .def = 0.5, .min = 0, .max = 1,
            .shown_when = "surfaces=directional", .group = N_ ("Directions"),
            .help = N_ ("Share of the reflected light that goes around the mirrored direction; the rest is diffuse.")),
  KG_INPUT (
      RadiosityNode, shine, NUMBER, .label = N_ ("Shininess"), .def = 10, .min = 0, .max = RADIOSITY_MOST_SHINE,
      .soft_max = 50, .shown_when = "surfaces=directional", .group = N_ ("Directions"),
      .help = N_ ("Larger values reflect more like a mirror. Faces with the attribute shine have their own, up to "
                  "1000; 0 is diffuse.")),
  KG_INPUT (RadiosityNode, index, NUMBER, .label = N_ ("Index of refraction"), .def = 1.5, .min = 1.01, .max = 10,
            .soft_max = 3, .shown_when = "lobe=cook_torrance", .group = N_ ("Directions"),
            .help = N_ ("Of the material: 1.5 is glass or plastic.")),
  KG_INPUT (RadiosityNode, eye, VECTOR, .label = N_ ("Seen from"), .unit = KG_METRES, .def_v = { 0, 0, 5 },
            .shown_when = "surfaces=directional", .group = N_ ("Directions"), .help = N_ ("Position of the camera.")),
  KG_OUTPUT (
      RadiosityNode, lit, GEOMETRY, .label = N_ ("Geometry"),
      .help = N_ (
          "The elements as faces, with their light as the colour Cd of the points. Render it as an Object with the "
          "colour white and constant shading, without lights. Primitives keep their attributes. A mirror has the mean of the light that it reflects, or, if surfaces are directional, what is seen in it.")),
  KG_OUTPUT (RadiosityNode, patches, INTEGER, .label = N_ ("Patches"), .help = N_ ("Number of patches.")),
};

KG_NODE (
    render, radiosity, RadiosityNode, .label = N_ ("Radiosity"), .version = 1, .since = "0.1",
    .tags =
        N_ ("global illumination indirect light bounce color bleeding soft shadow interior room hemicube form factor"),
    .formula = "Bᵢ = Eᵢ + ρᵢ Σⱼ Fᵢⱼ Bⱼ\n"
               "Fᵢⱼ = (1/Aᵢ) ∫∫ cos θᵢ cos θⱼ V / (π r²) dAⱼ dAᵢ",
    .source =
        "Goral, Torrance, Greenberg and Battaile, Modeling the interaction of light between diffuse surfaces, 1984; "
        "Cohen and Greenberg, The hemi-cube, 1985; "
        "Immel, Cohen and Greenberg, A radiosity method for non-diffuse environments, 1986; "
        "Cohen, Chen, Wallace and Greenberg, A progressive refinement approach, 1988",
    .help = N_ (
        "Lights a scene by the light that its surfaces send to each other, until all of it is in balance: shadows are soft, and a red wall tints the floor beside it. Faces with the attribute emission are the lamps. The result belongs to the surfaces, not to a view: a camera may move through it without a new computation, unless surfaces shine.\n\nWhere light is uneven, use smaller patches or more elements; where it is noisy, more rays or hemicubes."));
