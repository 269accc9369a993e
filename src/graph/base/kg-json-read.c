/* kg-json-read: texts become trees, and problems get their places.
 *
 * A scanner goes over the text value by value.  On the way it hands json-c the text piece by piece; to find places it runs
 * once more, beside the tree.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-json.h"

#include <float.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

/* Up to this many names of an object are compared one by one. */
#define FEW 16

/* A text is given to json-c in pieces: as a whole, or, where it is longer than this, the values of a container each for
 * itself, so that each can be made small (see shrink) before the next one comes. */
#define PIECE 4096

/* What json-c is given in the place of some of the text. */
typedef struct {
  const char *from, *to;
  const char *instead;
} Patch;

/* A container that is not closed yet. */
typedef struct {
  bool is_object;
  guint n;                /* values before the present one */
  gsize first, name;      /* in names: its first name and the present one */
  GHashTable *seen;       /* (nullable) its names, where they are many */
  const char *start, *to; /* of its text: to the end of its last value */
  const char *comma;      /* (nullable) before it, where it is left out */
  guint n_patches;        /* before it */
  KgJson *json;           /* (nullable) */
} Level;

typedef struct {
  const char *start, *end, *at;
  guint line;
  const char *line_start;
  const char *counted; /* how far columns are counted in this line, so that counting stays linear */
  guint columns;
  gsize n_values;
  GPtrArray *problems; /* (nullable) */
  GArray *open;        /* Level, outermost first */
  GString *names;      /* of the objects among them, each ended by a 0 */
  bool is_named;       /* the present value of the innermost one has its name already */
  GArray *patches;     /* Patch */
  KgJson *root;
  /* Reading: */
  struct json_tokener *tokener; /* (nullable) */
  guint n_built;                /* of the open ones so many, from the outermost on, are there already */
  guint n_patched;              /* patches that json-c was given */
  /* Finding places: */
  GHashTable *wanted; /* (nullable) const KgJson * -> Place */
} Scanner;

typedef struct {
  guint line, column; /* 0: not found yet */
} Place;

static Level *
get_level (const Scanner *scanner, guint index)
{
  return &g_array_index (scanner->open, Level, index);
}

/* (nullable) The innermost one. */
static Level *
get_last (const Scanner *scanner)
{
  return scanner->open->len > 0 ? get_level (scanner, scanner->open->len - 1) : NULL;
}

static guint
get_column (Scanner *scanner, const char *at)
{
  if (scanner->counted < scanner->line_start || scanner->counted > at) {
    scanner->counted = scanner->line_start;
    scanner->columns = 1;
  }
  for (; scanner->counted < at; scanner->counted++)
    scanner->columns += ((unsigned char) *scanner->counted & 0xc0) != 0x80;
  return scanner->columns;
}

static void
append_pointer (GString *pointer, const char *name)
{
  g_string_append_c (pointer, '/');
  for (; *name != '\0'; name++)
    if (*name == '~')
      g_string_append (pointer, "~0");
    else if (*name == '/')
      g_string_append (pointer, "~1");
    else
      g_string_append_c (pointer, *name);
}

/* Always false, for callers that stop: after a syntax error the rest means nothing. */
static bool
report_at (Scanner *scanner, const char *at, const char *format, ...)
{
  g_autoptr (GString) pointer = g_string_new (NULL);
  g_autofree char *message = NULL;
  va_list arguments;

  if (scanner->problems == NULL)
    return false;
  for (guint i = 0; i < scanner->open->len; i++) {
    const Level *level = get_level (scanner, i);

    if (!level->is_object)
      g_string_append_printf (pointer, "/%u", level->n);
    else if (i + 1 < scanner->open->len || scanner->is_named)
      append_pointer (pointer, scanner->names->str + level->name);
    /* The path of a deeply nested value would be as long as the file. */
    if (pointer->len > 200) {
      g_string_append (pointer, "/…");
      break;
    }
  }
  va_start (arguments, format);
  message = g_strdup_vprintf (kg_translate (format), arguments);
  va_end (arguments);
  kg_problems_add_at (scanner->problems, scanner->line, get_column (scanner, at), pointer->str, "%s", message);
  return false;
}

static void
add_patch (Scanner *scanner, const char *from, const char *to, const char *instead)
{
  const Patch patch = { from, to, instead };

  if (scanner->tokener != NULL)
    g_array_append_val (scanner->patches, patch);
}

/* Texts of values. */

static void
skip_space (Scanner *scanner)
{
  for (; scanner->at < scanner->end; scanner->at++) {
    if (*scanner->at == '\n') {
      scanner->line++;
      scanner->line_start = scanner->at + 1;
    } else if (*scanner->at != ' ' && *scanner->at != '\t' && *scanner->at != '\r')
      return;
  }
}

static const char *
describe_here (const Scanner *scanner)
{
  static const char *const words[] = { N_ ("a line break"), N_ ("a control character") };

  if (scanner->at >= scanner->end)
    return N_ ("the end of the text");
  if (*scanner->at == '\n')
    return words[0];
  return (unsigned char) *scanner->at < 32 ? words[1] : NULL;
}

static bool
stop_expected (Scanner *scanner, const char *what)
{
  const char *here = describe_here (scanner);

  if (here != NULL)
    return report_at (scanner, scanner->at, "expected %s, found %s", kg_translate (what), kg_translate (here));
  return report_at (scanner, scanner->at, "expected %s, found \"%.*s\"", kg_translate (what),
                    (int) (g_utf8_next_char (scanner->at) - scanner->at), scanner->at);
}

static bool
scan_hex (Scanner *scanner, gunichar *code)
{
  *code = 0;
  for (int i = 0; i < 4; i++) {
    if (scanner->at >= scanner->end || !g_ascii_isxdigit (*scanner->at))
      return report_at (scanner, scanner->at, "\\u needs four hexadecimal digits");
    *code = *code * 16 + (gunichar) g_ascii_xdigit_value (*scanner->at++);
  }
  return true;
}

/* The character that is escaped here. */
static bool
scan_escape (Scanner *scanner, gunichar *code)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *start = scanner->at++;
  const char *found;
  gunichar low;

  if (scanner->at >= scanner->end)
    return stop_expected (scanner, "the rest of a string");
  found = memchr (from, *scanner->at, 8);
  if (found != NULL) {
    *code = (gunichar) to[found - from];
    scanner->at++;
    return true;
  }
  if (*scanner->at != 'u')
    return report_at (scanner, start, "\\%c is not a JSON escape", g_ascii_isprint (*scanner->at) ? *scanner->at : '?');
  scanner->at++;
  if (!scan_hex (scanner, code))
    return false;
  if (*code >= 0xd800 && *code < 0xdc00) {
    if (scanner->end - scanner->at < 2 || scanner->at[0] != '\\' || scanner->at[1] != 'u')
      return report_at (scanner, start, "half of a surrogate pair");
    scanner->at += 2;
    if (!scan_hex (scanner, &low))
      return false;
    if (low < 0xdc00 || low > 0xdfff)
      return report_at (scanner, start, "half of a surrogate pair");
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
  } else if (*code >= 0xdc00 && *code < 0xe000)
    return report_at (scanner, start, "half of a surrogate pair");
  if (*code == 0)
    return report_at (scanner, start, "a string cannot contain the character 0");
  return true;
}

/* text: (nullable) where what the string says is appended. */
static bool
scan_string (Scanner *scanner, gsize most, GString *text)
{
  const char *start = scanner->at++;
  gsize length = 0;

  for (;;) {
    const char *run = scanner->at;
    gunichar code;

    while (scanner->at < scanner->end && *scanner->at != '"' && *scanner->at != '\\' &&
           (unsigned char) *scanner->at >= 32)
      scanner->at++;
    length += (gsize) (scanner->at - run);
    if (length > most)
      return report_at (scanner, start, "longer than %zu bytes", most);
    if (text != NULL)
      g_string_append_len (text, run, scanner->at - run);
    if (scanner->at >= scanner->end)
      return report_at (scanner, start, "an unterminated string");
    if (*scanner->at == '"') {
      scanner->at++;
      return true;
    }
    if (*scanner->at != '\\')
      return report_at (scanner, scanner->at, "a control character in a string: write it as \\n, \\t or \\u%04x",
                        (unsigned char) *scanner->at);
    if (!scan_escape (scanner, &code))
      return false;
    length += (gsize) g_unichar_to_utf8 (code, NULL);
    if (text != NULL)
      g_string_append_unichar (text, code);
  }
}

static bool
scan_digits (Scanner *scanner)
{
  const char *start = scanner->at;

  while (scanner->at < scanner->end && g_ascii_isdigit (*scanner->at))
    scanner->at++;
  return scanner->at > start;
}

/* What json-c cannot take is patched: whole numbers beyond 64 bits, the sign of 0, and numbers without end. */
static void
check_number (Scanner *scanner, const char *start, bool is_whole, bool has_exponent)
{
  const gsize length = (gsize) (scanner->at - start);

  if (length > KG_JSON_MAX_DIGITS) {
    report_at (scanner, start, "a number of more than %zu characters", KG_JSON_MAX_DIGITS);
    add_patch (scanner, start, scanner->at, "1e999");
    return;
  }
  if (has_exponent || length > DBL_MAX_10_EXP) {
    g_autofree char *copy = g_strndup (start, length);

    if (!isfinite (g_ascii_strtod (copy, NULL)))
      report_at (scanner, start, "%.40s is too large for a number (the largest is about 1.8e308)", copy);
  }
  if (is_whole && (length >= 19 || (length == 2 && strncmp (start, "-0", 2) == 0)))
    add_patch (scanner, scanner->at, scanner->at, "e0");
}

static bool
scan_number (Scanner *scanner)
{
  const char *start = scanner->at;
  bool is_whole = true, has_exponent = false;

  if (*scanner->at == '-')
    scanner->at++;
  if (scanner->at < scanner->end && *scanner->at == '0') {
    scanner->at++;
    if (scanner->at < scanner->end && g_ascii_isdigit (*scanner->at))
      return report_at (scanner, start, "a number cannot start with 0");
  } else if (!scan_digits (scanner))
    return stop_expected (scanner, "a digit");
  if (scanner->at < scanner->end && *scanner->at == '.') {
    is_whole = false;
    scanner->at++;
    if (!scan_digits (scanner))
      return stop_expected (scanner, "a digit after the decimal point");
  }
  if (scanner->at < scanner->end && (*scanner->at == 'e' || *scanner->at == 'E')) {
    is_whole = false;
    has_exponent = true;
    scanner->at++;
    if (scanner->at < scanner->end && (*scanner->at == '+' || *scanner->at == '-'))
      scanner->at++;
    if (!scan_digits (scanner))
      return stop_expected (scanner, "a digit of the exponent");
  }
  check_number (scanner, start, is_whole, has_exponent);
  return true;
}

static bool
scan_word (Scanner *scanner, const char *word)
{
  const gsize length = strlen (word);

  if ((gsize) (scanner->end - scanner->at) < length || strncmp (scanner->at, word, length) != 0)
    return stop_expected (scanner, "a value");
  scanner->at += length;
  return true;
}

static bool
scan_scalar (Scanner *scanner)
{
  switch (*scanner->at) {
  case '"':
    return scan_string (scanner, KG_JSON_MAX_STRING, NULL);
  case 't':
    return scan_word (scanner, "true");
  case 'f':
    return scan_word (scanner, "false");
  case 'n':
    if (!scan_word (scanner, "null"))
      return false;
    add_patch (scanner, scanner->at - strlen ("null"), scanner->at, "NaN");
    return true;
  default:
    if (*scanner->at != '-' && !g_ascii_isdigit (*scanner->at))
      return stop_expected (scanner, "a value");
    return scan_number (scanner);
  }
}

/* Building. */

/* json-c gives every object room for 16 members, 640 bytes, but most have two. */
static void
shrink (KgJson *json)
{
  struct lh_table *table = json_object_get_object (json);

  for (guint i = 0; json_object_is_type (json, json_type_array) && i < json_object_array_length (json); i++)
    shrink (json_object_array_get_idx (json, i));
  if (table == NULL)
    return;
  for (const struct lh_entry *entry = table->head; entry != NULL; entry = lh_entry_next (entry))
    shrink ((KgJson *) lh_entry_v (entry));
  if (table->count < 5)
    lh_table_resize (table, table->count + 1);
}

/* (nullable) What json-c makes of the text so far. */
static KgJson *
feed (Scanner *scanner, const char *from, const char *to)
{
  return json_tokener_parse_ex (scanner->tokener, from, (int) (to - from));
}

/* (nullable) What stands between from and to, and after that one character more. */
static KgJson *
build (Scanner *scanner, const char *from, const char *to, const char *more)
{
  KgJson *json;

  json_tokener_reset (scanner->tokener);
  for (; scanner->n_patched < scanner->patches->len; scanner->n_patched++) {
    const Patch *patch = &g_array_index (scanner->patches, Patch, scanner->n_patched);

    if (patch->from > to)
      break;
    feed (scanner, from, patch->from);
    feed (scanner, patch->instead, patch->instead + strlen (patch->instead));
    from = patch->to;
  }
  json = feed (scanner, from, to);
  if (json == NULL)
    json = feed (scanner, more, more + 1);
  shrink (json);
  return json;
}

/* Takes json, which is in so many containers. */
static bool
put (Scanner *scanner, guint depth, KgJson *json)
{
  const Level *parent = depth > 0 ? get_level (scanner, depth - 1) : NULL;

  if (json == NULL)
    return false;
  if (parent == NULL)
    scanner->root = json;
  else if ((parent->is_object ? json_object_object_add_ex (parent->json, scanner->names->str + parent->name, json,
                                                           JSON_C_OBJECT_ADD_KEY_IS_NEW)
                              : json_object_array_add (parent->json, json)) != 0)
    g_error ("out of memory: a JSON value");
  return true;
}

/* The open containers, with the values that they have so far. */
static bool
build_open (Scanner *scanner)
{
  for (; scanner->n_built < scanner->open->len; scanner->n_built++) {
    Level *level = get_level (scanner, scanner->n_built);

    if (level->comma != NULL)
      break;
    level->json = build (scanner, level->start, level->to, level->is_object ? "}" : "]");
    if (!put (scanner, scanner->n_built, level->json))
      return false;
  }
  return true;
}

/* comma: (nullable) from which on json-c is not given the value, nor what was to be patched in it. */
static bool
end_value (Scanner *scanner, const char *start, const char *comma, guint n_patches, bool is_built)
{
  Level *parent = get_last (scanner);

  if (parent != NULL) {
    parent->n++;
    parent->to = scanner->at;
  }
  if (scanner->tokener == NULL || is_built)
    return true;
  if (comma != NULL)
    g_array_set_size (scanner->patches, n_patches);
  if (scanner->open->len == scanner->n_built) {
    /* The next character shows that a number is complete. */
    if (comma == NULL && !put (scanner, scanner->n_built, build (scanner, start, scanner->at, "\n")))
      return false;
    g_array_set_size (scanner->patches, 0);
    scanner->n_patched = 0;
    return true;
  }
  if (comma != NULL)
    add_patch (scanner, comma, scanner->at, "");
  return scanner->at - get_level (scanner, scanner->n_built)->start <= PIECE || build_open (scanner);
}

static bool
close_level (Scanner *scanner)
{
  const Level level = *get_last (scanner);
  const bool is_built = scanner->n_built == scanner->open->len;

  g_clear_pointer (&get_last (scanner)->seen, g_hash_table_unref);
  g_string_truncate (scanner->names, level.first);
  g_array_set_size (scanner->open, scanner->open->len - 1);
  if (is_built)
    scanner->n_built--;
  return end_value (scanner, level.start, level.comma, level.n_patches, is_built);
}

/* Values. */

/* Keeps where the value is that starts here, if that is wanted. */
static const KgJson *
find_place (Scanner *scanner)
{
  const Level *level = get_last (scanner);
  const KgJson *json = level == NULL      ? scanner->root
                       : level->is_object ? kg_json_get (level->json, scanner->names->str + level->name)
                                          : kg_json_get_item (level->json, level->n);
  Place *place = (Place *) g_hash_table_lookup (scanner->wanted, json);

  /* (Of values with the same name the first is in the tree.) */
  if (place != NULL && place->line == 0)
    *place = (Place){ scanner->line, get_column (scanner, scanner->at) };
  return json;
}

/* A value, or the start of a container, which is left open.  comma: (nullable) before it, where it is left out. */
static bool
scan_value (Scanner *scanner, const char *comma)
{
  const KgJson *json = scanner->wanted != NULL ? find_place (scanner) : NULL;
  const Level level = { .is_object = scanner->at < scanner->end && *scanner->at == '{',
                        .first = scanner->names->len,
                        .name = scanner->names->len,
                        .start = scanner->at,
                        .to = scanner->at + 1,
                        .comma = comma,
                        .n_patches = scanner->patches->len,
                        .json = (KgJson *) json };

  if (++scanner->n_values > KG_JSON_MAX_VALUES)
    return report_at (scanner, scanner->at, "more than %zu values", KG_JSON_MAX_VALUES);
  if (scanner->at >= scanner->end)
    return stop_expected (scanner, "a value");
  if (!level.is_object && *scanner->at != '[')
    return scan_scalar (scanner) && end_value (scanner, level.start, comma, level.n_patches, false);
  if (scanner->open->len >= KG_JSON_MAX_DEPTH)
    return report_at (scanner, scanner->at, "nested more than %d levels deep", KG_JSON_MAX_DEPTH);
  scanner->at++;
  g_array_append_val (scanner->open, level);
  return true;
}

static bool
is_repeated (Scanner *scanner, Level *level)
{
  const char *names = scanner->names->str, *name = names + level->name;

  if (level->seen == NULL) {
    for (const char *other = names + level->first; other < name; other += strlen (other) + 1)
      if (g_str_equal (other, name))
        return true;
    if (level->n < FEW)
      return false;
    level->seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    for (const char *other = names + level->first; other < name; other += strlen (other) + 1)
      g_hash_table_add (level->seen, g_strdup (other));
  }
  return !g_hash_table_add (level->seen, g_strdup (name));
}

/* The name and colon before a value of an object; is the name there already? */
static bool
scan_name (Scanner *scanner, bool *repeated)
{
  Level *level = get_last (scanner);
  const char *start = scanner->at;

  if (scanner->at >= scanner->end || *scanner->at != '"')
    return stop_expected (scanner, "a name in quotes");
  if (level->seen != NULL)
    g_string_truncate (scanner->names, level->first);
  level->name = scanner->names->len;
  if (!scan_string (scanner, KG_JSON_MAX_NAME, scanner->names))
    return false;
  g_string_append_c (scanner->names, '\0');
  scanner->is_named = true;
  *repeated = is_repeated (scanner, level);
  if (*repeated)
    report_at (scanner, start, "the name \"%s\" occurs twice", scanner->names->str + level->name);
  skip_space (scanner);
  if (scanner->at >= scanner->end || *scanner->at != ':')
    return stop_expected (scanner, "\":\" after the name");
  scanner->at++;
  skip_space (scanner);
  return true;
}

/* Scans on until the outermost container is closed. */
static bool
scan_containers (Scanner *scanner)
{
  while (scanner->open->len > 0) {
    const Level *level = get_last (scanner);
    const bool is_object = level->is_object;
    const char close = is_object ? '}' : ']';
    const char *comma = NULL;
    bool repeated = false;

    scanner->is_named = false;
    skip_space (scanner);
    if (scanner->at < scanner->end && *scanner->at == close) {
      scanner->at++;
      if (!close_level (scanner))
        return false;
      continue;
    }
    if (level->n > 0) {
      if (scanner->at >= scanner->end || *scanner->at != ',')
        return stop_expected (scanner, is_object ? N_ ("\",\" or \"}\"") : N_ ("\",\" or \"]\""));
      comma = scanner->at++;
      skip_space (scanner);
      if (scanner->at < scanner->end && *scanner->at == close)
        return report_at (scanner, scanner->at,
                          is_object ? N_ ("a comma after the last member") : N_ ("a comma after the last item"));
    }
    if (is_object && !scan_name (scanner, &repeated))
      return false;
    if (!scan_value (scanner, repeated ? comma : NULL))
      return false;
  }
  return true;
}

static bool
check_text (Scanner *scanner)
{
  const gsize length = (gsize) (scanner->end - scanner->start);
  const char *bad;

  if (length > KG_JSON_MAX_BYTES)
    return report_at (scanner, scanner->start, "the text is %zu bytes long: use at most %zu", length,
                      KG_JSON_MAX_BYTES);
  if (length >= 3 && memcmp (scanner->start, "\xef\xbb\xbf", 3) == 0)
    return report_at (scanner, scanner->start, "a byte order mark: save the text as UTF-8 without it");
  if (g_utf8_validate_len (scanner->start, length, &bad))
    return true;
  for (const char *p = scanner->start; p < bad; p++)
    if (*p == '\n') {
      scanner->line++;
      scanner->line_start = p + 1;
    }
  if (*bad == '\0')
    return report_at (scanner, bad, "a zero byte in the text");
  return report_at (scanner, bad, "not UTF-8 (byte 0x%02x)", (unsigned char) *bad);
}

static bool
scan (Scanner *scanner)
{
  skip_space (scanner);
  if (!scan_value (scanner, NULL) || !scan_containers (scanner))
    return false;
  skip_space (scanner);
  return scanner->at >= scanner->end || stop_expected (scanner, "the end of the text");
}

static void
scanner_init (Scanner *scanner, const char *text, gssize length)
{
  *scanner = (Scanner){ .start = text,
                        .end = text + (length < 0 ? strlen (text) : (gsize) length),
                        .at = text,
                        .line = 1,
                        .line_start = text,
                        .counted = text,
                        .columns = 1,
                        .open = g_array_new (FALSE, FALSE, sizeof (Level)),
                        .names = g_string_new (NULL),
                        .patches = g_array_new (FALSE, FALSE, sizeof (Patch)) };
}

static void
scanner_clear (Scanner *scanner)
{
  for (guint i = 0; i < scanner->open->len; i++)
    g_clear_pointer (&get_level (scanner, i)->seen, g_hash_table_unref);
  g_array_unref (scanner->open);
  g_string_free (scanner->names, TRUE);
  g_array_unref (scanner->patches);
}

KgJson *
kg_json_parse_on (const char *text, gssize length, GPtrArray *problems)
{
  const guint before = problems->len;
  Scanner scanner;
  bool good;

  scanner_init (&scanner, text, length);
  scanner.problems = problems;
  good = check_text (&scanner);
  /* Where there may be too many values, they are counted before there is a tree of them. */
  if (good && (gsize) (scanner.end - scanner.start) > 2 * KG_JSON_MAX_VALUES) {
    good = scan (&scanner);
    scanner_clear (&scanner);
    scanner_init (&scanner, text, length);
  }
  /* It makes room for all levels at once, and a text has no more of them than characters: most texts are single values. */
  scanner.tokener = json_tokener_new_ex ((int) MIN (scanner.end - scanner.start, KG_JSON_MAX_DEPTH) + 2);
  if (scanner.tokener == NULL)
    g_error ("out of memory: a reader of JSON");
  json_tokener_set_flags (scanner.tokener, JSON_TOKENER_STRICT);
  if (!good || !scan (&scanner))
    g_clear_pointer (&scanner.root, json_object_put);
  if (scanner.root == NULL && problems->len == before)
    kg_problems_add (problems, NULL, "", "%s", json_tokener_error_desc (json_tokener_get_error (scanner.tokener)));
  json_tokener_free (scanner.tokener);
  scanner_clear (&scanner);
  return scanner.root;
}

KgJson *
kg_json_parse (const char *text, gssize length, GPtrArray *problems)
{
  const guint before = problems->len;
  g_autoptr (KgJson) json = kg_json_parse_on (text, length, problems);

  /* The limit of problems is reached: whether there are more is unknown. */
  return problems->len == before && before <= KG_JSON_MAX_PROBLEMS ? g_steal_pointer (&json) : NULL;
}

void
kg_problems_locate (GPtrArray *problems, const KgJson *json, const char *text, gssize length)
{
  g_autoptr (GHashTable) wanted = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Scanner scanner;

  for (guint i = 0; i < problems->len; i++) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, i);

    if (problem->where != NULL)
      g_hash_table_insert (wanted, problem->where, g_new0 (Place, 1));
  }
  if (json == NULL || g_hash_table_size (wanted) == 0)
    return;
  scanner_init (&scanner, text, length);
  scanner.root = (KgJson *) json;
  scanner.wanted = wanted;
  scan (&scanner);
  scanner_clear (&scanner);
  for (guint i = 0; i < problems->len; i++) {
    KgProblem *problem = (KgProblem *) g_ptr_array_index (problems, i);
    const Place *place = (const Place *) g_hash_table_lookup (wanted, problem->where);

    if (place == NULL || place->line == 0)
      continue;
    problem->line = place->line;
    problem->column = place->column;
    g_clear_pointer (&problem->where, json_object_put);
  }
}
