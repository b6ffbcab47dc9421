import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { TEAM_ROLES } from '../../accounts/identity/groups-api.ts';
import { CLIENT_OPTIONS } from '../experiment/client-options.ts';
import { printResult } from '../show/print-result.ts';
import { withSignIn } from './with-sign-in.ts';

/** Commands of the administrators of a team. */
export const createInvitationCommand: Command = {
  summary: 'Invite a user to a team that you manage.',
  positionals: '<team_id> <user_id>',
  options: {
    role: { value: 'role', help: 'role in the team', choices: TEAM_ROLES, defaultText: 'member' },
    ...JSON_OPTION,
    ...CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const [team, user] = exactly(invocation, '<team_id>', '<user_id>');
    const path = `/v1/teams/${encodeURIComponent(team)}/members/${encodeURIComponent(user)}`;
    const role = invocation.value('role') ?? 'member';
    const put = await withSignIn(invocation, async (client) => await client.json('PUT', path, { role }));
    // Administrators of the gateway add members without asking them.
    const sentence =
      'invited_by' in put
        ? `Invited user ${user} to team ${team}.`
        : `User ${user} is ${role} of team ${team}.`;
    printResult({ output, json: invocation.flag('json') }, put, sentence);
    return 0;
  },
};

export const withdrawInvitationCommand: Command = {
  summary: 'Withdraw an invitation to a team that you manage.',
  positionals: '<team_id> <user_id>',
  options: { ...JSON_OPTION, ...CLIENT_OPTIONS },
  async run(invocation, output) {
    const [team, user] = exactly(invocation, '<team_id>', '<user_id>');
    const path = `/v1/teams/${encodeURIComponent(team)}/invitations/${encodeURIComponent(user)}`;
    await withSignIn(invocation, async (client) => await client.json('DELETE', path));
    printResult(
      { output, json: invocation.flag('json') },
      { team_id: team, user_id: user, withdrawn: true },
      `Withdrew the invitation of user ${user} to team ${team}.`,
    );
    return 0;
  },
};
