import { chosenArms } from '../chosen-arms.ts';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseInvocation } from '#serve/cli/parse.ts';
import { serveCommand } from '#gateway/commands/serve.ts';
import { readFlagsAndEnv } from '#gateway/config/flags-and-env.ts';
import { readGatewayConfig } from '#gateway/config/read-config.ts';
import { startGateway } from '#gateway/servers/start-gateway.ts';
import { serviceArms } from '../service-arms.ts';
import type { ServiceArm } from '../shared-services.ts';
import { builtProgram } from '../../helpers/built.ts';

export interface GatewayFiles {
  /** `gateway.yml`, as text or as an object. */
  readonly config: string | object;
  /** In addition to the master key, which is `MASTER_KEY`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A way to run the gateway. Its folder contains `gateway.yml`, and the database in `data/`. */
export type GatewayArm = ServiceArm<GatewayFiles>;

export const MASTER_KEY = 'the-master-key-of-the-contract-tests-0123456789';

const { inProcess, executable } = serviceArms<GatewayFiles>({
  write: writeFiles,
  startHere: async ({ folder, files, flags }, write) => {
    const env = { ...process.env, ...environmentOf(files) };
    const invocation = parseInvocation(serveCommand, [...argumentsFor(folder), ...flags], {});
    const flagsAndEnv = readFlagsAndEnv(invocation, serveCommand.options, env);
    return await startGateway({ read: () => readGatewayConfig(flagsAndEnv, env), write });
  },
  command: ({ folder, files, flags }) => ({
    path: builtProgram('gateway'),
    args: ['serve', ...argumentsFor(folder), ...flags],
    env: environmentOf(files),
  }),
});

export const GATEWAY_ARMS: readonly GatewayArm[] = chosenArms({ inProcess, executable });

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
  ...SERVING_THREADS,
];

/** `THREADS=2` runs all behaviors of the gateway with two serving threads. */
const SERVING_THREADS = process.env['THREADS'] === undefined ? [] : ['--threads', process.env['THREADS']];
