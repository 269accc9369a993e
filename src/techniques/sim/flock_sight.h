/* flock_sight: which other members a member of a flock sees.
 *
 * Seen are the k nearest ones within a radius and a cone about the heading, cos(angle) >= cos(φ/2), that nothing hides.  With the
 * speed v the radius grows, R = R₀ (1 + g v / v₀), and the cone narrows so that the volume stays: cos(φ/2) = 1 - (1 - cos(φ₀/2))(R₀/R)³.
 * Weights are 1 / l^p, or the angle 2 asin(r / l) that the other one covers.
 * Sources: Parent, Computer Animation, 4.5.2; Reynolds 1987; Ballerini et al. 2008 (six to seven neighbours).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/point_tree.h"
#include "kg-math.h"

G_BEGIN_DECLS

/* Most members that a member attends to at a time, also for keeping apart. */
#define FLOCK_ATTENTION 64

typedef enum { FLOCK_WEIGHT_POWER, FLOCK_WEIGHT_ANGLE, FLOCK_N_WEIGHTS } FlockWeight;

typedef struct {
  double radius, angle; /* metres; radians, of the whole cone */
  double growth;        /* g */
  double cruise;        /* v₀, m/s */
  size_t neighbours;    /* 0: all that are seen */
  FlockWeight weight;
  double power;
  double least_angle;     /* radians; of weights by angle: smaller ones are not seen */
  bool behind;            /* whom to keep apart from: also those that are not seen */
  double apart;           /* within this distance, metres; 0: nobody */
  bool hidden_by_members; /* whoever is behind a nearer, larger one is not seen */
} FlockSight;

/* Members at one moment. */
typedef struct {
  size_t n;
  const float *p, *v;   /* 3 floats each; v: of those who look */
  const float *heading; /* unit, 3 floats each, of those who look */
  const float *width;   /* diameter */
  const float *eyes;    /* (nullable) from where each looks: p, unless p are the places of some time ago */
  const float
      *normal; /* (nullable) unit, or 0, 3 floats each: who looks stands on a ground, and what is seen lies on it */
} FlockMoment;

/* The way d to another member as one that stands on a ground with a normal (unit, or 0: none) has it: as far, and in the plane
 * that touches the ground. */
static inline KgVector
flock_lay_down (KgVector normal, KgVector d)
{
  const KgVector along = kg_vector_add_scaled (d, -kg_vector_dot (d, normal), normal);
  const double length = kg_vector_length (along);

  return length > 1e-9 ? kg_vector_scale (along, kg_vector_length (d) / length) : d;
}

/* Another member. */
typedef struct {
  float distance2; /* the square of the distance */
  uint32_t index;
  uint32_t place; /* in flock_look_get_order */
} FlockNear;

typedef struct {
  FlockNear *items;
  guint n, room;
} FlockNears;

/* False: something between two members hides them from each other. */
typedef bool (*FlockSees) (gconstpointer data, uint32_t from, uint32_t to);

/* Where to look for members: made for a moment. */
typedef struct _FlockLook FlockLook;

/* all: by comparing each with each, to check the rest.  sees: (nullable).  NULL: cancelled.  (transfer full) */
FlockLook *flock_look_new (const FlockMoment *moment, const FlockSight *sight, bool all, FlockSees sees,
                           gconstpointer data, const KgProgressMonitor *monitor);
void flock_look_free (FlockLook *look);
/* An order in which members that are near each other are: who looks in it finds what the one before found. */
const uint32_t *flock_look_get_order (const FlockLook *look);

/* So many steps of rings of cells are kept for the next one of the same cell. */
#define FLOCK_RINGS 4

/* One that may be seen.  The key is in the order of distances, then of indices. */
typedef struct {
  uint64_t key;
  uint32_t at; /* in the batch */
} FlockCandidate;

/* What one member sees: begin with zeros, and clear it when all are done. */
typedef struct {
  FlockNears seen;  /* nearest first */
  FlockNears close; /* those to keep apart from, nearest first */
  /* Around the cell of the last one that looked. */
  const FlockLook *look;
  int64_t cell[3];
  int64_t gathered; /* steps of rings that are there */
  PointBatch rings[FLOCK_RINGS], far;
  float *distance2;
  uint32_t *near; /* indices of the batch within the range that probably suffices */
  FlockCandidate *sorted;
  size_t room;
  float range2, close_range2; /* within which the one before found all */
} FlockSeen;

void flock_seen_clear (FlockSeen *seen);
void flock_look_at (const FlockLook *look, uint32_t member, FlockSeen *seen);

/* The radius and the cosine of half the cone at a speed. */
void flock_sight_narrow (const FlockSight *sight, double speed, double *radius, double *cosine);
double flock_sight_weigh (const FlockSight *sight, double distance, double width);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FlockLook, flock_look_free)

G_END_DECLS
