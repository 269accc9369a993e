/* kineo presets: node types that are made of nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "kg-data.h"
#include "kg-preset-json.h"
#include "kg-preset-pack.h"
#include "kg-preset-store.h"
#include "kg-output-file.h"
#include "kg-regular-file.h"
#include "kg-subnet.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name, *arguments, *summary;
  guint min, max;
  CliStatus (*run) (char **arguments);
} Subcommand;

static gboolean as_json, apply;
static char *output, *id, *title, *size, *frame;

static CliStatus
write_result (const char *text)
{
  g_autoptr (GError) error = NULL;

  if (output == NULL || g_str_equal (output, "-"))
    return cli_print (text);
  if (kg_output_file_save (output, text, &error))
    return CLI_DONE;
  cli_print_error ("%s", error->message);
  return CLI_FAILED;
}

/* (nullable) */
static const KgPreset *
find_preset (const char *name)
{
  const KgNodeType *type = kg_types_find (cli_get_types (), name);
  const char *const *folders = kg_types_get_preset_folders (cli_get_types ());
  g_autofree char *list = folders != NULL ? g_strjoinv (", ", (char **) folders) : g_strdup ("");
  g_autofree char *hint = kg_types_suggest (cli_get_types (), name);

  if (kg_type_get_preset (type) != NULL)
    return kg_type_get_preset (type);
  if (type != NULL)
    cli_print_error (_ ("%s is a built-in node type, not a preset: see \"kineo nodes %s\""), name, name);
  else
    cli_print_error (_ ("unknown preset \"%s\"; looked in: %s%s"), name, list, hint);
  return NULL;
}

/* list */

static CliStatus
run_list (char **arguments)
{
  KgTypes *types = cli_get_types ();
  g_autoptr (GString) out = g_string_new (as_json ? "[" : NULL);
  guint n = 0;

  (void) arguments;
  for (guint i = 0; i < kg_types_get_n (types); i++) {
    const KgPreset *preset = kg_type_get_preset (kg_types_get (types, i));
    const char *summary = preset != NULL ? kg_preset_get_text (preset, "summary") : NULL;

    if (preset == NULL)
      continue;
    if (!as_json) {
      g_string_append_printf (out, "%-32s %3u  %s\n", kg_preset_get_id (preset), kg_preset_get_version (preset),
                              summary != NULL ? summary : kg_types_get (types, i)->label);
      continue;
    }
    g_string_append (out, n++ > 0 ? ",\n" : "\n");
    g_string_append (out, "{\"id\":");
    kg_json_write_string (kg_preset_get_id (preset), out);
    g_string_append_printf (out, ",\"version\":%u,\"title\":", kg_preset_get_version (preset));
    kg_json_write_string (kg_types_get (types, i)->label, out);
    g_string_append (out, ",\"summary\":");
    kg_json_write_string (summary != NULL ? summary : "", out);
    g_string_append (out, ",\"path\":");
    if (kg_preset_get_path (preset) != NULL)
      kg_json_write_string (kg_preset_get_path (preset), out);
    else
      g_string_append (out, "null");
    g_string_append_c (out, '}');
  }
  if (as_json)
    g_string_append (out, "\n]\n");
  return cli_print (out->str);
}

/* show */

static void
show_published (const KgPreset *preset, const KgNode *instance, bool outputs, GString *out)
{
  for (guint i = 0; i < kg_preset_get_n_published (preset); i++) {
    const KgPublished *published = kg_preset_get_published (preset, i);
    const int slot = kg_node_find_slot (instance, published->name);
    const KgSlot *declared = slot >= 0 ? kg_node_get_slot (instance, (guint) slot) : NULL;
    g_auto (KgValue) value = KG_VALUE_INIT;

    if (published->is_output != outputs)
      continue;
    g_string_append_printf (out, "    %-16s %s", published->name,
                            published->label != NULL ? published->label : published->name);
    g_string_append_printf (out, " (%s", kg_kind_get_name (published->kind));
    if (*kg_unit_get_symbol (published->unit) != '\0')
      g_string_append_printf (out, _ (", in %s"), kg_unit_get_symbol (published->unit));
    if (declared != NULL && !outputs && published->kind <= KG_COLOR && published->kind != KG_TEXT &&
        kg_slot_get_default (declared, &value)) {
      g_string_append (out, _ (", default "));
      kg_value_write_json (&value, out);
    }
    if (isinf (published->max))
      g_string_append_printf (out, _ (", at least %g"), published->min);
    else if (isinf (published->min))
      g_string_append_printf (out, _ (", at most %g"), published->max);
    else if (published->max > published->min)
      g_string_append_printf (out, _ (", %g to %g"), published->min, published->max);
    if (published->group != NULL)
      g_string_append_printf (out, _ (", group “%s”"), published->group);
    if (published->shown_when != NULL)
      g_string_append_printf (out, _ (", shown when %s"), published->shown_when);
    g_string_append (out, ")\n");
    if (published->help != NULL && *published->help != '\0')
      g_string_append_printf (out, "                     %s\n", published->help);
  }
}

static CliStatus
run_show (char **arguments)
{
  static const struct {
    const char *name, *heading;
  } parts[] = { { "author", N_ ("AUTHOR") }, { "license", N_ ("LICENCE") }, { "tags", N_ ("TAGS") } };
  const KgPreset *preset = find_preset (arguments[0]);
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (KgGraph) graph = NULL;
  const char *summary;
  KgNode *instance;

  if (preset == NULL)
    return CLI_FAILED;
  graph = kg_graph_new (cli_get_types ());
  instance = kg_graph_add (graph, kg_preset_get_id (preset), "instance", 0, 0, NULL);
  summary = kg_preset_get_text (preset, "summary");
  g_string_append_printf (out, _ ("NAME\n    %s - %s (%s, version %u)\n"), kg_preset_get_id (preset),
                          summary != NULL ? summary : kg_preset_get_type (preset)->label,
                          kg_preset_get_type (preset)->label, kg_preset_get_version (preset));
  g_string_append_printf (out, _ ("\nDESCRIPTION\n    %s\n"), kg_preset_get_type (preset)->help);
  g_string_append (out, _ ("\nINPUTS\n"));
  show_published (preset, instance, false, out);
  g_string_append (out, _ ("\nOUTPUTS\n"));
  show_published (preset, instance, true, out);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (kg_preset_get_text (preset, parts[i].name) != NULL)
      g_string_append_printf (out, "\n%s\n    %s\n", _ (parts[i].heading), kg_preset_get_text (preset, parts[i].name));
  if (kg_preset_get_path (preset) != NULL)
    g_string_append_printf (out, _ ("\nFILE\n    %s\n"), kg_preset_get_path (preset));
  return cli_print (out->str);
}

/* check */

typedef struct {
  const char *path;
  guint n_warnings;
} Check;

static void G_GNUC_PRINTF (2, 3) warn (Check *check, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  cli_write_error (_ ("%s: warning: %s\n"), check->path, message);
  check->n_warnings++;
}

/* The number of a constant, or the first component of a vector or colour, that is outside the range. */
static bool
find_outside (const KgSource *source, const KgPublished *published, double *x)
{
  static const char *const components[] = { NULL, "x", "y", "z", "r", "g", "b", "a" };

  for (guint i = 0; i < G_N_ELEMENTS (components); i++)
    if (kg_value_get_component (&source->constant, components[i], x) && (*x < published->min || *x > published->max))
      return true;
  return false;
}

static void
check_published (Check *check, const KgPreset *preset)
{
  KgGraph *graph = kg_preset_get_graph (preset);
  bool any_output = false;

  for (guint i = 0; i < kg_preset_get_n_published (preset); i++) {
    const KgPublished *published = kg_preset_get_published (preset, i);
    KgNode *interface = kg_graph_find (graph, published->name);
    const int slot = interface != NULL ? kg_node_find_slot (interface, "value") : -1;
    const KgSource *source = slot >= 0 ? kg_node_get_source (interface, (guint) slot) : NULL;
    double x;

    any_output |= published->is_output;
    if (!published->is_output && published->drives[0] == NULL)
      warn (check, _ ("the input %s drives nothing"), published->name);
    if (published->help == NULL || *published->help == '\0')
      warn (check, _ ("%s has no help"), published->name);
    if (published->max > published->min && source != NULL && source->kind == KG_SOURCE_CONSTANT &&
        find_outside (source, published, &x))
      warn (check, _ ("the default %g of %s is outside %g to %g"), x, published->name, published->min, published->max);
  }
  if (!any_output)
    warn (check, _ ("it has no output: no other node can read it"));
}

static void
check_files (Check *check, KgGraph *graph, const char *folder)
{
  for (guint i = 0; i < kg_graph_get_n_nodes (graph); i++) {
    KgNode *node = kg_graph_get_node (graph, i);

    for (guint s = 0; s < kg_node_get_n_slots (node); s++) {
      const KgSlot *slot = kg_node_get_slot (node, s);
      const KgSource *source = slot->role == KG_SLOT_INPUT ? kg_node_get_source (node, s) : NULL;
      g_autofree char *path = NULL;

      if (source == NULL || !slot->path || source->kind != KG_SOURCE_CONSTANT || source->constant.kind != KG_TEXT ||
          *source->constant.text == '\0')
        continue;
      path = kg_regular_file_dup_path (folder, source->constant.text);
      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        warn (check, _ ("%s: the file %s is missing"), kg_node_get_name (node), source->constant.text);
    }
    if (kg_node_get_graph (node) != NULL && kg_node_get_preset (node) == NULL)
      check_files (check, kg_node_get_graph (node), folder);
  }
}

static CliStatus
check_file (const char *path)
{
  static const char *const wanted[] = { "title", "summary", "help", "author", "license", "tags" };
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) preset = kg_preset_load (cli_get_types (), path, problems);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *line = NULL, *warnings = NULL;
  Check check = { path, 0 };

  if (preset == NULL) {
    cli_print_problems (problems, path);
    return CLI_INVALID_FILE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++) {
    const char *text = kg_preset_get_text (preset, wanted[i]);

    if (text == NULL || *text == '\0')
      warn (&check, _ ("%s is missing"), wanted[i]);
  }
  check_published (&check, preset);
  check_files (&check, kg_preset_get_graph (preset), folder);
  if (kg_preset_get_text (preset, "thumbnail") != NULL) {
    g_autofree char *thumbnail = g_build_filename (folder, kg_preset_get_text (preset, "thumbnail"), NULL);

    if (!g_file_test (thumbnail, G_FILE_TEST_EXISTS))
      warn (&check, _ ("the thumbnail %s is missing"), kg_preset_get_text (preset, "thumbnail"));
  }
  warnings = g_strdup_printf (ngettext ("%u warning", "%u warnings", check.n_warnings), check.n_warnings);
  line = g_strdup_printf (
      ngettext ("%s: %s, version %u, %u input or output, %s\n", "%s: %s, version %u, %u inputs and outputs, %s\n",
                kg_preset_get_n_published (preset)),
      path, kg_preset_get_id (preset), kg_preset_get_version (preset), kg_preset_get_n_published (preset), warnings);
  return cli_print (line);
}

static CliStatus
run_check (char **arguments)
{
  CliStatus status = CLI_DONE;

  for (guint i = 0; arguments[i] != NULL; i++)
    status = cli_worse (status, check_file (arguments[i]));
  return status;
}

/* new, pack */

static CliStatus
run_new (char **arguments)
{
  static const char *const empty[] = { "summary", "help", "author" };
  g_autoptr (KgJson) json = kg_json_new (KG_JSON_OBJECT);
  KgJson *interface = kg_json_new (KG_JSON_OBJECT), *graph = kg_json_new (KG_JSON_OBJECT);
  g_autofree char *text = NULL;
  GError *error = NULL;

  kg_json_set (json, "kineograph_preset", kg_json_new_number (KG_PRESET_FORMAT));
  kg_json_set (json, "id", kg_json_new_string (arguments[0]));
  kg_json_set (json, "version", kg_json_new_number (1));
  kg_json_set (json, "title", kg_json_new_string (title != NULL ? title : ""));
  for (guint i = 0; i < G_N_ELEMENTS (empty); i++)
    kg_json_set (json, empty[i], kg_json_new_string (""));
  kg_json_set (json, "license", kg_json_new_string ("CC0-1.0"));
  kg_json_set (json, "tags", kg_json_new_string (""));
  kg_json_set (interface, "inputs", kg_json_new (KG_JSON_OBJECT));
  kg_json_set (interface, "outputs", kg_json_new (KG_JSON_OBJECT));
  kg_json_set (json, "interface", interface);
  kg_json_set (graph, "nodes", kg_json_new (KG_JSON_OBJECT));
  kg_json_set (json, "graph", graph);
  if (!kg_preset_check_id (arguments[0], &error))
    return cli_fail (error);
  text = kg_preset_json_to_text (json);
  return write_result (text);
}

static CliStatus
run_pack (char **arguments)
{
  g_autoptr (KgGraph) graph = cli_load_with_library (arguments[0]);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  g_autofree char *text = NULL;
  GError *error = NULL;

  if (graph == NULL)
    return CLI_INVALID_FILE;
  if (id == NULL)
    return cli_usage (&cli_presets, _ ("pack needs --id NAMESPACE/NAME"));
  for (guint i = 1; arguments[i] != NULL; i++) {
    KgNode *node = kg_graph_find (graph, arguments[i]);

    if (node == NULL) {
      g_autofree char *hint = kg_graph_suggest_node (graph, arguments[i]);

      cli_print_error (_ ("unknown node \"%s\"%s"), arguments[i], hint);
      return CLI_FAILED;
    }
    if (!g_ptr_array_find (nodes, node, NULL))
      g_ptr_array_add (nodes, node);
  }
  text = kg_preset_pack (graph, (KgNode *const *) nodes->pdata, nodes->len, id, title != NULL ? title : id, &error);
  return text != NULL ? write_result (text) : cli_fail (error);
}

/* unpack */

static CliStatus
save_graph (KgGraph *graph, const char *path)
{
  GError *error = NULL;

  return kg_graph_save (graph, output != NULL ? output : path, &error) ? CLI_DONE : cli_fail (error);
}

static CliStatus
run_unpack (char **arguments)
{
  g_autoptr (KgGraph) graph = cli_load_with_library (arguments[0]);
  KgNode *node = graph != NULL ? kg_graph_find_path (graph, arguments[1]) : NULL;
  g_autoptr (GPtrArray) nodes = NULL;
  GError *error = NULL;

  if (graph == NULL)
    return CLI_INVALID_FILE;
  if (node == NULL || kg_node_get_graph (node) == NULL) {
    cli_print_error (_ ("%s is not an instance of a preset"), arguments[1]);
    return CLI_FAILED;
  }
  nodes = kg_graph_expand (kg_node_get_parent (node), node, &error);
  return nodes != NULL ? save_graph (graph, arguments[0]) : cli_fail (error);
}

/* upgrade */

static void
report_changes (GString *out, const KgNode *node, const KgPreset *newer)
{
  const KgPreset *old = kg_node_get_preset (node);
  g_autoptr (GArray) changes = kg_preset_compare (old, newer);
  g_autofree char *path = kg_node_dup_path (node);

  g_string_append_printf (out, "%s: %s %u → %u\n", path, kg_preset_get_id (old), kg_preset_get_version (old),
                          kg_preset_get_version (newer));
  for (guint i = 0; i < changes->len; i++) {
    g_autofree char *text = kg_interface_change_to_text (&g_array_index (changes, KgInterfaceChange, i));

    g_string_append_printf (out, "  %s\n", text);
  }
}

/* (transfer container) (nullable) The instances of the names, or all. */
static GPtrArray *
find_wanted (KgGraph *graph, char **names)
{
  g_autoptr (GPtrArray) instances = NULL;

  if (*names == NULL)
    return kg_graph_find_instances (graph, NULL);
  instances = g_ptr_array_new ();
  for (; *names != NULL; names++) {
    KgNode *node = kg_graph_find_path (graph, *names);

    if (node == NULL || kg_node_get_preset (node) == NULL) {
      cli_print_error (_ ("%s is not an instance of a preset"), *names);
      return NULL;
    }
    if (!g_ptr_array_find (instances, node, NULL))
      g_ptr_array_add (instances, node);
  }
  return g_steal_pointer (&instances);
}

static CliStatus
run_upgrade (char **arguments)
{
  g_autoptr (KgTypes) library = cli_get_types_for (arguments[0]);
  g_autoptr (KgGraph) graph = cli_load_with_library (arguments[0]);
  g_autoptr (GPtrArray) instances = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  guint n_newer = 0;
  GError *error = NULL;
  CliStatus status;

  if (graph == NULL)
    return CLI_INVALID_FILE;
  instances = find_wanted (graph, arguments + 1);
  if (instances == NULL)
    return CLI_FAILED;
  for (guint i = 0; i < instances->len; i++)
    n_newer += kg_node_find_newer ((const KgNode *) g_ptr_array_index (instances, i), library) != NULL;
  if (n_newer == 0 && cli_lacks_presets ()) {
    cli_print_error (
        _ ("%s: no newer preset was found, but not all could be read: repair the files that the warnings name"),
        arguments[0]);
    return CLI_FAILED;
  }
  if (n_newer == 0) {
    g_string_append_printf (out, _ ("%s: every preset is up to date\n"), arguments[0]);
    return cli_print (out->str);
  }
  for (guint i = 0; i < instances->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (instances, i);
    const KgPreset *preset = kg_node_find_newer (node, library);

    if (preset != NULL)
      report_changes (out, node, preset);
  }
  status = cli_print (out->str);
  if (!apply)
    return status;
  for (guint i = 0; i < instances->len; i++) {
    KgNode *node = (KgNode *) g_ptr_array_index (instances, i);
    const KgPreset *preset = kg_node_find_newer (node, library);

    if (preset != NULL && kg_graph_upgrade_node (kg_node_get_parent (node), node, preset, &error) == NULL)
      return cli_fail (error);
  }
  return cli_worse (status, save_graph (graph, arguments[0]));
}

/* render-thumbnail */

/* (transfer full) The thumbnail that the definition names, or one named after the file. */
static char *
dup_thumbnail_path (const KgPreset *preset, const char *file)
{
  const char *name = kg_preset_get_text (preset, "thumbnail");
  g_autofree char *folder = g_path_get_dirname (file), *stem = NULL;

  if (name != NULL)
    return g_build_filename (folder, name, NULL);
  stem = g_str_has_suffix (file, KG_PRESET_SUFFIX) ? g_strndup (file, strlen (file) - strlen (KG_PRESET_SUFFIX))
                                                   : g_strdup (file);
  return g_strconcat (stem, ".png", NULL);
}

static CliStatus
run_thumbnail (char **arguments)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgPreset) preset = kg_preset_load (cli_get_types (), arguments[0], problems);
  KgGraph *graph = preset != NULL ? kg_preset_get_graph (preset) : NULL;
  int width = 320, height = 180;
  CliStatus status = CLI_DONE;
  gint64 at = 1;
  g_autofree char *path = output != NULL ? g_strdup (output) : NULL;
  GError *error = NULL;
  KgRenderReport report;

  if (preset == NULL) {
    cli_print_problems (problems, arguments[0]);
    return CLI_INVALID_FILE;
  }
  if (!cli_parse_size (&cli_presets, size, &width, &height, &status))
    return status;
  if (frame != NULL && !cli_read_integer (frame, -G_MAXINT32, G_MAXINT32, &at))
    return cli_usage (&cli_presets, _ ("--frame %s: write a whole number"), frame);
  cli_permit (graph, NULL);
  if (kg_graph_get_display (graph) == NULL) {
    cli_print_error (_ ("%s: its graph has no \"display\" to draw"), arguments[0]);
    return CLI_FAILED;
  }
  if (path == NULL) {
    path = dup_thumbnail_path (preset, arguments[0]);
    if (g_file_test (path, G_FILE_TEST_EXISTS) && !kg_preset_owns_image (arguments[0], path)) {
      cli_print_error (
          _ ("%s already exists and is not the thumbnail of %s alone: name another file with -o, and as \"thumbnail\" in the preset"),
          path, arguments[0]);
      return CLI_FAILED;
    }
  }
  {
    const KgRenderRange range = { at, at, 1 };
    const KgRenderOptions options = { .path = path, .range = &range, .width = width, .height = height, .jobs = 1 };

    return kg_render (graph, &options, cli_watch_signals (), &report, &error) ? CLI_DONE : cli_fail (error);
  }
}

static const Subcommand subcommands[] = {
  { "list", "", N_ ("List all presets by id"), 0, 0, run_list },
  { "show", "ID", N_ ("Describe a preset as a manual page"), 1, 1, run_show },
  { "check", "FILE...", N_ ("Check whether a file is a preset, and what it lacks"), 1, G_MAXUINT, run_check },
  { "new", "ID", N_ ("Print an empty preset"), 1, 1, run_new },
  { "pack", "GRAPH NODE... --id ID", N_ ("Make a preset of nodes of a graph"), 2, G_MAXUINT, run_pack },
  { "unpack", "GRAPH NODE", N_ ("Replace an instance by its nodes"), 2, 2, run_unpack },
  { "upgrade", "GRAPH [NODE...]", N_ ("List what newer presets would change; with --apply, change it"), 1, G_MAXUINT,
    run_upgrade },
  { "render-thumbnail", "FILE", N_ ("Draw the thumbnail of a preset"), 1, 1, run_thumbnail },
};

static CliStatus
presets_run (char ***arguments)
{
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
      N_ ("Write to FILE instead of standard output or the graph itself"), N_ ("FILE") },
    { "id", 0, 0, G_OPTION_ARG_STRING, &id, N_ ("Id of the new preset, as in \"studio/bounce\""), N_ ("ID") },
    { "title", 0, 0, G_OPTION_ARG_STRING, &title, N_ ("Title of the new preset"), N_ ("TEXT") },
    { "apply", 0, 0, G_OPTION_ARG_NONE, &apply, N_ ("upgrade: write the changes to the graph"), NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, N_ ("list: as JSON"), NULL },
    { "size", 0, 0, G_OPTION_ARG_STRING, &size, N_ ("render-thumbnail: size of the image (default: 320x180)"),
      N_ ("WxH") },
    { "frame", 0, 0, G_OPTION_ARG_STRING, &frame, N_ ("render-thumbnail: frame to draw (default: 1)"), N_ ("N") },
    G_OPTION_ENTRY_NULL,
  };
  CliStatus status = CLI_DONE;
  const char *name;

  if (!cli_parse (&cli_presets, entries, arguments, &status))
    return status;
  name = (*arguments)[1];
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (subcommands); i++)
    if (g_str_equal (subcommands[i].name, name)) {
      const guint n = g_strv_length (*arguments + 2);

      if (n < subcommands[i].min || n > subcommands[i].max)
        return cli_usage (&cli_presets, _ ("usage: kineo presets %s %s"), name, subcommands[i].arguments);
      return subcommands[i].run (*arguments + 2);
    }
  return cli_usage (&cli_presets,
                    name != NULL ? _ ("unknown command \"presets %s\"") : _ ("a command after \"presets\" is missing"),
                    name);
}

const CliCommand cli_presets = {
  .name = "presets",
  .arguments = "list|show|check|new|pack|unpack|upgrade|render-thumbnail [ARGUMENT...]",
  .summary = N_ ("Manage presets: node types that are made of nodes"),
  .description = N_ (
      "  list                      list all presets by id\n  show ID                   describe a preset as a manual page\n  check FILE...             check whether a file is a preset, and what it lacks\n  new ID                    print an empty preset\n  pack GRAPH NODE... --id ID  make a preset of nodes of a graph\n  unpack GRAPH NODE         replace an instance by its nodes\n  upgrade GRAPH [NODE...]   list what newer presets would change in all instances or in\n                            those named; with --apply, change it\n  render-thumbnail FILE     draw the thumbnail of a preset\n\nPresets are looked up in $KINEOGRAPH_PRESET_PATH, in the user's folder, and among those that\ncome with the program; a graph contains the definitions that it uses."),
  .run = presets_run,
};
