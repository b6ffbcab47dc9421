import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ROOT } from '../../helpers/paths.ts';

/** Like `encoderfile … | head -1` after head has exited. */
async function runWithoutReader(args: readonly string[]): Promise<{ exitCode: unknown; stderr: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { exitCode, stderr };
}

test.each([
  [['--help']],
  [['build', '--help']],
  [['base', '--help']],
  [['schema']],
  [['completion', 'bash']],
  [['version', '--json']],
])('%j succeeds even if its output is not read', async (args) => {
  expect(await runWithoutReader(args)).toEqual({ exitCode: 0, stderr: '' });
});
