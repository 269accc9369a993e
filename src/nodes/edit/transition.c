/* edit/transition: one image gives way to another.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "transition_kinds.h"

typedef struct {
  const KgImage *first;
  const KgImage *second;
  int kind;
  double progress;
  double softness;
  KgImage *image;
} TransitionNode;

/* Which of the two are seen. */
static bool
transition_demand (const TransitionNode *n, const KgContext *ctx, KgDemand *demand, GError **error)
{
  const bool cut = n->kind == TRANSITION_CUT;

  (void) ctx;
  (void) error;
  if (n->progress >= 1 || (cut && n->progress >= 0.5))
    kg_demand_none (demand, offsetof (TransitionNode, first));
  else if (n->progress <= 0 || cut)
    kg_demand_none (demand, offsetof (TransitionNode, second));
  return true;
}

static bool
transition_evaluate (TransitionNode *n, const KgContext *ctx, GError **error)
{
  const KgProgressMonitor monitor = kg_context_get_progress_monitor (ctx);
  const KgImage *only = n->first == NULL ? n->second : n->second == NULL ? n->first : NULL;

  if (only != NULL) {
    n->image = kg_image_ref (only);
    return true;
  }
  n->image = kg_image_new (MAX (kg_image_get_width (n->first), kg_image_get_width (n->second)),
                           MAX (kg_image_get_height (n->first), kg_image_get_height (n->second)), false, error);
  if (n->image == NULL)
    return false;
  kg_image_set_pixel_aspect (n->image, kg_image_get_pixel_aspect (n->first));
  return transition_mix (n->first, n->second, (TransitionKind) n->kind, n->progress, n->softness, n->image, &monitor);
}

static const KgSlot transition_slots[] = {
  KG_INPUT (TransitionNode, first, IMAGE, .label = N_ ("First"), .help = N_ ("The image that is replaced.")),
  KG_INPUT (
      TransitionNode, second, IMAGE, .label = N_ ("Second"),
      .help = N_ (
          "The image that replaces it. Images of different sizes are centred on each other during the transition; at "
          "its ends the result is as large as the visible one.")),
  KG_INPUT (TransitionNode, kind, CHOICE, .label = N_ ("Kind"), .early = true, .choices = transition_kinds,
            .def = TRANSITION_DISSOLVE, .help = N_ ("How the second image takes the place of the first.")),
  KG_INPUT (TransitionNode, progress, NUMBER, .label = N_ ("Progress"), .early = true, .unit = KG_PERCENT, .max = 1,
            .driver = KG_DRIVER_PHASE,
            .help = N_ ("Progress of the transition. Without a value, the transition lasts as long as the graph.")),
  KG_INPUT (TransitionNode, softness, NUMBER, .label = N_ ("Softness"), .unit = KG_PERCENT, .max = 1,
            .shown_when = "kind=wipe_left|wipe_right|wipe_top|wipe_bottom|iris",
            .help = N_ ("Width of the edge, as a fraction of the distance that it travels.")),
  KG_OUTPUT (TransitionNode, image, IMAGE, .label = N_ ("Image"), .help = N_ ("What is seen of both images.")),
};

KG_NODE_WITH_DEMAND (
    edit, transition, TransitionNode, .label = N_ ("Transition"), .version = 1, .since = "0.1",
    .tags = N_ ("dissolve cross fade wipe iris cut editing video switch scene change"),
    .formula = "dissolve: (1 − w) A + w B;  wipe: B where x < w W;  fade: (1 − 2w) A, then (2w − 1) B",
    .source = "Parent, Computer Animation, 1.3.2",
    .help = N_ (
        "Replaces one image with another by a cut, a dissolve, a wipe, an iris, or a fade through black. Only the "
        "images that are seen are evaluated. For several shots in a row, Timeline is simpler."));
