/* cli: what the commands of kineo share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"
#include "kg-data.h"
#include "kg-gegl-types.h"
#include "kg-preset-library.h"
#include "kg-regular-file.h"
#include "kg-suggest.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What a terminal takes for a command, and what changes the direction of writing: names and paths come from strangers. */
static bool
is_command (gunichar c)
{
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

/* (transfer full) */
static char *
escape (const char *text)
{
  GString *out = g_string_new (NULL);

  while (*text != '\0') {
    const gunichar c = g_utf8_get_char_validated (text, -1);
    /* Names of files need not be UTF-8. */
    const char *next = c >= (gunichar) -2 ? text + 1 : g_utf8_next_char (text);

    if (c < (gunichar) -2 && is_command (c))
      g_string_append_printf (out, "\\u%04x", c);
    else
      g_string_append_len (out, text, next - text);
    text = next;
  }
  return g_string_free (out, FALSE);
}

void
cli_write_error (const char *format, ...)
{
  g_autofree char *message = NULL, *escaped = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  escaped = escape (message);
  fputs (escaped, stderr);
}

void
cli_print_error (const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  cli_write_error ("kineo: %s\n", message);
}

CliStatus
cli_usage (const CliCommand *command, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  cli_print_error (_ ("%s\nTry: kineo %s --help"), message, command->name);
  return CLI_USAGE;
}

CliStatus
cli_fail (GError *error)
{
  cli_print_error ("%s", error->message);
  g_error_free (error);
  return CLI_FAILED;
}

/* Options. */

/* (nullable) The option that an argument is, and whether the next argument is its value. */
static const GOptionEntry *
find_option (const GOptionEntry *entries, const char *argument, bool *takes_next)
{
  const bool is_long = g_str_has_prefix (argument, "--");
  const char *equals = is_long ? strchr (argument, '=') : NULL;
  g_autofree char *name = equals != NULL ? g_strndup (argument + 2, (gsize) (equals - argument - 2))
                                         : g_strdup (is_long ? argument + 2 : "");

  for (; entries != NULL && entries->long_name != NULL; entries++)
    if (is_long ? g_str_equal (entries->long_name, name) : entries->short_name == argument[1]) {
      *takes_next = entries->arg != G_OPTION_ARG_NONE && (is_long ? equals == NULL : argument[2] == '\0');
      return entries;
    }
  return NULL;
}

static bool
takes_many (const GOptionEntry *entry)
{
  return entry->arg == G_OPTION_ARG_NONE || entry->arg == G_OPTION_ARG_STRING_ARRAY ||
         entry->arg == G_OPTION_ARG_FILENAME_ARRAY;
}

/* GLib silently takes the last of several. */
static bool
check_repeated (const CliCommand *command, const GOptionEntry *entries, char **arguments, CliStatus *status)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 1; arguments[i] != NULL && !g_str_equal (arguments[i], "--"); i++) {
    bool takes_next = false;
    const GOptionEntry *entry =
        arguments[i][0] == '-' && arguments[i][1] != '\0' ? find_option (entries, arguments[i], &takes_next) : NULL;

    if (entry != NULL && !takes_many (entry) && !g_hash_table_add (seen, (gpointer) entry)) {
      *status = cli_usage (command, _ ("--%s is given more than once: give it once"), entry->long_name);
      return false;
    }
    if (takes_next && arguments[i + 1] != NULL)
      i++;
  }
  return true;
}

/* (transfer full) What may have been meant by the option that GLib does not know. */
static char *
suggest_option (const GOptionEntry *entries, char **arguments)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  bool takes_next;

  g_ptr_array_add (names, (gpointer) "help");
  for (const GOptionEntry *entry = entries; entry != NULL && entry->long_name != NULL; entry++)
    g_ptr_array_add (names, (gpointer) entry->long_name);
  g_ptr_array_add (names, NULL);
  for (guint i = 1; arguments[i] != NULL && !g_str_equal (arguments[i], "--"); i++)
    if (g_str_has_prefix (arguments[i], "--") && find_option (entries, arguments[i], &takes_next) == NULL) {
      g_autofree char *name = g_strndup (arguments[i] + 2, strcspn (arguments[i] + 2, "="));

      return kg_suggest (name, (const char *const *) names->pdata);
    }
  return g_strdup ("");
}

bool
cli_parse (const CliCommand *command, const GOptionEntry *entries, char ***arguments, CliStatus *status)
{
  g_autoptr (GOptionContext) context = g_option_context_new (command->arguments);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) given = NULL;
  gboolean help = FALSE;
  const GOptionEntry common[] = { { "help", 'h', 0, G_OPTION_ARG_NONE, &help, N_ ("Show this help"), NULL }, { 0 } };

  /* GLib's own --help would exit from inside the parser. */
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_summary (context, _ (command->summary));
  g_option_context_set_description (context, _ (command->description));
  g_option_context_set_translation_domain (context, GETTEXT_PACKAGE);
  g_option_context_add_main_entries (context, common, GETTEXT_PACKAGE);
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, GETTEXT_PACKAGE);
  if (!check_repeated (command, entries, *arguments, status))
    return false;
  /* (Parsing takes what it knows out of the arguments.) */
  given = g_strdupv (*arguments);
  if (!g_option_context_parse_strv (context, arguments, &error)) {
    g_autofree char *hint = g_error_matches (error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)
                                ? suggest_option (entries, given)
                                : g_strdup ("");

    *status = cli_usage (command, "%s%s", error->message, hint);
    return false;
  }
  if (help) {
    g_autofree char *program = g_strdup_printf ("kineo %s", command->name);
    g_autofree char *text = NULL;

    g_set_prgname (program);
    text = g_option_context_get_help (context, TRUE, NULL);
    *status = cli_print (text);
    return false;
  }
  return true;
}

bool
cli_check_count (const CliCommand *command, char **arguments, guint min, guint max, CliStatus *status)
{
  const guint n = g_strv_length (arguments) - 1;

  if (n >= min && n <= max)
    return true;
  if (n < min)
    *status = cli_usage (command, _ ("too few arguments: kineo %s %s"), command->name, command->arguments);
  else
    *status = cli_usage (command, _ ("unexpected argument \"%s\": kineo %s %s"), arguments[max + 1], command->name,
                         command->arguments);
  return false;
}

/* Reads the whole number at *text, and moves *text behind it.  Digits and a minus are all it takes: no blanks, no plus. */
static bool
read_integer (const char **text, gint64 min, gint64 max, gint64 *number)
{
  const char *digits = **text == '-' ? *text + 1 : *text;
  char *end;

  if (!g_ascii_isdigit (*digits))
    return false;
  errno = 0;
  *number = g_ascii_strtoll (*text, &end, 10);
  *text = end;
  return errno == 0 && *number >= min && *number <= max;
}

bool
cli_read_integer (const char *text, gint64 min, gint64 max, gint64 *number)
{
  return read_integer (&text, min, max, number) && *text == '\0';
}

bool
cli_parse_number (const CliCommand *command, const char *option, const char *text, double *number, CliStatus *status)
{
  char *end = NULL;

  *number = g_ascii_strtod (text, &end);
  /* Neither blanks nor 0x10, inf or nan, which strtod reads. */
  if (end != text && *end == '\0' && isfinite (*number) && text[strspn (text, G_CSET_DIGITS "+-.eE")] == '\0')
    return true;
  *status = cli_usage (command, _ ("--%s: \"%s\" is not a number"), option, text);
  return false;
}

bool
cli_parse_size (const CliCommand *command, const char *text, int *width, int *height, CliStatus *status)
{
  const char *rest = text;
  gint64 w, h;

  if (text == NULL)
    return true;
  if (!read_integer (&rest, 1, KG_IMAGE_MAX_SIDE, &w) || *rest != 'x' ||
      !cli_read_integer (rest + 1, 1, KG_IMAGE_MAX_SIDE, &h)) {
    *status = cli_usage (
        command, _ ("--size: \"%s\" is not a size: write WIDTHxHEIGHT in pixels, as in 1920x1080 (at most %d each)"),
        text, KG_IMAGE_MAX_SIDE);
    return false;
  }
  *width = (int) w;
  *height = (int) h;
  return true;
}

/* "12", "1-48" or "1-48x2". */
static bool
read_range (const char *text, KgRenderRange *range)
{
  gint64 first, last, step = 1;

  if (!read_integer (&text, -G_MAXINT32, G_MAXINT32, &first))
    return false;
  last = first;
  if (*text == '-') {
    text++;
    if (!read_integer (&text, -G_MAXINT32, G_MAXINT32, &last))
      return false;
    if (*text == 'x') {
      text++;
      if (!read_integer (&text, 0, G_MAXINT64, &step))
        return false;
    }
  }
  *range = (KgRenderRange){ .first = first, .last = last, .step = step };
  return *text == '\0';
}

bool
cli_parse_frames (const CliCommand *command, const char *text, KgRenderRange *range, CliStatus *status)
{
  g_autoptr (GError) error = NULL;

  if (!read_range (text, range)) {
    *status =
        cli_usage (command, _ ("\"%s\" is not a frame range: write FIRST-LAST or FIRST-LASTxSTEP, as in 1-48x2"), text);
    return false;
  }
  if (!kg_render_check_range (range, &error)) {
    *status = cli_usage (command, "--frames: %s", error->message);
    return false;
  }
  return true;
}

static int
compare_frames (gconstpointer a, gconstpointer b)
{
  const int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

  return (x > y) - (x < y);
}

bool
cli_parse_frame_list (const CliCommand *command, const char *text, KgRenderRange *range, GArray *frames,
                      CliStatus *status)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  guint n = 0;

  if (strchr (text, ',') == NULL)
    return cli_parse_frames (command, text, range, status);
  for (guint i = 0; parts[i] != NULL; i++) {
    KgRenderRange part;

    if (!cli_parse_frames (command, parts[i], &part, status))
      return false;
    if (frames->len + kg_render_count_frames (&part) > KG_RENDER_MAX_FRAMES) {
      *status = cli_usage (command, _ ("--frames: more than %d frames: split the list"), KG_RENDER_MAX_FRAMES);
      return false;
    }
    for (guint64 k = 0; k < kg_render_count_frames (&part); k++) {
      const int64_t frame = kg_render_get_frame (&part, k);

      g_array_append_val (frames, frame);
    }
  }
  g_array_sort (frames, compare_frames);
  /* Each once. */
  for (guint i = 0; i < frames->len; i++)
    if (i == 0 || g_array_index (frames, int64_t, i) != g_array_index (frames, int64_t, n - 1))
      g_array_index (frames, int64_t, n++) = g_array_index (frames, int64_t, i);
  g_array_set_size (frames, n);
  *range = (KgRenderRange){ .first = g_array_index (frames, int64_t, 0),
                            .last = g_array_index (frames, int64_t, n - 1),
                            .step = 1,
                            .frames = (const int64_t *) (const void *) frames->data,
                            .n_frames = n };
  return true;
}

static void
warn_about_folder (const char *message, gpointer data)
{
  (void) data;
  cli_print_error (_ ("warning: %s"), message);
}

bool
cli_parse_cache (const CliCommand *command, const char *megabytes, const char *folder, bool of_others, KgCache **cache,
                 CliStatus *status)
{
  g_autoptr (KgCache) made = NULL;
  g_autoptr (GError) error = NULL;
  gint64 n = KG_CACHE_DEFAULT_BUDGET >> 20;

  *cache = NULL;
  if (folder == NULL)
    folder = g_getenv ("KINEOGRAPH_CACHE");
  if (folder != NULL && folder[0] == '\0')
    folder = NULL;
  if (megabytes == NULL && folder == NULL)
    return true;
  if (megabytes != NULL && !cli_read_integer (megabytes, 0, G_MAXINT64 >> 20, &n)) {
    *status = cli_usage (command, _ ("--cache-memory: \"%s\" is not a number of megabytes: write a number such as 512"),
                         megabytes);
    return false;
  }
  made = megabytes != NULL ? kg_cache_new ((guint64) n << 20)
                           : kg_cache_new_growing (KG_CACHE_RENDER_BUDGET, (guint64) n << 20);
  if (folder != NULL && !kg_cache_set_folder (made, folder, of_others ? KG_CACHE_OF_OTHERS : KG_CACHE_OWN,
                                              KG_CACHE_DEFAULT_FOLDER_BUDGET, warn_about_folder, NULL, &error)) {
    *status = cli_fail (g_steal_pointer (&error));
    return false;
  }
  *cache = g_steal_pointer (&made);
  return true;
}

bool
cli_parse_bits (const CliCommand *command, const char *bits, const char *path, KgImageFormat *format, CliStatus *status)
{
  gint64 n;

  if (bits == NULL || (cli_read_integer (bits, 1, 64, &n) && kg_image_format_set_bits (format, (int) n)))
    return true;
  *status = cli_usage (command, _ ("--bits %s is not possible for %s: PNG has 8 or 16, EXR 16 or 32"), bits, path);
  return false;
}

/* Graphs. */

/* A preset with errors does not stop the command: the graph may not use it. */
static void
print_preset_warnings (GPtrArray *problems)
{
  for (guint i = 0; i < problems->len; i++) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (problems, i);

    /* A problem of the whole file has no pointer. */
    if (problem->pointer[0] == '\0')
      cli_write_error (_ ("warning: %s\n"), problem->message);
    else
      cli_write_error (_ ("warning: %s: %s\n"), problem->pointer, problem->message);
  }
}

/* (transfer full) graph_folder: (nullable) */
static char **
dup_preset_folders (const char *graph_folder)
{
  g_autofree char *built_in = kg_data_find ("presets");

  return kg_preset_dup_folders (graph_folder, built_in);
}

static bool lacks_presets;

bool
cli_lacks_presets (void)
{
  return lacks_presets;
}

/* (transfer full) */
static KgTypes *
new_own_types (void)
{
  KgTypes *types = kg_types_new (kg_node_table);

  kg_gegl_offer (types);
  return types;
}

/* (transfer full) graph_folder: (nullable) */
static KgTypes *
load_types (const char *graph_folder)
{
  g_autoptr (KgTypes) own = new_own_types ();
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_auto (GStrv) folders = dup_preset_folders (graph_folder);
  KgTypes *types = kg_types_load_presets (own, (const char *const *) folders, problems);

  print_preset_warnings (problems);
  lacks_presets |= problems->len > 0;
  return types;
}

KgTypes *
cli_get_types (void)
{
  static KgTypes *types;

  if (types == NULL)
    types = load_types (NULL);
  return types;
}

/* (transfer full) (nullable) The folder of a graph that has presets beside it. */
static char *
dup_graph_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path), *beside = g_build_filename (folder, "presets", NULL);

  return !g_str_equal (path, "-") && g_file_test (beside, G_FILE_TEST_IS_DIR) ? g_steal_pointer (&folder) : NULL;
}

KgTypes *
cli_get_types_for (const char *path)
{
  static char *last_folder;
  static KgTypes *last;
  g_autofree char *folder = dup_graph_folder (path);

  if (folder == NULL)
    return kg_types_ref (cli_get_types ());
  if (g_strcmp0 (folder, last_folder) != 0) {
    g_clear_pointer (&last, kg_types_unref);
    g_free (last_folder);
    last_folder = g_steal_pointer (&folder);
    last = load_types (last_folder);
  }
  return kg_types_ref (last);
}

void
cli_print_problems (GPtrArray *problems, const char *path)
{
  g_autofree char *text = kg_problems_to_text (problems, path);

  cli_write_error ("%s", text);
}

KgGraph *
cli_load (const char *path)
{
  g_autoptr (KgTypes) own = new_own_types ();
  g_autoptr (GPtrArray) preset_problems = kg_problems_new (), problems = kg_problems_new ();
  g_autofree char *folder = dup_graph_folder (path);
  g_auto (GStrv) folders = dup_preset_folders (folder);
  KgGraph *graph = kg_graph_load_with_presets (own, (const char *const *) folders, path, preset_problems, problems);

  print_preset_warnings (preset_problems);
  cli_print_problems (problems, path);
  if (graph != NULL)
    cli_permit (graph, NULL);
  return graph;
}

KgGraph *
cli_load_with_library (const char *path)
{
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  g_autoptr (KgTypes) types = cli_get_types_for (path);
  KgGraph *graph = kg_graph_load (types, path, problems);

  cli_print_problems (problems, path);
  if (graph != NULL)
    cli_permit (graph, NULL);
  return graph;
}

bool
cli_check_folders (const CliCommand *command, const char *option, char **folders, CliStatus *status)
{
  for (guint i = 0; folders != NULL && folders[i] != NULL; i++)
    if (*folders[i] == '\0') {
      *status = cli_usage (command, _ ("%s: the name of the folder is empty: \".\" is the current one"), option);
      return false;
    }
  return true;
}

void
cli_permit (KgGraph *graph, char **folders)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const char *const *before = kg_graph_get_permitted (graph);
  g_auto (GStrv) all = NULL;

  if (before != NULL)
    g_strv_builder_addv (builder, (const char **) (size_t) before);
  if (folders != NULL)
    g_strv_builder_addv (builder, (const char **) folders);
  all = g_strv_builder_end (builder);
  kg_graph_set_permitted (graph, (const char *const *) all);
}

/* The file that a setting names, or the folder of all files of its name. */
static void
permit_setting (KgGraph *graph, KgNode *node, const char *input)
{
  const int slot = kg_node_find_slot (node, input);
  const KgSource *source =
      slot >= 0 && kg_node_get_slot (node, (guint) slot)->path ? kg_node_get_source (node, (guint) slot) : NULL;
  g_autofree char *path = NULL, *around = NULL;

  if (source == NULL || source->kind != KG_SOURCE_CONSTANT || source->constant.kind != KG_TEXT)
    return;
  path = kg_regular_file_dup_path (kg_graph_get_folder (graph), source->constant.text);
  around = g_path_get_dirname (path);
  cli_permit (graph, (char *[]){ strchr (path, '%') != NULL ? around : path, NULL });
}

/* (transfer full) The JSON of a setting.  The word of a choice needs no quotes, which shells take away. */
static char *
dup_setting_json (KgNode *node, const char *input, const char *text)
{
  const int slot = kg_node_find_slot (node, input);
  const bool choice = slot >= 0 && kg_node_get_slot (node, (guint) slot)->kind == KG_CHOICE;

  return choice && g_ascii_isalpha (*text) && text[strspn (text, G_CSET_A_2_Z G_CSET_a_2_z "0123456789-_")] == '\0'
             ? g_strdup_printf ("\"%s\"", text)
             : g_strdup (text);
}

static bool
apply_setting (KgGraph *graph, const char *setting, GError **error)
{
  const char *equals = strchr (setting, '=');
  g_autofree char *target = equals != NULL ? g_strndup (setting, (gsize) (equals - setting)) : NULL;
  char *dot = target != NULL ? strrchr (target, '.') : NULL;
  g_autofree char *json = NULL;
  KgNode *node;

  if (dot == NULL) {
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "write NODE.INPUT=JSON, as in ease1.k1=0.3");
    return false;
  }
  *dot = '\0';
  node = kg_graph_find_path (graph, target);
  if (node == NULL) {
    g_autofree char *hint = kg_graph_suggest_node (graph, target);

    kg_set_error (error, KG_ERROR_UNKNOWN_NAME, "unknown node \"%s\"%s", target, hint);
    return false;
  }
  json = dup_setting_json (node, dot + 1, equals + 1);
  if (!kg_graph_set_json (kg_node_get_parent (node), node, dot + 1, json, error))
    return false;
  permit_setting (graph, node, dot + 1);
  return true;
}

bool
cli_apply_settings (const CliCommand *command, KgGraph *graph, char **settings, CliStatus *status)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; settings != NULL && settings[i] != NULL; i++) {
    g_autoptr (GError) error = NULL;
    char *name;

    if (!apply_setting (graph, settings[i], &error)) {
      *status = cli_usage (command, "--set %s: %s", settings[i], error->message);
      return false;
    }
    name = g_strndup (settings[i], strcspn (settings[i], "="));
    if (!g_hash_table_add (seen, name)) {
      *status = cli_usage (command, _ ("--set %s: the input is set twice: give it one value"), settings[i]);
      return false;
    }
  }
  return true;
}

/* Signals. */

static gpointer
wait_for_signals (gpointer data)
{
  sigset_t *signals = data;
  int number;

  if (sigwait (signals, &number) == 0)
    g_cancellable_cancel (cli_watch_signals ());
  pthread_sigmask (SIG_UNBLOCK, signals, NULL);
  return NULL;
}

static bool
is_ignored (int number)
{
  struct sigaction action;

  return sigaction (number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

GCancellable *
cli_watch_signals (void)
{
  static GCancellable *cancellable;
  static sigset_t signals;

  if (g_once_init_enter (&cancellable)) {
    GCancellable *created = g_cancellable_new ();

    sigemptyset (&signals);
    sigaddset (&signals, SIGINT);
    sigaddset (&signals, SIGTERM);
    /* nohup asks not to hear of it. */
    if (!is_ignored (SIGHUP))
      sigaddset (&signals, SIGHUP);
    pthread_sigmask (SIG_BLOCK, &signals, NULL);
    g_once_init_leave (&cancellable, created);
    g_thread_unref (g_thread_new ("signals", wait_for_signals, &signals));
  }
  return cancellable;
}

/* Output. */

CliStatus
cli_print (const char *text)
{
  /* Files and other programs get what there is. */
  g_autofree char *escaped = isatty (STDOUT_FILENO) ? escape (text) : NULL;

  if (fputs (escaped != NULL ? escaped : text, stdout) >= 0 && fflush (stdout) == 0)
    return CLI_DONE;
  cli_print_error (_ ("cannot write to standard output: %s"), g_strerror (errno));
  clearerr (stdout);
  return CLI_FAILED;
}

void
cli_write_member (GString *out, const char *name, double number)
{
  if (out->len > 0 && out->str[out->len - 1] != '{')
    g_string_append_c (out, ',');
  g_string_append_printf (out, "\"%s\":", name);
  kg_json_write_number (isfinite (number) ? number : 0, out);
}
