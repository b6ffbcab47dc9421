import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { noisyRows, startNoisyEncoders } from '../../runtime/targets/gateway/api/pages/noisy-encoders.ts';
import { MASTER_KEY } from '../../runtime/targets/gateway/master-key.ts';
import { callerOf, serve } from './serve.ts';
import { startProvider } from './stub-provider.ts';
import type { Texts } from './texts.ts';

export interface ProvedGateway {
  readonly url: string;
  readonly key: string;
  readonly call: ReturnType<typeof callerOf>;
  readonly database: string;
  /** Encoders at `/<share>` that return wrong labels for that percentage of the rows. */
  readonly encoders: string;
  readonly stop: () => Promise<void>;
}

/** A gateway with a provider that always returns the same response, and no other data. */
export async function startGateway(
  program: string,
  folder: string,
  { answer }: Texts,
): Promise<ProvedGateway> {
  const provider = await startProvider(answer);
  const encoders = await startNoisyEncoders();
  mkdirSync(folder);
  const config = join(folder, 'gateway.yml');
  writeFileSync(config, JSON.stringify(configFor(provider.url)), { mode: 0o600 });
  const args = ['serve', '--config', config, '--data-dir', folder, '--port', '0', '--log-level', 'error'];
  const { url, stop } = await serve(program, args, { GATEWAY_MASTER_KEY: MASTER_KEY });
  return {
    url,
    key: MASTER_KEY,
    call: callerOf(url, MASTER_KEY),
    database: join(folder, 'gateway.db'),
    encoders: encoders.url,
    async stop() {
      await stop();
      provider.close();
      encoders.close();
    },
  };
}

const configFor = (provider: string): object => ({
  providers: {
    lab: {
      type: 'openai-compatible',
      api_base: `${provider}/v1`,
      api_key: 'k',
      models: ['large', 'small', 'broken'],
    },
  },
  aliases: { fast: { targets: ['lab:large', { model: 'lab:small', weight: 2 }] } },
  pricing: { 'lab:large': { input_price_per_million: 1, output_price_per_million: 3 } },
  allow_unpriced: true,
  guardrails: {
    profiles: { words: { patterns: { SECRET: 'secret-\\d+' } } },
    policy: [{ profile: 'words', mode: 'monitor', on: 'input' }],
  },
  prompt_log: { enabled: true },
  workflows: { max_dataset_bytes: 2 ** 30 },
});

/** Creates the data that the pages list, through the API like a user. Returns the IDs in page addresses. */
export async function fillGateway(
  { url, call }: ProvedGateway,
  { name, prompt }: Texts,
): Promise<{ readonly key: string; readonly request: string }> {
  const budget = await call('POST', '/v1/budgets', {
    name: name('tier 1'),
    max_budget: 2,
    calendar: 'month',
  });
  await call('POST', '/v1/organizations', { organization_id: 'acme', alias: name('Acme') });
  await call('POST', '/v1/teams', { team_id: 'research', alias: name('Research'), organization_id: 'acme' });
  for (const user of ['ada', 'grace'])
    await call('POST', '/v1/users', { user_id: user, alias: name(user), budget_id: budget.budget_id });
  await call('PUT', '/v1/teams/research/members/ada', { role: 'admin' });
  const key = await call('POST', '/v1/keys', {
    user_id: 'ada',
    team_id: 'research',
    key_name: name('nightly'),
  });
  await call('POST', '/v1/pricing', {
    model_key: 'lab:small',
    input_price_per_million: 1,
    output_price_per_million: 2,
  });
  await call('POST', '/v1/aliases', {
    name: 'evaluated',
    targets: ['lab:large'],
    shadow: { model: `lab:${name('small')}`, share: 1, user: 'grace', metrics: ['exact_match'] },
  });
  const chat = callerOf(url, key.key);
  for (const model of ['lab:large', 'lab:small', 'fast'])
    await chat('POST', '/v1/chat/completions', chatOf(model, `${prompt} secret-1`));
  // A failed request has attempts with the provider's message.
  await chat('POST', '/v1/chat/completions', chatOf('lab:broken', prompt)).catch(() => undefined);
  const request = await firstRequest(call);
  return { key: key.id, request };
}

const chatOf = (model: string, content: string): object => ({
  model,
  stream: true,
  messages: [{ role: 'user', content }],
  user: 'ada',
});

/** Usage is written in the background. */
async function firstRequest(call: ProvedGateway['call']): Promise<string> {
  for (;;) {
    const { items } = await call('GET', '/v1/requests?status=error');
    if (items.length > 0) return items[0].id;
    await sleep(50);
  }
}

/** Compares encoders on a dataset and waits for all results. Returns the ID of the experiment. */
export async function runExperiment(
  { call, encoders }: ProvedGateway,
  { name, file }: Texts,
  rows: number,
): Promise<string> {
  const form = new FormData();
  form.set('dataset', new Blob([noisyRows(rows)]), file('reviews.csv'));
  form.set('format', 'job');
  const { id: dataset } = await call('POST', '/api/v1/datasets/', form);
  const { id } = await call('POST', '/api/v1/experiments/', {
    name: name('Reviews'),
    description: name('Three encoders on reviews'),
    tags: [name('nightly').slice(0, 100)],
    dataset,
    task_definition: { task: 'text-classification' },
  });
  for (const [model, share] of [
    ['careful', 5],
    ['careless', 25],
  ] as const) {
    await call('POST', '/api/v1/workflows/', {
      name: name(model),
      model,
      provider: 'encoder',
      base_url: `${encoders}/${share}`,
      batch_size: 256,
      experiment_id: id,
    });
  }
  for (;;) {
    const { active } = await call('GET', `/api/v1/experiments/${id}/progress`);
    if (!active) return id;
    await sleep(250);
  }
}
