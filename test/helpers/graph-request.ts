import type { GraphRequest } from '#cli/packaging/model/prepared-graph.ts';

/** The request of an embedding model that is only an ONNX file. */
export const graphRequest = (file: string): GraphRequest => ({
  modelType: 'embedding',
  rules: {},
  output: undefined,
  inputs: {},
  isLengthChosen: false,
  keepsIntegers: true,
  family: undefined,
  file,
  graph: file,
});
