import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyChanges, newKeyBody } from '#gateway/api/keys-schemas.ts';
import { newUser, userChanges } from '#gateway/api/users.ts';
import { openGateway } from '../open-gateway.ts';
import { type Headers, keysOf } from './keys-of.ts';

// What a team admin can set on the team's keys and service accounts. No value may allow more than the gateway, its
// configuration and its administrators allow. A new field is missing in the tables and fails the test.
const gateway = await openGateway({ userLimits: { rpm: 60, tpm: null, maxParallel: 5 } });
afterAll(() => gateway.close());
const { ask } = gateway;
const { session } = keysOf(gateway);

/** The value before, the change, and the status for a team admin. */
type Case = readonly [before: object, change: object, status: 200 | 403 | 422];
type Cases = Readonly<Record<string, readonly Case[]>>;

/** Limits in addition to those of the user, the team and the organization, so no value can allow more. */
const ADDS: Case = [{}, {}, 200];

const KEY_FIELDS: Cases = {
  log_prompts: [
    [{}, { log_prompts: false }, 403],
    [{}, { log_prompts: true }, 200],
    [{ log_prompts: true }, { log_prompts: false }, 403],
    [{ log_prompts: true }, { log_prompts: null }, 403],
    [{ log_prompts: false }, { log_prompts: null }, 200],
  ],
  key_name: [[{}, { key_name: 'x' }, 200]],
  expires_at: [ADDS, [{}, { expires_at: null }, 200]],
  metadata: [[{}, { metadata: { a: 1 } }, 200]],
  allowed_models: [ADDS, [{}, { allowed_models: null }, 200]],
  rpm: [ADDS, [{}, { rpm: 1000 }, 200]],
  tpm: [ADDS, [{}, { tpm: null }, 200]],
  max_parallel: [ADDS, [{}, { max_parallel: 1000 }, 200]],
  queue_sec: [ADDS, [{}, { queue_sec: 60 }, 200]],
  priority: [
    [{}, { priority: 'high' }, 403],
    [{}, { priority: null }, 200],
  ],
  tools: [
    [{}, { tools: ['desk'] }, 200],
    [{ tools: ['desk'] }, { tools: null }, 200],
  ],
  allow_shadow: [
    [{}, { allow_shadow: true }, 403],
    [{ allow_shadow: true }, { allow_shadow: false }, 200],
  ],
  budget: [ADDS, [{ budget: { max_budget: 1 } }, { budget: null }, 200]],
  is_active: [[{}, { is_active: false }, 200]],
  user_id: [[{}, { user_id: 'stranger' }, 403]],
  team_id: [[{}, { team_id: 'other' }, 403]],
  scope: [[{}, { scope: 'manage', user_id: 'crew/bot' }, 403]],
};

const USER_FIELDS: Cases = {
  alias: [[{}, { alias: 'Bot' }, 200]],
  metadata: [[{}, { metadata: { a: 1 } }, 200]],
  budget_id: [
    [{}, { budget_id: 'BUDGET' }, 403],
    [{ budget_id: 'BUDGET' }, { budget_id: null }, 403],
    [{ budget_id: 'BUDGET' }, { budget_id: 'BUDGET' }, 200],
  ],
  blocked: [
    [{}, { blocked: true }, 200],
    [{ blocked: true }, { blocked: false }, 403],
  ],
  rpm: [
    [{}, { rpm: 61 }, 403],
    [{}, { rpm: 60 }, 200],
    [{}, { rpm: 10 }, 200],
    [{ rpm: 10 }, { rpm: 11 }, 403],
    [{ rpm: 10 }, { rpm: null }, 403],
    [{ rpm: 100 }, { rpm: 90 }, 200],
  ],
  tpm: [
    [{}, { tpm: 1_000_000 }, 200],
    [{ tpm: 10 }, { tpm: null }, 403],
  ],
  queue_sec: [[{}, { queue_sec: 60 }, 200]],
  priority: [
    [{}, { priority: 'high' }, 403],
    [{}, { priority: 'low' }, 403],
  ],
  no_shadow: [
    [{}, { no_shadow: true }, 200],
    [{ no_shadow: true }, { no_shadow: false }, 403],
  ],
  max_parallel: [
    [{}, { max_parallel: 6 }, 403],
    [{}, { max_parallel: 1 }, 200],
  ],
  role: [[{}, { role: 'admin' }, 422]],
  user_id: [[{}, { user_id: 'stranger', team_id: 'crew' }, 422]],
  team_id: [[{}, { team_id: 'other' }, 403]],
};

const fieldsOf = (schema: TSchema): string[] =>
  Object.keys((schema as { properties?: object }).properties ?? {});
const casesOf = (cases: Cases, schema: TSchema): [string, Case][] =>
  fieldsOf(schema).flatMap((field) => (cases[field] ?? []).map((one): [string, Case] => [field, one]));

let chief: Headers = {};
let budget = '';
beforeAll(async () => {
  for (const team_id of ['crew', 'other']) await ask('POST', '/v1/teams', { team_id });
  for (const user_id of ['chief', 'stranger']) await ask('POST', '/v1/users', { user_id });
  await ask('PUT', '/v1/teams/crew/members/chief', { role: 'admin' });
  await ask('POST', '/v1/users', { user_id: 'crew/bot', team_id: 'crew' });
  budget = (await ask('POST', '/v1/budgets', { name: 'b', max_budget: 5 })).body.budget_id;
  chief = await session('chief');
});
const filled = (value: object): object =>
  JSON.parse(JSON.stringify(value).replaceAll('BUDGET', budget)) as object;

test('the tables of this test contain every field of keys and users', () => {
  expect(Object.keys(KEY_FIELDS).toSorted()).toEqual(
    [...new Set([...fieldsOf(newKeyBody), ...fieldsOf(keyChanges)])].toSorted(),
  );
  expect(Object.keys(USER_FIELDS).toSorted()).toEqual(
    [...new Set([...fieldsOf(newUser), ...fieldsOf(userChanges)])].toSorted(),
  );
});

let created = 0;
const isOfNew = ([before]: Case): boolean => Object.keys(before).length === 0;

describe('a team admin', () => {
  test.each(casesOf(KEY_FIELDS, keyChanges))(
    'updates %s of a key: %j',
    async (_field, [before, change, status]) => {
      const owned = { user_id: 'crew/bot', team_id: 'crew' };
      const { body } = await ask('POST', '/v1/keys', { ...owned, ...filled(before) });
      expect((await ask('PATCH', `/v1/keys/${body.id}`, filled(change), chief)).status).toBe(status);
    },
  );

  test.each(casesOf(KEY_FIELDS, newKeyBody).filter(([, one]) => isOfNew(one)))(
    'creates a key with %s: %j',
    async (_field, [, change, status]) => {
      const owned = { user_id: 'crew/bot', team_id: 'crew' };
      expect((await ask('POST', '/v1/keys', { ...owned, ...filled(change) }, chief)).status).toBe(status);
    },
  );

  test.each(casesOf(USER_FIELDS, userChanges))(
    'updates %s of a service account: %j',
    async (_field, [before, change, status]) => {
      const user_id = `crew/bot-${(created += 1)}`;
      await ask('POST', '/v1/users', { user_id, team_id: 'crew', ...filled(before) });
      const path = `/v1/users/${encodeURIComponent(user_id)}`;
      expect((await ask('PATCH', path, filled(change), chief)).status).toBe(status);
    },
  );

  test.each(casesOf(USER_FIELDS, newUser).filter(([, one]) => isOfNew(one)))(
    'creates a service account with %s: %j',
    async (_field, [, change, status]) => {
      const owned = { user_id: `crew/bot-${(created += 1)}`, team_id: 'crew' };
      expect((await ask('POST', '/v1/users', { ...owned, ...filled(change) }, chief)).status).toBe(status);
    },
  );
});

test('members also cannot disable the prompt log for keys that they create', async () => {
  await ask('PUT', '/v1/teams/crew/members/stranger');
  const body = { team_id: 'crew', log_prompts: false };
  const { status, text } = await ask('POST', '/v1/keys', body, await session('stranger'));
  expect([status, text]).toEqual([403, expect.stringContaining('gateway role admin')]);
});
