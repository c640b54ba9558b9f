// SPDX-License-Identifier: Apache-2.0
//
// What `--topology` was given: a file (format.h), a folder with a machine's /sys and /proc, a
// program to ask, or a spec; as sources for discover().
#pragma once

#include "topo/format.h"
#include "topo/survey.h"
