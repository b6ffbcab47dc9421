import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RuntimeInfo, RuntimePart } from '#contract/manifest.ts';
import { ASSET_NATIVE_LIST, nativeAsset } from '#contract/native.ts';
import { isHost, NODE_VERSION, type Platform } from '#contract/platforms.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import type { FileTarget } from '#platform/files/output-target.ts';
import { removeLeftovers, temporaryPath } from '#platform/files/temporary.ts';
import { explainFullDisk } from '../../adapters/disk-space.ts';
import { buildSea } from '../../adapters/node-sea.ts';
import { packageVersion } from '../../adapters/own-files.ts';
import { zstd } from '../../adapters/zstd.ts';
import { removeIcuLocales } from '../binary/elf-icu.ts';
import { removeLibatomic } from '../binary/elf-libatomic.ts';
import { stripElf } from '../binary/elf-strip.ts';
import { planMacho } from '../binary/macho-layout.ts';
import { unsignPe } from '../binary/pe-unsign.ts';
import { writeContainer } from '../steps/write-container.ts';
import type { NativeSources } from './native-libraries.ts';
import type { ProgramFiles, ProgramName } from './program.ts';

export interface RuntimeInput {
  readonly platform: Platform;
  readonly name: ProgramName;
  readonly version: string;
  readonly key: string;
  /** The platform's Node binary. */
  readonly node: string;
  readonly program: ProgramFiles;
  /** Native libraries, for programs that run models. */
  readonly native: NativeSources | undefined;
  readonly output: FileTarget;
}

/**
 * Builds a runtime: Node without its symbol table and unused data, with the program and its native
 * libraries injected. Returns its size.
 */
export async function buildRuntime(input: RuntimeInput): Promise<number> {
  const { platform, program, native, output } = input;
  const scratch = await createScratch(output);
  try {
    const stripped = join(scratch, `node${platform.exeSuffix}`);
    const node = await readFile(input.node);
    const strippedBytes = STRIP[platform.os](node);
    await writeFile(stripped, strippedBytes, { mode: 0o755 });

    const assets = new Map(program.assets);
    if (native) assets.set(ASSET_NATIVE_LIST, new TextEncoder().encode(JSON.stringify(native.list)));
    const parts: RuntimePart[] = [
      {
        name: input.name === 'encoder' ? 'encoderfile' : input.name,
        bytes: [program.main, ...program.assets.values()].reduce((sum, { length }) => sum + length, 0),
      },
    ];
    for (const [name, bytes] of native?.bytes ?? []) {
      const packed = await zstd(bytes);
      assets.set(nativeAsset(name), packed);
      parts.push({ name, bytes: packed.length, unpackedBytes: bytes.length });
    }
    const executable = join(scratch, `base${platform.exeSuffix}`);
    await buildSea({
      scratch,
      executable: stripped,
      main: program.main,
      assets,
      codeCache: isHost(platform, process),
      flags: FLAGS[input.name],
      output: executable,
    });
    // Must run after `--build-sea`, which would restore the removed space, because it keeps the
    // distances between segments in the file.
    const removed = platform.os === 'linux' ? await removeUnusedData(executable) : 0;
    parts.unshift({ name: `Node ${NODE_VERSION}`, bytes: strippedBytes.length - removed });
    return await writeContainer({
      executable: await executableRange(executable, platform),
      payload: [{ name: 'runtime', content: { bytes: describe(input, parts) } }],
      platform,
      output,
    });
  } catch (error) {
    throw explainWriteError(output.shown, await explainFullDisk(scratch, error));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function createScratch({ path, shown }: FileTarget): Promise<string> {
  try {
    await mkdir(dirname(path), { recursive: true });
    removeLeftovers(path);
    const scratch = temporaryPath(path);
    await mkdir(scratch);
    return scratch;
  } catch (error) {
    throw explainWriteError(shown, error);
  }
}

/**
 * By default, V8's young generation grows far beyond what requests need, and garbage collection of
 * the old generation is delayed for a long time. Collecting earlier takes a seventh more processor
 * time per request, and saves 120 MB. Each V8 thread holds memory of its own, and two threads are as
 * fast as four (docs/decisions/0159).
 */
const SMALL_HEAP = [
  '--max-semi-space-size=8',
  '--initial-old-space-size=8',
  '--heap-growing-percent=30',
  '--v8-pool-size=2',
];

/** V8 flags for each program. */
const FLAGS: Record<ProgramName, readonly string[]> = {
  encoder: [],
  manager: SMALL_HEAP,
  gateway: SMALL_HEAP,
};

/**
 * Removes unused symbols, the dependency on a library that minimal systems lack, and signatures
 * that injection would invalidate from the Node binary.
 */
const STRIP: Record<Platform['os'], (node: Uint8Array) => Uint8Array> = {
  linux: (node) => removeLibatomic(stripElf(node)),
  win32: unsignPe,
  // `executableRange` excludes the signature.
  darwin: (node) => node,
};

/** Removes unused ICU data from an executable. Returns the number of bytes removed. */
async function removeUnusedData(executable: string): Promise<number> {
  const whole = await readFile(executable);
  const smaller = removeIcuLocales(whole);
  await writeFile(executable, smaller, { mode: 0o755 });
  return whole.length - smaller.length;
}

function describe(
  { name, version, platform, key, native }: RuntimeInput,
  parts: readonly RuntimePart[],
): Uint8Array {
  const info: RuntimeInfo = {
    ...(name === 'encoder' ? {} : { program: name }),
    version,
    platform: platform.triple,
    node: NODE_VERSION,
    ...(native
      ? { onnxruntime: packageVersion('onnxruntime-node'), tokenizers: packageVersion('tokenizers') }
      : {}),
    key,
    parts,
  };
  return new TextEncoder().encode(JSON.stringify(info));
}

/**
 * Returns the byte range of the program. It excludes a Mach-O signature, which would not match
 * after data is appended and is created again.
 */
async function executableRange(
  path: string,
  platform: Platform,
): Promise<{ path: string; offset: number; length: number; fileSize: number }> {
  const { size } = await stat(path);
  if (platform.os !== 'darwin') return { path, offset: 0, length: size, fileSize: size };
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(65_536), 0, 65_536, 0);
    return {
      path,
      offset: 0,
      length: planMacho(buffer.subarray(0, bytesRead), size).codeEnd,
      fileSize: size,
    };
  } finally {
    await file.close();
  }
}
