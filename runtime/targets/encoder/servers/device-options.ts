import {
  DEFAULT_DEVICE,
  DEFAULT_PRECISION,
  type Device,
  DEVICES,
  GPU_PRECISIONS,
  type GpuPrecision,
  readDevice,
  readPrecision,
} from '#contract/devices.ts';
import type { Invocation } from '#serve/cli/command.ts';
import { withEnvironment } from '#serve/cli/values.ts';

/** The device that runs the model, for `serve`, `mcp`, `bench` and `infer --input`. */
export const DEVICE_OPTIONS = withEnvironment('ENCODERFILE', {
  device: {
    value: 'device',
    help: 'Device that runs the model: cpu, gpu, or auto for the GPU where it is faster',
    choices: DEVICES,
    defaultText: `the device in the build configuration, or ${DEFAULT_DEVICE}`,
  },
  precision: {
    value: 'type',
    help: 'Precision of matrix products on a GPU: float32, or float16 if its results stay close to those of the CPU',
    choices: GPU_PRECISIONS,
    fallback: DEFAULT_PRECISION,
  },
  'gpu-libraries': {
    value: 'folder',
    help: 'Folder with the CUDA libraries of ONNX Runtime; NVIDIA GPUs then use CUDA instead of WebGPU',
  },
});

export interface DeviceSettings {
  readonly device: Device | undefined;
  readonly precision: GpuPrecision;
  readonly gpuLibraries: string | undefined;
}

export const readDeviceSettings = (invocation: Invocation): DeviceSettings => ({
  device: readDevice(invocation.value('device')),
  precision: readPrecision(invocation.value('precision')),
  gpuLibraries: invocation.value('gpu-libraries'),
});
