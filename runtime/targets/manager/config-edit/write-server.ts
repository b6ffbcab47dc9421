import { configError } from '../../../contract/errors.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { readConfigFile } from '../config/config-file.ts';
import { problemsError } from '../config/problems.ts';
import { readServersText } from '../config/read-servers-text.ts';
import type { Table } from '../config/table-reader.ts';
import { editSecrets, editServers } from './config-editor.ts';
import { setSecret } from './secrets-text.ts';
import { addServer } from './servers-text.ts';

/** A server that is to be added, and those of its values that belong into the secrets file. */
export interface NewServer {
  readonly name: string;
  /** Without its name. */
  readonly table: Table;
  readonly secrets: Readonly<Partial<Record<'env' | 'headers' | 'oauth', Readonly<Record<string, string>>>>>;
}

/** Adds servers to the two files: all of them or, if one cannot be, none. */
export async function writeServers(servers: readonly NewServer[], paths: ConfigPaths): Promise<void> {
  const add = (text: string): string =>
    servers.reduce((edited, { name, table }) => addServer(edited, { name, ...table }), text);
  await checkFirst(paths, servers, add);
  // A manager that watches the files then finds the values already there when it finds the servers.
  await editSecrets(paths, (text) => servers.reduce(putSecrets, text));
  await editServers(paths, add);
}

async function checkFirst(
  { config: path }: ConfigPaths,
  servers: readonly NewServer[],
  add: (text: string) => string,
): Promise<void> {
  const file = await readServersText(path);
  const current = readConfigFile(file);
  const names = new Set(current.names);
  const taken = servers.find(({ name }) => names.has(name));
  if (taken) {
    throw configError(
      `There is a server ${JSON.stringify(taken.name)} already. Remove it first with \`mcp-manager remove ${taken.name}\`.`,
    );
  }
  const before = new Set(current.problems.map(({ message }) => message));
  const { problems } = readConfigFile({ path, text: add(file.text) });
  const caused = problems.filter(({ message }) => !before.has(message));
  if (caused.length > 0)
    throw problemsError(caused.map(({ message }) => ({ file: path, line: undefined, message })));
}

function putSecrets(text: string, { name, secrets }: NewServer): string {
  return Object.entries(secrets).reduce(
    (edited, [table, values]) =>
      Object.entries(values).reduce(
        (more, [key, value]) => setSecret(more, name, [table, key], value),
        edited,
      ),
    text,
  );
}
