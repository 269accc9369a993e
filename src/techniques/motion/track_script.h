/* track_script: movements written down: set and change statements on named objects, all at the same time.
 *
 * After ANIMA II (Hackathorn 1977; Parent, Computer Animation, 3.6.1).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-motion.h"

G_BEGIN_DECLS

typedef enum { TRACK_POSITION, TRACK_ROTATION, TRACK_SCALE, TRACK_VALUE, TRACK_N_PROPERTIES } TrackProperty;

/* What statements are about, by TrackProperty: the channels of an object are called object.suffix, and object where there is
 * one without a suffix. */
typedef struct {
  const char *property;
  guint n;
  const char *suffixes[3];
  double start; /* until something is said */
} TrackChannels;

extern const TrackChannels track_properties[TRACK_N_PROPERTIES];

/* The result of a text. */
typedef struct {
  KgMotion *motion;    /* over frames; angles in degrees */
  GPtrArray *warnings; /* char * */
  guint n_statements;
} TrackScript;

/* Errors name the line.  (transfer full) (nullable) */
TrackScript *track_script_new (const char *text, GError **error);
void track_script_free (TrackScript *script);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TrackScript, track_script_free)

G_END_DECLS
