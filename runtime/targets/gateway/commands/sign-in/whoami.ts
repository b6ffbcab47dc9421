import type { Static } from 'typebox';
import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import type { me } from '../../api/auth.ts';
import { orDash } from '../show/format-values.ts';
import { recordLines } from '../show/record-lines.ts';
import { loginPath, readLogin } from './login-file.ts';

export const whoamiCommand: Command = {
  summary: 'Show who is signed in, with the role and the teams.',
  options: {
    ...JSON_OPTION,
    token: { help: 'Print only the key of the sign-in, for requests: $(gateway whoami --token)' },
  },
  async run(invocation, output) {
    const { url, key } = await readLogin(loginPath(process.env));
    if (invocation.flag('token')) {
      output.out(`${key}\n`);
      return 0;
    }
    const { createGatewayClient } = await import('../experiment/gateway-client.ts');
    const client = createGatewayClient(url, key);
    try {
      const user = (await client.json('GET', '/v1/me')) as Static<typeof me>;
      if (invocation.flag('json')) printJson(output, { url, ...user });
      else printLines(output, recordLines(recordOf(url, user)));
    } finally {
      await client.close();
    }
    return 0;
  },
};

const recordOf = (url: string, user: Static<typeof me>): Record<string, string> => ({
  gateway: url,
  user: orDash(user.user_id),
  role: user.role,
  teams: user.teams.map(({ team_id: id, role }) => `${id} (${role})`).join(', ') || '-',
  expires: orDash(user.expires_at),
});
