import type { Output } from '#serve/cli/command.ts';
import { stopSignal } from '#serve/program/signals.ts';
import { apiPath, type ManagerClient } from './manager-client.ts';
import { type ManagerStatus, statusLines } from './manager-status.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { watchStatus } from './watch-status.ts';

export async function showStatus(
  manager: ManagerClient,
  { json }: { readonly json: boolean },
  output: Output,
): Promise<number> {
  const status = (await manager.get(apiPath('admin', 'status'))) as ManagerStatus;
  if (json) printJson(output, status);
  else printLines(output, statusLines(status, stdoutTerminal(), Date.now()));
  return 0;
}

/** Reprints the table until this process receives a stop signal. */
export async function followStatus(
  manager: ManagerClient,
  { everyMilliseconds }: { readonly everyMilliseconds: number },
  output: Output,
): Promise<number> {
  const { signal, forget } = stopSignal();
  try {
    await watchStatus({ manager, output, terminal: stdoutTerminal, everyMilliseconds, signal });
  } finally {
    forget();
  }
  return 0;
}
