/* quaternion_path: smooth curves through, or guided by, a series of orientations.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"
#include "kg-progress.h"
#include "rotation/quaternion.h"

typedef enum {
  QUATERNION_PATH_SLERP,     /* straight from key to key: jerks at keys */
  QUATERNION_PATH_BEZIER,    /* through the keys, with handles found by doubling and bisecting (Shoemake 1985) */
  QUATERNION_PATH_CASTELJAU, /* the keys are the control points of one curve, of which it meets the first and last */
} QuaternionPathKind;

/* Most control points of one curve by de Casteljau's construction. */
#define QUATERNION_PATH_MAX_CONTROLS 256

typedef struct _QuaternionPath QuaternionPath;

/* n keys (at least one) at increasing times (nullable: evenly from 0 to 1).  shortest: signs are changed so that each key
 * is near the one before; else they are taken as they are.  reach: how far along the arc to the found control points the
 * handles stand; 1/3 is the usual.  Fails on times that do not increase, naming the key.  (transfer full) (nullable) */
QuaternionPath *quaternion_path_new (const KgRotation *keys, const double *times, gsize n, QuaternionPathKind kind,
                                     bool shortest, double reach, GError **error);
void quaternion_path_free (QuaternionPath *path);

gsize quaternion_path_get_n_keys (const QuaternionPath *path);
KgRotation quaternion_path_get_key (const QuaternionPath *path, gsize key, double *time);
/* The handles before and after a key (Bezier); the key itself elsewhere, and where it stops. */
void quaternion_path_get_handles (const QuaternionPath *path, gsize key, KgRotation *before, KgRotation *after);
/* Keys at which no direction can be found, because the next key is the exact opposite of the mirrored last one. */
gsize quaternion_path_get_n_stops (const QuaternionPath *path, gsize *first);

/* time is clamped.  depth 0: by slerps.  Else each span is seen at multiples of 1 / 2^depth (the nearest is taken), by
 * additions and square roots alone. */
KgRotation quaternion_path_evaluate (const QuaternionPath *path, double time, guint depth);
/* n orientations at even times from the first to the last, in parallel.  False when monitor (nullable) says that it is
 * cancelled. */
bool quaternion_path_sample (const QuaternionPath *path, guint depth, gsize n, KgRotation *samples,
                             const KgProgressMonitor *monitor);

/* Spherical de Casteljau: the straight steps of the construction replaced by slerps.  1 to
 * QUATERNION_PATH_MAX_CONTROLS points. */
KgRotation quaternion_casteljau (const KgRotation *controls, gsize n, double u);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (QuaternionPath, quaternion_path_free)
