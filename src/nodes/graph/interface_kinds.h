/* interface_kinds: what the interface nodes of a sub-graph can carry.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-node.h"

/* The nicks are the names of the kinds (kg_kind_get_name), which is how the core reads them. */
static const KgChoice interface_kinds[] = {
  { "any", N_ ("Anything") },      { "number", N_ ("Number") },     { "integer", N_ ("Integer") },
  { "boolean", N_ ("Yes or no") }, { "text", N_ ("Text") },         { "vector", N_ ("Vector") },
  { "color", N_ ("Colour") },      { "rotation", N_ ("Rotation") }, { "transform", N_ ("Transform") },
  { "motion", N_ ("Motion") },     { "geometry", N_ ("Geometry") }, { "skeleton", N_ ("Skeleton") },
  { "field", N_ ("Field") },       { "image", N_ ("Image") },       { "scene", N_ ("Scene") },
  { "table", N_ ("Table") },       { "sound", N_ ("Sound") },       KG_CHOICES_END,
};
KG_CHOICES_MATCH (interface_kinds, KG_N_KINDS - 2);
