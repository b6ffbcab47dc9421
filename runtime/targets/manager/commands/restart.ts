import type { Command } from '../../../serve/cli/command.ts';
import { CLIENT_OPTIONS, FORMAT_OPTION, isJson, withManager } from './client-options.ts';
import { exactly } from '../../../serve/cli/positionals.ts';

export const restartCommand: Command = {
  summary: 'Start a server anew.',
  positionals: '<server>',
  options: { ...FORMAT_OPTION, ...CLIENT_OPTIONS },
  async run(invocation, output) {
    const [server] = exactly(invocation, 'the server');
    const { restartServer } = await import('../client/administer.ts');
    return withManager(invocation, (manager) =>
      restartServer(manager, { server, json: isJson(invocation) }, output),
    );
  },
};
