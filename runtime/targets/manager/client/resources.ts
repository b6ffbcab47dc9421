import type { Output } from '../../../serve/cli/command.ts';
import { apiPath, type ManagerClient, withQuery } from './manager-client.ts';
import { allPages } from './pages.ts';
import { printJson, printLines } from '../../../serve/cli/print.ts';
import { formatTable } from '../../../serve/cli/table.ts';
import { stdoutTerminal } from '../../../serve/cli/terminal.ts';

interface Listed {
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
}

/** Prints the resources of a server, then its resource templates. */
export async function showResources(
  manager: ManagerClient,
  { server, json }: { readonly server: string; readonly json: boolean },
  output: Output,
): Promise<number> {
  const path = apiPath('servers', server, 'resources');
  const resources = (await allPages(manager, path, 'resources')) as unknown as readonly Listed[];
  const templates = (await allPages(
    manager,
    `${path}/templates`,
    'templates',
  )) as unknown as readonly Listed[];
  if (json) printJson(output, { resources, templates });
  else if (resources.length + templates.length === 0) output.err('No resources.\n');
  else {
    const rows = [...resources, ...templates].map(row);
    printLines(output, formatTable(['URI', 'NAME', 'TYPE', 'DESCRIPTION'], rows, stdoutTerminal()));
  }
  return 0;
}

const row = ({ uri, uriTemplate = '', name, mimeType = '-', description = '' }: Listed): string[] => [
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

/** Prints the contents of a resource: texts as they are, binary contents in base64. */
export async function readResource(
  manager: ManagerClient,
  { server, uri, json }: ReadResourceOptions,
  output: Output,
): Promise<number> {
  const contents = (await manager.get(
    withQuery(apiPath('servers', server, 'resources', 'content'), { uri }),
  )) as readonly { readonly text?: string; readonly blob?: string }[];
  if (json) printJson(output, contents);
  else
    printLines(
      output,
      contents.map(({ text, blob = '' }) => text ?? blob),
    );
  return 0;
}
