import type { Command } from '#serve/cli/command.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';
import { exactly } from '#serve/cli/positionals.ts';

export const restartCommand: Command = {
  summary: 'Restart a server.',
  positionals: '<server>',
  options: { ...JSON_OPTION, ...DAEMON_CLIENT_OPTIONS },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const { restartServer } = await import('../client/administer.ts');
    return withManager(invocation, (manager) =>
      restartServer(manager, { server, json: isJson(invocation) }, output),
    );
  },
};
