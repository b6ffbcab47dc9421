import type { Behaviors } from './behavior.ts';

/** Documented behavior of the build tool and executables for new users. */
export const FIRST_STEPS = {
  'first-steps:right-command': {
    source: 'docs/build.md',
    behavior:
      'If the first argument of encoderfile is a model, an executable or a command of executables, the usage error shows the correct command line.',
  },
  'first-steps:text-without-command': {
    source: 'docs/infer.md',
    behavior:
      'If the first argument of an executable is a text instead of a command, the usage error shows the infer command for this text.',
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
      'A generative model, unless it is a reranker of a known family, is rejected with a reason by build, validate and init, unless its type is passed.',
  },
  'first-steps:init-without-a-model': {
    source: 'docs/build.md',
    behavior: 'init fails and does not write a config if no build could use it.',
  },
} as const satisfies Behaviors;
