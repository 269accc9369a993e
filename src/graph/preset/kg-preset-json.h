/* kg-preset-json: definitions as JSON: a file that people can read, diff and send.  docs/format.md describes it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-preset.h"

G_BEGIN_DECLS

#define KG_PRESET_FORMAT 1

/* Each reports everything wrong to problems and returns NULL.  types: with the presets it is made of.
 * (transfer full) (nullable) */
KgPreset *kg_preset_from_json (KgTypes *types, const KgJson *json, const char *pointer, GPtrArray *problems);
KgPreset *kg_preset_parse (KgTypes *types, const char *text, gssize length, GPtrArray *problems);
KgPreset *kg_preset_load (KgTypes *types, const char *path, GPtrArray *problems);
/* (transfer full) The types with definitions by id, each after those that it is made of. */
KgTypes *kg_types_read_presets (KgTypes *types, const KgJson *json, const char *pointer, GPtrArray *problems);
/* Whether a text is an id: namespace/name of small letters, digits and _. */
bool kg_preset_check_id (const char *id, GError **error);

/* (transfer full) The file's text, one member a line. */
char *kg_preset_to_text (const KgPreset *preset);
char *kg_preset_json_to_text (const KgJson *json);
/* (transfer full) The definition for a reader that knows others (id -> KgPreset): it carries those that it is made of and
 * that the reader does not know. */
KgJson *kg_preset_to_json (const KgPreset *preset, GHashTable *known);
/* Appends the member "presets" of a graph's file: the definitions that its instances are of; nothing without instances. */
void kg_graph_write_presets (KgGraph *graph, GString *out);

G_END_DECLS
