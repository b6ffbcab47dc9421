// Makes a clone ready to work, then runs the command given as arguments on the pinned Node: installs the locked packages once, and again when the lock file changes.
// Plain JavaScript without packages, because it runs before there are any, on Node 20 or newer.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.encoderfile-setup`;
const wanted = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.error('Installing the locked packages ...');
  // Not `npm ci`: it rejects the lock file if a registry lacks packages for other platforms. This command also uses the locked versions and
  // hashes, and does not change the lock file.
  const { status } = spawnSync(
    'npm',
    ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', process.stderr, 'inherit'],
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) {
    console.error(
      'Error: Cannot install the packages of this project. The output of npm above has the reason.',
    );
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

const [command, ...args] = process.argv.slice(2);
if (command) {
  const path = `${root}node_modules/.bin${delimiter}${process.env.PATH}`;
  const windows = process.platform === 'win32';
  const { status, signal } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: windows,
    env: { ...process.env, PATH: path },
  });
  process.exit(signal ? 1 : status);
}
