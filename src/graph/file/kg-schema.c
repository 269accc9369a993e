/* kg-schema: the JSON Schema of the file format, with every node type.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-file.h"

#include "kg-graph-private.h"
#include "kg-preset-json.h"

static KgJson *
object_of (const char *first, ...)
{
  KgJson *object = kg_json_new (KG_JSON_OBJECT);
  va_list arguments;

  va_start (arguments, first);
  for (const char *name = first; name != NULL; name = va_arg (arguments, const char *))
    kg_json_set (object, name, va_arg (arguments, KgJson *));
  va_end (arguments);
  return object;
}

static KgJson *
text (const char *string)
{
  return kg_json_new_string (string);
}

static KgJson *
type_is (const char *type)
{
  return object_of ("type", text (type), NULL);
}

static KgJson *
reference (const char *name)
{
  g_autofree char *target = g_strdup_printf ("#/$defs/%s", name);

  return object_of ("$ref", text (target), NULL);
}

static KgJson *
numbers (guint min, guint max)
{
  return object_of ("type", text ("array"), "items", type_is ("number"), "minItems", kg_json_new_number (min),
                    "maxItems", kg_json_new_number (max), NULL);
}

static KgJson *
any_of (const char *key, KgJson *a, KgJson *b)
{
  KgJson *list = kg_json_new (KG_JSON_ARRAY);

  kg_json_append (list, a);
  if (b != NULL)
    kg_json_append (list, b);
  return object_of (key, list, NULL);
}

/* x and y, or all three: each a number or a source of its own. */
static KgJson *
describe_vector (const KgSlot *slot)
{
  KgJson *schema = numbers (2, 3);

  if (!slot->fixed && !slot->list)
    kg_json_set (schema, "items", any_of ("anyOf", type_is ("number"), reference ("source")));
  return schema;
}

/* A number, a blank, or a source of its own. */
static KgJson *
describe_cell (const KgSlot *slot)
{
  KgJson *cell = any_of ("anyOf", type_is ("number"), type_is ("null"));

  if (!slot->fixed && !slot->list)
    kg_json_append ((KgJson *) kg_json_get (cell, "anyOf"), reference ("source"));
  return cell;
}

/* Rows, typed rows, or rows with names of columns. */
static KgJson *
describe_table (const KgSlot *slot)
{
  const guint n = slot->columns != NULL ? kg_table_columns_count (slot->columns) : 0;
  guint required = 0;
  KgJson *row = object_of ("type", text ("array"), "items", describe_cell (slot), NULL), *schema;
  KgJson *names = object_of ("type", text ("array"), "items", type_is ("string"), NULL);

  while (required < n && !slot->columns[required].optional)
    required++;
  if (n > 0) {
    kg_json_set (row, "minItems", kg_json_new_number (required));
    kg_json_set (row, "maxItems", kg_json_new_number (n));
  }
  if (n <= 1)
    row = any_of ("anyOf", row, describe_cell (slot));
  schema = any_of ("anyOf", object_of ("type", text ("array"), "items", row, NULL), type_is ("string"));
  kg_json_append ((KgJson *) kg_json_get (schema, "anyOf"),
                  object_of ("type", text ("object"), "properties",
                             object_of ("columns", names, "rows", type_is ("array"), NULL), "additionalProperties",
                             kg_json_new (KG_JSON_FALSE), NULL));
  return schema;
}

/* What a constant of the slot looks like; NULL when it has none. */
static KgJson *
describe_constant (const KgSlot *slot)
{
  KgJson *schema, *nicks;

  switch (slot->kind) {
  case KG_NUMBER:
  case KG_INTEGER:
    schema = type_is (slot->kind == KG_NUMBER ? "number" : "integer");
    if (kg_slot_has_range (slot) && isfinite (slot->min))
      kg_json_set (schema, "minimum", kg_json_new_number (slot->min));
    if (kg_slot_has_range (slot) && isfinite (slot->max))
      kg_json_set (schema, "maximum", kg_json_new_number (slot->max));
    return schema;
  case KG_BOOLEAN:
    return type_is ("boolean");
  case KG_TEXT:
    return type_is ("string");
  case KG_CHOICE:
    nicks = kg_json_new (KG_JSON_ARRAY);
    for (guint i = 0; slot->choices[i].nick != NULL; i++)
      kg_json_append (nicks, text (slot->choices[i].nick));
    return object_of ("enum", nicks, NULL);
  case KG_VECTOR:
    return describe_vector (slot);
  case KG_COLOR:
    return any_of ("anyOf", numbers (3, 4),
                   object_of ("type", text ("string"), "pattern", text ("^#([0-9a-fA-F]{2}){3,4}$"), NULL));
  case KG_ROTATION:
    return numbers (4, 4);
  case KG_TRANSFORM:
    return numbers (16, 16);
  case KG_MOTION:
    return type_is ("number");
  case KG_FIELD:
    return any_of ("anyOf", type_is ("number"), numbers (2, 3));
  case KG_TABLE:
    return describe_table (slot);
  case KG_ANY:
    return kg_json_new (KG_JSON_TRUE);
  default:
    return NULL;
  }
}

static KgJson *
describe_input (const KgSlot *slot)
{
  KgJson *schema, *constant = describe_constant (slot);
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (slot->fixed && constant != NULL)
    schema = constant;
  else {
    KgJson *source = reference ("source");

    schema = constant != NULL ? any_of ("anyOf", source, constant) : source;
  }
  if (slot->list)
    schema = any_of ("anyOf", object_of ("type", text ("array"), "items", schema, NULL), reference ("source"));
  kg_json_set (schema, "title", text (slot->label));
  kg_json_set (schema, "description", text (slot->help));
  if (!slot->list && kg_slot_get_default (slot, &value)) {
    g_autoptr (GString) written = g_string_new (NULL);
    g_autoptr (GPtrArray) problems = kg_problems_new ();
    KgJson *read;

    kg_value_write_json (&value, written);
    read = kg_json_parse (written->str, -1, problems);
    /* Nothing else is wrong with what was just written: a schema without it would be another one. */
    if (read == NULL)
      g_error ("out of memory: a JSON value");
    kg_json_set (schema, "default", read);
  }
  return schema;
}

static KgJson *
describe_type (const KgNodeType *type)
{
  KgJson *inputs = kg_json_new (KG_JSON_OBJECT);
  KgJson *schema, *properties;

  for (guint i = 0; i < type->n_slots; i++)
    if (type->slots[i].role == KG_SLOT_INPUT)
      kg_json_set (inputs, type->slots[i].name, describe_input (&type->slots[i]));
  properties = object_of ("type", object_of ("const", text (type->id), NULL), "inputs",
                          object_of ("type", text ("object"), "properties", inputs, NULL), NULL);
  schema = object_of ("title", text (type->label), "description", text (type->help), "properties", properties, NULL);
  /* Here and not for all nodes, since those of unknown types are kept as they are. */
  kg_json_set (schema, "propertyNames", reference ("node-names"));
  /* A sub-graph's inputs are the interface nodes inside. */
  if (type->role != KG_ROLE_SUBNET) {
    kg_json_set ((KgJson *) kg_json_get (properties, "inputs"), "additionalProperties", kg_json_new (KG_JSON_FALSE));
    kg_json_set (properties, "graph", kg_json_new (KG_JSON_FALSE));
  }
  return schema;
}

/* What a node of a known type may have. */
static KgJson *
describe_node_names (void)
{
  static const char *const names[] = { "type",  "at",      "color",  "comment", "bypass",
                                       "stage", "version", "inputs", "graph",   "aside" };
  KgJson *list = kg_json_new (KG_JSON_ARRAY);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    kg_json_append (list, text (names[i]));
  return object_of ("enum", list, NULL);
}

static KgJson *
describe_stages (void)
{
  KgJson *list = kg_json_new (KG_JSON_ARRAY);

  for (guint i = 0; kg_stage_nicks[i] != NULL; i++)
    kg_json_append (list, text (kg_stage_nicks[i]));
  return list;
}

static KgJson *
describe_source (void)
{
  KgJson *alternatives = kg_json_new (KG_JSON_ARRAY), *nicks = kg_json_new (KG_JSON_ARRAY);
  static const char *const texts[] = { "link", "expr" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    KgJson *required = kg_json_new (KG_JSON_ARRAY);

    kg_json_append (required, text (texts[i]));
    kg_json_append (alternatives,
                    object_of ("type", text ("object"), "properties", object_of (texts[i], type_is ("string"), NULL),
                               "required", required, "additionalProperties", kg_json_new (KG_JSON_FALSE), NULL));
  }
  for (guint i = 0; kg_extend_nicks[i] != NULL; i++)
    kg_json_append (nicks, text (kg_extend_nicks[i]));
  {
    KgJson *required = kg_json_new (KG_JSON_ARRAY);

    kg_json_append (required, text ("keys"));
    kg_json_append (
        alternatives,
        object_of ("type", text ("object"), "properties",
                   object_of ("keys", object_of ("type", text ("array"), "minItems", kg_json_new_number (1), NULL),
                              "before", object_of ("enum", kg_json_copy (nicks), NULL), "after",
                              object_of ("enum", nicks, NULL), NULL),
                   "required", required, "additionalProperties", kg_json_new (KG_JSON_FALSE), NULL));
  }
  return object_of ("oneOf", alternatives, NULL);
}

/* A schema that holds of the nodes whose type fits. */
static KgJson *
when_type (KgJson *fits, KgJson *then)
{
  return object_of ("if", object_of ("properties", object_of ("type", fits, NULL), NULL), "then", then, NULL);
}

/* What nodes of each type have, by families: a reader tries every alternative of a list, and so tries the types of one family
 * instead of all. */
static KgJson *
describe_families (KgTypes *types)
{
  KgJson *families = kg_json_new (KG_JSON_ARRAY), *family = NULL;

  for (guint i = 0; i < kg_types_get_n (types); i++) {
    const char *id = kg_types_get (types, i)->id;
    const int length = (int) (strchr (id, '/') - id);
    g_autofree char *name = g_strdup (id);

    if (i == 0 || strncmp (id, kg_types_get (types, i - 1)->id, (size_t) length + 1) != 0) {
      g_autofree char *pattern = g_strdup_printf ("^%.*s/", length, id);

      family = kg_json_new (KG_JSON_ARRAY);
      kg_json_append (families,
                      when_type (object_of ("pattern", text (pattern), NULL), object_of ("allOf", family, NULL)));
    }
    name[length] = '.';
    kg_json_append (family, when_type (object_of ("const", text (id), NULL), reference (name)));
  }
  return families;
}

static KgJson *
describe_node (KgTypes *types)
{
  KgJson *required = kg_json_new (KG_JSON_ARRAY);
  KgJson *inside = object_of ("nodes", reference ("nodes"), "display", type_is ("string"), NULL);

  kg_json_append (required, text ("type"));
  return object_of ("type", text ("object"), "required", required, "properties",
                    object_of ("type", type_is ("string"), "at", numbers (2, 2), "color", type_is ("string"), "comment",
                               type_is ("string"), "bypass", type_is ("boolean"), "stage",
                               object_of ("enum", describe_stages (), NULL), "version", type_is ("integer"), "inputs",
                               type_is ("object"), "aside", reference ("aside"), "graph",
                               object_of ("type", text ("object"), "properties", inside, NULL), NULL),
                    "allOf", describe_families (types), NULL);
}

typedef struct {
  const char *name, *type, *help;
} Member;

/* type: of JSON; "any", "strings" for a list of them. */
static void
add_members (KgJson *properties, const Member *members, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    KgJson *schema = g_str_equal (members[i].type, "strings")
                         ? object_of ("type", text ("array"), "items", type_is ("string"), NULL)
                     : g_str_equal (members[i].type, "any") ? kg_json_new (KG_JSON_OBJECT)
                                                            : type_is (members[i].type);

    kg_json_set (schema, "description", text (members[i].help));
    kg_json_set (properties, members[i].name, schema);
  }
}

static KgJson *
strict_object (KgJson *properties, const char *required)
{
  KgJson *schema = object_of ("type", text ("object"), "properties", properties, "additionalProperties",
                              kg_json_new (KG_JSON_FALSE), NULL);

  if (required != NULL) {
    KgJson *list = kg_json_new (KG_JSON_ARRAY);

    kg_json_append (list, text (required));
    kg_json_set (schema, "required", list);
  }
  return schema;
}

static KgJson *
map_of (KgJson *schema, const char *help)
{
  return object_of ("type", text ("object"), "description", text (help), "additionalProperties", schema, NULL);
}

/* Whatever stands in "aside" of an instance. */
static KgJson *
describe_aside (void)
{
  static const Member members[] = {
    { "kind", "string", "kind of the removed input: number, vector, text ...; any, if it is unknown" },
    { "value", "any", "its source, written as in inputs" },
  };
  KgJson *properties = kg_json_new (KG_JSON_OBJECT);

  add_members (properties, members, G_N_ELEMENTS (members));
  return map_of (
      strict_object (properties, "value"),
      "instances of presets: what was set on inputs that the version of the definition does not have; it comes "
      "back with an input of that name and kind");
}

static KgJson *
describe_interface (void)
{
  static const Member inputs[] = {
    { "drives", "strings", "the inputs inside that it sets, as \"node.input\"; any number of them" },
    { "default", "any", "a constant; if missing, the constant, keys or expression of the first driven input" },
    { "kind", "string",
      "number, integer, boolean, text, vector, color ...; if missing, that of the first driven input" },
    { "label", "string", "name shown to people" },
    { "help", "string", "what it does" },
    { "unit", "string", "as shown: m, °, s, f, Hz, m/s, m/s², kg, px, % (1 is 100 %)" },
    { "group", "string", "its heading in the inspector" },
    { "shown_when", "string",
      "a condition on other inputs: \"style=lines|solids\", \"count!=0\", or several with & between" },
    { "min", "number", "the smallest accepted value" },
    { "max", "number", "the largest accepted value" },
    { "soft_min", "number", "start of the slider" },
    { "soft_max", "number", "end of the slider" },
  };
  static const Member outputs[] = {
    { "from", "string", "the output inside that it publishes, as \"node.output\"" },
    { "kind", "string", "if missing, that of the output inside" },
    { "label", "string", "name shown to people" },
    { "help", "string", "what it is" },
  };
  KgJson *input = kg_json_new (KG_JSON_OBJECT), *output = kg_json_new (KG_JSON_OBJECT), *schema;

  add_members (input, inputs, G_N_ELEMENTS (inputs));
  add_members (output, outputs, G_N_ELEMENTS (outputs));
  schema = strict_object (
      object_of ("inputs",
                 map_of (strict_object (input, NULL), "published inputs by name, in the order in which they are shown"),
                 "outputs", map_of (strict_object (output, "from"), "published outputs by name"), NULL),
      NULL);
  kg_json_set (
      schema, "description",
      text ("the inputs and outputs of instances; their names must differ from each other and from the nodes inside"));
  return schema;
}

/* A definition of a preset: a file of its own, or carried by a graph. */
static KgJson *
describe_preset (void)
{
  static const Member texts[] = {
    { "title", "string", "name shown to people" },
    { "summary", "string", "description in one line" },
    { "help", "string", "how to use it" },
    { "author", "string", "name of the author" },
    { "license", "string", "its licence, as an SPDX expression" },
    { "tags", "string", "words that group presets in the browser, separated by spaces" },
    { "keywords", "string", "additional search words" },
    { "thumbnail", "string", "an image file next to the preset" },
    { "minimum", "string", "the oldest version of the program that can read it, for example \"0.3\"" },
  };
  KgJson *required = kg_json_new (KG_JSON_ARRAY), *properties;

  kg_json_append (required, text ("kineograph_preset"));
  kg_json_append (required, text ("id"));
  kg_json_append (required, text ("graph"));
  properties = object_of (
      "kineograph_preset",
      object_of ("const", kg_json_new_number (KG_PRESET_FORMAT), "description", text ("version of this format"), NULL),
      "id",
      object_of ("type", text ("string"), "pattern", text ("^[a-z0-9_]+/[a-z0-9_]+$"), "description",
                 text ("namespace/name: the node type of instances"), NULL),
      "version",
      object_of (
          "type", text ("integer"), "minimum", kg_json_new_number (1), "description",
          text (
              "a whole number of at least 1, increased with each change; instances store the version with which they were made"),
          NULL),
      NULL);
  add_members (properties, texts, G_N_ELEMENTS (texts));
  kg_json_set (properties, "renamed",
               map_of (type_is ("string"), "inputs and outputs that were renamed: old name, new name"));
  kg_json_set (properties, "presets",
               map_of (reference ("preset"), "definitions that it is made of, by id, each after those it needs itself; "
                                             "those that are not here are found in the library"));
  kg_json_set (properties, "interface", describe_interface ());
  kg_json_set (properties, "graph",
               object_of ("type", text ("object"), "description",
                          text ("its nodes, and the displayed output for its thumbnail"), "properties",
                          object_of ("nodes", reference ("nodes"), "display", type_is ("string"), NULL), NULL));
  return object_of ("title", text ("Kineograph preset"), "type", text ("object"), "required", required,
                    "additionalProperties", kg_json_new (KG_JSON_FALSE), "properties", properties, NULL);
}

/* One definition after another, because the text of all of them is longer than a text of GLib's should be, which ends the
 * program when memory runs out. */
static bool
write_definitions (const KgJson *definitions, KgTextSink sink, gpointer data)
{
  const char *before = ", \"$defs\": {";

  for (KgJsonIter member = kg_json_iterate (definitions); kg_json_next (&member); before = ", ") {
    g_autoptr (GString) part = g_string_new (before);

    kg_json_write_string (member.name, part);
    g_string_append (part, ": ");
    kg_json_write (member.value, part);
    if (!sink (part->str, data))
      return false;
  }
  return sink ("}}\n", data);
}

bool
kg_schema_write (KgTypes *types, KgTextSink sink, gpointer data)
{
  g_autoptr (KgJson) schema = NULL, definitions = NULL;
  g_autoptr (GString) head = g_string_new (NULL);
  KgJson *required = kg_json_new (KG_JSON_ARRAY), *is_preset = kg_json_new (KG_JSON_ARRAY);
  KgJson *frames = object_of ("start", type_is ("number"), "end", type_is ("number"), "rate",
                              object_of ("type", text ("number"), "exclusiveMinimum", kg_json_new_number (0), NULL),
                              NULL);

  kg_json_append (required, text ("kineograph"));
  definitions = object_of ("source", describe_source (), "nodes",
                           object_of ("type", text ("object"), "propertyNames",
                                      object_of ("pattern", text ("^[A-Za-z_][A-Za-z0-9_]*$"), "maxLength",
                                                 kg_json_new_number (KG_NAME_MAX), NULL),
                                      "additionalProperties", reference ("node"), NULL),
                           "node", describe_node (types), "node-names", describe_node_names (), "preset",
                           describe_preset (), "aside", describe_aside (), NULL);
  for (guint i = 0; i < kg_types_get_n (types); i++) {
    g_autofree char *name = g_strdup (kg_types_get (types, i)->id);

    *strchr (name, '/') = '.';
    kg_json_set (definitions, name, describe_type (kg_types_get (types, i)));
  }
  kg_json_set (
      definitions, "graph",
      object_of ("title", text ("Kineograph graph"), "type", text ("object"), "required", required,
                 "additionalProperties", kg_json_new (KG_JSON_FALSE), "properties",
                 object_of ("kineograph", object_of ("const", kg_json_new_number (KG_FILE_VERSION), NULL), "title",
                            type_is ("string"), "comment", type_is ("string"), "frames",
                            object_of ("type", text ("object"), "properties", frames, "additionalProperties",
                                       kg_json_new (KG_JSON_FALSE), NULL),
                            "presets",
                            object_of ("type", text ("object"), "additionalProperties", reference ("preset"), NULL),
                            "nodes", reference ("nodes"), "display", type_is ("string"), NULL),
                 NULL));
  /* The file says which of the two it is. */
  kg_json_append (is_preset, text ("kineograph_preset"));
  schema = object_of ("$schema", text ("https://json-schema.org/draft/2020-12/schema"), "title",
                      text ("Kineograph graph or preset"), "if", object_of ("required", is_preset, NULL), "then",
                      reference ("preset"), "else", reference ("graph"), NULL);
  kg_json_write (schema, head);
  /* Open for the definitions. */
  g_string_truncate (head, head->len - 1);
  return sink (head->str, data) && write_definitions (definitions, sink, data);
}
