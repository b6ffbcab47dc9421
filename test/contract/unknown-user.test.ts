import { join } from 'node:path';
import { execaSync } from 'execa';
import { expect, test } from 'vitest';
import { builtExecutable, builtProgram } from '../helpers/built.ts';
import { copyModel } from '../helpers/model-folder.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { type Answer, runProcess } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';

/** A user ID that is not in the system's list of users, as in a container started with `--user 54321`. */
const AS_UNKNOWN_USER = ['--map-user=54321', '--map-group=54321'];
const canMapUsers =
  process.platform === 'linux' &&
  execaSync('unshare', [...AS_UNKNOWN_USER, 'true'], { reject: false }).exitCode === 0;
if (!canMapUsers) console.warn('SKIPPED: programs of an unknown user, because `unshare --map-user` fails.');

const folder = useTempFolder();
const run = (command: readonly string[], variables: Record<string, string> = {}): Promise<Answer> => {
  const env = { PATH: process.env['PATH'] ?? '', ...variables };
  const words = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return runProcess('unshare', [...AS_UNKNOWN_USER, 'env', '-i', ...words, ...command], { cwd: folder() });
};
const encoderfile = [process.execPath, join(ROOT, 'cli/bin.ts')];

test.runIf(canMapUsers)('the build tool works for a user without a home folder', async () => {
  const config = copyModel(folder());
  const listed = await run([...encoderfile, 'base', 'list'], { XDG_CACHE_HOME: join(folder(), 'cache') });
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await run([...encoderfile, 'validate', '-f', config, '--cache-dir', TEST_CACHE])).toMatchObject({
    exitCode: 0,
  });
  // Validation stores no files, so it does not require a cache.
  const validated = await run([...encoderfile, 'validate', '-f', config], { TMPDIR: folder() });
  expect(validated).toMatchObject({ exitCode: 0 });
  const nowhere = await run([...encoderfile, 'base', 'list']);
  expect(nowhere.exitCode).toBe(1);
  expect(nowhere.stderr).toMatch(/^Error: Cannot locate cache directory: [^\n]+\n?$/);
});

test.runIf(canMapUsers)('executables run for a user without a home folder', async () => {
  const env = { TMPDIR: folder() };
  const model = await run([builtExecutable('sentiment'), 'infer', 'I love this'], env);
  expect(model).toMatchObject({ exitCode: 0, stderr: '' });
  expect(model.stdout).toContain('POSITIVE');

  const manager = builtProgram('manager');
  expect(await run([manager, 'init'], env)).toMatchObject({ exitCode: 0 });
  expect(await run([manager, 'list'], env)).toMatchObject({ exitCode: 0 });

  const gateway = builtProgram('gateway');
  expect(await run([gateway, 'migrate', '--data-dir', 'data'], env)).toMatchObject({ exitCode: 0 });
  const nowhere = await run([gateway, 'migrate'], env);
  expect(nowhere.exitCode).toBe(1);
  expect(nowhere.stderr).toMatch(/^Error: HOME is not set, and [^\n]+--data-dir\.\n?$/);
});
