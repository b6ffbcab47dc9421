import type { ResamplePasses } from '#core/images/resample-passes.ts';
import { RGB } from '#core/images/rgb-image.ts';
import { PixelMachine } from './pixel-machine.ts';

/** Bytes of the old and the new rows that are in memory together, so that they stay in the cache of a processor. */
const BYTES_TOGETHER = 131_072;

/** The passes of the resize in WebAssembly, with vector instructions. */
export const wasmPasses: ResamplePasses = {
  narrowRows({ width: oldWidth, pixels }, columns, width, firstRow, endRow) {
    const { first, count, stride, weights } = columns;
    const rowBytes = oldWidth * RGB;
    const newBytes = width * RGB;
    const together = Math.min(
      Math.max(1, Math.floor(BYTES_TOGETHER / (rowBytes + newBytes))),
      endRow - firstRow,
    );
    const machine = new PixelMachine([
      ...[first, count, weights].map(({ byteLength }) => byteLength),
      together * rowBytes,
      together * newBytes,
    ]);
    const tables = [machine.put(first), machine.put(count), machine.put(weights)] as const;
    const from = machine.take(together * rowBytes);
    const to = machine.take(together * newBytes);
    const result = new Uint8Array((endRow - firstRow) * newBytes);
    for (let row = firstRow; row < endRow; row += together) {
      const rows = Math.min(together, endRow - row);
      machine.bytes(from, rows * rowBytes).set(pixels.subarray(row * rowBytes, (row + rows) * rowBytes));
      machine.functions.narrowRows(from, rowBytes, rows, ...tables, stride, width, to);
      result.set(machine.bytes(to, rows * newBytes), (row - firstRow) * newBytes);
    }
    return result;
  },

  lowerColumns(narrow, rows, width, height) {
    const { first, count, stride, weights } = rows;
    const rowBytes = width * RGB;
    const machine = new PixelMachine([
      ...[first, count, weights, narrow].map(({ byteLength }) => byteLength),
      height * rowBytes,
    ]);
    const tables = [machine.put(first), machine.put(count), machine.put(weights)] as const;
    const from = machine.put(narrow);
    const to = machine.take(height * rowBytes);
    machine.functions.lowerColumns(from, rowBytes, height, ...tables, stride, to);
    return machine.bytes(to, height * rowBytes).slice();
  },
};
