/* image/triple_exposure: colour from three exposures through filters.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/image_operation.h"
#include "image/place.h"
#include "kg-node.h"

#define N_EXPOSURES 3

typedef struct {
  KgImage *red;
  KgImage *green;
  KgImage *blue;
  KgColor red_filter;
  KgColor green_filter;
  KgColor blue_filter;
  KgVector red_offset;
  KgVector green_offset;
  KgVector blue_offset;
  double exposure;
  KgImage *image;
} TripleExposure;

/* Adds one exposure: the luminance of an image, in the colour of its filter.  What no light falls on is black where the image
 * in register would cover it. */
typedef struct {
  ImageSource source, in_register;
  float filter[3];
  float *pixels;
  int width;
} Exposure;

static void
expose_rows (gpointer data, int first, int end)
{
  const Exposure *e = (const Exposure *) data;
  const size_t n = (size_t) e->width;
  g_autofree float *scratch = g_new (float, 8 * n);

  for (int y = first; y < end; y++) {
    const float *from = image_source_fetch (&e->source, 0, y, n, scratch);
    const float *cover = image_source_fetch (&e->in_register, 0, y, n, scratch + 4 * n);
    float *to = e->pixels + 4 * n * (size_t) y;

    for (size_t x = 0; x < n; x++, from += 4, cover += 4, to += 4) {
      const float light = image_luminance (from[0], from[1], from[2]);

      for (int c = 0; c < 3; c++)
        to[c] += light * e->filter[c];
      to[3] = fmaxf (to[3], fmaxf (from[3], cover[3]));
    }
  }
}

static bool
triple_exposure_evaluate (TripleExposure *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const KgImage *images[N_EXPOSURES] = { n->red, n->green, n->blue };
  const KgColor filters[N_EXPOSURES] = { n->red_filter, n->green_filter, n->blue_filter };
  const KgVector offsets[N_EXPOSURES] = { n->red_offset, n->green_offset, n->blue_offset };
  int width = 1, height = 1;
  double aspect = 1;

  for (int i = N_EXPOSURES - 1; i >= 0; i--)
    if (images[i] != NULL) {
      width = MAX (width, kg_image_get_width (images[i]));
      height = MAX (height, kg_image_get_height (images[i]));
      aspect = kg_image_get_pixel_aspect (images[i]);
    }
  n->image = kg_image_new (width, height, false, error);
  if (n->image == NULL)
    return false;
  kg_image_set_pixel_aspect (n->image, aspect);
  for (int i = 0; i < N_EXPOSURES; i++) {
    const Place place = { .x = offsets[i].x, .y = offsets[i].y, .scale_x = 1, .scale_y = 1 };
    const double gain = n->exposure * filters[i].a;
    g_autoptr (KgImage) placed = NULL;
    Exposure e = { .filter = { (float) (gain * filters[i].r), (float) (gain * filters[i].g),
                               (float) (gain * filters[i].b) },
                   .pixels = kg_image_edit_pixels (n->image),
                   .width = width };

    if (images[i] == NULL)
      continue;
    placed = place_image (images[i], &place, width, height, aspect, RESAMPLE_BILINEAR, &monitor, error);
    if (placed == NULL)
      return false;
    e.source = image_source (placed, n->image, 0, 0);
    e.in_register = image_source (images[i], n->image, 0, 0);
    if (!image_each_rows (width, height, expose_rows, &e, &monitor))
      return false;
  }
  return true;
}

#define EXPOSURE(name_, label_, filter_label_, offset_label_, ...)                                                     \
  KG_INPUT (TripleExposure, name_, IMAGE, .label = label_, .optional = true,                                           \
            .help = N_ ("The image that is exposed through this filter; only its luminance is used.")),                \
      KG_INPUT (TripleExposure, name_##_filter, COLOR, .label = filter_label_, .def_v = __VA_ARGS__,                   \
                .help = N_ ("Light that the filter transmits; alpha is its exposure.")),                               \
      KG_INPUT (TripleExposure, name_##_offset, VECTOR, .label = offset_label_, .unit = KG_PIXELS, .min = -1e6,        \
                .max = 1e6, .soft_min = -20, .soft_max = 20,                                                           \
                .help = N_ ("How far the film was out of register, to the right and up."))

static const KgSlot triple_exposure_slots[] = {
  EXPOSURE (red, N_ ("Red Image"), N_ ("Red Filter"), N_ ("Red Offset"), { 1, 0, 0, 1 }),
  EXPOSURE (green, N_ ("Green Image"), N_ ("Green Filter"), N_ ("Green Offset"), { 0, 1, 0, 1 }),
  EXPOSURE (blue, N_ ("Blue Image"), N_ ("Blue Filter"), N_ ("Blue Offset"), { 0, 0, 1, 1 }),
  KG_INPUT (TripleExposure, exposure, NUMBER, .label = N_ ("Exposure"), .def = 1, .max = 1e6, .soft_max = 4,
            .help = N_ ("Factor of all three exposures.")),
  KG_OUTPUT (TripleExposure, image, IMAGE, .label = N_ ("Image"), .help = N_ ("The sum of the three exposures.")),
};

KG_NODE (
    image, triple_exposure, TripleExposure, .label = N_ ("Triple Exposure"), .version = 1, .since = "0.1",
    .tags = N_ ("color separation filters technicolor register fringe chromatic misregistration rgb three strip"),
    .formula = "Σ filter_c · luminance (I_c (x − offset_c))", .source = "Parent, Computer Animation, 1.4",
    .help = N_ (
        "Makes a colour image from three black-and-white ones, each exposed through a filter on the same frame of film, as computers once recorded colour. Equal images give grey; offsetting one of them gives coloured fringes. Images of different sizes are centred on each other."));
