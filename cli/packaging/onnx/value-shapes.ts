import { ROWS_INPUT } from '#contract/manifest.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type DimensionProtoSchema, type GraphProto, ValueInfoProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import type { MeasureResult } from '../../adapters/onnxruntime-task.ts';
import { elementType } from '#core/onnx/element-types.ts';
import { pushAll } from '#core/values/push-all.ts';

/** The sizes of a run. */
export interface RunSize {
  readonly texts: number;
  /** Number of tokens in the longest text. */
  readonly tokens: number;
  /** Number of tokens of each text for which the last layer is computed, for graphs with an input for it. */
  readonly rows: number;
}

/**
 * Makes all values of a graph outputs, so that a run returns them. Returns the names of the values
 * that were not outputs before.
 */
export function exposeValues(graph: GraphProto): string[] {
  const outputs = new Set(['', ...graph.output.map(({ name }) => name)]);
  const values = graph.node.flatMap(({ output }) => output).filter((name) => !outputs.has(name));
  pushAll(
    graph.output,
    values.map((name) => create(ValueInfoProtoSchema, { name })),
  );
  return values;
}

/**
 * Records the shapes of a graph's values, with symbols for the number of texts and tokens. Sizes
 * that depend on anything else, such as the contents of texts, stay unknown.
 */
export function recordShapes(
  graph: GraphProto,
  values: readonly MeasureResult[],
  sizes: readonly RunSize[],
): void {
  for (const { type } of graph.input) {
    const [texts, tokens] = type?.tensorType?.shape?.dim ?? [];
    if (texts && texts.dimValue <= 0n) texts.dimParam = TEXTS;
    if (tokens && tokens.dimValue <= 0n) tokens.dimParam = TOKENS;
  }
  const unknown = sizedByContents(graph);
  graph.valueInfo = values.flatMap(({ name, type, dims }) => {
    if (unknown.has(name)) return [];
    const elemType = elementType(type);
    const [first = []] = dims;
    if (elemType === undefined || dims.some(({ length }) => length !== first.length)) return [];
    const dim = first.map((_, axis) =>
      sizeOf(
        dims.map((run) => run[axis] ?? 0),
        sizes,
      ),
    );
    return [create(ValueInfoProtoSchema, { name, type: { tensorType: { elemType, shape: { dim } } } })];
  });
}

/** Operators whose results have a size that depends on the values of their input. */
const BY_CONTENTS = new Set(['NonZero', 'Unique', 'Compress']);
/** Operators that write rows to their first input, whose size they keep. */
const SCATTER = new Set(['ScatterND', 'ScatterElements']);

/**
 * Values whose size depends on the contents of texts, such as the tokens of an expert. Their sizes
 * in a run can match a symbol by chance, and ONNX Runtime fails on texts with another size.
 */
function sizedByContents({ node: nodes }: GraphProto): Set<string> {
  const found = new Set<string>();
  for (const { opType, input, output } of nodes) {
    const sizing = SCATTER.has(opType) ? input.slice(0, 1) : input;
    if (!BY_CONTENTS.has(opType) && !sizing.some((name) => found.has(name))) continue;
    for (const name of output) found.add(name);
  }
  return found;
}

const TEXTS = 'batch';
const TOKENS = 'sequence';
const ROWS = ROWS_INPUT;

/** Sizes that an axis of an encoder's values can have, apart from a constant factor. */
const SYMBOLS: readonly { readonly name: string; readonly of: (size: RunSize) => number }[] = [
  { name: TEXTS, of: ({ texts }) => texts },
  { name: TOKENS, of: ({ tokens }) => tokens },
  { name: `${TEXTS}*${TOKENS}`, of: ({ texts, tokens }) => texts * tokens },
  { name: ROWS, of: ({ rows }) => rows },
  { name: `${TEXTS}*${ROWS}`, of: ({ texts, rows }) => texts * rows },
];

/**
 * Returns an axis size as a number or a symbol, given the size in each run; unknown if no symbol
 * matches all runs.
 */
function sizeOf(
  measured: readonly number[],
  sizes: readonly RunSize[],
): MessageInitShape<typeof DimensionProtoSchema> {
  const [first = 0] = measured;
  if (measured.every((size) => size === first)) return { dimValue: BigInt(first) };
  for (const { name, of } of SYMBOLS) {
    const factors = measured.map((size, run) => size / of(sizes[run] ?? { texts: 1, tokens: 1, rows: 1 }));
    const [factor = 0] = factors;
    if (!Number.isInteger(factor) || factors.some((other) => other !== factor)) continue;
    return { dimParam: factor === 1 ? name : `${factor}*${name}` };
  }
  return {};
}
