/* particle_screen: how much of an image a ball covers, for births by screen size.
 *
 * The image of a ball of radius ρ at c in the space of a camera, whose image is f pixels in front of it, is an ellipse of the
 * area π f² ρ² √(|c|² − ρ²) / (c_z² − ρ²)^(3/2).
 * Source: Reeves 1983 (births by screen area); Parent, Computer Animation, 4.5, equation 4.109.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "kg-scene.h"

/* Pixels, at most those of the whole image, which is covered where the camera is in the ball or level with it; 0 behind the
 * camera, and where the ball is quite beside the image. */
double particle_screen_get_area (const KgCamera *camera, KgVector center, double radius, double width, double height);
