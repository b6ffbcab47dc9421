import { NO_PROMPTS, REQUEST_POLICY } from '#gateway/providers/shapes/policies.ts';
import { namedSecrets } from '#test/helpers/secrets.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nanosOf } from '#gateway/shared/money.ts';
import type { GatewayConfig } from '#gateway/config/spec.ts';
import type { ModelsConfig } from '#gateway/requests/models/models-config.ts';
import type { NewPrice } from '#gateway/accounts/ledger/ledger.ts';
import type { ProviderInstance } from '#gateway/providers/adapters/provider.ts';
import { startGateway } from '#gateway/servers/start-gateway.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import type { FixtureProvider, FixtureWire } from '../../fixture-provider.ts';
import { CANARY } from '../../test-provider.ts';

export const MASTER = 'the-master-key-of-these-tests-0123456789';

interface UsageRow {
  readonly id: string;
  readonly model: string;
  readonly status: string;
  readonly status_code: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cost: number | null;
  readonly error_message: string | null;
  readonly attempt: number;
  readonly [name: string]: unknown;
}

export interface RunningTestGateway {
  readonly url: string;
  /** Lines of its log. */
  readonly logged: readonly string[];
  /** Sends a request with the master key. */
  admin(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Creates a key; returns its secret. */
  key(fields?: Readonly<Record<string, unknown>>): Promise<string>;
  user(userId: string, fields?: Readonly<Record<string, unknown>>): Promise<void>;
  /** The usage rows of one user, oldest first. */
  usage(userId: string): Promise<readonly UsageRow[]>;
  /** Sends a request with a key. */
  post(path: string, body: unknown, secret: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

export interface TestGatewayOptions {
  readonly models: Partial<ModelsConfig>;
  readonly config?: Partial<GatewayConfig>;
  readonly server?: Partial<GatewayConfig['server']>;
}

/** A gateway on its own port, with a new database. */
export async function runGateway({
  models,
  config = {},
  server = {},
}: TestGatewayOptions): Promise<RunningTestGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  const logged: string[] = [];
  const all = {
    server: { ...SERVER, ...server },
    database: parseDatabaseUrl(`sqlite:${join(folder, 'gateway.db')}`),
    autoMigrate: true,
    masterKey: MASTER,
    bootstrapKey: false,
    signIn: undefined,
    workloads: [],
    userLimits: {},
    alerts: undefined,
    metrics: 'open',
    tracing: undefined,
    workflows: {
      compute: 'local',
      slots: 1,
      workers: 1,
      trustUsers: false,
      maxDatasetBytes: 1_048_576,
      ray: undefined,
    },
    audit: { retentionMs: undefined },
    promptLog: { retentionMs: undefined },
    feedback: { isEnabled: false },
    logLevel: 'info',
    secrets: namedSecrets(MASTER, CANARY),
    ...config,
    models: { ...MODELS, ...models },
    warnings: [],
    file: undefined,
    files: [],
    sources: [],
    withStored: () => ({
      models: { ...MODELS, ...models },
      providers: new Map(),
      aliases: new Map(),
      secrets: [],
    }),
  } as const;
  const gateway = await startGateway({
    read: () => Promise.resolve(all),
    write: (line) => void logged.push(line),
  });
  const { url } = gateway;
  const post: RunningTestGateway['post'] = (path, body, secret, init = {}) =>
    fetch(url + path, {
      method: 'POST',
      ...init,
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        ...(init.headers as Record<string, string> | undefined),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const admin: RunningTestGateway['admin'] = async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  };
  return {
    url,
    logged,
    admin,
    post,
    key: async (fields = {}) => String((await admin('POST', '/v1/keys', fields))['key']),
    async user(userId, fields = {}) {
      await admin('POST', '/v1/users', { user_id: userId, ...fields });
    },
    async usage(userId) {
      const rows = await admin('GET', `/v1/users/${encodeURIComponent(userId)}/usage?limit=1000`);
      // Rows of one request have the same time.
      const order = ({ id, attempt }: UsageRow): string => `${id.split('.')[0]} ${attempt}`;
      return (rows as unknown as UsageRow[]).sort((a, b) => (order(a) < order(b) ? -1 : 1));
    },
    async stop() {
      await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const SERVER: GatewayConfig['server'] = {
  host: '127.0.0.1',
  port: 0,
  tls: undefined,
  insecure: false,
  allowedHosts: [],
  corsOrigins: [],
  maxBodyBytes: 1_048_576,
  bodyTimeoutMs: 5000,
  threads: 1,
  shutdownMs: 5000,
  shutdownDelayMs: 0,
  maxRequestMemory: undefined,
  watchdogMs: 0,
};

const MODELS: ModelsConfig = {
  providers: [],
  aliases: [],
  routing: {},
  guardrails: { profiles: [], demanded: [] },
  pricing: [],
  requirePricing: false,
  allowUnpriced: false,
  requests: REQUEST_POLICY,
  prompts: NO_PROMPTS,
  assumedOutputTokens: 1024,
};

const PATHS: Readonly<Record<FixtureWire, string>> = { openai: '/v1', anthropic: '', gemini: '' };

/** A fixture as a provider in a configuration. */
export const instanceOf = (
  type: FixtureWire,
  fixture: FixtureProvider,
  more: Partial<ProviderInstance> = {},
): ProviderInstance => ({
  name: type,
  type,
  baseUrl: `${fixture.url}${PATHS[type]}`,
  apiKey: CANARY,
  local: true,
  ...more,
});

/** Dollars per million tokens. */
export const priced = (modelKey: string, input: number, output: number, cached?: number): NewPrice => ({
  modelKey,
  input: nanosOf(input) ?? 0n,
  cachedInput: cached === undefined ? null : (nanosOf(cached) ?? 0n),
  output: nanosOf(output) ?? 0n,
});
