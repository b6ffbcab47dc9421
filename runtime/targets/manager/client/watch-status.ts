import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '#contract/errors.ts';
import type { Output } from '#serve/cli/command.ts';
import { apiPath, type ManagerClient } from './manager-client.ts';
import { type ManagerStatus, statusLines } from './manager-status.ts';
import type { Terminal } from '#serve/cli/terminal.ts';

export interface WatchStatusOptions {
  readonly manager: ManagerClient;
  readonly output: Output;
  readonly terminal: () => Terminal;
  readonly everyMilliseconds: number;
  /** Aborted to stop the updates. */
  readonly signal: AbortSignal;
}

const CLEAR_BELOW = '\u001B[J';
const up = (lines: number): string => (lines === 0 ? '' : `\u001B[${lines}A`);

/** Prints the server table repeatedly: in place on a terminal, otherwise one table after another. */
export async function watchStatus({ manager, output, ...options }: WatchStatusOptions): Promise<void> {
  let shown = 0;
  let hasResponded = false;
  while (!options.signal.aborted) {
    const terminal = options.terminal();
    const lines = await currentLines(manager, terminal).catch((error: unknown) => {
      // A manager that has responded before may just be restarting.
      if (!hasResponded) throw error;
      return [messageOf(error)];
    });
    hasResponded = true;
    const text = lines.map((line) => `${line}\n`).join('');
    output.out(terminal.live ? `\r${up(shown)}${CLEAR_BELOW}${text}` : text);
    shown = lines.length;
    await wait(options.everyMilliseconds, undefined, { signal: options.signal }).catch(() => undefined);
  }
}

async function currentLines(manager: ManagerClient, terminal: Terminal): Promise<string[]> {
  const status = (await manager.get(apiPath('admin', 'status'))) as ManagerStatus;
  const now = Date.now();
  return [
    `${new Date(now).toISOString()}  mcp-manager ${status.version} at ${manager.origin}`,
    ...statusLines(status, terminal, now),
  ];
}
