import type { Output } from '#serve/cli/command.ts';
import { apiPath, type ManagerClient } from './manager-client.ts';
import { printJson } from '#serve/cli/terminal.ts';

export async function restartServer(
  manager: ManagerClient,
  { server, json }: { readonly server: string; readonly json: boolean },
  output: Output,
): Promise<number> {
  const state = await manager.post(apiPath('admin', 'servers', server, 'restart'));
  const { name, phase, pid } = state as { name: string; phase: string; pid?: number };
  if (json) printJson(output, state);
  else output.out(`${name} is ${phase}${pid === undefined ? '' : ` (PID ${pid})`}.\n`);
  return 0;
}

const CHANGES = ['added', 'removed', 'restarted', 'updated'] as const;

export async function reloadConfig(
  manager: ManagerClient,
  { json }: { readonly json: boolean },
  output: Output,
): Promise<number> {
  const changes = (await manager.post(apiPath('admin', 'reload'))) as Record<string, readonly string[]>;
  const lines = CHANGES.flatMap((kind) => {
    const names = changes[kind] ?? [];
    return names.length === 0 ? [] : [`${kind}: ${names.join(', ')}`];
  });
  if (json) printJson(output, changes);
  else output.out(`${lines.length === 0 ? 'No changes.' : lines.join('\n')}\n`);
  return 0;
}
