import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installDebianPackage } from './debian-package.ts';

/** SwiftShader, a Vulkan driver for CPUs, is part of Debian's package `chromium`, and so is a Vulkan loader. */
const CHROMIUM = '/usr/lib/chromium';
const DRIVER = join(CHROMIUM, 'vk_swiftshader_icd.json');

/** Variables with which a process finds only this driver as its GPU. They must be set before it starts. */
const VARIABLES = {
  VK_ICD_FILENAMES: DRIVER,
  VK_DRIVER_FILES: DRIVER,
  LD_LIBRARY_PATH: CHROMIUM,
  XDG_RUNTIME_DIR: '/tmp',
};

/**
 * The variables for a software driver, which is installed if necessary, as root on Debian. If there is none, prints a warning, because
 * tests are then skipped.
 */
export async function provideSoftwareGpu(): Promise<Record<string, string> | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  if (!existsSync(DRIVER)) await installDebianPackage('chromium', `ls ${DRIVER} 2>/dev/null`);
  if (existsSync(DRIVER)) return VARIABLES;
  console.warn(
    `SKIPPED: no model ran on a software GPU, because ${DRIVER} does not exist. Install it with \`apt-get install chromium\`.`,
  );
  return undefined;
}
