/* kg-expression: the formulas that can feed an input.
 *
 * Variables: t (seconds), frame, rate, start, end (frames), pi, e, true, false, and other slots of the same graph as
 * node.slot or node.slot.x (components x y z w r g b a).  Values are numbers, vectors of three and colours of four
 * components; what is true is 1, what is false 0.
 *
 * Operators, weakest first: ?: (groups to the right); || or; && and; not; < <= > >= == !=; + -; * /; the signs + - and !;
 * ^ (to the right).  They work on each component; a number goes with a vector as if it were three.  == and != of vectors
 * compare the whole.  [x, y, z] is a vector, [x, y] one in the plane, [r, g, b, a] a colour; a component of any value is
 * (value).x.  Several results are separated by commas: "cos (t), sin (t), 0" is a vector too.
 *
 * Functions (radians): abs acos acosh asin asinh atan atan2 (y, x) atanh cbrt ceil cos cosh degrees exp floor fract hypot
 * ln log log10 log2 mod (x, y; the sign is that of y) pow radians rint round sign sin sinh sqrt tan tanh trunc; min max
 * sum avg of any number; clamp (x, low, high), lerp or mix (a, b, t), step (edge, x), smoothstep (a, b, x), fit (x,
 * from_low, from_high, to_low, to_high), ramp (x, x0, y0, x1, y1, ...); random (seed), noise of one to three numbers or
 * a vector; vector (x, y, z), color (r, g, b, a), dot, cross, length, distance, normalize, angle.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-program.h"

G_BEGIN_DECLS

#define KG_EXPRESSION_MAX_LENGTH 4096 /* bytes of text */

typedef struct _KgExpression KgExpression;

/* A slot the expression reads.  Strings belong to the expression. */
typedef struct {
  const char *node;
  const char *slot;
  const char *component; /* (nullable) */
  guint column;          /* code point, from 1: of its first mention */
} KgReference;

/* What the expression may know of the moment. */
typedef struct {
  double time, frame, rate, start, end;
} KgMoment;

/* Parses completely (syntax, unknown functions and names without a dot are errors here, and what goes with what as far
 * as it is known without the graph): KG_ERROR_EXPRESSION with a message that starts with "column N: ".  One object is
 * for one thread.  (transfer full) (nullable) */
KgExpression *kg_expression_new (const char *text, GError **error);
typedef enum {
  KG_EXPRESSION_NAMES_BESIDE, /* besides what every expression knows, over which they win: those that it mentions */
  KG_EXPRESSION_NAMES_ONLY /* a formula of these variables: it knows neither the moment nor nodes, and has them all */
} KgExpressionNames;

/* The same with variables of names (nullable, NULL-terminated): references whose node is "" and whose slot is the name.
 * (transfer full) (nullable) */
KgExpression *kg_expression_new_with_names (const char *text, const char *const *names, KgExpressionNames kind,
                                            GError **error);
/* Whether a word is the name of a function. */
bool kg_expression_is_function (const char *word);
/* (transfer full) For another thread; what was compiled is shared. */
KgExpression *kg_expression_copy (const KgExpression *expression);
void kg_expression_free (KgExpression *expression);

/* Numbers that it makes: those of one vector count; a result that depends on what the graph has counts as one until it
 * is bound. */
guint kg_expression_get_n_results (const KgExpression *expression);
guint kg_expression_get_n_references (const KgExpression *expression);
const KgReference *kg_expression_get_reference (const KgExpression *expression, guint index);
/* True when it mentions t or frame. */
bool kg_expression_uses_time (const KgExpression *expression);

/* Says how wide the value of each reference is: 1, 3 (vector) or 4 (colour).  KG_ERROR_EXPRESSION if the expression
 * makes no sense with these. */
bool kg_expression_bind (KgExpression *expression, const guint *widths, GError **error);

/* values: for each reference as many numbers as it was bound to, or one.  results: as many as it has.  A result that is
 * not finite (a division by zero, log of a negative number) is KG_ERROR_EXPRESSION. */
bool kg_expression_evaluate (KgExpression *expression, const KgMoment *moment, const double *values, double *results,
                             GError **error);

/* A variable of a formula. */
typedef struct {
  const char *name;
  guint width;  /* 1, 3 or 4 */
  bool column;  /* of the program's inputs */
  guint shares; /* 0: it has inputs of its own; else 1 + the index of an earlier variable: it has those of that one and
                   of what comes next, as a position has x, y and z */
} KgFormulaVariable;

/* A formula of these variables only, with their components as inputs.  (transfer full) (nullable) */
KgProgram *kg_formula_compile (const char *text, const KgFormulaVariable *variables, guint n_variables, GError **error);

/* (transfer full) The text with every reference to slot of node (NULL: to any slot of it) changed to new_slot of
 * new_node; otherwise byte for byte. */
char *kg_expression_rename (const char *text, const char *node, const char *slot, const char *new_node,
                            const char *new_slot);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgExpression, kg_expression_free)

G_END_DECLS
