import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIXTURES, ROOT } from '../../helpers/paths.ts';
import { type RunningExecutable, startExecutable } from '../../helpers/start-executable.ts';
import { stopAll, urlOf } from './started.ts';

/** Provider types, each with a stand-in in `fixtures/providers`. */
export const WIRES = ['openai', 'anthropic', 'gemini', 'bedrock'] as const;

export interface ClientGateway {
  readonly url: string;
  /** An API key. */
  readonly key: string;
  readonly stop: () => Promise<void>;
}

const MASTER_KEY = 'the-master-key-of-the-clients-0123456789';

/** Starts the gateway with one provider of each type. */
export async function startClientGateway(): Promise<ClientGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-clients-'));
  const started: RunningExecutable[] = [];
  const start = (args: readonly string[], env = {}): RunningExecutable => {
    const process_ = startExecutable(process.execPath, args, env);
    started.push(process_);
    return process_;
  };
  const stop = async (): Promise<void> => {
    await stopAll(started);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const providers: Record<string, object> = {};
    for (const wire of WIRES) {
      const fixture = start([join(FIXTURES, 'providers', `${wire}.mjs`)]);
      const api_base = await urlOf(fixture);
      providers[wire] = {
        api_base,
        api_key: 'bedrock-and-other-keys',
        ...(wire === 'openai' && { dialect: { responses: true } }),
        ...(wire === 'bedrock' && { aws: { region: 'us-east-1' }, models: ['good'] }),
      };
    }
    const config = join(folder, 'gateway.json');
    // The clients cause failures intentionally, which must not open the circuit breaker for others.
    const files = {
      port: 0,
      data_dir: folder,
      providers,
      retries: { attempts: 1 },
      breaker: { failures: 1000 },
    };
    writeFileSync(config, JSON.stringify(files));
    const gateway = start(
      [join(ROOT, 'runtime/targets/gateway/main.ts'), 'serve', '-c', config, '--no-watch'],
      {
        GATEWAY_MASTER_KEY: MASTER_KEY,
      },
    );
    const [url = ''] =
      /http:\/\/127\.0\.0\.1:\d+/.exec(await gateway.said(/http:\/\/127\.0\.0\.1:\d+/)) ?? [];
    const answer = await fetch(`${url}/v1/keys`, {
      method: 'POST',
      headers: { 'x-gateway-key': `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: 'clients' }),
    });
    const { key } = (await answer.json()) as { readonly key: string };
    return { url, key, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
