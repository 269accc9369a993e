/* kg-preset-private: the inside of a definition, for those who make one.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-preset.h"

struct _KgPreset {
  KgDefinition definition; /* what types and nodes hold a reference to */
  KgJson *json;
  char *id, *path;
  guint version, depth;
  guint64 size;
  KgGraph *graph;
  GPtrArray *published; /* KgPublished */
  KgNodeType type;
};

/* (transfer full) Without nodes and published slots, which the caller adds; takes json. */
KgPreset *kg_preset_new (KgJson *json, const char *id, guint version);
/* Works out the type and the sizes of the definition, when all nodes are there: it is immutable from then on. */
void kg_preset_complete (KgPreset *preset);
void kg_preset_set_path (KgPreset *preset, const char *path);
