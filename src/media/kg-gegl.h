/* kg-gegl: the operations of GEGL, which run in a program of their own (src/media/import/import-gegl.c).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-base.h"
#include "kg-image.h"
#include "kg-json.h"
#include "kg-progress.h"

G_BEGIN_DECLS

/* (transfer full) (nullable) What operations there are, an array of objects:
 *  - name ("gegl:gaussian-blur"), title, help, categories: texts, all but the name may lack;
 *  - pads: the names of the images that it takes, its own ("input") first; none: it makes images from nothing;
 *  - properties: objects with name, label, help, unit, kind ("number", "integer", "boolean", "choice", "color", "text"),
 *    default (a number; of a choice its index; of a colour four numbers of linear light, straight; a text), min, max,
 *    soft_min, soft_max where there is a limit, choices (objects with nick and label), multiline.
 * Takes about half a second.  Fails (KG_ERROR_UNKNOWN_TYPE) in a build without GEGL. */
KgJson *kg_gegl_list (GError **error);

/* An image for an operation. */
typedef struct {
  const char *pad;
  const KgImage *image;
} KgGeglImage;

/* Applies an operation with properties (an object, as kg_gegl_list describes them) to images, each centred on *frame, whose
 * pixels become those of the result: they may be not finite.  frame: given, not shared with others.  False without an error
 * when monitor (nullable) cancelled.  Any thread. */
bool kg_gegl_apply (const char *operation, const KgJson *properties, const KgGeglImage *images, guint n_images,
                    KgImage *frame, const KgProgressMonitor *monitor, GError **error);

G_END_DECLS
