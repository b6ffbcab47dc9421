import type { Command, CommandGroup, Invocation, Output } from '#serve/cli/command.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { configPaths } from '../../config/config-paths.ts';
import { MCP_MODES, parseMcpMode } from '../../config/mcp-mode.ts';
import type { GroupSpec } from '../../config/group-spec.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { editServersFile } from '../edit-servers-file.ts';

const DRY_RUN = { 'dry-run': { help: 'Print the change without writing the file' } };

const listGroups: Command = {
  summary: 'List the groups in the file.',
  options: { ...CONFIG_OPTIONS, ...DATA_FORMAT_OPTION },
  async run(invocation, output) {
    const [{ readServersText }, { readConfigFile }, { problemsError }] = await Promise.all([
      import('../../config/read-servers-text.ts'),
      import('../../config/config-file.ts'),
      import('../../config/problems.ts'),
    ]);
    const { groups, problems } = readConfigFile(
      await readServersText(configPaths(invocation, process.env).config),
    );
    if (problems.length > 0) throw problemsError(problems);
    await printData(invocation, output, {
      data: groups,
      lines: () => (groups.length === 0 ? [] : formatTable(COLUMNS, groups.map(rowOf), stdoutTerminal())),
    });
    return 0;
  },
};

const COLUMNS = ['GROUP', 'SERVERS', 'TOOLS', 'PROMPTS', 'RESOURCES', 'MCP MODE'];
const rowOf = ({ name, servers, tools, prompts, resources, mcpMode }: GroupSpec): string[] => [
  name,
  ...[servers, tools, prompts, resources].map((patterns) => patterns.join(', ') || '-'),
  mcpMode ?? '-',
];

const setGroup: Command = {
  summary: "Create a group, or replace a group's servers, tools, prompts, resources and MCP mode.",
  positionals: '<group>',
  options: {
    ...CONFIG_OPTIONS,
    server: { value: 'pattern', help: 'Server, or pattern such as "git*"', repeatable: true },
    tool: { value: 'server/tool', help: 'Tool, or pattern such as "git/get_*"', repeatable: true },
    prompt: { value: 'server/prompt', help: 'Prompt, or pattern', repeatable: true },
    resource: { value: 'server/uri', help: 'Resource, or pattern', repeatable: true },
    'mcp-mode': {
      value: 'mode',
      help: 'Tools at the MCP endpoint of the group, for keys without a mode of their own',
      choices: MCP_MODES,
      defaultText: 'that of the manager',
    },
    ...DRY_RUN,
  },
  async run(invocation, output) {
    const [name] = exactly(invocation, '<group>');
    const [{ addGroup, hasGroup, replaceGroup }, { configError }, { nameProblem }] = await Promise.all([
      import('../../config-edit/groups-text.ts'),
      import('#contract/errors.ts'),
      import('../../config/server-name.ts'),
    ]);
    const problem = nameProblem(name, 'group');
    if (problem !== undefined) throw configError(problem);
    const group = {
      name,
      servers: invocation.values('server'),
      tools: invocation.values('tool'),
      prompts: invocation.values('prompt'),
      resources: invocation.values('resource'),
      ...omitUndefined({ mcpMode: parseMcpMode(invocation.value('mcp-mode')) }),
    };
    return await edit(invocation, output, (text) =>
      hasGroup(text, name) ? replaceGroup(text, name, group) : addGroup(text, group),
    );
  },
};

const removeGroups: Command = {
  summary: 'Remove a group from the file.',
  positionals: '<group>',
  options: { ...CONFIG_OPTIONS, ...DRY_RUN },
  async run(invocation, output) {
    const [name] = exactly(invocation, '<group>');
    const { removeGroup } = await import('../../config-edit/groups-text.ts');
    return await edit(invocation, output, (text) => removeGroup(text, name));
  },
};

/** `config groups`: manages groups of servers and tools, each with its own endpoints. */
export const groupsGroup: CommandGroup = {
  summary: 'Manage groups of servers and tools, each with its own MCP endpoints.',
  commands: { list: listGroups, set: setGroup, remove: removeGroups },
};

/** Edits the file, or with --dry-run, prints the changes without making them. */
async function edit(
  invocation: Invocation,
  output: Output,
  change: (text: string) => string,
): Promise<number> {
  if (!invocation.flag('dry-run')) return await editServersFile(invocation, output, change);
  const paths = configPaths(invocation, process.env);
  const [{ previewServers }, { unifiedDiff }] = await Promise.all([
    import('../../config-edit/config-editor.ts'),
    import('#core/text/unified-diff.ts'),
  ]);
  const { before, after } = await previewServers(paths, change);
  output.out(unifiedDiff(paths.config, before, after));
  return 0;
}
