/* fuzz-state: any bytes may stand behind the head of a simulation's state, with a right sum at the end.  The first line is the
 * node type; what is read is a state that it could have kept.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-name.h"
#include "kg-state-file.h"
#include "kineograph.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static const KgNodeType *
find_simulation (const char *name)
{
  static GPtrArray *types, *names;

  if (types == NULL) {
    types = g_ptr_array_new ();
    names = g_ptr_array_new ();
    for (guint i = 0; kg_node_table[i] != NULL; i++)
      if (kg_node_table[i]->advance != NULL) {
        g_ptr_array_add (types, (gpointer) (gsize) kg_node_table[i]);
        g_ptr_array_add (names, (gpointer) (gsize) kg_node_table[i]->id);
      }
  }
  return (const KgNodeType *) g_ptr_array_index (types, choose_name (name, names));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const KgHash key = { 1, 2 };
  /* As kg-state-file.c writes it: magic, version, order of bytes. */
  static const struct {
    char magic[8];
    uint32_t version, order;
    KgHash key;
  } header = { "KGSTATE", 3, UINT32_C (0x01020304), { 1, 2 } };
  g_autofree char *name = take_name (&data, &size);
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autoptr (KgResult) state = NULL;
  const char *problem;
  KgHash sum;

  g_byte_array_append (file, (const guint8 *) &header, sizeof header);
  g_byte_array_append (file, data, (guint) size);
  sum = kg_hash_bytes (kg_hash_begin (KG_HASH_STATE_SUM, 0), file->data, file->len);
  g_byte_array_append (file, (const guint8 *) &sum, sizeof sum);
  state = kg_state_file_parse (file->data, file->len, key, find_simulation (name), &problem);
  for (guint i = 0; state != NULL && i < state->n; i++)
    g_assert_true (!state->present[i] || kg_value_check_finite (&state->values[i], NULL));
  return 0;
}
