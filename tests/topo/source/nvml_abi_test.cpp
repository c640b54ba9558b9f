// SPDX-License-Identifier: Apache-2.0
//
// Our declarations of NVML against NVIDIA's header, where there is one: sizes, offsets, values, and the
// types of the calls.
#include "topo/source/nvml_abi.h"

#include <gtest/gtest.h>

#ifdef NVML_HEADER
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>

#include <cstddef>
#include <type_traits>

namespace ours_in = topolaunch::topo::nvml_abi;

#define SAME_STRUCT(ours, theirs) \
  static_assert(sizeof(ours_in::ours) == sizeof(theirs) && alignof(ours_in::ours) == alignof(theirs))
#define SAME_FIELD(ours, field, theirs, their_field)                     \
  static_assert(offsetof(ours_in::ours, field) == offsetof(theirs, their_field) && \
                sizeof(ours_in::ours::field) == sizeof(theirs::their_field))
#define SAME_VALUE(ours, theirs) \
  static_assert(static_cast<long long>(ours_in::ours) == static_cast<long long>(theirs))

SAME_STRUCT(PciInfo, nvmlPciInfo_t);
SAME_FIELD(PciInfo, bus_id_legacy, nvmlPciInfo_t, busIdLegacy);
SAME_FIELD(PciInfo, domain, nvmlPciInfo_t, domain);
SAME_FIELD(PciInfo, bus, nvmlPciInfo_t, bus);
SAME_FIELD(PciInfo, device, nvmlPciInfo_t, device);
SAME_FIELD(PciInfo, pci_device_id, nvmlPciInfo_t, pciDeviceId);
SAME_FIELD(PciInfo, pci_subsystem_id, nvmlPciInfo_t, pciSubSystemId);
SAME_FIELD(PciInfo, bus_id, nvmlPciInfo_t, busId);

SAME_STRUCT(Memory, nvmlMemory_t);
SAME_FIELD(Memory, total, nvmlMemory_t, total);
SAME_FIELD(Memory, free, nvmlMemory_t, free);
SAME_FIELD(Memory, used, nvmlMemory_t, used);

SAME_STRUCT(Utilization, nvmlUtilization_t);
SAME_FIELD(Utilization, gpu, nvmlUtilization_t, gpu);
SAME_FIELD(Utilization, memory, nvmlUtilization_t, memory);

SAME_STRUCT(DeviceAttributes, nvmlDeviceAttributes_t);
SAME_FIELD(DeviceAttributes, multiprocessor_count, nvmlDeviceAttributes_t, multiprocessorCount);
SAME_FIELD(DeviceAttributes, gpu_instance_slice_count, nvmlDeviceAttributes_t, gpuInstanceSliceCount);
SAME_FIELD(DeviceAttributes, memory_size_mb, nvmlDeviceAttributes_t, memorySizeMB);

SAME_STRUCT(FieldValue, nvmlFieldValue_t);
SAME_STRUCT(Value, nvmlValue_t);
SAME_FIELD(FieldValue, field_id, nvmlFieldValue_t, fieldId);
SAME_FIELD(FieldValue, scope_id, nvmlFieldValue_t, scopeId);
SAME_FIELD(FieldValue, timestamp, nvmlFieldValue_t, timestamp);
SAME_FIELD(FieldValue, latency_us, nvmlFieldValue_t, latencyUsec);
SAME_FIELD(FieldValue, value_type, nvmlFieldValue_t, valueType);
SAME_FIELD(FieldValue, status, nvmlFieldValue_t, nvmlReturn);
SAME_FIELD(FieldValue, value, nvmlFieldValue_t, value);

SAME_STRUCT(FabricInfo1, nvmlGpuFabricInfo_t);
SAME_FIELD(FabricInfo1, state, nvmlGpuFabricInfo_t, state);
SAME_STRUCT(FabricInfo2, nvmlGpuFabricInfo_v2_t);
SAME_FIELD(FabricInfo2, cluster_uuid, nvmlGpuFabricInfo_v2_t, clusterUuid);
SAME_FIELD(FabricInfo2, status, nvmlGpuFabricInfo_v2_t, status);
SAME_FIELD(FabricInfo2, clique_id, nvmlGpuFabricInfo_v2_t, cliqueId);
SAME_FIELD(FabricInfo2, state, nvmlGpuFabricInfo_v2_t, state);
SAME_FIELD(FabricInfo2, health_mask, nvmlGpuFabricInfo_v2_t, healthMask);
static_assert(ours_in::version_tag<ours_in::FabricInfo2>(2) == nvmlGpuFabricInfo_v2);
// Version 3 came with CUDA 12.9's header.
#ifdef nvmlGpuFabricInfo_v3
SAME_STRUCT(FabricInfo3, nvmlGpuFabricInfo_v3_t);
SAME_FIELD(FabricInfo3, health_mask, nvmlGpuFabricInfo_v3_t, healthMask);
SAME_FIELD(FabricInfo3, health_summary, nvmlGpuFabricInfo_v3_t, healthSummary);
static_assert(ours_in::version_tag<ours_in::FabricInfo3>(3) == nvmlGpuFabricInfo_v3);
#endif
// What we rely on: version 2 is a beginning of version 3.
static_assert(offsetof(ours_in::FabricInfo2, state) == offsetof(ours_in::FabricInfo3, state));
static_assert(offsetof(ours_in::FabricInfo2, health_mask) == offsetof(ours_in::FabricInfo3, health_mask));

SAME_VALUE(kSuccess, NVML_SUCCESS);
SAME_VALUE(kUninitialized, NVML_ERROR_UNINITIALIZED);
SAME_VALUE(kInvalidArgument, NVML_ERROR_INVALID_ARGUMENT);
SAME_VALUE(kNotSupported, NVML_ERROR_NOT_SUPPORTED);
SAME_VALUE(kNoPermission, NVML_ERROR_NO_PERMISSION);
SAME_VALUE(kNotFound, NVML_ERROR_NOT_FOUND);
SAME_VALUE(kInsufficientSize, NVML_ERROR_INSUFFICIENT_SIZE);
SAME_VALUE(kDriverNotLoaded, NVML_ERROR_DRIVER_NOT_LOADED);
SAME_VALUE(kTimeout, NVML_ERROR_TIMEOUT);
SAME_VALUE(kFunctionNotFound, NVML_ERROR_FUNCTION_NOT_FOUND);
SAME_VALUE(kGpuIsLost, NVML_ERROR_GPU_IS_LOST);
SAME_VALUE(kResetRequired, NVML_ERROR_RESET_REQUIRED);
SAME_VALUE(kLibraryVersionMismatch, NVML_ERROR_LIB_RM_VERSION_MISMATCH);
SAME_VALUE(kArgumentVersionMismatch, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
SAME_VALUE(kUnknown, NVML_ERROR_UNKNOWN);
static_assert(ours_in::kMaxLinks >= NVML_NVLINK_MAX_LINKS);
static_assert(ours_in::kUuidSize >= NVML_DEVICE_UUID_V2_BUFFER_SIZE);
static_assert(ours_in::kNameSize >= NVML_DEVICE_NAME_V2_BUFFER_SIZE);
static_assert(ours_in::kVersionSize >= NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);
SAME_VALUE(kDouble, NVML_VALUE_TYPE_DOUBLE);
SAME_VALUE(kUnsignedInt, NVML_VALUE_TYPE_UNSIGNED_INT);
SAME_VALUE(kUnsignedLong, NVML_VALUE_TYPE_UNSIGNED_LONG);
SAME_VALUE(kUnsignedLongLong, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
SAME_VALUE(kSignedLongLong, NVML_VALUE_TYPE_SIGNED_LONG_LONG);
SAME_VALUE(kSignedInt, NVML_VALUE_TYPE_SIGNED_INT);
SAME_VALUE(kUnsignedShort, NVML_VALUE_TYPE_UNSIGNED_SHORT);
SAME_VALUE(kFieldLinkSpeedOfLink0, NVML_FI_DEV_NVLINK_SPEED_MBPS_L0);
SAME_VALUE(kFieldLinkSpeedOfLink6, NVML_FI_DEV_NVLINK_SPEED_MBPS_L6);
static_assert(NVML_FI_DEV_NVLINK_SPEED_MBPS_L5 == ours_in::kFieldLinkSpeedOfLink0 + 5);
static_assert(NVML_FI_DEV_NVLINK_SPEED_MBPS_L11 == ours_in::kFieldLinkSpeedOfLink6 + 5);
SAME_VALUE(kFieldLinkCount, NVML_FI_DEV_NVLINK_LINK_COUNT);
SAME_VALUE(kFieldLinkSpeed, NVML_FI_DEV_NVLINK_GET_SPEED);
SAME_VALUE(kFieldC2cCount, NVML_FI_DEV_C2C_LINK_COUNT);
SAME_VALUE(kFieldC2cStatus, NVML_FI_DEV_C2C_LINK_GET_STATUS);
SAME_VALUE(kFieldC2cBandwidth, NVML_FI_DEV_C2C_LINK_GET_MAX_BW);
SAME_VALUE(kLinkCapabilityValid, NVML_NVLINK_CAP_VALID);
SAME_VALUE(kRemoteGpu, NVML_NVLINK_DEVICE_TYPE_GPU);
SAME_VALUE(kRemoteNpu, NVML_NVLINK_DEVICE_TYPE_IBMNPU);
SAME_VALUE(kRemoteSwitch, NVML_NVLINK_DEVICE_TYPE_SWITCH);
SAME_VALUE(kRemoteUnknown, NVML_NVLINK_DEVICE_TYPE_UNKNOWN);
SAME_VALUE(kP2pRead, NVML_P2P_CAPS_INDEX_READ);
SAME_VALUE(kP2pOk, NVML_P2P_STATUS_OK);
SAME_VALUE(kP2pChipsetNotSupported, NVML_P2P_STATUS_CHIPSET_NOT_SUPPORTED);
SAME_VALUE(kP2pGpuNotSupported, NVML_P2P_STATUS_GPU_NOT_SUPPORTED);
SAME_VALUE(kP2pIohNotSupported, NVML_P2P_STATUS_IOH_TOPOLOGY_NOT_SUPPORTED);
SAME_VALUE(kP2pDisabledByRegkey, NVML_P2P_STATUS_DISABLED_BY_REGKEY);
SAME_VALUE(kP2pNotSupported, NVML_P2P_STATUS_NOT_SUPPORTED);
SAME_VALUE(kP2pUnknown, NVML_P2P_STATUS_UNKNOWN);
SAME_VALUE(kClockSm, NVML_CLOCK_SM);
SAME_VALUE(kTemperatureGpu, NVML_TEMPERATURE_GPU);
SAME_VALUE(kReasonIdle, nvmlClocksThrottleReasonGpuIdle);
SAME_VALUE(kReasonApplicationClocks, nvmlClocksThrottleReasonApplicationsClocksSetting);
SAME_VALUE(kReasonPowerCap, nvmlClocksThrottleReasonSwPowerCap);
SAME_VALUE(kReasonHardware, nvmlClocksThrottleReasonHwSlowdown);
SAME_VALUE(kReasonSyncBoost, nvmlClocksThrottleReasonSyncBoost);
SAME_VALUE(kReasonThermal, nvmlClocksThrottleReasonSwThermalSlowdown);
SAME_VALUE(kReasonHardwareThermal, nvmlClocksThrottleReasonHwThermalSlowdown);
SAME_VALUE(kReasonPowerBrake, nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
SAME_VALUE(kReasonDisplayClock, nvmlClocksThrottleReasonDisplayClockSetting);
SAME_VALUE(kScopeNode, NVML_AFFINITY_SCOPE_NODE);
SAME_VALUE(kFabricNotSupported, NVML_GPU_FABRIC_STATE_NOT_SUPPORTED);
SAME_VALUE(kFabricNotStarted, NVML_GPU_FABRIC_STATE_NOT_STARTED);
SAME_VALUE(kFabricInProgress, NVML_GPU_FABRIC_STATE_IN_PROGRESS);
SAME_VALUE(kFabricCompleted, NVML_GPU_FABRIC_STATE_COMPLETED);

// Numbers of parameters and their kinds: calls that have to compile, those as well that newer headers call
// deprecated and older drivers have alone. A template that nobody instantiates needs nothing to link.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class Never>
void calls(nvmlDevice_t device) {
  unsigned u = 0;
  int i = 0;
  char text[96];
  unsigned long words[8];
  nvmlPciInfo_t pci;
  nvmlMemory_t memory;
  nvmlEnableState_t enabled;
  nvmlIntNvLinkDeviceType_t type;
  nvmlFieldValue_t field;
  nvmlGpuP2PStatus_t p2p;
  nvmlDeviceAttributes_t attributes;
  nvmlGpuFabricInfoV_t fabric;
  nvmlUtilization_t busy;
  unsigned long long reasons = 0;
  nvmlInit_v2();
  nvmlSystemGetDriverVersion(text, 80U);
  nvmlDeviceGetCount_v2(&u);
  nvmlDeviceGetHandleByIndex_v2(0U, &device);
  nvmlDeviceGetUUID(device, text, 96U);
  nvmlDeviceGetPciInfo_v3(device, &pci);
  nvmlDeviceGetName(device, text, 96U);
  nvmlDeviceGetMemoryInfo(device, &memory);
  nvmlDeviceGetCudaComputeCapability(device, &i, &i);
  nvmlDeviceGetNvLinkState(device, 0U, &enabled);
  nvmlDeviceGetNvLinkCapability(device, 0U, NVML_NVLINK_CAP_VALID, &u);
  nvmlDeviceGetNvLinkRemotePciInfo_v2(device, 0U, &pci);
  nvmlDeviceGetNvLinkRemoteDeviceType(device, 0U, &type);
  nvmlDeviceGetNvLinkVersion(device, 0U, &u);
  nvmlDeviceGetFieldValues(device, 1, &field);
  nvmlDeviceGetP2PStatus(device, device, NVML_P2P_CAPS_INDEX_READ, &p2p);
  nvmlDeviceGetCpuAffinity(device, 8U, words);
  nvmlDeviceGetCpuAffinityWithinScope(device, 8U, words, 0U);
  nvmlDeviceGetMemoryAffinity(device, 8U, words, 0U);
  nvmlDeviceGetNumaNodeId(device, &u);
  nvmlDeviceGetMigMode(device, &u, &u);
  nvmlDeviceGetMaxMigDeviceCount(device, &u);
  nvmlDeviceGetMigDeviceHandleByIndex(device, 0U, &device);
  nvmlDeviceGetAttributes_v2(device, &attributes);
  nvmlDeviceGetGpuFabricInfoV(device, &fabric);
  nvmlDeviceGetCurrPcieLinkGeneration(device, &u);
  nvmlDeviceGetCurrPcieLinkWidth(device, &u);
  nvmlDeviceGetGpuMaxPcieLinkGeneration(device, &u);
  nvmlDeviceGetMaxPcieLinkWidth(device, &u);
  nvmlDeviceGetHandleByPciBusId_v2("0000:18:00.0", &device);
  nvmlDeviceGetUtilizationRates(device, &busy);
  nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &u);
  nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_SM, &u);
  nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &u);
  nvmlDeviceGetCurrentClocksThrottleReasons(device, &reasons);
}
// Enums travel as int in our declarations.
static_assert(sizeof(nvmlClockType_t) == sizeof(int) && sizeof(nvmlTemperatureSensors_t) == sizeof(int));
static_assert(sizeof(nvmlEnableState_t) == sizeof(int) && sizeof(nvmlGpuP2PStatus_t) == sizeof(int) &&
              sizeof(nvmlIntNvLinkDeviceType_t) == sizeof(int) && sizeof(nvmlReturn_t) == sizeof(int));

TEST(NvmlAbi, IsThatOfTheHeader) { SUCCEED() << "held at compile time against " NVML_HEADER; }
#else
TEST(NvmlAbi, IsThatOfTheHeader) {
  GTEST_SKIP() << "no nvml.h here: pip install nvidia-nvml-dev, or -DTOPOLAUNCH_NVML_INCLUDE_DIR=...";
}
#endif
