/* font_fallback: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/font_fallback.h"

/* Fontconfig looks for a family by any of its names, in any case. */
static bool
is_there (PangoFontMap *map, const char *name)
{
  PangoFontFamily **families;
  bool found = false;
  int n;

  pango_font_map_list_families (map, &families, &n);
  for (int i = 0; i < n && !found; i++)
    found = g_ascii_strcasecmp (pango_font_family_get_name (families[i]), name) == 0;
  g_free (families);
  return found;
}

static bool
is_alias (const char *name)
{
  static const char *const aliases[] = { "sans",      "sans-serif", "serif",   "mono",
                                         "monospace", "cursive",    "fantasy", "system-ui" };

  for (guint i = 0; i < G_N_ELEMENTS (aliases); i++)
    if (g_ascii_strcasecmp (name, aliases[i]) == 0)
      return true;
  return false;
}

bool
font_fallback_check (PangoContext *context, const PangoFontDescription *font, GError **warning)
{
  const char *wanted = pango_font_description_get_family (font);
  g_auto (GStrv) names = wanted != NULL ? g_strsplit (wanted, ",", -1) : NULL;
  PangoFont *used = pango_context_load_font (context, font);
  PangoFontDescription *description = used != NULL ? pango_font_describe (used) : NULL;
  const char *family = description != NULL ? pango_font_description_get_family (description) : NULL;
  bool found = names == NULL || family == NULL;

  for (guint i = 0; !found && names[i] != NULL; i++) {
    const char *name = g_strstrip (names[i]);

    found = *name == '\0' || g_ascii_strcasecmp (name, family) == 0 || is_alias (name) ||
            is_there (pango_context_get_font_map (context), name);
  }
  if (!found)
    kg_set_error (warning, KG_ERROR_UNKNOWN_NAME,
                  "the font \"%.100s\" is missing, %s is used for the text: install it, or choose another font", wanted,
                  family);
  g_clear_pointer (&description, pango_font_description_free);
  g_clear_object (&used);
  return found;
}
