/* kg-json: a strict reader of JSON that keeps the position of every value, and a writer whose output is stable.
 * Ours because messages need line and column, duplicate names must be refused, and numbers must be written
 * in the shortest form that reads back to the same bits; the usual libraries offer none of the three.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

G_BEGIN_DECLS

#define KG_JSON_MAX_BYTES ((gsize) 256 << 20) /* longest text */
#define KG_JSON_MAX_DEPTH 512                 /* deepest nesting */
#define KG_JSON_MAX_VALUES ((gsize) 4000000)  /* most values of one text */
#define KG_JSON_MAX_STRING ((gsize) 16 << 20) /* longest string, bytes */
#define KG_JSON_MAX_NAME ((gsize) 4096)       /* longest name in an object, bytes */
#define KG_JSON_MAX_DIGITS ((gsize) 4096)     /* longest number, characters */
#define KG_JSON_MAX_PROBLEMS 1000             /* most problems that are told of one text */

typedef enum {
  KG_JSON_NULL,
  KG_JSON_FALSE,
  KG_JSON_TRUE,
  KG_JSON_NUMBER,
  KG_JSON_STRING,
  KG_JSON_ARRAY,
  KG_JSON_OBJECT
} KgJsonKind;

typedef struct _KgJson KgJson;

/* A value.  Children belong to their parent.  Plain data: read it freely, build it with the functions below. */
struct _KgJson {
  KgJsonKind kind;
  guint line, column; /* from 1; 0 for values that were not read; column counts code points */
  bool is_wrong;      /* stands in for what could not be read: that was told, and no more is told of it */
  bool is_repeated;   /* while reading: its name was there before */
  union {
    double number;
    char *string;
    struct {
      guint n;
      KgJson **items;
      char **names; /* objects only */
    };
  };
};

/* One thing that is wrong with a text. */
typedef struct {
  guint line, column; /* 0 when not known */
  char *pointer;      /* RFC 6901, "" for the whole */
  char *message;
} KgProblem;

/* (element-type KgProblem) (transfer full) An array that frees its problems. */
GPtrArray *kg_problems_new (void);
/* where: (nullable) */
void kg_problems_add (GPtrArray *problems, const KgJson *where, const char *pointer, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
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
/* (transfer full) Deep copy, positions kept. */
KgJson *kg_json_copy (const KgJson *json);

KgJson *kg_json_new (KgJsonKind kind);
KgJson *kg_json_new_number (double number);
KgJson *kg_json_new_string (const char *string);
/* Both take the child. */
void kg_json_append (KgJson *array, KgJson *item);
void kg_json_set (KgJson *object, const char *name, KgJson *item);
/* Nothing happens where there is none. */
void kg_json_remove (KgJson *object, const char *name);
/* (nullable) */
const KgJson *kg_json_get (const KgJson *object, const char *name);
const char *kg_json_kind_name (KgJsonKind kind); /* "an object", "a number" ... for messages */

/* Appends in one line: ", " and ": " between, shortest numbers. */
void kg_json_write (const KgJson *json, GString *out);
/* Appends a quoted string with the escapes JSON demands, nothing more. */
void kg_json_write_string (const char *string, GString *out);
/* Appends the shortest decimal that reads back to the same double ("0.1", "1e+300", "5"). */
void kg_json_write_number (double number, GString *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (KgJson, kg_json_free)

G_END_DECLS
