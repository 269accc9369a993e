/* skin: what follows the points of a skeleton: which points these are, how they turn as a whole, and the field that
 * blends what each of them does.
 *
 * A point q of the object goes to
 *   q + (R - I) (q - pivot) + sum of w_i (q) e_i,   e_i = (r_i' - r_i) - (R - I) (r_i - pivot)
 * where r_i are the points of the skeleton at rest, r_i' where they are now, R the turn of the whole and w_i weights that
 * fall with the distance from r_i and sum to one.  So the pivot cancels, a skeleton that moves rigidly has e_i equal for
 * all i and takes the object along rigidly, and what is at r_i goes to r_i'.
 * Sources: Shepard 1968 (weights); Franke and Little 1980 (weights of a limited reach); van Overveld, skeleton-driven
 * deformation (turn).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-progress.h"
#include "kg-skeleton.h"

/* A skeleton as nodes here see it. */
typedef struct {
  size_t n;
  KgVector *rest, *posed;
  bool flat; /* all places have one z: it turns in the plane */
} SkinSkeleton;

/* From the joints where they are given, else from two geometries with the same points in the same order. */
bool skin_skeleton_read (SkinSkeleton *skeleton, const KgGeometry *rest, const KgGeometry *posed,
                         const KgSkeleton *joints, GError **error);
/* Some points of it; those are the numbers of existing ones. */
void skin_skeleton_pick (const SkinSkeleton *whole, const uint32_t *numbers, size_t n, SkinSkeleton *part);
void skin_skeleton_clear (SkinSkeleton *skeleton);
/* False: two points that coincide at rest and not in the pose. */
bool skin_skeleton_find_tear (const SkinSkeleton *skeleton, size_t *a, size_t *b);
/* False, with a warning to show, where there is nothing to follow, or points are at one place at rest and are not now. */
bool skin_skeleton_check (const SkinSkeleton *skeleton, GError **warning);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SkinSkeleton, skin_skeleton_clear)

typedef enum {
  SKIN_ROTATION_BEST,     /* least squares: Kabsch 1976 */
  SKIN_ROTATION_AVERAGE,  /* the mean of what each point turns about the centre */
  SKIN_ROTATION_REPEATED, /* the same, again for what is left, until nothing is */
  SKIN_ROTATION_NONE,
  SKIN_N_TURNS
} SkinRotation;

/* How the skeleton has turned about its centre (no translation).  *mirrored: the nearest motion would be a mirror image. */
KgTransform skin_find_rotation (const SkinSkeleton *skeleton, SkinRotation method, bool *mirrored);

typedef struct _SkinField SkinField;

/* power: of the distance, above 0; radius: how far points reach, 0 without a limit.  (transfer full) */
SkinField *skin_field_new (const SkinSkeleton *skeleton, const KgTransform *turn, double power, double radius);
void skin_field_free (SkinField *field);
/* How far n points move, in separate coordinates. */
void skin_field_sample (const SkinField *field, const float *x, const float *y, const float *z, size_t n,
                        float *const *out);
/* Moves n points (3 floats each) from from to to, which may be the same; or in place those with these n numbers.  Parallel;
 * the same bits for any number of threads.  False when monitor (nullable) says that it is cancelled. */
bool skin_field_deform (const SkinField *field, const float *from, float *to, size_t n,
                        const KgProgressMonitor *monitor);
bool skin_field_deform_some (const SkinField *field, float *points, const uint32_t *numbers, size_t n,
                             const KgProgressMonitor *monitor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SkinField, skin_field_free)
