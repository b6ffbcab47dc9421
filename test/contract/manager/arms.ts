import { chosenArms } from '../chosen-arms.ts';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseInvocation } from '#serve/cli/parse.ts';
import { daemonCommand } from '#manager/commands/daemon.ts';
import { readDaemonSettings } from '#manager/servers/settings.ts';
import { startManager } from '#manager/servers/start-manager.ts';
import { serviceArms } from '../service-arms.ts';
import type { ServiceArm } from '../shared-services.ts';
import { builtProgram } from '../../helpers/built.ts';

export interface ManagerFiles {
  /** `.mcpd.toml` */
  readonly config: string;
  /** The secrets file. */
  readonly secrets?: string;
}

const ANY_PORT = ['--addr', '127.0.0.1:0'];

/** A way to run the manager. Its folder contains `.mcpd.toml` and `secrets.toml`. */
export type ManagerArm = ServiceArm<ManagerFiles>;

const { inProcess, executable } = serviceArms<ManagerFiles>({
  write: writeFiles,
  startHere: async ({ folder, flags }, log) => {
    const args = [...filesIn(folder), ...ANY_PORT, ...flags];
    const settings = readDaemonSettings(parseInvocation(daemonCommand, args, {}), process.env);
    return await startManager(settings, log);
  },
  command: ({ folder, flags }) => ({
    path: builtProgram('manager'),
    args: ['daemon', ...filesIn(folder), ...ANY_PORT, ...flags],
  }),
});

/** For tests of programs that connect to it. */
export const inProcessManager = inProcess;

export const MANAGER_ARMS: readonly ManagerArm[] = chosenArms({ inProcess, executable });

export function writeFiles({ config, secrets = '' }: ManagerFiles): string {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-manager-test-'));
  writeFileSync(join(folder, '.mcpd.toml'), config);
  writeFileSync(join(folder, 'secrets.toml'), secrets, { mode: 0o600 });
  return folder;
}

export const filesIn = (folder: string): string[] => [
  '--config-file',
  join(folder, '.mcpd.toml'),
  '--runtime-file',
  join(folder, 'secrets.toml'),
];
