import { DEFAULT_DEVICE, type Device, DEVICES, readDevice } from '#contract/devices.ts';
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
  'gpu-libraries': {
    value: 'folder',
    help: 'Folder with the CUDA libraries of ONNX Runtime; NVIDIA GPUs then use CUDA instead of WebGPU',
  },
});

export interface DeviceSettings {
  readonly device: Device | undefined;
  readonly gpuLibraries: string | undefined;
}

export const readDeviceSettings = (invocation: Invocation): DeviceSettings => ({
  device: readDevice(invocation.value('device')),
  gpuLibraries: invocation.value('gpu-libraries'),
});
