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
  'first-steps:folder-commands': {
    source: 'docs/try.md#without-arguments',
    behavior:
      'encoderfile without arguments lists the commands for the models, the config file and the executables in the current folder if stdout is a terminal, and prints the help elsewhere.',
  },
  'first-steps:try': {
    source: 'docs/try.md',
    behavior:
      'try builds a model into the cache, prints what infer prints, and names the command that keeps the executable on stderr. The next run uses the same executable, unless a file of the model or a setting has changed.',
  },
  'first-steps:try-mistakes': {
    source: 'docs/try.md#mistakes',
    behavior:
      'Mistakes in command lines of try and run are usage errors before anything is built, and the exit code of the executable is the exit code of the command.',
  },
  'first-steps:run': {
    source: 'docs/try.md#encoderfile-run',
    behavior:
      'run serves an executable, or a model in the cache by its name, in the same process: a signal stops the server, and its exit code is the exit code of the command.',
  },
  'first-steps:cache': {
    source: 'docs/try.md#the-cache-of-executables',
    behavior:
      'cache list shows the executables that try and run built, and cache remove deletes those of one model or all. Files that other users can change are not run.',
  },
  'first-steps:near-names': {
    source: 'docs/hub.md#unknown-names',
    behavior:
      'An error for an unknown model on the hub names a similar model in the cache, and an error for a missing path names a similar one in the folder.',
  },
  'first-steps:interrupted-download': {
    source: 'docs/hub.md#what-is-downloaded',
    behavior:
      'On a terminal, a download shows its size and the time left in one line. Ctrl+C ends it with the exit code of the signal, and the next run resumes it.',
  },
} as const satisfies Behaviors;
