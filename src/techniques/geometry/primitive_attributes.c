/* primitive_attributes: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "geometry/primitive_attributes.h"

#include <string.h>

/* Primitives between two looks at whether to stop. */
#define AT_ONCE 16384

bool
primitive_attributes_copy (KgGeometry *parts, const KgGeometry *whole, const uint32_t *sources, size_t n,
                           const char *without, const KgProgressMonitor *monitor)
{
  for (guint k = 0; k < kg_geometry_get_n_attributes (whole, KG_PRIMITIVES); k++) {
    KgAttribute attribute;
    size_t bytes;
    char *to = NULL;

    kg_geometry_get_attribute (whole, KG_PRIMITIVES, k, &attribute);
    if (g_strcmp0 (attribute.name, without) == 0)
      continue;
    bytes = attribute.size * sizeof (float);
    if (attribute.scalar == KG_FLOAT32)
      to = (char *) kg_geometry_edit_float (parts, KG_PRIMITIVES, attribute.name, attribute.size);
    else if (attribute.scalar == KG_INT32)
      to = (char *) kg_geometry_edit_int (parts, KG_PRIMITIVES, attribute.name, attribute.size);
    for (size_t i = 0; i < n; i++) {
      if (to != NULL)
        memcpy (to + i * bytes, (const char *) attribute.data + sources[i] * bytes, bytes);
      else
        kg_geometry_set_text (parts, KG_PRIMITIVES, attribute.name, i,
                              kg_geometry_get_text (whole, KG_PRIMITIVES, attribute.name, sources[i]));
      if (i % AT_ONCE == 0 && kg_progress_is_cancelled (monitor))
        return false;
    }
  }
  return true;
}
