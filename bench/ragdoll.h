/* bench/ragdoll: a person of 16 boxes and 15 ball joints, arms stretched out, that hangs by one hand.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#define RAGDOLL_BODIES 16
#define RAGDOLL_JOINTS 15
#define RAGDOLL_HAND 6
#define RAGDOLL_RUNS 9
#define RAGDOLL_STEPS 20000
#define RAGDOLL_STEP (1.0 / 240)
#define RAGDOLL_MASS 4.0

/* Centre, size. */
static const double ragdoll_bodies[RAGDOLL_BODIES][6] = {
  { 0, 0.98, 0, 0.32, 0.18, 0.19 },        { 0, 1.27, 0, 0.36, 0.36, 0.20 },     { 0, 1.50, 0, 0.12, 0.08, 0.12 },
  { 0, 1.67, 0, 0.20, 0.24, 0.22 },        { 0.34, 1.42, 0, 0.28, 0.10, 0.10 },  { 0.61, 1.42, 0, 0.24, 0.08, 0.08 },
  { 0.82, 1.42, 0, 0.16, 0.04, 0.09 },     { -0.34, 1.42, 0, 0.28, 0.10, 0.10 }, { -0.61, 1.42, 0, 0.24, 0.08, 0.08 },
  { -0.82, 1.42, 0, 0.16, 0.04, 0.09 },    { 0.10, 0.68, 0, 0.13, 0.39, 0.13 },  { 0.10, 0.28, 0, 0.11, 0.39, 0.11 },
  { 0.10, 0.04, 0.06, 0.10, 0.07, 0.25 },  { -0.10, 0.68, 0, 0.13, 0.39, 0.13 }, { -0.10, 0.28, 0, 0.11, 0.39, 0.11 },
  { -0.10, 0.04, 0.06, 0.10, 0.07, 0.25 },
};

/* Two bodies and where they are joined. */
static const double ragdoll_joints[RAGDOLL_JOINTS][5] = {
  { 0, 1, 0, 1.08, 0 },      { 1, 2, 0, 1.45, 0 },       { 2, 3, 0, 1.55, 0 },       { 1, 4, 0.20, 1.42, 0 },
  { 4, 5, 0.48, 1.42, 0 },   { 5, 6, 0.73, 1.42, 0 },    { 1, 7, -0.20, 1.42, 0 },   { 7, 8, -0.48, 1.42, 0 },
  { 8, 9, -0.73, 1.42, 0 },  { 0, 10, 0.10, 0.88, 0 },   { 10, 11, 0.10, 0.48, 0 },  { 11, 12, 0.10, 0.08, 0 },
  { 0, 13, -0.10, 0.88, 0 }, { 13, 14, -0.10, 0.48, 0 }, { 14, 15, -0.10, 0.08, 0 },
};

/* Where the hand is held. */
static const double ragdoll_grip[3] = { 0.90, 1.42, 0 };
