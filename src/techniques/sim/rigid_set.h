/* rigid_set: geometry read as rigid bodies.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "sim/rigid_body.h"

G_BEGIN_DECLS

/* Most bodies of a simulation. */
#define RIGID_MAX_BODIES 100000

/* What counts as one body. */
typedef enum {
  RIGID_BY_PIECE,     /* connected by shared points */
  RIGID_BY_PRIMITIVE, /* each polygon */
  RIGID_BY_GROUP,     /* all polygons with the same number in an attribute */
  RIGID_N_DIVISIONS
} RigidDivision;

/* What touches. */
typedef enum {
  RIGID_SHAPE_AUTO, /* a ball or box where it is one, plates of any outline, else convex parts; the faces of what does not
                         move and is not convex */
  RIGID_SHAPE_CONVEX, /* the convex hull */
  RIGID_SHAPE_BOX,    /* the box around it, along the axes of the world at rest */
  RIGID_SHAPE_BALL,   /* the smallest ball around it */
  RIGID_N_SHAPES
} RigidShape;

typedef struct {
  RigidDivision division;
  const char *group; /* name of the attribute */
  RigidShape shape;
  RigidKind kind; /* of bodies without attributes for it */
  double density; /* kg/m³, of bodies without the attribute mass or density */
  double thickness;
  guint parts; /* most convex parts of a body that moves and has dents; 1: its hull */
  double restitution, friction, friction_static;
  KgVector velocity, omega; /* of all moving bodies; added to what their attributes say */
} RigidOptions;

typedef struct {
  GArray *bodies;      /* RigidBody */
  GArray *parts;       /* RigidPart */
  GPtrArray *surfaces; /* RigidSurface */
  GPtrArray *warnings; /* GError */
  bool weak_hold;      /* one of them is about a static friction that is less than the friction */
  guint n_own;         /* bodies of the geometry; those of obstacles follow */
  int32_t *owners;     /* of each point of the geometry: its body, or -1 */
  int32_t *obstacle_owners;
  size_t n_points, n_obstacle_points;
} RigidSet;

RigidSet *rigid_set_new (void);
void rigid_set_free (RigidSet *set);

/* Adds the bodies of a geometry.  Of each the attributes mass (kg) or density, friction, friction_static, restitution, kind
 * (0 or moving, 1 or fixed, 2 or driven), v and spin (degrees a second) are those of its first primitive, else of its first
 * point, else of the whole.  False and *error: masses that are not above 0, bodies without size; the message names the body.
 * False without an error: cancelled. */
bool rigid_set_add_geometry (RigidSet *set, const KgGeometry *geometry, const RigidOptions *options,
                             const KgProgressMonitor *monitor, GError **error);
/* Adds a body for each point of points, which has the shape of all of a geometry, orient and width. */
bool rigid_set_add_copies (RigidSet *set, const KgGeometry *points, const KgGeometry *shape,
                           const RigidOptions *options, const KgProgressMonitor *monitor, GError **error);
/* Ends the bodies of the geometry: what is added from now on are obstacles. */
void rigid_set_begin_obstacles (RigidSet *set);

size_t rigid_set_get_bytes (const RigidSet *set);

static inline const RigidBody *
rigid_set_get_body (const RigidSet *set, guint i)
{
  return &g_array_index (set->bodies, RigidBody, i);
}

/* Cuts a polygon with holes, or several, into convex polygons (Hertel and Mehlhorn 1983).  rings: places in the plane, ends:
 * where each ring ends; a ring in a ring is a hole, one in that is a polygon again.  corners: (out) indices of places,
 * firsts: (out) where each polygon begins, and the end.  Returns how many; cancelled, of no use.  Takes a time that
 * grows with the square of the number of places. */
guint rigid_cut_convex (const double (*places)[2], const uint32_t *ends, guint n_rings, GArray *corners, GArray *firsts,
                        const KgProgressMonitor *monitor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RigidSet, rigid_set_free)

G_END_DECLS
