/* arc_methods: the methods of measuring a curve, side by side: each says its length, its table, and what it cost.
 * Sources: Parent, Computer Animation, 3.2.1; Guenter and Parent 1990; Fritsch and Carlson 1980.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "curve/curve.h"

#define ARC_MAX_ORDER 100 /* points of a Gauss rule */

typedef enum {
  ARC_ADAPTIVE_GAUSS,
  ARC_GAUSS,
  ARC_SIMPSON,
  ARC_TRAPEZOID,
  ARC_TABLE,
  ARC_ADAPTIVE_TABLE,
  ARC_CLOSED_FORM,
  ARC_N_METHODS
} ArcMethod;

typedef enum { ARC_LINEAR, ARC_NEAREST, ARC_CUBIC, ARC_N_LOOKUPS } ArcLookup;

/* What to measure and how.  from and to are natural parameters of the curve. */
typedef struct {
  ArcMethod method;
  double from, to;
  double tolerance;  /* metres */
  guint entries;     /* intervals: table; for each piece: Simpson, trapezoid */
  guint supersample; /* chords for each entry of a table */
  guint order;       /* points of a Gauss rule */
  guint min_depth, max_depth;
  const KgProgressMonitor *monitor; /* (nullable) */
} ArcRequest;

/* Length s at the parameter u, entry by entry from (from, 0); both grow (s need not strictly). */
typedef struct {
  double *u, *s;
  guint n, capacity;
  double length;
  guint64 evaluations; /* of the curve or its derivative */
  bool substituted;    /* no closed form: adaptive Gauss instead */
  bool too_deep;       /* max_depth was reached */
} ArcTable;

/* from <= to.  False only where a request is senseless (tolerance 0); when cancelled, true with a table that ends early. */
bool arc_table_build (ArcTable *table, const Curve *curve, const ArcRequest *request, GError **error);
/* From numbers u, s in turns.  (typed by a user) */
bool arc_table_read (ArcTable *table, const double *numbers, guint n, GError **error);
void arc_table_clear (ArcTable *table);

/* Length at u and parameter at s, both clamped to the table. */
double arc_table_length (const ArcTable *table, double u, ArcLookup lookup);
double arc_table_parameter (const ArcTable *table, double s, ArcLookup lookup);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ArcTable, arc_table_clear)
