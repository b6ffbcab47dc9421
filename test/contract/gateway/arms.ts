import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { parseInvocation } from '../../../runtime/serve/cli/parse.ts';
import { serveCommand } from '../../../runtime/targets/gateway/commands/serve.ts';
import { givenBy } from '../../../runtime/targets/gateway/config/given.ts';
import { readGatewayConfig } from '../../../runtime/targets/gateway/config/read-config.ts';
import { startGateway } from '../../../runtime/targets/gateway/servers/start-gateway.ts';
import { startExecutable } from '../serving.ts';
import type { ServiceArm } from '../shared-services.ts';

export interface GatewayFiles {
  /** `gateway.yml`, as text or as what it holds. */
  readonly config: string | object;
  /** Beside the master key, which is `MASTER_KEY`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A way to run the gateway. Its folder holds `gateway.yml`, and the database in `data/`. */
export type GatewayArm = ServiceArm<GatewayFiles>;

export const MASTER_KEY = 'the-master-key-of-the-contract-tests-0123456789';

const inProcess: GatewayArm = {
  name: 'in-process',
  async start(files, flags = []) {
    const folder = writeFiles(files);
    const env = { ...process.env, ...environmentOf(files) };
    const invocation = parseInvocation(serveCommand, [...argumentsFor(folder), ...flags], {});
    const given = givenBy(invocation, serveCommand.options, env);
    let log = '';
    const { url, stop } = await startGateway({
      read: () => readGatewayConfig(given, env),
      write: (line) => void (log += line),
    });
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

const executable: GatewayArm = {
  name: 'executable',
  async start(files, flags = []) {
    const folder = writeFiles(files);
    const args = ['serve', ...argumentsFor(folder), ...flags];
    const running = startExecutable(gatewayPath(), args, environmentOf(files));
    const url = urlIn(await running.said(SERVING));
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

export const GATEWAY_ARMS: readonly GatewayArm[] = [inProcess, executable];

export const gatewayPath = (): string => inject('gateway');

export const SERVING = /"msg":"serving"/;

/** Where the banner says that it answers. */
export const urlIn = (stderr: string): string => / (https?:\/\/[^ /]+:\d+)$/m.exec(stderr)?.[1] ?? '';

export function writeFiles({ config }: Pick<GatewayFiles, 'config'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  writeConfig(folder, config);
  return folder;
}

export function writeConfig(folder: string, config: GatewayFiles['config']): void {
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  writeFileSync(join(folder, 'gateway.yml'), text, { mode: 0o600 });
}

export const environmentOf = ({ env = {} }: Pick<GatewayFiles, 'env'>): Record<string, string> => ({
  GATEWAY_MASTER_KEY: MASTER_KEY,
  ...env,
});

export const argumentsFor = (folder: string): string[] => [
  '--config',
  join(folder, 'gateway.yml'),
  '--data-dir',
  join(folder, 'data'),
  '--port',
  '0',
  '--no-watch',
];
