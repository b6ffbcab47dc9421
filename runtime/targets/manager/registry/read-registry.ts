import { configError } from '../../../contract/errors.ts';
import { explainJson } from '../../../core/json/explain-json.ts';
import { parseJsonText } from '../../../core/json/json-text.ts';
import { PACKAGE_RUNTIMES } from '../config/package-launch.ts';
import type { TextFile } from '../config/parse-toml.ts';
import { type Problem, problemsError, type Report } from '../config/problems.ts';
import { isTable, describeValue, readTable, type TableReader } from '../config/table-reader.ts';
import { ARGUMENT_TYPES, type Installation, type RegistryArgument, type RegistryEntry } from './entry.ts';

/** Reads a registry: JSON with servers in a list, or in an object by their ID. Unknown keys are ignored. Pure. */
export function readRegistry(file: TextFile): RegistryEntry[] {
  const value = parseJson(file);
  const problems: Problem[] = [];
  const report: Report = (_path, message) => {
    problems.push({ file: file.path, line: undefined, message });
  };
  const servers = isTable(value) && 'servers' in value ? value['servers'] : value;
  if (!isTable(servers) && !Array.isArray(servers))
    report([], 'the registry must contain servers, in a list or in an object by ID.');
  const entries = members(servers).map(([id, server], index) => {
    const label = `server ${id === '' ? index + 1 : JSON.stringify(id)}`;
    return readEntry(tableOf(server, label, report), { id, report, source: file.path });
  });
  if (problems.length > 0) throw problemsError(problems);
  return entries;
}

function parseJson({ path, text }: TextFile): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw configError(`${path} is not a registry: invalid JSON: ${explainJson(text, error)}`, error);
  }
}

function readEntry(
  table: TableReader,
  { id: key, report, source }: { id: string; report: Report; source: string },
): RegistryEntry {
  const id = table.text('id') ?? (key || table.text('name')) ?? '';
  if (id === '') table.report('id is missing.');
  return {
    id,
    name: table.text('name') ?? id,
    description: plain(table.any('description')),
    license: plain(table.any('license')),
    categories: table.texts('categories') ?? [],
    tags: table.texts('tags') ?? [],
    isOfficial: table.flag('isOfficial') ?? false,
    deprecated: table.flag('deprecated') ?? false,
    tools: members(table.any('tools')).map(([, tool], index) => {
      const reader = tableOf(tool, `server ${JSON.stringify(id)}: tool ${index + 1}`, report);
      return reader.text('name') ?? '';
    }),
    installations: readInstallations(table.table('installations')),
    arguments: readArguments(table.table('arguments')),
    source,
  };
}

function readInstallations(table: TableReader | undefined): Installation[] {
  // Registries also list runtimes that this program does not support.
  const runtimes = PACKAGE_RUNTIMES.filter((runtime) => table?.keys().includes(runtime));
  return runtimes.flatMap((runtime) => {
    const installation = table?.table(runtime);
    const name = installation?.text('package');
    if (installation && name === undefined) installation.report('package is missing.');
    const version = installation?.text('version') ?? 'latest';
    const recommended = installation?.flag('recommended') ?? false;
    return name === undefined ? [] : [{ runtime, package: name, version, recommended }];
  });
}

function readArguments(table: TableReader | undefined): RegistryArgument[] {
  return (table?.keys() ?? []).map((name) => {
    const argument = table?.table(name);
    return {
      name,
      type: argument?.choice('type', ARGUMENT_TYPES) ?? 'environment',
      required: argument?.flag('required') ?? false,
      description: plain(argument?.any('description')),
    };
  });
}

function tableOf(value: unknown, label: string, report: Report): TableReader {
  if (!isTable(value)) report([], `${label} must be an object, not ${describeValue(value)}.`);
  return readTable(isTable(value) ? value : {}, { path: [], label, report });
}

/** Returns the members of an object with their keys, and those of a list with empty keys. */
function members(value: unknown): [key: string, value: unknown][] {
  if (Array.isArray(value)) return value.map((member): [string, unknown] => ['', member]);
  return isTable(value) ? Object.entries(value) : [];
}

/** Returns a value that is only displayed; anything but a string becomes empty. */
const plain = (value: unknown): string => (typeof value === 'string' ? value : '');
