/* kg-gegl-private: what a node type of an operation of GEGL has besides its slots.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "image/generator.h"
#include "image/image_wear.h"
#include "kg-math.h"
#include "kg-type.h"

G_BEGIN_DECLS

#define GEGL_MAX_PADS 4

/* The jobs begin with one of these; the fields of the properties follow. */
typedef struct {
  IMAGE_FIELDS;
  const KgImage *others[GEGL_MAX_PADS];
} GeglFilter;

typedef struct {
  GENERATOR_FIELDS;
} GeglSource;

/* Of a slot that is a property: its name in GEGL. */
typedef struct {
  guint slot;
  char *name;
} GeglProperty;

typedef struct {
  KgNodeType type; /* first: a type is one of these */
  char *operation;
  char *pads[GEGL_MAX_PADS]; /* of the images that it takes */
  guint n_pads;
  GeglProperty *properties;
  guint n_properties;
} GeglType;

/* Evaluates both kinds. */
bool gegl_filter_evaluate (void *job, const KgContext *ctx, GError **error);
bool gegl_source_evaluate (void *job, const KgContext *ctx, GError **error);

G_END_DECLS
