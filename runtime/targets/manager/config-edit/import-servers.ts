import { configError } from '#contract/errors.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { parseMcpServers } from '../config/parse-mcp-servers.ts';
import { problemsError } from '../config/problems.ts';
import { readText } from '#platform/read-text.ts';
import { nameProblem, serverName, usableName } from '../config/server-name.ts';
import { describeValue, isTable, type TomlTable } from '../config/table-reader.ts';
import { type NewServer, writeServers } from './write-server.ts';
import { pushAll } from '#core/values/push-all.ts';

export interface Imported {
  readonly names: readonly string[];
  readonly warnings: readonly string[];
}

/** Imports servers from a JSON file into `.mcpd.toml`, and values that may be secrets into the secrets file. */
export async function importServers(path: string, paths: ConfigPaths): Promise<Imported> {
  const file = await readText(path);
  if (!file) throw configError(`${path} does not exist. Pass the JSON configuration file of your client.`);
  const parsed = parseMcpServers(file);
  if ('problem' in parsed) throw problemsError([parsed.problem]);
  const warnings = [...parsed.warnings];
  const servers = parsed.servers.map(({ name: written, value }): NewServer => {
    if (!isTable(value))
      throw configError(
        `${path}: ${JSON.stringify(written)} must be an object, not ${describeValue(value)}.`,
      );
    const name = nameProblem(written) === undefined ? serverName(written) : usableName(written);
    if (name === undefined) throw configError(`${path}: ${nameProblem(written) ?? ''}`);
    if (name !== serverName(written))
      warnings.push(`${JSON.stringify(written)} was renamed to ${JSON.stringify(name)}.`);
    return { name, ...split(value) };
  });
  pushAll(warnings, await writeServers(servers, paths, path));
  return { names: servers.map(({ name }) => name), warnings };
}

function split({ name: _name, env, headers, oauth, ...table }: TomlTable): Omit<NewServer, 'name'> {
  const secrets = Object.entries({ env, headers, oauth }).filter(
    (entry): entry is ['env', Record<string, string>] => isTable(entry[1]),
  );
  return { table, secrets: Object.fromEntries(secrets) };
}
