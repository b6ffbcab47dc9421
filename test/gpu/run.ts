import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasGpuDevice } from '#platform/gpu-devices.ts';
import { ROOT } from '../helpers/paths.ts';

/**
 * Runs the tests of `--device` on this machine's GPU, or on SwiftShader, a Vulkan driver for CPUs that is part of Debian's package
 * `chromium`. Variables for Vulkan must be set before a process starts.
 */
const CHROMIUM = '/usr/lib/chromium';
const DRIVER = join(CHROMIUM, 'vk_swiftshader_icd.json');

const swiftShader = {
  VK_ICD_FILENAMES: DRIVER,
  VK_DRIVER_FILES: DRIVER,
  // The folder also contains the Vulkan loader.
  LD_LIBRARY_PATH: CHROMIUM,
  XDG_RUNTIME_DIR: '/tmp',
};

if (!hasGpuDevice() && !existsSync(DRIVER)) {
  console.error(
    `This machine has no GPU, and ${DRIVER} does not exist. Install it with \`apt-get install chromium\`.`,
  );
  process.exit(1);
}
const { status } = spawnSync(
  join(ROOT, 'node_modules/.bin/vitest'),
  ['run', '--config', 'test/gpu/vitest.config.ts', '--reporter=verbose', ...process.argv.slice(2)],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...(hasGpuDevice() ? {} : swiftShader) } },
);
process.exitCode = status ?? 1;
