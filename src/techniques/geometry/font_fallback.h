/* font_fallback: whether a text is in the font that was asked for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-error.h"

#include <pango/pango.h>
#include <stdbool.h>

/* False, with a warning that names the family that is used instead, when none of the families of a font is there.  Names
 * that stand for whatever the system has for them ("Sans") are there. */
bool font_fallback_check (PangoContext *context, const PangoFontDescription *font, GError **warning);
