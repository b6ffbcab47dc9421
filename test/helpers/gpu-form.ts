import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { gpuGraph } from '#core/onnx/gpu-graph.ts';
import { ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';

/** Writes the form of a graph that runs on GPUs next to it, and returns its path. */
export function writeGpuForm(graph: string): string {
  const bytes = gpuGraph(readFileSync(graph));
  const path = join(dirname(graph), 'gpu-graph.onnx');
  writeFileSync(path, bytes);
  const operators = fromBinary(ModelProtoSchema, bytes).graph?.node.map(({ opType }) => opType);
  expect(operators).not.toContain('MultiHeadAttention');
  return path;
}
