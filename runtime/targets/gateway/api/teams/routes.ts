import type { Context } from 'hono';
import type { Static } from 'typebox';
import type { ShellEnv } from '#serve/http/request-id.ts';
import type { GatewayContext } from '../../context.ts';
import type { Group, GroupChanges } from '../../accounts/identity/groups-api.ts';
import { missingGroup } from '../../accounts/identity/groups.ts';
import { belongsToTeam, readsEverything, requireTeamAdmin } from '../../accounts/identity/manager.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { managerIn } from '../sign-in/sign-in.ts';
import { groupChangesIn } from './group-request.ts';
import { TEAM_OPERATIONS } from './operations.ts';
import { teamQuery } from './query.ts';
import { newMember, newTeam, teamChanges } from './schemas.ts';
import { invitationView, memberView, teamView } from '../views/accounts.ts';

/** `/v1/teams`: teams, whose members share a budget, limits and models. */
export function teamRoutes({ state }: GatewayContext, parts: HttpParts): GatewayRoutes {
  const { guards, readBody, readOptionalBody } = parts;
  const { teams, members, invitations } = state.identity;
  const routes = newRoutes();
  /** The team of a path, if the manager belongs to it or reads everything. */
  const visibleTeam = async (c: Context<ShellEnv, '/:id'>): Promise<Group> => {
    const [manager, id] = [managerIn(c), c.req.param('id')];
    if (!readsEverything(manager) && !belongsToTeam(manager, id)) missingGroup('team', id);
    return await teams.get(id);
  };

  routes.post('/v1/teams', guards.admin, async (c) => {
    const { team_id: id, ...fields } = await readBody(c, newTeam);
    return c.json(teamView(await teams.create({ id, ...changesIn(fields) })));
  });
  routes.get('/v1/teams', guards.manager, async (c) => {
    const manager = managerIn(c);
    const ids = readsEverything(manager) ? undefined : manager.memberships.map(({ teamId }) => teamId);
    return c.json((await teams.list(pageOf(c), { ...teamQuery(c), ids })).map(teamView));
  });
  routes.get('/v1/teams/:id', guards.manager, async (c) => c.json(teamView(await visibleTeam(c))));
  routes.patch('/v1/teams/:id', guards.admin, async (c) => {
    const changes = changesIn(await readBody(c, teamChanges));
    return c.json(teamView(await teams.change(c.req.param('id'), changes)));
  });
  routes.delete('/v1/teams/:id', guards.admin, async (c) => {
    await teams.delete(c.req.param('id'));
    return c.body(null, 204);
  });
  routes.get('/v1/teams/:id/members', guards.manager, async (c) => {
    const { id } = await visibleTeam(c);
    return c.json((await members.list(id)).map(memberView));
  });
  routes.put('/v1/teams/:id/members/:user', guards.manager, async (c) => {
    const { role } = await readOptionalBody(c, newMember);
    const { id } = await visibleTeam(c);
    const [manager, userId] = [managerIn(c), c.req.param('user')];
    requireTeamAdmin(manager, id);
    const given = { teamId: id, userId, role: role ?? 'member' };
    // Administrators of a team cannot add a user as a member, because the user's key of the team would be theirs to create.
    const isDirect =
      manager.role === 'admin' || (await members.ofUser(userId)).some(({ teamId }) => teamId === id);
    if (isDirect) return c.json(memberView(await members.put(id, userId, given.role)));
    const invited = await invitations.put({ ...given, invitedBy: manager.userId });
    return c.json(invitationView(invited), 202);
  });
  routes.get('/v1/teams/:id/invitations', guards.manager, async (c) => {
    const { id } = await visibleTeam(c);
    const manager = managerIn(c);
    if (!readsEverything(manager)) requireTeamAdmin(manager, id);
    return c.json((await invitations.ofTeam(id)).map(invitationView));
  });
  routes.delete('/v1/teams/:id/invitations/:user', guards.manager, async (c) => {
    const { id } = await visibleTeam(c);
    requireTeamAdmin(managerIn(c), id);
    await invitations.delete(id, c.req.param('user'));
    return c.body(null, 204);
  });
  routes.delete('/v1/teams/:id/members/:user', guards.manager, async (c) => {
    const { id } = await visibleTeam(c);
    requireTeamAdmin(managerIn(c), id);
    await members.remove(id, c.req.param('user'));
    return c.body(null, 204);
  });

  return { routes, operations: TEAM_OPERATIONS };
}

const changesIn = (body: Static<typeof teamChanges>): GroupChanges => ({
  ...groupChangesIn(body),
  organizationId: body.organization_id,
});
