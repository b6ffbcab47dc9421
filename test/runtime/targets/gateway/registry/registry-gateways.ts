import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, vi } from 'vitest';
import { startGateway } from '#gateway/servers/start-gateway.ts';
import { readWithEnv } from '../config/read.ts';

const MASTER = 'the-master-key-of-the-registry-tests-01234';

export interface RegistryGateway {
  /** Sends a request with the master key or the given key. */
  readonly ask: (method: string, path: string, body?: object, key?: string) => Promise<RegistryAnswer>;
  /** Sends a chat request; returns its status. */
  readonly chat: (model: string, key: string) => Promise<number>;
  /** Waits until a chat request has this status, for as long as changes can take to arrive from other gateways. */
  readonly comesTo: (status: number, model: string, key: string) => Promise<void>;
  /** Replaces the configuration file and reloads it. */
  readonly reload: (config: object) => Promise<RegistryAnswer>;
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

interface RegistryAnswer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect its structure.
  readonly body: any;
  readonly text: string;
}

interface StartOptions {
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
}

/** Complete gateways in this process, on a shared database. They are stopped after the test. */
export function useRegistryGateways(): (url: string, options?: StartOptions) => Promise<RegistryGateway> {
  const running: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of running.splice(0)) await stop();
  });
  return async (database, { config = {}, env = {} } = {}) => {
    const folder = mkdtempSync(join(tmpdir(), 'registry-'));
    const file = join(folder, 'gateway.yml');
    const write = (content: object): void => writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
    write(config);
    const flags = ['-c', file, '--database-url', database, '--port', '0'];
    const variables = { GATEWAY_MASTER_KEY: MASTER, ...env };
    const lines: string[] = [];
    const gateway = await startGateway({
      read: () => readWithEnv({ env: variables, flags }),
      write: (line) => void lines.push(line),
    });
    const stop = async (): Promise<void> => {
      await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    running.push(stop);
    const ask: RegistryGateway['ask'] = async (method, path, body, key = variables.GATEWAY_MASTER_KEY) => {
      const answer = await fetch(`${gateway.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        text,
        body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {},
      };
    };
    const chat: RegistryGateway['chat'] = async (model, key) => {
      const messages = [{ role: 'user', content: 'Hello' }];
      return (await ask('POST', '/v1/chat/completions', { model, messages }, key)).status;
    };
    return {
      ask,
      chat,
      comesTo: async (status, model, key) =>
        await vi.waitFor(async () => expect(await chat(model, key)).toBe(status), {
          timeout: 10_000,
          interval: 50,
        }),
      async reload(content) {
        write(content);
        return await ask('POST', '/v1/admin/reload');
      },
      log: () => lines.join('\n'),
      async stop() {
        running.splice(running.indexOf(stop), 1);
        await stop();
      },
    };
  };
}

export async function newKey({ ask }: RegistryGateway, fields: object = {}): Promise<string> {
  return (await ask('POST', '/v1/keys', fields)).body.key as string;
}
