import { existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa, ExecaError } from 'execa';
import { TEST_CACHE } from './paths.ts';

interface Arm64Answer {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Arm64Machine {
  run(executable: string, args: readonly string[], env?: Record<string, string>): Promise<Arm64Answer>;
}

const FOLDER = join(TEST_CACHE, 'arm64-root');
const EMULATOR = 'usr/bin/qemu-aarch64-static';
const LOADER = 'lib/ld-linux-aarch64.so.1';

/** What Node and the native libraries link to. */
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1'];
/** Until Debian 12 the first one has the emulator; since Debian 13 it only has a link to the file in the second one. */
const EMULATOR_PACKAGES = ['qemu-user-static', 'qemu-user'];

/** The oldest processor the executables are for: it has no instructions beyond ARMv8.0. */
const PROCESSOR = 'cortex-a72';
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
      return { missing: missingFor(error) };
    }
  }
  return { run };
}

async function run(
  executable: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Arm64Answer> {
  const root = join(FOLDER, 'root');
  const { exitCode, stdout, stderr } = await execa(
    join(FOLDER, EMULATOR),
    ['-cpu', PROCESSOR, '-L', root, executable, ...args],
    { env, reject: false, stdin: 'ignore' },
  );
  return { exitCode, stdout, stderr };
}

/** Prepares beside the final folder and moves it there in the end, so that the folder is complete whenever it exists. */
async function prepareFolder(): Promise<void> {
  await mkdir(TEST_CACHE, { recursive: true });
  const scratch = await mkdtemp(`${FOLDER}.`);
  try {
    const ready = join(scratch, 'ready');
    const apt = await readPackageLists(join(scratch, 'apt'));
    await unpackLibraries(apt, join(ready, 'root'));
    await unpackEmulator(apt, ready);
    if (!existsSync(FOLDER)) await rename(ready, FOLDER);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

type Download = (...packages: string[]) => Promise<string[]>;

/** Reads the package lists of both processors into `folder`, so that nothing of the system's own apt changes. */
async function readPackageLists(folder: string): Promise<Download> {
  await mkdir(join(folder, 'lists/partial'), { recursive: true });
  await mkdir(join(folder, 'archives/partial'), { recursive: true });
  const config = join(folder, 'apt.conf');
  await writeFile(
    config,
    `#clear APT::Architectures;
APT::Architectures { "amd64"; "arm64"; };
// Root's apt would download as a user that may not write here.
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::Cache "${folder}";
Dir::State::Lists "${folder}/lists";
// These refresh what the system knows about its own lists.
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`,
  );
  await execa('apt-get', ['-c', config, 'update']);
  return async (...packages) => {
    const cwd = await mkdtemp(join(folder, 'packages-'));
    await execa('apt-get', ['-c', config, 'download', ...packages], { cwd });
    return (await readdir(cwd)).map((name) => join(cwd, name));
  };
}

async function unpackLibraries(download: Download, root: string): Promise<void> {
  await mkdir(join(root, 'proc'), { recursive: true });
  await writeFile(join(root, 'proc/cpuinfo'), CPUINFO);
  for (const file of await download(...LIBRARIES.map((name) => `${name}:arm64`))) {
    await execa('dpkg-deb', ['-x', file, root]);
  }
  // Since Debian 13 libc6 only fills usr/lib; /lib, where programs look for the loader, is a link of the base system.
  if (!existsSync(join(root, 'lib'))) await symlink('usr/lib', join(root, 'lib'));
  await access(join(root, LOADER));
}

async function unpackEmulator(download: Download, folder: string): Promise<void> {
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

/** What a failed preparation lacks, in one line. */
function missingFor(error: unknown): string {
  if (!(error instanceof ExecaError)) return String(error);
  const reason = /^E: .*/m.exec(String(error.stderr))?.[0] ?? error.shortMessage;
  return `${error.command.split(' ')[0]} that can provide Debian packages (${reason.split('\n')[0]})`;
}
