import type { DatasetCell } from '../dataset.ts';
import type { ColumnType } from './column-type.ts';
import { pushVarint } from './thrift.ts';

/** A column's cells, as an uncompressed page. */
interface ColumnPage {
  /** Number of values, including missing ones. A list has one per element, and at least one. */
  readonly values: number;
  readonly bytes: Buffer;
}

/** Definition levels of a list: missing, empty, with a missing element, with an element. */
const LIST = { missing: 0, empty: 1, missingElement: 2, element: 3 } as const;

/** Encodes cells: repetition levels, definition levels, then the defined values one after the other. */
export function columnPage(type: ColumnType, cells: readonly DatasetCell[]): ColumnPage {
  if (type !== 'texts') {
    const defined = cells.filter((cell) => cell !== null);
    const levels = runs(
      cells.map((cell) => (cell === null ? 0 : 1)),
      1,
    );
    return { values: cells.length, bytes: Buffer.concat([levels, plain(type, defined)]) };
  }
  const [repetition, definition, texts]: [number[], number[], DatasetCell[]] = [[], [], []];
  for (const cell of cells) {
    const list = Array.isArray(cell) ? (cell as readonly DatasetCell[]) : [];
    if (list.length === 0) {
      repetition.push(0);
      definition.push(cell === null ? LIST.missing : LIST.empty);
    }
    for (const [at, one] of list.entries()) {
      repetition.push(at === 0 ? 0 : 1);
      definition.push(one === null ? LIST.missingElement : LIST.element);
      if (one !== null) texts.push(one);
    }
  }
  const bytes = Buffer.concat([runs(repetition, 1), runs(definition, 2), plain('text', texts)]);
  return { values: definition.length, bytes };
}

/** Levels as runs of equal values, prefixed with their length. `bits` is at most 8, so that a value takes one byte. */
function runs(levels: readonly number[], bits: number): Buffer {
  if (bits > 8) throw new Error('levels with more than 8 bits are not needed');
  const bytes: number[] = [];
  for (let at = 0; at < levels.length;) {
    const level = levels[at] ?? 0;
    let end = at + 1;
    while (end < levels.length && levels[end] === level) end += 1;
    pushVarint(bytes, (end - at) * 2);
    bytes.push(level);
    at = end;
  }
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, Buffer.from(bytes)]);
}

function plain(type: Exclude<ColumnType, 'texts'>, cells: readonly DatasetCell[]): Buffer {
  if (type === 'boolean') {
    const bits = Buffer.alloc(Math.ceil(cells.length / 8));
    for (const [at, cell] of cells.entries())
      if (cell === true) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
    return bits;
  }
  if (type === 'integer' || type === 'number') {
    const numbers = Buffer.alloc(cells.length * 8);
    for (const [at, cell] of cells.entries()) {
      if (type === 'integer') numbers.writeBigInt64LE(BigInt(Number(cell)), at * 8);
      else numbers.writeDoubleLE(Number(cell), at * 8);
    }
    return numbers;
  }
  return Buffer.concat(
    cells.flatMap((cell) => {
      const content = Buffer.from(type === 'text' && typeof cell === 'string' ? cell : JSON.stringify(cell));
      const length = Buffer.alloc(4);
      length.writeUInt32LE(content.length);
      return [length, content];
    }),
  );
}
