// SPDX-License-Identifier: Apache-2.0
//
// The part of NVIDIA's management library (NVML) that discovery calls, declared by us so that no
// header of NVIDIA's is needed to build: sizes, values and names as in nvml.h of the packages
// nvidia-nvml-dev 12.x and 13.5. tests/topo/source/nvml_abi_test.cpp holds them against that header
// where it is installed. C layout throughout; nothing here is linked, all is looked up by name.
#pragma once

#include <cstddef>

namespace topolaunch::topo::nvml_abi {

using Return = int;                      ///< nvmlReturn_t
using Device = struct DeviceOfNvml*;     ///< nvmlDevice_t

inline constexpr Return kSuccess = 0;
inline constexpr Return kUninitialized = 1;
inline constexpr Return kInvalidArgument = 2;
inline constexpr Return kNotSupported = 3;
inline constexpr Return kNoPermission = 4;
inline constexpr Return kNotFound = 6;
inline constexpr Return kInsufficientSize = 7;
inline constexpr Return kDriverNotLoaded = 9;
inline constexpr Return kTimeout = 10;
inline constexpr Return kFunctionNotFound = 13;
inline constexpr Return kGpuIsLost = 15;
inline constexpr Return kResetRequired = 16;
inline constexpr Return kLibraryVersionMismatch = 18;
inline constexpr Return kArgumentVersionMismatch = 25;
inline constexpr Return kUnknown = 999;

inline constexpr unsigned kMaxLinks = 36;          ///< NVML_NVLINK_MAX_LINKS of 13.5 (18 in 12.x)
inline constexpr std::size_t kUuidSize = 96;       ///< NVML_DEVICE_UUID_V2_BUFFER_SIZE
inline constexpr std::size_t kNameSize = 96;       ///< NVML_DEVICE_NAME_V2_BUFFER_SIZE
inline constexpr std::size_t kVersionSize = 80;    ///< NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE

/// nvmlPciInfo_t, as nvmlDeviceGetPciInfo_v3 fills it.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain;  ///< 32 bits
  unsigned bus;
  unsigned device;
  unsigned pci_device_id;  ///< device << 16 | vendor
  unsigned pci_subsystem_id;
  char bus_id[32];
};

/// nvmlMemory_t
struct Memory {
  unsigned long long total, free, used;
};

/// nvmlUtilization_t: percent of the last sample period (1/6 to 1 s) that was spent computing.
struct Utilization {
  unsigned gpu, memory;
};

/// nvmlDeviceAttributes_t: what a MIG instance has.
struct DeviceAttributes {
  unsigned multiprocessor_count;
  unsigned shared_copy_engine_count;
  unsigned shared_decoder_count;
  unsigned shared_encoder_count;
  unsigned shared_jpeg_count;
  unsigned shared_ofa_count;
  unsigned gpu_instance_slice_count;
  unsigned compute_instance_slice_count;
  unsigned long long memory_size_mb;
};

enum ValueType : int {  // nvmlValueType_t
  kDouble = 0,
  kUnsignedInt = 1,
  kUnsignedLong = 2,
  kUnsignedLongLong = 3,
  kSignedLongLong = 4,
  kSignedInt = 5,
  kUnsignedShort = 6
};

union Value {  // nvmlValue_t
  double d;
  int si;
  unsigned ui;
  unsigned long ul;
  unsigned long long ull;
  long long sll;
  unsigned short us;
};

/// nvmlFieldValue_t
struct FieldValue {
  unsigned field_id;
  unsigned scope_id;  ///< the link, for fields of links
  long long timestamp;
  long long latency_us;
  int value_type;
  Return status;
  Value value;
};

inline constexpr unsigned kFieldLinkSpeedOfLink0 = 84;   ///< ..L0 to ..L5 = 84..89, MB/s
inline constexpr unsigned kFieldLinkCount = 91;          ///< NVML_FI_DEV_NVLINK_LINK_COUNT
inline constexpr unsigned kFieldLinkSpeedOfLink6 = 132;  ///< ..L6 to ..L11 = 132..137, MB/s
inline constexpr unsigned kFieldLinkSpeed = 164;         ///< NVML_FI_DEV_NVLINK_GET_SPEED, by scope
inline constexpr unsigned kFieldC2cCount = 170;          ///< NVML_FI_DEV_C2C_LINK_COUNT
inline constexpr unsigned kFieldC2cStatus = 171;         ///< NVML_FI_DEV_C2C_LINK_GET_STATUS, by scope
inline constexpr unsigned kFieldC2cBandwidth = 172;      ///< NVML_FI_DEV_C2C_LINK_GET_MAX_BW, MB/s

inline constexpr int kLinkCapabilityValid = 5;  ///< NVML_NVLINK_CAP_VALID: there is such a link
inline constexpr int kRemoteGpu = 0x00;         ///< nvmlIntNvLinkDeviceType_t
inline constexpr int kRemoteNpu = 0x01;         ///< IBM POWER9's NVLink end: the CPU
inline constexpr int kRemoteSwitch = 0x02;
inline constexpr int kRemoteUnknown = 0xff;

inline constexpr int kP2pRead = 0;  ///< NVML_P2P_CAPS_INDEX_READ
inline constexpr int kP2pOk = 0;    ///< nvmlGpuP2PStatus_t
inline constexpr int kP2pChipsetNotSupported = 1;
inline constexpr int kP2pGpuNotSupported = 2;
inline constexpr int kP2pIohNotSupported = 3;
inline constexpr int kP2pDisabledByRegkey = 4;
inline constexpr int kP2pNotSupported = 5;
inline constexpr int kP2pUnknown = 6;

inline constexpr int kClockSm = 1;         ///< NVML_CLOCK_SM, MHz
inline constexpr int kTemperatureGpu = 0;  ///< NVML_TEMPERATURE_GPU, degrees Celsius

/// nvmlClocksEventReason... (nvmlClocksThrottleReason... before 12.2): why clocks are what they are.
enum Reason : unsigned long long {
  kReasonIdle = 0x1,
  kReasonApplicationClocks = 0x2,
  kReasonPowerCap = 0x4,
  kReasonHardware = 0x8,
  kReasonSyncBoost = 0x10,
  kReasonThermal = 0x20,
  kReasonHardwareThermal = 0x40,
  kReasonPowerBrake = 0x80,
  kReasonDisplayClock = 0x100
};

inline constexpr unsigned kScopeNode = 0;  ///< NVML_AFFINITY_SCOPE_NODE

inline constexpr unsigned char kFabricNotSupported = 0;
inline constexpr unsigned char kFabricNotStarted = 1;
inline constexpr unsigned char kFabricInProgress = 2;
inline constexpr unsigned char kFabricCompleted = 3;

/// nvmlGpuFabricInfo_t, without a version: drivers before 545.
struct FabricInfo1 {
  unsigned char cluster_uuid[16];
  Return status;
  unsigned clique_id;
  unsigned char state;
};
/// nvmlGpuFabricInfo_v2_t
struct FabricInfo2 {
  unsigned version;
  unsigned char cluster_uuid[16];
  Return status;
  unsigned clique_id;
  unsigned char state;
  unsigned health_mask;
};
/// nvmlGpuFabricInfo_v3_t
struct FabricInfo3 {
  unsigned version;
  unsigned char cluster_uuid[16];
  Return status;
  unsigned clique_id;
  unsigned char state;
  unsigned health_mask;
  unsigned char health_summary;
};

/// The tag that NVML wants in a struct's `version`: its size, and the version in the top byte.
template <class T>
constexpr unsigned version_tag(unsigned version) {
  return static_cast<unsigned>(sizeof(T)) | (version << 24U);
}

}  // namespace topolaunch::topo::nvml_abi
