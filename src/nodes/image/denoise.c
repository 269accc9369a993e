/* image/denoise: noise removed, edges kept.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/denoise.h"

#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  int method;
  double strength;
  double size;
  int64_t reach;
  int64_t patch;
} Denoise;

enum { METHOD_PATCHES, METHOD_BILATERAL, N_METHODS };

static const KgChoice denoise_methods[] = {
  [METHOD_PATCHES] = { "patches", N_ ("Non-local means: compares patches") },
  [METHOD_BILATERAL] = { "bilateral", N_ ("Bilateral: compares pixels") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (denoise_methods, N_METHODS);

#define MAX_REACH 64

static bool
denoise_evaluate (Denoise *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  const bool patches = n->method == METHOD_PATCHES;
  const DenoiseStyle style = { .reach = patches ? (int) n->reach : (int) fmin (ceil (2.5 * n->size), MAX_REACH),
                               .patch = patches ? (int) n->patch : 0,
                               .strength = n->strength,
                               .spread = patches ? 0 : n->size };
  g_autoptr (KgImage) before = kg_image_ref (n->image);
  float *to;

  (void) error;
  IMAGE_BEGIN (n);
  kg_image_make_writable (&n->result);
  to = kg_image_edit_pixels (n->result);
  return denoise_image (kg_image_get_pixels (before), kg_image_get_width (before), kg_image_get_height (before), &style,
                        to, &monitor) &&
         image_wear (before, &wear, &n->result, &monitor);
}

static double
denoise_reach (const void *job)
{
  const Denoise *n = (const Denoise *) job;

  return n->method == METHOD_PATCHES ? (double) (n->reach + n->patch) + 2 : fmin (ceil (2.5 * n->size), MAX_REACH) + 2;
}

static const KgSlot denoise_slots[] = {
  IMAGE_INPUT (Denoise, N_ ("The image to denoise.")),
  KG_INPUT (Denoise, method, CHOICE, .label = N_ ("Method"), .choices = denoise_methods,
            .help = N_ ("How pixels that belong together are found. Patches keep texture and take longer.")),
  KG_INPUT (Denoise, strength, NUMBER, .label = N_ ("Strength"), .def = 0.05, .max = 1e6, .soft_max = 0.5,
            .help = N_ ("Differences of brightness that count as noise; about the standard deviation of the noise.")),
  KG_INPUT (Denoise, size, NUMBER, .label = N_ ("Size"), .unit = KG_PIXELS, .def = 3, .max = 25, .soft_max = 10,
            .shown_when = "method=bilateral",
            .help = N_ ("Standard deviation of the distance over which pixels are averaged.")),
  KG_INPUT (
      Denoise, reach, INTEGER, .label = N_ ("Reach"), .unit = KG_PIXELS, .def = 5, .max = MAX_REACH, .soft_max = 10,
      .shown_when = "method=patches",
      .help =
          N_ ("Distance up to which similar patches are searched for. Beyond 16 pixels only a sample of the patches is "
              "compared, so that the time does not grow any further.")),
  KG_INPUT (Denoise, patch, INTEGER, .label = N_ ("Patch"), .unit = KG_PIXELS, .def = 2, .max = 32, .soft_max = 5,
            .shown_when = "method=patches",
            .help = N_ ("Half the side of the patches. A larger size takes no longer.")),
  IMAGE_WEAR (Denoise, N_ ("The denoised image.")),
};

KG_NODE (
    image, denoise, Denoise, .label = N_ ("Denoise"), .version = 1, .since = "0.1", .reach = denoise_reach,
    .tags = N_ ("denoise noise reduction bilateral non-local means nlm smooth grain remove surface blur"),
    .source =
        "Tomasi and Manduchi 1998; Buades, Coll and Morel 2005; Darbon and others 2008; Chan, Zickler and Lu 2014",
    .help = N_ ("Removes noise and keeps edges: each pixel becomes a mean of those around it that look alike, alone "
                "(bilateral) or with the patch around them (non-local means)."));
