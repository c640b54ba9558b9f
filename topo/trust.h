// SPDX-License-Identifier: Apache-2.0
//
// The order of trust: whose word counts where two sources differ. In one place, as a table.
//
// identity (UUID, model, memory, capability, links, MIG, NVLink domain): the driver (nvml) first.
// place (NUMA node, CPUs, PCI path): the kernel (hwloc, sysfs) first, then the driver, then files.
//   Files describe a kind of machine, not this one, and shipped ones have had the NUMA nodes swapped
//   (Azure/azhpc-images#283); the kernel, where it does say something, reads this machine's ACPI
//   tables. In virtual machines it often says nothing (numa_node -1): then the file counts.
// fabric (which leaf, what is above it): who sees the network now (ibnetdiscover), then who owns it (the
//   cloud's API, node labels made from it), then what somebody wrote down, then what was measured: a
//   measurement shows what pairs reach, from which places are inferred. The first source's picture is
//   used; the others fill in rates and places that it lacks, and are heard where they differ.
// A file that the user hands over alone (--topology) meets no live source, so it is used as it is.
// Sources of equal rank: the one given first.
#pragma once

#include "topo/topology.h"

namespace topolaunch::topo {

enum class Field { identity, place, fabric };

/// Rank of a source for a field: lower is trusted more. Sources that the table doesn't name come
/// behind the live ones and before the files.
int trust_rank(Field field, const Origin& origin);

}  // namespace topolaunch::topo
