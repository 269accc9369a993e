/* kg-preset-library: folders of presets.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-library.h"

#include "kg-preset-json.h"
#include "kg-preset-private.h"
#include "kg-preset-store.h"
#include "kg-regular-file.h"

#include <string.h>

#define MAX_CHAIN 2000

/* One file of a folder, before the presets it is made of are known. */
typedef struct _Candidate Candidate;
struct _Candidate {
  char *path, *id;
  char *text; /* of the file, for the positions of problems */
  gsize length;
  KgJson *json;
  GPtrArray *needs;                      /* char *: ids of types in it, borrowed from json */
  Candidate *next;                       /* (nullable) of that id too, should this one be wrong */
  enum { WAITING, READING, READ } state; /* of the first that has the id */
};

static void
candidate_free (gpointer data)
{
  Candidate *candidate = (Candidate *) data;

  g_free (candidate->path);
  g_free (candidate->id);
  g_free (candidate->text);
  g_clear_pointer (&candidate->json, kg_json_free);
  g_ptr_array_unref (candidate->needs);
  g_free (candidate);
}

/* Types of all nodes, sub-graphs too, without a graph being made of them. */
static void
collect_types (const KgJson *nodes, GPtrArray *types, guint depth)
{
  if (depth >= 2 * KG_GRAPH_MAX_NESTING)
    return;
  for (KgJsonIter member = kg_json_iterate (nodes); kg_json_next (&member);) {
    const KgJson *type = kg_json_get (member.value, "type"), *inside = kg_json_get (member.value, "graph");

    if (kg_json_is (type, KG_JSON_STRING))
      g_ptr_array_add (types, (gpointer) kg_json_get_string (type));
    if (inside != NULL)
      collect_types (kg_json_get (inside, "nodes"), types, depth + 1);
  }
}

/* The same of all that a file of a graph or preset has, with the definitions it carries. */
static void
collect_types_of_file (const KgJson *file, GPtrArray *types, guint depth)
{
  const KgJson *graph = kg_json_get (file, "graph"), *carried = kg_json_get (file, "presets");

  collect_types (kg_json_get (graph != NULL ? graph : file, "nodes"), types, 0);
  if (depth < KG_GRAPH_MAX_NESTING)
    for (KgJsonIter member = kg_json_iterate (carried); kg_json_next (&member);)
      collect_types_of_file (member.value, types, depth + 1);
}

static void
report (GPtrArray *problems, const char *path, GPtrArray *found)
{
  for (guint i = 0; i < found->len; i++) {
    const KgProblem *problem = (const KgProblem *) g_ptr_array_index (found, i);

    kg_problems_add_at (problems, problem->line, problem->column, problem->pointer, "%s: %s", path, problem->message);
  }
}

static Candidate *
read_candidate (const char *path, GPtrArray *problems)
{
  g_autoptr (GPtrArray) found = kg_problems_new ();
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (KgJson) json = NULL;
  const KgJson *id;
  Candidate *candidate;
  gsize length;

  text = kg_regular_file_read (path, "a preset", &length, &error);
  if (text == NULL) {
    kg_problems_add (problems, NULL, "", "%s", error->message);
    return NULL;
  }
  json = kg_json_parse (text, (gssize) length, found);
  id = json != NULL ? kg_json_get (json, "id") : NULL;
  if (json != NULL && !kg_json_is (id, KG_JSON_STRING))
    kg_problems_add (found, json, "", "not a preset: \"id\" is missing");
  kg_problems_locate (found, json, text, (gssize) length);
  report (problems, path, found);
  if (found->len > 0)
    return NULL;
  candidate = g_new0 (Candidate, 1);
  candidate->path = g_strdup (path);
  candidate->id = g_strdup (kg_json_get_string (id));
  candidate->needs = g_ptr_array_new ();
  collect_types_of_file (json, candidate->needs, 0);
  candidate->json = g_steal_pointer (&json);
  candidate->text = g_steal_pointer (&text);
  candidate->length = length;
  return candidate;
}

GPtrArray *
kg_preset_list_folder (const char *folder, GError **error)
{
  return kg_regular_file_list (folder, KG_PRESET_SUFFIX, error);
}

typedef struct {
  GHashTable *by_id; /* id -> Candidate */
  KgTypes *types;
  GPtrArray *chain;    /* ids being read, from the outside in */
  GHashTable *refused; /* id -> why it cannot be used, known to types too */
  GPtrArray *problems;
} Loader;

/* (nullable) Why a preset that the candidate is made of was refused, if that is all the problem says. */
static const char *
find_cause (const Loader *loader, const Candidate *candidate, const KgProblem *problem)
{
  for (guint i = 0; i < candidate->needs->len; i++) {
    const char *id = (const char *) g_ptr_array_index (candidate->needs, i);
    const char *cause = kg_types_find_refusal (loader->types, id);
    g_autoptr (GError) error = cause != NULL ? kg_types_new_unknown_error (loader->types, id) : NULL;

    if (error != NULL && g_str_equal (problem->message, error->message))
      return cause;
  }
  return NULL;
}

/* Keeps why it cannot be used.  A circle is reported once and not for each preset in it; the cause of a preset that contains
 * a faulty one is that one, so that texts do not grow along the chain. */
static void
refuse (Loader *loader, const Candidate *candidate, GPtrArray *found)
{
  const char *circle = (const char *) g_hash_table_lookup (loader->refused, candidate->id);

  for (guint i = found->len; circle != NULL && i-- > 0;)
    if (g_strcmp0 (find_cause (loader, candidate, (const KgProblem *) g_ptr_array_index (found, i)), circle) == 0)
      g_ptr_array_remove_index (found, i);
  if (circle == NULL && found->len > 0) {
    const KgProblem *first = (const KgProblem *) g_ptr_array_index (found, 0);
    const char *cause = find_cause (loader, candidate, first);

    g_hash_table_insert (loader->refused, g_strdup (candidate->id),
                         cause != NULL ? g_strdup (cause)
                                       : g_strdup_printf ("%s: %s", candidate->path, first->message));
  }
}

static bool
add_read (Loader *loader, Candidate *candidate)
{
  g_autoptr (GPtrArray) found = kg_problems_new ();
  g_autoptr (KgPreset) preset = kg_preset_from_json (loader->types, candidate->json, "", found);
  KgTypes *types;

  if (preset == NULL)
    refuse (loader, candidate, found);
  kg_problems_locate (found, candidate->json, candidate->text, (gssize) candidate->length);
  report (loader->problems, candidate->path, found);
  if (preset == NULL)
    return false;
  g_hash_table_remove (loader->refused, candidate->id);
  kg_preset_set_path (preset, candidate->path);
  types = kg_types_add (loader->types, kg_preset_get_type (preset));
  kg_types_unref (loader->types);
  loader->types = types;
  return true;
}

static void
refuse_recursion (Loader *loader, const Candidate *candidate)
{
  g_autoptr (GString) chain = g_string_new (NULL);
  g_autofree char *why = NULL;
  guint first = 0;

  while (!g_str_equal (g_ptr_array_index (loader->chain, first), candidate->id))
    first++;
  for (guint i = first; i < loader->chain->len; i++)
    g_string_append_printf (chain, "%s → ", (const char *) g_ptr_array_index (loader->chain, i));
  why = g_strdup_printf (kg_translate ("%s: the preset would contain itself: %s%s"), candidate->path, chain->str,
                         candidate->id);
  kg_problems_add (loader->problems, NULL, "/graph", "%s", why);
  for (guint i = first; i < loader->chain->len; i++)
    g_hash_table_replace (loader->refused, g_strdup ((const char *) g_ptr_array_index (loader->chain, i)),
                          g_strdup (why));
}

static void read_id (Loader *loader, Candidate *first);

/* The presets it is made of.  How deep presets may nest is seen when they are read, from the innermost out; here the depth
 * is bounded only by what the stack holds, as those on the way down are not too deep themselves. */
static void
read_needed (Loader *loader, const Candidate *candidate)
{
  for (guint i = 0; i < candidate->needs->len; i++) {
    Candidate *needed = (Candidate *) g_hash_table_lookup (loader->by_id, g_ptr_array_index (candidate->needs, i));

    if (needed == NULL)
      continue;
    if (needed->state == READING)
      refuse_recursion (loader, needed);
    else if (needed->state == WAITING && loader->chain->len >= MAX_CHAIN) {
      char *why =
          g_strdup_printf (kg_translate ("%s: presets are nested more than %d levels deep"), needed->path, MAX_CHAIN);

      kg_problems_add (loader->problems, NULL, "/graph", "%s", why);
      g_hash_table_replace (loader->refused, g_strdup (needed->id), why);
    } else if (needed->state == WAITING)
      read_id (loader, needed);
  }
}

/* The first file of an id that is a preset: one that is broken does not hide those behind it. */
static void
read_id (Loader *loader, Candidate *first)
{
  bool found = false;

  first->state = READING;
  g_ptr_array_add (loader->chain, first->id);
  for (Candidate *candidate = first; candidate != NULL && !found; candidate = candidate->next) {
    read_needed (loader, candidate);
    found = add_read (loader, candidate);
    if (found && candidate != first)
      kg_problems_add (loader->problems, NULL, "/id", "%s: \"%s\" is loaded from this file, because %s cannot be used",
                       candidate->path, candidate->id, first->path);
  }
  g_ptr_array_set_size (loader->chain, loader->chain->len - 1);
  first->state = READ;
}

/* A folder that is named twice is read once. */
static bool
is_named_before (const char *const *folders, guint index)
{
  g_autofree char *path = g_canonicalize_filename (folders[index], NULL);

  for (guint i = 0; i < index; i++) {
    g_autofree char *other = g_canonicalize_filename (folders[i], NULL);

    if (g_str_equal (path, other))
      return true;
  }
  return false;
}

/* wanted: (nullable) only these ids, and what they are made of. */
static KgTypes *
load_presets (KgTypes *base, const char *const *folders, GHashTable *wanted, GPtrArray *problems)
{
  g_autoptr (GPtrArray) candidates = g_ptr_array_new_with_free_func (candidate_free);
  g_autoptr (GHashTable) by_id = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) chain = g_ptr_array_new ();
  g_autoptr (GHashTable) refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Loader loader = { by_id, kg_types_derive (base), chain, refused, problems };

  kg_types_set_refused (loader.types, refused);
  for (guint f = 0; folders[f] != NULL; f++) {
    g_autoptr (GPtrArray) paths = NULL;
    g_autoptr (GError) error = NULL;

    if (is_named_before (folders, f))
      continue;
    paths = kg_preset_list_folder (folders[f], &error);
    /* It has presets, perhaps, that are missed. */
    if (error != NULL)
      kg_problems_add (problems, NULL, "", "%s", error->message);
    for (guint i = 0; i < paths->len; i++) {
      Candidate *candidate = read_candidate ((const char *) g_ptr_array_index (paths, i), problems);
      Candidate *other;

      if (candidate == NULL)
        continue;
      g_ptr_array_add (candidates, candidate);
      other = (Candidate *) g_hash_table_lookup (by_id, candidate->id);
      if (other == NULL)
        g_hash_table_insert (by_id, candidate->id, candidate);
      else {
        g_autofree char *here = g_path_get_dirname (candidate->path), *there = g_path_get_dirname (other->path);

        /* In another folder it is meant: the first folder wins. */
        if (g_str_equal (here, there)) {
          kg_problems_add (problems, kg_json_get (candidate->json, "id"), "/id",
                           "%s: the id \"%s\" is also the id of %s", candidate->path, candidate->id, other->path);
          kg_problems_locate (problems, candidate->json, candidate->text, (gssize) candidate->length);
        }
        while (other->next != NULL)
          other = other->next;
        other->next = candidate;
      }
    }
  }
  for (guint i = 0; i < candidates->len; i++) {
    Candidate *candidate = (Candidate *) g_ptr_array_index (candidates, i);

    if (candidate->state == WAITING && g_hash_table_lookup (by_id, candidate->id) == candidate &&
        (wanted == NULL || g_hash_table_contains (wanted, candidate->id)))
      read_id (&loader, candidate);
  }
  kg_types_set_preset_folders (loader.types, folders);
  return loader.types;
}

KgTypes *
kg_types_load_presets (KgTypes *base, const char *const *folders, GPtrArray *problems)
{
  return load_presets (base, folders, NULL, problems);
}

KgTypes *
kg_types_load_presets_of (KgTypes *base, const char *const *folders, const KgJson *file, GPtrArray *problems)
{
  g_autoptr (GHashTable) wanted = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();

  collect_types_of_file (file, ids, 0);
  for (guint i = 0; i < ids->len; i++)
    g_hash_table_add (wanted, g_ptr_array_index (ids, i));
  return load_presets (base, folders, wanted, problems);
}

char **
kg_preset_dup_folders (const char *graph_folder, const char *built_in)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const char *path = g_getenv ("KINEOGRAPH_PRESET_PATH");
  g_autofree char *user = kg_preset_dup_user_folder ();

  if (graph_folder != NULL) {
    g_autofree char *beside = g_build_filename (graph_folder, "presets", NULL);

    g_strv_builder_add (builder, beside);
  }
  if (path != NULL) {
    g_auto (GStrv) parts = g_strsplit (path, G_SEARCHPATH_SEPARATOR_S, -1);

    for (guint i = 0; parts[i] != NULL; i++)
      if (*parts[i] != '\0')
        g_strv_builder_add (builder, parts[i]);
  }
  g_strv_builder_add (builder, user);
  if (built_in != NULL)
    g_strv_builder_add (builder, built_in);
  return g_strv_builder_end (builder);
}
