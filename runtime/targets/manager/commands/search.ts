import type { Command } from '#serve/cli/command.ts';
import { DATA_FORMAT_OPTION, printData } from './data-format.ts';
import { openRegistries, REGISTRY_OPTION } from './registry-option.ts';

/** `search`: lists servers that can be added by ID with `add`. */
export const searchCommand: Command = {
  summary: 'Search the built-in list and registries for servers.',
  positionals: '[text]',
  options: {
    ...REGISTRY_OPTION,
    ...DATA_FORMAT_OPTION,
    version: { value: 'version', help: 'Only servers with a package of this version' },
    runtime: {
      value: 'runtime',
      help: 'Only servers with a package for this runtime',
      choices: ['npx', 'uvx', 'docker', 'remote'],
    },
    tool: { value: 'name', help: 'Only servers with this tool', repeatable: true },
    license: { value: 'license', help: 'Only servers whose license contains this text' },
    source: { value: 'registry', help: 'Only registries whose name contains this text' },
    tag: { value: 'tag', help: 'Only servers with this tag', repeatable: true },
    category: { value: 'category', help: 'Only servers in this category', repeatable: true },
    official: { help: 'Only official servers of the MCP project' },
  },
  async run(invocation, output) {
    const [{ searchRegistry, REMOTE }, { formatTable }, { stdoutTerminal }] = await Promise.all([
      import('../registry/search.ts'),
      import('#serve/cli/table.ts'),
      import('#serve/cli/terminal.ts'),
    ]);
    const text = invocation.positionals.length > 0 ? invocation.positionals.join(' ') : undefined;
    const { entries } = await openRegistries(invocation, output, text);
    const found = searchRegistry(entries, {
      text,
      version: invocation.value('version'),
      runtime: invocation.value('runtime'),
      tools: invocation.values('tool'),
      license: invocation.value('license'),
      source: invocation.value('source'),
      tags: invocation.values('tag'),
      categories: invocation.values('category'),
      officialOnly: invocation.flag('official'),
    });
    if (found.length === 0)
      output.err('No matches. Run `mcp-manager search` without arguments to list all servers.\n');
    await printData(invocation, output, {
      data: found,
      lines: () =>
        formatTable(
          ['ID', 'RUNTIMES', 'DESCRIPTION'],
          found.map(({ id, installations, remotes, description, deprecated }) => [
            id,
            [...new Set([...installations.map(({ runtime }) => runtime), ...remotes.map(() => REMOTE)])].join(
              ', ',
            ),
            deprecated ? `Deprecated. ${description}` : description,
          ]),
          stdoutTerminal(),
        ),
    });
    return 0;
  },
};
