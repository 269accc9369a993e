/* soft_contact: which of several bodies press against each other, where, how hard, and what shape they take.
 *
 * Bodies are found by their surfaces in a lattice of cells; where two overlap, the border g_i = g_j within both is the contact
 * surface.  The bulge of a body around it is a part of the greatest compression, or as high as its volume needs to stay.
 * Source: Gascuel 1993, as contact_field.h; volume: bisection on the height of the bulge.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-field.h"
#include "kg-geometry.h"
#include "kg-progress.h"
#include "kg-table.h"

G_BEGIN_DECLS

/* Most bodies. */
#define SOFT_CONTACT_MAX 64
/* Most of the height of a bulge, as a part of the greatest compression. */
#define SOFT_CONTACT_MAX_BULGE 5

typedef struct {
  double time;          /* seconds */
  double width;         /* of the region that bulges, metres */
  double bulge;         /* its height as a part of the greatest compression */
  bool keep_volume;     /* takes the bulge that keeps the volume of each body instead */
  double cell;          /* metres */
  size_t limit;         /* most cells of one body */
  const KgTable *pairs; /* (nullable) pairs of indices of the bodies that press each other; none: all do */
} SoftContactOptions;

typedef struct {
  GPtrArray *fields;    /* KgField: the bodies as they are pressed */
  GArray *bulges;       /* double: of each body */
  GArray *rest_volumes; /* double: of each body alone */
  KgGeometry *contacts; /* the contact surfaces: see soft_contact_solve */
  guint n_pairs;        /* that touch */
  double area;
  guint n_short; /* bodies whose volume the largest bulge does not keep */
  guint n_lost;  /* pairs that are inside of each other without a border: one body is where the other is */
  guint lost[2]; /* the first of these */
} SoftContact;

void soft_contact_free (SoftContact *contact);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SoftContact, soft_contact_free)

/* Contacts are triangles, whose points have N (the outward normal of body a), pressure (the compression g), depth (of the
 * overlap, metres: the ways along the normals out of both bodies), area (m²: the point's share), a and b (indices, a < b).
 * KG_ERROR_INVALID_VALUE (a field without bounds), KG_ERROR_LIMIT, KG_ERROR_CANCELLED.  (transfer full) (nullable) */
SoftContact *soft_contact_solve (const KgField *const *fields, guint n, const SoftContactOptions *options,
                                 const KgProgressMonitor *monitor, GError **error);

/* How deep n places are inside a body.  depths: (out) the way along the normal to the surface, exact or as the slope of the field
 * suggests (g/|∇F|, as always outside, where it is negative; -1e6 out of its reach); normals: (out) 3 numbers each, outwards, 0
 * where there is none. */
void soft_contact_probe (const KgField *field, const float *places, size_t n, double time, bool exact, float *depths,
                         float *normals);

G_END_DECLS
