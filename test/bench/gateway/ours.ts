import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, startPostgres } from '../../helpers/postgres.ts';
import { forgetFile } from '../measure/forget-file.ts';
import { freePort, startUntil } from '../measure/started.ts';
import { createKey, MASTER_KEY } from './create-key.ts';
import { PATHS } from '../setup/paths.ts';
import type { Contestant, RunningContestant } from './contestant.ts';

/** With all main features enabled: a key, a user with a budget, prices, usage rows, the log, and metrics. */
export const ours: Contestant = { name: 'gateway (SQLite)', start: (upstream) => startGateway(upstream) };

/** Path of another version of the gateway, which is measured in turn with this one. */
export const GATEWAY_BEFORE = process.env['BENCH_GATEWAY_BEFORE'];

/** Another version, to see what the changes since then cost. */
export const oursBefore: Contestant = {
  name: 'gateway (before)',
  async start(upstream) {
    if (GATEWAY_BEFORE === undefined) return undefined;
    return await startGateway(upstream, { program: GATEWAY_BEFORE });
  },
};

/** The same with two serving threads. */
export const oursWithThreads: Contestant = {
  name: 'gateway (2 threads)',
  start: (upstream) => startGateway(upstream, { env: { GATEWAY_THREADS: '2' } }),
};

/** Without prices and budgets; every request still has a usage row before its response ends. */
export const oursWithoutBudgets: Contestant = {
  name: 'gateway (no budgets)',
  start: (upstream) => startGateway(upstream, { hasBudgets: false }),
};

export const oursOnPostgres: Contestant = {
  name: 'gateway (PostgreSQL)',
  async start(upstream) {
    const programs = await findPostgres();
    if (programs === undefined) return undefined;
    const server = await startPostgres(programs);
    try {
      const running = await startGateway(upstream, {
        env: { GATEWAY_DATABASE_URL: await server.createDatabase() },
      });
      const stop = async (): Promise<void> => {
        await running.stop();
        await server.stop();
      };
      return { ...running, stop };
    } catch (error) {
      await server.stop();
      throw error;
    }
  },
};

interface Start {
  readonly env?: Record<string, string>;
  /** Default: the gateway of this repository. */
  readonly program?: string;
  /** Port of the provider for models whose name starts with `large:`. */
  readonly large?: number;
  /** Whether the user has a budget, and models have prices. Default: true. */
  readonly hasBudgets?: boolean;
}

export async function startGateway(
  upstream: number,
  {
    env = {},
    program = process.env['BENCH_GATEWAY'] ?? PATHS.gateway,
    large = upstream,
    hasBudgets = true,
  }: Start = {},
): Promise<RunningContestant> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-gateway-'));
  // The file is not in the log folder, because the gateway watches the folder of its configuration.
  const config = join(folder, 'config', 'gateway.yml');
  await mkdir(join(folder, 'config'));
  await writeFile(config, JSON.stringify({ ...configFor(upstream, large), ...(hasBudgets && PRICES) }), {
    mode: 0o600,
  });
  const port = await freePort();
  forgetFile(program);
  const { pid, stop, result } = await startUntil(
    program,
    ['serve', '--config', config, '--data-dir', join(folder, 'data'), '--port', String(port)],
    { GATEWAY_MASTER_KEY: MASTER_KEY, ...env },
    () => createKey(port, hasBudgets),
    { log: join(folder, 'log') },
  );
  return {
    pid,
    target: { port, model: (name) => `bench:${name}`, headers: { authorization: `Bearer ${result}` } },
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const PRICE = { input_price_per_million: 1, output_price_per_million: 3 };

const configFor = (upstream: number, large: number): object => ({
  providers: {
    bench: {
      type: 'openai-compatible',
      api_base: `http://127.0.0.1:${upstream}/v1`,
      api_key: 'sk-bench',
      // For the streams that stay open.
      max_connections: 1200,
    },
    large: { type: 'openai-compatible', api_base: `http://127.0.0.1:${large}/v1`, api_key: 'sk-bench' },
  },
});

const PRICES = {
  pricing: { 'bench:chat': PRICE, 'bench:idle': PRICE, 'large:chat': PRICE, 'large:flood': PRICE },
  require_pricing: true,
};
