/* image/zoetrope: drawings on a drum or a disc that turns, seen through slits or in mirrors.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/resample.h"
#include "kg-node.h"

#include <math.h>
#include <string.h>

typedef struct {
  const KgImage *image;
  int toy;
  int64_t drawings;
  int64_t slits;
  double speed;
  double turns;
  double slit;
  bool dim;
  double shown;
  KgImage *seen;
  int64_t drawing;
  double drift;
  double rate;
  double brightness;
} Zoetrope;

enum { TOY_DRUM, TOY_DISC, TOY_MIRRORS, N_TOYS };

static const KgChoice zoetrope_toys[] = {
  [TOY_DRUM] = { "zoetrope", N_ ("Zoetrope: a strip in a drum with slits") },
  [TOY_DISC] = { "phenakistoscope", N_ ("Phenakistoscope: a disc behind slits") },
  [TOY_MIRRORS] = { "praxinoscope", N_ ("Praxinoscope: a strip around mirrors") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (zoetrope_toys, N_TOYS);

/* Places of the drawings that are averaged while a slit passes, at most. */
#define MAX_LOOKS 64

/* Where a pixel of what is seen comes from, when the drawings have turned by so many spacings. */
static ResampleMap
zoetrope_get_map (const Zoetrope *n, double spacings)
{
  const double width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);
  const double angle = 2 * KG_PI * spacings / (double) n->drawings, c = cos (angle), s = sin (angle);

  if (n->toy != TOY_DISC)
    return (ResampleMap){ { { 1, 0 }, { 0, 1 } },
                          { width / (double) n->drawings * (spacings - 0.5 * (n->shown - 1)), 0 } };
  return (ResampleMap){ { { c, -s }, { s, c } },
                        { 0.5 * (width - c * width + s * height), 0.5 * (height - s * width - c * height) } };
}

/* How far a slit lets the drawings move while it passes, in pixels at the most. */
static double
zoetrope_get_smear (const Zoetrope *n, double spacings)
{
  const double width = kg_image_get_width (n->image), height = kg_image_get_height (n->image);

  return spacings / (double) n->drawings * (n->toy == TOY_DISC ? KG_PI * hypot (width, height) : width);
}

/* The mean of what is seen while a slit passes. */
static bool
zoetrope_look (Zoetrope *n, double spacings, double smear, const KgProgressMonitor *monitor)
{
  const int looks = (int) kg_clamp (ceil (zoetrope_get_smear (n, smear)), 1, MAX_LOOKS);
  const float share = (float) (n->brightness / looks), weights[4] = { share, share, share, 1.0f / (float) looks };
  ResampleMap maps[MAX_LOOKS];

  for (int i = 0; i < looks; i++)
    maps[i] = zoetrope_get_map (n, spacings + smear * ((i + 0.5) / looks - 0.5));
  return resample_mean (n->image, maps, looks, RESAMPLE_BILINEAR,
                        n->toy == TOY_DISC ? RESAMPLE_TRANSPARENT : RESAMPLE_REPEAT, weights, n->seen, monitor);
}

static bool
zoetrope_evaluate (Zoetrope *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  /* In a praxinoscope each drawing has its mirror. */
  const double slits = (double) (n->toy == TOY_MIRRORS ? n->drawings : n->slits), drawings = (double) n->drawings;
  const double passed = floor ((n->speed * ctx->time + n->turns) * slits + 1e-9);
  const double step = drawings / slits, spacings = fmod (passed * step, drawings);
  const double width = n->toy == TOY_DISC ? kg_image_get_width (n->image)
                                          : round (kg_image_get_width (n->image) / drawings * n->shown);
  const double smear = n->toy == TOY_MIRRORS ? 0 : n->slit * step;

  if (!isfinite (passed) || fabs (passed) > 1e12) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%g turns are too many to count slits: lower the speed",
                  n->speed * ctx->time + n->turns);
    return false;
  }
  if (n->toy != TOY_DISC && n->drawings > kg_image_get_width (n->image)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "a strip of %d pixels has no room for %d drawings: link a wider image, or count fewer drawings",
                  kg_image_get_width (n->image), (int) n->drawings);
    return false;
  }
  n->drawing = (int64_t) (floor (spacings + 0.5) - drawings * floor (floor (spacings + 0.5) / drawings));
  n->drift = (drawings - slits) / slits;
  n->rate = fabs (n->speed) * slits;
  n->brightness = n->toy == TOY_MIRRORS || !n->dim ? 1 : n->slit;
  n->seen = kg_image_new ((int64_t) fmax (width, 1), kg_image_get_height (n->image), false, error);
  return n->seen != NULL && zoetrope_look (n, spacings, smear, &monitor);
}

static const KgSlot zoetrope_slots[] = {
  KG_INPUT (
      Zoetrope, image, IMAGE, .label = N_ ("Image"),
      .help = N_ (
          "The strip with all drawings side by side, as Contact Sheet makes it, or the disc with the drawings around its centre, counter-clockwise.")),
  KG_INPUT (Zoetrope, toy, CHOICE, .label = N_ ("Toy"), .choices = zoetrope_toys,
            .help = N_ ("What carries the drawings, and how they are seen.")),
  KG_INPUT (Zoetrope, drawings, INTEGER, .label = N_ ("Drawings"), .def = 12, .min = 1, .max = 10000, .soft_max = 48,
            .help = N_ ("Number of drawings on the strip or disc.")),
  KG_INPUT (Zoetrope, slits, INTEGER, .label = N_ ("Slits"), .def = 12, .min = 1, .max = 10000, .soft_max = 48,
            .shown_when = "toy=zoetrope|phenakistoscope",
            .help = N_ ("Number of slits. With more or fewer drawings than slits, the drawings wander as they move.")),
  KG_INPUT (Zoetrope, speed, NUMBER, .label = N_ ("Speed"), .def = 1, .min = -1e6, .max = 1e6, .soft_min = -3,
            .soft_max = 3, .help = N_ ("Turns per second.")),
  KG_INPUT (Zoetrope, turns, NUMBER, .label = N_ ("Turns"), .min = -1e9, .max = 1e9, .soft_min = 0, .soft_max = 10,
            .help = N_ ("Turns in addition to those of the speed: set that to 0 and key this to spin the toy up.")),
  KG_INPUT (Zoetrope, slit, NUMBER, .label = N_ ("Slit"), .def = 0.1, .min = 0, .max = 1,
            .shown_when = "toy=zoetrope|phenakistoscope",
            .help = N_ ("Width of a slit, relative to the distance between slits. Wide slits blur the drawings.")),
  KG_INPUT (Zoetrope, dim, BOOLEAN, .label = N_ ("Dim"), .def = 1, .shown_when = "toy=zoetrope|phenakistoscope",
            .help = N_ ("The wall between the slits takes its share of the light.")),
  KG_INPUT (Zoetrope, shown, NUMBER, .label = N_ ("Drawings in view"), .def = 1, .min = 0.1, .max = 100, .soft_min = 1,
            .soft_max = 5, .shown_when = "toy=zoetrope|praxinoscope",
            .help = N_ ("How many drawings are seen side by side.")),
  KG_OUTPUT (Zoetrope, seen, IMAGE, .label = N_ ("Image"), .help = N_ ("What is seen.")),
  KG_OUTPUT (Zoetrope, drawing, INTEGER, .label = N_ ("Drawing"),
             .help = N_ ("Number of the drawing in the middle, from 0.")),
  KG_OUTPUT (Zoetrope, drift, NUMBER, .label = N_ ("Drift"),
             .help = N_ ("How far drawings wander from slit to slit, relative to the distance between drawings.")),
  KG_OUTPUT (Zoetrope, rate, NUMBER, .label = N_ ("Rate"), .unit = KG_HERTZ, .help = N_ ("Drawings seen per second.")),
  KG_OUTPUT (Zoetrope, brightness, NUMBER, .label = N_ ("Brightness"),
             .help = N_ ("Brightness of what is seen, relative to the drawings.")),
};

KG_NODE (
    image, zoetrope, Zoetrope, .label = N_ ("Zoetrope"), .version = 1, .since = "0.1", .time = KG_TIME_READS,
    .tags = N_ ("zoetrope phenakistoscope praxinoscope toy drum disc slits history stroboscope"),
    .formula = "after k slits of m the n drawings have moved by k n/m spacings; rate m ω; drift (n − m)/m",
    .source = "Plateau 1832; Horner 1834; Reynaud 1877; Parent, Computer Animation, 1.2.1",
    .help = N_ (
        "Shows drawings on a spinning drum or disc as they are seen through slits or in mirrors. From one glimpse to "
        "the next the drawings advance by one, so that they seem to stay in place and move."));
