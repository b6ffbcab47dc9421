import { expect } from 'vitest';
import { CACHE_DEFAULTS, type CacheSettings } from '#gateway/requests/cache/cache-settings.ts';
import type { ProviderInstance } from '#gateway/providers/adapters/provider.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { instanceOf, priced, runGateway, type RunningTestGateway } from '../completions/running-gateway.ts';
import { startThree, TYPES } from '../../three-providers.ts';

/** Three providers for the tests of a file, and gateways with a cache in front of them. */
export async function startCached() {
  const { fixtures } = await startThree();
  /** Number of calls to the providers. */
  const calls = async (): Promise<number> => {
    const counts = await Promise.all(TYPES.map((type) => fixtures[type].counts()));
    return counts.reduce((sum, { requests = 0 }) => sum + requests, 0);
  };
  const start = (
    cache: Partial<CacheSettings>,
    url?: string,
    encoders: readonly ProviderInstance[] = [],
  ): Promise<RunningTestGateway> =>
    runGateway({
      models: {
        providers: [...TYPES.map((type) => instanceOf(type, fixtures[type])), ...encoders],
        aliases: [
          { name: 'both', targets: [{ model: 'openai:good' }, { model: 'openai:tools' }] },
          {
            name: 'tested',
            targets: [{ model: 'openai:good' }],
            ab: {
              baseline: ['openai:good'],
              model: 'openai:no-usage',
              share: 0.5,
              by: 'end_user',
              metrics: ['success'],
              judge: undefined,
              user: undefined,
              judgeShare: 0,
              maxScore: 1,
              windowMs: 1000,
              margin: 0.05,
              confidence: 0.95,
              maxRows: 1000,
              retentionMs: undefined,
            },
          },
          { name: 'rescued', targets: [{ model: 'openai:fails-500' }], fallbacks: ['openai:good'] },
        ],
        pricing: TYPES.map((type) => priced(`${type}:good`, 10, 30)),
        allowUnpriced: true,
        cache: { ...CACHE_DEFAULTS, ...cache },
        routing: { retry: { retries: 0, baseDelay: 1, maxDelay: 1, maxPause: 1 } },
      },
      ...(url !== undefined && { config: { database: parseDatabaseUrl(url) } }),
    });
  /** Sends a request; returns the cache status and whether the provider was called. */
  async function ask(
    gateway: RunningTestGateway,
    secret: string,
    path: string,
    body: Record<string, unknown>,
    headers: Record<string, string> = {},
  ) {
    const before = await calls();
    const answer = await gateway.post(path, body, secret, { headers });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.any(String)]);
    return {
      cache: answer.headers.get('x-cache'),
      age: answer.headers.get('age'),
      variant: answer.headers.get('x-gateway-variant'),
      similarity: answer.headers.get('x-cache-similarity'),
      type: answer.headers.get('content-type'),
      text,
      calls: (await calls()) - before,
    };
  }
  return { fixtures, calls, start, ask };
}

export const HELLO = [{ role: 'user', content: 'Hello' }];
export const CHAT = '/v1/chat/completions';
export const chat = (more: Record<string, unknown> = {}) => ({
  model: 'openai:good',
  messages: HELLO,
  ...more,
});
/** A key for a user, who is created first. */
export const member = async (gateway: RunningTestGateway, user: string): Promise<string> => {
  const users = await gateway.admin('GET', '/v1/users');
  if (!JSON.stringify(users).includes(`"${user}"`)) await gateway.user(user);
  return await gateway.key({ user_id: user, budget: { max_budget: 1 } });
};
