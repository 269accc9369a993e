/* kg-motion: named channels over time, as one value that travels on wires as a function.
 * One channel over [0, 1] is an ease curve.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-channel.h"

G_BEGIN_DECLS

/* (transfer full) No channels yet. */
KgMotion *kg_motion_new (void);
/* (transfer full) A motion of one channel called name; takes the channel. */
KgMotion *kg_motion_new_take (const char *name, KgChannel *channel);
KgMotion *kg_motion_ref (const KgMotion *motion);
void kg_motion_unref (KgMotion *motion);

guint kg_motion_get_n_channels (const KgMotion *motion);
const KgChannel *kg_motion_get_channel (const KgMotion *motion, guint index);
const char *kg_motion_get_name (const KgMotion *motion, guint index);
/* (nullable) */
const KgChannel *kg_motion_find (const KgMotion *motion, const char *name);
/* Adds, or replaces the channel of that name; takes the channel. */
void kg_motion_take_channel (KgMotion *motion, const char *name, KgChannel *channel);
/* The first component of the first channel, or fallback when there is none: how an ease is read. */
double kg_motion_evaluate (const KgMotion *motion, double at, double fallback);

bool kg_motion_equal (const KgMotion *a, const KgMotion *b);
size_t kg_motion_get_bytes (const KgMotion *motion);
KgHash kg_motion_get_fingerprint (const KgMotion *motion);
void kg_motion_set_fingerprint (KgMotion *motion, KgHash fingerprint);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgMotion, kg_motion_unref)

G_END_DECLS
