/* kg-expression: the formulas that can feed an input, on muparser.
 *
 * Variables: t (seconds), frame, rate, start, end (frames), pi, e, and other slots of the same graph as
 * node.slot or node.slot.x (components x y z w r g b a).  Functions: those of muparser (trigonometry in
 * radians; sin, cos, tan, asin, acos, atan, atan2, sqrt, abs, exp, log, min, max, ...) and floor, ceil, mod,
 * noise (x) / noise (x, y) / noise (x, y, z), smoothstep (a, b, x), lerp (a, b, t), clamp (x, low, high),
 * fit (x, from_low, from_high, to_low, to_high), random (seed).  ?: and comparisons as in C.  Several results
 * are separated by commas: "cos (t), sin (t), 0" is a vector.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"

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

/* Parses completely (syntax, unknown functions and names without a dot are errors here): KG_ERROR_EXPRESSION
 * with a message that starts with "column N: ".  One object is for one thread.  (transfer full) (nullable) */
KgExpression *kg_expression_new (const char *text, GError **error);
typedef enum {
  KG_EXPRESSION_NAMES_BESIDE, /* besides what every expression knows, over which they win: those that it mentions */
  KG_EXPRESSION_NAMES_ONLY /* a formula of these variables: it knows neither the moment nor nodes, and has them all */
} KgExpressionNames;

/* The same with variables of names (nullable, NULL-terminated): references whose node is "" and whose slot is the name.
 * (transfer full) (nullable) */
KgExpression *kg_expression_new_with_names (const char *text, const char *const *names, KgExpressionNames kind,
                                            GError **error);
/* Evaluates a formula of names only: one value for each, in their order.  Results may be infinite or not numbers; false
 * where muparser cannot evaluate it at all. */
bool kg_expression_call (KgExpression *expression, const double *values, double *results);
/* (transfer full) For another thread. */
KgExpression *kg_expression_copy (const KgExpression *expression);
void kg_expression_free (KgExpression *expression);

guint kg_expression_get_n_results (const KgExpression *expression);
guint kg_expression_get_n_references (const KgExpression *expression);
const KgReference *kg_expression_get_reference (const KgExpression *expression, guint index);
/* True when it mentions t or frame. */
bool kg_expression_uses_time (const KgExpression *expression);

/* values: one number for each reference.  results: as many as it has.  A result that is not finite (a division
 * by zero, log of a negative number) is KG_ERROR_EXPRESSION. */
bool kg_expression_evaluate (KgExpression *expression, const KgMoment *moment, const double *values, double *results,
                             GError **error);

/* (transfer full) The text with every reference to slot of node (NULL: to any slot of it) changed to new_slot of
 * new_node; otherwise byte for byte. */
char *kg_expression_rename (const char *text, const char *node, const char *slot, const char *new_node,
                            const char *new_slot);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgExpression, kg_expression_free)

G_END_DECLS
