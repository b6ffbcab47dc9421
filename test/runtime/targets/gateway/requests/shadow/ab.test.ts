import { beforeEach, describe, expect, test } from 'vitest';
import { reportOf } from '#gateway/accounts/shadow/trial-monitor.ts';
import { shadowView } from '#gateway/api/views/shadow.ts';
import { AB_DEFAULTS, type AbSettings } from '#gateway/requests/routing/ab-settings.ts';
import { abTrialOf, unitOf, variantOf } from '#gateway/requests/routing/ab-tests.ts';
import { gatewayOn, type GatewayOptions, type OpenGateway } from '../../api/open-gateway.ts';
import { describeDatabases } from '../../databases.ts';
import { startModels } from './models-by-name.ts';

const models = await startModels();
const others = await startModels('other');

const SETTINGS: AbSettings = {
  baseline: ['openai:current'],
  model: 'other:candidate',
  share: 0.5,
  by: 'user',
  metrics: ['feedback', 'success'],
  judge: undefined,
  user: undefined,
  judgeShare: 0,
  maxScore: 1,
  windowMs: 86_400_000,
  margin: 0.05,
  confidence: 0.95,
  maxRows: AB_DEFAULTS.maxRows,
  retentionMs: 90 * 86_400_000,
};

beforeEach(() => {
  for (const { received, behaviors } of [models, others]) {
    received.length = 0;
    behaviors.clear();
  }
  models.behaviors.set('current', () => 'the current response');
  others.behaviors.set('candidate', () => 'the response of the candidate');
});

/** A user who gets this variant, from a list of names. */
function userOf(settings: AbSettings, wanted: 'current' | 'candidate', skip = 0): string {
  const known = { alias: 'fast', settings, trial: abTrialOf('fast', settings) };
  const names = Array.from({ length: 1000 }, (_, at) => `user-${at}`);
  const found = names.filter((user) => {
    const sender = { user, key: undefined, endUser: undefined, session: undefined };
    return variantOf(unitOf(known, sender), settings.share) === wanted;
  });
  return found[skip] ?? '';
}

describeDatabases((database) => {
  const start = async (changes: Partial<AbSettings> = {}, options: GatewayOptions = {}) => {
    const { clock, ...state } = await database.start();
    const ab = { ...SETTINGS, ...changes };
    const openWith = (settings: AbSettings) =>
      gatewayOn(state, clock, {
        providers: [models.provider, others.provider],
        aliases: [{ name: 'fast', targets: [{ model: 'openai:current' }], ab: settings }],
        ...options,
      });
    const gateway = openWith(ab);
    const keyOf = async (user: string, fields: object = {}): Promise<string> =>
      String((await gateway.ask('POST', '/v1/keys', { user_id: user, ...fields })).body.key);
    return { ...gateway, keyOf, openWith, state, clock, records: state.shadowRecords, ab };
  };
  type Started = Awaited<ReturnType<typeof start>>;
  const chat = async (
    { request }: Pick<OpenGateway, 'request'>,
    key: string,
    more: object = {},
    headers: Record<string, string> = {},
  ) => {
    const answer = await request('/v1/chat/completions', {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: 'Hello' }], ...more }),
    });
    return { ...answer, variant: answer.headers.get('x-gateway-variant') };
  };
  const rowsOf = async ({ evaluated, records, ab }: Started) => {
    await evaluated();
    return await records.rows(abTrialOf('fast', ab).id, 0, 1000);
  };
  const skipsOf = async ({ evaluated, records, ab }: Started) => {
    await evaluated();
    return await records.skips(abTrialOf('fast', ab).id);
  };

  const reportAt = async ({ records, clock, ab }: Started) => {
    const trial = await records.find(abTrialOf('fast', ab).id);
    if (!trial) throw new Error('There is no test.');
    const report = await reportOf(records, trial, clock.now());
    return shadowView({ alias: 'fast', isCurrent: true, settings: ab, problem: null, report });
  };

  test('a user gets the same variant in each request, from the variant’s model, and pays for it', async () => {
    const gateway = await start();
    for (const [variant, model] of [
      ['current', 'openai:current'],
      ['candidate', 'other:candidate'],
    ] as const) {
      const user = userOf(SETTINGS, variant);
      const key = await gateway.keyOf(user);
      for (let at = 0; at < 3; at += 1) {
        const answer = await chat(gateway, key, { stream: at === 1 });
        expect([answer.status, answer.variant]).toEqual([200, variant]);
      }
      const { body } = await gateway.ask('GET', `/v1/users/${user}/usage`);
      expect(body.map((row: { model: string }) => row.model)).toEqual([model, model, model]);
    }
    const rows = await rowsOf(gateway);
    expect(rows.map(({ variant, model }) => [variant, model])).toEqual([
      ...Array.from({ length: 3 }, () => ['current', 'openai:current']),
      ...Array.from({ length: 3 }, () => ['candidate', 'other:candidate']),
    ]);
    expect(rows[0]).toMatchObject({ failed: 0, scores: { success: 1, no_refusal: 1 }, share: 0.5 });
    expect(new Set(rows.map(({ unit }) => unit)).size).toBe(2);
  });

  test('with a larger share, users of the candidate keep it, and the others can get it', async () => {
    const gateway = await start({ share: 0.1 });
    const more = gateway.openWith({ ...gateway.ab, share: 0.9 });
    const kept = await gateway.keyOf(userOf(gateway.ab, 'candidate'));
    expect((await chat(gateway, kept)).variant).toBe('candidate');
    await gateway.evaluated();
    expect((await chat(more, kept)).variant).toBe('candidate');
    await more.evaluated();
    expect((await rowsOf(gateway)).map(({ share }) => share)).toEqual([0.1, 0.9]);
  });

  test('if the candidate fails or rejects the request, the targets respond, and the candidate has failed', async () => {
    const gateway = await start();
    const key = await gateway.keyOf(userOf(SETTINGS, 'candidate'));
    for (const status of [500, 400]) {
      others.behaviors.set('candidate', () => status);
      const answer = await chat(gateway, key);
      expect([answer.status, answer.body.choices[0].message.content]).toEqual([200, 'the current response']);
    }
    const rows = await rowsOf(gateway);
    expect(rows.map(({ failed, model, scores }) => [failed, model, scores])).toEqual([
      [1, 'openai:current', { success: 0 }],
      [1, 'openai:current', { success: 0 }],
    ]);
  });

  test('errors of the current model count as its failures', async () => {
    models.behaviors.set('current', () => 400);
    const gateway = await start();
    expect((await chat(gateway, await gateway.keyOf(userOf(SETTINGS, 'current')))).status).toBe(400);
    expect(await rowsOf(gateway)).toMatchObject([{ variant: 'current', failed: 1, scores: { success: 0 } }]);
  });

  test('a key that can only use the alias gets the candidate, and one that cannot use the alias is rejected', async () => {
    const gateway = await start();
    const user = userOf(SETTINGS, 'candidate');
    const key = await gateway.keyOf(user, { allowed_models: ['fast'] });
    expect((await chat(gateway, key)).variant).toBe('candidate');
    const other = await gateway.keyOf(user, { allowed_models: ['other:candidate'] });
    expect((await chat(gateway, other)).status).toBe(403);
    expect((await chat(gateway, key, { model: 'other:candidate' })).status).toBe(403);
    expect(await rowsOf(gateway)).toHaveLength(1);
  });

  test('with no_shadow of the user, the current model responds, and the request is not counted', async () => {
    const gateway = await start();
    const user = userOf(SETTINGS, 'candidate');
    const key = await gateway.keyOf(user);
    await gateway.ask('PATCH', `/v1/users/${user}`, { no_shadow: true });
    const answer = await chat(gateway, key);
    expect([answer.status, answer.variant]).toEqual([200, null]);
    expect(others.received).toEqual([]);
    expect(await skipsOf(gateway)).toEqual({ forbidden: 1 });
  });

  test('a request that a limit rejects is not counted as a failure', async () => {
    const gateway = await start();
    const { body } = await gateway.ask('POST', '/v1/budgets', { max_budget: 0 });
    const user = userOf(SETTINGS, 'candidate');
    const key = await gateway.keyOf(user);
    await gateway.ask('PATCH', `/v1/users/${user}`, { budget_id: body.budget_id });
    expect((await chat(gateway, key)).status).toBeGreaterThanOrEqual(400);
    expect(await rowsOf(gateway)).toEqual([]);
    expect(await skipsOf(gateway)).toEqual({ limited: 1 });
  });

  test('end users of an application each have a variant, and those of another application do not share it', async () => {
    const gateway = await start({ by: 'end_user' });
    const [one, other] = [await gateway.keyOf('app-1'), await gateway.keyOf('app-2')];
    const variants = async (key: string) => {
      const found: (string | null)[] = [];
      for (let at = 0; at < 12; at += 1)
        found.push((await chat(gateway, key, { safety_identifier: `person-${at}` })).variant);
      return found;
    };
    const first = await variants(one);
    expect(await variants(one)).toEqual(first);
    expect(await variants(other)).not.toEqual(first);
    expect(new Set(first).size).toBe(2);
  });

  test('after the maximum number of requests, users keep their variants, but nothing is recorded', async () => {
    const gateway = await start({ maxRows: 2, windowMs: 400 * 86_400_000 });
    const key = await gateway.keyOf(userOf(SETTINGS, 'candidate'));
    const variants: (string | null)[] = [];
    for (let at = 0; at < 4; at += 1) {
      variants.push((await chat(gateway, key)).variant);
      await gateway.evaluated();
    }
    expect(new Set(variants).size).toBe(1);
    expect(await rowsOf(gateway)).toHaveLength(2);
  });

  test('embeddings and token counts come from the current model', async () => {
    const gateway = await start();
    const key = await gateway.keyOf(userOf(SETTINGS, 'candidate'));
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const embed = await gateway.request('/v1/embeddings', {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'fast', input: 'Hello' }),
    });
    expect(embed.headers.get('x-gateway-variant')).toBeNull();
    expect(others.received).toEqual([]);
    expect(models.received).toHaveLength(1);
    expect(await skipsOf(gateway)).toEqual({ endpoint: 1 });
  });

  test('a repeated request with an Idempotency-Key gets the same response, and is counted once', async () => {
    const gateway = await start();
    const key = await gateway.keyOf(userOf(SETTINGS, 'candidate'));
    const headers = { 'Idempotency-Key': 'request-1' };
    const first = await chat(gateway, key, {}, headers);
    const again = await chat(gateway, key, {}, headers);
    expect([again.text, again.variant]).toEqual([first.text, 'candidate']);
    expect(others.received).toHaveLength(1);
    expect(await rowsOf(gateway)).toHaveLength(1);
  });

  describe('with a judge', () => {
    const JUDGED = {
      metrics: ['g_eval_summarization', 'success'],
      judge: 'openai:judge',
      user: 'evaluation',
      judgeShare: 1,
    };
    const startJudged = async () => {
      models.behaviors.set('judge', ({ messages }) =>
        JSON.stringify({
          score: JSON.stringify(messages).includes('the response of the candidate') ? 10 : 5,
        }),
      );
      const gateway = await start(JUDGED);
      await gateway.ask('POST', '/v1/users', { user_id: 'evaluation' });
      const keyFor = (variant: 'current' | 'candidate', fields: object = { allow_shadow: true }) =>
        gateway.keyOf(userOf(gateway.ab, variant), fields);
      return { ...gateway, keyFor };
    };
    const scoresOf = async (gateway: Started) =>
      (await rowsOf(gateway)).map(({ scores }) => scores['g_eval_summarization']);

    test('responses, also streamed ones, are scored on the account of the test’s user', async () => {
      const gateway = await startJudged();
      await chat(gateway, await gateway.keyFor('current'));
      await gateway.evaluated();
      await chat(gateway, await gateway.keyFor('candidate'), { stream: true });
      expect(await scoresOf(gateway)).toEqual([0.5, 1]);
      const { body } = await gateway.ask('GET', '/v1/users/evaluation/usage');
      expect(new Set(body.map((row: { model: string }) => row.model))).toEqual(new Set(['openai:judge']));
    });

    test('without allow_shadow of the key, the request counts, but nothing is sent to the judge', async () => {
      const gateway = await startJudged();
      const answer = await chat(gateway, await gateway.keyFor('candidate', {}));
      expect(answer.variant).toBe('candidate');
      expect(await scoresOf(gateway)).toEqual([undefined]);
      expect(models.of('judge')).toEqual([]);
    });

    test('a failure has the lowest score without a judge', async () => {
      others.behaviors.set('candidate', () => 500);
      const gateway = await startJudged();
      await chat(gateway, await gateway.keyFor('candidate'));
      expect(await rowsOf(gateway)).toMatchObject([{ scores: { success: 0, g_eval_summarization: 0 } }]);
      expect(models.of('judge')).toEqual([]);
    });

    test('a request counts without a score if it contains a secret or the judge fails', async () => {
      const gateway = await startJudged();
      const key = await gateway.keyFor('current');
      await chat(gateway, key, { messages: [{ role: 'user', content: 'sk-abcdefghijklmnopqrstuvwx' }] });
      models.behaviors.set('judge', () => 500);
      await chat(gateway, key);
      await chat(gateway, key, { store: true });
      expect(await scoresOf(gateway)).toEqual([undefined, undefined, undefined]);
      expect(await skipsOf(gateway)).toEqual({ secret: 1, not_scored: 1, stored: 1 });
    });
  });

  test('feedback on the responses decides after the window, is reported by the API, and raises one alert', async () => {
    const gateway = await start({ metrics: ['feedback'], margin: 0.2, windowMs: 60_000 });
    const feedback = async (user: string, thumb: string) => {
      const key = await gateway.keyOf(user);
      const { headers } = await chat(gateway, key);
      const given = await gateway.ask(
        'POST',
        '/v1/feedback',
        { request_id: headers.get('x-request-id'), thumb },
        { Authorization: `Bearer ${key}`, 'X-Gateway-Key': '' },
      );
      expect(given.status).toBeLessThan(300);
    };
    for (let at = 0; at < 20; at += 1) {
      await feedback(userOf(gateway.ab, 'current', at), 'up');
      await feedback(userOf(gateway.ab, 'candidate', at), 'down');
    }
    await gateway.evaluated();
    const report = async () => await reportAt(gateway);
    expect(await report()).toMatchObject({
      mode: 'ab',
      by: 'user',
      verdict: 'undecided',
      rows: 40,
      users: { baseline: 0, candidate: 0, waiting: 40 },
    });
    gateway.clock.advance(600_000);
    // The values become final without further requests.
    await gateway.evaluated();
    expect(await report()).toMatchObject({
      verdict: 'worse',
      message: 'worse with 95%',
      users: { baseline: 20, candidate: 20, waiting: 0 },
      metrics: [{ name: 'feedback', rows: 40, baseline: 1, candidate: 0, difference: -1, verdict: 'worse' }],
    });
    const { body: alerts } = await gateway.ask('GET', '/v1/alerts');
    expect(alerts).toMatchObject([
      {
        type: 'shadow.verdict_reached',
        message: expect.stringMatching(
          /^Candidate other:candidate of alias 'fast' is worse with 95%, after \d+ users\.$/,
        ),
      },
    ]);
  });
});
