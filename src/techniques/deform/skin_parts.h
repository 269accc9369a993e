/* skin_parts: which part of an object follows which points of a skeleton, read from text.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-geometry.h"

/* Most parts of one object. */
#define SKIN_PARTS_MAX 4096

typedef struct {
  char *name;
  uint32_t *bones;  /* numbers of points of the skeleton */
  size_t n_bones;   /* 0: all of them */
  uint32_t *points; /* of the object, growing */
  size_t n_points;
} SkinPart;

/* Rows "group: numbers"; see the node for what they mean.  No point is in two parts.  (transfer full) (nullable)
 * (element-type SkinPart) */
GPtrArray *skin_parts_read (const char *text, const KgGeometry *object, size_t n_bones, GError **error);
