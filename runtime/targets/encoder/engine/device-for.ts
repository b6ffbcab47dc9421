import { DEFAULT_DEVICE, type Device } from '#contract/devices.ts';
import { configError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';

/** The device that the user chose, otherwise that of the build, otherwise the CPU. */
export function deviceFor(
  { device: built }: Pick<Manifest, 'device'>,
  {
    device,
    gpuLibraries,
  }: { readonly device?: Device | undefined; readonly gpuLibraries?: string | undefined },
): Device {
  const chosen = device ?? built;
  if (chosen === undefined && gpuLibraries !== undefined)
    throw configError('--gpu-libraries requires --device auto or gpu. Add one of them.');
  return chosen ?? DEFAULT_DEVICE;
}
