import type { Output } from '#serve/cli/command.ts';
import { apiPath, type ManagerClient, withQuery } from './manager-client.ts';
import { allPages } from './pages.ts';
import { type ListOrSearch, searchAll } from './search-all.ts';
import { printJson, printLines, stdoutTerminal, printText } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';

interface Listed {
  /** Set only for searches across all servers. */
  readonly server?: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
}

/** Prints a server's resources and then its resource templates, or the results of a search. */
export async function showResources(
  manager: ManagerClient,
  { json, ...wanted }: ListOrSearch,
  output: Output,
): Promise<number> {
  const found = await ('search' in wanted
    ? searchAll(manager, 'resources', wanted.search)
    : listsOf(manager, wanted.server));
  const listed = (Array.isArray(found) ? found : Object.values(found).flat()) as readonly Listed[];
  if (json) printJson(output, found);
  else if (listed.length === 0) output.err('No resources.\n');
  else {
    const heads = [...('search' in wanted ? ['SERVER'] : []), 'URI', 'NAME', 'TYPE', 'DESCRIPTION'];
    printLines(output, formatTable(heads, listed.map(row), stdoutTerminal()));
  }
  return 0;
}

async function listsOf(manager: ManagerClient, server: string) {
  const path = apiPath('servers', server, 'resources');
  const resources = await allPages(manager, path, 'resources');
  return { resources, templates: await allPages(manager, `${path}/templates`, 'templates') };
}

const row = ({ server, uri, uriTemplate = '', name, mimeType = '-', description = '' }: Listed): string[] => [
  ...(server === undefined ? [] : [server]),
  uri ?? uriTemplate,
  name,
  mimeType,
  description,
];

export interface ReadResourceOptions {
  readonly server: string;
  readonly uri: string;
  readonly json: boolean;
}

/** Prints the contents of a resource: text as is, binary contents in base64. */
export async function readResource(
  manager: ManagerClient,
  { server, uri, json }: ReadResourceOptions,
  output: Output,
): Promise<number> {
  const contents = (await manager.get(
    withQuery(apiPath('servers', server, 'resources', 'content'), { uri }),
  )) as readonly { readonly text?: string; readonly blob?: string }[];
  if (json) printJson(output, contents);
  else printText(output, `${contents.map(({ text, blob = '' }) => text ?? blob).join('\n')}\n`);
  return 0;
}
