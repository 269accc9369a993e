/* actor_world: objects that react to messages: states, methods, messages, queries.
 *
 * After ASAS (Reynolds 1982; Parent, Computer Animation, 3.6.4).  The state of an actor is the fold of all messages up to
 * a time, in the order of their times; so it is a function of the text and the frame, whichever way the frame was reached.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"
#include "kg-motion.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* All that happens up to a frame.  Read only once it is made, but for the count of queries that an answer takes. */
typedef struct _ActorWorld ActorWorld;

/* Reads the definitions and messages of two texts and delivers the messages up to the frame until, at most
 * max_messages.  Errors name text and line; NULL without one when monitor (nullable) says that it is cancelled.
 * (transfer full) (nullable) */
ActorWorld *actor_world_new (const char *text, const char *messages, double until, guint max_messages,
                             const KgProgressMonitor *monitor, GError **error);
void actor_world_free (ActorWorld *world);
/* Memory it takes, for memos. */
size_t actor_world_get_bytes (const ActorWorld *world);

/* What is not as it was perhaps meant: char *.  (transfer none) */
const GPtrArray *actor_world_get_warnings (const ActorWorld *world);
guint actor_world_get_n_delivered (const ActorWorld *world);
/* The messages delivered, one a line: the frame, the actor, the method, its arguments. */
const char *actor_world_get_log (const ActorWorld *world);
/* A channel actor.state for each state, over frames.  (transfer none) */
KgMotion *actor_world_get_motion (const ActorWorld *world);
/* A point for each actor at a frame, with its states as attributes; x, y and z move it, turn is its tangent, r, g and b its
 * colour.  (out) (transfer full), also when it fails */
bool actor_world_make_geometry (const ActorWorld *world, double frame, KgGeometry **geometry, GError **error);
/* query: actor.state or actor.query. */
bool actor_world_query (ActorWorld *world, const char *query, double frame, double *value, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ActorWorld, actor_world_free)

G_END_DECLS
