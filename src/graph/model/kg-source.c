/* kg-source: building, copying and comparing sources.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-source.h"

KgSource
kg_source_constant (const KgValue *value)
{
  return (KgSource){ .kind = KG_SOURCE_CONSTANT, .constant = kg_value_copy (value) };
}

KgSource
kg_source_keys (KgChannel *keys)
{
  return (KgSource){ .kind = KG_SOURCE_KEYS, .keys = keys };
}

KgSource
kg_source_expression (const char *text)
{
  return (KgSource){ .kind = KG_SOURCE_EXPRESSION, .text = g_strdup (text) };
}

KgSource
kg_source_link (const char *target)
{
  return (KgSource){ .kind = KG_SOURCE_LINK, .text = g_strdup (target) };
}

KgSource
kg_source_list (guint n, const KgSource *items)
{
  KgSource source = { .kind = KG_SOURCE_LIST };

  source.list.n = n;
  source.list.items = g_new0 (KgSource, n);
  for (guint i = 0; i < n; i++)
    source.list.items[i] = kg_source_copy (&items[i]);
  return source;
}

KgSource
kg_source_copy (const KgSource *source)
{
  switch (source->kind) {
  case KG_SOURCE_CONSTANT:
    return kg_source_constant (&source->constant);
  case KG_SOURCE_KEYS:
    return kg_source_keys (kg_channel_ref (source->keys));
  case KG_SOURCE_EXPRESSION:
    return kg_source_expression (source->text);
  case KG_SOURCE_LINK:
    return kg_source_link (source->text);
  case KG_SOURCE_LIST:
    return kg_source_list (source->list.n, source->list.items);
  case KG_SOURCE_DEFAULT:
  default:
    return (KgSource) KG_SOURCE_INIT;
  }
}

void
kg_source_clear (KgSource *source)
{
  switch (source->kind) {
  case KG_SOURCE_CONSTANT:
    kg_value_clear (&source->constant);
    break;
  case KG_SOURCE_KEYS:
    kg_channel_unref (source->keys);
    break;
  case KG_SOURCE_EXPRESSION:
  case KG_SOURCE_LINK:
    g_free (source->text);
    break;
  case KG_SOURCE_LIST:
    /* Items are never lists themselves, so this goes one level deep. */
    for (guint i = 0; i < source->list.n; i++)
      kg_source_clear (&source->list.items[i]);
    g_free (source->list.items);
    break;
  case KG_SOURCE_DEFAULT:
  default:
    break;
  }
  *source = (KgSource) KG_SOURCE_INIT;
}

bool
kg_source_equal (const KgSource *a, const KgSource *b)
{
  if (a->kind != b->kind)
    return false;
  switch (a->kind) {
  case KG_SOURCE_CONSTANT:
    return kg_value_equal (&a->constant, &b->constant);
  case KG_SOURCE_KEYS:
    return kg_channel_equal (a->keys, b->keys);
  case KG_SOURCE_EXPRESSION:
  case KG_SOURCE_LINK:
    return g_str_equal (a->text, b->text);
  case KG_SOURCE_LIST:
    if (a->list.n != b->list.n)
      return false;
    for (guint i = 0; i < a->list.n; i++)
      if (!kg_source_equal (&a->list.items[i], &b->list.items[i]))
        return false;
    return true;
  case KG_SOURCE_DEFAULT:
  default:
    return true;
  }
}

guint
kg_kind_get_width (KgKind kind)
{
  static const guint widths[KG_N_KINDS] = {
    [KG_NUMBER] = 1,   [KG_INTEGER] = 1, [KG_BOOLEAN] = 1,   [KG_CHOICE] = 1, [KG_VECTOR] = 3, [KG_COLOR] = 4,
    [KG_ROTATION] = 4, [KG_MOTION] = 4,  [KG_TRANSFORM] = 3, [KG_FIELD] = 3,  [KG_ANY] = 4
  };

  return kind < KG_N_KINDS ? widths[kind] : 0;
}
