/* kg-preset-json: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-json.h"

#include "config.h"
#include "kg-condition.h"
#include "kg-graph-private.h"
#include "kg-preset-private.h"
#include "kg-regular-file.h"
#include "kg-subnet.h"

#include <string.h>

/* Between the nodes inside and those of the interface. */
#define COLUMN 220

/* Reading. */

typedef struct {
  GPtrArray *problems;
  const char *pointer;
} Where;

static void G_GNUC_PRINTF (4, 5)
    report_member (const Where *where, const KgJson *json, const char *member, const char *format, ...)
{
  g_autofree char *pointer = g_strconcat (where->pointer, member, NULL);
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (kg_translate (format), arguments);
  va_end (arguments);
  kg_problems_add (where->problems, json, pointer, "%s", message);
}

static void
check_members (const Where *where, const KgJson *json, const char *member, const char *const *names)
{
  for (KgJsonIter each = kg_json_iterate (json); kg_json_next (&each);)
    if (!g_strv_contains (names, each.name)) {
      g_autofree char *pointer = g_strdup_printf ("%s/%s", member, each.name);

      report_member (where, each.value, pointer, "unknown name \"%.100s\"", each.name);
    }
}

/* (nullable) */
static const char *
read_text (const Where *where, const KgJson *json, const char *base, const char *name, bool required)
{
  const KgJson *item = kg_json_get (json, name);
  g_autofree char *pointer = g_strdup_printf ("%s/%s", base, name);

  if (item == NULL) {
    if (required)
      report_member (where, json, base, "a preset needs \"%s\"", name);
    return NULL;
  }
  if (!kg_json_is (item, KG_JSON_STRING)) {
    report_member (where, item, pointer, "expected a string, found %s", kg_json_kind_name (kg_json_get_kind (item)));
    return NULL;
  }
  return kg_json_get_string (item);
}

static double
read_number (const Where *where, const KgJson *json, const char *base, const char *name)
{
  const KgJson *item = kg_json_get (json, name);
  g_autofree char *pointer = g_strdup_printf ("%s/%s", base, name);

  if (item == NULL)
    return 0;
  if (!kg_json_is (item, KG_JSON_NUMBER)) {
    report_member (where, item, pointer, "expected a number, found %s", kg_json_kind_name (kg_json_get_kind (item)));
    return 0;
  }
  return kg_json_get_number (item);
}

bool
kg_preset_check_id (const char *id, GError **error)
{
  const char *slash = strchr (id, '/');
  bool good = slash != NULL && slash != id && slash[1] != '\0' && strchr (slash + 1, '/') == NULL && strlen (id) < 128;

  for (const char *p = id; *p != '\0'; p++)
    good &= g_ascii_islower (*p) || g_ascii_isdigit (*p) || *p == '_' || *p == '/';
  if (!good)
    kg_set_error (error, KG_ERROR_INVALID_VALUE,
                  "\"%.100s\" is not an id: write namespace/name in small letters, digits and _", id);
  return good;
}

static bool
read_unit (const char *text, KgUnit *unit)
{
  for (guint u = 0; u < KG_N_UNITS; u++)
    if (g_str_equal (kg_unit_get_symbol ((KgUnit) u), text)) {
      *unit = (KgUnit) u;
      return true;
    }
  return false;
}

/* (nullable) The node inside that "node.slot" names.  slot: (out) -1 where it has none of that name. */
static KgNode *
find_inside (KgGraph *graph, const char *target, int *slot)
{
  g_auto (GStrv) parts = g_strsplit (target, ".", 2);
  KgNode *node = parts[0] != NULL ? kg_graph_find (graph, parts[0]) : NULL;

  *slot = node != NULL && parts[1] != NULL ? kg_node_find_slot (node, parts[1]) : -1;
  return node;
}

/* A node of an unknown type is reported once, and not again for each slot, which it cannot have. */
static bool
is_unknown (const KgNode *node)
{
  return node != NULL && kg_node_get_type (node) == NULL;
}

/* The slots that a published input drives must exist and take its kind. */
static void
connect_input (const Where *where, KgGraph *graph, const KgPublished *published, KgNode *interface, const KgJson *json,
               const char *base)
{
  for (guint i = 0; published->drives[i] != NULL; i++) {
    g_autofree char *pointer = g_strdup_printf ("%s/drives/%u", base, i);
    int slot;
    KgNode *node = find_inside (graph, published->drives[i], &slot);
    g_autoptr (GError) error = NULL;

    if (is_unknown (node))
      continue;
    if (slot < 0 || kg_node_get_slot (node, (guint) slot)->role != KG_SLOT_INPUT)
      report_member (where, json, pointer, "no input %s exists inside", published->drives[i]);
    else if (!kg_graph_link (graph, interface, "output", node, kg_node_get_slot (node, (guint) slot)->name, &error))
      report_member (where, json, pointer, "%s", error->message);
  }
}

static void
connect_output (const Where *where, KgGraph *graph, const KgPublished *published, KgNode *interface, const KgJson *json,
                const char *base)
{
  g_autofree char *pointer = g_strconcat (base, "/from", NULL);
  g_autoptr (GError) error = NULL;
  KgNode *node;
  guint slot;
  const bool found = kg_graph_find_output (graph, published->from, &node, &slot, &error);

  if (!found && is_unknown (node))
    return;
  if (!found || !kg_graph_link (graph, node, kg_node_get_slot (node, slot)->name, interface, "value", &error))
    report_member (where, json, pointer, "%s", error->message);
}

static void
set_text (KgGraph *graph, KgNode *node, const char *slot, const char *text)
{
  g_auto (KgValue) value = kg_value_text (text);

  kg_graph_set_constant (graph, node, slot, &value, NULL);
}

/* Keys and expressions need a slot of their kind, which an interface node lacks: a value node holds them. */
static void
set_moving_default (const Where *where, KgGraph *graph, const KgPublished *published, KgNode *interface,
                    const KgSource *source, const KgJson *json, const char *base)
{
  const KgNodeType *type = kg_types_find_constant (kg_graph_get_types (graph), published->kind);
  g_autofree char *name = g_strdup_printf ("%s_default", published->name);
  g_autoptr (GError) error = NULL;
  KgNode *node = type != NULL ? kg_graph_add (graph, type->id, name, interface->x - COLUMN, interface->y, &error)
                              : NULL;
  const int slot = node != NULL ? kg_node_find_slot (node, "value") : -1;

  if (slot < 0 || !kg_graph_set_source (graph, node, (guint) slot, source, &error) ||
      !kg_graph_link (graph, node, "output", interface, "value", &error))
    report_member (where, json, base, "the value of %s inside cannot be the default: add a \"default\"%s%s",
                   published->drives[0], error != NULL ? ": " : "", error != NULL ? error->message : "");
}

/* The default: the interface's, or else the value of the first input that it drives, so that publishing loses
 * nothing. */
static void
set_default (const Where *where, KgGraph *graph, const KgPublished *published, KgNode *interface, const KgJson *json,
             const char *base)
{
  const KgJson *given = kg_json_get (json, "default");
  g_auto (KgValue) value = KG_VALUE_INIT;
  g_autoptr (GError) error = NULL;

  if (given != NULL) {
    g_autofree char *pointer = g_strconcat (base, "/default", NULL);

    if (!kg_value_from_json (given, published->kind, &value, &error) ||
        !kg_graph_set_constant (graph, interface, "value", &value, &error))
      report_member (where, given, pointer, "%s", error->message);
    return;
  }
  if (published->drives[0] != NULL) {
    int slot;
    KgNode *node = find_inside (graph, published->drives[0], &slot);
    const KgSource *source = slot >= 0 ? kg_node_get_source (node, (guint) slot) : NULL;

    if (source == NULL || kg_node_get_slot (node, (guint) slot)->role != KG_SLOT_INPUT)
      return;
    if (source->kind == KG_SOURCE_CONSTANT)
      kg_graph_set_constant (graph, interface, "value", &source->constant, NULL);
    else if (source->kind == KG_SOURCE_LINK || (source->kind == KG_SOURCE_TABLE && published->kind != KG_VECTOR))
      kg_graph_set_source (graph, interface, (guint) kg_node_find_slot (interface, "value"), source, NULL);
    else if (source->kind == KG_SOURCE_KEYS || source->kind == KG_SOURCE_EXPRESSION || source->kind == KG_SOURCE_TABLE)
      set_moving_default (where, graph, published, interface, source, json, base);
    else if (kg_slot_get_default (kg_node_get_slot (node, (guint) slot), &value))
      kg_graph_set_constant (graph, interface, "value", &value, NULL);
  }
}

static char **
read_drives (const Where *where, const KgJson *json, const char *base)
{
  const KgJson *drives = kg_json_get (json, "drives");
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *pointer = g_strconcat (base, "/drives", NULL);
  bool good = drives == NULL || kg_json_is (drives, KG_JSON_ARRAY);

  for (guint i = 0; good && drives != NULL && i < kg_json_get_n (drives); i++) {
    good = kg_json_is (kg_json_get_item (drives, i), KG_JSON_STRING);
    if (good)
      g_strv_builder_add (builder, kg_json_get_string (kg_json_get_item (drives, i)));
  }
  if (!good)
    report_member (where, drives, pointer, "expected a list of \"node.input\"");
  return g_strv_builder_end (builder);
}

/* The kind, unless the interface gives it, is that of the slot that it drives or comes from. */
static KgKind
find_kind (KgGraph *graph, const KgPublished *published)
{
  const char *text = published->is_output ? published->from : published->drives[0];
  int slot = -1;
  KgNode *node = text != NULL ? find_inside (graph, text, &slot) : NULL;

  return slot >= 0 ? kg_node_get_slot_kind (node, (guint) slot) : KG_ANY;
}

static void
read_published (KgPreset *preset, const Where *where, const char *name, const KgJson *json, bool is_output,
                const KgVector *place, guint row)
{
  static const char *const input_names[] = { "drives",   "kind",     "label",   "help",  "unit",       "min", "max",
                                             "soft_min", "soft_max", "default", "group", "shown_when", NULL };
  static const char *const output_names[] = { "from", "kind", "label", "help", NULL };
  g_autofree char *base = g_strdup_printf ("/interface/%s/%s", is_output ? "outputs" : "inputs", name);
  KgPublished *published;
  const char *kind, *unit;
  g_autoptr (GError) error = NULL;
  KgNode *interface;

  if (!kg_json_is (json, KG_JSON_OBJECT)) {
    report_member (where, json, base, "expected an object, found %s", kg_json_kind_name (kg_json_get_kind (json)));
    return;
  }
  check_members (where, json, base, is_output ? output_names : input_names);
  published = g_new0 (KgPublished, 1);
  g_ptr_array_add (preset->published, published);
  published->name = g_strdup (name);
  published->is_output = is_output;
  published->label = g_strdup (read_text (where, json, base, "label", false));
  published->help = g_strdup (read_text (where, json, base, "help", false));
  published->group = g_strdup (read_text (where, json, base, "group", false));
  published->shown_when = g_strdup (read_text (where, json, base, "shown_when", false));
  published->min = read_number (where, json, base, "min");
  published->max = read_number (where, json, base, "max");
  /* With one end only, the other is open. */
  if (kg_json_get (json, "min") == NULL && kg_json_get (json, "max") != NULL)
    published->min = -INFINITY;
  if (kg_json_get (json, "max") == NULL && kg_json_get (json, "min") != NULL)
    published->max = INFINITY;
  published->soft_min = read_number (where, json, base, "soft_min");
  published->soft_max = read_number (where, json, base, "soft_max");
  published->drives = is_output ? g_new0 (char *, 1) : read_drives (where, json, base);
  published->from = is_output ? g_strdup (read_text (where, json, base, "from", true)) : NULL;
  published->kind = find_kind (preset->graph, published);
  kind = read_text (where, json, base, "kind", false);
  if (kind != NULL && !kg_kind_from_name (kind, &published->kind))
    report_member (where, kg_json_get (json, "kind"), base, "unknown kind \"%.50s\"", kind);
  unit = read_text (where, json, base, "unit", false);
  if (unit != NULL && !read_unit (unit, &published->unit))
    report_member (where, kg_json_get (json, "unit"), base, "unknown unit \"%.20s\"", unit);
  if (published->max < published->min)
    report_member (where, json, base, "the range %g to %g is reversed", published->min, published->max);
  interface = kg_graph_add_role (preset->graph, is_output ? KG_ROLE_INTERFACE_OUTPUT : KG_ROLE_INTERFACE_INPUT, name,
                                 place->x, place->y + 80 * row, &error);
  if (interface == NULL) {
    report_member (where, json, base, "%s", error->message);
    return;
  }
  if (published->kind != KG_ANY)
    set_text (preset->graph, interface, "kind",
              kg_kind_get_name (published->kind == KG_CHOICE ? KG_TEXT : published->kind));
  if (published->label != NULL)
    set_text (preset->graph, interface, "label", published->label);
  if (published->help != NULL)
    set_text (preset->graph, interface, "help", published->help);
  if (is_output) {
    if (published->from != NULL)
      connect_output (where, preset->graph, published, interface, json, base);
  } else {
    set_default (where, preset->graph, published, interface, json, base);
    connect_input (where, preset->graph, published, interface, json, base);
  }
}

/* Conditions name published inputs. */
static void
check_conditions (KgPreset *preset, const Where *where, const KgJson *inputs)
{
  for (guint i = 0; i < preset->published->len; i++) {
    const KgPublished *published = (const KgPublished *) g_ptr_array_index (preset->published, i);
    g_autofree char *pointer = g_strdup_printf ("/interface/inputs/%s/shown_when", published->name);
    const KgJson *json = kg_json_get (inputs, published->name);
    g_autoptr (KgCondition) condition = NULL;
    g_autoptr (GError) error = NULL;

    if (published->shown_when == NULL)
      continue;
    condition = kg_condition_new (published->shown_when, &error);
    if (condition == NULL)
      report_member (where, json, pointer, "%s", error->message);
    for (guint k = 0; condition != NULL && k < kg_condition_get_n (condition); k++) {
      const KgPublished *other = kg_preset_find_published (preset, kg_condition_get_input (condition, k));

      if (other == NULL || other->is_output)
        report_member (where, json, pointer, "unknown published input \"%.100s\"",
                       kg_condition_get_input (condition, k));
    }
  }
}

/* The places of the interface nodes among the contents: inputs before all nodes, outputs after them. */
static void
find_places (KgGraph *graph, KgVector places[2])
{
  places[0] = places[1] = kg_vector (0, 0, 0);
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    double x, y;

    kg_node_get_position (kg_graph_get_node (graph, i), &x, &y);
    places[0].x = i == 0 ? x : fmin (places[0].x, x);
    places[1].x = i == 0 ? x : fmax (places[1].x, x);
    places[0].y = places[1].y = i == 0 ? y : fmin (places[0].y, y);
  }
  places[0].x -= COLUMN;
  places[1].x += COLUMN;
}

static void
read_interface (KgPreset *preset, const Where *where, const KgJson *json)
{
  static const char *const names[] = { "inputs", "outputs", NULL };
  KgVector places[2];
  const KgJson *interface = kg_json_get (json, "interface");

  if (interface == NULL)
    return;
  find_places (preset->graph, places);
  if (!kg_json_is (interface, KG_JSON_OBJECT)) {
    report_member (where, interface, "/interface", "expected an object, found %s",
                   kg_json_kind_name (kg_json_get_kind (interface)));
    return;
  }
  check_members (where, interface, "/interface", names);
  for (guint part = 0; part < 2; part++) {
    const KgJson *slots = kg_json_get (interface, names[part]);
    guint row = 0;

    if (slots != NULL && !kg_json_is (slots, KG_JSON_OBJECT)) {
      report_member (where, slots, "/interface", "expected an object, found %s",
                     kg_json_kind_name (kg_json_get_kind (slots)));
      continue;
    }
    for (KgJsonIter member = kg_json_iterate (slots); kg_json_next (&member);)
      read_published (preset, where, member.name, member.value, part == 1, &places[part], row++);
    if (slots != NULL && part == 0)
      check_conditions (preset, where, slots);
  }
}

KgTypes *
kg_types_read_presets (KgTypes *types, const KgJson *json, const char *pointer, GPtrArray *problems)
{
  KgTypes *all = kg_types_ref (types);

  if (!kg_json_is (json, KG_JSON_OBJECT))
    kg_problems_add (problems, json, pointer, "expected an object, found %s",
                     kg_json_kind_name (kg_json_get_kind (json)));
  for (KgJsonIter member = kg_json_iterate (json); kg_json_next (&member);) {
    g_autoptr (GString) inner = g_string_new (member.name);
    g_autofree char *path = NULL;
    g_autoptr (KgPreset) preset = NULL;

    g_string_replace (inner, "~", "~0", 0);
    g_string_replace (inner, "/", "~1", 0);
    path = g_strdup_printf ("%s/%s", pointer, inner->str);
    preset = kg_preset_from_json (all, member.value, path, problems);
    if (preset != NULL) {
      g_autofree char *versioned = kg_preset_dup_versioned_id (preset);
      const bool is_older = g_str_equal (versioned, member.name);
      KgTypes *more;

      if (!is_older && !g_str_equal (kg_preset_get_id (preset), member.name)) {
        kg_problems_add (problems, member.value, path, "the preset has the id \"%s\", not this name",
                         kg_preset_get_id (preset));
        continue;
      }
      more = is_older ? kg_types_add_older (all, kg_preset_get_type (preset))
                      : kg_types_add (all, kg_preset_get_type (preset));
      kg_types_unref (all);
      all = more;
    }
  }
  return all;
}

/* The reader of graph files reads the nodes; the positions of its problems become those of this file. */
static KgGraph *
read_nodes (KgTypes *types, const Where *where, const KgJson *json)
{
  const KgJson *inside = kg_json_get (json, "graph");
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgJson) file = NULL;
  const KgJson *nodes;
  KgGraph *graph;

  if (!kg_json_is (inside, KG_JSON_OBJECT) || kg_json_get (inside, "nodes") == NULL) {
    report_member (where, inside != NULL ? inside : json, "/graph", "a preset needs a \"graph\" with \"nodes\"");
    return NULL;
  }
  nodes = kg_json_get (inside, "nodes");
  file = kg_json_new (KG_JSON_OBJECT);
  kg_json_set (file, "nodes", kg_json_ref (nodes));
  if (kg_json_get (inside, "display") != NULL)
    kg_json_set (file, "display", kg_json_ref (kg_json_get (inside, "display")));
  graph = kg_graph_read_json (types, file, problems);
  for (guint i = 0; i < problems->len; i++) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, i);
    g_autofree char *pointer = g_strconcat ("/graph", problem->pointer, NULL);

    report_member (where, nodes, pointer, "%s", problem->message);
  }
  if (graph != NULL)
    kg_graph_set_recording (graph, false);
  return graph;
}

/* Unknown nodes would fail in every instance. */
static void
check_known (const Where *where, KgGraph *graph)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);
    g_autofree char *pointer = g_strdup_printf ("/graph/nodes/%s/type", kg_node_get_name (node));

    if (kg_node_get_type (node) == NULL) {
      g_autoptr (GError) error = kg_node_new_unknown_error (node);

      report_member (where, NULL, pointer, "%s", error->message);
    }
  }
}

static int
compare_versions (const char *a, const char *b)
{
  g_auto (GStrv) x = g_strsplit (a, ".", -1), y = g_strsplit (b, ".", -1);

  for (guint i = 0; x[i] != NULL || y[i] != NULL; i++) {
    const gint64 p = x[i] != NULL ? g_ascii_strtoll (x[i], NULL, 10) : 0;
    const gint64 q = y[i] != NULL ? g_ascii_strtoll (y[i], NULL, 10) : 0;

    if (p != q)
      return p < q ? -1 : 1;
    if (x[i] == NULL || y[i] == NULL)
      break;
  }
  return 0;
}

static void
read_renamed (const Where *where, const KgJson *json)
{
  const KgJson *renamed = kg_json_get (json, "renamed");

  for (KgJsonIter member = kg_json_iterate (renamed); kg_json_next (&member);)
    if (!kg_json_is (member.value, KG_JSON_STRING))
      report_member (where, member.value, "/renamed", "expected a string with the new name");
  if (renamed != NULL && !kg_json_is (renamed, KG_JSON_OBJECT))
    report_member (where, renamed, "/renamed", "expected an object of old and new names");
}

/* Whether there are more problems than before; once the limit of problems is reached, this is unknown. */
static bool
is_wrong (const GPtrArray *problems, guint before)
{
  return problems->len > before || problems->len >= KG_JSON_MAX_PROBLEMS;
}

KgPreset *
kg_preset_from_json (KgTypes *types, const KgJson *json, const char *pointer, GPtrArray *problems)
{
  static const char *const names[] = {
    "kineograph_preset", "id",        "version", "title",   "summary", "help",      "author", "license", "tags",
    "keywords",          "thumbnail", "minimum", "renamed", "presets", "interface", "graph",  NULL
  };
  static const char *const texts[] = {
    "title", "summary", "help", "author", "license", "tags", "keywords", "thumbnail"
  };
  const Where where = { problems, pointer };
  const guint before = problems->len;
  g_autoptr (KgPreset) preset = NULL;
  g_autoptr (KgTypes) own = NULL;
  g_autoptr (GError) error = NULL;
  const KgJson *format, *thumbnail;
  const char *id, *minimum;
  double version;

  if (!kg_json_is (json, KG_JSON_OBJECT)) {
    report_member (&where, json, "", "expected an object, found %s", kg_json_kind_name (kg_json_get_kind (json)));
    return NULL;
  }
  format = kg_json_get (json, "kineograph_preset");
  if (!kg_json_is (format, KG_JSON_NUMBER) || kg_json_get_number (format) < 1) {
    report_member (&where, format != NULL ? format : json, "", "not a preset: \"kineograph_preset\": %d is missing",
                   KG_PRESET_FORMAT);
    return NULL;
  }
  if (kg_json_get_number (format) > KG_PRESET_FORMAT) {
    report_member (&where, format, "/kineograph_preset",
                   "format version %g is newer than this program supports (up to %d): use a newer program",
                   kg_json_get_number (format), KG_PRESET_FORMAT);
    return NULL;
  }
  check_members (&where, json, "", names);
  id = read_text (&where, json, "", "id", true);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    read_text (&where, json, "", texts[i], false);
  /* Images are copied and deleted with their preset: they must not be elsewhere. */
  thumbnail = kg_json_get (json, "thumbnail");
  if (kg_json_is (thumbnail, KG_JSON_STRING) &&
      (strchr (kg_json_get_string (thumbnail), G_DIR_SEPARATOR) != NULL || *kg_json_get_string (thumbnail) == '.'))
    report_member (&where, thumbnail, "/thumbnail",
                   "\"%s\" must be the name of an image next to the preset: write it without a folder",
                   kg_json_get_string (thumbnail));
  minimum = read_text (&where, json, "", "minimum", false);
  if (minimum != NULL && compare_versions (minimum, KG_VERSION) > 0)
    report_member (&where, kg_json_get (json, "minimum"), "/minimum",
                   "it needs version %s of the program; this is version %s", minimum, KG_VERSION);
  version = kg_json_get (json, "version") != NULL ? read_number (&where, json, "", "version") : 1;
  if (!(version >= 1 && version <= 1e6 && version == floor (version)))
    report_member (&where, kg_json_get (json, "version"), "/version",
                   "the version must be a whole number of at least 1");
  if (id == NULL)
    return NULL;
  if (!kg_preset_check_id (id, &error))
    report_member (&where, kg_json_get (json, "id"), "/id", "%s", error->message);
  read_renamed (&where, json);
  if (is_wrong (problems, before))
    return NULL;
  preset = kg_preset_new (kg_json_copy (json), id, (guint) version);
  if (kg_json_get (json, "presets") != NULL) {
    g_autofree char *inner = g_strconcat (pointer, "/presets", NULL);

    own = kg_types_read_presets (types, kg_json_get (json, "presets"), inner, problems);
  }
  preset->graph = read_nodes (own != NULL ? own : types, &where, json);
  if (preset->graph != NULL) {
    check_known (&where, preset->graph);
    read_interface (preset, &where, json);
  }
  if (is_wrong (problems, before))
    return NULL;
  kg_preset_complete (preset);
  return g_steal_pointer (&preset);
}

KgPreset *
kg_preset_parse (KgTypes *types, const char *text, gssize length, GPtrArray *problems)
{
  const guint before = problems->len;
  g_autoptr (KgJson) json = kg_json_parse_on (text, length, problems);
  g_autoptr (KgPreset) preset = json != NULL ? kg_preset_from_json (types, json, "", problems) : NULL;

  kg_problems_locate (problems, json, text, length);
  return is_wrong (problems, before) ? NULL : g_steal_pointer (&preset);
}

KgPreset *
kg_preset_load (KgTypes *types, const char *path, GPtrArray *problems)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  KgPreset *preset;
  gsize length;

  text = kg_regular_file_read (path, "a preset", &length, &error);
  if (text == NULL) {
    kg_problems_add (problems, NULL, "", "%s", error->message);
    return NULL;
  }
  preset = kg_preset_parse (types, text, (gssize) length, problems);
  if (preset != NULL)
    kg_preset_set_path (preset, path);
  return preset;
}

/* Members of the file and of what deserves lines of its own, one a line. */
static void
write_lines (const KgJson *json, guint depth, guint unfold, GString *out)
{
  const char *separator = "{\n";

  if (!kg_json_is (json, KG_JSON_OBJECT) || unfold == 0 || kg_json_get_n (json) == 0) {
    kg_json_write (json, out);
    return;
  }
  for (KgJsonIter member = kg_json_iterate (json); kg_json_next (&member); separator = ",\n") {
    g_string_append_printf (out, "%s%*s", separator, (int) (2 * depth + 2), "");
    kg_json_write_string (member.name, out);
    g_string_append (out, ": ");
    write_lines (member.value, depth + 1, unfold - 1, out);
  }
  g_string_append_printf (out, "\n%*s}", (int) (2 * depth), "");
}

char *
kg_preset_json_to_text (const KgJson *json)
{
  GString *out = g_string_new (NULL);

  write_lines (json, 0, 3, out);
  g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}

char *
kg_preset_to_text (const KgPreset *preset)
{
  return kg_preset_json_to_text (preset->json);
}
