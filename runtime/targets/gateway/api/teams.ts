import type { Context } from 'hono';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import { type Group, TEAM_FIELDS } from '../accounts/fields/groups.ts';
import { missingGroup } from '../accounts/identity/groups.ts';
import { ACCOUNT_STATUSES, TEAM_ORDERS } from '../accounts/identity/list-queries.ts';
import { belongsToTeam, readsEverything, requireTeamAdmin } from '../accounts/identity/manager.ts';
import type { GatewayContext } from '../context.ts';
import { managerIn } from './guards.ts';
import { changesOf, exampleOf, newOf } from './http/field-schemas.ts';
import { listQuery, pageOf, pageOfList } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import {
  invitationList,
  memberOrInvitation,
  memberList,
  newMember,
  newTeam,
  team,
  teamChanges,
  teamList,
} from './teams-schemas.ts';
import { invitationView, memberView, teamView } from './views/accounts.ts';

/** Filters for team and organization lists. */
export const groupFilters = (plural: 'teams' | 'organizations', example: string) =>
  ({
    search: {
      description: `Only ${plural} whose id or alias contains this text, case-insensitively.`,
      example,
    },
    status: { description: `Only ${plural} with this status.`, example: 'blocked', words: ACCOUNT_STATUSES },
  }) as const;

const LIST = listQuery(
  {
    ...groupFilters('teams', 'research'),
    organization_id: { description: 'Only teams of this organization.', example: 'acme' },
  },
  { orders: TEAM_ORDERS, example: '-spend' },
);

/** Examples for the documentation. */
export const MEMBER = {
  team_id: 'research',
  user_id: 'ada',
  role: 'admin' as const,
  created_at: '2026-01-01T00:00:00Z',
};

export const INVITATION = {
  ...MEMBER,
  invited_by: 'bob',
  expires_at: '2026-01-31T00:00:00Z',
};

export const TEAM_ID = { name: 'team_id', description: 'Team id.', example: 'research' };

const RESEARCH = exampleOf(TEAM_FIELDS, {
  team_id: 'research',
  organization_id: 'acme',
  alias: 'Research',
  spend: 12.5,
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-02-01T00:00:00Z',
  allowed_models: ['openai:*'],
  rpm: 600,
});

const USER_ID = { name: 'user_id', description: 'User id.', example: 'ada' };
const OF_MEMBERS = 'members see their own teams.';
const OF_ADMINS = 'members must have the role admin in the team.';

/** `/v1/teams`: teams, whose members share a budget, limits and models. */
export function teamRoutes({ state }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { teams, members, invitations } = state.identity;

  /** The team specified in a path, if the manager belongs to the team or can read everything. */
  const visibleTeam = async (c: Context<ShellEnv, '/:id'>): Promise<Group> => {
    const [manager, id] = [managerIn(c), c.req.param('id')];
    if (!readsEverything(manager) && !belongsToTeam(manager, id)) missingGroup('team', id);
    return await teams.get(id);
  };

  return [
    route({
      method: 'post',
      path: '/v1/teams',
      guard: guards.admin,
      id: 'createTeam',
      tag: 'Teams',
      summary: 'Create a team.',
      description:
        'The budgets and limits of the key, its user, the team and the organization all apply to a request with a team key.',
      request: {
        schema: newTeam,
        examples: { team: { team_id: 'research', organization_id: 'acme', allowed_models: ['openai:*'] } },
      },
      answer: answerOf('The team.', team, RESEARCH),
      errors: [409],
      run: async (_c, body) =>
        teamView(await teams.create({ ...newOf(TEAM_FIELDS, body), id: body.team_id })),
    }),
    route({
      method: 'get',
      path: '/v1/teams',
      guard: guards.manager(OF_MEMBERS),
      id: 'listTeams',
      tag: 'Teams',
      summary: 'List teams in order of creation.',
      ...pageOfList({ schema: teamList, example: [RESEARCH], parameters: LIST.parameters }),
      run: async (c) => {
        const manager = managerIn(c);
        const ids = readsEverything(manager) ? undefined : manager.memberships.map(({ teamId }) => teamId);
        return (await teams.list(pageOf(c), { ...LIST.read(c), ids })).map(teamView);
      },
    }),
    route({
      method: 'get',
      path: '/v1/teams/:id',
      guard: guards.manager(OF_MEMBERS),
      id: 'getTeam',
      tag: 'Teams',
      summary: 'Get a team.',
      parameters: [TEAM_ID],
      answer: answerOf('The team.', team, RESEARCH),
      run: async (c) => teamView(await visibleTeam(c)),
    }),
    route({
      method: 'patch',
      path: '/v1/teams/:id',
      guard: guards.admin,
      id: 'changeTeam',
      tag: 'Teams',
      summary: 'Change, block or unblock a team.',
      description:
        'Omitted fields stay unchanged; null clears a field, except `blocked`. Assigning another budget starts a new window.',
      parameters: [TEAM_ID],
      request: { schema: teamChanges, examples: { block: { blocked: true } } },
      answer: answerOf('The changed team.', team, { ...RESEARCH, blocked: true }),
      run: async (c, body) => {
        const changes = changesOf(TEAM_FIELDS, body);
        return teamView(await teams.change(c.req.param('id'), changes));
      },
    }),
    route({
      method: 'delete',
      path: '/v1/teams/:id',
      guard: guards.admin,
      id: 'deleteTeam',
      tag: 'Teams',
      summary: 'Delete a team.',
      description: 'The team’s keys are disabled, and its service accounts are deleted. Usage data is kept.',
      parameters: [TEAM_ID],
      answer: noContent('The team is deleted.'),
      run: async (c) => {
        await teams.delete(c.req.param('id'));
      },
    }),
    route({
      method: 'get',
      path: '/v1/teams/:id/members',
      guard: guards.manager(OF_MEMBERS),
      id: 'listTeamMembers',
      tag: 'Teams',
      summary: 'List the members of a team.',
      parameters: [TEAM_ID],
      answer: answerOf('The members.', memberList, [MEMBER]),
      run: async (c) => {
        const { id } = await visibleTeam(c);
        return (await members.list(id)).map(memberView);
      },
    }),
    route({
      method: 'put',
      path: '/v1/teams/:id/members/:user',
      guard: guards.manager(OF_ADMINS),
      id: 'putTeamMember',
      tag: 'Teams',
      summary: 'Add a user to a team, or change the role of a member.',
      description:
        'Without a body, the role is `member`. A member with the role admin in the team invites users who are not in it: the status is 202, and the user joins by accepting the invitation. The user does not have to exist yet.',
      parameters: [TEAM_ID, USER_ID],
      request: { schema: newMember, optional: true, examples: { admin: { role: 'admin' } } },
      answer: answerOf('The member, or the invitation if the status is 202.', memberOrInvitation, MEMBER),
      statuses: [200, 202],
      errors: [409],
      run: async (c, { role }) => {
        const { id } = await visibleTeam(c);
        const [manager, userId] = [managerIn(c), c.req.param('user')];
        requireTeamAdmin(manager, id);
        const given = { teamId: id, userId, role: role ?? 'member' };
        // Team administrators can only invite users, not add them directly: they could otherwise create
        // keys for any user in the team.
        const isDirect =
          manager.role === 'admin' || (await members.ofUser(userId)).some(({ teamId }) => teamId === id);
        if (isDirect) return memberView(await members.put(id, userId, given.role));
        const invited = await invitations.put({ ...given, invitedBy: manager.userId });
        return c.json(invitationView(invited), 202);
      },
    }),
    route({
      method: 'delete',
      path: '/v1/teams/:id/members/:user',
      guard: guards.manager(OF_ADMINS),
      id: 'removeTeamMember',
      tag: 'Teams',
      summary: 'Remove a user from a team.',
      description: 'The user’s keys for the team are disabled.',
      parameters: [TEAM_ID, USER_ID],
      answer: noContent('The user is removed.'),
      run: async (c) => {
        const { id } = await visibleTeam(c);
        requireTeamAdmin(managerIn(c), id);
        await members.remove(id, c.req.param('user'));
      },
    }),
    route({
      method: 'get',
      path: '/v1/teams/:id/invitations',
      guard: guards.manager(OF_ADMINS),
      id: 'listTeamInvitations',
      tag: 'Teams',
      summary: 'List the open invitations to a team.',
      parameters: [TEAM_ID],
      answer: answerOf('The invitations.', invitationList, [INVITATION]),
      run: async (c) => {
        const { id } = await visibleTeam(c);
        const manager = managerIn(c);
        if (!readsEverything(manager)) requireTeamAdmin(manager, id);
        return (await invitations.ofTeam(id)).map(invitationView);
      },
    }),
    route({
      method: 'delete',
      path: '/v1/teams/:id/invitations/:user',
      guard: guards.manager(OF_ADMINS),
      id: 'withdrawInvitation',
      tag: 'Teams',
      summary: 'Withdraw an invitation to a team.',
      parameters: [TEAM_ID, USER_ID],
      answer: noContent('The invitation is deleted.'),
      run: async (c) => {
        const { id } = await visibleTeam(c);
        requireTeamAdmin(managerIn(c), id);
        await invitations.delete(id, c.req.param('user'));
      },
    }),
  ];
}
