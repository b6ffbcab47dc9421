import { closeSync, openSync, readSync } from 'node:fs';
import { TABLE_ELEMENTS } from '#contract/token-table.ts';
import { tableLayout, type TableParts, type TableShape, valuesOf } from '#core/model/token-table.ts';
import type { FileRange } from './read-chunks.ts';

/** Memory for a table, which only takes up space where it has been written. */
export interface TableMemory {
  /** The rows, as numbers with which the runtime computes. */
  readonly values: SharedArrayBuffer;
  /** One byte for each block of rows: whether the block has been read. */
  readonly read: SharedArrayBuffer;
}

/**
 * Reading takes about 20 us for a block of this size. The vocabulary is sorted by frequency, so that
 * ordinary texts need few of the blocks.
 */
const BLOCK_BYTES = 65_536;

/** Number of rows in a block. */
const rowsInBlock = ({ width, elements }: TableShape): number =>
  Math.max(1, Math.floor(BLOCK_BYTES / (width * TABLE_ELEMENTS[elements])));

/** Allocates memory for a table. */
export function tableMemory(shape: TableShape): TableMemory {
  const bytes = shape.elements === 'int8' ? 1 : Float32Array.BYTES_PER_ELEMENT;
  return {
    values: new SharedArrayBuffer(shape.rows * shape.width * bytes),
    read: new SharedArrayBuffer(Math.ceil(shape.rows / rowsInBlock(shape))),
  };
}

/**
 * Opens a table in a file, and reads blocks of rows when they are first needed: reading all of them
 * would take longer than everything else when a program starts. Two threads can read the same block at
 * the same time, and then write the same numbers.
 */
export function openTableFile(
  shape: TableShape,
  { path, offset, values, read }: FileRange & TableMemory,
): TableParts & { readonly close: () => void } {
  const { rows: count, width, elements } = shape;
  const { weightsAt, mappingAt, bytes } = tableLayout(shape);
  // The file stays open, because another file could replace it.
  const file = openSync(path, 'r');
  const readAt = (start: number, length: number): ArrayBuffer => {
    const part = new Uint8Array(length);
    for (let done = 0; done < length;) {
      const more = readSync(file, part, done, length - done, offset + start + done);
      if (more === 0) throw new Error(`${path} was truncated while the model was running`);
      done += more;
    }
    return part.buffer;
  };
  const rows = elements === 'int8' ? new Int8Array(values) : new Float32Array(values);
  const isRead = new Uint8Array(read);
  const size = rowsInBlock(shape);
  const rowBytes = width * TABLE_ELEMENTS[elements];
  return {
    rows,
    load(row) {
      const block = Math.floor(row / size);
      if (isRead[block] === 1) return;
      const first = block * size;
      const inBlock = Math.min(size, count - first);
      const part = readAt(first * rowBytes, inBlock * rowBytes);
      rows.set(valuesOf(elements, part, inBlock * width), first * width);
      Atomics.store(isRead, block, 1);
    },
    weights: shape.hasWeights ? new Float32Array(readAt(weightsAt, mappingAt - weightsAt)) : undefined,
    close: () => closeSync(file),
    mapping: shape.hasMapping ? new Int32Array(readAt(mappingAt, bytes - mappingAt)) : undefined,
  };
}
