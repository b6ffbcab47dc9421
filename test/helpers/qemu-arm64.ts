import { existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { type DownloadPackages, missingPackages, readPackageLists } from './package-lists.ts';
import { TEST_CACHE } from './paths.ts';

interface Arm64Answer {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Arm64Machine {
  run(
    executable: string,
    args: readonly string[],
    env?: Record<string, string>,
    processor?: Arm64Processor,
  ): Promise<Arm64Answer>;
}

/** The oldest processor that executables are for, with no instructions beyond ARMv8.0; and one that has all, such as products of integers. */
type Arm64Processor = 'cortex-a72' | 'max';

const FOLDER = join(TEST_CACHE, 'arm64-root');
const EMULATOR = 'usr/bin/qemu-aarch64-static';
const LOADER = 'lib/ld-linux-aarch64.so.1';

/** What Node and the native libraries link to. */
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1'];
/** Until Debian 12 the first one has the emulator; since Debian 13 it only has a link to the file in the second one. */
const EMULATOR_PACKAGES = ['qemu-user-static', 'qemu-user'];

/**
 * ONNX Runtime asks this file which processor it runs on, and older emulators show it the one of the host. The host's
 * has no "CPU implementer" or "CPU part", and without any of them ONNX Runtime writes through a null pointer when loaded.
 */
const CPUINFO = `processor\t: 0
BogoMIPS\t: 100.00
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x0
CPU part\t: 0xd08
CPU revision\t: 3

`;

/**
 * Something that runs executables for linux-arm64 on linux-x64: the emulator and the libraries of Debian's packages,
 * downloaded once and unpacked without installing them. Where that is not possible: what is missing.
 */
export async function prepareArm64(): Promise<Arm64Machine | { readonly missing: string }> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { missing: `Linux on x64 (this is ${process.platform}-${process.arch})` };
  }
  if (!existsSync(FOLDER)) {
    try {
      await prepareFolder();
    } catch (error) {
      return { missing: missingPackages(error) };
    }
  }
  return { run };
}

async function run(
  executable: string,
  args: readonly string[],
  env: Record<string, string> = {},
  processor: Arm64Processor = 'cortex-a72',
): Promise<Arm64Answer> {
  const root = join(FOLDER, 'root');
  const { exitCode, stdout, stderr } = await execa(
    join(FOLDER, EMULATOR),
    ['-cpu', processor, '-L', root, executable, ...args],
    { env, reject: false, stdin: 'ignore' },
  );
  return { exitCode, stdout, stderr };
}

/** Prepares the folder next to its final place and moves it there in the end, so that the folder is complete whenever it exists. */
async function prepareFolder(): Promise<void> {
  await mkdir(TEST_CACHE, { recursive: true });
  const scratch = await mkdtemp(`${FOLDER}.`);
  try {
    const ready = join(scratch, 'ready');
    const apt = await readPackageLists(join(scratch, 'apt'), { architectures: ['amd64', 'arm64'] });
    await unpackLibraries(apt, join(ready, 'root'));
    await unpackEmulator(apt, ready);
    if (!existsSync(FOLDER)) await rename(ready, FOLDER);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function unpackLibraries(download: DownloadPackages, root: string): Promise<void> {
  await mkdir(join(root, 'proc'), { recursive: true });
  await writeFile(join(root, 'proc/cpuinfo'), CPUINFO);
  for (const file of await download(...LIBRARIES.map((name) => `${name}:arm64`))) {
    await execa('dpkg-deb', ['-x', file, root]);
  }
  // Since Debian 13 libc6 only fills usr/lib; /lib, where programs look for the loader, is a link of the base system.
  if (!existsSync(join(root, 'lib'))) await symlink('usr/lib', join(root, 'lib'));
  await access(join(root, LOADER));
}

async function unpackEmulator(download: DownloadPackages, folder: string): Promise<void> {
  for (const name of EMULATOR_PACKAGES) {
    const [file = ''] = await download(`${name}:amd64`);
    // The package holds emulators of every processor, hundreds of megabytes.
    const wanted = ['--wildcards', './usr/bin/qemu-aarch64*'];
    await execa('dpkg-deb', ['--fsys-tarfile', file], { buffer: false }).pipe('tar', [
      '--extract',
      '--directory',
      folder,
      ...wanted,
    ]);
    if (existsSync(join(folder, EMULATOR))) return;
  }
  throw new Error(`${EMULATOR} is in none of ${EMULATOR_PACKAGES.join(', ')}`);
}
