/* kg-program: formulas as short lists of operations on numbers, for one point or for columns of points.
 *
 * A program is in single assignment: each operation makes one number from up to three that were made before it.  Vectors
 * and colours are three and four of them.  Building folds what is constant and finds what is computed twice; derivatives
 * are programs as well, made by the rules of differentiation, so they are exact and of any order.
 *
 * Inputs are columns (one number for each point) or uniform (one number for all points).  What depends on uniform inputs
 * alone is computed once; the rest runs over blocks of KG_PROGRAM_BLOCK points, in parallel.  One point is a block of one:
 * the same loops compute it, so the bits are the same however many points there are, and for any number of threads.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"

G_BEGIN_DECLS

#define KG_PROGRAM_BLOCK 256
#define KG_PROGRAM_MAX_INSTRUCTIONS 30000

/* (immutable, reference-counted) May be run by several threads at once. */
typedef struct _KgProgram KgProgram;

KgProgram *kg_program_ref (const KgProgram *program);
void kg_program_unref (KgProgram *program);

/* Numbers it takes and makes; a vector counts as three. */
guint kg_program_get_n_inputs (const KgProgram *program);
guint kg_program_get_n_results (const KgProgram *program);
/* Operations for each point, not counting those that are computed once. */
guint kg_program_get_n_operations (const KgProgram *program);
/* True if the result is the same whatever the input is. */
bool kg_program_ignores_input (const KgProgram *program, guint input);

/* (transfer full) (nullable) The program with more results: the derivatives of its results first ... first + n - 1 with
 * respect to that input, behind all others.  Where there is a jump or a corner, the derivative is that of one side.
 * KG_ERROR_LIMIT when it would have more than KG_PROGRAM_MAX_INSTRUCTIONS. */
KgProgram *kg_program_add_derivatives (const KgProgram *program, guint first, guint n, guint input, GError **error);

/* One point: a number for each input; a number for each result, not necessarily finite. */
void kg_program_call (const KgProgram *program, const double *inputs, double *results);

/* n points.  inputs: for each input n numbers, or one if the input is uniform.  results: for each n numbers, in memory
 * that is not among the inputs. */
void kg_program_run (const KgProgram *program, const double *const *inputs, size_t n, double *const *results);

/* The same operations on the same inputs. */
bool kg_program_equal (const KgProgram *a, const KgProgram *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgProgram, kg_program_unref)

G_END_DECLS
