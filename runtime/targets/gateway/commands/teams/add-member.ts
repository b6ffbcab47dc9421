import { exactly } from '#serve/cli/positionals.ts';
import { TEAM_ROLES } from '../../accounts/identity/groups-api.ts';
import { memberView } from '../../api/views/accounts.ts';
import { findGroup, TEAMS } from '../groups/group-kind.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';
import { findUser } from '../users/find-user.ts';

export const addMemberCommand = storeCommand({
  summary: 'Add a user to a team, or change the role.',
  positionals: '<team_id|alias> <user_id|alias>',
  options: {
    role: {
      value: 'role',
      help: 'admin manages the members, keys and service accounts of the team',
      choices: TEAM_ROLES,
      defaultText: 'member',
    },
  },
  prepare(invocation) {
    const [team, user] = exactly(invocation, '<team_id|alias>', '<user_id|alias>');
    const role = TEAM_ROLES.find((known) => known === invocation.value('role')) ?? 'member';
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findGroup(identity, TEAMS, team);
      const { userId } = await findUser(identity.users, user);
      const member = await identity.members.put(id, userId, role);
      printResult({ output, json }, memberView(member), `User ${userId} is ${role} of team ${id}.`);
    };
  },
});
