/* kg-number: how numbers are typed and shown, wherever that is.
 *
 * One rule, whatever the country is: numbers are shown with a point, as in files and expressions.  A comma between digits is
 * read as one where a single number is wanted, since many keyboards have no other key for it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-type.h"

G_BEGIN_DECLS

/* Works out text as a number: arithmetic too, with the unit behind it or not.  False when it is none; *is_expression when
 * it is a formula all the same.  Shares are typed and shown as per cent: 0.5 is "50 %". */
bool kg_number_parse (const char *text, KgUnit unit, double *value, bool *is_expression, GError **error);
/* What is shown for 1: 100 where shares are per cent. */
double kg_number_get_factor (KgUnit unit);
/* Reads a finite number, nothing else.  *decimals (optional): how many digits are behind the point; -1 without one. */
bool kg_number_read (const char *text, double *value, int *decimals);
/* (transfer full) At most six digits, no zeros at the end. */
char *kg_number_format (double value, bool integer);
/* (transfer full) The same with the unit behind it. */
char *kg_number_format_unit (double value, KgUnit unit, bool integer);
/* (transfer full) At most so many digits. */
char *kg_number_format_digits (double value, int digits);
/* (transfer full) As files have it: as many digits as it takes to be the same number again. */
char *kg_number_format_exact (double value);

/* (transfer full) A duration for people: "2.8 ms", "2.82 s", "3 min 20 s". */
char *kg_number_format_duration (double seconds);

G_END_DECLS
