/* image/drop_shadow: the shadow of an image on what is close behind it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/matte_tools.h"
#include "image/merge.h"

#include "image/blur.h"
#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  KgVector offset;
  double softness;
  double spread;
  KgColor color;
  bool only_shadow;
} DropShadow;

static bool
drop_shadow_evaluate (DropShadow *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const ImageWear wear = IMAGE_WEAR_OF (n, false);
  KgColor color = n->color;
  const Merge merge = { .op = n->only_shadow ? MERGE_COPY : MERGE_UNDER, .opacity = 1 };
  g_autoptr (KgImage) shadow = NULL;
  ImageSource source;

  IMAGE_BEGIN (n);
  color.a = kg_clamp (color.a, 0, 1);
  shadow = matte_make_shadow (n->result, n->offset.x, -n->offset.y, n->spread, n->softness, color, &monitor, error);
  if (shadow == NULL)
    return false;
  source = image_source (shadow, n->result, 0, 0);
  return merge_combine (&n->result, &source, 1, &wear, &merge, &monitor);
}

static double
drop_shadow_reach (const void *job)
{
  const DropShadow *n = (const DropShadow *) job;

  return fmax (fabs (n->offset.x), fabs (n->offset.y)) + fabs (n->spread) + blur_gaussian_reach (n->softness) + 4;
}

static const KgSlot drop_shadow_slots[] = {
  IMAGE_INPUT (DropShadow, N_ ("The image that casts the shadow, by its alpha.")),
  KG_INPUT (DropShadow, offset, VECTOR, .label = N_ ("Offset"), .unit = KG_PIXELS, .def_v = { 8, -8, 0 }, .min = -1e6,
            .max = 1e6, .soft_min = -200, .soft_max = 200,
            .help = N_ ("Where the shadow falls, to the right and up: the farther, the higher the image seems to be.")),
  KG_INPUT (DropShadow, softness, NUMBER, .label = N_ ("Softness"), .unit = KG_PIXELS, .def = 5, .max = 1e6,
            .soft_max = 100, .help = N_ ("Width of the penumbra, as a standard deviation.")),
  KG_INPUT (DropShadow, spread, NUMBER, .label = N_ ("Spread"), .unit = KG_PIXELS, .min = -500, .max = 500,
            .soft_min = -20, .soft_max = 20,
            .help = N_ ("How much larger the shadow is than the image, before it is softened.")),
  KG_INPUT (DropShadow, color, COLOR, .label = N_ ("Colour"), .def_v = { 0, 0, 0, 0.5 },
            .help = N_ ("Colour of the shadow. Its alpha is its darkness: at 1 it hides the ground completely.")),
  KG_INPUT (DropShadow, only_shadow, BOOLEAN, .label = N_ ("Only Shadow"),
            .help = N_ ("Leaves the image out, so that the shadow can be laid on the ground by itself.")),
  IMAGE_WEAR (DropShadow, N_ ("The image with its shadow behind it, as large as before.")),
};

KG_NODE (image, drop_shadow, DropShadow, .label = N_ ("Drop Shadow"), .version = 1, .since = "0.1",
         .reach = drop_shadow_reach, .tags = N_ ("cast soft contact penumbra depth title text picture"),
         .help = N_ ("Puts the shadow of an image behind it: its alpha in one colour, moved, grown and softened."));
