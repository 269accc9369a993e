/* edges: what operations that read beyond the edges of an image may find there.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/resample.h"
#include "kg-node.h"

static const KgChoice picture_edges[] = {
  [RESAMPLE_TRANSPARENT] = { "transparent", N_ ("Transparent") },
  [RESAMPLE_EXTEND] = { "extend", N_ ("Extend: repeat the edge pixels") },
  [RESAMPLE_REPEAT] = { "repeat", N_ ("Repeat: tile") },
  [RESAMPLE_MIRROR] = { "mirror", N_ ("Mirror: tile with mirror images") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (picture_edges, RESAMPLE_N_EDGES);
