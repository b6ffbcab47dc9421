import type { GraphRequest } from '#cli/packaging/model/prepared-graph.ts';

/** The build request for an embedding model that consists only of an ONNX file. */
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
