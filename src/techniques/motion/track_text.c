/* track_text: words and expressions of a line, and pieces of movement as a channel.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/track_text.h"

#include "kg-suggest.h"

#include <math.h>
#include <string.h>

static bool
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

bool
track_reader_next_line (TrackReader *reader, const char *text)
{
  const char *start = text;

  if (reader->line != NULL) {
    start = strchr (reader->line, '\n');
    if (start == NULL)
      return false;
    start++;
  }
  reader->number++;
  reader->line = reader->next = reader->token = start;
  reader->end = start + strcspn (start, "#\n");
  return true;
}

bool
track_reader_at_end (TrackReader *reader)
{
  while (reader->next < reader->end && strchr (" \t\r,", *reader->next) != NULL)
    reader->next++;
  reader->token = reader->next;
  return reader->next == reader->end;
}

bool
track_fail (const TrackReader *reader, const char *at, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (kg_translate (format), arguments);
  va_end (arguments);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "%s %u, column %u: %s", reader->label, reader->number,
                (guint) g_utf8_strlen (reader->line, (at != NULL ? at : reader->token) - reader->line) + 1, message);
  return false;
}

char *
track_take_name (TrackReader *reader, const char *what, GError **error)
{
  const char *start;

  if (track_reader_at_end (reader)) {
    track_fail (reader, NULL, error, "%s is missing", kg_translate (what));
    return NULL;
  }
  start = reader->next;
  while (reader->next < reader->end && is_word (*reader->next))
    reader->next++;
  if (reader->next > start && !g_ascii_isdigit (*start) && reader->next - start <= 100)
    return g_strndup (start, (gsize) (reader->next - start));
  track_fail (reader, NULL, error,
              "%s is expected here: a name of letters, digits and _ that does not start with a digit",
              kg_translate (what));
  return NULL;
}

bool
track_take_keyword (TrackReader *reader, const char *keyword)
{
  const gsize length = strlen (keyword);

  if (track_reader_at_end (reader) || (gsize) (reader->end - reader->next) < length ||
      strncmp (reader->next, keyword, length) != 0 ||
      (is_word (keyword[length - 1]) && reader->next + length < reader->end && is_word (reader->next[length])))
    return false;
  reader->next += length;
  return true;
}

bool
track_expect_keyword (TrackReader *reader, const char *keyword, GError **error)
{
  return track_take_keyword (reader, keyword) || track_fail (reader, NULL, error, "\"%s\" is expected here", keyword);
}

bool
track_expect_end (TrackReader *reader, GError **error)
{
  return track_reader_at_end (reader) ||
         track_fail (reader, NULL, error, "unexpected \"%.*s\": the line should end here",
                     (int) MIN (reader->end - reader->next, 40), reader->next);
}

/* Expressions. */

/* The column of the expression is reported as that of the line. */
static bool
fail_expression (const TrackReader *reader, const char *start, const char *text, GError *cause, GError **error)
{
  const char *reason;
  const guint column = CLAMP (kg_error_get_column (cause, &reason), 1, (guint) g_utf8_strlen (text, -1) + 1);

  track_fail (reader, start + (g_utf8_offset_to_pointer (text, (glong) column - 1) - text), error, "%s", reason);
  g_error_free (cause);
  return false;
}

/* A lone word: a name that is unknown here, with what the script has given a name to. */
static bool
fail_name (const TrackReader *reader, const char *start, const char *name, GError **error)
{
  g_autofree char *meant = kg_suggest (name, reader->names);

  return meant[0] != '\0'
             ? track_fail (reader, start, error, "unknown name \"%s\"%s", name, meant)
             : track_fail (reader, start, error,
                           "unknown name \"%s\": write a number, or give it a value on a line above", name);
}

static bool
is_name (const char *text)
{
  size_t n = 0;

  while (is_word (text[n]))
    n++;
  return n > 0 && text[n] == '\0' && !g_ascii_isdigit (text[0]) && !kg_expression_is_function (text);
}

static bool
evaluate (TrackReader *reader, const char *start, const char *end, double *value, GError **error)
{
  g_autofree char *text = g_strndup (start, (gsize) (end - start));
  const KgMoment moment = { 0 };
  GError *cause = NULL;
  g_autoptr (KgExpression)
      expression = kg_expression_new_with_names (text, reader->names, KG_EXPRESSION_NAMES_BESIDE, &cause);
  g_autofree double *values = NULL;
  guint n;

  if (expression == NULL && is_name (text)) {
    g_error_free (cause);
    return fail_name (reader, start, text, error);
  }
  if (expression == NULL)
    return fail_expression (reader, start, text, cause, error);
  if (kg_expression_get_n_results (expression) != 1)
    return track_fail (reader, start, error, "%u results: only one is allowed",
                       kg_expression_get_n_results (expression));
  if (kg_expression_uses_time (expression))
    return track_fail (reader, start, error, "the time cannot be used here: the script describes all frames");
  n = kg_expression_get_n_references (expression);
  values = g_new0 (double, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    const KgReference *reference = kg_expression_get_reference (expression, i);
    const char *at = start + (g_utf8_offset_to_pointer (text, (glong) reference->column - 1) - text);

    if (reference->node[0] != '\0' && (reader->ask == NULL || reference->component != NULL))
      return track_fail (reader, at, error, "%s.%s cannot be read here", reference->node, reference->slot);
    if (reference->node[0] != '\0' ? reader->ask (reader->data, reference->node, reference->slot, &values[i], &cause)
                                   : reader->look_up (reader->data, reference->slot, &values[i], &cause))
      continue;
    if (cause == NULL)
      return track_fail (reader, at, error, "unknown name \"%s\"", reference->slot);
    /* The error of an expression already has its position. */
    if (cause->code == KG_ERROR_INVALID_VALUE)
      g_propagate_error (error, cause);
    else {
      track_fail (reader, at, error, "%s", cause->message);
      g_error_free (cause);
    }
    return false;
  }
  return kg_expression_evaluate (expression, &moment, values, value, &cause) ||
         fail_expression (reader, start, text, cause, error);
}

/* Most words are plain numbers, which need no expression. */
static bool
read_number (const char *start, const char *end, double *value)
{
  char word[32], *rest;
  const size_t length = (size_t) (end - start);

  if (length == 0 || length >= sizeof word || strspn (start, "0123456789.+-") < length)
    return false;
  memcpy (word, start, length);
  word[length] = '\0';
  *value = g_ascii_strtod (word, &rest);
  return *rest == '\0' && g_ascii_isdigit (word[length - 1]);
}

bool
track_take_value (TrackReader *reader, const char *what, double *value, GError **error)
{
  const char *start, *name;
  guint depth = 0;

  if (track_reader_at_end (reader))
    return track_fail (reader, NULL, error, "%s is missing", kg_translate (what));
  start = name = reader->next;
  if (*name == '-' || *name == '+')
    name++;
  do {
    if (*reader->next == '(')
      depth++;
    else if (*reader->next == ')' && depth > 0)
      depth--;
    reader->next++;
  } while (reader->next < reader->end && (depth > 0 || strchr (" \t\r,", *reader->next) == NULL));
  if (depth > 0)
    return track_fail (reader, NULL, error, "this bracket is not closed");
  if (name < reader->next && !g_ascii_isdigit (*name) && !is_word (*name) && *name != '.' && *name != '(')
    return track_fail (reader, NULL, error, "%s is expected here: a number, a name, or an expression in brackets",
                       kg_translate (what));
  return read_number (start, reader->next, value) || evaluate (reader, start, reader->next, value, error);
}

bool
track_take_expression (TrackReader *reader, const char *keyword, double *value, GError **error)
{
  const char *start, *end;

  if (track_reader_at_end (reader))
    return track_fail (reader, NULL, error, "an expression is missing");
  start = reader->next;
  for (end = start; end < reader->end; end++)
    if (keyword != NULL && end > start && strchr (" \t", end[-1]) != NULL &&
        strncmp (end, keyword, strlen (keyword)) == 0 && !is_word (end[strlen (keyword)]))
      break;
  reader->next = end;
  return evaluate (reader, start, end, value, error);
}

/* Changes. */

bool
track_take_ease (TrackReader *reader, TrackEase *ease, GError **error)
{
  static const char *const names[] = { "linear", "in", "out", "smooth" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (track_take_keyword (reader, names[i])) {
      *ease = (TrackEase) i;
      return true;
    }
  return track_fail (reader, NULL, error, "an ease must be linear, in, out or smooth");
}

double
track_ease (TrackEase ease, double u, double *slope)
{
  switch (ease) {
  case TRACK_IN:
    *slope = 2 * u;
    return u * u;
  case TRACK_OUT:
    *slope = 2 - 2 * u;
    return u * (2 - u);
  case TRACK_SMOOTH:
    *slope = 6 * u * (1 - u);
    return u * u * (3 - 2 * u);
  case TRACK_LINEAR:
  default:
    *slope = 1;
    return u;
  }
}

/* A cubic is a Bézier curve whose handles reach a third of its time; a straight one needs none. */
static void
add_keys (const TrackPiece *piece, GArray *keys)
{
  const double length = piece->high - piece->low;
  const double secant = length > 0 ? (piece->value[1] - piece->value[0]) / length : 0;
  const bool straight = piece->slope[0] == piece->slope[1] && fabs (piece->slope[0] - secant) <= 1e-12 * fabs (secant);
  KgKey *first = keys->len > 0 ? &g_array_index (keys, KgKey, keys->len - 1) : NULL, key;

  if (first == NULL || first->at != piece->low || first->value[0] != piece->value[0]) {
    kg_key_init (&key, piece->low, piece->value[0]);
    key.tangents = KG_TANGENT_FREE;
    g_array_append_val (keys, key);
    first = &g_array_index (keys, KgKey, keys->len - 1);
  }
  if (length <= 0)
    return;
  first->interpolation = piece->value[0] == piece->value[1] && straight ? KG_INTERPOLATE_CONSTANT
                         : straight                                     ? KG_INTERPOLATE_LINEAR
                                                                        : KG_INTERPOLATE_BEZIER;
  first->out = (KgHandle){ .reach = length / 3, .rise = { piece->slope[0] * length / 3 } };
  kg_key_init (&key, piece->high, piece->value[1]);
  key.tangents = KG_TANGENT_FREE;
  key.interpolation = KG_INTERPOLATE_CONSTANT;
  key.in = (KgHandle){ .reach = length / 3, .rise = { -piece->slope[1] * length / 3 } };
  g_array_append_val (keys, key);
}

KgChannel *
track_pieces_to_channel (const GArray *pieces, double start, GError **error)
{
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (KgKey));

  if (pieces->len == 0 || g_array_index (pieces, TrackPiece, 0).value[0] != start) {
    /* Before the first statement there is the start value: a key that holds up to a step there.  (Two keys at one place
     * would not do, as the later of the two holds before them.) */
    const double at = pieces->len > 0 ? g_array_index (pieces, TrackPiece, 0).low - 1 : 0;
    KgKey key;

    kg_key_init (&key, at, start);
    key.interpolation = KG_INTERPOLATE_CONSTANT;
    g_array_append_val (keys, key);
  }
  for (guint i = 0; i < pieces->len; i++)
    add_keys (&g_array_index (pieces, TrackPiece, i), keys);
  return kg_channel_new_keys (1, false, (const KgKey *) (gpointer) keys->data, keys->len, KG_EXTEND_HOLD,
                              KG_EXTEND_HOLD, error);
}
