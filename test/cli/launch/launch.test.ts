import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { ROOT } from '../../helpers/paths.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();

/** Starts the npm launcher with a program that prints its arguments. */
function launch(program: string): { child: ReturnType<typeof spawn>; lines: AsyncIterator<string> } {
  writeFileSync(join(folder(), 'program.mjs'), program);
  const launcher = join(folder(), 'launcher.mjs');
  const entry = relative(ROOT, join(folder(), 'program.mjs'));
  writeFileSync(
    launcher,
    `import { launch } from ${JSON.stringify(join(ROOT, 'cli/launch/launch.mjs'))};\nlaunch(${JSON.stringify(entry)});\n`,
  );
  const child = spawn(process.execPath, [launcher, 'an argument'], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (!child.stdout) throw new Error('no output');
  return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
}

test.each(['SIGTERM', 'SIGHUP'] as const)('forwards %s to the program', async (signal) => {
  const { child, lines } = launch(
    `process.on('${signal}', () => { console.log('told'); process.exit(7); });
     setInterval(() => {}, 1000);
     console.log(process.argv[2]);`,
  );
  const exit = once(child, 'exit');
  expect((await lines.next()).value).toBe('an argument');
  child.kill(signal);
  expect((await lines.next()).value).toBe('told');
  expect(await exit).toEqual([7, null]);
});

test('exits with 128 plus the signal number if a signal terminates the program', async () => {
  const { child } = launch(`process.kill(process.pid, 'SIGKILL');`);
  expect(await once(child, 'exit')).toEqual([137, null]);
});
