import { type Command, UsageError } from '#serve/cli/command.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';
import { searchFlags, searchOptions } from './search-options.ts';

/** `tools`: lists or searches tools. */
export const toolsCommand: Command = {
  summary: 'List or search the tools of one server or of all servers.',
  positionals: '[server]',
  options: {
    detail: {
      value: 'detail',
      help: 'Level of detail',
      choices: ['minimal', 'summary', 'full'],
      fallback: 'summary',
    },
    ...searchOptions('tools'),
    ...JSON_OPTION,
    ...DAEMON_CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const [server, extra] = invocation.positionals;
    if (extra !== undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}.`);
    const search = searchFlags(invocation);
    const detail = invocation.value('detail') ?? 'summary';
    const json = isJson(invocation);
    const { searchTools, showTools } = await import('../client/show-tools.ts');
    return withManager(invocation, (manager) =>
      search
        ? searchTools(manager, { ...search, json }, output)
        : showTools(manager, { server, detail, json }, output),
    );
  },
};
