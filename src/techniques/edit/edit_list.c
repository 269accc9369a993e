/* edit_list: see edit_list.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "edit/edit_list.h"

#include "kg-math.h"

#include <stdlib.h>
#include <string.h>

/* How lists call black, and the comment that tells a fade through black from a dissolve. */
#define BLACK_REEL "BL"
#define FADE_COMMENT "* TRANSITION: FADE"

/* Numbers of the standard patterns (SMPTE 258M); 100 more: the other way round. */
static const int wipe_numbers[TRANSITION_N] = {
  [TRANSITION_LEFT] = 1,     [TRANSITION_TOP] = 2,    [TRANSITION_RIGHT] = 101,
  [TRANSITION_BOTTOM] = 102, [TRANSITION_IRIS] = 119,
};

/* Reels. */

static void
clear_reel (gpointer data)
{
  g_free (((EditReel *) data)->name);
}

/* Cuts a timecode off the end of a line.  (nullable) */
static char *
split_reel (char *line)
{
  char *blank;

  g_strstrip (line);
  blank = strpbrk (line, " \t");
  if (blank == NULL)
    return NULL;
  while (strpbrk (blank + 1, " \t") != NULL)
    blank = strpbrk (blank + 1, " \t");
  /* Names may have blanks, timecodes have colons or are eight digits. */
  if (strpbrk (blank, ":;") == NULL && strspn (blank + 1, "0123456789") != 8)
    return NULL;
  *blank = '\0';
  g_strchomp (line);
  return blank + 1;
}

GArray *
edit_reels_read (const char *text, TimecodeRule rule, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GArray *reels = g_array_new (FALSE, TRUE, sizeof (EditReel));

  g_array_set_clear_func (reels, clear_reel);
  for (guint i = 0; lines[i] != NULL; i++) {
    const char *code = split_reel (lines[i]);
    EditReel reel = { NULL, 0 };

    if (lines[i][0] == '\0')
      continue;
    if (code != NULL && !timecode_read (code, rule, lines[i], &reel.start, error)) {
      kg_prefix_error (error, "line %u of the reels: ", i + 1);
      g_array_unref (reels);
      return NULL;
    }
    reel.name = g_strdup (lines[i]);
    g_array_append_val (reels, reel);
  }
  return reels;
}

char *
edit_reels_dup_name (const char *text, guint source)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++) {
    split_reel (lines[i]);
    if (lines[i][0] != '\0' && --source == 0)
      return g_strdup (lines[i]);
  }
  return NULL;
}

static char *
dup_reel_name (const GArray *reels, guint source)
{
  if (source == CLIP_BLACK)
    return g_strdup (BLACK_REEL);
  return source <= reels->len ? g_strdup (g_array_index (reels, EditReel, source - 1).name)
                              : g_strdup_printf ("SOURCE%u", source);
}

/* The source of a reel, which is appended when it is not known. */
static guint
find_reel (GArray *reels, const char *name)
{
  EditReel reel = { NULL, 0 };

  if (g_strcmp0 (name, BLACK_REEL) == 0)
    return CLIP_BLACK;
  for (guint i = 0; i < reels->len; i++)
    if (g_ascii_strcasecmp (g_array_index (reels, EditReel, i).name, name) == 0)
      return i + 1;
  reel.name = g_strdup (name);
  g_array_append_val (reels, reel);
  return reels->len;
}

static int64_t
get_reel_start (const GArray *reels, guint source)
{
  return source != CLIP_BLACK && source <= reels->len ? g_array_index (reels, EditReel, source - 1).start : 0;
}

/* Writing. */

/* What is seen of one showing of a clip, from one frame of the record to another, and the transition that it begins with. */
typedef struct {
  Clip clip;
  double from, until;
  int64_t overlap;
  Clip before; /* when it overlaps: what it comes from */
} Event;

static int
compare_pieces (gconstpointer a, gconstpointer b)
{
  const Clip *p = (const Clip *) a, *q = (const Clip *) b;

  if (p->track != q->track)
    return p->track < q->track ? -1 : 1;
  return (p->at > q->at) - (p->at < q->at);
}

static int
compare_events (gconstpointer a, gconstpointer b)
{
  const Event *p = (const Event *) a, *q = (const Event *) b;

  if (p->from != q->from)
    return p->from < q->from ? -1 : 1;
  return (p->clip.track > q->clip.track) - (p->clip.track < q->clip.track);
}

static bool
check_count (double n, GError **error)
{
  if (n <= EDIT_LIST_MOST_EVENTS)
    return true;
  kg_set_error (error, KG_ERROR_LIMIT, "more than %d events: divide the clips between several lists",
                EDIT_LIST_MOST_EVENTS);
  return false;
}

/* (transfer full) (nullable) Each showing of each clip, by tracks and in the order in which they come in (array of Clip). */
static GArray *
make_pieces (const Clip *clips, guint n, GError **error)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (Clip));

  for (guint i = 0; i < n; i++) {
    const double once = clip_get_length (&clips[i]) / clips[i].repeat, showings = ceil (clips[i].repeat - 1e-9);

    if (!check_count (pieces->len + showings, error)) {
      g_array_unref (pieces);
      return NULL;
    }
    for (double k = 0; k < showings; k++) {
      const double length = (clips[i].out - clips[i].in) * fmin (clips[i].repeat - k, 1);
      Clip piece = clips[i];

      piece.at += k * once;
      piece.repeat = 1;
      if (piece.speed < 0)
        piece.in = piece.out - length;
      else
        piece.out = piece.in + length;
      if (k > 0)
        piece.transition = TRANSITION_CUT;
      g_array_append_val (pieces, piece);
    }
  }
  g_array_sort (pieces, compare_pieces);
  return pieces;
}

/* The last of some pieces that runs at a frame, which is the one on top; -1 without one. */
static int
find_top (const Clip *pieces, guint n, double frame)
{
  for (guint i = n; i > 0; i--)
    if (pieces[i - 1].at <= frame + 1e-9 && clip_get_end (&pieces[i - 1]) > frame + 1e-9)
      return (int) i - 1;
  return -1;
}

/* Appends the events of one track: a piece that another interrupts goes on after it. */
static void
add_track_events (const Clip *pieces, guint n, GArray *events)
{
  g_autofree double *cuts = g_new (double, 2 * (size_t) n);
  int last = -1;

  for (guint i = 0; i < n; i++) {
    cuts[2 * i] = pieces[i].at;
    cuts[2 * i + 1] = clip_get_end (&pieces[i]);
  }
  qsort (cuts, 2 * (size_t) n, sizeof *cuts, kg_compare_doubles);
  for (guint i = 0; i + 1 < 2 * n; i++) {
    const int top = cuts[i + 1] - cuts[i] > 1e-9 ? find_top (pieces, n, cuts[i]) : -1;
    Event event = { .from = cuts[i], .until = cuts[i + 1] };
    int under;

    if (cuts[i + 1] - cuts[i] <= 1e-9)
      continue;
    if (top >= 0 && top == last) {
      g_array_index (events, Event, events->len - 1).until = cuts[i + 1];
      continue;
    }
    last = top;
    if (top < 0)
      continue;
    event.clip = pieces[top];
    under = find_top (pieces, (guint) top, event.clip.at);
    if (under >= 0 && event.clip.transition != TRANSITION_CUT && fabs (event.from - event.clip.at) < 1e-9) {
      event.before = pieces[under];
      event.overlap =
          (int64_t) nearbyint (fmin (clip_get_end (&event.before), clip_get_end (&event.clip)) - event.clip.at);
    }
    g_array_append_val (events, event);
  }
}

/* (transfer full) (nullable) */
static GArray *
make_events (const Clip *clips, guint n, GError **error)
{
  g_autoptr (GArray) pieces = make_pieces (clips, n, error);
  const Clip *all;
  GArray *events;

  if (pieces == NULL)
    return NULL;
  all = (const Clip *) (void *) pieces->data;
  events = g_array_new (FALSE, TRUE, sizeof (Event));
  for (guint i = 0, end; i < pieces->len; i = end) {
    for (end = i + 1; end < pieces->len && all[end].track == all[i].track; end++)
      ;
    add_track_events (all + i, end - i, events);
  }
  g_array_sort (events, compare_events);
  if (!check_count (events->len, error))
    g_clear_pointer (&events, g_array_unref);
  return events;
}

/* The range of frames of the source that a piece shows from one frame of the record to another. */
static void
find_range (const Clip *clip, double from, double until, double range[2])
{
  const double pace = clip_get_pace (clip);

  if (clip->speed < 0) {
    range[1] = clip->out - (from - clip->at) * pace;
    range[0] = clip->out - (until - clip->at) * pace;
  } else {
    range[0] = clip->speed == 0 ? clip->in : clip->in + (from - clip->at) * pace;
    range[1] = range[0] + (until - from) * pace;
  }
}

static void
write_codes (GString *out, TimecodeRule rule, int64_t in, int64_t until, int64_t at, int64_t end)
{
  const int64_t frames[4] = { in, until, at, end };

  for (int i = 0; i < 4; i++) {
    char text[TIMECODE_LENGTH];

    timecode_write (frames[i], rule, text);
    g_string_append_printf (out, " %s", text);
  }
  g_string_append_c (out, '\n');
}

static void
write_head (GString *out, guint number, const char *reel, int track, const char *transition)
{
  g_autofree char *channel = track == 1 ? g_strdup ("V") : g_strdup_printf ("V%d", track);

  g_string_append_printf (out, "%03u  %-8s %-5s %-8s", number, reel, channel, transition);
}

static void
write_event (GString *out, const Event *event, guint number, const GArray *reels, const EditClock *clock)
{
  const Clip *clip = &event->clip;
  const int64_t reel_start = get_reel_start (reels, clip->source) - 1;
  const int64_t at = clock->start + (int64_t) nearbyint (event->from - clock->first);
  const int64_t end = clock->start + (int64_t) nearbyint (event->until - clock->first);
  g_autofree char *reel = dup_reel_name (reels, clip->source), *transition = NULL;
  double range[2];

  if (event->overlap > 0) {
    g_autofree char *before = dup_reel_name (reels, event->before.source);
    int64_t code;

    find_range (&event->before, event->from, event->from, range);
    code = get_reel_start (reels, event->before.source) - 1 + (int64_t) nearbyint (range[0]);
    write_head (out, number, before, clip->track, "C");
    write_codes (out, clock->rule, code, code, at, at);
    transition = wipe_numbers[clip->transition] > 0
                     ? g_strdup_printf ("W%03d %03d", wipe_numbers[clip->transition], (int) event->overlap)
                     : g_strdup_printf ("D    %03d", (int) event->overlap);
  }
  find_range (clip, event->from, event->until, range);
  write_head (out, number, reel, clip->track, transition != NULL ? transition : "C");
  write_codes (out, clock->rule, reel_start + (int64_t) nearbyint (range[0]),
               reel_start + (int64_t) nearbyint (range[1]), at, end);
  if (clip->speed != 1) {
    char code[TIMECODE_LENGTH];

    timecode_write (reel_start + (int64_t) nearbyint (range[0]), clock->rule, code);
    g_string_append_printf (out, "M2   %-8s %.10g %s\n", reel, clip->speed * (double) clock->rule.rate, code);
  }
  if (event->overlap > 0 && clip->transition == TRANSITION_FADE)
    g_string_append (out, FADE_COMMENT "\n");
}

char *
edit_list_write (const Clip *clips, guint n, const GArray *reels, const char *title, const EditClock *clock,
                 GError **error)
{
  g_autofree char *line = g_strdelimit (g_strdup (title), "\r\n", ' ');
  g_autoptr (GArray) events = make_events (clips, n, error);
  GString *out;

  if (events == NULL)
    return NULL;
  out = g_string_new (NULL);
  g_string_append_printf (out, "TITLE: %s\nFCM: %s\n", line, clock->rule.drop ? "DROP FRAME" : "NON-DROP FRAME");
  for (guint i = 0, number = 0; i < events->len; i++) {
    const Event *event = &g_array_index (events, Event, i);

    if (nearbyint (event->until) > nearbyint (event->from))
      write_event (out, event, ++number, reels, clock);
  }
  return g_string_free (out, FALSE);
}

/* Reading. */

/* The words of an event: number reel track transition [frames] and four timecodes.  The name of the reel may have blanks. */
typedef struct {
  char **words;
  guint n;
  guint line;
  guint track;      /* the word with the track */
  int64_t codes[4]; /* source in, source out, record in, record out */
} Row;

/* What was read last, for what the lines after it say of it. */
typedef struct {
  EditClock *clock;
  GArray *reels, *clips;
  guint from; /* the first clip of the list */
  EditListNotes *notes;
  int clip;            /* of the last event; -1: it had none */
  int64_t source_end;  /* where its source ends, the later of its two timecodes, as a frame */
  bool length_counted; /* in notes->lengths */
  bool starts;         /* there is a line of no length: what the next transition comes from */
  guint start_source;
  int64_t start_code, start_at;
  int start_track;
} Reading;

/* A difference of timecodes; one that goes back by more than half a day has passed midnight. */
static int64_t
subtract (int64_t code, int64_t start, TimecodeRule rule)
{
  const int64_t day = timecode_get_day (rule);

  return code - start < -day / 2 ? code - start + day : code - start;
}

/* Whether a word is a track that shows images, and which; sound alone: false. */
static bool
read_track (const char *word, int *track)
{
  const char *video = strpbrk (word, "Vv");

  *track = 1;
  if (video == NULL)
    return g_ascii_strcasecmp (word, "B") == 0;
  if (g_ascii_isdigit (video[1]))
    *track = CLAMP (atoi (video + 1), 1, 1000000);
  return true;
}

static bool
is_track (const char *word)
{
  return strspn (word, "ABVabv/0123456789") == strlen (word) || g_ascii_strcasecmp (word, "NONE") == 0;
}

static bool
is_transition (const char *word)
{
  return strchr ("CDWKcdwk", word[0]) != NULL && strspn (word + 1, "0123456789Bb") == strlen (word + 1);
}

static bool
read_transition (const Row *row, TransitionKind *kind, int64_t *frames, EditListNotes *notes, GError **error)
{
  const char *word = row->words[row->track + 1], *length = row->words[row->track + 2];

  *kind = TRANSITION_CUT;
  *frames = 0;
  switch (g_ascii_toupper (word[0])) {
  case 'K':
    notes->keys++;
    return true;
  case 'C':
    return true;
  case 'W':
    for (guint i = 0; i < TRANSITION_N; i++)
      if (wipe_numbers[i] > 0 && wipe_numbers[i] == atoi (word + 1))
        *kind = (TransitionKind) i;
    notes->patterns += *kind == TRANSITION_CUT;
    break;
  default:
    break;
  }
  if (*kind == TRANSITION_CUT)
    *kind = TRANSITION_DISSOLVE;
  if (row->track + 2 >= row->n - 4 || !g_ascii_isdigit (length[0])) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: the transition has no number of frames", row->line);
    return false;
  }
  *frames = CLAMP (atoi (length), 0, 1000000);
  if (*frames == 0)
    *kind = TRANSITION_CUT;
  return true;
}

static bool
overlaps (const GArray *clips, guint from, const Clip *clip)
{
  for (guint i = from; i < clips->len; i++) {
    const Clip *other = &g_array_index (clips, Clip, i);

    if (other->track == clip->track && other->at < clip_get_end (clip) - 0.5 && clip->at < clip_get_end (other) - 0.5)
      return true;
  }
  return false;
}

/* What a transition of some frames comes from: the clip that ends there, which is shown on; or what the line of no length before
 * it says. */
static void
add_start (const Reading *reading, const Clip *clip, double frames)
{
  /* (An empty array has no data to point into.) */
  const guint n = reading->clips->len - reading->from;
  const Clip *all = (const Clip *) (void *) reading->clips->data;
  int before = n > 0 ? clips_find_ending (all + reading->from, n, clip->track, clip->at) : -1;
  Clip start = { .at = clip->at, .track = clip->track, .speed = 1, .repeat = 1, .transition = TRANSITION_CUT };

  before += (int) reading->from;
  if (before >= (int) reading->from && (!reading->starts || all[before].source == reading->start_source)) {
    clip_lengthen (&g_array_index (reading->clips, Clip, before), frames);
    return;
  }
  if (!reading->starts)
    return;
  start.source = reading->start_source;
  start.in =
      (double) subtract (reading->start_code, get_reel_start (reading->reels, start.source), reading->clock->rule) + 1;
  start.out = start.in + frames;
  g_array_append_val (reading->clips, start);
}

/* The words from the second up to the track. */
static char *
dup_reel (const Row *row)
{
  GString *name = g_string_new (row->words[1]);

  for (guint i = 2; i < row->track; i++)
    g_string_append_printf (name, " %s", row->words[i]);
  return g_string_free (name, FALSE);
}

static bool
add_event (const Row *row, Reading *reading, GError **error)
{
  const EditClock *clock = reading->clock;
  const int64_t source_length = subtract (row->codes[1], row->codes[0], clock->rule);
  const int64_t length = subtract (row->codes[3], row->codes[2], clock->rule);
  g_autofree char *reel = dup_reel (row);
  Clip clip = { .speed = 1, .repeat = 1 };
  int64_t frames, reel_start;

  reading->clip = -1;
  reading->length_counted = false;
  if (!read_track (row->words[row->track], &clip.track)) {
    reading->notes->sounds++;
    return true;
  }
  if (!read_transition (row, &clip.transition, &frames, reading->notes, error))
    return false;
  if (length < 0) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: the record ends before it begins", row->line);
    return false;
  }
  clip.source = find_reel (reading->reels, reel);
  if (length == 0) {
    reading->starts = true;
    reading->start_source = clip.source;
    reading->start_code = row->codes[0];
    reading->start_at = row->codes[2];
    reading->start_track = clip.track;
    return true;
  }
  reading->starts = reading->starts && reading->start_at == row->codes[2] && reading->start_track == clip.track;
  reel_start = get_reel_start (reading->reels, clip.source);
  clip.in = (double) subtract (row->codes[0], reel_start, clock->rule) + 1;
  clip.out = clip.in + (double) length;
  clip.at = clock->first + (double) subtract (row->codes[2], clock->start, clock->rule);
  reading->source_end = (int64_t) clip.in + MAX (source_length, 0);
  reading->notes->events++;
  /* A change of speed, which explains it, comes in a line after it: see add_speed. */
  reading->length_counted = source_length != length;
  reading->notes->lengths += reading->length_counted;
  if (overlaps (reading->clips, reading->from, &clip)) {
    reading->notes->overlaps++;
    /* (Assembling refuses nothing.) */
    clips_insert (reading->clips, &clip, CLIPS_ASSEMBLE, 0, clock->first, NULL);
    g_array_set_size (reading->clips, reading->clips->len - 1);
  }
  /* What it comes from is listed before it. */
  if (frames > 0)
    add_start (reading, &clip, (double) MIN (frames, length));
  g_array_append_val (reading->clips, clip);
  reading->clip = (int) reading->clips->len - 1;
  reading->starts = false;
  return true;
}

/* M2: the speed of the event before it, in frames a second.  Before a transition there may be one for each side: that of what it
 * comes from was told where that began. */
static bool
add_speed (char **words, guint n, guint line, Reading *reading, GError **error)
{
  char *end = NULL;
  const double rate = n >= 3 ? g_ascii_strtod (words[2], &end) : NAN;
  Clip *clip = reading->clip >= 0 ? &g_array_index (reading->clips, Clip, reading->clip) : NULL;
  g_autofree char *reel = clip != NULL ? dup_reel_name (reading->reels, clip->source) : NULL;
  double length, pace;

  if (end == NULL || *end != '\0' || !(fabs (rate) <= 1e6)) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "line %u: M2 needs a reel and a speed in frames per second", line);
    return false;
  }
  /* Of sound, or of another reel. */
  if (clip == NULL || g_ascii_strcasecmp (reel, words[1]) != 0)
    return true;
  length = clip_get_length (clip);
  clip->speed = rate / (double) reading->clock->rule.rate;
  if (fabs (clip->speed) < CLIP_MIN_SPEED)
    clip->speed = 0;
  pace = clip_get_pace (clip);
  /* Backwards it starts at the end of its source. */
  if (clip->speed < 0) {
    clip->out = (double) reading->source_end > clip->in ? (double) reading->source_end : clip->in;
    clip->in = clip->out - length * pace;
  } else
    clip->out = clip->in + length * pace;
  reading->notes->lengths -= reading->length_counted ? 1 : 0;
  reading->length_counted = false;
  return true;
}

/* Blanks between words count once. */
static char **
split_line (const char *line, guint *n)
{
  char **words = g_strsplit_set (line, " \t\r", -1);

  *n = 0;
  for (guint i = 0; words[i] != NULL; i++) {
    if (words[i][0] != '\0')
      words[(*n)++] = words[i];
    else
      g_free (words[i]);
  }
  words[*n] = NULL;
  return words;
}

/* Finds the track and reads the timecodes. */
static bool
read_row (Row *row, TimecodeRule rule, GError **error)
{
  for (row->track = 2; row->track + 5 < row->n; row->track++)
    if (is_track (row->words[row->track]) && is_transition (row->words[row->track + 1]))
      break;
  if (row->track + 5 >= row->n) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "line %u: an event has a number, a reel, a track such as V, a transition and four timecodes",
                  row->line);
    return false;
  }
  /* (What stands in the file is not quoted: it may be any file.) */
  for (guint i = 0; i < 4; i++)
    if (!timecode_read (row->words[row->n - 4 + i], rule, "", &row->codes[i], NULL)) {
      kg_set_error (error, KG_ERROR_INVALID_VALUE,
                    "line %u: timecode %u of 4 cannot be read: write hours, minutes, seconds and frames, such as "
                    "01:00:00:00, with frames up to %d",
                    row->line, i + 1, (int) rule.rate - 1);
      return false;
    }
  return true;
}

/* The smallest timecode of the record, where the list begins; 0 without events. */
static bool
find_start (char **lines, TimecodeRule rule, int64_t *start, GError **error)
{
  *start = -1;
  for (guint i = 0; lines[i] != NULL; i++) {
    Row row = { .line = i + 1 };
    g_auto (GStrv) words = split_line (lines[i], &row.n);
    int track;

    row.words = words;
    if (row.n == 0 || !g_ascii_isdigit (words[0][0]))
      continue;
    if (!read_row (&row, rule, error))
      return false;
    if (read_track (words[row.track], &track))
      *start = *start < 0 ? row.codes[2] : MIN (*start, row.codes[2]);
  }
  *start = MAX (*start, 0);
  return true;
}

/* Whether numbers are dropped, as the list says; as it was where it says nothing. */
static bool
find_drop (char **lines, bool drop)
{
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_ascii_strncasecmp (lines[i], "FCM:", 4) == 0)
      return strstr (lines[i], "NON") == NULL && strstr (lines[i], "non") == NULL;
  return drop;
}

static bool
read_line (char *line, guint number, Reading *reading, GError **error)
{
  Row row = { .line = number };
  g_auto (GStrv) words = split_line (line, &row.n);

  row.words = words;
  if (row.n == 0)
    return true;
  if (g_ascii_strncasecmp (line, "TITLE:", 6) == 0 && reading->notes->title == NULL)
    reading->notes->title = g_strdup (g_strstrip (line + 6));
  else if (g_str_has_prefix (line, FADE_COMMENT) && reading->clip >= 0)
    g_array_index (reading->clips, Clip, reading->clip).transition = TRANSITION_FADE;
  else if (g_ascii_strcasecmp (words[0], "M2") == 0)
    return add_speed (words, row.n, number, reading, error);
  else if (g_ascii_isdigit (words[0][0]) &&
           (!read_row (&row, reading->clock->rule, error) || !add_event (&row, reading, error)))
    return false;
  if (reading->notes->events <= EDIT_LIST_MOST_EVENTS)
    return true;
  kg_set_error (error, KG_ERROR_LIMIT, "line %u: more than %d events: divide the list", number, EDIT_LIST_MOST_EVENTS);
  return false;
}

/* (transfer full) The lines, which end with a line feed, a carriage return or both.  A mark of the byte order may come first. */
static char **
split_lines (const char *text)
{
  GString *copy = g_string_new (g_str_has_prefix (text, "\xef\xbb\xbf") ? text + 3 : text);
  char **lines;

  g_string_replace (copy, "\r\n", "\n", 0);
  g_strdelimit (copy->str, "\r", '\n');
  lines = g_strsplit (copy->str, "\n", -1);
  g_string_free (copy, TRUE);
  return lines;
}

bool
edit_list_read (const char *text, EditClock *clock, GArray *reels, GArray *clips, EditListNotes *notes, GError **error)
{
  g_auto (GStrv) lines = split_lines (text);
  Reading reading = { .clock = clock, .reels = reels, .clips = clips, .from = clips->len, .notes = notes, .clip = -1 };

  *notes = (EditListNotes){ .title = NULL };
  clock->rule.drop = find_drop (lines, clock->rule.drop);
  if (clock->rule.drop && clock->rule.rate % 30 != 0) {
    clock->rule.drop = false;
    notes->kept_numbers = true;
  }
  if (clock->start < 0 && !find_start (lines, clock->rule, &clock->start, error))
    return false;
  for (guint i = 0; lines[i] != NULL; i++)
    if (!read_line (lines[i], i + 1, &reading, error))
      return false;
  if (notes->title == NULL)
    notes->title = g_strdup ("");
  return true;
}

void
edit_list_notes_clear (EditListNotes *notes)
{
  g_clear_pointer (&notes->title, g_free);
}
