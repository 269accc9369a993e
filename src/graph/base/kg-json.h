/* kg-json: JSON by json-c, and the little that json-c lacks.
 *
 * json-c parses (its tokener builds the tree), keeps (a KgJson is a json_object) and frees.  Ours is
 *  - a scanner that goes over a text ahead of json-c and keeps no values.  It refuses what json-c accepts (duplicate names,
 *    halves of surrogate pairs, texts beyond the limits) and says in words, line and column what is wrong, where json-c
 *    knows a number and an offset.  It hands the text over piece by piece, so that the tree stays small;
 *  - finding the line and column of a value by a second run over the text, once its problems are known;
 *  - the layout of what is written: json-c has none with ", " and ": " between and no blanks within brackets, it escapes
 *    "/", \b, \f and \r in other ways, and writes numbers as they were read.
 *
 * A null is the number NaN, which no text can contain: json-c's null is the pointer NULL, which could not be distinguished from a
 * member that does not exist.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

G_BEGIN_DECLS

#define KG_JSON_MAX_BYTES ((gsize) 256 << 20) /* longest text */
#define KG_JSON_MAX_DEPTH 512                 /* deepest nesting */
/* Most values of one text.  A node of a graph has 13 on the average and 200 bytes: that many nodes as a graph may have are
 * within both limits. */
#define KG_JSON_MAX_VALUES ((gsize) 20000000)
#define KG_JSON_MAX_STRING ((gsize) 16 << 20) /* longest string, bytes */
#define KG_JSON_MAX_NAME ((gsize) 4096)       /* longest name in an object, bytes */
#define KG_JSON_MAX_DIGITS ((gsize) 4096)     /* longest number, characters */
#define KG_JSON_MAX_PROBLEMS 1000             /* most problems reported for one text */

typedef enum {
  KG_JSON_NULL,
  KG_JSON_FALSE,
  KG_JSON_TRUE,
  KG_JSON_NUMBER,
  KG_JSON_STRING,
  KG_JSON_ARRAY,
  KG_JSON_OBJECT
} KgJsonKind;

/* A value of json-c.  Several threads may read one by the functions below; json-c's own writer and references are for
 * one thread at a time. */
typedef struct json_object KgJson;

/* One thing that is wrong with a text. */
typedef struct {
  guint line, column; /* 0 when not known */
  char *pointer;      /* RFC 6901, "" for the whole */
  char *message;
  KgJson *where; /* (nullable) the value, until kg_problems_locate */
} KgProblem;

/* (element-type KgProblem) (transfer full) An array that frees its problems. */
GPtrArray *kg_problems_new (void);
/* where: (nullable) of a number that could not be read nothing more is reported. */
void kg_problems_add (GPtrArray *problems, const KgJson *where, const char *pointer, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* line: 0 when not known. */
void kg_problems_add_at (GPtrArray *problems, guint line, guint column, const char *pointer, const char *format, ...)
    G_GNUC_PRINTF (5, 6);
/* Gives problems with values of json, which was read from the text, their line and column: one run for all of them. */
void kg_problems_locate (GPtrArray *problems, const KgJson *json, const char *text, gssize length);
/* (transfer full) Lines "file:line:column: /pointer: message"; file "-" prints as "standard input". */
char *kg_problems_to_text (GPtrArray *problems, const char *file);

/* Strict RFC 8259: UTF-8 without BOM, no trailing commas or comments, no duplicate names, finite numbers.
 * length -1 for NUL-terminated text.  Returns NULL and at least one problem when the text is not JSON or
 * beyond a limit; never uses the C stack in proportion to the depth.  (transfer full) (nullable) */
KgJson *kg_json_parse (const char *text, gssize length, GPtrArray *problems);
/* The same, but where the text can be followed nevertheless, its value is returned beside the problems, for the caller to
 * look for more: of a name that occurs twice the first value, and 0 for a number that is none.  (transfer full) (nullable) */
KgJson *kg_json_parse_on (const char *text, gssize length, GPtrArray *problems);
void kg_json_free (KgJson *json);
/* (transfer full) Deep copy. */
KgJson *kg_json_copy (const KgJson *json);
/* (transfer full) The same value once more, whose place can be found: within one thread. */
KgJson *kg_json_ref (const KgJson *json);

KgJson *kg_json_new (KgJsonKind kind);
KgJson *kg_json_new_number (double number);
KgJson *kg_json_new_string (const char *string);
/* Both take the child. */
void kg_json_append (KgJson *array, KgJson *item);
void kg_json_set (KgJson *object, const char *name, KgJson *item);
/* Does nothing if there is none. */
void kg_json_remove (KgJson *object, const char *name);

KgJsonKind kg_json_get_kind (const KgJson *json);
bool kg_json_is (const KgJson *json, KgJsonKind kind); /* json: (nullable) */
const char *kg_json_kind_name (KgJsonKind kind);       /* "an object", "a number" ... for messages */
double kg_json_get_number (const KgJson *json);        /* 0: not a number */
bool kg_json_is_wrong (const KgJson *json);            /* a number that could not be read: that was reported */
const char *kg_json_get_string (const KgJson *json);   /* (nullable) of a string */
guint kg_json_get_n (const KgJson *json);              /* items of an array, members of an object */
const KgJson *kg_json_get_item (const KgJson *array, guint index);
/* (nullable) The member of that name. */
const KgJson *kg_json_get (const KgJson *object, const char *name);

/* The members of an object in their order:
 * for (KgJsonIter member = kg_json_iterate (object); kg_json_next (&member);) ... member.name, member.value */
typedef struct {
  const char *name;
  const KgJson *value;
  const void *next;
} KgJsonIter;

KgJsonIter kg_json_iterate (const KgJson *object); /* anything else has no members */
bool kg_json_next (KgJsonIter *iter);

/* Appends in one line: ", " and ": " between, shortest numbers. */
void kg_json_write (const KgJson *json, GString *out);
/* Appends a quoted string with the escapes JSON demands, nothing more. */
void kg_json_write_string (const char *string, GString *out);
/* Appends the shortest decimal that reads back to the same double ("0.1", "1e+300", "5"). */
void kg_json_write_number (double number, GString *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgJson, kg_json_free)

G_END_DECLS
