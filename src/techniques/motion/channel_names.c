/* channel_names: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/channel_names.h"

bool
channel_names_match (const char *patterns, const char *name)
{
  g_auto (GStrv) words = g_strsplit_set (patterns, " \t\n,;", -1);
  bool any = false;

  for (guint i = 0; words[i] != NULL; i++) {
    if (words[i][0] != '\0' && g_pattern_match_simple (words[i], name))
      return true;
    any = any || words[i][0] != '\0';
  }
  return !any;
}

char *
channel_names_find_missing (const char *patterns, const KgMotion *motion)
{
  g_auto (GStrv) words = g_strsplit_set (patterns, " \t\n,;", -1);
  const guint count = kg_motion_get_n_channels (motion);

  for (guint i = 0; words[i] != NULL; i++) {
    guint found = 0;

    while (found < count && !g_pattern_match_simple (words[i], kg_motion_get_name (motion, found)))
      found++;
    if (words[i][0] != '\0' && count > 0 && found == count)
      return g_strdup (words[i]);
  }
  return NULL;
}

char *
channel_names_list (const KgMotion *motion)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < MIN (kg_motion_get_n_channels (motion), 12); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", kg_motion_get_name (motion, i));
  return g_string_free (names, FALSE);
}
