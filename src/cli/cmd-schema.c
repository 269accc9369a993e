/* kineo schema: the JSON Schema of the file format with every node type.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"

#include <glib/gi18n.h>

static bool
print_piece (const char *text, gpointer data)
{
  CliStatus *status = (CliStatus *) data;

  *status = cli_print (text);
  return *status == CLI_DONE;
}

static CliStatus
schema_run (char ***arguments)
{
  CliStatus status = CLI_DONE;

  if (!cli_parse (&cli_schema, NULL, arguments, &status) || !cli_check_count (&cli_schema, *arguments, 0, 0, &status))
    return status;
  kg_schema_write (cli_get_types (), print_piece, &status);
  return status;
}

const CliCommand cli_schema = {
  .name = "schema",
  .arguments = "",
  .summary = N_ ("Print the JSON Schema of graph files"),
  .description = N_ ("For editors and programs that write graphs: JSON Schema, draft 2020-12, with all node types."),
  .run = schema_run,
};
