/* geometry/merge: several geometries as one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  KgList geometries;
  KgGeometry *geometry;
} Merge;

static bool
merge_evaluate (Merge *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  n->geometry = n->geometries.n > 0 ? kg_geometry_ref (n->geometries.items[0].geometry) : kg_geometry_new ();
  if (n->geometries.n > 1)
    kg_geometry_make_writable (&n->geometry);
  for (guint i = 1; i < n->geometries.n; i++)
    if (!kg_geometry_append (n->geometry, n->geometries.items[i].geometry, error))
      return false;
  return true;
}

static const KgSlot merge_slots[] = {
  KG_INPUTS (Merge, geometries, GEOMETRY, .label = N_ ("Geometries"), .optional = true,
             .help = N_ ("The geometries to merge, in order.")),
  KG_OUTPUT (Merge, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("All points and primitives.")),
};

KG_NODE (
    geometry, merge, Merge, .label = N_ ("Merge"), .version = 1, .since = "0.1",
    .tags = N_ ("join combine append group union"),
    .help = N_ (
        "Merges several geometries into one. Attributes that only some of them have are filled in: colours with white, all others with zero."));
