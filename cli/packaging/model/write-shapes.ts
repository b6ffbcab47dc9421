import { dirname } from 'node:path';
import type { OnnxRuntime } from '../../adapters/onnxruntime.ts';
import { GraphFile } from '../onnx/graph-file.ts';
import { exposeValues, recordShapes, type RunSize } from '../onnx/value-shapes.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import type { RunnableGraph, TriedGraph } from './try-graph.ts';

/**
 * Writes a copy of a graph that has the shapes of its values, so that ONNX Runtime opens it in a fraction of the time
 * (docs/decisions/0094). Returns the path of the copy; or that of the graph, if the copy does not run.
 */
export async function writeShapes(
  runtime: OnnxRuntime,
  { tokenizer, settings: { padId } }: PreparedTokenizer,
  { graphPath, signature: { inputs, output }, fixedShape, firstPosition }: RunnableGraph,
  { maxLength }: Pick<TriedGraph, 'maxLength'>,
): Promise<string> {
  if (maxLength < LONGEST.tokens) return graphPath;
  const [sample = []] = await tokenizer.encode(['Hello']);
  const text = (length: number): number[] =>
    Array.from({ length }, (_, at) => sample[Math.min(at, 1)] ?? padId);
  // Texts of different lengths, so that a size that counts tokens without padding is not taken for one of the shape.
  const batch = ({ texts, tokens }: RunSize): number[][] =>
    Array.from({ length: texts }, (_, row) => text(tokens - row));
  const sizes = [...SHORTER, LONGEST].map((size) => ({ ...size, ...fixedShape }));
  const rules = { folder: dirname(graphPath), inputs, padId, fixedShape, firstPosition };
  const file = await GraphFile.read(graphPath);
  try {
    const exposed = await file.write('exposed', ({ graph }) => graph && exposeValues(graph));
    const runs = sizes.map(batch);
    const values = await runtime.measure({
      ...rules,
      graph: exposed.path,
      values: exposed.result ?? [],
      runs,
    });
    const shaped = await file.write('shaped', ({ graph }) => graph && recordShapes(graph, values, sizes));
    const longest = [text(Math.min(maxLength, MAX_TRIED_TOKENS))];
    for (const ids of [longest, ...runs])
      await runtime.tryOut({ ...rules, graph: shaped.path, output: output.name, ids });
    return shaped.path;
  } catch {
    // The graph itself runs. One with values of types that cannot be outputs, such as sequences, stays without shapes.
    return graphPath;
  }
}

/** Sizes that are not multiples of each other, so that one run explains each size. */
const SHORTER: readonly RunSize[] = [
  { texts: 2, tokens: 13 },
  { texts: 3, tokens: 5 },
];
const LONGEST: RunSize = { texts: 1, tokens: 16 };

/** A size that is limited, such as that of a window, is limited to less. */
const MAX_TRIED_TOKENS = 2048;
