/* edges: choices of filters, and of what operations that read beyond the edges of an image may find there.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/resample.h"
#include "kg-node.h"

G_GNUC_UNUSED static const KgChoice image_edges[] = {
  [RESAMPLE_TRANSPARENT] = { "transparent", N_ ("Transparent") },
  [RESAMPLE_EXTEND] = { "extend", N_ ("Extend: repeat the edge pixels") },
  [RESAMPLE_REPEAT] = { "repeat", N_ ("Repeat: tile") },
  [RESAMPLE_MIRROR] = { "mirror", N_ ("Mirror: tile with mirror images") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (image_edges, RESAMPLE_N_EDGES);

/* How operations that read between the pixels of an image do it. */
G_GNUC_UNUSED static const KgChoice image_filters[] = {
  [RESAMPLE_NEAREST] = { "nearest", N_ ("Nearest: hard pixels") },
  [RESAMPLE_BILINEAR] = { "bilinear", N_ ("Bilinear: smooth") },
  [RESAMPLE_BICUBIC] = { "bicubic", N_ ("Bicubic (Catmull-Rom): smooth and sharp") },
  [RESAMPLE_MITCHELL] = { "mitchell", N_ ("Mitchell: between sharp and soft") },
  [RESAMPLE_BSPLINE] = { "bspline", N_ ("B-spline: soft, without rings") },
  [RESAMPLE_LANCZOS] = { "lanczos", N_ ("Lanczos: the sharpest") },
  KG_CHOICES_END,
};
KG_CHOICES_MATCH (image_filters, RESAMPLE_N_FILTERS);
