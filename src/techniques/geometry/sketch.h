/* sketch: geometric relations between points of a drawing, and the drawing that meets them with the least change.
 *
 * Steps of Gauss and Newton, each the shortest that meets the relations to first order, so that what they leave open stays
 * where it is drawn.  A dragged point then
 * goes as near to its goal as the relations allow, by steps along them that are corrected back.  The rank of all relations says how much freedom is left, and which of them repeat or fight others.
 * Sources: Sutherland, Sketchpad, 1963; Light and Gossard 1982.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-progress.h"

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

#define SKETCH_MAX_POINTS 500
#define SKETCH_MAX_RELATIONS 500

typedef enum {
  SKETCH_FIX,        /* P x y */
  SKETCH_COINCIDE,   /* P Q */
  SKETCH_HORIZONTAL, /* P Q */
  SKETCH_VERTICAL,
  SKETCH_DISTANCE,      /* P Q d */
  SKETCH_PARALLEL,      /* P Q R S: lines P Q and R S */
  SKETCH_PERPENDICULAR, /* P Q R S */
  SKETCH_EQUAL,         /* P Q R S: as long */
  SKETCH_ANGLE,         /* P Q R S degrees, from P Q to R S */
  SKETCH_ON,            /* P Q R: P on the line Q R */
  SKETCH_MIDDLE,        /* P Q R: P in the middle of Q and R */
  SKETCH_SYMMETRIC,     /* P Q R S: P and Q mirror each other in the line R S */
  SKETCH_TANGENT,       /* P Q C r: the line P Q touches the circle about C */
  SKETCH_N_KINDS
} SketchKind;

typedef struct {
  SketchKind kind;
  guint points[4];
  double values[2]; /* metres, radians */
  bool drawn;       /* fixed where it is drawn */
  guint line;       /* of the text, from 1 */
} SketchRelation;

/* Reads relations, one per line: the word and indices of points, from 0, and numbers, which may be the letters a to d.  "fix P"
 * holds a point where it is drawn.  Errors name the line.  (transfer full) (nullable) SketchRelation */
GArray *sketch_read (const char *text, guint n_points, const double numbers[4], GError **error);

typedef struct {
  int freedoms;       /* that are left */
  double residual;    /* largest error: metres, or a sine */
  GString *conflicts; /* relations that fight others, a line each */
  GString *repeated;  /* relations that follow from others, a line each */
  bool solved;
  guint iterations;
} SketchReport;

void sketch_report_clear (SketchReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SketchReport, sketch_report_clear)

/* points: x, y of each, moved.  dragged: index of a point that goes as near to the goal as the relations allow, or -1; goal:
 * (nullable) where there is none.  False when it is cancelled. */
bool sketch_solve (const GArray *relations, double *points, guint n_points, int dragged, const double goal[2],
                   SketchReport *report, const KgProgressMonitor *monitor);

G_END_DECLS
