/* joint_list: a skeleton written as lines, a joint a line.
 *
 *   name parent kind x y z [about x|y|z] [limits low high] [rest rx ry rz] [mass kg] [center x y z] [tensor xx yy zz [xy xz yz]]
 *
 * The parent is the name of an earlier joint, or - for a root; x y z is where the joint sits in its parent's axes (metres); rest
 * are its angles there (degrees, about x, then y, then z).  Limits are degrees, or metres of a slider, and may be given once for
 * each freedom.  Everything after # is a remark.
 * Source: Parent, Computer Animation, 4.1.1 (kinds of joints, and their degrees of freedom).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-skeleton.h"

G_BEGIN_DECLS

/* (transfer full) (nullable) Fails with the number of the line, the word and the remedy. */
KgSkeleton *joint_list_read (const char *text, GError **error);

G_END_DECLS
