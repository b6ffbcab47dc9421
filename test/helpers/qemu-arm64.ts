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

/** Files with which a system runs arm64 programs as if they were its own. */
export interface Arm64Emulator {
  readonly program: string;
  /** The content of /proc/cpuinfo on the emulated CPU. */
  readonly cpuinfo: string;
}

export interface Arm64Machine {
  readonly emulator: Arm64Emulator;
  run(
    executable: string,
    args: readonly string[],
    env?: Record<string, string>,
    processor?: Arm64Processor,
  ): Promise<Arm64Answer>;
}

/** The oldest supported CPU, with no instructions beyond ARMv8.0, and a CPU with all of them, such as integer dot products. */
type Arm64Processor = 'cortex-a72' | 'max';

const FOLDER = join(TEST_CACHE, 'arm64-root');
const EMULATOR = 'usr/bin/qemu-aarch64-static';
const LOADER = 'lib/ld-linux-aarch64.so.1';

/** The libraries that Node and the native libraries link to. */
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1'];
/** Up to Debian 12, the first package contains the emulator; since Debian 13, it contains only a link to the file in the second one. */
const EMULATOR_PACKAGES = ['qemu-user-static', 'qemu-user'];

/**
 * ONNX Runtime reads the CPU model from this file, and older emulators expose the host's file. It has no "CPU implementer" or "CPU part",
 * without which ONNX Runtime writes through a null pointer when it is loaded.
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
 * Runs linux-arm64 executables on linux-x64 with the emulator and libraries from Debian packages, downloaded once and unpacked without
 * installing them. If that is not possible, contains the missing prerequisite.
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
  return { run, emulator: { program: join(FOLDER, EMULATOR), cpuinfo: join(FOLDER, 'root/proc/cpuinfo') } };
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

/** Prepares the folder next to its final path and then renames it, so that an existing folder is always complete. */
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
  // Since Debian 13, libc6 only installs to usr/lib; /lib, where programs look for the loader, is a link in the base system.
  if (!existsSync(join(root, 'lib'))) await symlink('usr/lib', join(root, 'lib'));
  await access(join(root, LOADER));
}

async function unpackEmulator(download: DownloadPackages, folder: string): Promise<void> {
  for (const name of EMULATOR_PACKAGES) {
    const [file = ''] = await download(`${name}:amd64`);
    // The package contains emulators for all CPUs, hundreds of megabytes.
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
