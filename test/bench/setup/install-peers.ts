import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../measure/child.ts';
import { PATHS } from './paths.ts';

/** Installs the other contestants from the bench's own lock file, once and again when that changes. */
export async function installPeers(): Promise<void> {
  const lock = await readFile(join(PATHS.bench, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  const stamp = join(PATHS.bench, 'node_modules', '.encoderfile-bench');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  console.error('Installing the other contestants (npm ci in test/bench) ...');
  const windows = process.platform === 'win32';
  await runProgram({
    command: windows ? 'cmd.exe' : 'npm',
    args: [...(windows ? ['/c', 'npm'] : []), 'ci', '--prefix', PATHS.bench, '--ignore-scripts'],
  });
  await writeFile(stamp, wanted);
}
