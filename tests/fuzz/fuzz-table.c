/* fuzz-table: any bytes may be read as a table of numbers.  The first byte is the style.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "motion/columns.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const guint bits = size > 0 ? data[0] : 0;
  const ColumnsStyle style = { (ColumnsSeparator) (bits % COLUMNS_N_SEPARATORS), bits >> 5 & 1, bits >> 6 & 1 };
  g_autofree char *text = size > 0 ? g_strndup ((const char *) data + 1, size - 1) : g_strdup ("");
  g_autoptr (GError) error = NULL;
  g_autoptr (Columns) columns = columns_read (text, strlen (text), &style, NULL, &error);

  g_assert_true ((columns == NULL) == (error != NULL));
  if (columns != NULL) {
    g_assert_cmpuint (columns->numbers->len, ==, columns->names->len * columns->lines->len);
    for (guint i = 0; i < columns->numbers->len; i++)
      g_assert_true (isfinite (g_array_index (columns->numbers, double, i)) || style.gaps);
  }
  return 0;
}
