/* kg-file: reading the files of graphs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-file-private.h"

#include "kg-graph-private.h"
#include "kg-preset-json.h"
#include "kg-preset-library.h"
#include "kg-suggest.h"

#include <errno.h>
#include <glib/gstdio.h>

/* Older files are brought up to date in small steps here, one case a version; there is one version so far. */
static bool
check_format (const KgJson *json, GPtrArray *problems)
{
  const KgJson *version = kg_json_get (json, "kineograph");

  if (!kg_json_is (json, KG_JSON_OBJECT))
    kg_problems_add (problems, json, "", "expected %s, found %s", kg_json_kind_name (KG_JSON_OBJECT),
                     kg_json_kind_name (kg_json_get_kind (json)));
  else if (version == NULL)
    kg_problems_add (problems, json, "", "not a Kineograph graph: \"kineograph\": %d is missing", KG_FILE_VERSION);
  else if (!kg_json_is (version, KG_JSON_NUMBER) ||
           kg_json_get_number (version) != floor (kg_json_get_number (version)) || kg_json_get_number (version) < 1)
    kg_problems_add (problems, version, "/kineograph", "the format version must be a whole number of at least 1");
  else if (kg_json_get_number (version) > KG_FILE_VERSION)
    kg_problems_add (problems, version, "/kineograph",
                     "format version %g is newer than this program supports (up to %d): use a newer program",
                     kg_json_get_number (version), KG_FILE_VERSION);
  else
    return true;
  return false;
}

static KgGraph *
read_graph (KgTypes *types, const KgJson *json, GPtrArray *problems)
{
  const KgJson *presets = kg_json_get (json, "presets");
  g_autoptr (KgTypes) all = NULL;

  if (!check_format (json, problems))
    return NULL;
  all = presets != NULL ? kg_types_read_presets (types, presets, "/presets", problems) : kg_types_ref (types);
  return kg_graph_read_json (all, json, problems);
}

KgGraph *
kg_graph_parse (KgTypes *types, const char *text, gssize length, GPtrArray *problems)
{
  g_autoptr (KgJson) json = kg_json_parse_on (text, length, problems);
  KgGraph *graph;

  if (json == NULL)
    return NULL;
  graph = read_graph (types, json, problems);
  kg_problems_locate (problems, json, text, length);
  return graph;
}

/* Reads everything there is, but not more than a graph may be long.  (transfer full) (nullable) */
static char *
read_stream (FILE *stream, gsize *length, GPtrArray *problems)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char buffer[65536];
  size_t n;

  while ((n = fread (buffer, 1, sizeof buffer, stream)) > 0) {
    if (text->len + n > KG_JSON_MAX_BYTES) {
      kg_problems_add (problems, NULL, "", "longer than %zu bytes", KG_JSON_MAX_BYTES);
      return NULL;
    }
    g_string_append_len (text, buffer, (gssize) n);
  }
  if (ferror (stream)) {
    kg_problems_add (problems, NULL, "", "%s", g_strerror (errno));
    return NULL;
  }
  *length = text->len;
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
kg_file_read (const char *path, gsize *length, GPtrArray *problems)
{
  const bool is_standard_input = g_str_equal (path, "-");
  FILE *stream = is_standard_input ? stdin : g_fopen (path, "rb");
  char *text;

  if (stream == NULL) {
    const int reason = errno;
    g_autofree char *hint = reason == ENOENT ? kg_suggest_file (path) : g_strdup ("");

    kg_problems_add (problems, NULL, "", "%s%s", g_strerror (reason), hint);
    return NULL;
  }
  text = read_stream (stream, length, problems);
  if (!is_standard_input)
    fclose (stream);
  return text;
}

/* folders: (nullable) where presets are, of which types gets those that the graph is made of. */
static KgGraph *
load (KgTypes *types, const char *const *folders, const char *path, GPtrArray *preset_problems, GPtrArray *problems)
{
  gsize length = 0;
  g_autofree char *text = kg_file_read (path, &length, problems);
  g_autoptr (KgJson) json = text != NULL ? kg_json_parse_on (text, (gssize) length, problems) : NULL;
  g_autoptr (KgTypes) all = NULL;
  KgGraph *graph;

  if (json == NULL)
    return NULL;
  all = folders != NULL ? kg_types_load_presets_of (types, folders, json, preset_problems) : kg_types_ref (types);
  graph = read_graph (all, json, problems);
  kg_problems_locate (problems, json, text, (gssize) length);
  if (graph != NULL && !g_str_equal (path, "-")) {
    g_autofree char *folder = g_path_get_dirname (path);

    kg_graph_set_folder (graph, folder);
  }
  return graph;
}

KgGraph *
kg_graph_load (KgTypes *types, const char *path, GPtrArray *problems)
{
  return load (types, NULL, path, NULL, problems);
}

KgGraph *
kg_graph_load_with_presets (KgTypes *base, const char *const *folders, const char *path, GPtrArray *preset_problems,
                            GPtrArray *problems)
{
  return load (base, folders, path, preset_problems, problems);
}
