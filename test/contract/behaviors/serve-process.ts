import type { Behaviors } from './behavior.ts';

/** What a serving process promises to its parent. */
export const SERVE_PROCESS = {
  'serve:log-not-read': {
    source: 'docs/serve.md',
    behavior: 'Requests are answered, and signals stop it, although its log is not read any more.',
  },
  'serve:log-reader-gone': {
    source: 'docs/serve.md',
    behavior: 'Requests are answered though the reader of its log went away (| head).',
  },
  'serve:log-disk-full': {
    source: 'docs/serve.md',
    behavior: 'Requests are answered though its log is on a full disk.',
  },
  'serve:hang-up': {
    source: 'docs/serve.md',
    behavior: 'A hang-up ends a server that has a terminal, and not one that has none (nohup).',
  },
  'serve:no-debugger': {
    source: 'docs/serve.md',
    behavior: 'SIGUSR1, with which Node opens its debugger to the machine, does nothing.',
  },
  'serve:removed': {
    source: 'docs/executable.md',
    behavior: 'A server goes on when its file is renamed or removed.',
  },
  'mcp:http-options': {
    source: 'docs/mcp.md',
    behavior: 'Options that are for HTTP are refused on stdin and stdout, where they would do nothing.',
  },
  'mcp:full-disk': {
    source: 'docs/mcp.md',
    behavior: 'On stdin and stdout, an answer that cannot be written is a failure with exit code 1.',
  },
} as const satisfies Behaviors;
