/* kg-expression-functions: what an expression can call.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-types.h"

G_BEGIN_DECLS

typedef struct {
  const char *name;
  guint min, max;    /* number of arguments */
  const char *usage; /* "lerp (a, b, t)" */
  union {
    double (*one) (double);
    double (*two) (double, double);
    double (*three) (double, double, double);
    double (*five) (double, double, double, double, double);
    double (*many) (const double *, int);
  } call;
} KgFunction;

/* (nullable) name need not end with NUL. */
const KgFunction *kg_function_find (const char *name, size_t length);
/* Makes them known to a muparser handle. */
void kg_functions_define (void *parser);

G_END_DECLS
