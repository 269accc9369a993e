/* kg-type: the registry, and what can be read off a declaration.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-type.h"

#include "kg-condition.h"
#include "kg-gsl.h"
#include "kg-suggest.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

struct _KgTypes {
  gatomicrefcount refs;
  GPtrArray *sorted; /* (element-type KgNodeType), borrowed */
  GHashTable *by_id;
  GHashTable *older; /* (nullable) id@version (owned) -> KgNodeType: definitions that some instances still have */
  KgTypes *parent;   /* (nullable) where the types were taken from */
  KgDefinition *definition; /* (nullable) of the type that was added to those of parent */
  char **folders;           /* (nullable) where presets were searched for */
  GHashTable *refused;      /* (nullable) id -> why: presets in these folders that cannot be used */
  const char *family;       /* (nullable) that is offered */
  KgTypesLoad load;
};

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const KgNodeType *const *) a)->id, (*(const KgNodeType *const *) b)->id);
}

static void
check_condition (const KgNodeType *type, const KgSlot *slot, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (KgCondition) condition = kg_condition_new (text, &error);

  if (condition == NULL)
    g_error ("%s.%s: %s", type->id, slot->name, error->message);
  for (guint i = 0; i < kg_condition_get_n (condition); i++) {
    const char *const *values = kg_condition_get_values (condition, i);
    const int other = kg_type_find_slot (type, kg_condition_get_input (condition, i));

    if (other < 0 || type->slots[other].role != KG_SLOT_INPUT)
      g_error ("%s.%s: a condition refers to an unknown input", type->id, slot->name);
    for (guint k = 0; type->slots[other].kind == KG_CHOICE && values[k] != NULL; k++)
      if (kg_slot_find_choice (&type->slots[other], values[k]) < 0)
        g_error ("%s.%s: a condition refers to %s, which is not a choice of %s", type->id, slot->name, values[k],
                 type->slots[other].name);
  }
}

/* A declaration that contradicts itself is a programmer's error: stop at once, and say which. */
static void
check_declaration (const KgNodeType *type)
{
  if (strchr (type->id, '/') == NULL || type->label == NULL || type->help == NULL || type->version == 0)
    g_error ("node type %s: needs family/name, label, help and a version from 1", type->id);
  if ((type->start == NULL) != (type->advance == NULL))
    g_error ("node type %s: declare both start and advance, or neither", type->id);
  if ((type->role == KG_ROLE_FILE_INPUT) != (type->reads != NULL))
    g_error ("node type %s: a file input says what it reads", type->id);
  if (type->role == KG_ROLE_CONSTANT && kg_type_find_slot (type, "value") < 0)
    g_error ("node type %s: a constant needs an input \"value\"", type->id);
  for (guint i = 0; i < type->n_slots; i++) {
    const KgSlot *slot = &type->slots[i];

    if (slot->role != KG_SLOT_STATE && (slot->label == NULL || slot->help == NULL))
      g_error ("%s.%s: needs a label and a help text", type->id, slot->name);
    if ((slot->kind == KG_CHOICE) != (slot->choices != NULL))
      g_error ("%s.%s: an input of kind choice needs choices, and no other kind can have them", type->id, slot->name);
    if (kg_slot_has_range (slot) && !(slot->min <= slot->def && slot->def <= slot->max) &&
        (slot->kind == KG_NUMBER || slot->kind == KG_INTEGER))
      g_error ("%s.%s: the default is outside the range", type->id, slot->name);
    if (kg_type_find_slot (type, slot->name) != (int) i)
      g_error ("%s.%s: declared twice", type->id, slot->name);
    if (slot->like != NULL && kg_type_find_slot (type, slot->like) < 0)
      g_error ("%s.%s: \"like\" refers to an unknown slot", type->id, slot->name);
    if (slot->shown_when != NULL)
      check_condition (type, slot, slot->shown_when);
    if (slot->handle.when != NULL)
      check_condition (type, slot, slot->handle.when);
    if (slot->handle.unless != NULL)
      check_condition (type, slot, slot->handle.unless);
    if ((slot->handle.anchor != NULL && kg_type_find_slot (type, slot->handle.anchor) < 0) ||
        (slot->handle.unless_linked != NULL && kg_type_find_slot (type, slot->handle.unless_linked) < 0))
      g_error ("%s.%s: its handle refers to an unknown slot", type->id, slot->name);
  }
}

KgTypes *
kg_types_new (const KgNodeType *const *table)
{
  KgTypes *types = g_new0 (KgTypes, 1);

  /* All that evaluate make their types first. */
  kg_gsl_make_quiet ();
  g_atomic_ref_count_init (&types->refs);
  types->sorted = g_ptr_array_new ();
  types->by_id = g_hash_table_new (g_str_hash, g_str_equal);
  for (; *table != NULL; table++) {
    check_declaration (*table);
    g_ptr_array_add (types->sorted, (gpointer) *table);
    if (!g_hash_table_insert (types->by_id, (gpointer) (*table)->id, (gpointer) *table))
      g_error ("node type %s: declared twice", (*table)->id);
  }
  g_ptr_array_sort (types->sorted, compare_ids);
  return types;
}

static void
add_older (KgTypes *types, const KgNodeType *type)
{
  if (types->older == NULL)
    types->older = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_replace (types->older, g_strdup_printf ("%s@%u", type->id, type->version), (gpointer) type);
}

KgTypes *
kg_types_derive (KgTypes *parent)
{
  KgTypes *types = g_new0 (KgTypes, 1);

  g_atomic_ref_count_init (&types->refs);
  types->parent = kg_types_ref (parent);
  types->folders = g_strdupv (parent->folders);
  types->family = parent->family;
  types->load = parent->load;
  types->refused = parent->refused != NULL ? g_hash_table_ref (parent->refused) : NULL;
  types->sorted = g_ptr_array_copy (parent->sorted, NULL, NULL);
  types->by_id = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < types->sorted->len; i++) {
    const KgNodeType *type = (const KgNodeType *) g_ptr_array_index (types->sorted, i);

    g_hash_table_insert (types->by_id, (gpointer) type->id, (gpointer) type);
  }
  if (parent->older != NULL) {
    GHashTableIter iter;
    gpointer type;

    g_hash_table_iter_init (&iter, parent->older);
    while (g_hash_table_iter_next (&iter, NULL, &type))
      add_older (types, (const KgNodeType *) type);
  }
  return types;
}

KgDefinition *
kg_definition_ref (const KgDefinition *definition)
{
  KgDefinition *d = (KgDefinition *) definition;

  g_atomic_ref_count_inc (&d->refs);
  return d;
}

void
kg_definition_unref (KgDefinition *definition)
{
  if (g_atomic_ref_count_dec (&definition->refs))
    definition->free (definition);
}

/* One table for each definition, each holding the one before: the nodes of a definition know the types it was read with,
 * so that a table that held its own definitions would never be freed. */
static KgTypes *
derive_with (KgTypes *parent, const KgNodeType *type)
{
  KgTypes *types = kg_types_derive (parent);

  types->definition = type->definition != NULL ? kg_definition_ref (type->definition) : NULL;
  return types;
}

KgTypes *
kg_types_add (KgTypes *parent, const KgNodeType *type)
{
  KgTypes *types = derive_with (parent, type);
  const KgNodeType *old = kg_types_find (types, type->id);

  if (old != NULL)
    g_ptr_array_remove (types->sorted, (gpointer) old);
  g_ptr_array_add (types->sorted, (gpointer) type);
  g_hash_table_replace (types->by_id, (gpointer) type->id, (gpointer) type);
  g_ptr_array_sort (types->sorted, compare_ids);
  return types;
}

KgTypes *
kg_types_add_older (KgTypes *parent, const KgNodeType *type)
{
  KgTypes *types = derive_with (parent, type);

  add_older (types, type);
  return types;
}

const KgNodeType *
kg_types_find_version (const KgTypes *types, const char *id, guint version)
{
  const KgNodeType *type = kg_types_find (types, id);
  g_autofree char *versioned = NULL;

  if (type != NULL && type->version == version)
    return type;
  versioned = types->older != NULL ? g_strdup_printf ("%s@%u", id, version) : NULL;
  return versioned != NULL ? (const KgNodeType *) g_hash_table_lookup (types->older, versioned) : NULL;
}

GPtrArray *
kg_types_list_older (const KgTypes *types)
{
  GPtrArray *list = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer type;

  if (types->older == NULL)
    return list;
  g_hash_table_iter_init (&iter, types->older);
  while (g_hash_table_iter_next (&iter, NULL, &type))
    g_ptr_array_add (list, type);
  return list;
}

void
kg_types_set_preset_folders (KgTypes *types, const char *const *folders)
{
  g_strfreev (types->folders);
  types->folders = g_strdupv ((char **) folders);
}

const char *const *
kg_types_get_preset_folders (const KgTypes *types)
{
  return (const char *const *) types->folders;
}

void
kg_types_set_refused (KgTypes *types, GHashTable *refused)
{
  g_hash_table_ref (refused);
  g_clear_pointer (&types->refused, g_hash_table_unref);
  types->refused = refused;
}

const char *
kg_types_find_refusal (const KgTypes *types, const char *id)
{
  return types->refused != NULL ? (const char *) g_hash_table_lookup (types->refused, id) : NULL;
}

char *
kg_types_suggest (const KgTypes *types, const char *type_id)
{
  KgSuggestion suggestion = kg_suggestion_begin (type_id);
  const KgNodeType *const *table;

  for (guint i = 0; i < kg_types_get_n (types); i++)
    kg_suggestion_add_id (&suggestion, kg_types_get (types, i)->id);
  table = kg_types_is_offered (types, type_id) ? types->load (NULL) : NULL;
  for (guint i = 0; table != NULL && table[i] != NULL; i++)
    kg_suggestion_add_id (&suggestion, table[i]->id);
  return kg_suggestion_end (&suggestion);
}

GError *
kg_types_new_unknown_error (const KgTypes *types, const char *type_id)
{
  g_autofree char *folders = types->folders != NULL ? g_strjoinv (", ", types->folders) : NULL;
  const char *refusal = kg_types_find_refusal (types, type_id);
  g_autoptr (GError) error = NULL;
  g_autofree char *hint = NULL;

  if (kg_types_is_offered (types, type_id) && types->load (&error) == NULL)
    return kg_error_new (KG_ERROR_UNKNOWN_TYPE, "the node type \"%s\" is missing: %s", type_id, error->message);
  hint = kg_types_suggest (types, type_id);
  if (refusal != NULL)
    return kg_error_new (KG_ERROR_UNKNOWN_TYPE, "the preset \"%s\" cannot be used: %s", type_id, refusal);
  if (*hint != '\0')
    return kg_error_new (KG_ERROR_UNKNOWN_TYPE, "unknown node type \"%s\"%s", type_id, hint);
  if (folders == NULL || *folders == '\0')
    return kg_error_new (KG_ERROR_UNKNOWN_TYPE, "unknown node type \"%s\": install what provides it", type_id);
  return kg_error_new (KG_ERROR_UNKNOWN_TYPE,
                       "unknown node type \"%s\", and no preset of that name in %s: install what provides it", type_id,
                       folders);
}

KgTypes *
kg_types_ref (KgTypes *types)
{
  g_atomic_ref_count_inc (&types->refs);
  return types;
}

void
kg_types_unref (KgTypes *types)
{
  /* A loop, because there may be as many parents as there are presets. */
  while (types != NULL && g_atomic_ref_count_dec (&types->refs)) {
    KgTypes *parent = types->parent;

    g_hash_table_unref (types->by_id);
    g_clear_pointer (&types->older, g_hash_table_unref);
    g_ptr_array_unref (types->sorted);
    g_clear_pointer (&types->definition, kg_definition_unref);
    g_strfreev (types->folders);
    g_clear_pointer (&types->refused, g_hash_table_unref);
    g_free (types);
    types = parent;
  }
}

guint
kg_types_get_n (const KgTypes *types)
{
  return types->sorted->len;
}

const KgNodeType *
kg_types_get (const KgTypes *types, guint index)
{
  g_return_val_if_fail (index < types->sorted->len, NULL);
  return (const KgNodeType *) g_ptr_array_index (types->sorted, index);
}

void
kg_types_offer_family (KgTypes *types, const char *family, KgTypesLoad load)
{
  types->family = family;
  types->load = load;
}

bool
kg_types_is_offered (const KgTypes *types, const char *id)
{
  const size_t n = types->family != NULL ? strlen (types->family) : 0;

  return n > 0 && strncmp (id, types->family, n) == 0 && (id[n] == '/' || id[n] == '\0');
}

bool
kg_types_add_offered (KgTypes *types, GError **error)
{
  const KgNodeType *const *table = types->load (error);

  for (guint i = 0; table != NULL && table[i] != NULL; i++)
    if (g_hash_table_insert (types->by_id, (gpointer) table[i]->id, (gpointer) table[i]))
      g_ptr_array_add (types->sorted, (gpointer) table[i]);
  g_ptr_array_sort (types->sorted, compare_ids);
  return table != NULL;
}

const KgNodeType *
kg_types_find (const KgTypes *types, const char *id)
{
  const KgNodeType *type = (const KgNodeType *) g_hash_table_lookup (types->by_id, id);
  const KgNodeType *const *table = type == NULL && kg_types_is_offered (types, id) ? types->load (NULL) : NULL;

  for (guint i = 0; table != NULL && table[i] != NULL; i++)
    if (g_str_equal (table[i]->id, id))
      return table[i];
  return type;
}

const KgNodeType *
kg_types_find_role (const KgTypes *types, KgRole role)
{
  for (guint i = 0; i < types->sorted->len; i++) {
    const KgNodeType *type = kg_types_get (types, i);

    if (type->role == role && type->definition == NULL)
      return type;
  }
  return NULL;
}

/* How well a word of KgNodeType.reads names the file; 0: not at all. */
static guint
match_reader (const char *word, const char *path, const char *mime)
{
  if (*word == '.')
    return g_str_has_suffix (path, word) ? 3 : 0;
  if (mime == NULL)
    return 0;
  if (g_str_equal (word, mime))
    return 2;
  return g_pattern_match_simple (word, mime) ? 1 : 0;
}

const KgNodeType *
kg_types_find_reader (const KgTypes *types, const char *path, const char *mime)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  const KgNodeType *best = NULL;
  guint best_match = 0;

  for (guint i = 0; i < kg_types_get_n (types); i++) {
    const KgNodeType *type = kg_types_get (types, i);
    g_auto (GStrv) words = type->role == KG_ROLE_FILE_INPUT ? g_strsplit (type->reads, " ", -1) : NULL;

    for (guint w = 0; words != NULL && words[w] != NULL; w++) {
      const guint match = match_reader (words[w], lower, mime);

      if (match > best_match) {
        best_match = match;
        best = type;
      }
    }
  }
  return best;
}

const KgNodeType *
kg_types_find_constant (const KgTypes *types, KgKind kind)
{
  for (guint i = 0; i < types->sorted->len; i++) {
    const KgNodeType *type = kg_types_get (types, i);

    if (type->role == KG_ROLE_CONSTANT && type->slots[kg_type_find_slot (type, "value")].kind == kind)
      return type;
  }
  return NULL;
}

int
kg_type_find_slot (const KgNodeType *type, const char *name)
{
  for (guint i = 0; i < type->n_slots; i++)
    if (g_str_equal (type->slots[i].name, name))
      return (int) i;
  return -1;
}

char *
kg_type_dup_family (const KgNodeType *type)
{
  return g_strndup (type->id, (gsize) (strchr (type->id, '/') - type->id));
}

bool
kg_slot_get_default (const KgSlot *slot, KgValue *value)
{
  const double *v = slot->def_v;
  const KgTransform identity = kg_transform_identity ();

  switch (slot->kind) {
  case KG_NUMBER:
    *value = kg_value_number (slot->def);
    return true;
  case KG_INTEGER:
    *value = kg_value_integer ((int64_t) slot->def);
    return true;
  case KG_BOOLEAN:
    *value = kg_value_boolean (slot->def != 0);
    return true;
  case KG_TEXT:
    *value = kg_value_text (slot->def_text);
    return true;
  case KG_CHOICE:
    *value = kg_value_text (slot->choices[(int) slot->def].nick);
    return true;
  case KG_VECTOR:
    *value = kg_value_vector (kg_vector (v[0], v[1], v[2]));
    return true;
  case KG_COLOR:
    *value = kg_value_color ((KgColor){ v[0], v[1], v[2], v[3] });
    return true;
  case KG_ROTATION:
    *value = kg_value_rotation (kg_rotation_normalize ((KgRotation){ v[0], v[1], v[2], v[3] }));
    return true;
  case KG_TRANSFORM:
    *value = kg_value_transform (&identity);
    return true;
  case KG_TABLE:
    *value =
        kg_value_take (KG_TABLE, kg_table_parse (slot->def_text != NULL ? slot->def_text : "", slot->columns, NULL));
    return true;
  default:
    return false;
  }
}

bool
kg_slot_has_range (const KgSlot *slot)
{
  return slot->min != 0 || slot->max != 0;
}

double
kg_slot_limit (const KgSlot *slot, double x)
{
  return kg_slot_has_range (slot) ? kg_clamp (x, slot->min, slot->max) : x;
}

int
kg_slot_find_choice (const KgSlot *slot, const char *nick)
{
  for (int i = 0; slot->choices != NULL && slot->choices[i].nick != NULL; i++)
    if (g_str_equal (slot->choices[i].nick, nick))
      return i;
  return -1;
}

bool
kg_slot_check_choice (const KgSlot *slot, KgValue *value, GError **error)
{
  KgSuggestion suggestion = kg_suggestion_begin (value->kind == KG_TEXT ? value->text : "");
  g_autoptr (GString) nicks = NULL;
  g_autofree char *hint = NULL;
  int n = 0;

  if (value->kind == KG_TEXT && kg_slot_find_choice (slot, value->text) >= 0)
    return true;
  while (slot->choices[n].nick != NULL)
    n++;
  if (value->kind == KG_INTEGER && value->integer >= 0 && value->integer < n) {
    *value = kg_value_text (slot->choices[value->integer].nick);
    return true;
  }
  nicks = g_string_new (NULL);
  for (int i = 0; i < n; i++) {
    g_string_append_printf (nicks, "%s%s", i > 0 ? ", " : "", slot->choices[i].nick);
    kg_suggestion_add (&suggestion, slot->choices[i].nick);
  }
  hint = kg_suggestion_end (&suggestion);
  if (value->kind == KG_INTEGER)
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "%" PRId64 " is not one of: %s", value->integer, nicks->str);
  else
    kg_set_error (error, KG_ERROR_INVALID_VALUE, "\"%s\" is not one of: %s%s",
                  value->kind == KG_TEXT ? value->text : kg_kind_get_name (value->kind), nicks->str, hint);
  return false;
}

const char *
kg_unit_get_symbol (KgUnit unit)
{
  static const char *const symbols[KG_N_UNITS] = {
    [KG_UNIT_NONE] = "",
    [KG_DEGREES] = "°",
    [KG_METRES] = "m",
    [KG_SECONDS] = "s",
    [KG_FRAMES] = "f",
    [KG_HERTZ] = "Hz",
    [KG_METRES_PER_SECOND] = "m/s",
    [KG_METRES_PER_SECOND2] = "m/s²",
    [KG_KILOGRAMS] = "kg",
    [KG_KILOGRAMS_PER_METRE] = "kg/m",
    [KG_PIXELS] = "px",
    [KG_PERCENT] = "%",
  };

  return unit < KG_N_UNITS ? symbols[unit] : "";
}

const char *
kg_type_translate (const char *text)
{
  return text != NULL && *text != '\0' ? _ (text) : "";
}

static void
describe_value (const KgSlot *slot, const char *value, bool labels, GString *out)
{
  const int choice = slot != NULL && slot->choices != NULL ? kg_slot_find_choice (slot, value) : -1;

  if (g_str_equal (value, "linked"))
    g_string_append (out, _ ("linked"));
  else if (g_str_equal (value, "unlinked"))
    g_string_append (out, _ ("not linked"));
  else if (slot != NULL && slot->kind == KG_BOOLEAN)
    g_string_append (out, g_str_equal (value, "true") || g_str_equal (value, "1") ? _ ("on") : _ ("off"));
  else
    g_string_append (out, labels && choice >= 0 ? kg_type_translate (slot->choices[choice].label) : value);
}

char *
kg_slot_describe_condition (const KgSlot *slots, guint n_slots, const KgSlot *slot, bool labels)
{
  g_autoptr (KgCondition) condition = slot->shown_when != NULL ? kg_condition_new (slot->shown_when, NULL) : NULL;
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; condition != NULL && i < kg_condition_get_n (condition); i++) {
    const char *const *values = kg_condition_get_values (condition, i);
    const char *name = kg_condition_get_input (condition, i);
    g_autoptr (GString) list = g_string_new (NULL);
    const KgSlot *other = NULL;

    for (guint k = 0; k < n_slots; k++)
      if (g_strcmp0 (slots[k].name, name) == 0)
        other = &slots[k];
    for (guint k = 0; values[k] != NULL; k++) {
      if (k > 0)
        g_string_append (list, _ (" or "));
      describe_value (other, values[k], labels, list);
    }
    if (i > 0)
      g_string_append (out, _ (" and "));
    g_string_append_printf (out, kg_condition_is_negated (condition, i) ? _ ("%s is not %s") : _ ("%s is %s"),
                            labels && other != NULL ? kg_type_translate (other->label) : name, list->str);
  }
  return out->len > 0 ? g_string_free (g_steal_pointer (&out), FALSE) : NULL;
}
