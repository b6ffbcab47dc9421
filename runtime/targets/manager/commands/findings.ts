import type { Command } from '#serve/cli/command.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { configPaths } from '../config/config-paths.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `findings`: prints what the running manager found in texts of servers. */
export const findingsCommand: Command = {
  summary: 'Show possible injections in tools, results and other texts of servers.',
  positionals: '[server]',
  options: { ...JSON_OPTION, ...DAEMON_CLIENT_OPTIONS },
  async run(invocation, output) {
    const [server] = invocation.positionals;
    const { showFindings } = await import('../client/findings.ts');
    return await withManager(invocation, (manager) =>
      showFindings(manager, { server, json: isJson(invocation) }, output),
    );
  },
};

/** `release`: lets clients use an item that is held. */
export const releaseCommand: Command = {
  summary: 'Release a tool, prompt or resource that is held because of a finding.',
  positionals: '<server> <name>',
  options: {
    kind: {
      value: 'kind',
      help: 'What the name belongs to',
      choices: ['tool', 'prompt', 'resource', 'template'],
      fallback: 'tool',
    },
    ...JSON_OPTION,
    ...DAEMON_CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const [server, name] = exactly(invocation, '<server>', '<name>');
    const kind = invocation.value('kind') ?? 'tool';
    const { config } = configPaths(invocation, process.env);
    const { releaseItem } = await import('../client/findings.ts');
    return await withManager(invocation, (manager) =>
      releaseItem(manager, { server, name, kind, config, json: isJson(invocation) }, output),
    );
  },
};
