import type { GatewayContext } from '../../context.ts';
import { notFound } from '../../accounts/identity/checks.ts';
import { SCOPE_COLUMNS } from '../../accounts/ledger/trends/sum-scopes.ts';
import type { TrendScope } from '../../accounts/ledger/trends/trends-api.ts';
import { administersTeam, originOf, readsEverything } from '../../accounts/identity/manager.ts';
import type { Caller, Identity } from '../../accounts/identity/identity.ts';
import type { UsageRow } from '../../store/schema.ts';
import type { LiveRequest } from '../../requests/completions/completion.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { permitScope } from '../usage/permit-scope.ts';
import { usageLogView, costParts, liveRequestView } from '../views/records.ts';
import { REQUEST_OPERATIONS } from './operations.ts';
import { cursorOf, requestQuery } from './query.ts';

/** `/v1/requests`: requests in flight and past ones, with their attempts. */
export function requestRoutes(context: GatewayContext, { guards }: HttpParts): GatewayRoutes {
  const { state, clock, completions } = context;
  const { requests, identity } = state;
  const routes = newRoutes();
  routes.get('/v1/requests', guards.anyKey, async (c) => {
    const { filter, after, limit } = requestQuery(c);
    const { scope, isReader, since } = await permitScope(c, identity);
    const own = { ...filter, ...filterOf(scope), from: Math.max(filter.from ?? 0, since) };
    const found = await requests.list(own, after, limit + 1);
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    return c.json({
      items: rows.map((row) => usageLogView(row, isReader)),
      next: found.length > limit && last ? cursorOf(last) : null,
    });
  });
  routes.get('/v1/requests/live', guards.anyKey, async (c) => {
    const { isOwn } = await sightOf(callerOf(c), identity);
    const now = clock.now();
    return c.json(
      completions
        .live()
        .filter((one) => isOwn(one, one.startedAt))
        .map((one) => liveRequestView(one, now)),
    );
  });
  routes.get('/v1/requests/:id', guards.anyKey, async (c) => {
    const { isReader, isOwn } = await sightOf(callerOf(c), identity);
    const id = c.req.param('id');
    const rows = (await requests.attempts(id)).filter((row) => isOwn(ownersOf(row), row.timestamp));
    const last = rows.at(-1);
    if (!last) throw notFound(`Request '${id.slice(0, 100)}' not found`, 'request_not_found');
    const attempts = await Promise.all(
      rows.map(async (row) => ({
        usage: usageLogView(row, isReader),
        cost_parts: (await costParts(context, row)) ?? null,
      })),
    );
    return c.json({ id: last.id.split('.')[0], request_id: last.request_id, attempts });
  });
  return { routes, operations: REQUEST_OPERATIONS };
}

const FILTERS = { user: 'userId', key: 'keyId', team: 'teamId', organization: 'organizationId' } as const;

/** The condition of a scope. */
export const filterOf = (scope: TrendScope | undefined) => (scope ? { [FILTERS[scope.kind]]: scope.id } : {});

type Owners = Pick<LiveRequest, 'userId' | 'keyId' | 'teamId'>;

const ownersOf = (row: UsageRow): Owners => ({
  userId: row[SCOPE_COLUMNS.user] ?? undefined,
  keyId: row[SCOPE_COLUMNS.key] ?? undefined,
  teamId: row[SCOPE_COLUMNS.team] ?? undefined,
});

/** Which requests a caller can see. */
async function sightOf(
  caller: Caller,
  identity: Identity,
): Promise<{ readonly isReader: boolean; readonly isOwn: (owners: Owners, time: number) => boolean }> {
  if (caller.kind === 'key' && caller.key.scope === 'models')
    return { isReader: false, isOwn: ({ keyId }) => keyId === caller.key.id };
  const manager = await identity.manager(caller);
  if (readsEverything(manager)) return { isReader: true, isOwn: () => true };
  return {
    isReader: false,
    isOwn: ({ userId, teamId }, time) =>
      (userId !== undefined && userId === manager.userId && time >= originOf(manager, 'user', userId)) ||
      (teamId !== undefined && administersTeam(manager, teamId) && time >= originOf(manager, 'team', teamId)),
  };
}
