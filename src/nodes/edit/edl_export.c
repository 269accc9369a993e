/* edit/edl_export: clips as an edit decision list.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "clip_rows.h"
#include "edit_clock.h"

typedef struct {
  const KgTable *clips;
  const char *title;
  EDIT_CLOCK_FIELDS;
  char *list;
} EdlExport;

static bool
edl_export_evaluate (EdlExport *n, const KgContext *ctx, GError **error)
{
  g_auto (ClipList) list = { .clips = NULL };
  g_autoptr (GArray) reels = NULL;
  EditClock clock;

  if (!edit_clock_read (n->rate, n->drop, n->start, 0, ctx, &clock, error) ||
      !clip_rows_read (n->clips, ctx, &list, error))
    return false;
  if (clock.rule.drop && clock.rule.rate % 30 != 0) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "drop is set at a rate of %d: numbers are only dropped at 29.97 and 59.94 frames per second; set rate "
        "to 30 or 60, or turn drop off",
        (int) clock.rule.rate);
    return false;
  }
  reels = edit_reels_read (n->reels, clock.rule, error);
  if (reels == NULL)
    return false;
  n->list = edit_list_write (list.clips, list.n, reels, n->title, &clock, error);
  return n->list != NULL;
}

static const KgSlot edl_export_slots[] = {
  KG_INPUT (EdlExport, clips, TABLE, .label = N_ ("Clips"), .columns = clip_columns, .def_text = "", .manual = "clips",
            .help = CLIP_ROWS_HELP),
  KG_INPUT (EdlExport, title, TEXT, .label = N_ ("Title"), .def_text = "UNTITLED", .help = N_ ("Title of the list.")),
  EDIT_CLOCK_INPUTS (EdlExport, N_ ("Timecode of the first frame of the graph. Empty: 00:00:00:00.")),
  KG_OUTPUT (
      EdlExport, list, TEXT, .label = N_ ("List"),
      .help = N_ ("The list as text. kineo eval writes it to a file: kineo eval --alone GRAPH NODE.list > FILE.")),
};

KG_NODE (
    edit, edl_export, EdlExport, .label = N_ ("Export EDL"), .version = 1, .since = "0.1",
    .tags = N_ ("edit decision list cmx 3600 conform off-line online timecode editing interchange"),
    .source = "ANSI/SMPTE 258M; Parent, Computer Animation, 1.3.2",
    .help = N_ (
        "Writes clips as an edit decision list in the CMX 3600 format, which other editing programs read. Frames are "
        "rounded to whole numbers. A clip that is repeated or interrupted by another becomes several events. Fades through black are written as "
        "dissolves with a comment."));
