import { expect, test } from 'vitest';
import { createShadowRegistry } from '#gateway/registry/shadow-registry.ts';
import { trialOfSettings } from '#gateway/requests/shadow/trial-plans.ts';
import { describeDatabases } from '../databases.ts';
import { addComparedRows } from '../requests/shadow/compared-rows.ts';
import { gatewayOn } from './open-gateway.ts';

const SHADOW = {
  model: 'openai:candidate',
  share: 0.5,
  user: 'evaluation',
  judge: 'openai:judge',
};

describeDatabases((database) => {
  const start = async () => {
    const { clock, ...state } = await database.start();
    const gateway = gatewayOn(state, clock);
    await gateway.ask('POST', '/v1/providers', { name: 'openai', api_key: 'sk-x' });
    const compare = (name: string, preference: number, rows?: number) =>
      addComparedRows(gateway, name, preference, rows);
    const alias = async (shadow: object = SHADOW) =>
      await gateway.ask('POST', '/v1/aliases', { name: 'fast', targets: ['openai:current'], shadow });
    return { ...gateway, compare, alias };
  };

  test('an evaluation is shown with its settings before the first request', async () => {
    const { ask, alias } = await start();
    expect((await alias()).body).toMatchObject({ status: 'active', problem: null, shadow: SHADOW });
    const { body } = await ask('GET', '/v1/shadow');
    expect(body).toMatchObject([
      {
        alias: 'fast',
        candidate: 'openai:candidate',
        current: true,
        verdict: 'undecided',
        message: 'undecided',
        rows: 0,
        started_at: null,
      },
    ]);
  });

  test('a verdict has intervals, and differences in cost and latency', async () => {
    const { ask, alias, compare } = await start();
    await alias();
    await compare('fast', 0.5);
    const { body } = await ask('GET', '/v1/shadow/fast');
    expect(body).toMatchObject({
      verdict: 'not_worse',
      message: 'not worse with 95%',
      rows: 60,
      cost: { baseline: 0.002, candidate: 0.0005, difference: -0.0015 },
      scoring_cost: 0.06,
      latency_p50_ms: { baseline: 930, candidate: 600, difference: -330 },
    });
    const [metric] = body.metrics;
    expect(metric).toMatchObject({ name: 'preference', decides: true, difference: 0.5 });
    expect(metric.lower).toBeGreaterThan(-0.05);
    expect(metric.upper).toBeGreaterThan(0.5);
  });

  test('an undecided evaluation estimates the number of further requests', async () => {
    const { ask, alias, compare } = await start();
    await alias();
    await compare('fast', 0, 20);
    const { body } = await ask('GET', '/v1/shadow/fast');
    expect(body.message).toBe(`undecided: about ${body.remaining_rows} more rows`);
    expect(body.remaining_rows).toBeGreaterThan(0);
  });

  test('a candidate that is not worse is promoted, which the audit log records', async () => {
    const { ask, alias, compare } = await start();
    await alias();
    await compare('fast', 0.5);
    const { status, body } = await ask('POST', '/v1/shadow/promote', { alias: 'fast' });
    expect([status, body]).toMatchObject([
      200,
      { targets: [{ model: 'openai:candidate', weight: 1 }], shadow: null },
    ]);
    const { body: audit } = await ask('GET', '/v1/admin/audit');
    expect(audit.items[0]).toMatchObject({ action: 'alias.update', object: 'fast' });
    // The evaluation stays in the list.
    expect((await ask('GET', '/v1/shadow')).body).toMatchObject([{ current: false, verdict: 'not_worse' }]);
  });

  test('a promotion without a verdict is rejected unless it is forced', async () => {
    const { ask, alias } = await start();
    await alias();
    const refused = await ask('POST', '/v1/shadow/promote', { alias: 'fast' });
    expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'not_established' }]);
    expect((await ask('POST', '/v1/shadow/promote', { alias: 'fast', force: true })).status).toBe(200);
  });

  test('only administrators promote candidates', async () => {
    const { ask, alias, request } = await start();
    await alias();
    await ask('POST', '/v1/users', { user_id: 'viewer', role: 'viewer' });
    const { body } = await ask('POST', '/v1/keys', { user_id: 'viewer', scope: 'manage' });
    const headers = { Authorization: `Bearer ${body.key}`, 'Content-Type': 'application/json' };
    expect((await request('/v1/shadow', { headers })).status).toBe(200);
    const promote = { method: 'POST', headers, body: JSON.stringify({ alias: 'fast', force: true }) };
    expect((await request('/v1/shadow/promote', promote)).status).toBe(403);
  });

  test.each([
    [{ judge: undefined }, 'shadow.judge: must be set, because a judge scores preference'],
    [{ model: 'nowhere:m' }, 'shadow.model: There is no provider `nowhere`'],
    [{ metrics: ['similarity'] }, 'shadow.embedder: must be set for the metric similarity'],
    [{ retention: 'soon' }, 'shadow.retention: expected a time such as'],
  ])('invalid settings are rejected: %j', async (changes, problem) => {
    const { alias } = await start();
    const { status, text } = await alias({ ...SHADOW, ...changes });
    expect([status, text]).toEqual([422, expect.stringContaining(problem)]);
  });

  test('problems with settings are separate sentences', async () => {
    const { ask } = await start();
    const create = async (settings: object) =>
      (await ask('POST', '/v1/aliases', { name: 'fast', targets: ['openai:current'], ...settings })).body
        .detail;
    const ab = { model: 'openai:candidate', share: 0.5 };
    expect(await create({ ab: { ...ab, metrics: ['g_eval_summarization'] } })).toBe(
      "Invalid alias 'fast': ab.judge: must be set, because a judge scores g_eval_summarization. ab.user: must be set, because a judge scores g_eval_summarization.",
    );
  });

  test.each(['ab', 'shadow'])('an evaluation that cannot run is shown with its problem: %s', async (mode) => {
    const { ask } = await start();
    await ask('POST', '/v1/providers', { name: 'mistral', api_key: 'sk-y' });
    const candidate = 'mistral:candidate';
    await ask('POST', '/v1/aliases', {
      name: 'fast',
      targets: ['openai:current'],
      [mode]: { ...SHADOW, model: candidate },
    });
    const problem = 'There is no provider `mistral` for "mistral:candidate".';
    expect((await ask('DELETE', '/v1/providers/mistral')).status).toBe(204);
    const { status, body } = await ask('GET', '/v1/shadow/fast');
    expect([status, body]).toMatchObject([
      200,
      { alias: 'fast', mode, candidate, current: true, verdict: 'undecided', message: 'not running' },
    ]);
    expect(body.problem).toContain(problem);
    expect((await ask('GET', '/v1/shadow')).body).toMatchObject([{ problem: body.problem }]);
    const promoted = await ask('POST', '/v1/shadow/promote', { alias: 'fast', force: true });
    expect([promoted.status, promoted.body.detail]).toEqual([409, expect.stringContaining('mistral')]);
  });

  test.each([
    ['shadow', SHADOW],
    ['ab', { ...SHADOW, metrics: ['g_eval_summarization'] }],
  ])('a user who pays and does not exist is shown as a problem: %s', async (mode, settings) => {
    const { ask } = await start();
    await ask('POST', '/v1/aliases', { name: 'fast', targets: ['openai:current'], [mode]: settings });
    const problemOf = async (): Promise<unknown> => (await ask('GET', '/v1/shadow/fast')).body.problem;
    const problem = `User 'evaluation', who pays for the evaluation, does not exist. Create the user, or set another \`${mode}.user\`.`;
    expect(await problemOf()).toBe(problem);
    await ask('POST', '/v1/users', { user_id: 'evaluation' });
    expect(await problemOf()).toBeNull();
    await ask('DELETE', '/v1/users/evaluation');
    expect(await problemOf()).toBe(problem);
  });

  test('an experiment that does not exist is shown as a problem', async () => {
    const { ask, alias } = await start();
    await alias({ ...SHADOW, experiment: 'none' });
    const { body } = await ask('GET', '/v1/shadow/fast');
    expect(body.problem).toBe("Experiment 'none' does not exist or has no workflows.");
  });

  test('an alias in the configuration file is not promoted', async () => {
    const { context } = await start();
    const shadow = { baseline: [], ...SHADOW } as never;
    const value = { name: 'fast', targets: [{ model: 'openai:current' }], shadow };
    const entry = {
      name: 'fast',
      source: 'file',
      status: 'active',
      problem: null,
      value,
      stored: undefined,
    } as const;
    const registry = createShadowRegistry({
      aliases: { ...context.aliases, get: () => Promise.resolve(entry) },
      records: context.state.shadowRecords,
      users: context.state.identity.users,
      trialOf: (alias, settings) => trialOfSettings(context.state.shadowRecords, alias, settings),
      now: context.clock.now,
    });
    await expect(registry.promote('fast', true)).rejects.toThrow(
      "Alias 'fast' is in the configuration file. Set its `targets` to [openai:candidate] and remove `shadow` there.",
    );
  });
});
