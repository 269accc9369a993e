/* kg-program-private: how programs are built and what they are made of.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-program.h"

G_BEGIN_DECLS

typedef enum {
  KG_OPERATION_CONSTANT,
  KG_OPERATION_INPUT,
  /* of one number */
  KG_OPERATION_NEGATE,
  KG_OPERATION_NOT,
  KG_OPERATION_ABS,
  KG_OPERATION_ACOS,
  KG_OPERATION_ACOSH,
  KG_OPERATION_ASIN,
  KG_OPERATION_ASINH,
  KG_OPERATION_ATAN,
  KG_OPERATION_ATANH,
  KG_OPERATION_CBRT,
  KG_OPERATION_CEIL,
  KG_OPERATION_COS,
  KG_OPERATION_COSH,
  KG_OPERATION_EXP,
  KG_OPERATION_FLOOR,
  KG_OPERATION_FRACT,
  KG_OPERATION_LOG,
  KG_OPERATION_LOG10,
  KG_OPERATION_LOG2,
  KG_OPERATION_RANDOM,
  KG_OPERATION_RINT,
  KG_OPERATION_ROUND,
  KG_OPERATION_SIGN,
  KG_OPERATION_SIN,
  KG_OPERATION_SINH,
  KG_OPERATION_SQRT,
  KG_OPERATION_TAN,
  KG_OPERATION_TANH,
  KG_OPERATION_TRUNC,
  /* of two */
  KG_OPERATION_ADD,
  KG_OPERATION_SUBTRACT,
  KG_OPERATION_MULTIPLY,
  KG_OPERATION_DIVIDE,
  KG_OPERATION_LESS,
  KG_OPERATION_LESS_EQUAL,
  KG_OPERATION_EQUAL,
  KG_OPERATION_NOT_EQUAL,
  KG_OPERATION_AND,
  KG_OPERATION_OR,
  KG_OPERATION_MIN,
  KG_OPERATION_MAX,
  KG_OPERATION_ATAN2,
  KG_OPERATION_HYPOT,
  KG_OPERATION_MOD,
  KG_OPERATION_POW,
  /* of three */
  KG_OPERATION_SELECT, /* a != 0 ? b : c */
  KG_OPERATION_NOISE,  /* or a derivative of it */
  KG_N_OPERATIONS
} KgOperation;

/* Which of the operands of two is one number for all points. */
typedef enum { KG_FORM_COLUMNS, KG_FORM_UNIFORM_B, KG_FORM_UNIFORM_A } KgForm;

/* A number that is made: by operation from the numbers a, b, c. */
typedef struct {
  guint8 operation;
  guint8 unused;
  guint16 order; /* NOISE: how often along x, y, z: 4 bits each */
  guint32 a, b, c;
  double constant; /* CONSTANT; the index of an INPUT is a */
} KgMade;

/* The same for running; operands are places in the table of columns. */
typedef struct {
  guint8 operation;
  guint8 form;
  guint16 order;
  guint16 to, a, b, c;
} KgInstruction;

guint kg_operation_get_n_operands (KgOperation operation);
/* The loops: n numbers at columns[to] from those at columns[a] ... */
void kg_instructions_run (const KgInstruction *instructions, guint n_instructions, double *const *columns, size_t n);

/* Building. */

/* Most programs need no more than what is here. */
#define KG_BUILDER_SMALL 48

typedef struct {
  KgMade *made; /* the inputs first */
  guint n, n_allocated;
  guint16 *table;   /* of made, by hash: index + 1 */
  guint table_size; /* a power of two */
  guint n_inputs;
  bool full; /* more than KG_PROGRAM_MAX_INSTRUCTIONS: the rest was left out */
  KgMade few[KG_BUILDER_SMALL];
  guint16 few_in_table[128];
} KgBuilder;

void kg_builder_init (KgBuilder *builder, guint n_inputs);
void kg_builder_clear (KgBuilder *builder);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (KgBuilder, kg_builder_clear)

/* Indices of numbers. */
guint kg_build_constant (KgBuilder *builder, double value);
guint kg_build_input (KgBuilder *builder, guint index);
guint kg_build1 (KgBuilder *builder, KgOperation operation, guint a);
guint kg_build2 (KgBuilder *builder, KgOperation operation, guint a, guint b);
guint kg_build_select (KgBuilder *builder, guint condition, guint a, guint b);
guint kg_build_noise (KgBuilder *builder, guint order, guint x, guint y, guint z);

/* (transfer full) (nullable) columns: for each input whether it is one (nullable: none is). */
KgProgram *kg_builder_finish (const KgBuilder *builder, const bool *columns, const guint *results, guint n_results,
                              GError **error);

G_END_DECLS
