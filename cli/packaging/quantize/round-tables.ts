import type { ByteSource } from '#contract/container/byte-source.ts';
import type { GraphProto, TensorProto } from '#gen/onnx/v1/onnx_pb.ts';
import { FLOAT32, INT8 } from '../onnx/element-types.ts';
import { isRowLookup } from '../onnx/is-row-lookup.ts';
import type { IntegerTensor } from './round-group.ts';
import { readFloats, type WeightsWriter } from './weights-file.ts';

/** Tables of embeddings. Those of positions and of token types are smaller, and stay as they are. */
const MIN_ROWS = 2048;
/** A large table is read in pieces. */
const ROWS_AT_ONCE = 4096;
const LARGEST = 127;

/** Rounds the tables that a graph looks rows up in, with a scale for each row. */
export async function roundTables(
  graph: GraphProto,
  weights: ByteSource,
  writer: WeightsWriter,
): Promise<ReadonlyMap<string, IntegerTensor>> {
  const names = new Set(graph.node.filter(isRowLookup).map(({ input: [table = ''] }) => table));
  const tables = new Map<string, IntegerTensor>();
  for (const table of graph.initializer.filter((tensor) => names.has(tensor.name) && isLarge(tensor))) {
    const [rows = 0, width = 0] = table.dims.map(Number);
    const scales = new Float32Array(rows);
    const integers = await writer.add(
      `${table.name}_integer_rows`,
      INT8,
      [rows, width],
      roundRows(table, weights, scales),
    );
    tables.set(table.name, {
      integers,
      scales: await writer.add(`${table.name}_row_scales`, FLOAT32, [rows, 1], [scales]),
    });
  }
  return tables;
}

const isLarge = ({ dataType, dims }: TensorProto): boolean =>
  dataType === FLOAT32 && dims.length === 2 && Number(dims[0]) >= MIN_ROWS;

/** The integers of a table in pieces. Fills in the scales. */
function* roundRows(table: TensorProto, weights: ByteSource, scales: Float32Array): Iterable<Int8Array> {
  for (let first = 0; first < scales.length; first += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, scales.length - first);
    const values = readFloats(table, weights, { first, count });
    const width = values.length / count;
    const rounded = new Int8Array(values.length);
    for (let row = 0; row < count; row += 1) {
      const numbers = values.subarray(row * width, (row + 1) * width);
      const scale = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 1e-12) / LARGEST;
      scales[first + row] = scale;
      for (let column = 0; column < width; column += 1)
        rounded[row * width + column] = Math.round((numbers[column] ?? 0) / scale);
    }
    yield rounded;
  }
}
