import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { memberView } from '../../api/views/accounts.ts';
import { findGroup, TEAMS } from '../groups/group-kind.ts';
import { formatTime } from '../show/format-values.ts';
import { storeCommand } from '../store/store-command.ts';

export const listMembersCommand = storeCommand({
  summary: 'List the members of a team and their roles.',
  positionals: '<team_id|alias>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<team_id|alias>');
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findGroup(identity, TEAMS, text);
      const members = await identity.members.list(id);
      if (json) return printJson(output, members.map(memberView));
      if (members.length === 0)
        return output.err(`Team ${id} has no members. Add one with \`gateway teams add-member\`.\n`);
      const rows = members.map(({ userId, role, createdAt }) => [userId, role, formatTime(createdAt)]);
      return printLines(output, formatTable(['USER', 'ROLE', 'JOINED'], rows, stdoutTerminal()));
    };
  },
});
