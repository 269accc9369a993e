/* body_assembly: a geometry read as rigid bodies that joints hold together.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"
#include "kg-table.h"
#include "sim/body_shape.h"

/* Most bodies of one assembly. */
#define BODY_ASSEMBLY_MAX 100000

/* What counts as one body. */
typedef enum {
  BODY_OF_PRIMITIVE, /* each line and polygon; where they share a point they are joined */
  BODY_OF_EDGE,      /* each edge of a line; likewise */
  BODY_OF_PIECE,     /* all that shared points connect */
  BODY_N_DIVISIONS
} BodyDivision;

/* At rest, in the places of the geometry. */
/* The columns of typed joints. */
extern const KgTableColumn body_assembly_joint_columns[];

typedef struct {
  double mass;
  KgVector center;
  SymmetricMatrix inertia; /* about the centre */
  BodyShape shape;         /* about the centre */
  GArray *points;          /* uint32_t: of the geometry, in the order of the shape's points */
  guint component;         /* the same for bodies that joints connect, directly or not */
} Body;

typedef struct {
  guint a, b;
  KgVector pin; /* at rest */
} BodyJoint;

/* Keeps the turn from u, which moves with the body a of a joint, to w, which moves with b, between two angles.  In the
 * plane turns to the left count as positive; in space they are 0 to pi. */
typedef struct {
  guint joint;
  KgVector u, w; /* unit, at rest */
  double low, high;
} BodyLimit;

typedef struct {
  BodyDivision division;
  bool plane;
  double mass; /* of bodies without one of their own */
  /* (nullable) rows of body_assembly_joint_columns: two bodies, the place, and perhaps two angles in degrees */
  const KgTable *joints;
  bool rings; /* joints that close a ring are allowed, and kept apart */
} BodyAssemblyOptions;

typedef struct {
  GArray *bodies; /* Body */
  GArray *joints; /* BodyJoint: a tree, or several */
  GArray *limits; /* BodyLimit, sorted by joint */
  GArray *rings;  /* BodyJoint: those beyond the trees */
  guint n_components;
} BodyAssembly;

/* Bodies have the mass of the primitive attribute mass where it is above 0 (pieces: the sum); hinges as skeleton_figure
 * reads them limit the joint at their middle point.  Fails on bodies without mass or size, on rings (the message names
 * them), on hinges between bodies that do not meet, and on limits that contradict each other (the message names both).
 * monitor: (nullable) may cancel it. */
bool body_assembly_read (BodyAssembly *assembly, const KgGeometry *geometry, const BodyAssemblyOptions *options,
                         const KgProgressMonitor *monitor, GError **error);
void body_assembly_clear (BodyAssembly *assembly);

/* The number of the first body that a point belongs to, or -1. (transfer full) */
int32_t *body_assembly_get_owners (const BodyAssembly *assembly, size_t n_points);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BodyAssembly, body_assembly_clear)
