import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { RemoteLaunch } from '#manager/config/spec.ts';
import { fixtureServer } from './spec.ts';

export interface RemoteFixture {
  readonly url: string;
  /** The requests that it received, in order. */
  readonly requests: readonly Record<string, unknown>[];
  /** Resolves with the first matching line of its stderr. */
  readonly logged: (pattern: RegExp) => Promise<string>;
  /** Kills it immediately, like a crash. */
  readonly kill: () => Promise<void>;
}

/** Starts a server of fixtures/mcp-servers that listens on a port; it stops with the test. */
export async function startRemote(
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RemoteFixture> {
  const child = spawn(process.execPath, [fixtureServer(file)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const requests: Record<string, unknown>[] = [];
  const lines = createInterface({ input: child.stdout });
  const [first] = (await once(lines, 'line')) as [string];
  lines.on('line', (line) => requests.push(JSON.parse(line) as Record<string, unknown>));
  const said: string[] = [];
  const errors = createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  return {
    url: (JSON.parse(first) as { url: string }).url,
    requests,
    kill,
    async logged(pattern) {
      for (;;) {
        const found = said.find((line) => pattern.test(line));
        if (found !== undefined) return found;
        await once(errors, 'line');
      }
    },
  };
}

export const remoteLaunch = (url: string, more: Partial<RemoteLaunch> = {}): RemoteLaunch => ({
  kind: 'remote',
  transport: 'http',
  url,
  headers: {},
  ...more,
});
