import { join } from 'node:path';
import type { ProcessLaunch, RemoteLaunch, ServerSpec, ServerTimeouts } from '#manager/config/spec.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

const EVERYTHING = { allow: ['*'], deny: [] };

export const fixtureServer = (file: string): string => join(FIXTURES, 'mcp-servers', file);

export function specOf(
  launch: ProcessLaunch | RemoteLaunch,
  timeouts: Partial<ServerTimeouts> = {},
): ServerSpec {
  return {
    name: 'server',
    launch,
    tools: EVERYTHING,
    prompts: EVERYTHING,
    resources: EVERYTHING,
    readOnly: false,
    lazy: false,
    idleMs: 0,
    timeouts: { install: 20_000, init: 20_000, request: 20_000, shutdown: 5000, ...timeouts },
    concurrency: 16,
    queue: 16,
  };
}

/** A program of fixtures/mcp-servers, with only the given environment. */
export const launchOf = (file: string, env: Readonly<Record<string, string>> = {}): ProcessLaunch => ({
  kind: 'process',
  command: process.execPath,
  args: [fixtureServer(file)],
  env,
});
