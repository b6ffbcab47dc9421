import { DEFAULT_DEVICE, DEVICES } from '#contract/devices.ts';
import { withEnvironment } from '#serve/cli/values.ts';

/** The device that runs the model, for `serve`, `mcp`, `bench` and `infer --input`. */
export const DEVICE_OPTIONS = withEnvironment('ENCODERFILE', {
  device: {
    value: 'device',
    help: 'Device that runs the model: cpu, gpu, or auto for the GPU where it is faster',
    choices: DEVICES,
    fallback: DEFAULT_DEVICE,
  },
});
