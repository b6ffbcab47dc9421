import { fromBinary } from '@bufbuild/protobuf';
import { configError } from '#contract/errors.ts';
import { ValueInfoProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { openFileSource } from '#platform/file-source.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import { messageFields } from '../onnx/message-fields.ts';

/** An output of a graph, and its type as far as it is known without running the graph. */
export interface GraphOutput {
  readonly name: string;
  /** Number of axes. */
  readonly rank: number | undefined;
}

/** Field numbers of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). */
const MODEL_GRAPH = 7;
const GRAPH_OUTPUT = 12;

/**
 * Reads the outputs of an ONNX file without reading its weights, which can be gigabytes. Returns an
 * empty list for safetensors.
 */
export function graphOutputs(path: string): GraphOutput[] {
  if (isStoredWeights(path)) return [];
  const source = openFileSource(path);
  try {
    const outputs: GraphOutput[] = [];
    for (const graph of messageFields(source, 0, source.size)) {
      if (graph.number !== MODEL_GRAPH) continue;
      for (const { number, start, end } of messageFields(source, graph.start, graph.end)) {
        if (number !== GRAPH_OUTPUT) continue;
        const { name, type } = fromBinary(ValueInfoProtoSchema, source.readAt(start, end - start));
        outputs.push({ name, rank: type?.tensorType?.shape?.dim.length });
      }
    }
    return outputs;
  } catch (error) {
    throw configError(`${path} is not a valid ONNX file. Export the model to ONNX again.`, error);
  } finally {
    source.close();
  }
}
