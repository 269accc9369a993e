/* kg-types: the names of everything, so that headers need not include each other.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-error.h"

#include <gio/gio.h>
#include <glib-object.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* The kinds of value that flow through a graph.  A choice travels as the text of its nick. */
typedef enum {
  KG_NUMBER,
  KG_INTEGER,
  KG_BOOLEAN,
  KG_TEXT,
  KG_CHOICE, /* only as the kind of a slot; the value is KG_TEXT */
  KG_VECTOR,
  KG_COLOR,
  KG_ROTATION,
  KG_TRANSFORM,
  KG_MOTION,
  KG_GEOMETRY,
  KG_SKELETON,
  KG_FIELD,
  KG_IMAGE,
  KG_SCENE,
  KG_ANY,  /* only as the kind of a slot that accepts every value */
  KG_LIST, /* only as the C type of a list input, see KG_INPUTS */
  KG_N_KINDS
} KgKind;

/* A 128-bit fingerprint; see kg-hash.h. */
typedef struct {
  uint64_t a, b;
} KgHash;

typedef struct _KgBuffer KgBuffer;
typedef struct _KgCache KgCache;
typedef struct _KgChannel KgChannel;
typedef struct _KgContext KgContext;
typedef struct _KgDemand KgDemand;
typedef struct _KgEvaluator KgEvaluator;
typedef struct _KgField KgField;
typedef struct _KgGeometry KgGeometry;
typedef struct _KgGraph KgGraph;
typedef struct _KgImage KgImage;
typedef struct _KgMotion KgMotion;
typedef struct _KgNode KgNode;
typedef struct _KgNodeType KgNodeType;
typedef struct _KgScene KgScene;
typedef struct _KgSkeleton KgSkeleton;
typedef struct _KgSlot KgSlot;
typedef struct _KgSource KgSource;
typedef struct _KgTypes KgTypes;
typedef struct _KgValue KgValue;

G_END_DECLS
