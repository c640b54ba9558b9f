// SPDX-License-Identifier: Apache-2.0
#include "topo/topology_words.h"

#include <array>
#include <utility>

namespace topolaunch::topo {
namespace {

template <class E, std::size_t N>
using Words = std::array<std::pair<E, std::string_view>, N>;

constexpr Words<GpuLink::To, 4> kTo{{{GpuLink::To::gpu, "gpu"},
                                     {GpuLink::To::nvswitch, "nvswitch"},
                                     {GpuLink::To::cpu, "cpu"},
                                     {GpuLink::To::unknown, "unknown"}}};
constexpr Words<LinkType, 3> kType{
    {{LinkType::nvlink, "nvlink"}, {LinkType::xgmi, "xgmi"}, {LinkType::c2c, "c2c"}}};
constexpr Words<Nic::Layer, 4> kLayer{{{Nic::Layer::infiniband, "infiniband"},
                                       {Nic::Layer::ethernet, "ethernet"},
                                       {Nic::Layer::efa, "efa"},
                                       {Nic::Layer::unknown, "unknown"}}};
constexpr Words<P2pStatus, 4> kP2p{{{P2pStatus::ok, "ok"},
                                    {P2pStatus::not_supported, "not_supported"},
                                    {P2pStatus::disabled, "disabled"},
                                    {P2pStatus::unknown, "unknown"}}};
constexpr Words<SurveyEntry::Status, 3> kStatus{
    {{SurveyEntry::Status::ok, "ok"},
     {SurveyEntry::Status::nothing, "nothing"},
     {SurveyEntry::Status::unavailable, "unavailable"}}};
constexpr Words<Warning::Severity, 3> kSeverity{{{Warning::Severity::error, "error"},
                                                 {Warning::Severity::warning, "warning"},
                                                 {Warning::Severity::note, "note"}}};
constexpr Words<PciRelation, 7> kRelation{{{PciRelation::same, "X"},
                                           {PciRelation::pix, "PIX"},
                                           {PciRelation::pxb, "PXB"},
                                           {PciRelation::phb, "PHB"},
                                           {PciRelation::node, "NODE"},
                                           {PciRelation::sys, "SYS"},
                                           {PciRelation::unknown, "?"}}};

template <class E, std::size_t N>
std::string_view find_word(const Words<E, N>& words, E value) {
  for (const auto& [key, text] : words) {
    if (key == value) return text;
  }
  return "unknown";
}

template <class E, std::size_t N>
std::optional<E> find_value(const Words<E, N>& words, std::string_view text) {
  for (const auto& [key, name] : words) {
    if (name == text) return key;
  }
  return {};
}

}  // namespace

std::string_view word(GpuLink::To to) { return find_word(kTo, to); }
std::string_view word(LinkType type) { return find_word(kType, type); }
std::string_view word(Nic::Layer layer) { return find_word(kLayer, layer); }
std::string_view word(P2pStatus status) { return find_word(kP2p, status); }
std::string_view word(SurveyEntry::Status status) { return find_word(kStatus, status); }
std::string_view word(Warning::Severity severity) { return find_word(kSeverity, severity); }
std::string_view word(PciRelation relation) { return find_word(kRelation, relation); }

template <>
std::optional<GpuLink::To> from_word(std::string_view text) {
  return find_value(kTo, text);
}
template <>
std::optional<LinkType> from_word(std::string_view text) {
  return find_value(kType, text);
}
template <>
std::optional<Nic::Layer> from_word(std::string_view text) {
  return find_value(kLayer, text);
}
template <>
std::optional<P2pStatus> from_word(std::string_view text) {
  return find_value(kP2p, text);
}
template <>
std::optional<SurveyEntry::Status> from_word(std::string_view text) {
  return find_value(kStatus, text);
}
template <>
std::optional<Warning::Severity> from_word(std::string_view text) {
  return find_value(kSeverity, text);
}

std::string place_of(const Warning& warning) {
  if (warning.file.empty()) return {};
  return warning.file + (warning.line > 0 ? ":" + std::to_string(warning.line) : "") + ": ";
}

}  // namespace topolaunch::topo
