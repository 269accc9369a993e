/* kg-exr-private: what reading and writing OpenEXR share, in two programs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-error.h"

#include <OpenEXR/openexr.h>
#include <string.h>

/* The attribute that holds the comment of an image. */
#define KG_EXR_COMMENT "kineograph"

static inline bool
kg_exr_check (exr_result_t code, GError **error)
{
  if (code == EXR_ERR_SUCCESS)
    return true;
  kg_set_error (error, code == EXR_ERR_FILE_ACCESS || code == EXR_ERR_WRITE_IO ? KG_ERROR_IO : KG_ERROR_INVALID_FILE,
                "OpenEXR: %s", exr_get_default_error_message (code));
  return false;
}

/* The library would print its messages; ours come from the result codes. */
static inline void
kg_exr_ignore_message (exr_const_context_t context, exr_result_t code, const char *message)
{
  (void) context;
  (void) code;
  (void) message;
}

static inline void
kg_exr_init_context (exr_context_initializer_t *init)
{
  const exr_context_initializer_t defaults = EXR_DEFAULT_CONTEXT_INITIALIZER;

  *init = defaults;
  init->error_handler_fn = kg_exr_ignore_message;
}

/* Where the numbers of a channel are in our memory: offset within R G B A, -1 for depth, -2 for other channels. */
static inline int
kg_exr_find_channel (const char *name)
{
  static const char *const names[] = { "R", "G", "B", "A" };

  for (int i = 0; i < 4; i++)
    if (strcmp (name, names[i]) == 0)
      return i;
  return strcmp (name, "Z") == 0 ? -1 : -2;
}
