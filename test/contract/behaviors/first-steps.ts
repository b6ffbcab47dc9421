import type { Behaviors } from './behavior.ts';

/** Documented behavior of the build tool and executables for new users. */
export const FIRST_STEPS = {
  'first-steps:right-command': {
    source: 'docs/build.md',
    behavior:
      'If a command of model executables, a model or an executable is passed instead of an encoderfile command, the usage error shows the correct command line.',
  },
  'first-steps:text-without-command': {
    source: 'docs/infer.md',
    behavior:
      'If a text is passed to an executable instead of a command, the usage error shows the infer command for it.',
  },
  'first-steps:file-of-a-model': {
    source: 'docs/build.md',
    behavior:
      "build and validate accept the path of a model file instead of its folder, and --model-type sets the model's type.",
  },
  'first-steps:assumed-type': {
    source: 'docs/config.md',
    behavior:
      'If a model is built with the default type embedding, the build reports that it returns one vector per token, and explains how to get one vector per text.',
  },
  'first-steps:generator': {
    source: 'docs/config.md',
    behavior:
      'A generative model, such as a causal reranker, is rejected with a reason by build, validate and init, unless its type is passed.',
  },
  'first-steps:init-without-a-model': {
    source: 'docs/build.md',
    behavior: 'init fails and writes nothing if the resulting config could not be built.',
  },
} as const satisfies Behaviors;
