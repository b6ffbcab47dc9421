/** The build steps that `--timing` reports, in their usual order. */
export const BUILD_STEPS = {
  node: 'start Node',
  program: 'load the program and parse the command line',
  config: 'read the config, check the output',
  base: 'find the base runtime and verify its checksum (in parallel)',
  check: 'read the tokenizer and the other model files',
  optimize: 'wait for the ONNX Runtime process, optimize the graph, write the weights (in parallel)',
  rewrite: 'wait for the optimized graph, rewrite it for the runtime',
  shapes: 'determine value shapes with short texts',
  run: 'run short texts, one by one and as a batch, and the longest text',
  transform: 'run the transform',
  distill: 'make the static form: run the vocabulary, reduce the vectors, compare texts',
  quantize: 'quantize the graph, measure the accuracy',
  write: 'write the output, each part as soon as it is ready (in parallel)',
} as const;

export type BuildStep = keyof typeof BUILD_STEPS;
