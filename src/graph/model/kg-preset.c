/* kg-preset: definitions of node types that are made of nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-private.h"

#include "kg-graph-private.h"

#include <string.h>

static void
published_free (gpointer data)
{
  KgPublished *published = (KgPublished *) data;

  g_free (published->name);
  g_free (published->label);
  g_free (published->help);
  g_free (published->group);
  g_free (published->shown_when);
  g_free (published->from);
  g_strfreev (published->drives);
  g_free (published);
}

/* The contents of an instance: the nodes, and those within them. */
static void
measure (KgGraph *graph, guint depth, guint64 *size, guint *deepest)
{
  *deepest = MAX (*deepest, depth);
  *size += graph->nodes->len;
  for (guint i = 0; i < graph->nodes->len; i++) {
    const KgNode *node = (const KgNode *) g_ptr_array_index (graph->nodes, i);
    const KgPreset *preset = kg_type_get_preset (node->type);

    if (preset != NULL && !node->unlocked) {
      *size += preset->size;
      *deepest = MAX (*deepest, depth + preset->depth);
    } else if (node->inside != NULL)
      measure (node->inside, depth + 1, size, deepest);
  }
}

static void
make_type (KgPreset *preset)
{
  const char *title = kg_preset_get_text (preset, "title"), *help = kg_preset_get_text (preset, "help");
  const char *summary = kg_preset_get_text (preset, "summary");

  preset->type = (KgNodeType){ .id = preset->id,
                               .label = title != NULL ? title : strchr (preset->id, '/') + 1,
                               .help = help != NULL      ? help
                                       : summary != NULL ? summary
                                                         : "",
                               .tags = kg_preset_get_text (preset, "tags"),
                               .version = preset->version,
                               .since = "",
                               .role = KG_ROLE_SUBNET,
                               .definition = &preset->definition };
}

static void
preset_free (KgDefinition *definition)
{
  KgPreset *preset = (KgPreset *) definition;

  g_clear_object (&preset->graph);
  g_clear_pointer (&preset->json, kg_json_free);
  g_clear_pointer (&preset->published, g_ptr_array_unref);
  g_free (preset->id);
  g_free (preset->path);
  g_free (preset);
}

KgPreset *
kg_preset_new (KgJson *json, const char *id, guint version)
{
  KgPreset *preset = g_new0 (KgPreset, 1);

  g_atomic_ref_count_init (&preset->definition.refs);
  preset->definition.free = preset_free;
  preset->json = json;
  preset->id = g_strdup (id);
  preset->version = version;
  preset->published = g_ptr_array_new_with_free_func (published_free);
  return preset;
}

void
kg_preset_complete (KgPreset *preset)
{
  measure (preset->graph, 1, &preset->size, &preset->depth);
  make_type (preset);
}

void
kg_preset_set_path (KgPreset *preset, const char *path)
{
  g_free (preset->path);
  preset->path = g_strdup (path);
}

KgPreset *
kg_preset_ref (const KgPreset *preset)
{
  return (KgPreset *) kg_definition_ref (&preset->definition);
}

void
kg_preset_unref (KgPreset *preset)
{
  kg_definition_unref (&preset->definition);
}

const KgPreset *
kg_type_get_preset (const KgNodeType *type)
{
  return type != NULL ? (const KgPreset *) type->definition : NULL;
}

const char *
kg_preset_get_id (const KgPreset *preset)
{
  return preset->id;
}

guint
kg_preset_get_version (const KgPreset *preset)
{
  return preset->version;
}

char *
kg_preset_dup_versioned_id (const KgPreset *preset)
{
  return g_strdup_printf ("%s@%u", preset->id, preset->version);
}

const char *
kg_preset_get_text (const KgPreset *preset, const char *name)
{
  const char *text = kg_json_get_string (kg_json_get (preset->json, name));

  return text != NULL && *text != '\0' ? text : NULL;
}

const char *
kg_preset_get_path (const KgPreset *preset)
{
  return preset->path;
}

KgGraph *
kg_preset_get_graph (const KgPreset *preset)
{
  return preset->graph;
}

guint
kg_preset_get_n_published (const KgPreset *preset)
{
  return preset->published->len;
}

const KgPublished *
kg_preset_get_published (const KgPreset *preset, guint index)
{
  return (const KgPublished *) g_ptr_array_index (preset->published, index);
}

const KgPublished *
kg_preset_find_published (const KgPreset *preset, const char *name)
{
  for (guint i = 0; i < preset->published->len; i++)
    if (g_str_equal (kg_preset_get_published (preset, i)->name, name))
      return kg_preset_get_published (preset, i);
  return NULL;
}

const char *
kg_preset_get_renamed (const KgPreset *preset, const char *old_name)
{
  const KgJson *renamed = kg_json_get (preset->json, "renamed");
  const KgJson *item = renamed != NULL ? kg_json_get (renamed, old_name) : NULL;

  return kg_json_get_string (item);
}

guint64
kg_preset_get_size (const KgPreset *preset)
{
  return preset->size;
}

guint
kg_preset_get_depth (const KgPreset *preset)
{
  return preset->depth;
}

const KgJson *
kg_preset_get_json (const KgPreset *preset)
{
  return preset->json;
}

const KgNodeType *
kg_preset_get_type (const KgPreset *preset)
{
  return &preset->type;
}
