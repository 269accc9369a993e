/* clips: see clips.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "edit/clips.h"

#include "kg-error.h"
#include "kg-math.h"

/* Frames that differ by less are the same. */
#define ROUNDING 1e-9

enum {
  COLUMN_SOURCE,
  COLUMN_IN,
  COLUMN_OUT,
  COLUMN_AT,
  COLUMN_OVERLAP,
  COLUMN_TRACK,
  COLUMN_SPEED,
  COLUMN_REPEAT,
  COLUMN_TRANSITION,
  N_COLUMNS
};

const KgTableColumn clip_columns[] = {
  [COLUMN_SOURCE] = { "source", N_ ("Source"), 0, false },
  [COLUMN_IN] = { "in", N_ ("In"), 0, false },
  [COLUMN_OUT] = { "out", N_ ("Out"), 0, false },
  [COLUMN_AT] = { "at", N_ ("At"), NAN, true },
  [COLUMN_OVERLAP] = { "overlap", N_ ("Overlap"), 0, true },
  [COLUMN_TRACK] = { "track", N_ ("Track"), 1, true },
  [COLUMN_SPEED] = { "speed", N_ ("Speed"), 1, true },
  [COLUMN_REPEAT] = { "repeat", N_ ("Repeat"), 1, true },
  [COLUMN_TRANSITION] = { "transition", N_ ("Transition"), TRANSITION_DISSOLVE, true },
  KG_TABLE_COLUMNS_END,
};

double
clip_get_pace (const Clip *clip)
{
  return clip->speed == 0 ? 1 : fabs (clip->speed);
}

double
clip_get_length (const Clip *clip)
{
  return (clip->out - clip->in) / clip_get_pace (clip) * clip->repeat;
}

double
clip_get_end (const Clip *clip)
{
  return clip->at + clip_get_length (clip);
}

/* The frame of the source at a frame of the record inside the clip. */
static double
get_source_frame (const Clip *clip, double frame)
{
  const double length = clip->out - clip->in, passed = (frame - clip->at) * clip_get_pace (clip);
  const double k = fmax (passed - length * floor ((passed + ROUNDING) / length), 0);

  if (clip->speed == 0)
    return clip->in;
  return clip->speed > 0 ? clip->in + k : fmax (clip->out - 1 - k, clip->in);
}

double
clips_get_end (const Clip *clips, guint n, double first)
{
  double end = first;

  for (guint i = 0; i < n; i++)
    end = fmax (end, clip_get_end (&clips[i]));
  return end;
}

double
clips_get_last_frame (const Clip *clips, guint n, double first)
{
  return ceil (clips_get_end (clips, n, first) - ROUNDING) - 1;
}

void
clip_lengthen (Clip *clip, double frames)
{
  const double more = frames * clip_get_pace (clip);

  if (clip->repeat != 1)
    clip->repeat += more / (clip->out - clip->in);
  else if (clip->speed < 0)
    clip->in -= more;
  else
    clip->out += more;
}

int
clips_find_ending (const Clip *clips, guint n, int track, double frame)
{
  for (guint i = n; i > 0; i--)
    if (clips[i - 1].track == track && fabs (clip_get_end (&clips[i - 1]) - frame) < 0.5)
      return (int) i - 1;
  return -1;
}

/* Tables. */

static bool
read_whole (const double *row, size_t number, int column, double low, double high, double *x, GError **error)
{
  *x = row[column];
  if (*x == floor (*x) && *x >= low && *x <= high)
    return true;
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu: %s is %g: give a whole number from %g to %g", number,
                clip_columns[column].name, *x, low, high);
  return false;
}

static bool
read_row (const double *row, size_t number, Clip *clip, GError **error)
{
  double source, track, transition;

  if (!read_whole (row, number, COLUMN_SOURCE, CLIP_BLACK, 65535, &source, error) ||
      !read_whole (row, number, COLUMN_TRACK, -1e6, 1e6, &track, error) ||
      !read_whole (row, number, COLUMN_TRANSITION, 0, TRANSITION_N - 1, &transition, error))
    return false;
  *clip = (Clip){ .source = (guint) source,
                  .in = row[COLUMN_IN],
                  .out = row[COLUMN_OUT],
                  .at = row[COLUMN_AT],
                  .track = (int) track,
                  .speed = row[COLUMN_SPEED],
                  .repeat = row[COLUMN_REPEAT],
                  .transition = (TransitionKind) transition };
  for (int i = 0; i < N_COLUMNS; i++)
    if (fabs (row[i]) > 1e9) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu: %s is %g: give a number between -1e9 and 1e9", number,
                    clip_columns[i].name, row[i]);
      return false;
    }
  if (clip->speed != 0 && fabs (clip->speed) < CLIP_MIN_SPEED) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "row %zu: speed is %g: give 0 to hold a frame, or at least %g", number,
                  clip->speed, CLIP_MIN_SPEED);
    return false;
  }
  if (clip_get_length (clip) > 1e9) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "row %zu: the clip is %g frames long, and at most 1e9 are possible: shorten it or repeat it less often", number,
        clip_get_length (clip));
    return false;
  }
  return true;
}

bool
clip_list_read (const KgTable *table, double first, ClipList *list, GError **error)
{
  const size_t rows = kg_table_get_n_rows (table);
  /* The last clip of each track, by its index from 1. */
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL);

  *list = (ClipList){ .clips = g_new (Clip, rows + 1) };
  for (size_t i = 0; i < rows; i++) {
    const double *row = kg_table_get_row (table, i);
    Clip clip;

    if (!read_row (row, i + 1, &clip, error)) {
      clip_list_clear (list);
      return false;
    }
    if (!(clip.out > clip.in) || !(clip.repeat > 0) || !(clip_get_length (&clip) > ROUNDING)) {
      list->first_skipped = list->skipped++ == 0 ? i + 1 : list->first_skipped;
      continue;
    }
    if (isnan (clip.at)) {
      const guint before = GPOINTER_TO_UINT (g_hash_table_lookup (last, GINT_TO_POINTER (clip.track)));

      clip.at = before == 0
                    ? first - row[COLUMN_OVERLAP]
                    : fmax (clip_get_end (&list->clips[before - 1]) - row[COLUMN_OVERLAP], list->clips[before - 1].at);
    }
    list->clips[list->n++] = clip;
    g_hash_table_insert (last, GINT_TO_POINTER (clip.track), GUINT_TO_POINTER (list->n));
  }
  return true;
}

void
clip_list_clear (ClipList *list)
{
  g_clear_pointer (&list->clips, g_free);
  list->n = 0;
}

KgTable *
clip_list_write (const Clip *clips, guint n, GError **error)
{
  const char *names[N_COLUMNS];
  KgTable *table;

  for (int i = 0; i < N_COLUMNS; i++)
    names[i] = clip_columns[i].name;
  table = kg_table_new (N_COLUMNS, names, n, error);
  if (table == NULL)
    return NULL;
  for (guint i = 0; i < n; i++) {
    double *row = kg_table_edit (table) + (size_t) i * N_COLUMNS;

    row[COLUMN_SOURCE] = clips[i].source;
    row[COLUMN_IN] = clips[i].in;
    row[COLUMN_OUT] = clips[i].out;
    row[COLUMN_AT] = clips[i].at;
    row[COLUMN_OVERLAP] = 0;
    row[COLUMN_TRACK] = clips[i].track;
    row[COLUMN_SPEED] = clips[i].speed;
    row[COLUMN_REPEAT] = clips[i].repeat;
    row[COLUMN_TRANSITION] = clips[i].transition;
  }
  return table;
}

/* What is seen. */

/* By track, then by when they come in, then as they are listed. */
static int
compare_shown (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint i = ((const ClipShown *) a)->clip, k = ((const ClipShown *) b)->clip;
  const Clip *p = (const Clip *) data + i, *q = (const Clip *) data + k;

  if (p->track != q->track)
    return p->track < q->track ? -1 : 1;
  if (p->at != q->at)
    return p->at < q->at ? -1 : 1;
  return (i > k) - (i < k);
}

guint
clips_find (const Clip *clips, guint n, double frame, ClipShown *shown)
{
  guint active = 0, kept = 0, base = 0;

  for (guint i = 0; i < n; i++)
    if (frame >= clips[i].at - ROUNDING && frame < clip_get_end (&clips[i]) - ROUNDING)
      shown[active++] = (ClipShown){ .clip = i };
  g_qsort_with_data (shown, (int) active, sizeof *shown, compare_shown, (gpointer) clips);
  for (guint k = 0; k < active; k++) {
    const Clip *clip = &clips[shown[k].clip];
    ClipShown now = { shown[k].clip, get_source_frame (clip, frame), 1 };

    if (kept == 0 || clips[shown[kept - 1].clip].track != clip->track)
      base = kept;
    else {
      const double overlap = fmin (clip_get_end (&clips[shown[kept - 1].clip]), clip_get_end (clip)) - clip->at;

      if (clip->transition != TRANSITION_CUT)
        now.share = fmin ((frame - clip->at + 0.5) / overlap, 1);
      if (now.share >= 1)
        kept = base;
    }
    shown[kept++] = now;
  }
  return kept;
}

/* Editing. */

/* The part of a clip before a frame of the record that is inside it. */
static Clip
cut_before (const Clip *clip, double frame)
{
  const double passed = (frame - clip->at) * clip_get_pace (clip);
  Clip left = *clip;

  if (clip->repeat > 1)
    left.repeat = passed / (clip->out - clip->in);
  else {
    left.repeat = 1;
    if (clip->speed < 0)
      left.in = clip->out - passed;
    else
      left.out = clip->in + passed;
  }
  return left;
}

/* The part from a frame inside it on: the rest of the showing that the frame is in, and the showings after it; count of
 * both is returned. */
static guint
cut_after (const Clip *clip, double frame, Clip parts[2])
{
  const double length = clip->out - clip->in, pace = clip_get_pace (clip), end = clip_get_end (clip);
  const double passed = (frame - clip->at) * pace, showings = floor ((passed + ROUNDING) / length);
  const double k = fmax (passed - length * showings, 0), rest = fmin (length - k, (end - frame) * pace);
  guint n = 1;

  parts[0] = parts[1] = *clip;
  parts[0].at = frame;
  parts[0].repeat = 1;
  if (clip->speed < 0) {
    parts[0].out = clip->out - k;
    parts[0].in = parts[0].out - rest;
  } else {
    parts[0].in = clip->speed == 0 ? clip->in : clip->in + k;
    parts[0].out = parts[0].in + rest;
  }
  parts[1].at = clip_get_end (&parts[0]);
  parts[1].repeat = (end - parts[1].at) * pace / length;
  if (parts[1].repeat > ROUNDING)
    n = 2;
  return n;
}

/* Takes what lies from one frame to another out of a track. */
static void
cut_out (GArray *clips, int track, double from, double until)
{
  const guint n = clips->len;
  GArray *kept = g_array_sized_new (FALSE, FALSE, sizeof (Clip), n + 2);

  for (guint i = 0; i < n; i++) {
    const Clip clip = g_array_index (clips, Clip, i);
    const double end = clip_get_end (&clip);
    Clip parts[2];

    if (clip.track != track || clip.at >= until - ROUNDING || end <= from + ROUNDING) {
      g_array_append_val (kept, clip);
      continue;
    }
    if (clip.at < from - ROUNDING) {
      parts[0] = cut_before (&clip, from);
      g_array_append_val (kept, parts[0]);
    }
    if (end > until + ROUNDING)
      g_array_append_vals (kept, parts, cut_after (&clip, until, parts));
  }
  g_array_set_size (clips, 0);
  g_array_append_vals (clips, kept->data, kept->len);
  g_array_unref (kept);
}

/* Cuts a track at a frame, and moves what comes after. */
static void
make_room (GArray *clips, int track, double from, double length)
{
  const guint n = clips->len;

  for (guint i = 0; i < n; i++) {
    const Clip clip = g_array_index (clips, Clip, i);
    Clip parts[2];
    guint count;

    if (clip.track != track || clip_get_end (&clip) <= from + ROUNDING)
      continue;
    if (clip.at >= from - ROUNDING) {
      g_array_index (clips, Clip, i).at += length;
      continue;
    }
    count = cut_after (&clip, from, parts);
    g_array_index (clips, Clip, i) = cut_before (&clip, from);
    for (guint k = 0; k < count; k++)
      parts[k].at += length;
    g_array_append_vals (clips, parts, count);
  }
}

bool
clips_insert (GArray *clips, const Clip *clip, ClipsInsert how, double overlap, double first, GError **error)
{
  const double end = clip_get_end (clip), last = clips_get_end ((const Clip *) (void *) clips->data, clips->len, first);
  int before;

  if (how == CLIPS_OVERWRITE && end > last + ROUNDING) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "the clip would end at frame %g, and the record ends at %g: put it earlier, shorten it, or let it "
                  "lengthen the record",
                  end - 1, last - 1);
    return false;
  }
  if (how == CLIPS_RIPPLE)
    make_room (clips, clip->track, clip->at, clip_get_length (clip));
  else
    cut_out (clips, clip->track, clip->at, end);
  before = clips_find_ending ((const Clip *) (void *) clips->data, clips->len, clip->track, clip->at);
  if (overlap > 0 && before >= 0)
    clip_lengthen (&g_array_index (clips, Clip, before), fmin (overlap, clip_get_length (clip)));
  g_array_append_vals (clips, clip, 1);
  return true;
}
