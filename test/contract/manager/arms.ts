import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { parseInvocation } from '../../../runtime/serve/cli/parse.ts';
import { daemonCommand } from '../../../runtime/targets/manager/commands/daemon.ts';
import { readDaemonSettings } from '../../../runtime/targets/manager/servers/settings.ts';
import { startManager } from '../../../runtime/targets/manager/servers/start-manager.ts';
import { startExecutable } from '../serving.ts';
import type { ServiceArm } from '../shared-services.ts';

export interface ManagerFiles {
  /** `.mcpd.toml` */
  readonly config: string;
  /** The secrets file. */
  readonly secrets?: string;
}

/** A way to run the manager. Its folder holds `.mcpd.toml` and `secrets.toml`. */
export type ManagerArm = ServiceArm<ManagerFiles>;

/** For tests of what talks to it. */
export const inProcessManager: ManagerArm = {
  name: 'in-process',
  async start(files, flags = []) {
    const folder = writeFiles(files);
    let log = '';
    const args = [...filesIn(folder), '--addr', '127.0.0.1:0', ...flags];
    const settings = readDaemonSettings(parseInvocation(daemonCommand, args, {}), process.env);
    const { url, stop } = await startManager(settings, (line) => void (log += line));
    return {
      url,
      folder,
      log: () => log,
      async stop() {
        await stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

const executable: ManagerArm = {
  name: 'executable',
  async start(files, flags = []) {
    const folder = writeFiles(files);
    const args = ['daemon', ...filesIn(folder), '--addr', '127.0.0.1:0', ...flags];
    const running = startExecutable(managerPath(), args);
    const [, url = ''] = / (http:\/\/[^ /]+:\d+)$/m.exec(await running.said(/"msg":"serving"/)) ?? [];
    return {
      url,
      folder,
      log: running.stderr,
      async stop() {
        running.child.kill('SIGTERM');
        await running.ended;
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

export const MANAGER_ARMS: readonly ManagerArm[] = [inProcessManager, executable];

export const managerPath = (): string => inject('manager');

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
