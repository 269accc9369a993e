/* kg-type: the node types a program knows, by id.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"

G_BEGIN_DECLS

typedef struct _KgTypes KgTypes;

/* All node types of src/nodes, NULL-terminated: written by the build. */
extern const KgNodeType *const kg_node_table[];

/* table: NULL-terminated, must outlive the object.  Aborts when a declaration contradicts itself (that is a
 * programmer's error).  (transfer full) */
KgTypes *kg_types_new (const KgNodeType *const *table);
/* (transfer full) All types of parent, to which others can be added without parent knowing. */
KgTypes *kg_types_derive (KgTypes *parent);
KgTypes *kg_types_ref (KgTypes *types);
void kg_types_unref (KgTypes *types);

KgDefinition *kg_definition_ref (const KgDefinition *definition);
void kg_definition_unref (KgDefinition *definition);

/* (transfer full) The types of parent and this one, which wins over one of the same id; its definition is kept. */
KgTypes *kg_types_add (KgTypes *parent, const KgNodeType *type);
/* (transfer full) The types of parent, and besides the one that they have of its id a type that only instances of its
 * version are of. */
KgTypes *kg_types_add_older (KgTypes *parent, const KgNodeType *type);
/* (nullable) The type of that id, or an older one that was added, if it is of that version. */
const KgNodeType *kg_types_find_version (const KgTypes *types, const char *id, guint version);
/* (transfer container) (element-type KgNodeType) All that were added as older. */
GPtrArray *kg_types_list_older (const KgTypes *types);

/* Where presets were searched for, for messages; (nullable). */
void kg_types_set_preset_folders (KgTypes *types, const char *const *folders);
const char *const *kg_types_get_preset_folders (const KgTypes *types);
/* refused: ids of presets that exist but cannot be used, and why (char * both); read whenever a type is unknown. */
void kg_types_set_refused (KgTypes *types, GHashTable *refused);
/* Why the preset of that id cannot be used although a folder has it: the error in its file; (nullable). */
const char *kg_types_find_refusal (const KgTypes *types, const char *id);
/* (transfer full) KG_ERROR_UNKNOWN_TYPE: what to do about a missing type, and where presets were searched for. */
GError *kg_types_new_unknown_error (const KgTypes *types, const char *type_id);

/* (transfer full) ": did you mean ...?" for a type that is missing, or "". */
char *kg_types_suggest (const KgTypes *types, const char *type_id);

/* A family whose types are made when one of them is named, or all are wanted.  load: any thread; the same NULL-terminated table each
 * time, which is never freed, or NULL and *error when there are none. */
typedef const KgNodeType *const *(*KgTypesLoad) (GError **error);
void kg_types_offer_family (KgTypes *types, const char *family, KgTypesLoad load);
/* Whether id is of that family, or the family itself. */
bool kg_types_is_offered (const KgTypes *types, const char *id);
/* Adds all types of the family that is offered, which may take a second; tables that were derived before lack them.  False with
 * *error when there are none. */
bool kg_types_add_offered (KgTypes *types, GError **error);

guint kg_types_get_n (const KgTypes *types);
/* Sorted by id. */
const KgNodeType *kg_types_get (const KgTypes *types, guint index);
/* (nullable) Also one of the family that is offered. */
const KgNodeType *kg_types_find (const KgTypes *types, const char *id);
/* (nullable) The first type of that role that is not a preset. */
const KgNodeType *kg_types_find_role (const KgTypes *types, KgRole role);
/* (nullable) The one with KG_ROLE_FILE_INPUT that reads such a file: by the end of its name, else by its type, else by a
 * pattern that its type fits.  mime: (nullable) where that is not known. */
const KgNodeType *kg_types_find_reader (const KgTypes *types, const char *path, const char *mime);
/* (nullable) The type of KG_ROLE_CONSTANT that holds a value of that kind. */
const KgNodeType *kg_types_find_constant (const KgTypes *types, KgKind kind);

/* -1 when there is none. */
int kg_type_find_slot (const KgNodeType *type, const char *name);
/* The family part of the id.  (transfer full) */
char *kg_type_dup_family (const KgNodeType *type);
/* The default of an input as a value (empty text, zero, the choice's nick ...); heavy kinds: false. */
bool kg_slot_get_default (const KgSlot *slot, KgValue *value);
/* True when the slot has a hard range. */
bool kg_slot_has_range (const KgSlot *slot);
/* The nearest number within the range, if there is one. */
double kg_slot_limit (const KgSlot *slot, double x);
/* (transfer full) (nullable) The condition under which an input of slots is used, in words; labels: as people see inputs and
 * choices, instead of as files name them.  NULL: always. */
char *kg_slot_describe_condition (const KgSlot *slots, guint n_slots, const KgSlot *slot, bool labels);
/* -1 when no choice has that nick. */
int kg_slot_find_choice (const KgSlot *slot, const char *nick);
/* A choice by its number becomes one by its nick.  False when the slot has no such choice: *error lists those it has. */
bool kg_slot_check_choice (const KgSlot *slot, KgValue *value, GError **error);
/* The translation of a text of a declaration; "" for one that is empty (the translation of which would be the head of the
 * catalogue) or NULL. */
const char *kg_type_translate (const char *text);
/* "m", "°", "" ... */
const char *kg_unit_get_symbol (KgUnit unit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgDefinition, kg_definition_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgTypes, kg_types_unref)

G_END_DECLS
