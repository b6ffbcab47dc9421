import { commonOptions } from '../../../serve/cli/common-options.ts';
import { type Command, UsageError } from '../../../serve/cli/command.ts';
import { requiredNumber } from '../../../serve/cli/values.ts';
import { isJson, TEXT_OR_JSON } from '../../../serve/cli/output-format.ts';
import { CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `tools`: lists tools, or searches them. */
export const toolsCommand: Command = {
  summary: 'List the tools of one server or of all, or search them.',
  positionals: '[server]',
  options: {
    detail: {
      value: 'detail',
      help: 'Level of detail',
      choices: ['minimal', 'summary', 'full'],
      fallback: 'summary',
    },
    search: { value: 'words', help: 'Search the tools of all servers; the best matches come first' },
    ...commonOptions({ limit: { help: 'Maximum number of tools, with --search', fallback: '20' } }),
    ...TEXT_OR_JSON,
    ...CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const [server, extra] = invocation.positionals;
    if (extra !== undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}.`);
    const query = invocation.value('search');
    if (query !== undefined && server !== undefined) {
      throw new UsageError('--search covers all servers and conflicts with <server>; use one of them.');
    }
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 1000 });
    const detail = invocation.value('detail') ?? 'summary';
    const json = isJson(invocation);
    const { searchTools, showTools } = await import('../client/show-tools.ts');
    return withManager(invocation, (manager) =>
      query === undefined
        ? showTools(manager, { server, detail, json }, output)
        : searchTools(manager, { query, limit, json }, output),
    );
  },
};
