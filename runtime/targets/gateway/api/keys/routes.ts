import type { Context } from 'hono';
import type { Static } from 'typebox';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { AppError } from '#contract/errors.ts';
import type { GatewayContext } from '../../context.ts';
import type { Manager, Key, NewKey } from '../../accounts/identity/identity.ts';
import {
  issuerFor,
  permitKeyChange,
  permitKeyDeletion,
  permitKeyReplacement,
  permitNewKey,
  requireVisibleKey,
} from '../../accounts/identity/key-policy.ts';
import { visibleTo } from '../../accounts/identity/manager.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { keyChanges, newKey, rotation } from './schemas.ts';
import { callerOf, managerIn } from '../sign-in/sign-in.ts';
import { millisecondsOrNull, nanosOrNull } from '../http/values.ts';
import { keyQuery } from './query.ts';
import { createdKeyView, keyView, ownKeyView } from '../views/accounts.ts';
import { KEY_OPERATIONS } from './operations.ts';

/** `/v1/keys`: API keys. */
export function keyRoutes({ state }: GatewayContext, parts: HttpParts): GatewayRoutes {
  const { guards, readBody, readOptionalBody } = parts;
  const { identity, ledger } = state;
  const { keys } = identity;
  const routes = newRoutes();
  /** The key of a path, if the manager has a permission for it. */
  const keyIn = async (
    c: Context<ShellEnv, '/:id'>,
    permit: (manager: Manager, key: Key) => void,
  ): Promise<Key> => {
    const key = await keys.get(c.req.param('id'));
    permit(managerIn(c), key);
    return key;
  };

  routes.post('/v1/keys', guards.manager, async (c) => {
    const { user_id: userId, team_id: teamId, scope, ...fields } = await readBody(c, newKey);
    const key = { userId: userId ?? undefined, teamId, scope, ...fieldsIn(fields) };
    return c.json(createdKeyView(await keys.create(await permitNewKey(managerIn(c), key, identity))));
  });
  routes.get('/v1/keys', guards.manager, async (c) =>
    c.json(
      (await keys.list(pageOf(c), { ...keyQuery(c), visible: visibleTo(managerIn(c)) })).map((key) =>
        keyView(key),
      ),
    ),
  );
  routes.get('/v1/keys/me', guards.anyKey, async (c) => {
    const caller = callerOf(c);
    if (caller.kind === 'master') throw noKey();
    const spender = await identity.spender(caller, undefined);
    const [key, quota] = await Promise.all([keys.get(caller.key.id), ledger.quota(spender)]);
    return c.json(ownKeyView(key, quota));
  });
  routes.get('/v1/keys/:id', guards.manager, async (c) =>
    c.json(keyView(requireVisibleKey(managerIn(c), await keys.get(c.req.param('id'))))),
  );
  routes.patch('/v1/keys/:id', guards.manager, async (c) => {
    const { is_active: isActive, ...fields } = await readBody(c, keyChanges);
    const changes = { isActive, ...fieldsIn(fields) };
    const { id } = await keyIn(c, (manager, key) => permitKeyChange(manager, key, changes));
    return c.json(keyView(await keys.change(id, changes)));
  });
  routes.delete('/v1/keys/:id', guards.manager, async (c) => {
    const { id } = await keyIn(c, permitKeyDeletion);
    await keys.delete(id);
    return c.body(null, 204);
  });
  routes.post('/v1/keys/:id/rotate', guards.manager, async (c) => {
    const { grace_seconds: graceSeconds } = await readOptionalBody(c, rotation);
    const { id, userId } = await keyIn(c, permitKeyReplacement);
    const issuer = issuerFor(managerIn(c), userId);
    return c.json(createdKeyView(await keys.rotate(id, graceSeconds ?? 0, issuer)));
  });

  return { routes, operations: KEY_OPERATIONS };
}

type Fields = Omit<Static<typeof newKey>, 'user_id'>;

/** Converts the fields of a body; null clears a field. */
const fieldsIn = (body: Fields): Omit<NewKey, 'userId' | 'teamId' | 'scope'> => ({
  keyName: body.key_name,
  expiresAt: millisecondsOrNull('expires_at', body.expires_at),
  metadata: body.metadata === null ? {} : body.metadata,
  allowedModels: body.allowed_models,
  rpm: body.rpm,
  tpm: body.tpm,
  maxParallel: body.max_parallel,
  logPrompts: body.log_prompts,
  budget: body.budget && {
    maxBudget: nanosOrNull('budget.max_budget', body.budget.max_budget) ?? null,
    budgetDurationSec: body.budget.budget_duration_sec ?? null,
    alertThresholds: body.budget.alert_thresholds ?? null,
  },
});

const noKey = (): AppError =>
  new AppError('MalformedError', 'The master key has no quota. Use an API key, or GET /v1/keys/{id}.', {
    reason: 'virtual_key_required',
  });
