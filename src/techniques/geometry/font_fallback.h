/* geometry/font_fallback: says so when a text is not in the font that was asked for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"

#include <pango/pango.h>

/* Warns when none of the families of a font is there, with the one that is used instead.  Names that stand for whatever the
 * system has for them ("Sans") are there. */
void kg_font_warn_of_fallback (PangoContext *context, const PangoFontDescription *font, const KgContext *ctx);
