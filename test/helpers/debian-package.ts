import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { TEST_CACHE } from './paths.ts';

/** Test files run in parallel: the second one waits for the lock and then finds the package that the first one installed. */
const INSTALL = `
exec 9>"$1"
flock 9
test -n "$(sh -c "$2")" && exit
apt-get update
apt-get install -y --no-install-recommends "$3"
`;

/** Installs a package if possible, as root on Debian. `isThere` is a command that prints something if it is already installed. */
export async function installDebianPackage(name: string, isThere: string): Promise<void> {
  if (process.getuid?.() !== 0 || !(await works('apt-get', ['--version']))) return;
  await mkdir(TEST_CACHE, { recursive: true });
  const args = ['-ec', INSTALL, 'install', join(TEST_CACHE, 'apt.lock'), isThere, name];
  const { exitCode, stderr } = await execa('sh', args, {
    reject: false,
    stdin: 'ignore',
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (exitCode !== 0) console.warn(`Cannot install ${name}: ${stderr}`);
}

/** Whether a command succeeds. */
export async function works(command: string, args: readonly string[]): Promise<boolean> {
  const { exitCode } = await execa(command, args, { reject: false, stdin: 'ignore' });
  return exitCode === 0;
}
