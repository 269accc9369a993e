/* kineograph: the one header that a program using the library includes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-evaluate.h"
#include "kg-expression.h"
#include "kg-file.h"
#include "kg-preset-json.h"
#include "kg-preset-library.h"
#include "kg-preset-pack.h"
#include "kg-recorder.h"
#include "kg-script.h"
