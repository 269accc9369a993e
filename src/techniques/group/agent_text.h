/* agent_text: the text of an agent_program as statements; its expressions are compiled when all names are known.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "group/agent_program.h"

G_BEGIN_DECLS

#define AGENT_MAX_PROBLEMS 20

/* An expression with its place.  text: with a name in place of each question, as long as what was typed. */
typedef struct {
  const char *label;
  char *text, *typed;
  guint line;
} AgentPending;

/* What a name of an item stands for, once all are read. */
typedef struct {
  const char *label;
  char *name;
  guint line;
  int what;     /* AgentReference */
  guint holder; /* index of what it belongs to */
  guint place;
} AgentReference;

typedef struct {
  AgentProgram *program; /* that is filled */
  GArray *pending;       /* AgentPending, one for each expression */
  GArray *references;    /* AgentReference */
  GString *problems;
  guint n_problems;
  /* The line that is read: its next character and its end. */
  const char *label, *start, *at, *end;
  guint line;
} AgentReader;

void agent_reader_init (AgentReader *reader);
void agent_reader_clear (AgentReader *reader);
void agent_reader_read (AgentReader *reader, const char *text, const char *orders);
/* Whether an expression has the name. */
bool agent_reader_mentions (const AgentReader *reader, const char *name);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AgentReader, agent_reader_clear)

G_END_DECLS
