import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { KEY_ERRORS, noContent, requiresManager, requiresRole } from '../http/operations.ts';
import { pageOfList } from '../http/lists.ts';
import { INVITATION, MEMBER, TEAM_ID } from './examples.ts';
import { TEAM_FILTERS } from './query.ts';
import {
  invitations,
  memberOrInvitation,
  members,
  newMember,
  newTeam,
  team,
  teamChanges,
  teams,
} from './schemas.ts';

const RESEARCH = {
  team_id: 'research',
  organization_id: 'acme',
  alias: 'Research',
  spend: 12.5,
  reserved: 0,
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-02-01T00:00:00Z',
  blocked: false,
  allowed_models: ['openai:*'],
  rpm: 600,
  tpm: null,
  max_parallel: null,
  metadata: {},
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

const USER_ID = { name: 'user_id', description: 'User id.', example: 'ada' };
const OF_MEMBERS = 'a member sees the own teams.';
const OF_ADMINS = 'a member must have the role admin in the team.';

const create: Operation = {
  method: 'post',
  path: '/v1/teams',
  id: 'createTeam',
  tag: 'Teams',
  summary: 'Create a team.',
  description: requiresRole(
    'admin',
    'A request of a key of the team is held against the budgets and limits of the key, its user, the team and the organization.',
  ),
  request: {
    schema: newTeam,
    examples: { team: { team_id: 'research', organization_id: 'acme', allowed_models: ['openai:*'] } },
  },
  answer: answerOf('The team.', team, RESEARCH),
  errors: [...BODY_ERRORS, 409, ...KEY_ERRORS],
};

const list: Operation = {
  path: '/v1/teams',
  id: 'listTeams',
  tag: 'Teams',
  summary: 'List teams in order of creation.',
  description: requiresManager(OF_MEMBERS),
  ...pageOfList({ schema: teams, example: [RESEARCH], parameters: TEAM_FILTERS }),
};

const get: Operation = {
  method: 'get',
  path: '/v1/teams/{team_id}',
  id: 'getTeam',
  tag: 'Teams',
  summary: 'Get a team.',
  description: requiresManager(OF_MEMBERS),
  parameters: [TEAM_ID],
  answer: answerOf('The team.', team, RESEARCH),
  errors: KEY_ERRORS,
};

const change: Operation = {
  method: 'patch',
  path: '/v1/teams/{team_id}',
  id: 'changeTeam',
  tag: 'Teams',
  summary: 'Change, block or unblock a team.',
  description: requiresRole(
    'admin',
    'Fields that are not set stay unchanged; null clears a field, except `blocked`. Assigning another budget starts a new window.',
  ),
  parameters: [TEAM_ID],
  request: { schema: teamChanges, examples: { block: { blocked: true } } },
  answer: answerOf('The changed team.', team, { ...RESEARCH, blocked: true }),
  errors: [...BODY_ERRORS, ...KEY_ERRORS],
};

const remove: Operation = {
  method: 'delete',
  path: '/v1/teams/{team_id}',
  id: 'deleteTeam',
  tag: 'Teams',
  summary: 'Delete a team.',
  description: requiresRole(
    'admin',
    'Its keys are disabled and its service accounts are deleted. The usage is kept.',
  ),
  parameters: [TEAM_ID],
  answer: noContent('The team is deleted.'),
  errors: KEY_ERRORS,
};

const listMembers: Operation = {
  method: 'get',
  path: '/v1/teams/{team_id}/members',
  id: 'listTeamMembers',
  tag: 'Teams',
  summary: 'List the members of a team.',
  description: requiresManager(OF_MEMBERS),
  parameters: [TEAM_ID],
  answer: answerOf('The members.', members, [MEMBER]),
  errors: KEY_ERRORS,
};

const putMember: Operation = {
  method: 'put',
  path: '/v1/teams/{team_id}/members/{user_id}',
  id: 'putTeamMember',
  tag: 'Teams',
  summary: 'Add a user to a team, or change the role.',
  description: requiresManager(
    OF_ADMINS,
    'Without a body, the role is `member`. A member with the role admin in the team invites users who are not in it: the status is 202, and the user joins by accepting the invitation, whether or not the user exists now.',
  ),
  parameters: [TEAM_ID, USER_ID],
  request: { schema: newMember, optional: true, examples: { admin: { role: 'admin' } } },
  answer: answerOf('The member; with the status 202, the invitation.', memberOrInvitation, MEMBER),
  statuses: [200, 202],
  errors: [...BODY_ERRORS, 409, ...KEY_ERRORS],
};

const removeMember: Operation = {
  method: 'delete',
  path: '/v1/teams/{team_id}/members/{user_id}',
  id: 'removeTeamMember',
  tag: 'Teams',
  summary: 'Remove a user from a team.',
  description: requiresManager(OF_ADMINS, 'The user’s keys of the team are disabled.'),
  parameters: [TEAM_ID, USER_ID],
  answer: noContent('The user is removed.'),
  errors: KEY_ERRORS,
};

const listInvitations: Operation = {
  method: 'get',
  path: '/v1/teams/{team_id}/invitations',
  id: 'listTeamInvitations',
  tag: 'Teams',
  summary: 'List the open invitations to a team.',
  description: requiresManager(OF_ADMINS),
  parameters: [TEAM_ID],
  answer: answerOf('The invitations.', invitations, [INVITATION]),
  errors: KEY_ERRORS,
};

const withdrawInvitation: Operation = {
  method: 'delete',
  path: '/v1/teams/{team_id}/invitations/{user_id}',
  id: 'withdrawInvitation',
  tag: 'Teams',
  summary: 'Withdraw an invitation to a team.',
  description: requiresManager(OF_ADMINS),
  parameters: [TEAM_ID, USER_ID],
  answer: noContent('The invitation is deleted.'),
  errors: KEY_ERRORS,
};

export const TEAM_OPERATIONS: readonly Operation[] = [
  create,
  list,
  get,
  change,
  remove,
  listMembers,
  putMember,
  removeMember,
  listInvitations,
  withdrawInvitation,
];
