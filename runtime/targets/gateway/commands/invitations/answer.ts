import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { CLIENT_OPTIONS } from '../experiment/client-options.ts';
import { printResult } from '../show/print-result.ts';
import { withSignIn } from './with-sign-in.ts';

/** Commands with which a user answers an invitation. */
export const acceptInvitationCommand: Command = {
  summary: 'Accept an invitation to a team.',
  positionals: '<team_id>',
  options: { ...JSON_OPTION, ...CLIENT_OPTIONS },
  async run(invocation, output) {
    const [team] = exactly(invocation, '<team_id>');
    const path = `/v1/me/invitations/${encodeURIComponent(team)}/accept`;
    const member = await withSignIn(invocation, async (client) => await client.json('POST', path));
    printResult({ output, json: invocation.flag('json') }, member, `You are a member of team ${team} now.`);
    return 0;
  },
};

export const declineInvitationCommand: Command = {
  summary: 'Decline an invitation to a team.',
  positionals: '<team_id>',
  options: { ...JSON_OPTION, ...CLIENT_OPTIONS },
  async run(invocation, output) {
    const [team] = exactly(invocation, '<team_id>');
    const path = `/v1/me/invitations/${encodeURIComponent(team)}`;
    await withSignIn(invocation, async (client) => await client.json('DELETE', path));
    printResult(
      { output, json: invocation.flag('json') },
      { team_id: team, declined: true },
      `Declined the invitation to team ${team}.`,
    );
    return 0;
  },
};
