import type { Behaviors } from './behavior.ts';

/** What the build tool and executables promise to people who do not know them yet. */
export const FIRST_STEPS = {
  'first-steps:right-command': {
    source: 'docs/build.md',
    behavior:
      'Passing a command of model executables, a model or an executable in place of an encoderfile command is a usage error that shows the correct command line.',
  },
  'first-steps:text-without-command': {
    source: 'docs/infer.md',
    behavior:
      'Passing a text in place of a command of an executable is a usage error that shows the infer command for it.',
  },
  'first-steps:file-of-a-model': {
    source: 'docs/build.md',
    behavior: 'build and validate accept a model file in place of its folder, and --model-type for its type.',
  },
  'first-steps:assumed-type': {
    source: 'docs/config.md',
    behavior:
      'If a model is built as embedding by default, the build reports that it returns one vector per token, and how to get one per text.',
  },
  'first-steps:generator': {
    source: 'docs/config.md',
    behavior:
      'A generative model, such as a causal reranker, is rejected with a reason by build, validate and init, unless the type is passed.',
  },
  'first-steps:init-without-a-model': {
    source: 'docs/build.md',
    behavior: 'init fails and writes nothing if no build could use the resulting config.',
  },
} as const satisfies Behaviors;
