/* kg-kind-color: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-kind-color.h"

KgTint
kg_kind_get_tint (KgKind kind)
{
  static const KgTint tints[KG_N_KINDS] = {
    [KG_NUMBER] = { 0.63, 0.63, 0.66 }, [KG_INTEGER] = { 0.42, 0.60, 0.45 },  [KG_BOOLEAN] = { 0.80, 0.55, 0.70 },
    [KG_TEXT] = { 0.45, 0.70, 0.90 },   [KG_CHOICE] = { 0.45, 0.70, 0.90 },   [KG_VECTOR] = { 0.42, 0.42, 0.85 },
    [KG_COLOR] = { 0.93, 0.85, 0.30 },  [KG_ROTATION] = { 0.75, 0.50, 0.85 }, [KG_TRANSFORM] = { 0.55, 0.35, 0.75 },
    [KG_MOTION] = { 0.95, 0.60, 0.25 }, [KG_GEOMETRY] = { 0.10, 0.75, 0.60 }, [KG_SKELETON] = { 0.90, 0.85, 0.75 },
    [KG_FIELD] = { 0.35, 0.80, 0.90 },  [KG_IMAGE] = { 0.88, 0.40, 0.35 },    [KG_SCENE] = { 0.95, 0.45, 0.65 },
    [KG_TABLE] = { 0.55, 0.70, 0.35 },  [KG_SOUND] = { 0.25, 0.62, 0.72 },    [KG_ANY] = { 0.75, 0.75, 0.75 },
    [KG_LIST] = { 0.75, 0.75, 0.75 },
  };

  return tints[kind];
}

void
kg_tint_set (cairo_t *cr, KgTint tint, double alpha)
{
  cairo_set_source_rgba (cr, tint.r, tint.g, tint.b, alpha);
}
