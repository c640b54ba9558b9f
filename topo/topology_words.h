// SPDX-License-Identifier: Apache-2.0
//
// The words that the enumerations of topology.h have in files, each list in one place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "topo/topology.h"

namespace topolaunch::topo {

std::string_view word(GpuLink::To to);                ///< gpu, nvswitch, cpu, unknown
std::string_view word(LinkType type);                 ///< nvlink, xgmi, c2c
std::string_view word(Nic::Layer layer);              ///< infiniband, ethernet, efa, unknown
std::string_view word(P2pStatus status);              ///< ok, not_supported, disabled, unknown
std::string_view word(SurveyEntry::Status status);    ///< ok, nothing, unavailable
std::string_view word(Warning::Severity severity);    ///< error, warning, note
std::string_view word(PciRelation relation);          ///< X, PIX, PXB, PHB, NODE, SYS, ?

/// Where a warning is about: "FILE:LINE: ", "FILE: ", or nothing.
std::string place_of(const Warning& warning);

/// The value of a word; nothing for one that isn't in the list.
template <class E>
std::optional<E> from_word(std::string_view text);
template <>
std::optional<GpuLink::To> from_word(std::string_view text);
template <>
std::optional<LinkType> from_word(std::string_view text);
template <>
std::optional<Nic::Layer> from_word(std::string_view text);
template <>
std::optional<P2pStatus> from_word(std::string_view text);
template <>
std::optional<SurveyEntry::Status> from_word(std::string_view text);
template <>
std::optional<Warning::Severity> from_word(std::string_view text);

}  // namespace topolaunch::topo
