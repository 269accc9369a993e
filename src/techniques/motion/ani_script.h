/* ani_script: Ani, a language of movement: how far each part turns and moves, from when to when, and how.
 *
 *   spin|rotate OBJECT x|y|z ANGLE WHEN     an increment in degrees
 *   move OBJECT X Y Z WHEN                  a place
 *   scale OBJECT X Y Z WHEN                 factors
 *   set OBJECT CHANNEL VALUE WHEN           any number
 *   own CHILD by OWNER FRAME [ease FRAMES]  who carries it; world: nobody
 *   cue NAME FRAME                          a name for a frame
 *   WHEN = FRAME, or FRAME..FRAME [steady|smooth|slowin|slowout [CUT]]
 *
 * spin turns about the origin of the object and always acts first; rotate turns about the origin of the owner and move places:
 * those of the same verb that follow each other are one run, and runs act in the order of the script,
 * T = Q_k ... Q_1 S.  Source: Wyvill, tutorial of 1988, the script of the falling man; it shows the verbs and does not define
 * them, so that runs are our reading, which reproduces its comments.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-motion.h"
#include "motion/ani_timing.h"

G_BEGIN_DECLS

typedef struct _AniScript AniScript;

/* What cannot be read is a problem, and the rest is read.  KG_ERROR_LIMIT when it is too long.  (transfer full) (nullable) */
AniScript *ani_script_new (const char *text, AniProfile profile, GError **error);
void ani_script_free (AniScript *script);

/* NAME.spin.x, NAME.1.move.y ... (runs are counted from 1), NAME.scale.x, NAME.CHANNEL over frames; and NAME.tx to NAME.rz,
 * the place and the angles in degrees, at every frame of the script. */
KgMotion *ani_script_get_motion (const AniScript *script);
guint ani_script_get_n_statements (const AniScript *script);
/* Of the text and in it: "line 3, column 7: ...". */
const GPtrArray *ani_script_get_problems (const AniScript *script);
const GPtrArray *ani_script_get_warnings (const AniScript *script);
size_t ani_script_get_bytes (const AniScript *script);

/* -1 when no statement mentions it; "": the first. */
int ani_script_find (const AniScript *script, const char *name);
const char *ani_script_get_name (const AniScript *script, guint object);
guint ani_script_get_n_objects (const AniScript *script);
/* -1: nobody. */
int ani_script_get_owner (const AniScript *script, guint object, double frame);
/* Relative to its owner. */
KgTransform ani_script_get_local (const AniScript *script, guint object, double frame);
/* With its owners. */
KgTransform ani_script_get_world (const AniScript *script, guint object, double frame);
/* Of its place in the world per frame, exactly; from the right where a statement begins, ends or jumps. */
KgVector ani_script_get_velocity (const AniScript *script, guint object, double frame);
/* What it is made of where no run turns it: the sums of its spins, and its scale.  False where a run does. */
bool ani_script_get_parts (const AniScript *script, guint object, double frame, KgVector *spin, KgVector *scale);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AniScript, ani_script_free)

G_END_DECLS
