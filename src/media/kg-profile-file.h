/* kg-profile-file: ICC profiles in files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* ICC's rendering intents, in its order. */
typedef enum {
  KG_INTENT_PERCEPTUAL,
  KG_INTENT_RELATIVE,
  KG_INTENT_SATURATION,
  KG_INTENT_ABSOLUTE,
  KG_N_INTENTS
} KgIntent;

typedef struct {
  bool is_table; /* size³ entries of 3 numbers; else 3 curves of size numbers, and a matrix of 9 */
  guint size;
  GBytes *numbers; /* owned: floats, all finite */
} KgProfileFile;

/* What the profile says: of the way from its colours to linear light, or back.  See image/color_profile.h for the numbers.  intent
 * counts for tables.  *profile is to be cleared.  KG_ERROR_INVALID_VALUE where the program was built without Little CMS. */
bool kg_profile_load (const char *path, bool to_device, KgIntent intent, const KgProgressMonitor *monitor,
                      KgProfileFile *profile, GError **error);
void kg_profile_clear (KgProfileFile *profile);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (KgProfileFile, kg_profile_clear)

G_END_DECLS
