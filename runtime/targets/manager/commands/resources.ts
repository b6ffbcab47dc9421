import type { Command } from '#serve/cli/command.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { searchOptions, serverOrSearch } from './search-options.ts';

export const resourcesCommand: Command = {
  summary: "List a server's resources and resource templates, or search those of all servers.",
  positionals: '[server]',
  options: { ...searchOptions('resources'), ...JSON_OPTION, ...DAEMON_CLIENT_OPTIONS },
  async run(invocation, output) {
    const wanted = serverOrSearch(invocation);
    const { showResources } = await import('../client/resources.ts');
    return withManager(invocation, (manager) =>
      showResources(manager, { ...wanted, json: isJson(invocation) }, output),
    );
  },
};

export const readCommand: Command = {
  summary: 'Print the contents of a resource.',
  positionals: '<server> <uri>',
  options: { ...JSON_OPTION, ...DAEMON_CLIENT_OPTIONS },
  async run(invocation, output) {
    const [server, uri] = exactly(invocation, '<server>', '<uri>');
    const { readResource } = await import('../client/resources.ts');
    return withManager(invocation, (manager) =>
      readResource(manager, { server, uri, json: isJson(invocation) }, output),
    );
  },
};
