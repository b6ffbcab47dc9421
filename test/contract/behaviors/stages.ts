import type { Behaviors } from './behavior.ts';

/** Documented behavior of files that contain a model and its static form. */
export const STAGES = {
  'stages:build': {
    source: 'docs/config.md#static-forms',
    behavior:
      'distill: both writes the model and its static form into one file, and each form returns the same results as alone.',
  },
  'stages:quantized': {
    source: 'docs/config.md#static-forms',
    behavior:
      'With distill: both, the model can be quantized; the static form is made from the model in float32.',
  },
  'stages:damaged': {
    source: 'docs/file-format.md#checks',
    behavior:
      'verify finds a changed byte in the static form, and a table of another size is an error at the start.',
  },
  'stages:infer': {
    source: 'docs/infer.md',
    behavior: 'infer --stage chooses the form, and a model without a static form rejects it.',
  },
  'stages:wires': {
    source: 'docs/serve.md#fast-and-exact-vectors',
    behavior:
      'stage chooses the form over HTTP, gRPC and MCP, and the response states which form computed it.',
  },
  'stages:ranking': {
    source: 'docs/serve.md#fast-and-exact-vectors',
    behavior:
      'A search in two stages ranks the best documents of the static form with the model, in one request.',
  },
  'stages:variants': {
    source: 'docs/serve.md#fast-and-exact-vectors',
    behavior:
      'Models with three outputs rank candidates by weights, and models with windows read whole documents, with distances as scores.',
  },
} as const satisfies Behaviors;
