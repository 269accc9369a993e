/* fuzz-preset: any bytes may be read as a preset.  What reads must write, and read again to the same text.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kg-preset-json.h"
#include "kineograph.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static KgTypes *types;
  g_autoptr (GPtrArray) problems = kg_problems_new ();
  KgPreset *preset;

  if (types == NULL)
    types = kg_types_new (kg_node_table);
  preset = kg_preset_parse (types, (const char *) data, (gssize) size, problems);
  g_assert_true ((preset == NULL) == (problems->len > 0));
  if (preset != NULL) {
    g_autofree char *text = kg_preset_to_text (preset);
    KgPreset *again = kg_preset_parse (types, text, -1, problems);
    g_autofree char *text_again = again != NULL ? kg_preset_to_text (again) : NULL;

    g_assert_cmpstr (text_again, ==, text);
    kg_preset_unref (again);
    kg_preset_unref (preset);
  }
  return 0;
}
