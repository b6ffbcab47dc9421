import type { Behaviors } from './behavior.ts';

/** Documented behavior of a server process toward its parent. */
export const SERVE_PROCESS = {
  'serve:log-not-read': {
    source: 'docs/serve.md',
    behavior: 'The server keeps serving requests, and signals still stop it, if no process reads its log.',
  },
  'serve:log-reader-gone': {
    source: 'docs/serve.md',
    behavior: 'The server keeps serving requests after the reader of its log exits (| head).',
  },
  'serve:log-disk-full': {
    source: 'docs/serve.md',
    behavior: 'The server keeps serving requests if its log is on a full disk.',
  },
  'serve:hang-up': {
    source: 'docs/serve.md',
    behavior:
      'SIGHUP stops a server that runs in a terminal, but not a server that runs without one (nohup).',
  },
  'serve:no-debugger': {
    source: 'docs/serve.md',
    behavior: "SIGUSR1, which normally starts Node's debugger, has no effect.",
  },
  'serve:removed': {
    source: 'docs/executable.md',
    behavior: 'A server keeps running when its file is renamed or removed.',
  },
  'mcp:http-options': {
    source: 'docs/mcp.md',
    behavior: 'HTTP options are rejected over stdio, where they would have no effect.',
  },
  'mcp:full-disk': {
    source: 'docs/mcp.md',
    behavior: 'Over stdio, a response that cannot be written causes an error with exit code 1.',
  },
} as const satisfies Behaviors;
