import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createManagerClient } from '#manager/client/manager-client.ts';
import type { Terminal } from '#serve/cli/terminal.ts';
import { watchStatus } from '#manager/client/watch-status.ts';
import { type Managed, openManager } from '../mcp/managed.ts';
import { serverSpec } from '../server-spec.ts';

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({ servers: [serverSpec('echo', 'echo')] });
  await managed.running('echo');
});
afterAll(() => managed.close());

/** The output of the first few updates. */
async function watch(times: number, live: boolean): Promise<string[]> {
  const manager = createManagerClient(new URL(managed.origin), undefined);
  const terminal: Terminal = { width: 80, live, style: (_style, text) => text };
  const ending = new AbortController();
  const written: string[] = [];
  const out = (text: string): void => {
    written.push(text);
    if (written.length === times) ending.abort();
  };
  await watchStatus({
    manager,
    output: { out, err: out },
    terminal: () => terminal,
    everyMilliseconds: 1,
    signal: ending.signal,
  });
  await manager.close();
  return written;
}

const CLEAR = '\u001B[J';
const UP_THREE = '\u001B[3A';
const TABLE = /^\d{4}-[^\n]*mcp-manager 1\.2\.3 at http.*\nSERVER .*\necho .*\n$/;

describe('watching the status', () => {
  test('on a terminal, each table overwrites the previous table and fits the width of the terminal', async () => {
    const [first = '', second = ''] = await watch(2, true);
    expect(first.replace(`\r${CLEAR}`, '')).toMatch(TABLE);
    expect(second.startsWith(`\r${UP_THREE}${CLEAR}`)).toBe(true);
    const [, ...lines] = second.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('if the output is not a terminal, tables are printed one after another', async () => {
    const written = await watch(2, false);
    for (const text of written) expect(text).toMatch(TABLE);
  });
});
