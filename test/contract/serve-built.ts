import { dirname } from 'node:path';
import { expect } from 'vitest';
import { builtBuildTool } from '../helpers/built.ts';
import { runCliHere } from '../helpers/cli-here.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { runExecutable } from './arms.ts';
import { type ServingArm, serveAssets } from './serving.ts';
import type { useServers } from './started-servers.ts';

interface BuiltServer {
  readonly httpPort: number;
  readonly stop: () => Promise<void>;
}

/**
 * Builds the model of a config to `output`, which ends in `.encoder`, and serves it: in this process, or as an executable written by the
 * single-file build tool.
 */
export async function serveBuilt(
  { name }: ServingArm,
  config: string,
  output: string,
  serve: ReturnType<typeof useServers>['serve'],
): Promise<BuiltServer> {
  const cwd = dirname(output);
  if (name === 'in-process') {
    const args = ['build', '-f', config, '--no-build', '-o', output, '--cache-dir', TEST_CACHE];
    expect(await runCliHere(args, { cwd })).toMatchObject({ exitCode: 0 });
    return await serveAssets(output.replace(/\.encoder$/, '.assets'));
  }
  const args = ['build', '-f', config, '-o', output];
  expect(await runExecutable(builtBuildTool(), args, { cwd })).toMatchObject({ exitCode: 0 });
  const { url, child, ended } = await serve({ path: output });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return { httpPort: Number(new URL(url).port), stop };
}
