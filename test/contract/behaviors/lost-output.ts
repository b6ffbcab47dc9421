import type { Behaviors } from './behavior.ts';

/** Documented behavior in cases where results could be lost silently. */
export const LOST_OUTPUT = {
  'build:two-models-at-once': {
    source: 'docs/build.md',
    behavior:
      'A build waits for another build with the same output path and, if that build was for another model, is rejected, as if the builds had run one after the other.',
  },
  'build:unknown-vocabulary': {
    source: 'docs/config.md',
    behavior:
      'A tokenizer that maps its own vocabulary to unknown tokens, for example by lowercasing texts for an uppercase vocabulary, is rejected, and the error names the setting.',
  },
  'infer:output:stdin': {
    source: 'docs/infer.md',
    behavior:
      'With --input -, an output path that is the file on stdin is rejected, and the file stays unchanged.',
  },
  'infer:closed-stdout': {
    source: 'docs/infer.md',
    behavior: 'infer without an output file prints a warning if stdout is closed, but not for >/dev/null.',
  },
  'mcp:lost-output': {
    source: 'docs/mcp.md',
    behavior:
      'mcp exits with code 1 and an error if stdout is closed, or if the client closes it before reading all responses.',
  },
} as const satisfies Behaviors;
