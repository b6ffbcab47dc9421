import { globSync } from 'node:fs';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { readPackageLists } from '../helpers/package-lists.ts';

/** Python of Debian bookworm and its libraries: no shell, no compiler and no other program. */
const PACKAGES =
  'libc6 libstdc++6 libgcc-s1 libcrypt1 zlib1g libexpat1 libssl3 libffi8 libbz2-1.0 liblzma5 libuuid1 libpython3.11-minimal libpython3.11-stdlib python3.11-minimal'.split(
    ' ',
  );

const PYTHON = '/usr/bin/python3.11';

/**
 * A namespace without network, in which only the loopback interface works. The commands of this system are used before `chroot`, and
 * Python is the only program afterwards.
 */
const SCRIPT = `
root=$1 files=$2
shift 2
ip link set lo up
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$files" "$root/files"
exec env -i PATH=/usr/sbin:/usr/bin HOME=/tmp chroot "$root" "$@"
`;

/**
 * Installs a wheel into a root file system with only Python, with pip from the wheel that Python contains, and uses it. `files` is a folder
 * with the wheel, pip, the script and a model. Returns the output of the script.
 */
export async function installInRoot(scratch: string, files: string): Promise<string> {
  const { stdout: architecture } = await execa('dpkg', ['--print-architecture']);
  const lists = { architectures: [architecture], release: 'bookworm' };
  const download = await readPackageLists(join(scratch, 'apt'), lists);
  const root = await mkdtemp(join(scratch, 'root-'));
  for (const file of await download(...PACKAGES)) await execa('dpkg-deb', ['-x', file, root]);
  for (const folder of ['dev', 'etc', 'files', 'proc', 'tmp'])
    await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
  await symlink('python3.11', join(root, 'usr/bin/python3')).catch(() => undefined);
  const run = async (...args: string[]): Promise<string> => {
    const command = ['-rmn', 'sh', '-ec', SCRIPT, 'sh', root, files, PYTHON, ...args];
    return (await execa('unshare', command)).stdout;
  };
  const [pip = ''] = globSync('pip-*.whl', { cwd: files });
  const [wheel = ''] = globSync('encoderfile-*.whl', { cwd: files });
  await run(
    `/files/${pip}/pip`,
    'install',
    '--no-index',
    '--no-cache-dir',
    '--prefix',
    '/usr',
    `/files/${wheel}`,
  );
  return await run('/files/check_installed.py', '/files/model');
}

/** The wheel of pip in the standard library of a Python. */
export async function bundledPip(python: string): Promise<string> {
  const { stdout } = await execa(python, ['-c', 'import ensurepip; print(ensurepip.__file__)']);
  const [found] = globSync('_bundled/pip-*.whl', { cwd: dirname(stdout) });
  if (found === undefined) throw new Error(`${python} contains no wheel of pip`);
  return join(dirname(stdout), found);
}
