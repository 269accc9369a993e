/* relations: equations between named numbers, solved for whatever is not known.
 *
 * Rows, one a line or separated by semicolons: "left = right", in any order; a relation holds in all directions.  First what is
 * known propagates: a relation in which one unknown is left, and mentioned once, gives it.  What remains hangs together in
 * cycles: linear ones are solved exactly, others by damped steps of Gauss and Newton from the start values on (least squares
 * where there are too many relations, the nearest solution where there are too few).
 * Sources: Sutherland, Sketchpad, 1963; Borning, ThingLab, 1979; Leler, Constraint Programming Languages, 1988.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-expression.h"
#include "kg-progress.h"

G_BEGIN_DECLS

#define RELATIONS_MAX 200       /* relations */
#define RELATIONS_MAX_NAMES 200 /* names */
#define RELATIONS_NUMBERS 4     /* a to d, in the values of known and start rows */

typedef enum {
  RELATIONS_AUTO,      /* propagates, then solves cycles */
  RELATIONS_PROPAGATE, /* only propagates */
  RELATIONS_SEIDEL,    /* cycles one variable at a time (Sutherland's relaxation) */
  RELATIONS_N_METHODS
} RelationsMethod;

typedef struct _Relations Relations;

/* KG_ERROR_EXPRESSION or KG_ERROR_INVALID_VALUE that begin with the line.  (transfer full) (nullable) */
Relations *relations_new (const char *rows, GError **error);
void relations_free (Relations *relations);
guint relations_get_n_names (const Relations *relations);
const char *relations_get_name (const Relations *relations, guint index);
/* -1: it is in no relation. */
int relations_find (const Relations *relations, const char *name);

/* Reads rows "name = value" with formulas of the numbers a to d; given: which names have one.  Names that are in no relation
 * are an error. */
bool relations_read_values (const Relations *relations, const char *rows, const double *numbers, double *values,
                            bool *given, GError **error);

typedef struct {
  GString *order;     /* what was solved when, a line each */
  GString *free;      /* names that nothing determines, separated by blanks */
  GString *conflicts; /* lines that contradict others, a line each */
  double residual;    /* largest |left - right| */
  guint passes;       /* of cycles, all together */
  bool solved;
} RelationsReport;

void relations_report_clear (RelationsReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RelationsReport, relations_report_clear)

/* values: the known ones, and for all others where to start; on return all.  False when it is cancelled. */
bool relations_solve (const Relations *relations, const bool *known, RelationsMethod method, guint max_passes,
                      double *values, RelationsReport *report, const KgProgressMonitor *monitor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Relations, relations_free)

G_END_DECLS
