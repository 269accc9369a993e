/* match_keys: which keys of one soft object become which of another, and what is between.
 *
 * Keys are points as soft_keys.h reads them, with axes or size; the integer attribute part, or the text path, tells limbs apart, which are
 * matched each with its own.  A key without a partner grows out of nothing, or shrinks to it.
 * Source: Wyvill, Metamorphosis of Implicit Surfaces, 1990, and the tutorial of 1988 that tells of cellular and of surface
 * in-betweening.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"
#include "kg-table.h"

G_BEGIN_DECLS

typedef enum {
  MATCH_CELLS,           /* keys in the same cell of the boxes around both models */
  MATCH_ORDER,           /* in the order they are in */
  MATCH_ID,              /* of the same attribute id */
  MATCH_SURFACE,         /* none: one model fades out while the other fades in */
  MATCH_TRANSPORT,       /* the force and volume of all keys of a part is carried the shortest way; keys may split */
  MATCH_HIERARCHY,       /* down the trees of parts, see part_tree.h; in their order in each part */
  MATCH_HIERARCHY_CELLS, /* in each part by cells */
  MATCH_BY_HAND,         /* as a table says */
  MATCH_N_METHODS
} MatchMethod;

typedef enum { MATCH_ZERO_FORCE, MATCH_ZERO_AXES, MATCH_ZERO_BOTH, MATCH_N_ZEROS } MatchZero;
typedef enum { MATCH_LINEAR, MATCH_SINE_COSINE, MATCH_GIVEN, MATCH_N_WEIGHTS } MatchWeights;
/* Axes turn; or their vectors are interpolated and made perpendicular again. */
typedef enum { MATCH_BY_ROTATION, MATCH_BY_VECTORS, MATCH_N_AXES } MatchAxes;

typedef struct {
  MatchMethod method;
  int64_t cells;        /* along each axis of a box, >= 1 */
  const KgTable *parts; /* (nullable) part, cells along x, y, z: for parts that differ */
  const KgTable
      *pairs; /* (nullable) of MATCH_BY_HAND: indices of the source and of the destination, NAN: none.  A key of
                           several rows is split evenly among them; one of none has no partner. */
  const KgTable
      *arcs; /* (nullable) part, x, y, z: how far the middle of the paths of its keys is from straight ones, metres */
  MatchZero zero;
  MatchWeights weights;  /* of MATCH_SURFACE */
  double fading, rising; /* with MATCH_GIVEN: factors of the forces of the source and of the destination */
  MatchAxes axes;
} MatchOptions;

/* Index -1: none on that side.  share: the part of the key's force, where it has several partners. */
typedef struct {
  int64_t source, destination;
  double source_share, destination_share;
  KgVector from, to; /* places at both ends */
  KgVector bow;      /* from the middle between them to that of the path */
} KeyPair;

/* Where it is between the ends: on a parabola, whose speed along the chord does not change. */
KgVector key_pair_get_place (const KeyPair *pair, double t);

/* What matching did in one part. */
typedef struct {
  int32_t part;
  size_t source, destination; /* keys */
  size_t matched;             /* pairs in cells with keys of both */
  size_t used;                /* cells with keys of either */
} PartMatch;

/* Nodes of the trees of parts on one level. */
typedef struct {
  size_t pairs; /* with those that have no partner */
  size_t growing, shrinking;
} LevelMatch;

typedef struct {
  GArray *pairs;    /* KeyPair */
  GArray *parts;    /* PartMatch, ascending */
  GArray *levels;   /* LevelMatch, of the trees of parts; empty with other methods */
  size_t crossings; /* pairs of keys of a part that pass each other on their way: how scrambled the keys between are */
} KeyMatch;

void key_match_clear (KeyMatch *match);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (KeyMatch, key_match_clear)

/* Fails with KG_ERROR_LIMIT where a cell holds too many keys, KG_ERROR_INVALID_VALUE (parts that hang on each other, pairs
 * of keys that do not exist), KG_ERROR_CANCELLED. */
bool match_keys (const KgGeometry *source, const KgGeometry *destination, const MatchOptions *options,
                 const KgProgressMonitor *monitor, KeyMatch *match, GError **error);

/* The keys between the two models: amount 0 is the source, 1 the destination.  (transfer full) (nullable) */
KgGeometry *match_keys_blend (const KgGeometry *source, const KgGeometry *destination, const MatchOptions *options,
                              const KeyMatch *match, double amount, GError **error);

G_END_DECLS
