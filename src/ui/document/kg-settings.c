/* kg-settings: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-settings.h"

#include "config.h"

#define SCHEMA "org.kineograph.Kineograph"

G_DEFINE_ENUM_TYPE (KgTheme, kg_theme, G_DEFINE_ENUM_VALUE (KG_THEME_FOLLOW, "follow"),
                    G_DEFINE_ENUM_VALUE (KG_THEME_DARK, "dark"), G_DEFINE_ENUM_VALUE (KG_THEME_LIGHT, "light"))
G_DEFINE_ENUM_TYPE (KgThumbnails, kg_thumbnails, G_DEFINE_ENUM_VALUE (KG_THUMBNAILS_NONE, "none"),
                    G_DEFINE_ENUM_VALUE (KG_THUMBNAILS_MOTIONS, "motions"),
                    G_DEFINE_ENUM_VALUE (KG_THUMBNAILS_ALL, "all"))

enum {
  PROP_0,
  THEME,
  AUTOSAVE_SECONDS,
  SNAP_TO_GRID,
  THUMBNAILS,
  CACHE_MEGABYTES,
  RECENT_FOLDER,
  FAVOURITE_PRESETS,
  RECENT_NODES,
  KEEP_FRAMES,
  SOUND_VOLUME,
  SOUND_MUTE,
  WINDOW_WIDTH,
  WINDOW_HEIGHT,
  WINDOW_MAXIMIZED,
  SIDE_POSITION,
  LOWER_POSITION,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

struct _KgSettings {
  GObject parent_instance;
  GSettings *kept;             /* (nullable) */
  GValue values[N_PROPERTIES]; /* [0] is not used */
};

G_DEFINE_FINAL_TYPE (KgSettings, kg_settings, G_TYPE_OBJECT)

static void
kg_settings_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  (void) pspec;
  g_value_copy (&KG_SETTINGS (object)->values[id], value);
}

static void
kg_settings_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  KgSettings *self = KG_SETTINGS (object);

  if (g_param_values_cmp (pspec, &self->values[id], value) == 0)
    return;
  g_value_copy (value, &self->values[id]);
  /* A text that is not there is an empty one. */
  if (G_VALUE_HOLDS_STRING (value) && g_value_get_string (value) == NULL)
    g_value_set_static_string (&self->values[id], "");
  g_object_notify_by_pspec (object, pspec);
}

static void
kg_settings_finalize (GObject *object)
{
  KgSettings *self = KG_SETTINGS (object);

  for (guint i = 1; i < N_PROPERTIES; i++)
    g_value_unset (&self->values[i]);
  g_clear_object (&self->kept);
  G_OBJECT_CLASS (kg_settings_parent_class)->finalize (object);
}

static void
kg_settings_class_init (KgSettingsClass *class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  G_OBJECT_CLASS (class)->get_property = kg_settings_get_property;
  G_OBJECT_CLASS (class)->set_property = kg_settings_set_property;
  G_OBJECT_CLASS (class)->finalize = kg_settings_finalize;
  properties[THEME] = g_param_spec_enum ("theme", NULL, NULL, KG_TYPE_THEME, KG_THEME_FOLLOW, flags);
  properties[AUTOSAVE_SECONDS] = g_param_spec_uint ("autosave-seconds", NULL, NULL, 5, 600, 20, flags);
  properties[SNAP_TO_GRID] = g_param_spec_boolean ("snap-to-grid", NULL, NULL, TRUE, flags);
  properties[THUMBNAILS] = g_param_spec_enum ("thumbnails", NULL, NULL, KG_TYPE_THUMBNAILS, KG_THUMBNAILS_NONE, flags);
  properties[CACHE_MEGABYTES] = g_param_spec_uint ("cache-megabytes", NULL, NULL, 64, 1048576, 2048, flags);
  properties[RECENT_FOLDER] = g_param_spec_string ("recent-folder", NULL, NULL, "", flags);
  properties[FAVOURITE_PRESETS] = g_param_spec_string ("favourite-presets", NULL, NULL, "", flags);
  properties[RECENT_NODES] = g_param_spec_string ("recent-nodes", NULL, NULL, "", flags);
  properties[KEEP_FRAMES] = g_param_spec_uint ("keep-frames", NULL, NULL, 0, 4, 0, flags);
  properties[SOUND_VOLUME] = g_param_spec_double ("sound-volume", NULL, NULL, 0, 1, 1, flags);
  properties[SOUND_MUTE] = g_param_spec_boolean ("sound-mute", NULL, NULL, FALSE, flags);
  properties[WINDOW_WIDTH] = g_param_spec_int ("window-width", NULL, NULL, 1, 100000, 1280, flags);
  properties[WINDOW_HEIGHT] = g_param_spec_int ("window-height", NULL, NULL, 1, 100000, 800, flags);
  properties[WINDOW_MAXIMIZED] = g_param_spec_boolean ("window-maximized", NULL, NULL, FALSE, flags);
  properties[SIDE_POSITION] = g_param_spec_int ("side-position", NULL, NULL, -1, 100000, -1, flags);
  properties[LOWER_POSITION] = g_param_spec_int ("lower-position", NULL, NULL, -1, 100000, -1, flags);
  g_object_class_install_properties (G_OBJECT_CLASS (class), N_PROPERTIES, properties);
}

/* (transfer full) (nullable) Where GLib looks, or beside the data of this program: a prefix of one's own is often not
 * in XDG_DATA_DIRS. */
static GSettingsSchema *
find_schema (void)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  GSettingsSchema *schema = source != NULL ? g_settings_schema_source_lookup (source, SCHEMA, TRUE) : NULL;
  g_autoptr (GSettingsSchemaSource) own = NULL;

  if (schema != NULL)
    return schema;
  own = g_settings_schema_source_new_from_directory (KG_SCHEMA_DIR, source, FALSE, NULL);
  return own != NULL ? g_settings_schema_source_lookup (own, SCHEMA, TRUE) : NULL;
}

/* The schema of another version may lack a key, or have it with another type: binding would abort. */
static bool
can_bind (GSettingsSchema *schema, const GParamSpec *pspec)
{
  g_autoptr (GSettingsSchemaKey) key = NULL;
  const GVariantType *type;

  if (!g_settings_schema_has_key (schema, pspec->name))
    return false;
  key = g_settings_schema_get_key (schema, pspec->name);
  type = g_settings_schema_key_get_value_type (key);
  if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    return g_variant_type_equal (type, G_VARIANT_TYPE_BOOLEAN);
  if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    return g_variant_type_equal (type, G_VARIANT_TYPE_DOUBLE);
  if (G_IS_PARAM_SPEC_INT (pspec))
    return g_variant_type_equal (type, G_VARIANT_TYPE_INT32);
  if (G_IS_PARAM_SPEC_UINT (pspec))
    return g_variant_type_equal (type, G_VARIANT_TYPE_UINT32);
  return g_variant_type_equal (type, G_VARIANT_TYPE_STRING);
}

static void
kg_settings_init (KgSettings *self)
{
  g_autoptr (GSettingsSchema) schema = find_schema ();

  for (guint i = 1; i < N_PROPERTIES; i++) {
    g_value_init (&self->values[i], G_PARAM_SPEC_VALUE_TYPE (properties[i]));
    g_param_value_set_default (properties[i], &self->values[i]);
  }
  if (schema == NULL)
    return;
  self->kept = g_settings_new_full (schema, NULL, NULL);
  for (guint i = 1; i < N_PROPERTIES; i++)
    if (can_bind (schema, properties[i]))
      g_settings_bind (self->kept, properties[i]->name, self, properties[i]->name, G_SETTINGS_BIND_DEFAULT);
}

KgSettings *
kg_settings_get_default (void)
{
  static KgSettings *settings;

  if (settings == NULL)
    settings = KG_SETTINGS (g_object_new (KG_TYPE_SETTINGS, NULL));
  return settings;
}

bool
kg_settings_are_saved (KgSettings *self)
{
  return self->kept != NULL;
}

KgTheme
kg_settings_get_theme (KgSettings *self)
{
  return (KgTheme) g_value_get_enum (&self->values[THEME]);
}

guint
kg_settings_get_autosave_seconds (KgSettings *self)
{
  return g_value_get_uint (&self->values[AUTOSAVE_SECONDS]);
}

bool
kg_settings_get_snap_to_grid (KgSettings *self)
{
  return g_value_get_boolean (&self->values[SNAP_TO_GRID]);
}

KgThumbnails
kg_settings_get_thumbnails (KgSettings *self)
{
  return (KgThumbnails) g_value_get_enum (&self->values[THUMBNAILS]);
}

guint64
kg_settings_get_cache_budget (KgSettings *self)
{
  return (guint64) g_value_get_uint (&self->values[CACHE_MEGABYTES]) << 20;
}

const char *
kg_settings_get_recent_folder (KgSettings *self)
{
  return g_value_get_string (&self->values[RECENT_FOLDER]);
}

void
kg_settings_set_recent_folder (KgSettings *self, const char *folder)
{
  g_object_set (self, "recent-folder", folder, NULL);
}

bool
kg_settings_is_favourite (KgSettings *self, const char *preset_id)
{
  g_auto (GStrv) ids = g_strsplit (g_value_get_string (&self->values[FAVOURITE_PRESETS]), " ", -1);

  return g_strv_contains ((const char *const *) ids, preset_id);
}

void
kg_settings_set_favourite (KgSettings *self, const char *preset_id, bool favourite)
{
  g_auto (GStrv) ids = g_strsplit (g_value_get_string (&self->values[FAVOURITE_PRESETS]), " ", -1);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; ids[i] != NULL; i++)
    if (*ids[i] != '\0' && !g_str_equal (ids[i], preset_id))
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", ids[i]);
  if (favourite)
    g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", preset_id);
  g_object_set (self, "favourite-presets", text->str, NULL);
}

char **
kg_settings_dup_recent_nodes (KgSettings *self)
{
  return g_strsplit (g_value_get_string (&self->values[RECENT_NODES]), " ", -1);
}

void
kg_settings_add_recent_node (KgSettings *self, const char *type_id)
{
  g_auto (GStrv) ids = kg_settings_dup_recent_nodes (self);
  g_autoptr (GString) text = g_string_new (type_id);
  guint n = 1;

  for (guint i = 0; ids[i] != NULL && n < KG_MOST_RECENT_NODES; i++)
    if (*ids[i] != '\0' && !g_str_equal (ids[i], type_id)) {
      g_string_append_printf (text, " %s", ids[i]);
      n++;
    }
  g_object_set (self, "recent-nodes", text->str, NULL);
}

guint
kg_settings_get_keep_frames (KgSettings *self)
{
  return g_value_get_uint (&self->values[KEEP_FRAMES]);
}
