import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Invocation } from '#serve/cli/command.ts';
import { readFlagsAndEnv } from '../../config/flags-and-env.ts';
import { type LoadedGatewayConfig, readGatewayConfig } from '../../config/read-config.ts';
import { startGateway } from '../../servers/start-gateway.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';

/**
 * Runs `work` against a gateway started for this purpose. Unless a database is configured, the gateway uses a
 * temporary one.
 */
export async function withTemporaryGateway<Result>(
  invocation: Invocation,
  options: Readonly<Record<string, unknown>>,
  work: (client: GatewayClient, url: string) => Promise<Result>,
): Promise<Result> {
  const flagsAndEnv = readFlagsAndEnv(invocation, options, process.env);
  const isNamed = ['data-dir', 'database-url'].some((name) => flagsAndEnv.text(name) !== undefined);
  const folder = isNamed ? undefined : await mkdtemp(join(tmpdir(), 'gateway-experiment-'));
  try {
    const read = async (): Promise<LoadedGatewayConfig> => {
      const config = await readGatewayConfig(flagsAndEnv, process.env);
      const server = { ...config.server, host: '127.0.0.1', port: 0, tls: undefined };
      const database = folder && ({ kind: 'sqlite', path: join(folder, 'gateway.db') } as const);
      return { ...config, server, ...(database ? { database, autoMigrate: true } : {}) };
    };
    const running = await startGateway({ read, write: () => undefined });
    const client = createGatewayClient(running.url, running.config.masterKey);
    try {
      return await work(client, running.url);
    } finally {
      await client.close();
      await running.stop();
    }
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}
