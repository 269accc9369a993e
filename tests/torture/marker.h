/* marker: by which the preloaded library says to the supervisor that the program begins: prctl (KG_MARKER).
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#define KG_MARKER 0x4b474d4bu
