/* kg-json: values and their problems, and writing; see the header.  Reading is in kg-json-read.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-json.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>

/* Problems. */

static void
problem_free (gpointer data)
{
  KgProblem *problem = (KgProblem *) data;

  g_free (problem->pointer);
  g_free (problem->message);
  json_object_put (problem->where);
  g_free (problem);
}

GPtrArray *
kg_problems_new (void)
{
  return g_ptr_array_new_with_free_func (problem_free);
}

static KgProblem *
add_problem (GPtrArray *problems, const char *pointer, char *message)
{
  KgProblem *problem;

  /* A text made of nothing but mistakes would have more of them than anyone reads, or than memory holds. */
  if (problems->len > KG_JSON_MAX_PROBLEMS) {
    g_free (message);
    return NULL;
  }
  if (problems->len == KG_JSON_MAX_PROBLEMS) {
    g_free (message);
    message = g_strdup_printf ("more than %d problems: the others are not shown", KG_JSON_MAX_PROBLEMS);
    pointer = "";
  }
  problem = g_new0 (KgProblem, 1);
  problem->pointer = g_strdup (pointer);
  problem->message = message;
  g_ptr_array_add (problems, problem);
  return problem;
}

void
kg_problems_add (GPtrArray *problems, const KgJson *where, const char *pointer, const char *format, ...)
{
  KgProblem *problem;
  va_list arguments;

  if (kg_json_is_wrong (where))
    return;
  va_start (arguments, format);
  problem = add_problem (problems, pointer, g_strdup_vprintf (kg_translate (format), arguments));
  va_end (arguments);
  if (problem != NULL && where != NULL)
    problem->where = kg_json_ref (where);
}

void
kg_problems_add_at (GPtrArray *problems, guint line, guint column, const char *pointer, const char *format, ...)
{
  KgProblem *problem;
  va_list arguments;

  va_start (arguments, format);
  problem = add_problem (problems, pointer, g_strdup_vprintf (kg_translate (format), arguments));
  va_end (arguments);
  if (problem != NULL) {
    problem->line = line;
    problem->column = column;
  }
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

/* Values. */

/* json-c reads without changing what it reads, but declares it otherwise. */
static KgJson *
unlock (const KgJson *json)
{
  return (KgJson *) json;
}

/* A whole number of up to 15 digits, as "%.15g" writes it. */
static void
format_whole (double number, char buffer[G_ASCII_DTOSTR_BUF_SIZE])
{
  char digits[20], *at = digits + sizeof digits;
  uint64_t rest = (uint64_t) fabs (number);

  *--at = '\0';
  do
    *--at = (char) ('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (number < 0)
    *--at = '-';
  memcpy (buffer, at, (size_t) (digits + sizeof digits - at));
}

static void
format_number (double number, char buffer[G_ASCII_DTOSTR_BUF_SIZE])
{
  static const char *const formats[] = { "%.15g", "%.16g", "%.17g" };

  if (!isfinite (number)) {
    strcpy (buffer, "null");
    return;
  }
  if (fabs (number) < 1e15 && number == floor (number)) {
    format_whole (number, buffer);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_ascii_formatd (buffer, G_ASCII_DTOSTR_BUF_SIZE, formats[i], number);
    if (g_ascii_strtod (buffer, NULL) == number)
      break;
  }
}

/* json-c has no memory for a few bytes: the program ends as GLib would end it, instead of leaving something out. */
G_NORETURN static void
run_out (void)
{
  g_error ("out of memory: a JSON value");
}

static KgJson *
check (KgJson *json)
{
  if (G_UNLIKELY (json == NULL))
    run_out ();
  return json;
}

KgJson *
kg_json_new (KgJsonKind kind)
{
  switch (kind) {
  case KG_JSON_FALSE:
  case KG_JSON_TRUE:
    return check (json_object_new_boolean (kind == KG_JSON_TRUE));
  case KG_JSON_NUMBER:
    return kg_json_new_number (0);
  case KG_JSON_STRING:
    return kg_json_new_string ("");
  case KG_JSON_ARRAY:
    return check (json_object_new_array ());
  case KG_JSON_OBJECT:
    return check (json_object_new_object ());
  case KG_JSON_NULL:
  default:
    return kg_json_new_number (NAN);
  }
}

KgJson *
kg_json_new_number (double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  format_number (number, text);
  return check (json_object_new_double_s (isfinite (number) ? number : NAN, text));
}

KgJson *
kg_json_new_string (const char *string)
{
  return check (json_object_new_string (string));
}

void
kg_json_append (KgJson *array, KgJson *item)
{
  g_return_if_fail (kg_json_get_kind (array) == KG_JSON_ARRAY);
  if (json_object_array_add (array, item) != 0)
    run_out ();
}

void
kg_json_set (KgJson *object, const char *name, KgJson *item)
{
  g_return_if_fail (kg_json_get_kind (object) == KG_JSON_OBJECT);
  if (json_object_object_add (object, name, item) != 0)
    run_out ();
}

void
kg_json_remove (KgJson *object, const char *name)
{
  if (kg_json_get_kind (object) == KG_JSON_OBJECT)
    json_object_object_del (object, name);
}

void
kg_json_free (KgJson *json)
{
  json_object_put (json);
}

KgJson *
kg_json_copy (const KgJson *json)
{
  KgJson *copy = NULL;

  if (json != NULL && json_object_deep_copy (unlock (json), &copy, NULL) != 0)
    run_out ();
  return copy;
}

KgJson *
kg_json_ref (const KgJson *json)
{
  return json_object_get (unlock (json));
}

KgJsonKind
kg_json_get_kind (const KgJson *json)
{
  switch (json_object_get_type (json)) {
  case json_type_boolean:
    return json_object_get_boolean (json) ? KG_JSON_TRUE : KG_JSON_FALSE;
  case json_type_double:
    return isnan (json_object_get_double (json)) ? KG_JSON_NULL : KG_JSON_NUMBER;
  case json_type_int:
    return KG_JSON_NUMBER;
  case json_type_string:
    return KG_JSON_STRING;
  case json_type_array:
    return KG_JSON_ARRAY;
  case json_type_object:
    return KG_JSON_OBJECT;
  case json_type_null:
  default:
    return KG_JSON_NULL;
  }
}

bool
kg_json_is (const KgJson *json, KgJsonKind kind)
{
  return json != NULL && kg_json_get_kind (json) == kind;
}

const char *
kg_json_kind_name (KgJsonKind kind)
{
  static const char *const names[] = { "null",          "false",         "true",          N_ ("a number"),
                                       N_ ("a string"), N_ ("an array"), N_ ("an object") };

  return kind < KG_JSON_NUMBER ? names[kind] : kg_translate (names[kind]);
}

double
kg_json_get_number (const KgJson *json)
{
  const bool is_number = json_object_is_type (json, json_type_int) || json_object_is_type (json, json_type_double);
  const double number = is_number ? json_object_get_double (json) : 0;

  return isfinite (number) ? number : 0;
}

/* json-c makes it infinite. */
bool
kg_json_is_wrong (const KgJson *json)
{
  return json_object_is_type (json, json_type_double) && isinf (json_object_get_double (json));
}

const char *
kg_json_get_string (const KgJson *json)
{
  return json_object_is_type (json, json_type_string) ? json_object_get_string (unlock (json)) : NULL;
}

guint
kg_json_get_n (const KgJson *json)
{
  if (json_object_is_type (json, json_type_array))
    return (guint) json_object_array_length (json);
  return json_object_is_type (json, json_type_object) ? (guint) json_object_object_length (json) : 0;
}

const KgJson *
kg_json_get_item (const KgJson *array, guint index)
{
  return json_object_is_type (array, json_type_array) ? json_object_array_get_idx (array, index) : NULL;
}

KgJsonIter
kg_json_iterate (const KgJson *object)
{
  const struct lh_table *table = json_object_get_object (object);

  return (KgJsonIter){ .next = table != NULL ? table->head : NULL };
}

bool
kg_json_next (KgJsonIter *iter)
{
  const struct lh_entry *entry = (const struct lh_entry *) iter->next;

  if (entry == NULL)
    return false;
  iter->name = (const char *) lh_entry_k (entry);
  iter->value = (const KgJson *) lh_entry_v (entry);
  iter->next = lh_entry_next (entry);
  return true;
}

const KgJson *
kg_json_get (const KgJson *object, const char *name)
{
  const struct lh_table *table = json_object_get_object (object);
  KgJson *value = NULL;

  /* Comparing a few names is faster than hashing one. */
  if (table == NULL || table->count > 16) {
    json_object_object_get_ex (object, name, &value);
    return value;
  }
  for (const struct lh_entry *entry = table->head; entry != NULL; entry = lh_entry_next (entry))
    if (g_str_equal (lh_entry_k (entry), name))
      return (const KgJson *) lh_entry_v (entry);
  return NULL;
}

/* Writing. */

void
kg_json_write_string (const char *string, GString *out)
{
  g_string_append_c (out, '"');
  for (; *string != '\0'; string++) {
    const unsigned char c = (unsigned char) *string;
    const char *run = string;

    /* What needs no escape goes at once. */
    while ((unsigned char) *string >= 32 && *string != '"' && *string != '\\')
      string++;
    if (string > run) {
      g_string_append_len (out, run, string - run);
      string--;
      continue;
    }
    if (c == '"' || c == '\\')
      g_string_append_printf (out, "\\%c", c);
    else if (c == '\n')
      g_string_append (out, "\\n");
    else if (c == '\t')
      g_string_append (out, "\\t");
    else
      g_string_append_printf (out, "\\u%04x", c);
  }
  g_string_append_c (out, '"');
}

void
kg_json_write_number (double number, GString *out)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  format_number (number, text);
  g_string_append (out, text);
}

/* Nesting is bounded by KG_JSON_MAX_DEPTH, so that this may call itself. */
void
kg_json_write (const KgJson *json, GString *out)
{
  const KgJsonKind kind = kg_json_get_kind (json);
  const char *separator = "";

  switch (kind) {
  case KG_JSON_NUMBER:
    kg_json_write_number (kg_json_get_number (json), out);
    return;
  case KG_JSON_STRING:
    kg_json_write_string (kg_json_get_string (json), out);
    return;
  case KG_JSON_ARRAY:
    g_string_append_c (out, '[');
    for (guint i = 0; i < kg_json_get_n (json); i++) {
      g_string_append (out, i > 0 ? ", " : "");
      kg_json_write (kg_json_get_item (json, i), out);
    }
    g_string_append_c (out, ']');
    return;
  case KG_JSON_OBJECT:
    g_string_append_c (out, '{');
    for (KgJsonIter member = kg_json_iterate (json); kg_json_next (&member); separator = ", ") {
      g_string_append (out, separator);
      kg_json_write_string (member.name, out);
      g_string_append (out, ": ");
      kg_json_write (member.value, out);
    }
    g_string_append_c (out, '}');
    return;
  case KG_JSON_NULL:
  case KG_JSON_FALSE:
  case KG_JSON_TRUE:
  default:
    g_string_append (out, kind == KG_JSON_NULL ? "null" : kind == KG_JSON_FALSE ? "false" : "true");
    return;
  }
}
