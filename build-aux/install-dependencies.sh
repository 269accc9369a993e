#!/bin/sh
# Installs the missing packages for building and testing (Debian 12 and relatives).
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu

packages="gcc meson ninja-build pkg-config gettext python3 libglib2.0-dev libjson-c-dev libgsl-dev libqhull-dev
libxxhash-dev libassimp-dev libopenexr-dev libpng-dev libgdk-pixbuf-2.0-dev libcairo2-dev libpango1.0-dev libgtk-4-dev
libx11-dev libglib2.0-bin libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libswresample-dev libpulse-dev fonts-dejavu-core xvfb
xdotool openbox dbus-daemon imagemagick"
# Features that the build leaves out where these are missing.
optional="liblcms2-dev libgegl-dev"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This is not a Debian system. Kineograph needs the equivalents of: $packages" | tr '\n' ' '
  echo
  exit 0
fi

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=""
if [ "$(id -u)" != 0 ]; then
  sudo=sudo
  command -v sudo >/dev/null || { echo "These packages are missing; install them as root:$missing" >&2; exit 1; }
fi
echo "Installing:$missing"
$sudo apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $optional ||
  echo "Without $optional, colour profiles are not read and the operations of GEGL are not offered"
