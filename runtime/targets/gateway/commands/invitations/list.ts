import type { Static } from 'typebox';
import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import type { invitationList } from '../../api/teams-schemas.ts';
import { CLIENT_OPTIONS } from '../experiment/client-options.ts';
import { formatTime, orDash } from '../show/format-values.ts';
import { withSignIn } from './with-sign-in.ts';

export const listInvitationsCommand: Command = {
  summary: 'List your invitations, or those of a team that you manage.',
  options: {
    team: { value: 'team_id', help: 'list the invitations of this team' },
    ...JSON_OPTION,
    ...CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const team = invocation.value('team');
    const path =
      team === undefined ? '/v1/me/invitations' : `/v1/teams/${encodeURIComponent(team)}/invitations`;
    const found = await withSignIn(invocation, async (client) => await client.json('GET', path));
    const open = found as unknown as Static<typeof invitationList>;
    if (invocation.flag('json')) printJson(output, open);
    else if (open.length === 0)
      output.err(
        team === undefined ? 'You have no invitations.\n' : `Team ${team} has no open invitations.\n`,
      );
    else {
      const rows = open.map((one) => [
        one.team_id,
        one.user_id,
        one.role,
        orDash(one.invited_by),
        timeText(one.created_at),
        timeText(one.expires_at),
      ]);
      const header = ['TEAM', 'USER', 'ROLE', 'INVITED BY', 'INVITED', 'EXPIRES'];
      printLines(output, formatTable(header, rows, stdoutTerminal()));
    }
    return 0;
  },
};

const timeText = (time: string): string => formatTime(Date.parse(time));
