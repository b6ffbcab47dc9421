import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIXTURES, ROOT } from '../helpers/paths.ts';
import { type RunningExecutable, startExecutable } from '../helpers/start-executable.ts';
import { stopAll, urlOf } from '../clients/gateway/started.ts';

/** Provider APIs, which are also the provider names. */
export const PROVIDERS = ['anthropic', 'responses', 'chat', 'gemini'] as const;

/** Tokens and responses of one model. */
interface Book {
  readonly answers: number;
  readonly prompt: number;
  readonly completion: number;
}

/** The requests that the provider stand-in has received for one model. */
interface ProviderBook extends Book {
  /** Error messages of rejected requests. */
  readonly refused: readonly string[];
  /** The maximum number of signed calls in one request, with real and with documented placeholder signatures. */
  readonly signed: number;
  readonly foreign: number;
  /** Steps that the model has repeated, because it did not receive its earlier calls. */
  readonly repeated: number;
  readonly tools: readonly string[];
}

/** What a user has spent, and what is reserved for requests in flight, in dollars. */
interface Account {
  readonly spend: number;
  readonly reserved: number;
}

export interface AgentGateway {
  readonly url: string;
  /** Creates an API key for a new user with a budget. */
  readonly createKey: (user: string, fields?: object) => Promise<string>;
  /** The user's usage. */
  readonly usageOf: (user: string) => Promise<Book>;
  readonly accountOf: (user: string) => Promise<Account>;
  readonly providerBook: (model: string) => Promise<ProviderBook>;
  readonly stop: () => Promise<void>;
}

export const MASTER_KEY = 'the-master-key-of-the-agents-0123456789';

/** Starts a model for agents behind four APIs, and the gateway with one provider per API, and with further settings. */
export async function startAgentGateway(settings: object = {}): Promise<AgentGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-agents-'));
  const started: RunningExecutable[] = [];
  const start = (args: readonly string[], env = {}): RunningExecutable => {
    const child = startExecutable(process.execPath, args, env);
    started.push(child);
    return child;
  };
  const stop = async (): Promise<void> => {
    await stopAll(started);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const model = await urlOf(start([join(FIXTURES, 'providers/agents.mjs')]));
    const key = { api_key: 'a-key-of-the-provider' };
    const providers = {
      anthropic: { ...key, api_base: model },
      responses: { ...key, type: 'openai', api_base: `${model}/v1`, dialect: { responses: true } },
      chat: { ...key, type: 'openai', api_base: `${model}/v1`, dialect: { responses: false } },
      gemini: { ...key, api_base: `${model}/v1beta` },
    };
    const config = join(folder, 'gateway.json');
    const files = { port: 0, data_dir: folder, providers, retries: { attempts: 1 }, ...settings };
    writeFileSync(config, JSON.stringify(files));
    const program = join(ROOT, 'runtime/targets/gateway/main.ts');
    const gateway = start([program, 'serve', '-c', config, '--no-watch', '--allow-unpriced'], {
      GATEWAY_MASTER_KEY: MASTER_KEY,
    });
    const address = /http:\/\/127\.0\.0\.1:\d+/;
    const [url = ''] = address.exec(await gateway.said(address)) ?? [];
    const call = async (path: string, body?: object): Promise<unknown> => {
      const answer = await fetch(`${url}${path}`, {
        headers: { 'x-gateway-key': `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return await answer.json();
    };
    return {
      url,
      stop,
      async createKey(user, fields = {}) {
        const { budget_id: budget } = (await call('/v1/budgets', { max_budget: 100 })) as Budget;
        await call('/v1/users', { user_id: user, budget_id: budget });
        return ((await call('/v1/keys', { user_id: user, ...fields })) as { readonly key: string }).key;
      },
      accountOf: async (user) => (await call(`/v1/users/${user}`)) as Account,
      async usageOf(user) {
        const { logs: rows } = (await call(`/v1/usage?user_id=${user}&limit=1000`)) as UsagePage;
        const answered = rows.filter(({ status }) => status === 'success');
        return {
          answers: answered.length,
          prompt: answered.reduce((sum, row) => sum + row.prompt_tokens, 0),
          completion: answered.reduce((sum, row) => sum + row.completion_tokens, 0),
        };
      },
      async providerBook(name) {
        const answer = await fetch(`${model}/books?model=${encodeURIComponent(name)}`);
        return (await answer.json()) as ProviderBook;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Budget {
  readonly budget_id: string;
}

interface UsagePage {
  readonly logs: readonly UsageRow[];
}

interface UsageRow {
  readonly status: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}
