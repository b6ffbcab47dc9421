import { constants } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';
import type { GpuLibraries } from './gpu-libraries.ts';

/**
 * Loads the libraries that CUDA's provider links to, from the folders or from the system. The loader then
 * finds them by name, and does not need LD_LIBRARY_PATH, which only counts when a process starts. Throws if
 * some are missing, because ONNX Runtime reports only that loading failed.
 */
export function preloadLibraries({
  needed,
  optional,
  folders,
}: Pick<GpuLibraries, 'needed' | 'optional' | 'folders'>): void {
  const problems = needed.flatMap((name) => {
    const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? name;
    const problem = loadError(path);
    return problem === undefined ? [] : [{ name, problem }];
  });
  // Without CUDA, the driver cannot be checked any further.
  const first = problems.find(({ name }) => name !== DRIVER);
  if (first)
    throw configError(
      `CUDA is incomplete (${first.problem}); install NVIDIA's packages next to ONNX Runtime's`,
    );
  if (problems.length > 0) throw configError(NO_DRIVER);
  // If one of them cannot be loaded, ONNX Runtime reports it when it needs it.
  for (const path of optional) loadError(path);
}

/** The part of NVIDIA's driver that CUDA uses. */
const DRIVER = 'libcuda.so.1';
const NO_DRIVER = `NVIDIA's driver was not found (${DRIVER}); install it, and in a container, pass the GPU to it (docker run --gpus all)`;

/** glibc's flag that keeps a library loaded after it is closed. Node closes libraries that are not addons. */
const RTLD_NODELETE = 0x1000;

/** Why a library cannot be loaded; undefined if it is loaded now. */
function loadError(path: string): string | undefined {
  try {
    process.dlopen({ exports: {} }, path, constants.dlopen.RTLD_LAZY | RTLD_NODELETE);
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    return message.startsWith('Module did not self-register') ? undefined : message;
  }
}
