import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { hasGpuDevice } from '#platform/gpu-devices.ts';
import { ROOT } from '../helpers/paths.ts';
import { provideSoftwareGpu } from '../helpers/software-gpu.ts';

/**
 * Runs the tests of `--device` on this machine's GPU, or on a software driver: the one in VK_DRIVER_FILES, or SwiftShader. Variables for
 * Vulkan must be set before a process starts.
 */
const hasDriver = hasGpuDevice() || process.env['VK_DRIVER_FILES'] !== undefined;
const variables = hasDriver ? {} : await provideSoftwareGpu();
if (variables) {
  const { status } = spawnSync(
    join(ROOT, 'node_modules/.bin/vitest'),
    ['run', '--config', 'test/gpu/vitest.config.ts', '--reporter=verbose', ...process.argv.slice(2)],
    { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...variables } },
  );
  process.exitCode = status ?? 1;
} else {
  console.error('This machine has no GPU and no software driver.');
  process.exitCode = 1;
}
