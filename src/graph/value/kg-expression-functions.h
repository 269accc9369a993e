/* kg-expression-functions: what an expression can call: one table for the parser, its messages and the compiler.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-program-private.h"

G_BEGIN_DECLS

/* A number (1), a vector (3) or a colour (4) while a program is built. */
typedef struct {
  guint width; /* 0: not known before the graph is */
  guint x[4];  /* of the builder */
} KgTyped;

typedef struct {
  const char *name;
  guint min, max;    /* number of arguments */
  const char *usage; /* "lerp (a, b, t)" */
  /* One of these.  The first three take numbers; of vectors and colours each component. */
  KgOperation operation;                                        /* of one or two */
  guint (*build) (KgBuilder *builder, const guint *x, guint n); /* of any number */
  /* For functions of vectors.  False: an argument has the wrong kind. */
  bool (*compile) (KgBuilder *builder, const KgTyped *arguments, guint n, KgTyped *result);
} KgFunction;

/* (nullable) name need not end with NUL. */
const KgFunction *kg_function_find (const char *name, size_t length);

/* The width of what is made of both, one component after the other: that of the other if one is a number or unknown.
 * False for a vector and a colour. */
bool kg_typed_join (guint a, guint b, guint *width);

G_END_DECLS
