/* kg-error: what can go wrong, and its message in the language of the user.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-error.h"

#include <glib/gi18n-lib.h>
#include <stdbool.h>

/* Where in a text the error is, apart from the message, which may be in any language. */
typedef struct {
  guint column; /* 0: nowhere in particular */
  char *reason; /* the message without the column */
} KgErrorPrivate;

static void
kg_error_private_init (KgErrorPrivate *self)
{
  self->column = 0;
  self->reason = NULL;
}

static void
kg_error_private_copy (const KgErrorPrivate *from, KgErrorPrivate *to)
{
  to->column = from->column;
  to->reason = g_strdup (from->reason);
}

static void
kg_error_private_clear (KgErrorPrivate *self)
{
  g_free (self->reason);
}

G_DEFINE_EXTENDED_ERROR (KgError, kg_error)

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

void
kg_prefix_column (GError **error, guint column)
{
  if (error == NULL || *error == NULL)
    return;
  if ((*error)->domain == KG_ERROR) {
    KgErrorPrivate *self = kg_error_get_private (*error);

    g_free (self->reason);
    self->reason = g_strdup ((*error)->message);
    self->column = column;
  }
  kg_prefix_error (error, "column %u: ", column);
}

guint
kg_error_get_column (const GError *error, const char **reason)
{
  const KgErrorPrivate *self = error->domain == KG_ERROR ? kg_error_get_private (error) : NULL;
  const bool known = self != NULL && self->column > 0;

  *reason = known ? self->reason : error->message;
  return known ? self->column : 0;
}

const char *
kg_translate (const char *format)
{
  /* The translation of an empty text is the head of the catalogue. */
  return format[0] != '\0' ? g_dgettext (GETTEXT_PACKAGE, format) : format;
}
