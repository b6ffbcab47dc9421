import type { Behaviors } from './behavior.ts';

/** What is promised about results that could be lost without a sign. */
export const LOST_OUTPUT = {
  'build:two-models-at-once': {
    source: 'docs/build.md',
    behavior:
      'A build waits for another one of the same output, and is then rejected if that was of another model, as it is without waiting.',
  },
  'build:unknown-vocabulary': {
    source: 'docs/config.md',
    behavior:
      'A tokenizer that turns its own vocabulary into unknown tokens, such as one that lower-cases texts for upper-case words, is rejected with the setting.',
  },
  'infer:output:stdin': {
    source: 'docs/infer.md',
    behavior: 'infer --input - rejects an output that is the file on stdin, which stays as it is.',
  },
  'infer:closed-stdout': {
    source: 'docs/infer.md',
    behavior: 'infer without an output file prints a warning if stdout is closed, but not for >/dev/null.',
  },
  'mcp:lost-output': {
    source: 'docs/mcp.md',
    behavior:
      'mcp exits with 1 and an error if stdout is closed, or if the client closes it before reading all responses.',
  },
} as const satisfies Behaviors;
