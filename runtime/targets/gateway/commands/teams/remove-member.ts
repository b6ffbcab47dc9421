import { exactly } from '#serve/cli/positionals.ts';
import { findGroup, TEAMS } from '../groups/group-kind.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';
import { findUser } from '../users/find-user.ts';

export const removeMemberCommand = storeCommand({
  summary: "Remove a user from a team. The user's keys of the team are disabled.",
  positionals: '<team_id|alias> <user_id|alias>',
  options: {},
  prepare(invocation) {
    const [team, user] = exactly(invocation, '<team_id|alias>', '<user_id|alias>');
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findGroup(identity, TEAMS, team);
      const { userId } = await findUser(identity.users, user);
      await identity.members.remove(id, userId);
      printResult(
        { output, json },
        { team_id: id, user_id: userId, removed: true },
        `Removed user ${userId} from team ${id} and disabled the keys of this user in the team.`,
      );
    };
  },
});
