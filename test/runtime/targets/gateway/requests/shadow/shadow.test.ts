import { beforeEach, expect, test } from 'vitest';
import { targetStatesOf } from '#gateway/requests/models/models.ts';
import { SHADOW_DEFAULTS, type ShadowSettings } from '#gateway/requests/routing/shadow-settings.ts';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import { NO_PROMPTS } from '#gateway/providers/shapes/policies.ts';
import { gatewayOn, type OpenGateway } from '../../api/open-gateway.ts';
import { describeDatabases } from '../../databases.ts';
import { requestsTo } from '../../evaluation/workflows/workflow-requests.ts';
import { prefers, startModels } from './models-by-name.ts';

const models = await startModels();

const SETTINGS: ShadowSettings = {
  baseline: ['openai:current'],
  model: 'openai:candidate',
  share: 1,
  user: 'evaluation',
  experiment: undefined,
  metrics: ['preference', 'tool_calls'],
  judge: 'openai:judge',
  rubric: undefined,
  embedder: undefined,
  margin: 0.05,
  confidence: 0.95,
  maxRows: SHADOW_DEFAULTS.maxRows,
  retentionMs: 90 * 86_400_000,
};

beforeEach(() => {
  models.received.length = 0;
  models.behaviors.clear();
  models.behaviors.set('current', () => 'the current response');
  models.behaviors.set('candidate', () => 'a good response');
  models.behaviors.set('judge', prefers('good'));
});

describeDatabases((database) => {
  const start = async (settings: Partial<ShadowSettings> = {}) => {
    const { clock, ...state } = await database.start();
    const shadow = { ...SETTINGS, ...settings };
    const gateway = gatewayOn(state, clock, {
      providers: [models.provider],
      aliases: [{ name: 'fast', targets: [{ model: 'openai:current' }], shadow }],
      prompts: { ...NO_PROMPTS, patterns: [compileLinearPattern(String.raw`[\w.]+@[\w.]+`)] },
    });
    await gateway.ask('POST', '/v1/users', { user_id: 'evaluation' });
    const { key } = (await gateway.ask('POST', '/v1/keys', { user_id: 'ada', allow_shadow: true })).body;
    const { shadowRecords } = state;
    return { ...gateway, key: String(key), state, clock, records: shadowRecords, shadow };
  };
  type Started = Awaited<ReturnType<typeof start>>;
  const chat = async ({ request }: Pick<OpenGateway, 'request'>, key: string, more: object = {}) =>
    await request('/v1/chat/completions', {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: 'Hello' }], ...more }),
    });
  const trialsOf = async ({ evaluated, records }: Started) => {
    await evaluated();
    return await records.list();
  };
  const rowsOf = async (gateway: Started) => {
    const [trial] = await trialsOf(gateway);
    return trial ? await gateway.records.rows(trial.id, 0, 1000) : [];
  };
  const skipsOf = async (gateway: Started) => {
    const [trial] = await trialsOf(gateway);
    return trial ? await gateway.records.skips(trial.id) : {};
  };

  test('a sampled request is also sent to the candidate, judged in both orders, and stored without texts', async () => {
    const gateway = await start();
    const answer = await chat(gateway, gateway.key);
    expect(answer.body.choices[0].message.content).toBe('the current response');
    const rows = await rowsOf(gateway);
    expect(rows).toMatchObject([
      {
        number: 1,
        user_id: 'ada',
        model: 'openai:current',
        failed: 0,
        scores: { preference: [0, 1] },
      },
    ]);
    expect(models.of('judge')).toHaveLength(2);
    expect(
      JSON.stringify(rows, (_name, value: unknown) => (typeof value === 'bigint' ? 0 : value)),
    ).not.toMatch(/response|Hello/);
  });

  test('the evaluation’s user pays for the candidate and the judge, and the user only for the own request', async () => {
    const gateway = await start();
    await chat(gateway, gateway.key);
    await gateway.evaluated();
    const usage = async (user: string) =>
      (await gateway.ask('GET', `/v1/users/${user}/usage`)).body.map(({ model }: { model: string }) => model);
    expect(await usage('ada')).toEqual(['openai:current']);
    expect((await usage('evaluation')).toSorted()).toEqual([
      'openai:candidate',
      'openai:judge',
      'openai:judge',
    ]);
  });

  test('streams are compared with streams', async () => {
    const gateway = await start();
    const { text } = await chat(gateway, gateway.key, { stream: true });
    expect(text).toContain('[DONE]');
    const [row] = await rowsOf(gateway);
    expect(row).toMatchObject({ failed: 0, scores: { preference: [0, 1] } });
    expect(row?.first_ms).not.toBeNull();
    expect(models.of('candidate')[0]?.body['stream']).toBe(true);
  });

  test('tools and their results are sent to the candidate, and tool calls are compared', async () => {
    const call = (city: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'weather', arguments: `{"city":"${city}"}` } },
      ],
    });
    models.behaviors.set('current', () => call('Bern'));
    models.behaviors.set('candidate', () => call('Basel'));
    const gateway = await start();
    const messages = [
      { role: 'user', content: 'Weather?' },
      call('Rome'),
      { role: 'tool', tool_call_id: 'c', content: 'sunny' },
    ];
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
    await chat(gateway, gateway.key, { messages, tools });
    expect((await rowsOf(gateway))[0]?.scores).toMatchObject({
      tool_calls: [1, 0.5],
      preference: [0.5, 0.5],
    });
    expect(models.of('candidate')[0]?.body).toMatchObject({ messages, tools });
  });

  test('without permission of the key, nothing is sent and nothing is counted', async () => {
    const gateway = await start();
    const { key } = (await gateway.ask('POST', '/v1/keys', { user_id: 'bob' })).body;
    await chat(gateway, String(key));
    expect(await trialsOf(gateway)).toEqual([]);
    expect(models.received).toHaveLength(1);
  });

  test.each([
    ['the user', '/v1/users/ada'],
    ['the team', '/v1/teams/research'],
    ['the organization', '/v1/organizations/acme'],
  ])('with no_shadow of %s, nothing is sent, whatever the key allows', async (_name, path) => {
    const gateway = await start();
    const { ask } = gateway;
    await ask('POST', '/v1/organizations', { organization_id: 'acme' });
    await ask('POST', '/v1/teams', { team_id: 'research', organization_id: 'acme' });
    await ask('PUT', '/v1/teams/research/members/ada', { role: 'member' });
    const fields = { user_id: 'ada', team_id: 'research', allow_shadow: true };
    const { key } = (await ask('POST', '/v1/keys', fields)).body;
    expect((await ask('PATCH', path, { no_shadow: true })).body.no_shadow).toBe(true);
    await chat(gateway, String(key));
    expect(await trialsOf(gateway)).toEqual([]);
    expect((await ask('PATCH', path, { no_shadow: false })).body.no_shadow).toBe(false);
    await chat(gateway, String(key));
    expect(await rowsOf(gateway)).toHaveLength(1);
  });

  test('a request for the model itself is not sampled', async () => {
    const gateway = await start();
    await chat(gateway, gateway.key, { model: 'openai:current' });
    expect(await trialsOf(gateway)).toEqual([]);
  });

  test('identifiers of the user and of the client are not sent to the candidate', async () => {
    const gateway = await start();
    const private_ = {
      user: 'ada',
      safety_identifier: 'person-1',
      prompt_cache_key: 'session-1',
      metadata: { case: 'secret-case' },
    };
    const { status } = await gateway.request('/v1/chat/completions', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${gateway.key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'my-key-1',
        'X-Session-Id': 'session-2',
      },
      body: JSON.stringify({
        model: 'fast',
        messages: [{ role: 'user', content: 'Hello' }],
        temperature: 0.5,
        ...private_,
      }),
    });
    expect(status).toBe(200);
    await gateway.evaluated();
    const [sent] = models.of('candidate');
    expect(sent?.body).toEqual({
      model: 'candidate',
      messages: [{ role: 'user', content: 'Hello' }],
      temperature: 0.5,
    });
    expect(JSON.stringify(sent?.headers)).not.toMatch(/my-key-1|session-2/);
  });

  test.each([
    ['stored', { store: true }],
    ['tools', { tools: [{ type: 'mcp', server_url: 'http://x', authorization: 'Bearer t' }] }],
    ['tools', { web_search_options: {} }],
    ['several', { n: 2 }],
  ])('a request is not sent to the candidate and is counted: %s', async (reason, more) => {
    const gateway = await start();
    await chat(gateway, gateway.key, more);
    expect(await skipsOf(gateway)).toEqual({ [reason]: 1 });
    expect(models.of('candidate')).toEqual([]);
  });

  test('a request with Cache-Control: no-store is not sent to the candidate', async () => {
    const gateway = await start();
    await gateway.request('/v1/chat/completions', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${gateway.key}`,
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
      },
      body: JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(await skipsOf(gateway)).toEqual({ no_store: 1 });
    expect(models.of('candidate')).toEqual([]);
  });

  test.each([
    ['a pattern of the prompt log', { messages: [{ role: 'user', content: 'Write to bob@example.com' }] }],
    ['a key', { messages: [{ role: 'user', content: 'sk-abcdefghijklmnopqrstuvwx' }] }],
    ['the name of a member', { api_key: 'short' }],
  ])('a request with a secret is not sent to the candidate: %s', async (_name, more) => {
    const gateway = await start();
    await chat(gateway, gateway.key, more);
    expect(await skipsOf(gateway)).toEqual({ secret: 1 });
    expect(models.of('candidate')).toEqual([]);
  });

  test('a candidate that fails has the lowest score, and the user is not affected', async () => {
    models.behaviors.set('candidate', () => 500);
    const gateway = await start();
    expect((await chat(gateway, gateway.key)).status).toBe(200);
    expect(await rowsOf(gateway)).toMatchObject([{ failed: 1, scores: { preference: [1, 0] } }]);
  });

  test('failures of a candidate do not count for the targets of users’ requests', async () => {
    models.behaviors.set('candidate', () => 500);
    const gateway = await start();
    for (let request = 0; request < 5; request += 1) await chat(gateway, gateway.key);
    await gateway.evaluated();
    const known = targetStatesOf(gateway.context.models).map(({ target }) => target);
    expect(known).toEqual([]);
  });

  test('an exhausted budget of the evaluation is not counted as a failure of the candidate', async () => {
    const gateway = await start();
    const { body } = await gateway.ask('POST', '/v1/budgets', { max_budget: 0 });
    await gateway.ask('PATCH', '/v1/users/evaluation', { budget_id: body.budget_id });
    expect((await chat(gateway, gateway.key)).status).toBe(200);
    expect(await skipsOf(gateway)).toEqual({ limited: 1 });
    expect(await rowsOf(gateway)).toEqual([]);
  });

  test('a judge whose responses are unreadable leaves the request out', async () => {
    models.behaviors.set('judge', () => 'I cannot decide.');
    const gateway = await start();
    await chat(gateway, gateway.key);
    expect(await skipsOf(gateway)).toEqual({ not_scored: 1 });
  });

  test('the verdict is reported by the API and raises one alert', async () => {
    models.behaviors.set('current', () => 'a good response');
    models.behaviors.set('candidate', () => 'another response');
    const gateway = await start();
    for (let request = 0; request < 12; request += 1) {
      await chat(gateway, gateway.key);
      await gateway.evaluated();
    }
    const [trial] = await gateway.records.list();
    expect(trial).toMatchObject({ alias: 'fast', verdict: 'worse', rows: 12 });
    const { body: alerts } = await gateway.ask('GET', '/v1/alerts');
    expect(alerts).toMatchObject([
      {
        type: 'shadow.verdict_reached',
        account: { type: 'alias', id: 'fast' },
        message: expect.stringMatching(
          /^Candidate openai:candidate of alias 'fast' is worse with 95%, after \d+/,
        ),
        spend: null,
      },
    ]);
  });

  test('deleting a user deletes the scores of the user’s requests', async () => {
    const gateway = await start();
    await chat(gateway, gateway.key);
    expect(await rowsOf(gateway)).toHaveLength(1);
    await gateway.ask('DELETE', '/v1/users/ada');
    expect(await rowsOf(gateway)).toEqual([]);
  });

  test('scores are deleted after their retention', async () => {
    const gateway = await start();
    await chat(gateway, gateway.key);
    await rowsOf(gateway);
    await gateway.records.prune(gateway.clock.now() + 89 * 86_400_000);
    expect(await rowsOf(gateway)).toHaveLength(1);
    await gateway.records.prune(gateway.clock.now() + 91 * 86_400_000);
    expect(await rowsOf(gateway)).toEqual([]);
  });

  test('a row that is written twice is counted once, and the rows of two gateways are numbered in order', async () => {
    const gateway = await start();
    await chat(gateway, gateway.key);
    const [trial] = await trialsOf(gateway);
    const id = trial?.id ?? '';
    const written = (await rowsOf(gateway)).map(({ number: _number, trial_id: _trial, ...row }) => row);
    await gateway.records.add(id, written);
    const others = ['a', 'b', 'c', 'd'].map((other) => written.map((row) => ({ ...row, id: other })));
    await Promise.all(others.map((rows) => gateway.records.add(id, rows)));
    const rows = await rowsOf(gateway);
    expect(rows).toHaveLength(5);
    expect(new Set(rows.map((one) => one.number)).size).toBe(5);
  });

  test('the evaluation ends after the maximum number of requests', async () => {
    const gateway = await start({ maxRows: 2 });
    for (let request = 0; request < 5; request += 1) {
      await chat(gateway, gateway.key);
      await gateway.evaluated();
    }
    expect(await rowsOf(gateway)).toHaveLength(2);
  });

  test('with an experiment, its newest workflow defines the metrics and the judge', async () => {
    const gateway = await start();
    const { upload, experiment, workflow } = requestsTo(gateway);
    const dataset = (await upload('examples,ground_truth\nHello,Hi\n')).body.id;
    const id = await experiment(dataset, { task_definition: { task: 'summarization' } });
    for (const metrics of [['exact_match'], ['rouge', 'bleu', 'g_eval_summarization']]) {
      gateway.clock.advance(1000);
      const { status, text } = await workflow(id, {
        provider: 'openai',
        model: 'current',
        metrics,
        llm_as_judge: { model_name: 'openai:other-judge' },
      });
      expect([status, text]).toEqual([201, expect.any(String)]);
    }
    models.behaviors.set('other-judge', ({ messages }) =>
      JSON.stringify({ score: JSON.stringify(messages).includes('a good response') ? 10 : 5 }),
    );
    const template = { ...SETTINGS, experiment: id, metrics: undefined, judge: undefined };
    const evaluating = gatewayOn(gateway.state, gateway.clock, {
      providers: [models.provider],
      aliases: [{ name: 'fast', targets: [{ model: 'openai:current' }], shadow: template }],
    });
    await chat(evaluating, gateway.key);
    await evaluating.evaluated();
    const [trial] = await gateway.records.list();
    // BLEU needs references, which requests of users do not have.
    expect(trial?.plan).toMatchObject({
      metrics: ['rouge', 'g_eval_summarization'],
      deciding: ['g_eval_summarization'],
      judge: 'openai:other-judge',
    });
    const [row] = await gateway.records.rows(trial?.id ?? '', 0, 10);
    expect(row?.scores).toMatchObject({ rouge: [1, expect.any(Number)], g_eval_summarization: [0.5, 1] });
    expect(models.of('judge')).toEqual([]);
  });

  test('other settings are another evaluation', async () => {
    const gateway = await start();
    await chat(gateway, gateway.key);
    const [before] = await trialsOf(gateway);
    const other = gatewayOn(gateway.state, gateway.clock, {
      providers: [models.provider],
      aliases: [
        {
          name: 'fast',
          targets: [{ model: 'openai:current' }],
          shadow: { ...SETTINGS, margin: 0.1 },
        },
      ],
    });
    await chat(other, gateway.key);
    await other.evaluated();
    const trials = await gateway.records.list();
    expect(trials).toHaveLength(2);
    expect(trials.map(({ id }) => id)).toContain(before?.id);
  });
});
