import { dirname } from 'node:path';
import { AppError } from '#contract/errors.ts';
import type { OnnxRuntime } from '../../adapters/onnxruntime.ts';
import { GraphFile } from '../onnx/graph-file.ts';
import { exposeValues, recordShapes, type RunSize } from '../onnx/value-shapes.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import { stuckError } from './stuck-error.ts';
import type { RunnableGraph } from './prepared-graph.ts';

/**
 * Writes a copy of a graph that has the shapes of its values, so that ONNX Runtime opens it in a fraction of the time
 * (docs/decisions/0094). Returns the path of the copy; or undefined if the shapes cannot be found. `model` is the file that messages name.
 */
export async function writeShapes(
  runtime: OnnxRuntime,
  model: string,
  { tokenizer, settings: { padId, maxLength } }: PreparedTokenizer,
  { graphPath, signature: { inputs }, fixedShape, firstPosition }: RunnableGraph,
): Promise<string | undefined> {
  if (Math.min(maxLength, fixedShape?.tokens ?? Infinity) < LONGEST.tokens) return undefined;
  const [sample = []] = await tokenizer.encode(['Hello']);
  // Texts of different lengths, so that a size that counts tokens without padding is not taken for one of the shape.
  const batch = ({ texts, tokens }: RunSize): number[][] =>
    Array.from({ length: texts }, (_, row) => textOf(sample, tokens - row, padId));
  const sizes = [...SHORTER, LONGEST].map((size) => ({ ...size, ...fixedShape }));
  const runs = sizes.map(batch);
  const file = await GraphFile.read(graphPath);
  try {
    const exposed = await file.write('exposed', ({ graph }) => graph && exposeValues(graph));
    const values = await runtime.measure({
      folder: dirname(graphPath),
      inputs,
      padId,
      fixedShape,
      firstPosition,
      graph: exposed.path,
      values: exposed.result ?? [],
      runs,
    });
    const shaped = await file.write('shaped', ({ graph }) => graph && recordShapes(graph, values, sizes));
    return shaped.path;
  } catch (error) {
    if (error instanceof AppError) throw stuckError(model, runs[0] ?? [], error);
    // The graph itself may run: one with values of types that cannot be outputs, such as sequences, stays without shapes.
    return undefined;
  }
}

const textOf = (sample: readonly number[], length: number, padId: number): number[] =>
  Array.from({ length }, (_, at) => sample[Math.min(at, 1)] ?? padId);

/** Sizes that are not multiples of each other, so that one run explains each size. */
const SHORTER: readonly RunSize[] = [
  { texts: 2, tokens: 13 },
  { texts: 3, tokens: 5 },
];
const LONGEST: RunSize = { texts: 1, tokens: 16 };
