import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/**
 * Installs the packages of a folder with its own lock file, without install scripts: once, and again when the lock file changes. `purpose`
 * is used in the message.
 */
export async function installLocked(folder: string, purpose: string): Promise<void> {
  const lock = await readFile(join(folder, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  const stamp = join(folder, 'node_modules', '.encoderfile-installed');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  console.error(`Installing ${purpose} (npm install in ${folder}) ...`);
  const windows = process.platform === 'win32';
  // Does not use `npm ci` (docs/decisions/0008).
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const options = { cwd: folder };
  await (windows ? execa('cmd.exe', ['/c', 'npm', ...args], options) : execa('npm', args, options));
  await writeFile(stamp, wanted);
}
