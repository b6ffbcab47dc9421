import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../bench/measure/started.ts';

const MASTER_KEY = 'the-master-key-of-the-load-tests-0123456789';

/** A gateway that can be killed and restarted with the same database. */
export interface LoadGateway {
  readonly url: string;
  readonly key: string;
  readonly pid: () => number;
  /** Kills the gateway with SIGKILL, and restarts it. */
  readonly kill: () => Promise<void>;
  /** Tokens of all usage rows for model requests, as `[prompt, completion]`. */
  readonly rows: () => Promise<readonly (readonly [number, number])[]>;
  readonly stop: () => Promise<void>;
}

export async function startLoadGateway(program: string, provider: number): Promise<LoadGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'load-gateway-'));
  const config = join(folder, 'config', 'gateway.yml');
  await mkdir(join(folder, 'config'));
  await writeFile(config, JSON.stringify(configFor(provider)), { mode: 0o600 });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ['--config', config, '--data-dir', join(folder, 'data'), '--port', String(port), '--no-watch'];
  const headers = { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' };
  const launch = async () => {
    const child = spawn(program, ['serve', ...args, '--log-level', 'error'], {
      env: { ...process.env, GATEWAY_MASTER_KEY: MASTER_KEY },
      stdio: 'ignore',
    });
    for (;;) {
      if (child.exitCode !== null) throw new Error('The gateway ended.');
      const answer = await fetch(`${url}/readyz`).catch(() => undefined);
      if (answer?.ok) return child;
      await sleep(50);
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  let child = await launch();
  const created = await fetch(`${url}/v1/keys`, { method: 'POST', headers, body: '{"user_id":"load"}' });
  const { key } = (await created.json()) as { key: string };
  return {
    url,
    key,
    pid: () => child.pid ?? 0,
    async kill() {
      await end('SIGKILL');
      child = await launch();
    },
    async rows() {
      const csv = await (await fetch(`${url}/v1/usage?format=csv`, { headers })).text();
      const [names = [], ...rows] = csv
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split(','));
      const [prompt, completion] = [names.indexOf('prompt_tokens'), names.indexOf('completion_tokens')];
      const billed = rows.filter((row) => row[prompt] !== '');
      return billed.map((row) => [Number(row[prompt]), Number(row[completion])] as const);
    },
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const configFor = (provider: number): object => ({
  providers: {
    bench: { type: 'openai-compatible', api_base: `http://127.0.0.1:${provider}/v1`, api_key: 'k' },
    // Counted with the encoding of OpenAI's models, in which each of the provider's words is one token.
    openai: { api_base: `http://127.0.0.1:${provider}/v1`, api_key: 'k', dialect: { responses: false } },
  },
  pricing: { 'bench:m': { input_price_per_million: 1, output_price_per_million: 3 } },
});
