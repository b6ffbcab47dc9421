import type { Static } from 'typebox';
import { AppError } from '../../../../contract/errors.ts';
import type { GatewayContext } from '../../context.ts';
import type { NewKey } from '../../accounts/identity/identity.ts';
import { pageOf } from '../http/page.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { keyChanges, newKey, rotation } from './schemas.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { momentOrNull, nanosOrNull } from '../http/convert-values.ts';
import { createdKeyView, keyView, ownKeyView } from './view.ts';
import { KEY_OPERATIONS } from './operations.ts';

/** `/v1/keys`: API keys. */
export function keyRoutes({ state }: GatewayContext, parts: HttpParts): GatewayRoutes {
  const { guards, readBody, readOptionalBody } = parts;
  const { identity, ledger } = state;
  const { keys } = identity;
  const routes = newRoutes();

  routes.post('/v1/keys', guards.master, async (c) => {
    const { user_id: userId, ...fields } = await readBody(c, newKey);
    return c.json(createdKeyView(await keys.create({ userId: userId ?? undefined, ...fieldsIn(fields) })));
  });
  routes.get('/v1/keys', guards.master, async (c) =>
    c.json((await keys.list(pageOf(c))).map((key) => keyView(key))),
  );
  routes.get('/v1/keys/me', guards.anyKey, async (c) => {
    const caller = callerOf(c);
    if (caller.kind === 'master') throw noKey();
    const spender = await identity.spender(caller, undefined);
    const [key, { user, key: own }] = await Promise.all([keys.get(caller.key.id), ledger.quota(spender)]);
    if (!own) throw new Error(`the key ${key.id} has no account`);
    return c.json(ownKeyView(key, user, own));
  });
  routes.get('/v1/keys/:id', guards.master, async (c) => c.json(keyView(await keys.get(c.req.param('id')))));
  routes.patch('/v1/keys/:id', guards.master, async (c) => {
    const { is_active: isActive, ...fields } = await readBody(c, keyChanges);
    const changes = { isActive, ...fieldsIn(fields) };
    return c.json(keyView(await keys.change(c.req.param('id'), changes)));
  });
  routes.delete('/v1/keys/:id', guards.master, async (c) => {
    await keys.delete(c.req.param('id'));
    return c.body(null, 204);
  });
  routes.post('/v1/keys/:id/rotate', guards.master, async (c) => {
    const { grace_seconds: graceSeconds } = await readOptionalBody(c, rotation);
    return c.json(createdKeyView(await keys.rotate(c.req.param('id'), graceSeconds ?? 0)));
  });

  return { routes, operations: KEY_OPERATIONS };
}

type Fields = Omit<Static<typeof newKey>, 'user_id'>;

/** Converts the fields of a body; null clears a field. */
const fieldsIn = (body: Fields): Omit<NewKey, 'userId'> => ({
  keyName: body.key_name,
  expiresAt: momentOrNull('expires_at', body.expires_at),
  metadata: body.metadata === null ? {} : body.metadata,
  allowedModels: body.allowed_models,
  rpm: body.rpm,
  tpm: body.tpm,
  maxParallel: body.max_parallel,
  logPrompts: body.log_prompts,
  budget: body.budget && {
    maxBudget: nanosOrNull('budget.max_budget', body.budget.max_budget) ?? null,
    budgetDurationSec: body.budget.budget_duration_sec ?? null,
  },
});

const noKey = (): AppError =>
  new AppError('MalformedError', 'The master key has no quota. Use an API key, or GET /v1/keys/{id}.', {
    reason: 'virtual_key_required',
  });
