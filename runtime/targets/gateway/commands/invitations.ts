import type { Static } from 'typebox';
import { type Invocation, UsageError, type Command, type CommandGroup } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { TEAM_ROLES } from '../accounts/identity/groups-api.ts';
import type { invitationList } from '../api/teams-schemas.ts';
import { CLIENT_OPTIONS } from './experiment/client-options.ts';
import type { GatewayClient } from './experiment/gateway-client.ts';
import { withGateway } from './experiment/with-gateway.ts';
import { formatTime, orDash, printResult } from './show/format-values.ts';
import { loginPath, readLogin } from './sign-in/login-file.ts';

/** Calls `work` with a client for the gateway at --url with --api-key, or for the gateway of `gateway login`. */
async function withSignIn<Result>(
  invocation: Invocation,
  work: (client: GatewayClient) => Promise<Result>,
): Promise<Result> {
  const [url, key] = [invocation.value('url'), invocation.value('api-key')];
  if (url !== undefined && key !== undefined) return await withGateway(invocation, CLIENT_OPTIONS, work);
  if (url !== undefined || key !== undefined) {
    throw new UsageError(
      `Set ${url === undefined ? 'GATEWAY_URL or --url' : 'GATEWAY_API_KEY or --api-key'} as well, or omit both to use the sign-in from \`gateway login\`.`,
    );
  }
  const login = await readLogin(loginPath(process.env));
  const { createGatewayClient } = await import('./experiment/gateway-client.ts');
  const client = createGatewayClient(login.url, login.key);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const listInvitationsCommand: Command = {
  summary: 'List your invitations, or the invitations to a team that you manage.',
  options: {
    team: { value: 'team_id', help: 'list the invitations to this team' },
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

/** Commands for a user to accept or decline an invitation. */
const acceptInvitationCommand: Command = {
  summary: 'Accept an invitation to a team.',
  positionals: '<team_id>',
  options: { ...JSON_OPTION, ...CLIENT_OPTIONS },
  async run(invocation, output) {
    const [team] = exactly(invocation, '<team_id>');
    const path = `/v1/me/invitations/${encodeURIComponent(team)}/accept`;
    const member = await withSignIn(invocation, async (client) => await client.json('POST', path));
    printResult({ output, json: invocation.flag('json') }, member, `You are now a member of team ${team}.`);
    return 0;
  },
};

const declineInvitationCommand: Command = {
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

/** Commands for team administrators. */
const createInvitationCommand: Command = {
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
    // Gateway administrators add members without an invitation.
    const sentence =
      'invited_by' in put
        ? `Invited user ${user} to team ${team}.`
        : `User ${user} now has the role ${role} in team ${team}.`;
    printResult({ output, json: invocation.flag('json') }, put, sentence);
    return 0;
  },
};

const withdrawInvitationCommand: Command = {
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
      `Withdrew user ${user}'s invitation to team ${team}.`,
    );
    return 0;
  },
};

/** Commands for users without database access: they call a running gateway. */
export const INVITATION_COMMANDS: CommandGroup = {
  summary: 'Accept or decline team invitations, and manage your teams’ invitations, in a running gateway.',
  commands: {
    list: listInvitationsCommand,
    accept: acceptInvitationCommand,
    decline: declineInvitationCommand,
    create: createInvitationCommand,
    withdraw: withdrawInvitationCommand,
  },
};
