/* edit/edl_import: clips from an edit decision list.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "edit_clock.h"
#include "kg-regular-file.h"

typedef struct {
  const char *path;
  const char *text;
  EDIT_CLOCK_FIELDS;
  KgTable *clips;
  char *names;
  char *missing;
  char *title;
  int64_t events;
  double end;
} EdlImport;

static void
edl_import_warn (const EditListNotes *notes, const KgContext *ctx)
{
  if (notes->overlaps > 0)
    kg_context_warn (ctx, "%u events overlap earlier ones: the earlier ones are cut short where the later ones begin",
                     notes->overlaps);
  if (notes->lengths > 0)
    kg_context_warn (ctx,
                     "%u events have different lengths in the record and in the source: the length in the record is "
                     "used",
                     notes->lengths);
  if (notes->keys > 0)
    kg_context_warn (ctx, "%u events are keyed over others: they are read as cuts", notes->keys);
  if (notes->patterns > 0)
    kg_context_warn (ctx, "%u wipes have patterns that are not available: they are read as dissolves", notes->patterns);
  if (notes->kept_numbers)
    kg_context_warn (ctx, "the list drops numbers, which is only done at 29.97 and 59.94 frames per second: it is read "
                          "without; set rate to 30 or 60");
  if (notes->events == 0)
    kg_context_warn (
        ctx,
        "there are no events with images (%u with sound alone): an event is a line such as \"001 REEL V C\" "
        "and four timecodes",
        notes->sounds);
}

/* The names of the reels, and those from one on, one a line. */
static char *
edl_import_list_reels (const GArray *reels, guint from)
{
  GString *names = g_string_new (NULL);

  for (guint i = from; i < reels->len; i++)
    g_string_append_printf (names, "%s%s", i > from ? "\n" : "", g_array_index (reels, EditReel, i).name);
  return g_string_free (names, FALSE);
}

static bool
edl_import_read (EdlImport *n, const char *text, const KgContext *ctx, GError **error)
{
  g_auto (EditListNotes) notes = { .title = NULL };
  g_autoptr (GArray) reels = NULL, clips = g_array_new (FALSE, FALSE, sizeof (Clip));
  EditClock clock;
  guint known;

  if (!edit_clock_read (n->rate, n->drop, n->start, -1, ctx, &clock, error))
    return false;
  reels = edit_reels_read (n->reels, clock.rule, error);
  if (reels == NULL)
    return false;
  known = reels->len;
  if (!edit_list_read (text, &clock, reels, clips, &notes, error))
    return false;
  if (text[0] != '\0')
    edl_import_warn (&notes, ctx);
  n->names = edl_import_list_reels (reels, 0);
  n->missing = edl_import_list_reels (reels, known);
  n->title = g_steal_pointer (&notes.title);
  n->events = notes.events;
  n->end = clips_get_last_frame ((const Clip *) (void *) clips->data, clips->len, ctx->start);
  n->clips = clip_list_write ((const Clip *) (void *) clips->data, clips->len, error);
  return n->clips != NULL;
}

static bool
edl_import_evaluate (EdlImport *n, const KgContext *ctx, GError **error)
{
  g_autofree char *path = NULL, *text = NULL;
  gsize length;

  if (n->path[0] == '\0')
    return edl_import_read (n, n->text, ctx, error);
  path = kg_context_dup_path (ctx, n->path, error);
  text = path != NULL ? kg_regular_file_read (path, "an edit decision list", &length, error) : NULL;
  if (text == NULL)
    return false;
  /* Older programs write Latin-1; a text of two bytes a letter has zeros in it. */
  if (!g_utf8_validate (text, -1, NULL)) {
    char *converted = length == strlen (text) ? g_convert (text, -1, "UTF-8", "ISO-8859-1", NULL, NULL, NULL) : NULL;

    if (converted == NULL) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "%s is not a text in UTF-8 or Latin-1: choose an edit decision list (.edl)", n->path);
      return false;
    }
    g_free (text);
    text = converted;
  }
  if (!edl_import_read (n, text, ctx, error)) {
    g_prefix_error (error, "%s: ", n->path);
    return false;
  }
  if (n->events == 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "%s has no events with images: choose an edit decision list in the form of CMX 3600 (.edl)", n->path);
    return false;
  }
  return true;
}

static const KgSlot edl_import_slots[] = {
  KG_INPUT (EdlImport, path, TEXT, .label = N_ ("File"), .fixed = true, .path = true,
            .help = N_ ("A list in the CMX 3600 format (.edl), relative to the folder of the graph.")),
  KG_INPUT (EdlImport, text, TEXT, .label = N_ ("Text"), .multiline = true, .def_text = "",
            .help = N_ ("The list itself, if no file is chosen.")),
  EDIT_CLOCK_INPUTS (EdlImport, N_ ("Timecode of the first frame of the graph. Empty: where the list begins.")),
  KG_OUTPUT (EdlImport, clips, TABLE, .label = N_ ("Clips"), .help = N_ ("The clips, for Timeline.")),
  KG_OUTPUT (EdlImport, names, TEXT, .label = N_ ("Names"),
             .help = N_ ("All reels in the order of their sources, one per line, for the names of Timeline.")),
  KG_OUTPUT (EdlImport, missing, TEXT, .label = N_ ("Missing"),
             .help = N_ ("Reels of the list that Reels does not name: Timeline shows a slate for each.")),
  KG_OUTPUT (EdlImport, title, TEXT, .label = N_ ("Title"), .help = N_ ("Title of the list.")),
  KG_OUTPUT (EdlImport, events, INTEGER, .label = N_ ("Events"), .help = N_ ("Number of events with images.")),
  KG_OUTPUT (EdlImport, end, NUMBER, .label = N_ ("Last frame"), .unit = KG_FRAMES,
             .help = N_ ("The last frame with a clip.")),
};

KG_NODE (
    edit, edl_import, EdlImport, .label = N_ ("Import EDL"), .version = 1, .since = "0.1",
    .tags = N_ ("edit decision list cmx 3600 conform off-line online timecode editing interchange"),
    .source = "ANSI/SMPTE 258M; Parent, Computer Animation, 1.3.2",
    .help = N_ (
        "Reads an edit decision list in the CMX 3600 format as clips for a Timeline: cuts, dissolves, wipes, changes "
        "of speed, and several tracks (V, V2, ...). To conform an edit that was made with proxies, link the full "
        "images to the Timeline in the order of the reels."));
