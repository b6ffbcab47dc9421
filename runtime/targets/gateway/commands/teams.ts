import type { CommandGroup } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { TEAM_ROLES } from '../accounts/identity/groups-api.ts';
import { memberView } from '../api/views/accounts.ts';
import { groupCommands, TEAMS } from './groups.ts';
import { formatTime, printResult } from './show/format-values.ts';
import { storeCommand } from './store/store-command.ts';
import { findTeam, findUser } from './store/find-account.ts';

const listMembersCommand = storeCommand({
  summary: 'List the members of a team and their roles.',
  positionals: '<team_id|alias>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<team_id|alias>');
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findTeam(identity, text);
      const members = await identity.members.list(id);
      if (json) return printJson(output, members.map(memberView));
      if (members.length === 0)
        return output.err(`Team ${id} has no members. Add one with \`gateway teams add-member\`.\n`);
      const rows = members.map(({ userId, role, createdAt }) => [userId, role, formatTime(createdAt)]);
      return printLines(output, formatTable(['USER', 'ROLE', 'JOINED'], rows, stdoutTerminal()));
    };
  },
});

const addMemberCommand = storeCommand({
  summary: 'Add a user to a team, or change the role of a member.',
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
      const { id } = await findTeam(identity, team);
      const { userId } = await findUser(identity.users, user);
      const member = await identity.members.put(id, userId, role);
      printResult(
        { output, json },
        memberView(member),
        `User ${userId} now has the role ${role} in team ${id}.`,
      );
    };
  },
});

const removeMemberCommand = storeCommand({
  summary: "Remove a user from a team. The user's keys for the team are disabled.",
  positionals: '<team_id|alias> <user_id|alias>',
  options: {},
  prepare(invocation) {
    const [team, user] = exactly(invocation, '<team_id|alias>', '<user_id|alias>');
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findTeam(identity, team);
      const { userId } = await findUser(identity.users, user);
      await identity.members.remove(id, userId);
      printResult(
        { output, json },
        { team_id: id, user_id: userId, removed: true },
        `Removed user ${userId} from team ${id} and disabled the user's keys for the team.`,
      );
    };
  },
});

const COMMANDS = groupCommands(TEAMS);

export const TEAM_COMMANDS: CommandGroup = {
  summary: 'Manage teams, whose keys share a budget.',
  commands: {
    create: COMMANDS.create,
    list: COMMANDS.list,
    get: COMMANDS.get,
    update: COMMANDS.update,
    delete: COMMANDS.delete,
    members: listMembersCommand,
    'add-member': addMemberCommand,
    'remove-member': removeMemberCommand,
  },
};
