import type { Output } from '#serve/cli/command.ts';
import { apiPath, type ManagerClient } from './manager-client.ts';
import { allPages } from './pages.ts';
import { type ListOrSearch, searchAll } from './search-all.ts';
import { printJson, printLines, stdoutTerminal, printText } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';

interface ListedPrompt {
  /** Set only for searches across all servers. */
  readonly server?: string;
  readonly name: string;
  readonly description?: string;
  readonly arguments?: readonly { readonly name: string; readonly required?: boolean }[] | null;
}

export async function showPrompts(
  manager: ManagerClient,
  { json, ...wanted }: ListOrSearch,
  output: Output,
): Promise<number> {
  const listed =
    'search' in wanted
      ? await searchAll(manager, 'prompts', wanted.search)
      : await allPages(manager, apiPath('servers', wanted.server, 'prompts'), 'prompts');
  const prompts = listed as unknown as readonly ListedPrompt[];
  if (json) printJson(output, prompts);
  else if (prompts.length === 0) output.err('No prompts.\n');
  else
    printLines(
      output,
      formatTable(
        [...('search' in wanted ? ['SERVER'] : []), 'PROMPT', 'ARGUMENTS', 'DESCRIPTION'],
        prompts.map(row),
        stdoutTerminal(),
      ),
    );
  return 0;
}

const row = ({ server, name, description = '', arguments: parameters }: ListedPrompt): string[] => [
  ...(server === undefined ? [] : [server]),
  name,
  (parameters ?? [])
    .map((parameter) => (parameter.required ? parameter.name : `[${parameter.name}]`))
    .join(' '),
  description,
];

export interface FillPromptOptions {
  readonly server: string;
  readonly prompt: string;
  readonly args: Readonly<Record<string, string>>;
  readonly json: boolean;
}

export async function fillPrompt(
  manager: ManagerClient,
  { server, prompt, args, json }: FillPromptOptions,
  output: Output,
): Promise<number> {
  const path = apiPath('servers', server, 'prompts', prompt);
  const filled = (await manager.post(path, { arguments: args })) as { messages: readonly Message[] };
  if (json) printJson(output, filled);
  else printText(output, `${filled.messages.map(messageLine).join('\n')}\n`);
  return 0;
}

interface Message {
  readonly role: string;
  readonly content: { readonly type?: string; readonly text?: string };
}

const messageLine = ({ role, content }: Message): string =>
  `${role}: ${content.type === 'text' ? content.text : JSON.stringify(content)}`;
