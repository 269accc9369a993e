/* kg-error: what can go wrong, and its message in the language of the user.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-error.h"

#include <glib/gi18n-lib.h>

G_DEFINE_QUARK (kg - error - quark, kg_error)

void
kg_set_error (GError **error, KgError code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_propagate_error (error, g_error_new_valist (KG_ERROR, (int) code, kg_translate (format), arguments));
  va_end (arguments);
}

GError *
kg_error_new (KgError code, const char *format, ...)
{
  va_list arguments;
  GError *error;

  va_start (arguments, format);
  error = g_error_new_valist (KG_ERROR, (int) code, kg_translate (format), arguments);
  va_end (arguments);
  return error;
}

void
kg_prefix_error (GError **error, const char *format, ...)
{
  g_autofree char *prefix = NULL;
  va_list arguments;

  if (error == NULL || *error == NULL)
    return;
  va_start (arguments, format);
  prefix = g_strdup_vprintf (kg_translate (format), arguments);
  va_end (arguments);
  g_prefix_error (error, "%s", prefix);
}

const char *
kg_translate (const char *format)
{
  /* The translation of an empty text is the head of the catalogue. */
  return format[0] != '\0' ? g_dgettext (GETTEXT_PACKAGE, format) : format;
}
