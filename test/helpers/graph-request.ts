import type { GraphRequest } from '#cli/packaging/model/rewrite-graph.ts';

/** The request of an embedding model that is only an ONNX file. */
export const graphRequest = (file: string): GraphRequest => ({
  modelType: 'embedding',
  vectorsOf: [],
  output: undefined,
  inputs: {},
  isLengthChosen: false,
  keepsIntegers: true,
  family: undefined,
  file,
  graph: file,
});
