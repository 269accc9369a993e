/* kg-types: the kinds of values and their names, so that headers need not include each other.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"

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
  KG_TABLE,
  KG_SOUND,
  KG_ANY,  /* only as the kind of a slot that accepts every value */
  KG_LIST, /* only as the C type of a list input, see KG_INPUTS */
  KG_N_KINDS
} KgKind;

typedef struct _KgChannel KgChannel;
typedef struct _KgField KgField;
typedef struct _KgGeometry KgGeometry;
typedef struct _KgImage KgImage;
typedef struct _KgMotion KgMotion;
typedef struct _KgScene KgScene;
typedef struct _KgSkeleton KgSkeleton;
typedef struct _KgSound KgSound;
typedef struct _KgTable KgTable;
typedef struct _KgValue KgValue;

G_END_DECLS
