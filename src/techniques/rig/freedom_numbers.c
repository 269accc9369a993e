/* freedom_numbers: see the header.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "rig/freedom_numbers.h"

bool
freedom_numbers_read (const KgList *list, const char *name, double unit, const Linkage *linkage, double *numbers,
                      GError **error)
{
  if (list->n > 1 && list->n != linkage->n && list->n != linkage->n_joints) {
    kg_set_error (
        error, KG_ERROR_INVALID_VALUE,
        "%s has %u values (joints: %u, freedoms: %u): give one for all, one for each joint, or one for each freedom",
        name, list->n, linkage->n_joints, linkage->n);
    return false;
  }
  for (guint k = 0; k < linkage->n; k++) {
    const LinkageFreedom *freedom = &linkage->freedoms[k];
    const guint item = list->n <= 1 ? 0 : list->n == linkage->n ? k : freedom->joint;

    numbers[k] = list->n == 0 ? 0 : list->items[item].number * (freedom->kind == LINKAGE_SLIDE ? 1 : unit);
  }
  return true;
}
