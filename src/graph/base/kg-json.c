/* kg-json: reading and writing JSON.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-json.h"

#include <math.h>
#include <string.h>

/* Problems. */

static void
problem_free (gpointer data)
{
  KgProblem *problem = (KgProblem *) data;

  g_free (problem->pointer);
  g_free (problem->message);
  g_free (problem);
}

GPtrArray *
kg_problems_new (void)
{
  return g_ptr_array_new_with_free_func (problem_free);
}

static void
add_problem (GPtrArray *problems, guint line, guint column, const char *pointer, char *message)
{
  KgProblem *problem;

  /* A text made of nothing but mistakes would have more of them than anyone reads, or than memory holds. */
  if (problems->len > KG_JSON_MAX_PROBLEMS) {
    g_free (message);
    return;
  }
  if (problems->len == KG_JSON_MAX_PROBLEMS) {
    g_free (message);
    message = g_strdup_printf ("more than %d problems: the others are not shown", KG_JSON_MAX_PROBLEMS);
    pointer = "";
  }
  problem = g_new0 (KgProblem, 1);
  problem->line = line;
  problem->column = column;
  problem->pointer = g_strdup (pointer);
  problem->message = message;
  g_ptr_array_add (problems, problem);
}

void
kg_problems_add (GPtrArray *problems, const KgJson *where, const char *pointer, const char *format, ...)
{
  va_list arguments;

  if (where != NULL && where->is_wrong)
    return;
  va_start (arguments, format);
  add_problem (problems, where != NULL ? where->line : 0, where != NULL ? where->column : 0, pointer,
               g_strdup_vprintf (kg_translate (format), arguments));
  va_end (arguments);
}

char *
kg_problems_to_text (GPtrArray *problems, const char *file)
{
  GString *text = g_string_new (NULL);

  if (g_str_equal (file, "-"))
    file = "standard input";
  for (guint i = 0; i < problems->len; i++) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, i);

    g_string_append (text, file);
    if (problem->line > 0)
      g_string_append_printf (text, ":%u:%u", problem->line, problem->column);
    g_string_append (text, ": ");
    if (problem->pointer[0] != '\0')
      g_string_append_printf (text, "%s: ", problem->pointer);
    g_string_append_printf (text, "%s\n", problem->message);
  }
  return g_string_free (text, FALSE);
}

/* Building. */

KgJson *
kg_json_new (KgJsonKind kind)
{
  KgJson *json = g_new0 (KgJson, 1);

  json->kind = kind;
  return json;
}

KgJson *
kg_json_new_number (double number)
{
  KgJson *json = kg_json_new (KG_JSON_NUMBER);

  json->number = number;
  return json;
}

KgJson *
kg_json_new_string (const char *string)
{
  KgJson *json = kg_json_new (KG_JSON_STRING);

  json->string = g_strdup (string);
  return json;
}

/* Room grows at powers of two, so that the length alone says when. */
static void
append_child (KgJson *parent, char *name, KgJson *item)
{
  if ((parent->n & (parent->n - 1)) == 0) {
    const guint room = parent->n == 0 ? 1 : 2 * parent->n;

    parent->items = g_renew (KgJson *, parent->items, room);
    if (parent->kind == KG_JSON_OBJECT)
      parent->names = g_renew (char *, parent->names, room);
  }
  if (parent->kind == KG_JSON_OBJECT)
    parent->names[parent->n] = name;
  parent->items[parent->n++] = item;
}

void
kg_json_append (KgJson *array, KgJson *item)
{
  g_return_if_fail (array->kind == KG_JSON_ARRAY);
  append_child (array, NULL, item);
}

void
kg_json_set (KgJson *object, const char *name, KgJson *item)
{
  g_return_if_fail (object->kind == KG_JSON_OBJECT);
  for (guint i = 0; i < object->n; i++)
    if (g_str_equal (object->names[i], name)) {
      kg_json_free (object->items[i]);
      object->items[i] = item;
      return;
    }
  append_child (object, g_strdup (name), item);
}

void
kg_json_remove (KgJson *object, const char *name)
{
  for (guint i = 0; object->kind == KG_JSON_OBJECT && i < object->n; i++)
    if (g_str_equal (object->names[i], name)) {
      g_free (object->names[i]);
      kg_json_free (object->items[i]);
      object->n--;
      memmove (&object->names[i], &object->names[i + 1], (object->n - i) * sizeof *object->names);
      memmove (&object->items[i], &object->items[i + 1], (object->n - i) * sizeof *object->items);
      return;
    }
}

const KgJson *
kg_json_get (const KgJson *object, const char *name)
{
  for (guint i = 0; object->kind == KG_JSON_OBJECT && i < object->n; i++)
    if (g_str_equal (object->names[i], name))
      return object->items[i];
  return NULL;
}

/* Nesting is bounded by KG_JSON_MAX_DEPTH, so walks over values may call themselves. */
void
kg_json_free (KgJson *json)
{
  if (json->kind == KG_JSON_STRING)
    g_free (json->string);
  else if (json->kind >= KG_JSON_ARRAY) {
    for (guint i = 0; i < json->n; i++) {
      if (json->names != NULL)
        g_free (json->names[i]);
      kg_json_free (json->items[i]);
    }
    g_free (json->names);
    g_free (json->items);
  }
  g_free (json);
}

KgJson *
kg_json_copy (const KgJson *json)
{
  KgJson *copy = kg_json_new (json->kind);

  copy->line = json->line;
  copy->column = json->column;
  copy->is_wrong = json->is_wrong;
  if (json->kind == KG_JSON_NUMBER)
    copy->number = json->number;
  else if (json->kind == KG_JSON_STRING)
    copy->string = g_strdup (json->string);
  for (guint i = 0; json->kind >= KG_JSON_ARRAY && i < json->n; i++)
    append_child (copy, json->names != NULL ? g_strdup (json->names[i]) : NULL, kg_json_copy (json->items[i]));
  return copy;
}

const char *
kg_json_kind_name (KgJsonKind kind)
{
  static const char *const names[] = { "null",          "false",         "true",          N_ ("a number"),
                                       N_ ("a string"), N_ ("an array"), N_ ("an object") };

  return kind < KG_JSON_NUMBER ? names[kind] : kg_translate (names[kind]);
}

/* Reading. */

typedef struct {
  const char *start, *end, *at;
  guint line;
  const char *line_start;
  const char *counted; /* how far columns are counted in this line, so that counting stays linear */
  guint columns;
  gsize n_values;
  GPtrArray *problems;
  GPtrArray *open; /* KgJson: containers not closed yet, outermost first */
  GPtrArray *seen; /* GHashTable for each of them (names of objects), or NULL */
  char *name;      /* of the next value of the innermost object */
  bool any_repeated;
} Reader;

static guint
get_column (Reader *reader, const char *at)
{
  if (reader->counted < reader->line_start || reader->counted > at) {
    reader->counted = reader->line_start;
    reader->columns = 1;
  }
  for (; reader->counted < at; reader->counted++)
    reader->columns += ((unsigned char) *reader->counted & 0xc0) != 0x80;
  return reader->columns;
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

static void
report (Reader *reader, const char *at, const char *format, va_list arguments)
{
  g_autoptr (GString) pointer = g_string_new (NULL);

  for (guint i = 0; i < reader->open->len; i++) {
    const KgJson *json = (const KgJson *) g_ptr_array_index (reader->open, i);
    const bool last = i + 1 == reader->open->len;

    if (json->kind == KG_JSON_ARRAY)
      g_string_append_printf (pointer, "/%u", last ? json->n : json->n - 1);
    else if (!last && json->n > 0)
      append_pointer (pointer, json->names[json->n - 1]);
    else if (last && reader->name != NULL)
      append_pointer (pointer, reader->name);
    /* Deep nesting would make a message of its own length. */
    if (pointer->len > 200) {
      g_string_append (pointer, "/…");
      break;
    }
  }
  add_problem (reader->problems, reader->line, get_column (reader, at), pointer->str,
               g_strdup_vprintf (kg_translate (format), arguments));
}

/* Reports at a place, and reading goes on: what follows can be trusted. */
static void
note_at (Reader *reader, const char *at, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  report (reader, at, format, arguments);
  va_end (arguments);
}

/* Reports at a place and gives up: after a syntax error there is nothing to trust. */
static bool
stop_at (Reader *reader, const char *at, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  report (reader, at, format, arguments);
  va_end (arguments);
  return false;
}

static void
skip_space (Reader *reader)
{
  for (; reader->at < reader->end; reader->at++) {
    if (*reader->at == '\n') {
      reader->line++;
      reader->line_start = reader->at + 1;
    } else if (*reader->at != ' ' && *reader->at != '\t' && *reader->at != '\r')
      return;
  }
}

static const char *
describe_here (const Reader *reader)
{
  static const char *const words[] = { N_ ("a line break"), N_ ("a control character") };

  if (reader->at >= reader->end)
    return N_ ("the end of the text");
  if (*reader->at == '\n')
    return words[0];
  return (unsigned char) *reader->at < 32 ? words[1] : NULL;
}

static bool
stop_expected (Reader *reader, const char *what)
{
  const char *here = describe_here (reader);

  if (here != NULL)
    return stop_at (reader, reader->at, "expected %s, found %s", kg_translate (what), kg_translate (here));
  return stop_at (reader, reader->at, "expected %s, found \"%.*s\"", kg_translate (what),
                  (int) (g_utf8_next_char (reader->at) - reader->at), reader->at);
}

static bool
read_hex (Reader *reader, gunichar *code)
{
  *code = 0;
  for (int i = 0; i < 4; i++) {
    if (reader->at >= reader->end || !g_ascii_isxdigit (*reader->at))
      return stop_at (reader, reader->at, "\\u needs four hexadecimal digits");
    *code = *code * 16 + (gunichar) g_ascii_xdigit_value (*reader->at++);
  }
  return true;
}

static bool
read_escape (Reader *reader, GString *text)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *start = reader->at++;
  const char *found;
  gunichar code, low;

  if (reader->at >= reader->end)
    return stop_expected (reader, "the rest of a string");
  found = memchr (from, *reader->at, 8);
  if (found != NULL) {
    g_string_append_c (text, to[found - from]);
    reader->at++;
    return true;
  }
  if (*reader->at != 'u')
    return stop_at (reader, start, "\\%c is not a JSON escape", g_ascii_isprint (*reader->at) ? *reader->at : '?');
  reader->at++;
  if (!read_hex (reader, &code))
    return false;
  if (code >= 0xd800 && code < 0xdc00) {
    if (reader->end - reader->at < 2 || reader->at[0] != '\\' || reader->at[1] != 'u')
      return stop_at (reader, start, "half of a surrogate pair");
    reader->at += 2;
    if (!read_hex (reader, &low))
      return false;
    if (low < 0xdc00 || low > 0xdfff)
      return stop_at (reader, start, "half of a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000)
    return stop_at (reader, start, "half of a surrogate pair");
  if (code == 0)
    return stop_at (reader, start, "a string cannot contain the character 0");
  g_string_append_unichar (text, code);
  return true;
}

/* (nullable) The text of the string that starts here. */
static char *
read_string (Reader *reader, gsize most)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *start = reader->at++;

  for (;;) {
    const char *run = reader->at;

    while (reader->at < reader->end && *reader->at != '"' && *reader->at != '\\' && (unsigned char) *reader->at >= 32)
      reader->at++;
    if (text->len + (gsize) (reader->at - run) > most) {
      stop_at (reader, start, "longer than %zu bytes", most);
      return NULL;
    }
    g_string_append_len (text, run, reader->at - run);
    if (reader->at >= reader->end) {
      stop_at (reader, start, "an unterminated string");
      return NULL;
    }
    if (*reader->at == '"') {
      reader->at++;
      return g_string_free (g_steal_pointer (&text), FALSE);
    }
    if (*reader->at != '\\') {
      stop_at (reader, reader->at, "a control character in a string: write it as \\n, \\t or \\u%04x",
               (unsigned char) *reader->at);
      return NULL;
    }
    if (!read_escape (reader, text))
      return NULL;
  }
}

static bool
read_digits (Reader *reader)
{
  const char *start = reader->at;

  while (reader->at < reader->end && g_ascii_isdigit (*reader->at))
    reader->at++;
  return reader->at > start;
}

static bool
read_number (Reader *reader, KgJson *json)
{
  const char *start = reader->at;
  g_autofree char *copy = NULL;

  if (*reader->at == '-')
    reader->at++;
  if (reader->at < reader->end && *reader->at == '0') {
    reader->at++;
    if (reader->at < reader->end && g_ascii_isdigit (*reader->at))
      return stop_at (reader, start, "a number cannot start with 0");
  } else if (!read_digits (reader))
    return stop_expected (reader, "a digit");
  if (reader->at < reader->end && *reader->at == '.') {
    reader->at++;
    if (!read_digits (reader))
      return stop_expected (reader, "a digit after the decimal point");
  }
  if (reader->at < reader->end && (*reader->at == 'e' || *reader->at == 'E')) {
    reader->at++;
    if (reader->at < reader->end && (*reader->at == '+' || *reader->at == '-'))
      reader->at++;
    if (!read_digits (reader))
      return stop_expected (reader, "a digit of the exponent");
  }
  if ((gsize) (reader->at - start) > KG_JSON_MAX_DIGITS) {
    note_at (reader, start, "a number of more than %zu characters", KG_JSON_MAX_DIGITS);
    json->is_wrong = true;
    return true;
  }
  copy = g_strndup (start, (gsize) (reader->at - start));
  json->number = g_ascii_strtod (copy, NULL);
  if (!isfinite (json->number)) {
    note_at (reader, start, "%.40s is too large for a number (the largest is about 1.8e308)", copy);
    json->is_wrong = true;
    json->number = 0;
  }
  return true;
}

static bool
read_word (Reader *reader, const char *word)
{
  const gsize length = strlen (word);

  if ((gsize) (reader->end - reader->at) < length || strncmp (reader->at, word, length) != 0)
    return stop_expected (reader, "a value");
  reader->at += length;
  return true;
}

/* Reads the start of a value; containers are left open. */
static KgJson *
read_value (Reader *reader)
{
  g_autoptr (KgJson) json = kg_json_new (KG_JSON_NULL);
  bool good = true;
  char *string;

  json->line = reader->line;
  json->column = get_column (reader, reader->at);
  if (++reader->n_values > KG_JSON_MAX_VALUES) {
    stop_at (reader, reader->at, "more than %zu values", KG_JSON_MAX_VALUES);
    return NULL;
  }
  if (reader->at >= reader->end) {
    stop_expected (reader, "a value");
    return NULL;
  }
  switch (*reader->at) {
  case '{':
  case '[':
    if (reader->open->len >= KG_JSON_MAX_DEPTH) {
      stop_at (reader, reader->at, "nested more than %d levels deep", KG_JSON_MAX_DEPTH);
      return NULL;
    }
    json->kind = *reader->at == '{' ? KG_JSON_OBJECT : KG_JSON_ARRAY;
    reader->at++;
    break;
  case '"':
    string = read_string (reader, KG_JSON_MAX_STRING);
    good = string != NULL;
    if (good) {
      json->kind = KG_JSON_STRING;
      json->string = string;
    }
    break;
  case 't':
    json->kind = KG_JSON_TRUE;
    good = read_word (reader, "true");
    break;
  case 'f':
    json->kind = KG_JSON_FALSE;
    good = read_word (reader, "false");
    break;
  case 'n':
    good = read_word (reader, "null");
    break;
  default:
    if (*reader->at != '-' && !g_ascii_isdigit (*reader->at))
      good = stop_expected (reader, "a value");
    else {
      json->kind = KG_JSON_NUMBER;
      good = read_number (reader, json);
    }
    break;
  }
  return good ? g_steal_pointer (&json) : NULL;
}

/* The name and colon before a value of an object; is the name there already? */
static bool
read_name (Reader *reader, GHashTable *seen, bool *is_repeated)
{
  const char *start = reader->at;

  if (reader->at >= reader->end || *reader->at != '"')
    return stop_expected (reader, "a name in quotes");
  g_clear_pointer (&reader->name, g_free);
  reader->name = read_string (reader, KG_JSON_MAX_NAME);
  if (reader->name == NULL)
    return false;
  *is_repeated = !g_hash_table_add (seen, g_strdup (reader->name));
  if (*is_repeated)
    note_at (reader, start, "the name \"%s\" occurs twice", reader->name);
  skip_space (reader);
  if (reader->at >= reader->end || *reader->at != ':')
    return stop_expected (reader, "\":\" after the name");
  reader->at++;
  skip_space (reader);
  return true;
}

static void
push (Reader *reader, KgJson *json)
{
  g_ptr_array_add (reader->open, json);
  g_ptr_array_add (reader->seen,
                   json->kind == KG_JSON_OBJECT ? g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) : NULL);
}

static void
pop (Reader *reader)
{
  GHashTable *seen = (GHashTable *) g_ptr_array_index (reader->seen, reader->seen->len - 1);

  if (seen != NULL)
    g_hash_table_unref (seen);
  g_ptr_array_set_size (reader->seen, (gint) reader->seen->len - 1);
  g_ptr_array_set_size (reader->open, (gint) reader->open->len - 1);
}

/* Reads on until the outermost container is closed. */
static bool
read_containers (Reader *reader)
{
  while (reader->open->len > 0) {
    KgJson *parent = (KgJson *) g_ptr_array_index (reader->open, reader->open->len - 1);
    GHashTable *seen = (GHashTable *) g_ptr_array_index (reader->seen, reader->seen->len - 1);
    const bool is_object = parent->kind == KG_JSON_OBJECT;
    const char close = is_object ? '}' : ']';
    bool is_repeated = false;
    KgJson *json;

    g_clear_pointer (&reader->name, g_free);
    skip_space (reader);
    if (reader->at < reader->end && *reader->at == close) {
      reader->at++;
      pop (reader);
      continue;
    }
    if (parent->n > 0) {
      if (reader->at >= reader->end || *reader->at != ',')
        return stop_expected (reader, is_object ? N_ ("\",\" or \"}\"") : N_ ("\",\" or \"]\""));
      reader->at++;
      skip_space (reader);
      if (reader->at < reader->end && *reader->at == close)
        return stop_at (reader, reader->at,
                        is_object ? N_ ("a comma after the last member") : N_ ("a comma after the last item"));
    }
    if (is_object && !read_name (reader, seen, &is_repeated))
      return false;
    json = read_value (reader);
    if (json == NULL)
      return false;
    json->is_repeated = is_repeated;
    reader->any_repeated |= is_repeated;
    append_child (parent, g_steal_pointer (&reader->name), json);
    if (json->kind >= KG_JSON_ARRAY)
      push (reader, json);
  }
  return true;
}

/* Of values with the same name the first stays. */
static void
remove_repeated (KgJson *json)
{
  guint n = 0;

  if (json->kind < KG_JSON_ARRAY)
    return;
  for (guint i = 0; i < json->n; i++) {
    if (json->items[i]->is_repeated) {
      g_free (json->names[i]);
      kg_json_free (json->items[i]);
      continue;
    }
    remove_repeated (json->items[i]);
    if (json->kind == KG_JSON_OBJECT)
      json->names[n] = json->names[i];
    json->items[n++] = json->items[i];
  }
  json->n = n;
}

static bool
check_text (Reader *reader)
{
  const gsize length = (gsize) (reader->end - reader->start);
  const char *bad;

  if (length > KG_JSON_MAX_BYTES)
    return stop_at (reader, reader->start, "the text is %zu bytes long: use at most %zu", length, KG_JSON_MAX_BYTES);
  if (length >= 3 && memcmp (reader->start, "\xef\xbb\xbf", 3) == 0)
    return stop_at (reader, reader->start, "a byte order mark: save the text as UTF-8 without it");
  if (g_utf8_validate_len (reader->start, length, &bad))
    return true;
  for (const char *p = reader->start; p < bad; p++)
    if (*p == '\n') {
      reader->line++;
      reader->line_start = p + 1;
    }
  if (*bad == '\0')
    return stop_at (reader, bad, "a zero byte in the text");
  return stop_at (reader, bad, "not UTF-8 (byte 0x%02x)", (unsigned char) *bad);
}

KgJson *
kg_json_parse_on (const char *text, gssize length, GPtrArray *problems)
{
  const gsize bytes = length < 0 ? strlen (text) : (gsize) length;
  g_autoptr (GPtrArray) open = g_ptr_array_new (), seen = g_ptr_array_new ();
  Reader reader = { .start = text,
                    .end = text + bytes,
                    .at = text,
                    .line = 1,
                    .line_start = text,
                    .counted = text,
                    .columns = 1,
                    .problems = problems,
                    .open = open,
                    .seen = seen };
  g_autoptr (KgJson) json = NULL;
  bool good;

  if (!check_text (&reader))
    return NULL;
  skip_space (&reader);
  json = read_value (&reader);
  good = json != NULL;
  if (good && json->kind >= KG_JSON_ARRAY) {
    push (&reader, json);
    good = read_containers (&reader);
  }
  while (open->len > 0)
    pop (&reader);
  g_clear_pointer (&reader.name, g_free);
  if (!good)
    return NULL;
  skip_space (&reader);
  if (reader.at < reader.end) {
    stop_expected (&reader, "the end of the text");
    return NULL;
  }
  if (reader.any_repeated)
    remove_repeated (json);
  return g_steal_pointer (&json);
}

KgJson *
kg_json_parse (const char *text, gssize length, GPtrArray *problems)
{
  const guint before = problems->len;
  g_autoptr (KgJson) json = kg_json_parse_on (text, length, problems);

  /* Where no more problems are told, whether there are any cannot be known. */
  return problems->len == before && before <= KG_JSON_MAX_PROBLEMS ? g_steal_pointer (&json) : NULL;
}

/* Writing. */

void
kg_json_write_string (const char *string, GString *out)
{
  g_string_append_c (out, '"');
  for (; *string != '\0'; string++) {
    const unsigned char c = (unsigned char) *string;

    if (c == '"' || c == '\\')
      g_string_append_printf (out, "\\%c", c);
    else if (c == '\n')
      g_string_append (out, "\\n");
    else if (c == '\t')
      g_string_append (out, "\\t");
    else if (c < 32)
      g_string_append_printf (out, "\\u%04x", c);
    else
      g_string_append_c (out, (char) c);
  }
  g_string_append_c (out, '"');
}

void
kg_json_write_number (double number, GString *out)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (number)) {
    g_string_append (out, "null");
    return;
  }
  if (number == 0) {
    g_string_append_c (out, '0');
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    char format[8];

    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (buffer, sizeof buffer, format, number);
    if (g_ascii_strtod (buffer, NULL) == number)
      break;
  }
  g_string_append (out, buffer);
}

void
kg_json_write (const KgJson *json, GString *out)
{
  static const char *const words[] = { "null", "false", "true" };

  switch (json->kind) {
  case KG_JSON_NULL:
  case KG_JSON_FALSE:
  case KG_JSON_TRUE:
    g_string_append (out, words[json->kind]);
    return;
  case KG_JSON_NUMBER:
    kg_json_write_number (json->number, out);
    return;
  case KG_JSON_STRING:
    kg_json_write_string (json->string, out);
    return;
  case KG_JSON_ARRAY:
  case KG_JSON_OBJECT:
  default:
    g_string_append_c (out, json->kind == KG_JSON_ARRAY ? '[' : '{');
    for (guint i = 0; i < json->n; i++) {
      if (i > 0)
        g_string_append (out, ", ");
      if (json->kind == KG_JSON_OBJECT) {
        kg_json_write_string (json->names[i], out);
        g_string_append (out, ": ");
      }
      kg_json_write (json->items[i], out);
    }
    g_string_append_c (out, json->kind == KG_JSON_ARRAY ? ']' : '}');
    return;
  }
}
