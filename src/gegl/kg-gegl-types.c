/* kg-gegl-types: see the header.  The types live as long as the program.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-gegl-types.h"

#include "kg-gegl-private.h"
#include "kg-gegl.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* An input that GEGL does not limit still has numbers that GEGL can compute with. */
#define MAX_NUMBER 1e9

static const KgSlot filter_first[] = { IMAGE_INPUT (GeglFilter, N_ ("The image to work on.")) };
static const KgSlot filter_last[] = { IMAGE_WEAR (GeglFilter,
                                                  N_ ("What the operation makes of it, as large as the image.")) };
static const KgSlot source_first[] = { GENERATOR_SIZE (GeglSource) };
static const KgSlot source_last[] = { GENERATOR_IMAGE (GeglSource) };

/* Reading what GEGL says. */

static const char *
get_text (const KgJson *object, const char *name)
{
  const KgJson *text = kg_json_get (object, name);

  return text != NULL && kg_json_is (text, KG_JSON_STRING) ? kg_json_get_string (text) : NULL;
}

static double
get_number (const KgJson *object, const char *name, double otherwise)
{
  const KgJson *number = kg_json_get (object, name);

  return number != NULL && kg_json_is (number, KG_JSON_NUMBER) ? kg_json_get_number (number) : otherwise;
}

/* (transfer full) A name as files and expressions have it. */
static char *
dup_name (const char *name)
{
  char *result = g_ascii_strdown (name, -1);

  for (char *c = result; *c != '\0'; c++)
    if (!g_ascii_isalnum (*c))
      *c = '_';
  return result;
}

/* (transfer full) A text of GEGL's, or one in its place. */
static char *
dup_text (const char *text, const char *otherwise)
{
  return g_strdup (text != NULL && *text != '\0' ? text : otherwise);
}

/* Slots. */

/* A type in the making. */
typedef struct {
  GArray *slots;      /* of KgSlot */
  GArray *properties; /* of GeglProperty */
  size_t size;        /* of the job so far */
  const KgSlot *last; /* that all have, and come at the end */
  guint n_last;
} Making;

static bool
is_taken (const Making *making, const char *name)
{
  for (guint i = 0; i < making->slots->len; i++)
    if (g_str_equal (g_array_index (making->slots, KgSlot, i).name, name))
      return true;
  for (guint i = 0; i < making->n_last; i++)
    if (g_str_equal (making->last[i].name, name))
      return true;
  return false;
}

static void
add_choices (KgSlot *slot, const KgJson *property)
{
  const KgJson *list = kg_json_get (property, "choices");
  const guint n = list != NULL ? kg_json_get_n (list) : 0;
  KgChoice *choices = g_new0 (KgChoice, n + 1);

  for (guint i = 0; i < n; i++) {
    const KgJson *choice = kg_json_get_item (list, i);
    const char *nick = get_text (choice, "nick");
    g_autofree char *number = g_strdup_printf ("%u", i);

    choices[i].nick = dup_name (nick != NULL ? nick : number);
    choices[i].label = dup_text (get_text (choice, "label"), choices[i].nick);
  }
  choices[n].label = "";
  slot->choices = choices;
  slot->def = kg_clamp (slot->def, 0, n > 0 ? n - 1 : 0);
}

/* GEGL's words for units. */
static KgUnit
find_unit (const char *unit)
{
  if (g_strcmp0 (unit, "degree") == 0)
    return KG_DEGREES;
  return g_strcmp0 (unit, "pixel-distance") == 0 || g_strcmp0 (unit, "pixel-coordinate") == 0 ? KG_PIXELS
                                                                                              : KG_UNIT_NONE;
}

static void
set_range (KgSlot *slot, const KgJson *property)
{
  const double most = slot->kind == KG_INTEGER ? G_MAXINT : MAX_NUMBER;

  slot->min = kg_clamp (get_number (property, "min", -most), -most, most);
  slot->max = kg_clamp (get_number (property, "max", most), slot->min, most);
  slot->soft_min = kg_clamp (get_number (property, "soft_min", slot->min), slot->min, slot->max);
  slot->soft_max = kg_clamp (get_number (property, "soft_max", slot->max), slot->soft_min, slot->max);
  slot->def = kg_clamp (slot->def, slot->min, slot->max);
}

static void
set_default (KgSlot *slot, const KgJson *property)
{
  const KgJson *value = kg_json_get (property, "default");

  slot->def = get_number (property, "default", 0);
  if (slot->kind == KG_TEXT)
    slot->def_text = dup_text (get_text (property, "default"), "");
  for (guint i = 0; slot->kind == KG_COLOR && i < 4; i++)
    slot->def_v[i] = value != NULL && kg_json_get_n (value) == 4 ? kg_json_get_number (kg_json_get_item (value, i)) : 0;
}

static bool
find_kind (const char *name, KgKind *kind, size_t *size)
{
  static const struct {
    const char *name;
    KgKind kind;
    size_t size;
  } kinds[] = {
    { "number", KG_NUMBER, sizeof (double) }, { "integer", KG_INTEGER, sizeof (int64_t) },
    { "boolean", KG_BOOLEAN, sizeof (bool) }, { "choice", KG_CHOICE, sizeof (int) },
    { "color", KG_COLOR, sizeof (KgColor) },  { "text", KG_TEXT, sizeof (char *) },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (name, kinds[i].name) == 0) {
      *kind = kinds[i].kind;
      *size = kinds[i].size;
      return true;
    }
  return false;
}

/* One more field at the end of the job. */
static void
add_property (Making *making, const KgJson *property)
{
  const char *name = get_text (property, "name");
  KgSlot slot = { .role = KG_SLOT_INPUT, .handle = { .kind = KG_HANDLE_NONE } };
  GeglProperty known = { .slot = making->slots->len };
  size_t bytes;

  if (name == NULL || !find_kind (get_text (property, "kind"), &slot.kind, &bytes))
    return;
  slot.name = dup_name (name);
  /* Slots that all of our nodes have keep their names. */
  if (is_taken (making, slot.name) || !g_ascii_isalpha (slot.name[0])) {
    g_autofree char *taken = (char *) (size_t) slot.name;

    slot.name = g_strconcat ("gegl_", taken, NULL);
  }
  if (is_taken (making, slot.name) ||
      (slot.kind == KG_CHOICE && kg_json_get_n (kg_json_get (property, "choices")) == 0)) {
    g_free ((char *) (size_t) slot.name);
    return;
  }
  slot.label = dup_text (get_text (property, "label"), slot.name);
  slot.help = dup_text (get_text (property, "help"), slot.label);
  slot.unit = slot.kind == KG_NUMBER || slot.kind == KG_INTEGER ? find_unit (get_text (property, "unit"))
                                                                : KG_UNIT_NONE;
  slot.multiline = kg_json_get (property, "multiline") != NULL;
  slot.offset = making->size;
  making->size += (bytes + 7) & ~(size_t) 7;
  set_default (&slot, property);
  if (slot.kind == KG_NUMBER || slot.kind == KG_INTEGER)
    set_range (&slot, property);
  else if (slot.kind == KG_CHOICE)
    add_choices (&slot, property);
  known.name = g_strdup (name);
  g_array_append_val (making->slots, slot);
  g_array_append_val (making->properties, known);
}

/* Images besides the operation's own. */
static void
add_pads (GeglType *type, GArray *slots, const KgJson *pads)
{
  for (guint i = 0; i < kg_json_get_n (pads) && i < GEGL_MAX_PADS; i++) {
    const char *name = kg_json_get_string (kg_json_get_item (pads, i));
    KgSlot slot = { .role = KG_SLOT_INPUT,
                    .kind = KG_IMAGE,
                    .optional = true,
                    .label = i == 1 ? N_ ("Second Image") : N_ ("Further Image"),
                    .offset = G_STRUCT_OFFSET (GeglFilter, others) + i * sizeof (KgImage *),
                    .help = N_ ("Another image that the operation takes, centred on the first.") };

    if (name == NULL)
      continue;
    type->pads[type->n_pads++] = g_strdup (name);
    if (i > 0) {
      slot.name = dup_name (name);
      g_array_append_val (slots, slot);
    }
  }
}

/* (transfer full) "gegl/gaussian_blur" of "gegl:gaussian-blur", "gegl/svg_plus" of "svg:plus". */
static char *
dup_id (const char *operation)
{
  const char *rest = g_str_has_prefix (operation, "gegl:") ? operation + strlen ("gegl:") : operation;
  g_autofree char *name = dup_name (rest);

  return g_strconcat (KG_GEGL_FAMILY "/", name, NULL);
}

/* (transfer full) "Gaussian Blur" of "gegl:gaussian-blur". */
static char *
dup_label (const KgJson *operation, const char *name)
{
  const char *title = get_text (operation, "title"), *colon = strchr (name, ':');
  char *made;

  if (title != NULL && *title != '\0')
    return g_strdup (title);
  made = g_strdelimit (g_strdup (colon != NULL ? colon + 1 : name), "-_", ' ');
  made[0] = g_ascii_toupper (made[0]);
  return made;
}

/* (transfer full) */
static char *
dup_help (const KgJson *operation, const char *name)
{
  g_autofree char *text = dup_text (get_text (operation, "help"), name);
  const size_t n = strlen (text);

  return g_strdup_printf (_ ("%s%s The operation %s of GEGL."), text, text[n - 1] == '.' ? "" : ".", name);
}

/* (transfer full) (nullable) */
static GeglType *
make_type (const KgJson *operation)
{
  const char *name = get_text (operation, "name"), *categories = get_text (operation, "categories");
  const KgJson *pads = kg_json_get (operation, "pads"), *list = kg_json_get (operation, "properties");
  const bool is_source = pads == NULL || kg_json_get_n (pads) == 0;
  Making making = { .size = is_source ? sizeof (GeglSource) : sizeof (GeglFilter),
                    .last = is_source ? source_last : filter_last,
                    .n_last = is_source ? G_N_ELEMENTS (source_last) : G_N_ELEMENTS (filter_last) };
  GeglType *type;

  if (name == NULL || list == NULL)
    return NULL;
  type = g_new0 (GeglType, 1);
  type->operation = g_strdup (name);
  making.slots = g_array_new (FALSE, TRUE, sizeof (KgSlot));
  making.properties = g_array_new (FALSE, TRUE, sizeof (GeglProperty));
  if (is_source)
    g_array_append_vals (making.slots, source_first, G_N_ELEMENTS (source_first));
  else {
    g_array_append_vals (making.slots, filter_first, G_N_ELEMENTS (filter_first));
    add_pads (type, making.slots, pads);
  }
  for (guint i = 0; i < kg_json_get_n (list); i++)
    add_property (&making, kg_json_get_item (list, i));
  g_array_append_vals (making.slots, making.last, making.n_last);
  type->n_properties = making.properties->len;
  type->properties = (GeglProperty *) (void *) g_array_free (making.properties, FALSE);
  type->type = (KgNodeType){ .id = dup_id (name),
                             .label = dup_label (operation, name),
                             .help = dup_help (operation, name),
                             .version = 1,
                             .since = "0.1",
                             .tags = dup_text (categories, ""),
                             .source = "GEGL",
                             .size = making.size,
                             .n_slots = making.slots->len,
                             .evaluate = is_source ? gegl_source_evaluate : gegl_filter_evaluate };
  type->type.slots = (const KgSlot *) (void *) g_array_free (making.slots, FALSE);
  g_strdelimit ((char *) (size_t) type->type.tags, ":-", ' ');
  return type;
}

/* The table. */

typedef struct {
  const KgNodeType *const *table; /* (nullable) */
  GError *error;
} Loaded;

static gpointer
load_once (gpointer data)
{
  static Loaded loaded;
  g_autoptr (KgJson) list = kg_gegl_list (&loaded.error);
  GPtrArray *table = list != NULL ? g_ptr_array_new () : NULL;

  (void) data;
  for (guint i = 0; list != NULL && i < kg_json_get_n (list); i++) {
    GeglType *type = make_type (kg_json_get_item (list, i));

    if (type != NULL)
      g_ptr_array_add (table, type);
  }
  if (table != NULL) {
    g_ptr_array_add (table, NULL);
    loaded.table = (const KgNodeType *const *) (void *) g_ptr_array_free (table, FALSE);
  }
  return &loaded;
}

const KgNodeType *const *
kg_gegl_load_types (GError **error)
{
  static GOnce once = G_ONCE_INIT;
  const Loaded *loaded = (const Loaded *) g_once (&once, load_once, NULL);

  if (loaded->table == NULL)
    g_propagate_error (error, g_error_copy (loaded->error));
  return loaded->table;
}

void
kg_gegl_offer (KgTypes *types)
{
  kg_types_offer_family (types, KG_GEGL_FAMILY, kg_gegl_load_types);
}
