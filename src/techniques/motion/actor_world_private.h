/* actor_world_private: what reading, running and showing actors share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "motion/actor_world.h"
#include "motion/track_text.h"

G_BEGIN_DECLS

#define ACTOR_MAX_COUNT 100000
#define ACTOR_MAX_ARGUMENTS 16
#define ACTOR_MAX_DEPTH 64 /* queries that ask queries, conditions in conditions */

/* A name and where its lines, or its expression, are. */
typedef struct {
  char *name;
  TrackReader where;
  GPtrArray *parameters; /* of methods: char * */
} ActorMember;

/* All actors of one definition. */
typedef struct {
  char *name;
  guint count;                           /* 0: one, called as written; else copies, numbered from 1 */
  guint first;                           /* of its actors */
  GPtrArray *states, *methods, *queries; /* ActorMember */
  TrackReader at;
  bool has_at;
} ActorKind;

/* What a state does since a message: from one value to another. */
typedef struct {
  double start, length, from, to;
  TrackEase ease;
} ActorCourse;

typedef struct {
  char *name;
  const ActorKind *kind;
  guint index; /* from 1 among its copies */
  KgVector at;
  ActorCourse *states;
  GArray **pieces; /* TrackPiece, of each state: courses that are over */
  double *starts;
} Actor;

typedef struct {
  double time;
  guint64 order;
  guint target;
  guint sender; /* G_MAXUINT: the script */
  char *method;
  guint n_arguments;
  double arguments[ACTOR_MAX_ARGUMENTS];
  gint64 cause;      /* the message that it answers, or -1 */
  guint depth;       /* causes at its own time */
  guint rounds;      /* how many of them were at the method where landmark is */
  gint64 landmark;   /* one of them, the older the deeper this is; -1: none */
  const char *label; /* where it was sent */
  guint line;
} ActorMessage;

struct _ActorWorld {
  char *texts[2]; /* copies: readers point into them */
  GPtrArray *kinds;
  GHashTable *kind_by_name, *actor_by_name; /* ActorKind; index of the actor + 1 */
  GPtrArray *actors;
  GHashTable *variables; /* name -> double * */
  GHashTable *known;     /* a set of all names that expressions may have */
  GPtrArray *names;      /* the same, NULL-terminated */
  GPtrArray *sent;       /* ActorMessage, all that were made */
  GSequence *waiting;    /* ActorMessage, borrowed, by time */
  GPtrArray *warnings;
  GString *log;
  KgMotion *motion; /* once all is done */
  guint delivered;
  guint asked; /* queries, since the question that is being answered */
  double until;
  guint max_messages;
};

/* What is known while a message is worked on, or a query. */
typedef struct {
  ActorWorld *world;
  guint self, sender;
  const ActorMember *method;
  const ActorMessage *message;
  double time;
  guint depth;
} ActorMoment;

void actor_member_free (gpointer data);
/* Defines a name for expressions. */
void actor_world_define_name (ActorWorld *world, const char *name);
/* Its index among ActorMember, or -1. */
int actor_find_member (const GPtrArray *members, const char *name);
/* The value of a state at a frame. */
double actor_world_get_state (const ActorWorld *world, const Actor *actor, guint state, double time);
const Actor *actor_world_get_actor (const ActorWorld *world, guint index);
/* For expressions: a name by itself, and one of an actor (owner.name).  data: an ActorMoment. */
bool actor_world_look_up (gpointer data, const char *name, double *value, GError **error);
bool actor_world_query_by_name (gpointer data, const char *owner, const char *name, double *value, GError **error);
/* What follows send: ACTOR METHOD [ARGUMENT...] [after FRAMES]. */
bool actor_world_read_send (const ActorMoment *moment, TrackReader *reader, double time, gint64 cause, GError **error);
/* Keeps what a state did up to a frame as a piece of its motion. */
void actor_end_course (Actor *actor, guint state, double time);
/* Runs the method that a message is for. */
bool actor_world_deliver (ActorWorld *world, const ActorMessage *message, GError **error);
/* Definitions, and (in a second pass, when all actors are there) messages of the script. */
bool actor_script_read (ActorWorld *world, const char *label, const char *text, bool messages, GError **error);

G_END_DECLS
