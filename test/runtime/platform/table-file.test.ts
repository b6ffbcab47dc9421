import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTokenTable, tableLayout, tableParts, type TableShape } from '#core/model/token-table.ts';
import { openTableFile, tableMemory } from '#platform/table-file.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
/** Bytes before the table, as in an executable. */
const OFFSET = 100;

function write(shape: TableShape): { readonly bytes: ArrayBuffer; readonly path: string } {
  const layout = tableLayout(shape);
  const bytes = new ArrayBuffer(layout.bytes);
  const Rows = { float32: Float32Array, float16: Float16Array, int8: Int8Array }[shape.elements];
  new Rows(bytes, 0, shape.rows * shape.width).set(
    Array.from({ length: shape.rows * shape.width }, (_, at) => (at * 31) % 101),
  );
  if (shape.hasWeights)
    new Float32Array(bytes, layout.weightsAt).set(
      Array.from({ length: shape.vocabularySize }, (_, id) => 1 + (id % 3)),
    );
  if (shape.hasMapping)
    new Int32Array(bytes, layout.mappingAt).set(
      Array.from({ length: shape.vocabularySize }, (_, id) => (id * 7) % shape.rows),
    );
  const path = join(folder(), 'table.bin');
  writeFileSync(path, Buffer.concat([Buffer.alloc(OFFSET), Buffer.from(bytes)]));
  return { bytes, path };
}

const SHAPE: TableShape = {
  rows: 5003,
  elements: 'float32',
  hasWeights: false,
  hasMapping: false,
  width: 24,
  vocabularySize: 5003,
};

test.each([
  ['float32', SHAPE],
  ['float16', { ...SHAPE, elements: 'float16' }],
  ['int8', { ...SHAPE, elements: 'int8', rows: 20_001, vocabularySize: 20_001 }],
  ['weights and a mapping', { ...SHAPE, hasWeights: true, hasMapping: true, vocabularySize: 9001 }],
  ['rows larger than a block', { ...SHAPE, rows: 7, vocabularySize: 7, width: 20_000 }],
] as const)('a table in a file has the same vectors as in memory: %s', (_, shape) => {
  const { bytes, path } = write(shape);
  const memory = tableMemory(shape);
  const { close, ...parts } = openTableFile(shape, {
    path,
    offset: OFFSET,
    length: bytes.byteLength,
    ...memory,
  });
  const [inFile, inMemory] = [parts, tableParts(shape, bytes)].map((one) => openTokenTable(shape, one));
  const last = shape.vocabularySize - 1;
  for (const ids of [[0], [last], [1, 3, last], [last - 1, 2, 0, last, 5]])
    expect(inFile?.(Int32Array.from(ids))).toEqual(inMemory?.(Int32Array.from(ids)));
  const blocks = new Uint8Array(memory.read);
  expect(blocks.length).toBeGreaterThan(1);
  expect(blocks.at(0)).toBe(1);
  close();
});

test('only the blocks of rows that are used are read, and threads share them', () => {
  const { bytes, path } = write(SHAPE);
  const memory = tableMemory(SHAPE);
  const open = () => openTableFile(SHAPE, { path, offset: OFFSET, length: bytes.byteLength, ...memory });
  const [first, second] = [open(), open()];
  const read = (): number => new Uint8Array(memory.read).reduce((sum, one) => sum + one, 0);
  expect(read()).toBe(0);
  first.load?.(10);
  first.load?.(11);
  expect(read()).toBe(1);
  truncateSync(path, OFFSET);
  // The block has been read, so this thread does not need the file.
  second.load?.(12);
  expect(second.rows.slice(12 * 24, 12 * 24 + 3)).toEqual(
    new Float32Array(bytes).slice(12 * 24, 12 * 24 + 3),
  );
  expect(() => second.load?.(5000)).toThrow(`${path} was truncated while the model was running`);
  first.close();
  second.close();
});
