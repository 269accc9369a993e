/* kg-condition: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-condition.h"

typedef struct {
  char *input;
  bool negated;
  char **values;
} Part;

struct _KgCondition {
  GArray *parts; /* Part */
};

static void
part_clear (gpointer data)
{
  Part *part = (Part *) data;

  g_free (part->input);
  g_strfreev (part->values);
}

static bool
read_part (char *text, Part *part)
{
  char *equals = strchr (text, '=');
  const bool negated = equals != NULL && equals > text && equals[-1] == '!';

  if (equals == NULL)
    return false;
  part->input = g_strstrip (g_strndup (text, (gsize) (equals - text) - negated));
  part->negated = negated;
  part->values = g_strsplit (equals + 1, "|", -1);
  for (guint i = 0; part->values[i] != NULL; i++)
    if (*g_strstrip (part->values[i]) == '\0')
      return false;
  return *part->input != '\0' && part->values[0] != NULL;
}

KgCondition *
kg_condition_new (const char *text, GError **error)
{
  g_auto (GStrv) texts = g_strsplit (text, "&", -1);
  g_autoptr (KgCondition) condition = g_new0 (KgCondition, 1);

  condition->parts = g_array_new (FALSE, TRUE, sizeof (Part));
  g_array_set_clear_func (condition->parts, part_clear);
  for (guint i = 0; texts[i] != NULL; i++) {
    Part part = { 0 };
    const bool good = read_part (texts[i], &part);

    g_array_append_val (condition->parts, part);
    if (!good) {
      kg_set_error (
          error, KG_ERROR_INVALID_VALUE,
          "\"%.100s\" is not a condition: write \"input=value|value\" or \"input!=value\", and join several with &",
          text);
      return NULL;
    }
  }
  if (condition->parts->len > 0)
    return g_steal_pointer (&condition);
  kg_set_error (error, KG_ERROR_INVALID_VALUE, "the condition is empty: write \"input=value\"");
  return NULL;
}

void
kg_condition_free (KgCondition *condition)
{
  g_array_unref (condition->parts);
  g_free (condition);
}

guint
kg_condition_get_n (const KgCondition *condition)
{
  return condition->parts->len;
}

const char *
kg_condition_get_input (const KgCondition *condition, guint index)
{
  return g_array_index (condition->parts, Part, index).input;
}

bool
kg_condition_is_negated (const KgCondition *condition, guint index)
{
  return g_array_index (condition->parts, Part, index).negated;
}

const char *const *
kg_condition_get_values (const KgCondition *condition, guint index)
{
  return (const char *const *) g_array_index (condition->parts, Part, index).values;
}

static bool
is_equal (const KgValue *value, double x, const char *wanted)
{
  char *end;
  const double number = g_ascii_strtod (wanted, &end);

  if (value->kind == KG_TEXT)
    return g_str_equal (value->text, wanted);
  if (value->kind == KG_BOOLEAN && *end != '\0')
    return g_str_equal (wanted, x != 0 ? "true" : "false");
  return *end == '\0' && number == x;
}

bool
kg_condition_holds (const KgCondition *condition, guint index, const KgValue *value)
{
  const Part *part = &g_array_index (condition->parts, Part, index);
  bool found = false;
  double x = 0;

  if (value->kind != KG_TEXT && !kg_value_get_component (value, NULL, &x))
    return true;
  for (guint i = 0; part->values[i] != NULL; i++)
    found |= is_equal (value, x, part->values[i]);
  return found != part->negated;
}
