import { fileURLToPath } from 'node:url';
import type { NameFilter, ServerSpec } from '#manager/config/spec.ts';

const EVERYTHING: NameFilter = { allow: ['*'], deny: [] };

export type SpecChanges = Partial<Omit<ServerSpec, 'timeouts' | 'launch'>> & {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly command?: string;
  readonly timeouts?: Partial<ServerSpec['timeouts']>;
};

/** How to run one of `fixtures/mcp-servers`, with everything allowed. */
export function serverSpec(
  name: string,
  fixture: string,
  { env = {}, args = [], command = process.execPath, timeouts, ...changes }: SpecChanges = {},
): ServerSpec {
  return {
    name,
    launch: { kind: 'process', command, args: [fixturePath(fixture), ...args], env },
    tools: EVERYTHING,
    prompts: EVERYTHING,
    resources: EVERYTHING,
    readOnly: false,
    lazy: false,
    idleMs: 60_000,
    timeouts: { install: 20_000, init: 20_000, request: 15_000, shutdown: 5_000, ...timeouts },
    concurrency: 64,
    queue: 256,
    ...changes,
  };
}

const fixturePath = (name: string): string =>
  fileURLToPath(new URL(`../../../../fixtures/mcp-servers/${name}.mjs`, import.meta.url));
