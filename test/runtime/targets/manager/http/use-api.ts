import { afterAll, beforeAll } from 'vitest';
import { type OpenApi, type OpenApiOptions, openApi } from './open-api.ts';

/** One API for all tests of a file or group; returns how to access it inside a test. */
export function useApi(options: () => OpenApiOptions): () => OpenApi {
  let api: OpenApi | undefined;
  beforeAll(async () => {
    api = await openApi(options());
    const { supervisor } = api.managed.context;
    const servers = supervisor.names().flatMap((name) => supervisor.get(name) ?? []);
    await Promise.all(servers.map(async (server) => server.connection({ timeoutMs: 20_000 })));
  });
  afterAll(() => api?.close());
  return () => {
    if (!api) throw new Error('the API is not open');
    return api;
  };
}
