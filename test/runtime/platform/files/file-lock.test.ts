import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tryLock, withFileLock } from '#platform/files/file-lock.ts';
import { startLockHolder } from '../../../helpers/lock-holder.ts';
import { ROOT } from '../../../helpers/paths.ts';
import { runProcess } from '../../../helpers/run-process.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const path = (): string => join(folder(), 'f');

test('only one caller can hold a lock, and its lock file is removed when it is released', async () => {
  const lock = tryLock(path());
  expect(tryLock(path())).toBeUndefined();
  await expect(withFileLock(path(), () => Promise.resolve(), 0)).rejects.toThrow(
    `${path()} is being edited by another command, which holds ${path()}.lock. Retry when that command has finished.`,
  );
  lock?.release();
  expect(readdirSync(folder())).toEqual([]);
  expect(await withFileLock(path(), () => Promise.resolve('yes'))).toBe('yes');
  expect(readdirSync(folder())).toEqual([]);
});

test('a lock is released if the function that runs under the lock fails', async () => {
  await expect(withFileLock(path(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withFileLock(path(), () => Promise.resolve('yes'))).toBe('yes');
});

test('a running process keeps its lock, and the lock of a killed process is released', async () => {
  const holder = await startLockHolder(path());
  expect(tryLock(path())).toBeUndefined();
  await holder.kill();
  const lock = tryLock(path());
  expect(lock).toBeDefined();
  lock?.release();
});

test('a lock file left over from an earlier process does not block the lock', () => {
  writeFileSync(`${path()}.lock`, '');
  const lock = tryLock(path());
  expect(lock).toBeDefined();
  lock?.release();
});

test('only one caller holds the lock at a time, regardless of how many callers wait', async () => {
  let inside = 0;
  const work = Array.from({ length: 20 }, () =>
    withFileLock(path(), async () => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    }),
  );
  await Promise.all(work);
  expect(inside).toBe(0);
});

test('concurrent processes that use the lock run one after another', async () => {
  const module = join(ROOT, 'runtime/platform/files/file-lock.ts');
  const program = `
    import { readFileSync, writeFileSync } from 'node:fs';
    const { withFileLock } = await import(process.argv[1]);
    const count = () => writeFileSync(process.argv[2], String(Number(readFileSync(process.argv[2], 'utf8')) + 1));
    for (let round = 0; round < 150; round += 1)
      await withFileLock(process.argv[2], () => Promise.resolve(count()), 60_000);
  `;
  writeFileSync(path(), '0');
  const args = ['--input-type=module', '-e', program, module, path()];
  const answers = await Promise.all(Array.from({ length: 4 }, () => runProcess(process.execPath, args)));
  expect(answers.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(answers.map(() => [0, '']));
  expect(readFileSync(path(), 'utf8')).toBe('600');
  expect(readdirSync(folder())).toEqual(['f']);
});

test('a failed second attempt to lock in the same process does not release the lock', async () => {
  const module = join(ROOT, 'runtime/platform/files/file-lock.ts');
  const program = `
    const { tryLock } = await import(process.argv[1]);
    console.log(tryLock(process.argv[2]) === undefined);
  `;
  const lock = tryLock(path());
  expect(tryLock(path())).toBeUndefined();
  const args = ['--input-type=module', '-e', program, module, path()];
  expect(await runProcess(process.execPath, args)).toMatchObject({ exitCode: 0, stdout: 'true' });
  lock?.release();
  expect(await runProcess(process.execPath, args)).toMatchObject({ exitCode: 0, stdout: 'false' });
});
