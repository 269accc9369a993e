/* image/grade: black and white point, lift, gain, multiply, offset and gamma of each channel.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "image/grade.h"

#include "image/image_wear.h"

typedef struct {
  IMAGE_FIELDS;
  KgColor black_point;
  KgColor white_point;
  KgColor lift;
  KgColor gain;
  KgColor multiply;
  KgColor offset;
  KgColor gamma;
  bool clamp_black;
  bool clamp_white;
  bool straight;
} GradeImage;

static bool
grade_evaluate (GradeImage *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  ImageWear wear = IMAGE_WEAR_OF (n, n->straight);
  Grade grade = { .clamp_black = n->clamp_black, .clamp_white = n->clamp_white };

  IMAGE_BEGIN (n);
  if (!grade_set (&grade, n->black_point, n->white_point, n->lift, n->gain, n->multiply, n->offset, n->gamma, error))
    return false;
  wear.keeps = grade_keeps (&grade);
  return image_apply_later (&n->result, &wear, grade_block, &grade, sizeof grade, kg_context_may_leave_pending (ctx),
                            &monitor);
}

static const KgSlot grade_slots[] = {
  IMAGE_POINT_IMAGE (GradeImage, N_ ("The image to grade.")),
  KG_INPUT (GradeImage, black_point, COLOR, .label = N_ ("Black Point"), .def_v = { 0, 0, 0, 1 },
            .help = N_ ("The colour of the image that becomes the lift.")),
  KG_INPUT (GradeImage, white_point, COLOR, .label = N_ ("White Point"), .def_v = { 1, 1, 1, 1 },
            .help = N_ ("The colour of the image that becomes the gain.")),
  KG_INPUT (GradeImage, lift, COLOR, .label = N_ ("Lift (Shadows)"), .def_v = { 0, 0, 0, 1 },
            .help = N_ ("What the black point becomes: it tints the shadows.")),
  KG_INPUT (GradeImage, gain, COLOR, .label = N_ ("Gain"), .def_v = { 1, 1, 1, 1 },
            .help = N_ ("What the white point becomes: it tints the highlights.")),
  KG_INPUT (GradeImage, multiply, COLOR, .label = N_ ("Multiply"), .def_v = { 1, 1, 1, 1 },
            .help = N_ ("Factor of each channel, after lift and gain.")),
  KG_INPUT (GradeImage, offset, COLOR, .label = N_ ("Offset"), .def_v = { 0, 0, 0, 1 },
            .help = N_ ("Added to each channel, after the factor.")),
  KG_INPUT (GradeImage, gamma, COLOR, .label = N_ ("Gamma"), .def_v = { 1, 1, 1, 1 },
            .help = N_ ("Exponent of each channel's curve, applied last: above 1 the midtones become brighter. "
                        "Negative values are not bent. The smallest gamma is 0.01.")),
  KG_INPUT (GradeImage, clamp_black, BOOLEAN, .label = N_ ("Clamp Black"), .help = N_ ("Makes negative values 0.")),
  KG_INPUT (GradeImage, clamp_white, BOOLEAN, .label = N_ ("Clamp White"),
            .help = N_ ("Makes values above 1 equal to 1.")),
  IMAGE_STRAIGHT (GradeImage),
  IMAGE_WEAR (GradeImage, N_ ("The graded image.")),
};

KG_NODE (image, grade, GradeImage, .label = N_ ("Grade"), .version = 1, .since = "0.1", .reach = kg_reach_none,
         .tags = N_ ("levels color correct contrast brightness lift gamma gain offset multiply cdl tint match picture"),
         .formula = "y = (multiply·((gain − lift)·(x − black)/(white − black) + lift) + offset)^(1/gamma)",
         .source = "American Society of Cinematographers, Color Decision List, 2008",
         .help = N_ ("Grades an image: sets its black and white point, lifts shadows, gains highlights and bends "
                     "midtones, each channel by itself. Alpha does not change."));
