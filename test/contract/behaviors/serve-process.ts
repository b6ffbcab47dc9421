import type { Behaviors } from './behavior.ts';

/** What a serving process promises to its parent. */
export const SERVE_PROCESS = {
  'serve:log-not-read': {
    source: 'docs/serve.md',
    behavior: 'Requests are still served and signals still stop it if no process reads its log.',
  },
  'serve:log-reader-gone': {
    source: 'docs/serve.md',
    behavior: 'Requests are still served after the reader of its log exits (| head).',
  },
  'serve:log-disk-full': {
    source: 'docs/serve.md',
    behavior: 'Requests are still served if its log is on a full disk.',
  },
  'serve:hang-up': {
    source: 'docs/serve.md',
    behavior: 'SIGHUP stops a server that has a terminal, but not one without (nohup).',
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
    behavior: 'HTTP options are rejected on stdin and stdout, where they would have no effect.',
  },
  'mcp:full-disk': {
    source: 'docs/mcp.md',
    behavior: 'On stdin and stdout, a response that cannot be written is an error with exit code 1.',
  },
} as const satisfies Behaviors;
