/* deform/ffd: lets a lattice deform a geometry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"
#include "deform/lattice.h"

typedef struct {
  KgGeometry *geometry;
  const KgGeometry *lattice;
  int region;
  KgGeometry *deformed;
} Ffd;

enum { FFD_INSIDE, FFD_ALL, N_REGIONS };

static const KgChoice ffd_regions[] = {
  [FFD_INSIDE] = { "inside", N_ ("Only points inside the lattice") },
  [FFD_ALL] = { "all", N_ ("All points, extrapolated from the border") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (ffd_regions, N_REGIONS);

static bool
ffd_evaluate (Ffd *n, const KgContext *ctx, GError **error)
{
  g_autoptr (KgBuffer) shared = NULL;
  const float *from;
  Lattice lattice;
  float *to;

  (void) ctx;
  if (!lattice_read (n->lattice, &lattice, error))
    return false;
  kg_geometry_make_writable (&n->geometry);
  to = kg_geometry_rewrite_float (n->geometry, KG_POINTS, "P", &from, &shared);
  lattice_deform (&lattice, from, to, kg_geometry_get_n_points (n->geometry), n->region == FFD_INSIDE);
  if (kg_geometry_get_float (n->geometry, KG_POINTS, "N", 3) != NULL)
    kg_geometry_compute_normals (n->geometry);
  n->deformed = g_steal_pointer (&n->geometry);
  return true;
}

static const KgSlot ffd_slots[] = {
  KG_INPUT (Ffd, geometry, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The geometry to deform.")),
  KG_INPUT (Ffd, lattice, GEOMETRY, .label = N_ ("Lattice"),
            .help = N_ ("A lattice from FFD Lattice, with its points moved.")),
  KG_INPUT (Ffd, region, CHOICE, .label = N_ ("Region"), .choices = ffd_regions,
            .help = N_ ("What happens to points outside the lattice.")),
  KG_OUTPUT (Ffd, deformed, GEOMETRY, .label = N_ ("Geometry"), .help = N_ ("The deformed geometry.")),
};

KG_NODE (
    deform, ffd, Ffd, .label = N_ ("FFD"), .version = 2, .since = "0.1",
    .tags = N_ ("free form deformation lattice sederberg parry bend squash jelly cage"),
    .help = N_ (
        "Deforms a geometry as if it were embedded in a block of jelly: the control points of the lattice pull the jelly, and the geometry follows smoothly. An unchanged lattice does not deform anything."));
