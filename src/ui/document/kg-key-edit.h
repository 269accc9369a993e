/* kg-key-edit: what the curve editor does to keys, as functions from a channel to a new channel.  Knows no widget and no
 * graph.
 *
 * Marks say what is selected: one byte for each key, bit c for component c.  A key is selected when any of its
 * components is.  Components of one key share its place, so that times always move together; values move by component.
 * Where marks are changed, they belong to the new channel afterwards.
 *
 * Channels in are keyed ones; channels out are (transfer full).  An edit that would leave the finite numbers gives the
 * channel as it was.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-channel.h"

G_BEGIN_DECLS

typedef enum {
  KG_KEY_TANGENTS_AUTO,
  KG_KEY_TANGENTS_ALIGNED,
  KG_KEY_TANGENTS_FREE,
  KG_KEY_TANGENTS_FLAT, /* aligned, with the slope 0 */
} KgKeyTangents;

typedef enum { KG_KEY_IN, KG_KEY_OUT } KgKeySide;

/* (transfer full) Marks of a channel without a selection, or with everything selected. */
GByteArray *kg_key_marks_new (const KgChannel *channel, bool all);
/* How many keys are selected. */
gsize kg_key_marks_count (const GByteArray *marks);

/* Moves the selected keys; snap: to whole frames, where the time changes at all.  A key that is not selected makes room
 * for one that arrives at its place.  Values of rotations stay: their four numbers depend on each other. */
KgChannel *kg_key_edit_move (const KgChannel *channel, GByteArray *marks, double time, double value, bool snap);
/* The same with key index landing exactly at a place. */
KgChannel *kg_key_edit_place (const KgChannel *channel, GByteArray *marks, gsize index, double at);
/* Sets the selected components. */
KgChannel *kg_key_edit_set_value (const KgChannel *channel, const GByteArray *marks, double value);

typedef struct {
  double time_pivot, time_factor;
  double value_pivot, value_factor;
} KgKeyScale;

/* Scales places and values about a pivot, handles with them.  A negative factor of the time turns the keys round. */
KgChannel *kg_key_edit_scale (const KgChannel *channel, GByteArray *marks, const KgKeyScale *scale, bool snap);

/* A new key, alone selected; at a place that has a key that one is selected.  The curve between the first and the last
 * key keeps its shape: Bezier and TCB spans are subdivided (TCB spans beside the new key become Bezier spans of the same
 * shape, because their tangents follow from the neighbours).  Spherical cubics of rotations keep it nearly. */
KgChannel *kg_key_edit_insert (const KgChannel *channel, GByteArray *marks, double at);
/* NULL when no key is left. */
KgChannel *kg_key_edit_delete (const KgChannel *channel, GByteArray *marks);

KgChannel *kg_key_edit_set_interpolation (const KgChannel *channel, const GByteArray *marks,
                                          KgInterpolation interpolation);
/* The tangents start from the slopes that the curve has.  Keys that do not lead on as Bezier do so afterwards, because
 * tangents mean nothing otherwise. */
KgChannel *kg_key_edit_set_tangents (const KgChannel *channel, const GByteArray *marks, KgKeyTangents tangents);
/* NAN keeps a number as it is. */
KgChannel *kg_key_edit_set_tcb (const KgChannel *channel, const GByteArray *marks, double tension, double continuity,
                                double bias);
KgChannel *kg_key_edit_set_extend (const KgChannel *channel, KgExtend before, KgExtend after);

/* The handle of a key in effect; false on a side that has no Bezier span. */
bool kg_key_edit_get_handle (const KgChannel *channel, gsize index, guint component, KgKeySide side, double *reach,
                             double *rise);
/* Drags a handle.  An automatic tangent becomes an aligned one; an aligned one turns its other side along. */
KgChannel *kg_key_edit_set_handle (const KgChannel *channel, gsize index, guint component, KgKeySide side, double reach,
                                   double rise);

/* Removes selected keys, the least important first, as long as no component leaves the original curve by more than
 * tolerance.  The first and the last key and steps stay. */
KgChannel *kg_key_edit_reduce (const KgChannel *channel, GByteArray *marks, double tolerance);
/* The largest difference between two channels of one width, looked for at the keys of both and steps places between
 * any two of them. */
double kg_key_edit_distance (const KgChannel *a, const KgChannel *b, guint steps);

G_END_DECLS
