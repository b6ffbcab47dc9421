import type { Context } from 'hono';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { AppError } from '#contract/errors.ts';
import type { Identity, Manager } from '../../accounts/identity/identity.ts';
import { requireVisibleKey } from '../../accounts/identity/key-policy.ts';
import { administersTeam, originOf, readsEverything } from '../../accounts/identity/manager.ts';
import type { TrendScope } from '../../accounts/ledger/trends/trends-api.ts';
import { callerOf } from '../sign-in/sign-in.ts';

/** Query parameters that select whose usage is returned. */
export const SCOPE_PARAMETERS = {
  user: 'user_id',
  key: 'api_key_id',
  team: 'team_id',
  organization: 'organization_id',
} as const satisfies Readonly<Record<TrendScope['kind'], string>>;

/** Whose usage a caller gets, and whether the caller can read everything. */
export interface PermittedScope {
  /** Undefined for the usage of all. */
  readonly scope: TrendScope | undefined;
  readonly isReader: boolean;
  /** Start of the usage that the caller gets: when the user or the team was created, because its id can have been used before. */
  readonly since: number;
}

/**
 * Reads whose usage a request wants, and checks that its caller can read it: an API key that calls models the own one, a member the
 * one of the own user, of visible keys, and of teams with the role admin.
 */
export async function permitScope(c: Context<ShellEnv>, identity: Identity): Promise<PermittedScope> {
  const wanted = wantedScope(c);
  const caller = callerOf(c);
  if (caller.kind === 'key' && caller.key.scope === 'models') {
    const own: TrendScope = { kind: 'key', id: caller.key.id };
    if (wanted && (wanted.kind !== 'key' || wanted.id !== own.id))
      throw foreign(
        'An API key can only read its own usage. Omit the filter.',
        SCOPE_PARAMETERS[wanted.kind],
      );
    return { scope: own, isReader: false, since: 0 };
  }
  const manager = await identity.manager(caller);
  if (manager.userId === null || readsEverything(manager)) return { scope: wanted, isReader: true, since: 0 };
  const scope = await permitMember(manager, manager.userId, wanted, identity);
  const isGroup = scope.kind === 'user' || scope.kind === 'team';
  return { scope, isReader: false, since: isGroup ? originOf(manager, scope.kind, scope.id) : 0 };
}

async function permitMember(
  manager: Manager,
  userId: string,
  wanted: TrendScope | undefined,
  { keys }: Pick<Identity, 'keys'>,
): Promise<TrendScope> {
  if (!wanted || (wanted.kind === 'user' && wanted.id === userId)) return { kind: 'user', id: userId };
  if (wanted.kind === 'team' && administersTeam(manager, wanted.id)) return wanted;
  if (wanted.kind === 'key') {
    requireVisibleKey(manager, await keys.get(wanted.id));
    return wanted;
  }
  throw foreign(
    `User '${userId}' can only read the own usage, and that of teams with the role admin.`,
    SCOPE_PARAMETERS[wanted.kind],
  );
}

function wantedScope(c: Context): TrendScope | undefined {
  const named = (['user', 'key', 'team', 'organization'] as const).flatMap((kind) => {
    const id = c.req.query(SCOPE_PARAMETERS[kind]);
    return id ? [{ kind, id }] : [];
  });
  const [scope, other] = named;
  if (!other) return scope;
  const message = `${Object.values(SCOPE_PARAMETERS).join(', ')} exclude each other. Use one of them.`;
  throw new AppError('InputError', message, {
    details: [{ location: `query.${SCOPE_PARAMETERS[other.kind]}`, message }],
  });
}

const foreign = (message: string, parameter: string): AppError =>
  new AppError('ForbiddenError', message, {
    reason: 'foreign_usage',
    details: [{ location: `query.${parameter}`, message: 'not the usage of the caller' }],
  });
