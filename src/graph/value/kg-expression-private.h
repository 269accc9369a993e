/* kg-expression-private: what the parser of expressions hands to their compiler.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-expression-functions.h"
#include "kg-expression.h"

G_BEGIN_DECLS

#define KG_EXPRESSION_MAX_RESULTS 64
/* The fixed variables, in the order of KgMoment: the first inputs of a program.  The references follow. */
#define KG_N_MOMENT 5

typedef enum { KG_OPERATOR_UNARY, KG_OPERATOR_CONDITION, KG_OPERATOR_PENDING, KG_OPERATOR_BINARY } KgOperatorKind;

/* An operator, and how strongly it binds. */
typedef struct {
  const char *text;
  KgOperatorKind kind;
  guint8 precedence;
  guint8 operation;
  bool swapped; /* a > b is b < a */
  bool flat;    /* of numbers only */
} KgOperator;

/* One step of the expression in postfix order. */
typedef enum {
  KG_STEP_NUMBER,
  KG_STEP_INPUT,
  KG_STEP_REFERENCE,
  KG_STEP_OPERATOR,
  KG_STEP_CALL,
  KG_STEP_LIST,
  KG_STEP_COMPONENT
} KgStepKind;

typedef struct {
  guint8 kind;
  char component;
  guint16 n;  /* arguments; INPUT, REFERENCE: its index */
  guint32 at; /* byte of the text */
  union {
    double number;
    const KgOperator *symbol;
    const KgFunction *function;
  };
} KgStep;

/* One of the results. */
typedef struct {
  guint start; /* byte of the text */
  guint end;   /* the number of steps at its end */
} KgParsedResult;

/* What was read.  (immutable, shared by copies) */
typedef struct {
  gatomicrefcount refs;
  char *text;
  GArray *references; /* KgReference, their strings owned */
  GArray *widths;     /* guint of each; 0: not known */
  GArray *steps;      /* KgStep */
  GArray *results;    /* KgParsedResult */
  guint n_results;    /* as far as it is known */
  bool closed;        /* no moment */
  bool uses_time;
  bool known; /* how wide every value is */
} KgParsed;

/* kg-expression-parse.c */

/* (transfer full) Nothing is read yet.  closed: the text can use the references that are added before it is read, and no
 * others. */
KgParsed *kg_parsed_new (const char *text, bool closed);
void kg_parsed_unref (KgParsed *parsed);
/* parts: node, slot, and a component or NULL.  width: 0 if it is not known.  Its index; that of the same one if it is there. */
guint kg_parsed_add_reference (KgParsed *parsed, const char *const *parts, guint width, guint column);
/* Reads the text.  names: (nullable) plain names that are references too. */
bool kg_parsed_read (KgParsed *parsed, const char *const *names, GError **error);
/* The column of a byte of the text, from 1. */
guint kg_text_get_column (const char *text, gsize at);

/* kg-expression-compile.c */

/* Checks what goes with what, and makes the program if all widths are known.  widths: of the references.  variables,
 * columns: (nullable) of a formula.  *n_results: numbers of the results. */
bool kg_parsed_compile (const KgParsed *parsed, const guint *widths, const KgFormulaVariable *variables,
                        const bool *columns, guint *n_results, KgProgram **program, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgParsed, kg_parsed_unref)

G_END_DECLS
