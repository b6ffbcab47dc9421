import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The variable that lets `--device auto` use drivers without a GPU, for tests of the GPU code on
 * machines that have none.
 */
const SOFTWARE_VARIABLE = 'ENCODERFILE_SOFTWARE_GPU';

/**
 * Whether this machine seems to have a GPU that this process can use. Takes microseconds. On systems
 * other than Linux, only opening the GPU shows it.
 */
export function hasGpuDevice(): boolean {
  if (process.platform !== 'linux' || process.env[SOFTWARE_VARIABLE] === '1') return true;
  const devices = list('/dev');
  return (
    devices.some((name) => name === 'dxg' || /^nvidia\d+$/.test(name)) ||
    (devices.includes('dri') && list('/dev/dri').some((name) => name.startsWith('renderD')))
  );
}

/** The name of the GPU for people, as far as the system reports it without opening a driver. */
export function gpuName(): string {
  if (process.platform === 'darwin') return 'Apple GPU';
  const [nvidia] = list(NVIDIA_GPUS).flatMap((gpu) => {
    const text = read(join(NVIDIA_GPUS, gpu, 'information'));
    const line = text.split('\n').find((found) => found.startsWith(MODEL));
    return line?.slice(MODEL.length).trim() || [];
  });
  if (nvidia !== undefined) return nvidia;
  const vendors = list(DRM)
    .filter((name) => name.startsWith('renderD'))
    .map((name) => read(join(DRM, name, 'device/vendor')).trim());
  const [known] = vendors.flatMap((vendor) => VENDORS.get(vendor) ?? []);
  return known === undefined ? 'GPU' : `${known} GPU`;
}

const MODEL = 'Model:';
const NVIDIA_GPUS = '/proc/driver/nvidia/gpus';
const DRM = '/sys/class/drm';

/** PCI vendor IDs. */
const VENDORS = new Map([
  ['0x1002', 'AMD'],
  ['0x10de', 'NVIDIA'],
  ['0x8086', 'Intel'],
]);

/** The names in a folder; empty if it cannot be read. */
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
