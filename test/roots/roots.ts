import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { TEST_CACHE } from '../helpers/paths.ts';
import { debianMirror, missingPackages, readPackageLists } from '../helpers/package-lists.ts';

/** A minimal root file system. */
export interface Root {
  readonly name: string;
  readonly release: string;
  /**
   * `libraries` contains only the libraries that executables link to; `minbase` is the smallest Debian system, which only root can set up.
   */
  readonly kind: 'libraries' | 'minbase';
  /** Packages to add to `minbase`. */
  readonly packages?: readonly string[];
  /** Debian's name of the processor. Default: that of this system. */
  readonly architecture?: 'arm64';
}

/** Like distroless images for C++ programs. */
export const SMALLEST_ROOT: Root = { name: 'libraries-bookworm', release: 'bookworm', kind: 'libraries' };

export const ROOTS: readonly Root[] = [
  SMALLEST_ROOT,
  { name: 'libraries-trixie', release: 'trixie', kind: 'libraries' },
  { name: 'minbase-bookworm', release: 'bookworm', kind: 'minbase' },
  { name: 'minbase-bullseye', release: 'bullseye', kind: 'minbase' },
  // glibc 2.28, the oldest version that Node supports. Debian moves its oldest releases from its mirrors to an archive.
  { name: 'libraries-buster', release: 'buster', kind: 'libraries' },
];

/** The same for arm64, whose programs need an emulator on other systems. */
export const ARM64_ROOT: Root = { ...SMALLEST_ROOT, name: 'libraries-bookworm-arm64', architecture: 'arm64' };

/** The libraries that Node and the native libraries link to. */
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1'];
/** The name of `libgcc-s1` before bullseye. */
const OLD_NAMES: Readonly<Record<string, readonly string[]>> = {
  buster: ['libc6', 'libstdc++6', 'libgcc1'],
};

/** The mount points of `enterRoot`, and a file for the program. */
export const PROGRAM = 'app/program';
const FOLDERS = ['app', 'dev', 'etc', 'proc', 'tmp'];

/** Returns the folder of a root file system, set up on first use, or the missing prerequisite. */
export async function prepareRoot(
  root: Root,
): Promise<{ readonly path: string } | { readonly missing: string }> {
  const path = join(TEST_CACHE, 'roots', root.name);
  if (process.platform !== 'linux') return { missing: `Linux (this is ${process.platform})` };
  if (existsSync(path)) return { path };
  await mkdir(join(TEST_CACHE, 'roots'), { recursive: true });
  const scratch = await mkdtemp(`${path}.`);
  try {
    const ready = join(scratch, 'ready');
    await (root.kind === 'minbase' ? bootstrap(root, ready) : unpackLibraries(root, scratch, ready));
    for (const folder of FOLDERS) await mkdir(join(ready, folder), { recursive: true });
    await writeFile(join(ready, PROGRAM), '');
    // Container runtimes write this file.
    await writeFile(join(ready, 'etc/hosts'), '127.0.0.1 localhost\n');
    // Another process may have been faster.
    if (!existsSync(path)) await rename(ready, path);
    return { path };
  } catch (error) {
    return { missing: missingPackages(error) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function unpackLibraries(root: Root, scratch: string, ready: string): Promise<void> {
  const { release } = root;
  const { stdout: own } = await execa('dpkg', ['--print-architecture']);
  const architecture = root.architecture ?? own;
  const lists = { architectures: [...new Set([own, architecture])], release };
  const download = await readPackageLists(join(scratch, 'apt'), lists);
  const names = (OLD_NAMES[release] ?? LIBRARIES).map((name) => `${name}:${architecture}`);
  for (const file of await download(...names)) await execa('dpkg-deb', ['-x', file, ready]);
  // Since Debian 13, packages only fill usr, and these links are part of the base system.
  for (const name of ['lib', 'lib64']) {
    if (!existsSync(join(ready, name)) && existsSync(join(ready, 'usr', name)))
      await symlink(join('usr', name), join(ready, name));
  }
}

async function bootstrap({ release, packages = [] }: Root, ready: string): Promise<void> {
  const included = packages.length === 0 ? [] : [`--include=${packages.join(',')}`];
  await execa('debootstrap', ['--variant=minbase', ...included, release, ready, await debianMirror()]);
}
