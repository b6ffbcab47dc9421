import type { Behaviors } from './behavior.ts';

/** What the build tool and executables promise to people who do not know them yet. */
export const FIRST_STEPS = {
  'first-steps:right-command': {
    source: 'docs/build.md',
    behavior:
      'A command of model executables, a model or an executable in the place of a command of encoderfile is a usage error that names the right command line.',
  },
  'first-steps:text-without-command': {
    source: 'docs/infer.md',
    behavior:
      'A text in the place of a command of an executable is a usage error that names the infer command for it.',
  },
  'first-steps:file-of-a-model': {
    source: 'docs/build.md',
    behavior: 'build and validate take a file of a model for its folder, and --model-type for its type.',
  },
  'first-steps:assumed-type': {
    source: 'docs/config.md',
    behavior:
      'A model that is built as embedding, because nothing states more, prints that it returns one vector per token, and how to get one per text.',
  },
  'first-steps:generator': {
    source: 'docs/config.md',
    behavior:
      'A model that generates text, such as a causal reranker, is refused by build, validate and init with the reason, unless the type is passed.',
  },
  'first-steps:init-without-a-model': {
    source: 'docs/build.md',
    behavior: 'init fails and writes nothing if no build could use the config.',
  },
} as const satisfies Behaviors;
