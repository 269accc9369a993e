/* agent_words: the words that statements of agents are made of: names, numbers, expressions and motors, and errors with the place
 * where they are.  For agent_text and agent_program.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "group/agent_text.h"

G_BEGIN_DECLS

/* Of AgentReference. */
enum { TO_STATE, IN_STATE, DOING_BEHAVIOUR, INHIBITS_BEHAVIOUR, BE_BEHAVIOUR, DO_ACTION, STATE_DO_ACTION, PLAN_ACTION };

/* Errors.  The first is for those without a place in the text; the others are always false.  at: where in the line it is. */
void agent_report (AgentReader *reader, const char *format, ...) G_GNUC_PRINTF (2, 3);
bool agent_fail (AgentReader *reader, const char *at, const char *format, ...) G_GNUC_PRINTF (3, 4);
bool agent_fail_twice (AgentReader *reader, const char *name);

/* Whether a name may go on with this letter. */
bool agent_is_name_part (char c);
/* Words.  They are read from reader->at on, behind blanks; what is taken is passed. */
void agent_skip_blanks (AgentReader *reader);
/* Whether the whole word stands there. */
bool agent_at_word (const AgentReader *reader, const char *at, const char *word);
/* False if something else comes. */
bool agent_take_word (AgentReader *reader, const char *word);
bool agent_take_sign (AgentReader *reader, char sign);
/* (transfer full) (nullable) NULL and an error that names what is missing. */
char *agent_take_name (AgentReader *reader, const char *what);
/* False, with an error, if the line goes on. */
bool agent_expect_end (AgentReader *reader);

/* Names.  The index of a name or an item of the program, which is added if it is new; of the latter -1 and an error when there
 * are too many. */
guint agent_find_or_add (GPtrArray *names, const char *name);
int agent_find_or_add_kind (AgentReader *reader, const char *name, const char *at);
int agent_find_fact (AgentReader *reader, const char *name);
int agent_find_scent (AgentReader *reader, const char *name);
/* Notes that an item of the program names another, which may come later in the text. */
void agent_refer (AgentReader *reader, const char *name, int what, guint holder, guint place);

/* An expression up to one of the words (or ",") in stops, an array that ends with NULL, or the end of the line: its index among
 * the pending ones, -1 after an error. */
int agent_take_expression (AgentReader *reader, const char *const *stops);
/* How many conditions are joined by "and" or "&&". */
guint agent_count_terms (const char *from, const char *to);
/* NAME = EXPR, NAME = EXPR ...: the first of its assignments in the program, and how many they are. */
bool agent_take_assignments (AgentReader *reader, const char *const *stops, guint *first, guint *n);
/* plan GOAL, an action, or motors.  what, holder: for the reference to an action. */
bool agent_take_act (AgentReader *reader, const char *const *stops, AgentDo *act, int what, guint holder);

G_END_DECLS
