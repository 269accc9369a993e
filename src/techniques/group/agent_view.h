/* agent_view: what an agent sees, as a small image from its eye: which body is in front at each pixel.
 *
 * Columns are directions to the side, rows directions up, all equally far apart, so that views of 360° have no edge.  Bodies are balls,
 * walls hide what is behind them, and a body is seen where it covers enough pixels: what others leave of it, and how large
 * it looks, are the answer and need no rules.
 * Sources: Renault, Magnenat-Thalmann and Thalmann, A vision-based approach to behavioural animation, 1990; Parent, Computer
 * Animation, 4.6.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "geometry/triangle_mesh.h"

G_BEGIN_DECLS

#define AGENT_VIEW_WIDTH 64
#define AGENT_VIEW_HEIGHT 32
#define AGENT_VIEW_PIXELS (AGENT_VIEW_WIDTH * AGENT_VIEW_HEIGHT)

typedef struct {
  KgVector eye;
  KgRotation look;                   /* from the eye's axes, z ahead and y up, to the world */
  double angle;                      /* of a pixel, radians */
  float depth[AGENT_VIEW_PIXELS];    /* metres to what is there; INFINITY: nothing */
  int32_t object[AGENT_VIEW_PIXELS]; /* -1: none, or a wall */
} AgentView;

/* An empty one; fov: radians, of its width; its height is half of that. */
void agent_view_begin (AgentView *view, KgVector eye, KgRotation look, double fov);
/* A ball around a place; those that hold the eye cover all. */
void agent_view_add (AgentView *view, int32_t object, KgVector centre, double radius);
/* Takes away what walls hide: once, after all bodies. */
void agent_view_hide (AgentView *view, const TriangleMesh *walls);
/* How many pixels a body covers. */
guint agent_view_count (const AgentView *view, int32_t object);
/* Whether nothing that was added is in front of a place in the view. */
bool agent_view_is_open (const AgentView *view, KgVector place);

G_END_DECLS
