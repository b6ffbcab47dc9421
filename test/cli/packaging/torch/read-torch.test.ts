import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { layerFloats } from '#cli/packaging/model/layer-weights.ts';
import { readTorch } from '#cli/packaging/torch/read-torch.ts';
import { AppError } from '#contract/errors.ts';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { readGoldenM3 } from '../../../helpers/golden-m3.ts';
import { asZip64 } from '../../../helpers/zip64.ts';
import { FIXTURES } from '../../../helpers/paths.ts';

const fixture = (name: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(readFileSync(join(FIXTURES, 'm3', `${name}.pt`)));

const sourceOf = (bytes: Uint8Array, name = 'x.pt'): ByteSource => ({
  name,
  size: bytes.length,
  readAt(offset, length) {
    if (offset < 0 || offset + length > bytes.length) throw new RangeError('outside of the file');
    return bytes.slice(offset, offset + length);
  },
});

test.each(readGoldenM3().files)('reads $name with the same result as torch', ({ name, tensors }) => {
  const source = sourceOf(fixture(name));
  const found = readTorch(source);
  expect([...found.keys()]).toEqual(Object.keys(tensors));
  for (const [key, tensor] of found) {
    expect(tensor.shape).toEqual(tensors[key]?.shape);
    expect([...layerFloats(source, tensor)]).toEqual(tensors[key]?.values);
  }
});

/** The tensors of plain.pt as other files contain them: see make_m3.py. */
test.each(['legacy', 'transposed', 'integers'])('%s contains the tensors of plain', (name) => {
  const floatsOf = (file: string): Record<string, number[]> => {
    const source = sourceOf(fixture(file));
    return Object.fromEntries(
      [...readTorch(source)].map(([key, tensor]) => [key, [...layerFloats(source, tensor)]]),
    );
  };
  const plain = floatsOf('plain');
  const expected =
    name === 'integers'
      ? { ...plain, weight: plain['weight']?.map((value) => Math.trunc(value) + 0) }
      : plain;
  expect(floatsOf(name)).toEqual(expected);
});

test('archives of more than 4 GB have 64-bit numbers', () => {
  const places = (bytes: Uint8Array) => [...readTorch(sourceOf(bytes))];
  expect(places(asZip64(fixture('plain')))).toEqual(places(fixture('plain')));
});

test.each([
  ['deflated', 'it is not an uncompressed zip archive as written by torch'],
  ['module', 'its pickle contains the opcode 0x81, which a state dict of tensors does not need'],
  ['list', 'it does not contain a state dict'],
  ['nested', '"state_dict" in its state dict is not a tensor'],
])('rejects %s', (name, reason) => {
  const read = (): unknown => readTorch(sourceOf(fixture(name)));
  expect(read).toThrow(`Cannot read x.pt: ${reason}`);
  expect(read).toThrow(/torch\.save\(model\.state_dict\(\), path\)\.$/);
});

/** A file whose pickle has the same length as in plain.pt, followed by the rest of that file. */
function withPickle(pickle: string): Uint8Array {
  const bytes = fixture('plain');
  const at = Buffer.from(bytes).indexOf('\x80\x02}q', 0, 'latin1');
  bytes.set(Buffer.from(`\x80\x02${pickle}`, 'latin1'), at);
  return bytes;
}

test.each([
  [
    'cos\nsystem\n(X\x02\x00\x00\x00lstR.',
    'it calls the Python function "os.system", which a state dict of tensors',
  ],
  [
    'cos\nsystem\nX\x02\x00\x00\x00ls\x85R.',
    'it calls the Python function "os.system", which a state dict of tensors does',
  ],
  [
    'cbuiltins\neval\nX\x01\x00\x00\x001\x85R.',
    'it calls the Python function "builtins.eval", which a state dict',
  ],
  ['ctorch._utils\n_rebuild_parameter\n)R.', 'a tensor in its pickle is incomplete'],
  ['ccollections\nOrderedDict\n}\x85R.', 'a tensor in its pickle is incomplete'],
  ['c__main__\nX\n.', 'it does not contain a state dict'],
  ['}K\x01K\x01s.', 'it has a key that is not a string'],
  ['}}.', 'it must contain exactly one value'],
  ['K\x01}b.', 'it sets attributes on a value'],
  ['}(u}h\x09.', 'its pickle is damaged'],
  ['X\xff\xff\xff\xff', 'its pickle is damaged'],
  ['}(0.', 'its pickle contains the opcode 0x30,'],
  ['\x80\x01}.', 'its pickle protocol 1 is not supported'],
  ['\x8a\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01.', 'its pickle is damaged'],
])('does not execute code: %j', (pickle, reason) => {
  expect(() => readTorch(sourceOf(withPickle(pickle)))).toThrow(reason);
});

test('does not execute code in the format before torch 1.6', () => {
  const bytes = Buffer.from(fixture('legacy'));
  const attack = Buffer.from('\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.', 'latin1');
  // The third pickle is the machine's description, and the fourth is the state dict.
  attack.copy(bytes, bytes.indexOf('\x80\x02}q', bytes.indexOf('little_endian'), 'latin1'));
  expect(() => readTorch(sourceOf(bytes))).toThrow('it calls the Python function "os.system", which');
  const described = Buffer.from(fixture('legacy'));
  attack.copy(described, 21);
  expect(() => readTorch(sourceOf(described))).toThrow('it calls the Python function "os.system", which');
});

test('values outside of the file and huge shapes are rejected', () => {
  const plain = fixture('plain');
  const sized = Buffer.from(plain);
  // BININT1 of the size of the bias, as a tuple with one item.
  sized[sized.indexOf('K\x02\x85', 0, 'latin1') + 1] = 200;
  expect(() => readTorch(sourceOf(sized))).toThrow('it does not contain all values of a tensor');
  const legacy = fixture('legacy');
  expect(() => readTorch(sourceOf(legacy.subarray(0, -4)))).toThrow(
    'it does not contain all values of a tensor',
  );
});

test('big-endian, truncated and replaced files are rejected', () => {
  const bytes = fixture('plain');
  expect(() => readTorch(sourceOf(bytes.subarray(0, -1)))).toThrow('is not an uncompressed zip archive');
  expect(() => readTorch(sourceOf(new Uint8Array()))).toThrow('is not an uncompressed zip archive');
  const pointer = Buffer.from('version https://git-lfs.github.com/spec/v1\n');
  expect(() => readTorch(sourceOf(pointer))).toThrow('it is a Git LFS pointer; run `git lfs pull`.');
  Buffer.from(bytes.buffer).write('bigger', Buffer.from(bytes).indexOf('little'));
  expect(() => readTorch(sourceOf(bytes))).toThrow('it was saved on a machine with a different byte order');
});

/** `read`, or the reason why a file is rejected. */
function outcomeOf(bytes: Uint8Array): string {
  try {
    const places = [...readTorch(sourceOf(bytes)).values()];
    const areInside = places.every(({ offset, length }) => length >= 0 && offset + length <= bytes.length);
    return areInside ? 'read' : 'tensors outside of the file';
  } catch (error) {
    return error instanceof AppError ? error.message : `not an AppError: ${String(error)}`;
  }
}

const OUTCOME = /^(?:read|Cannot read x\.pt: [^\n]+\.)$/;
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 1000);

test('a malicious file causes a one-sentence error or returns only tensors that it contains', () => {
  const names = ['protocol-2', 'protocol-5', 'parameters', 'legacy', 'transposed'];
  const originals = [...names.map(fixture), asZip64(fixture('plain'))];
  const change = fc.record({ at: fc.nat(2000), value: fc.integer({ min: 0, max: 255 }) });
  fc.assert(
    fc.property(
      fc.constantFrom(...originals),
      fc.array(change, { maxLength: 12 }),
      fc.option(fc.nat(2000)),
      (original, changes, end) => {
        const bytes = original.slice(0, end ?? original.length);
        for (const { at, value } of changes) if (at < bytes.length) bytes[at] = value;
        expect(outcomeOf(bytes)).toMatch(OUTCOME);
      },
    ),
    { numRuns: RUNS },
  );
});

test('a malicious pickle causes a one-sentence error', () => {
  // Supported instructions, so that most pickles are parsed beyond the first one.
  const known = fc.constantFrom(
    ...Buffer.from('}()t\x85\x86\x87usbq\x00h\x00NK\x05QR\x88X\x01\x00\x00\x00a\x94\x93', 'latin1'),
  );
  const instruction = fc.oneof(
    { weight: 9, arbitrary: known },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
  );
  fc.assert(
    fc.property(fc.array(instruction, { maxLength: 200 }), (codes) => {
      expect(outcomeOf(withPickle(String.fromCharCode(...codes)))).toMatch(OUTCOME);
    }),
    { numRuns: RUNS },
  );
});
