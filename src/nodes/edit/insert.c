/* edit/insert: a clip put among others.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "clip_rows.h"
#include "transition_kinds.h"

typedef struct {
  const KgTable *clips;
  int mode;
  int64_t source;
  double in;
  double out;
  double at;
  int64_t track;
  double speed;
  double repeat;
  double overlap;
  int transition;
  KgTable *edited;
  double end;
} Insert;

static const KgChoice insert_modes[] = {
  [CLIPS_OVERWRITE] = { "overwrite", N_ ("Overwrite: the length stays") },
  [CLIPS_ASSEMBLE] = { "assemble", N_ ("Overwrite or lengthen") },
  [CLIPS_RIPPLE] = { "ripple", N_ ("Ripple: what follows moves later") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (insert_modes, CLIPS_N_INSERTS);

static bool
insert_evaluate (Insert *n, const KgContext *ctx, GError **error)
{
  const Clip clip = { (guint) n->source, n->in,    n->out,    n->at,
                      (int) n->track,    n->speed, n->repeat, (TransitionKind) n->transition };
  g_autoptr (GArray) clips = g_array_new (FALSE, FALSE, sizeof (Clip));
  g_auto (ClipList) list = { .clips = NULL };
  const Clip *all;

  if (!clip_rows_read (n->clips, ctx, &list, error))
    return false;
  g_array_append_vals (clips, list.clips, list.n);
  if (n->out <= n->in || n->repeat <= 0)
    kg_context_warn (ctx, "the clip is empty, and nothing is inserted: Out must be after In, and Repeat above 0");
  else if (!clips_insert (clips, &clip, (ClipsInsert) n->mode, n->overlap, ctx->start, error))
    return false;
  all = (const Clip *) (void *) clips->data;
  n->end = clips_get_last_frame (all, clips->len, ctx->start);
  n->edited = clip_list_write (all, clips->len, error);
  return n->edited != NULL;
}

static const KgSlot insert_slots[] = {
  KG_INPUT (Insert, clips, TABLE, .label = N_ ("Clips"), .columns = clip_columns, .def_text = "", .manual = "clips",
            .help = CLIP_ROWS_HELP),
  KG_INPUT (Insert, mode, CHOICE, .label = N_ ("Mode"), .choices = insert_modes,
            .help = N_ ("What happens to clips on its track that are in the way.")),
  KG_INPUT (Insert, source, INTEGER, .label = N_ ("Source"), .def = 1, .min = 0, .max = 65535, .soft_max = 8,
            .help = N_ ("Number of the image that is shown, from 1; 0 is black.")),
  KG_INPUT (Insert, in, NUMBER, .label = N_ ("In"), .unit = KG_FRAMES, .def = 1, .min = -1e9, .max = 1e9, .soft_min = 1,
            .soft_max = 240, .help = N_ ("The first frame of the source that is shown.")),
  KG_INPUT (Insert, out, NUMBER, .label = N_ ("Out"), .unit = KG_FRAMES, .def = 25, .min = -1e9, .max = 1e9,
            .soft_min = 1, .soft_max = 240, .help = N_ ("The frame after the last one that is shown.")),
  KG_INPUT (Insert, at, NUMBER, .label = N_ ("At"), .unit = KG_FRAMES, .def = 1, .min = -1e9, .max = 1e9, .soft_min = 1,
            .soft_max = 240, .help = N_ ("The frame of the movie where the clip begins.")),
  KG_INPUT (Insert, track, INTEGER, .label = N_ ("Track"), .def = 1, .min = -1000000, .max = 1000000, .soft_min = 1,
            .soft_max = 8, .help = N_ ("The track of the clip. Other tracks are unchanged.")),
  KG_INPUT (Insert, speed, NUMBER, .label = N_ ("Speed"), .def = 1, .min = -1000, .max = 1000, .soft_min = -2,
            .soft_max = 4,
            .help = N_ ("Frames of the source per frame of the movie; below 0 plays backwards, 0 "
                        "holds In.")),
  KG_INPUT (Insert, repeat, NUMBER, .label = N_ ("Repeat"), .def = 1, .max = 1e6, .soft_max = 8,
            .help = N_ ("How many times it is shown.")),
  KG_INPUT (Insert, overlap, NUMBER, .label = N_ ("Overlap"), .unit = KG_FRAMES, .max = 1e6, .soft_max = 48,
            .help = N_ ("Number of frames for which the clip before it continues, for a transition.")),
  KG_INPUT (Insert, transition, CHOICE, .label = N_ ("Transition"), .choices = transition_kinds,
            .def = TRANSITION_DISSOLVE, .help = N_ ("How it appears during the overlap.")),
  KG_OUTPUT (Insert, edited, TABLE, .label = N_ ("Clips"), .help = N_ ("The clips with the new one.")),
  KG_OUTPUT (Insert, end, NUMBER, .label = N_ ("Last frame"), .unit = KG_FRAMES,
             .help = N_ ("The last frame with a clip.")),
};

KG_NODE (
    edit, insert, Insert, .label = N_ ("Insert Clip"), .version = 1, .since = "0.1",
    .tags = N_ ("insert edit overwrite assemble ripple splice cutaway"), .source = "Parent, Computer Animation, 1.3.2",
    .help = N_ (
        "Inserts a clip into the clips of a Timeline. An insert edit overwrites what lies under it, an assemble edit may also lengthen the movie, and a ripple edit moves what follows. A transition that is cut is timed anew."));
