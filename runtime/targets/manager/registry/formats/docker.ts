import { isTable, type TableReader } from '../../config/table-reader.ts';
import type { Installation, RegistryArgument, RemoteEndpoint } from '../entry.ts';
import { variablesOfUrl } from '../fill-url.ts';
import { literal, plain, type RegistryFormat, tablesIn } from './format.ts';
import { packageProblem, splitImage } from './packages.ts';

/** The format of Docker's MCP catalogs. @see https://github.com/docker/mcp-gateway/blob/main/docs/catalog.md */
export const dockerFormat: RegistryFormat = {
  servers: (document) =>
    isTable(document) && isTable(document['registry'])
      ? Object.entries(document['registry']).map(([id, value]) => ({ id, value }))
      : undefined,
  readEntry(table, { id }, source) {
    const remotes = readRemote(table);
    const type = table.any('type') ?? 'server';
    if (remotes.length === 0 && type !== 'server') {
      table.report(`servers of the type ${JSON.stringify(type)} are not supported.`);
      return undefined;
    }
    const installation = remotes.length > 0 ? undefined : readImage(table);
    const metadata = table.table('metadata');
    const category = plain(metadata?.any('category'));
    return {
      id,
      name: plain(table.any('title')) || id,
      description: plain(table.any('description')),
      license: plain(metadata?.any('license')),
      categories: category === '' ? [] : [category],
      tags: metadata?.texts('tags') ?? [],
      isOfficial: false,
      deprecated: false,
      tools: tablesIn(table, 'tools').map((tool) => plain(tool.any('name'))),
      installations: installation ? [installation] : [],
      remotes,
      arguments: readVariables(table),
      source,
    };
  },
};

function readImage(table: TableReader): Installation | undefined {
  const image = table.text('image');
  if (image === undefined) {
    table.report('image is missing.');
    return undefined;
  }
  const { name, version = 'latest' } = splitImage(image);
  const problem = packageProblem('docker', name, version);
  if (problem !== undefined) table.report(problem);
  return {
    runtime: 'docker',
    package: name,
    version,
    recommended: true,
    args: (table.texts('command') ?? []).map(withVariables),
    volumes: Object.fromEntries((table.texts('volumes') ?? []).flatMap(readVolume)),
  };
}

/** A catalog placeholder for a user value: `{{server.data_path}}`. */
const PLACEHOLDER = /\{\{\s*(?:[\w.-]*\.)?([\w-]+)(?:\|[\w|]+)?\s*\}\}/g;

/** Converts placeholders to variables: `{{server.data_path}}` becomes `${DATA_PATH}`. */
const withVariables = (text: string): string =>
  literal(text).replaceAll(
    PLACEHOLDER,
    (_, name: string) => `\${${name.toUpperCase().replaceAll('-', '_')}}`,
  );

/** Parses `{{server.data_path}}:/data`. Volumes that mount fixed folders are not supported, and omitted. */
function readVolume(text: string): [string, string][] {
  const [, source = '', target = ''] = /^(\{\{[^}]*\}\}):(\/[^:]*)(?::\w+)?$/.exec(text) ?? [];
  const [placeholder] = source.matchAll(PLACEHOLDER);
  const name = placeholder?.[1];
  return name === undefined ? [] : [[name.replaceAll('-', '_'), target]];
}

/** The variables that the user must set: secrets, and settings with a placeholder. */
function readVariables(table: TableReader): RegistryArgument[] {
  const variable = (name: unknown, description: string): RegistryArgument[] =>
    plain(name) === '' ? [] : [{ name: plain(name), type: 'environment', required: true, description }];
  return [
    ...tablesIn(table, 'secrets').flatMap((secret) => variable(secret.any('env'), plain(secret.any('name')))),
    ...tablesIn(table, 'env')
      .filter((setting) => plain(setting.any('value')).includes('{{'))
      .flatMap((setting) => variable(setting.any('name'), '')),
  ];
}

function readRemote(table: TableReader): RemoteEndpoint[] {
  const remote = table.table('remote');
  const written = plain(remote?.any('url')) || plain(table.any('sseEndpoint'));
  if (written === '') return [];
  // A catalog placeholder becomes a URL variable.
  const url = written.replaceAll(PLACEHOLDER, (_, name: string) => `{${name.replaceAll('-', '_')}}`);
  const names = variablesOfUrl(url);
  if (!/^https?:\/\/[^{}\s]+$/.test(url.replaceAll(/\{\w+\}/g, 'x'))) {
    table.report(`its remote server has the invalid URL ${JSON.stringify(written.slice(0, 200))}.`);
  }
  const variables = names.map((name) => ({ name, description: '', choices: [], isSecret: false }));
  const transport = remote === undefined || remote.any('transport_type') === 'sse' ? 'sse' : 'http';
  return [{ url: literal(url), transport, headers: remote?.table('headers')?.keys() ?? [], variables }];
}
