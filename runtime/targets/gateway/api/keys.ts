import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import type { Manager } from '../accounts/identity/identity.ts';
import {
  issuerFor,
  permitKeyChange,
  permitKeyDeletion,
  permitKeyReplacement,
  permitNewKey,
  requireVisibleKey,
} from '../accounts/identity/key-policy.ts';
import { KEY_ORDERS } from '../accounts/identity/list-queries.ts';
import { HOLDER_KEY_FIELDS, type Key, KEY_FIELDS, KEY_STATUSES } from '../accounts/fields/keys.ts';
import { visibleTo } from '../accounts/identity/manager.ts';
import type { GatewayContext } from '../context.ts';
import { callerOf, managerIn } from './guards.ts';
import { changesOf, exampleOf, newOf } from './http/field-schemas.ts';
import { listQuery, pageOf, pageOfList } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { createdKey, key, keyChanges, keyList, newKeyBody, ownKey, rotation } from './keys-schemas.ts';
import { createdKeyView, keyView, ownKeyView } from './views/accounts.ts';

const LIST = listQuery(
  {
    search: {
      description: 'Only keys whose name, prefix, ID or user contains this text, case-insensitively.',
      example: 'mobile',
    },
    status: { description: 'Only keys with this status.', example: 'active', words: KEY_STATUSES },
    user_id: { description: 'Only keys of this user.', example: 'ada' },
    team_id: { description: 'Only keys of this team.', example: 'research' },
  },
  { orders: KEY_ORDERS, example: '-spend' },
);

const KEY = exampleOf(KEY_FIELDS, {
  id: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
  key_prefix: 'gw-q1Zt8mE',
  key_name: 'mobile app',
  user_id: 'ada',
  scope: 'models',
  expires_at: '2030-01-31T12:00:00Z',
  is_active: true,
  status: 'active',
  allowed_models: ['openai:*'],
  rpm: 60,
  max_parallel: 8,
  budget: { max_budget: 5, budget_duration_sec: 86_400, limits: null, alert_thresholds: [80, 100] },
});
const { last_used_at: _, ...SETTINGS } = KEY;
const CREATED = { ...SETTINGS, key: 'gw-q1Zt8mEr0FBpKvJ3cYdWnX7hTgLsUoAi5eQk2bMzPVRyNxC4fGHjD6w9SuEtOlIa' };
const ACCOUNT = {
  spend: 0.5,
  reserved: 0,
  max_budget: 5,
  remaining: 4.5,
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-01-02T00:00:00Z',
  requests: { used: 3, limit: 60, remaining: 57 },
  tokens: { used: 1200, limit: null, remaining: null },
  parallel: { used: 1, limit: 8, remaining: 7 },
};

const KEY_ID = { name: 'id', description: 'Key ID (not the key itself).', example: KEY.id };

const SEES = 'members see their own keys and, with the role admin in a team, the team’s keys.';
const OWNS = 'members must own the key or have the role admin in its team.';

/** `/v1/keys`: API keys. */
export function keyRoutes({ state }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { identity, ledger } = state;
  const { keys } = identity;

  /** The key specified in a path, if the manager has permission to access it. */
  const keyIn = async (
    c: Context<ShellEnv, '/:id'>,
    permit: (manager: Manager, key: Key) => void,
  ): Promise<Key> => {
    const key = await keys.get(c.req.param('id'));
    permit(managerIn(c), key);
    return key;
  };

  return [
    route({
      method: 'post',
      path: '/v1/keys',
      guard: guards.manager(
        'members can create keys only for their own teams, and keys for other users only with the role admin in the team.',
      ),
      id: 'createKey',
      tag: 'Keys',
      summary: 'Create a key.',
      description: '`key` is returned only in this response and cannot be retrieved later.',
      request: {
        schema: newKeyBody,
        examples: {
          key: { key_name: 'mobile app', expires_at: '2030-01-31T12:00:00Z' },
          limited: {
            key_name: 'mobile app',
            user_id: 'ada',
            allowed_models: ['openai:*'],
            rpm: 60,
            max_parallel: 8,
            budget: { max_budget: 5, budget_duration_sec: 86_400 },
          },
        },
      },
      answer: answerOf('The key.', createdKey, CREATED),
      run: async (c, body) => {
        const key = newOf(KEY_FIELDS, body);
        return createdKeyView(await keys.create(await permitNewKey(managerIn(c), key, identity)));
      },
    }),
    route({
      method: 'get',
      path: '/v1/keys',
      guard: guards.manager(SEES),
      id: 'listKeys',
      tag: 'Keys',
      summary: 'List keys in order of creation.',
      ...pageOfList({ schema: keyList, example: [KEY], parameters: LIST.parameters }),
      run: async (c) =>
        (await keys.list(pageOf(c), { ...LIST.read(c), visible: visibleTo(managerIn(c)) })).map((key) =>
          keyView(key),
        ),
    }),
    route({
      method: 'get',
      path: '/v1/keys/me',
      guard: guards.anyKey,
      id: 'getOwnKey',
      tag: 'Keys',
      summary: 'Get the caller’s key and its remaining quota.',
      answer: answerOf('The key.', ownKey, {
        ...exampleOf(HOLDER_KEY_FIELDS, KEY),
        quota: { user: ACCOUNT, key: ACCOUNT },
      }),
      errors: [400],
      run: async (c) => {
        const caller = callerOf(c);
        if (caller.kind === 'master') throw noKey();
        const spender = await identity.spender(caller, undefined);
        const [key, quota] = await Promise.all([keys.get(caller.key.id), ledger.quota(spender)]);
        return ownKeyView(key, quota);
      },
    }),
    route({
      method: 'get',
      path: '/v1/keys/:id',
      guard: guards.manager(SEES),
      id: 'getKey',
      tag: 'Keys',
      summary: 'Get a key.',
      parameters: [KEY_ID],
      answer: answerOf('The key, without its secret.', key, KEY),
      run: async (c) => keyView(requireVisibleKey(managerIn(c), await keys.get(c.req.param('id')))),
    }),
    route({
      method: 'patch',
      path: '/v1/keys/:id',
      guard: guards.manager(
        'the owner can only rename or disable a key; members with the role admin in its team can make any change.',
      ),
      id: 'changeKey',
      tag: 'Keys',
      summary: 'Change, disable or enable a key.',
      description: 'Omitted fields stay unchanged; null clears a field, except `is_active`.',
      parameters: [KEY_ID],
      request: {
        schema: keyChanges,
        examples: { off: { is_active: false }, forever: { expires_at: null } },
      },
      answer: answerOf('The changed key.', key, { ...KEY, is_active: false, status: 'inactive' }),
      run: async (c, body) => {
        const changes = changesOf(KEY_FIELDS, body);
        const { id } = await keyIn(c, (manager, key) => permitKeyChange(manager, key, changes));
        return keyView(await keys.change(id, changes));
      },
    }),
    route({
      method: 'delete',
      path: '/v1/keys/:id',
      guard: guards.manager(OWNS),
      id: 'deleteKey',
      tag: 'Keys',
      summary: 'Delete a key.',
      description: 'The key’s user and usage data are kept.',
      parameters: [KEY_ID],
      answer: noContent('The key is deleted.'),
      run: async (c) => {
        const { id } = await keyIn(c, permitKeyDeletion);
        await keys.delete(id);
      },
    }),
    route({
      method: 'post',
      path: '/v1/keys/:id/rotate',
      guard: guards.manager(OWNS),
      id: 'rotateKey',
      tag: 'Keys',
      summary: 'Replace the secret of a key.',
      description: 'All other settings are kept. Without a body, the old secret becomes invalid immediately.',
      parameters: [KEY_ID],
      request: { schema: rotation, optional: true, examples: { anHour: { grace_seconds: 3600 } } },
      answer: answerOf('The key with its new secret.', createdKey, CREATED),
      run: async (c, { grace_seconds: graceSeconds }) => {
        const { id, userId } = await keyIn(c, permitKeyReplacement);
        const issuer = issuerFor(managerIn(c), userId);
        return createdKeyView(await keys.rotate(id, graceSeconds ?? 0, issuer));
      },
    }),
  ];
}

const noKey = (): AppError =>
  new AppError('MalformedError', 'The master key has no quota. Use an API key, or GET /v1/keys/{id}.', {
    reason: 'virtual_key_required',
  });
