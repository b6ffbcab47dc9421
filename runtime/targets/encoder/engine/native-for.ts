import type { Device } from '#contract/devices.ts';
import type { Manifest } from '#contract/manifest.ts';
import { type NativeLibraries, withGpuLibraries } from '#platform/native/libraries.ts';

export interface NativeOptions {
  readonly device: Device | undefined;
  /** The folder of `--gpu-libraries`. */
  readonly gpuLibraries?: string | undefined;
  readonly cacheDir?: string | undefined;
}

/** Completes the native libraries for a device. What only a GPU needs is not extracted for a model that runs on the CPU. */
export async function nativeFor(
  loaded: NativeLibraries,
  manifest: Manifest,
  { device = 'cpu', gpuLibraries, cacheDir }: NativeOptions,
): Promise<NativeLibraries> {
  if (device === 'cpu') return loaded;
  if (gpuLibraries !== undefined) return await withGpuLibraries(loaded, gpuLibraries, cacheDir);
  // Imported on demand: most starts run the model on the CPU.
  const { gpuProblem } = await import('./gpu/gpu-model.ts');
  if (gpuProblem(manifest) === undefined) await loaded.addGpuFiles?.();
  return loaded;
}
