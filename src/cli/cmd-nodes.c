/* kineo nodes: the node types, one line each, or one of them in full.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "kg-suggest.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* (transfer full) The first sentence of the help. */
static char *
dup_summary (const KgNodeType *type)
{
  const char *help = type->help != NULL ? _ (type->help) : "";
  const char *end = strstr (help, ". ");
  const char *line = strchr (help, '\n');

  if (end == NULL || (line != NULL && line < end))
    end = line;
  return end != NULL ? g_strndup (help, (gsize) (end - help)) : g_strdup (help);
}

static bool
is_in (const KgNodeType *type, const char *family)
{
  const size_t length = family != NULL ? strlen (family) : 0;

  return family == NULL || (strncmp (type->id, family, length) == 0 && type->id[length] == '/');
}

/* What a type has: a preset's inputs and outputs are those of an instance. */
typedef struct {
  const KgSlot *slots;
  guint n_slots;
  KgGraph *graph; /* (nullable) owned: with the instance */
  const KgNode *instance;
} Described;

static void
describe (Described *described, const KgNodeType *type)
{
  *described = (Described){ .slots = type->slots, .n_slots = type->n_slots };
  if (type->definition == NULL)
    return;
  described->graph = kg_graph_new (cli_get_types ());
  described->instance = kg_graph_add (described->graph, type->id, NULL, 0, 0, NULL);
  if (described->instance == NULL || kg_node_get_n_slots (described->instance) == 0)
    return;
  described->n_slots = kg_node_get_n_slots (described->instance);
  described->slots = kg_node_get_slot (described->instance, 0);
}

static bool
moves_inside (const Described *described, guint index)
{
  KgNode *inner;
  guint input;

  return described->instance != NULL && described->slots[index].role == KG_SLOT_INPUT &&
         kg_node_find_inner_default (described->instance, index, &inner, &input);
}

/* Appends the default as JSON; false when the slot has none that JSON can express. */
static bool
write_default (const KgSlot *slot, GString *out)
{
  g_auto (KgValue) value = KG_VALUE_INIT;

  if (slot->role != KG_SLOT_INPUT || slot->list || !kg_slot_get_default (slot, &value))
    return false;
  kg_value_write_json (&value, out);
  return true;
}

/* An input with a default is optional anyway. */
static bool
is_optional (const KgSlot *slot)
{
  return slot->optional && (slot->list || slot->kind >= KG_MOTION || slot->kind == KG_ANY);
}

static void
write_limit (GString *out, const char *name, double limit)
{
  if (isfinite (limit))
    cli_write_member (out, name, limit);
}

static void
write_text_member (GString *out, const char *name, const char *text)
{
  if (out->str[out->len - 1] != '{')
    g_string_append_c (out, ',');
  g_string_append_printf (out, "\"%s\":", name);
  kg_json_write_string (text != NULL ? text : "", out);
}

static void
write_slot_json (GString *out, const Described *described, guint index)
{
  const KgSlot *slot = &described->slots[index];

  g_string_append_c (out, '{');
  write_text_member (out, "name", slot->name);
  write_text_member (out, "label", slot->label != NULL ? kg_type_translate (slot->label) : slot->name);
  write_text_member (out, "kind", kg_kind_get_name (slot->kind));
  if (slot->help != NULL)
    write_text_member (out, "help", kg_type_translate (slot->help));
  if (slot->manual != NULL)
    write_text_member (out, "manual", slot->manual);
  if (slot->unit != KG_UNIT_NONE)
    write_text_member (out, "unit", kg_unit_get_symbol (slot->unit));
  if (slot->list)
    g_string_append (out, ",\"list\":true");
  if (is_optional (slot))
    g_string_append (out, ",\"optional\":true");
  if (slot->fixed)
    g_string_append (out, ",\"fixed\":true");
  if (kg_slot_has_range (slot)) {
    write_limit (out, "min", slot->min);
    write_limit (out, "max", slot->max);
  }
  {
    g_autoptr (GString) value = g_string_new (NULL);

    if (moves_inside (described, index))
      g_string_append (out, ",\"moves\":true");
    else if (write_default (slot, value))
      g_string_append_printf (out, ",\"default\":%s", value->str);
  }
  if (slot->choices != NULL) {
    g_string_append (out, ",\"choices\":[");
    for (const KgChoice *choice = slot->choices; choice->nick != NULL; choice++) {
      g_string_append (out, choice == slot->choices ? "" : ",");
      kg_json_write_string (choice->nick, out);
    }
    g_string_append (out, "],\"choice_labels\":[");
    for (const KgChoice *choice = slot->choices; choice->nick != NULL; choice++) {
      g_string_append (out, choice == slot->choices ? "" : ",");
      kg_json_write_string (kg_type_translate (choice->label), out);
    }
    g_string_append_c (out, ']');
  }
  if (slot->shown_when != NULL) {
    g_autofree char *condition = kg_slot_describe_condition (described->slots, described->n_slots, slot, true);

    write_text_member (out, "shown_when", slot->shown_when);
    if (condition != NULL)
      write_text_member (out, "used_when", condition);
  }
  g_string_append_c (out, '}');
}

static void
write_slots_json (GString *out, const Described *described, KgSlotRole role, const char *name)
{
  bool first = true;

  g_string_append_printf (out, ",\"%s\":[", name);
  for (guint i = 0; i < described->n_slots; i++) {
    if (described->slots[i].role != role)
      continue;
    g_string_append (out, first ? "" : ",");
    write_slot_json (out, described, i);
    first = false;
  }
  g_string_append_c (out, ']');
}

static void
write_type_json (GString *out, const KgNodeType *type)
{
  Described described;

  describe (&described, type);
  g_string_append_c (out, '{');
  write_text_member (out, "id", type->id);
  write_text_member (out, "label", type->label != NULL ? kg_type_translate (type->label) : type->id);
  write_text_member (out, "help", type->help != NULL ? kg_type_translate (type->help) : "");
  write_text_member (out, "tags", type->tags != NULL ? kg_type_translate (type->tags) : "");
  write_text_member (out, "since", type->since);
  if (type->formula != NULL)
    write_text_member (out, "formula", type->formula);
  if (type->source != NULL)
    write_text_member (out, "source", type->source);
  cli_write_member (out, "version", type->version);
  write_slots_json (out, &described, KG_SLOT_INPUT, "inputs");
  write_slots_json (out, &described, KG_SLOT_OUTPUT, "outputs");
  g_clear_object (&described.graph);
  g_string_append_c (out, '}');
}

static void
write_slot (GString *out, const Described *described, guint index)
{
  const KgSlot *slot = &described->slots[index];
  const char *symbol = kg_unit_get_symbol (slot->unit);
  g_autofree char *condition = kg_slot_describe_condition (described->slots, described->n_slots, slot, false);
  g_autoptr (GString) value = g_string_new (NULL);

  g_string_append_printf (out, "  %-16s %s%s", slot->name, slot->list ? _ ("list of ") : "",
                          kg_kind_get_name (slot->kind));
  if (symbol != NULL && *symbol != '\0')
    g_string_append_printf (out, " (%s)", symbol);
  if (moves_inside (described, index))
    g_string_append (out, _ (", animated inside"));
  else if (write_default (slot, value))
    g_string_append_printf (out, " = %s", value->str);
  if (kg_slot_has_range (slot)) {
    g_string_append (out, ", ");
    if (isfinite (slot->min))
      kg_json_write_number (slot->min, out);
    g_string_append (out, "..");
    if (isfinite (slot->max))
      kg_json_write_number (slot->max, out);
  }
  if (is_optional (slot))
    g_string_append (out, _ (", optional"));
  g_string_append_c (out, '\n');
  if (slot->help != NULL)
    g_string_append_printf (out, "  %-16s %s\n", "", kg_type_translate (slot->help));
  if (slot->manual != NULL)
    g_string_append_printf (out, _ ("  %-16s See docs/%s.md.\n"), "", slot->manual);
  if (condition != NULL)
    g_string_append_printf (out, _ ("  %-16s Used when %s.\n"), "", condition);
  for (const KgChoice *choice = slot->choices; choice != NULL && choice->nick != NULL; choice++)
    g_string_append_printf (out, "  %-18s %-20s %s\n", "", choice->nick, kg_type_translate (choice->label));
}

static void
write_slots (GString *out, const Described *described, KgSlotRole role, const char *heading)
{
  bool first = true;

  for (guint i = 0; i < described->n_slots; i++) {
    if (described->slots[i].role != role)
      continue;
    if (first)
      g_string_append_printf (out, "\n%s\n", heading);
    first = false;
    write_slot (out, described, i);
  }
}

static void
write_formula (GString *out, const char *formula)
{
  g_auto (GStrv) lines = g_strsplit (formula, "\n", -1);

  g_string_append_printf (out, "\n%s\n", _ ("Formula:"));
  for (guint i = 0; lines[i] != NULL; i++)
    g_string_append_printf (out, "  %s\n", lines[i]);
}

static void
write_type (GString *out, const KgNodeType *type)
{
  Described described;

  describe (&described, type);
  g_string_append_printf (out, "%s: %s\n\n%s\n", type->id, type->label != NULL ? kg_type_translate (type->label) : "",
                          type->help != NULL ? kg_type_translate (type->help) : "");
  write_slots (out, &described, KG_SLOT_INPUT, _ ("Inputs:"));
  write_slots (out, &described, KG_SLOT_OUTPUT, _ ("Outputs:"));
  g_clear_object (&described.graph);
  if (type->formula != NULL)
    write_formula (out, type->formula);
  if (type->source != NULL)
    g_string_append_printf (out, "\n%s\n  %s\n", _ ("Source:"), type->source);
}

/* family NULL: all of them.  False when there are none. */
static bool
write_list (GString *out, const char *family, bool json)
{
  guint n = 0;

  g_string_append (out, json ? "[" : "");
  for (guint i = 0; i < kg_types_get_n (cli_get_types ()); i++) {
    const KgNodeType *type = kg_types_get (cli_get_types (), i);
    g_autofree char *summary = dup_summary (type);

    if (!is_in (type, family))
      continue;
    if (json) {
      g_string_append (out, n > 0 ? ",\n" : "");
      write_type_json (out, type);
    } else {
      g_string_append_printf (out, "%-28s %s\n", type->id, summary);
    }
    n++;
  }
  g_string_append (out, json ? "]\n" : "");
  return n > 0 || family == NULL;
}

static CliStatus
fail_unknown (const char *id)
{
  KgTypes *types = cli_get_types ();
  KgSuggestion suggestion = kg_suggestion_begin (id);
  g_autoptr (GPtrArray) families = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *hint = NULL;

  for (guint i = 0; i < kg_types_get_n (types); i++) {
    char *family = kg_type_dup_family (kg_types_get (types, i));

    g_ptr_array_add (families, family);
    kg_suggestion_add (&suggestion, family);
    kg_suggestion_add_id (&suggestion, kg_types_get (types, i)->id);
  }
  hint = kg_suggestion_end (&suggestion);
  return cli_usage (&cli_nodes, _ ("unknown node type or family \"%s\" (\"kineo nodes\" lists them)%s"), id, hint);
}

static CliStatus
nodes_run (char ***arguments)
{
  gboolean json = FALSE;
  g_autoptr (GString) out = g_string_new (NULL);
  CliStatus status = CLI_DONE;
  const KgNodeType *type = NULL;
  g_autoptr (GError) error = NULL;
  const char *id;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print JSON"), NULL },
    { 0 },
  };

  if (!cli_parse (&cli_nodes, entries, arguments, &status) || !cli_check_count (&cli_nodes, *arguments, 0, 1, &status))
    return status;
  id = (*arguments)[1];
  if (id != NULL)
    type = kg_types_find (cli_get_types (), id);
  if (type == NULL && id != NULL && kg_types_is_offered (cli_get_types (), id) &&
      !kg_types_add_offered (cli_get_types (), &error)) {
    cli_print_error ("%s", error->message);
    return CLI_FAILED;
  }
  if (type == NULL && !write_list (out, id, json))
    return fail_unknown (id);
  if (type != NULL && json) {
    write_type_json (out, type);
    g_string_append_c (out, '\n');
  } else if (type != NULL) {
    write_type (out, type);
  }
  return cli_print (out->str);
}

const CliCommand cli_nodes = {
  .name = "nodes",
  .arguments = "[TYPE | FAMILY]",
  .summary = N_ ("List the node types, or describe one of them"),
  .description = N_ ("For example: kineo nodes; kineo nodes motion; kineo nodes motion/ease"),
  .run = nodes_run,
};
