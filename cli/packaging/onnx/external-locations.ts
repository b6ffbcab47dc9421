import type { ByteSource } from '#contract/container/byte-source.ts';
import { decodeEntry } from './external-data.ts';
import { messageFields } from './message-fields.ts';

/** Field numbers of onnx.proto. */
const MODEL_GRAPH = 7;
const GRAPH_INITIALIZER = 5;
const TENSOR_EXTERNAL_DATA = 13;
/** Longer entries are not names of files. */
const MAX_ENTRY_BYTES = 4096;

/** Names of the files, relative to the graph, that have weights of a model. A file that is not a model has none. */
export function externalLocations(source: ByteSource): string[] {
  const found = new Set<string>();
  try {
    for (const graph of messageFields(source, 0, source.size)) {
      if (graph.number !== MODEL_GRAPH) continue;
      for (const tensor of messageFields(source, graph.start, graph.end)) {
        if (tensor.number !== GRAPH_INITIALIZER) continue;
        for (const { number, start, end } of messageFields(source, tensor.start, tensor.end)) {
          if (number !== TENSOR_EXTERNAL_DATA || end - start > MAX_ENTRY_BYTES) continue;
          const [key, value] = decodeEntry(source.readAt(start, end - start));
          if (key === 'location') found.add(value);
        }
      }
    }
  } catch {
    // ONNX Runtime reads the same file next and reports its problem.
  }
  return [...found];
}
