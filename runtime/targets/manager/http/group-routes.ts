import type { Hono, MiddlewareHandler } from 'hono';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import type { CallerGroups } from '../access/groups.ts';
import { GROUP_PATH, groupCallerOf } from './env.ts';

/** Returns the same routes below `/groups/{group}`. The app handles them, limited to the group. */
export const groupRoutesOf = (routes: readonly Route[]): readonly Route[] =>
  routes.map(({ direct: _direct, ...route }) => ({
    ...route,
    path: GROUP_PATH + route.path,
    operation: route.operation && groupOperation(route.operation),
  }));

/** Limits all paths below `/groups/{group}`, including unknown ones, to that group. */
export function limitToGroups(app: Hono<ShellEnv>, groups: CallerGroups): void {
  const limit: MiddlewareHandler<ShellEnv> = async (c, next) => {
    c.set('caller', groupCallerOf(c, groups));
    await next();
  };
  for (const below of ['api', 'openapi']) app.use(`${GROUP_PATH}/${below}/*`, limit);
}

const groupOperation = (operation: Operation): Operation => ({
  ...operation,
  path: `/groups/{group}${operation.path}`,
  id: `${operation.id}OfGroup`,
  tag: 'Groups',
  summary: `${operation.summary.replace(/\.$/, '')}, limited to a group.`,
  parameters: [GROUP, ...(operation.parameters ?? [])],
  errors: [...new Set([403, 404, ...operation.errors] as const)],
});

const GROUP = {
  name: 'group',
  description: 'Name of the group in the configuration (case-insensitive).',
  example: 'research',
} as const;
