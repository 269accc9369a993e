/* value/table: rows of numbers in one place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-node.h"

typedef struct {
  const KgTable *value;
  KgTable *output;
} Table;

static bool
table_evaluate (Table *n, const KgContext *ctx, GError **error)
{
  (void) ctx;
  (void) error;
  n->output = kg_table_ref (n->value);
  return true;
}

static const KgSlot table_slots[] = {
  KG_INPUT (Table, value, TABLE, .label = N_ ("Value"), .def_text = "0 0 0",
            .help = N_ ("Table to output: rows of numbers, each row with as many numbers as the first. Type blanks or "
                        "commas between numbers, and new lines or semicolons between rows. A first row of words names "
                        "the columns.")),
  KG_OUTPUT (Table, output, TABLE, .label = N_ ("Output"), .help = N_ ("The table, for any number of inputs.")),
};

KG_NODE (
    value, table, Table, .label = N_ ("Table"), .version = 1, .since = "0.1", .role = KG_ROLE_CONSTANT,
    .tags = N_ ("constant rows columns matrix points knots weights data spreadsheet"),
    .help = N_ ("Holds rows of numbers with the full precision of the program: points, weights, a matrix, measured "
                "data. Type them here once, and link them wherever they are needed. An input that expects named "
                "columns finds them by name, or by position in a table without names."));
