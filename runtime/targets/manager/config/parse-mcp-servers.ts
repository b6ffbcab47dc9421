import { lookup } from '#core/values/lookup.ts';
import { explainJson } from '#core/json/explain-json.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { TextFile } from './parse-toml.ts';
import type { Problem } from './problems.ts';
import { SERVER_KEYS } from './server-entry.ts';
import { usableName, variablePrefix } from './server-name.ts';
import { isTable, type TomlTable } from './table-reader.ts';

/** Servers from a JSON file of a desktop client or editor, converted to `[[servers]]` keys. */
export interface McpServersFile {
  readonly servers: readonly { readonly name: string; readonly value: unknown }[];
  readonly warnings: readonly string[];
  /** Server groups. Only this program supports them. */
  readonly groups: unknown;
}

/** Parses `{"mcpServers": {…}}`; comments and trailing commas are allowed. */
export function parseMcpServers(file: TextFile): McpServersFile | { readonly problem: Problem } {
  const problem = (message: string): { problem: Problem } => ({
    problem: { file: file.path, line: undefined, message },
  });
  const text = plainJson(file.text);
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (error) {
    return problem(`invalid JSON: ${explainJson(text, error)}`);
  }
  const servers = SERVER_TABLES.map((keys) => valueAt(value, keys)).find((found) => isTable(found));
  if (!servers) return problem('the file contains no servers. Put them under "mcpServers".');
  const converted = Object.entries(servers).map(([name, server]) => ({ name, ...convert(name, server) }));
  return {
    servers: converted,
    warnings: converted.flatMap(({ warnings }) => warnings),
    groups: valueAt(value, ['groups']),
  };
}

/** Where to find the servers: in most clients' files, in VS Code's mcp.json, and in its settings.json. */
const SERVER_TABLES = [['mcpServers'], ['servers'], ['mcp', 'servers']];

const valueAt = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce((inner, key) => (isTable(inner) ? inner[key] : undefined), value);

/** Replaces comments and trailing commas with spaces, so that error positions stay correct. */
function plainJson(text: string): string {
  return text
    .replaceAll(/"(?:\\.|[^"\\])*"?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g, (part) =>
      part.startsWith('"') ? part : part.replaceAll(/[^\n]/g, ' '),
    )
    .replaceAll(/"(?:\\.|[^"\\])*"?|,(?=\s*[}\]])/g, (part) => (part === ',' ? ' ' : part));
}

/** Keys that only concern the client. They are ignored without a warning. */
const CLIENT_KEYS = new Set([
  'autoApprove',
  'alwaysAllow',
  'disabled',
  'type',
  'description',
  'gallery',
  'version',
]);
const OWN_KEYS = new Set(SERVER_KEYS);
const TRANSPORTS = lookup<string>({
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
  sse: 'sse',
});

function convert(name: string, value: unknown): { value: unknown; warnings: string[] } {
  if (!isTable(value)) return { value, warnings: [] };
  const { type, transport = type, disabled, ...rest } = value;
  const known = Object.entries(rest).filter(([key]) => OWN_KEYS.has(key));
  const unknown = Object.keys(rest).filter((key) => !OWN_KEYS.has(key) && !CLIENT_KEYS.has(key));
  const warnings = unknown.map(
    (key) => `server ${JSON.stringify(name)}: unknown key ${JSON.stringify(key)} is ignored.`,
  );
  const variables = new Map<string, string>();
  const variableOf = (input: string): string => {
    const variable = `${variablePrefix(usableName(name) ?? name)}${input.toUpperCase().replaceAll(/\W/g, '_')}`;
    variables.set(input, variable);
    return variable;
  };
  const isRemote = 'url' in rest && transport !== undefined;
  const server: TomlTable = {
    tools: ['*'],
    ...Object.fromEntries(
      known.map(([key, item]) => [key, PLACEHOLDER_KEYS.has(key) ? texts(item, variableOf) : item]),
    ),
    ...(isRemote
      ? { transport: typeof transport === 'string' ? (TRANSPORTS[transport] ?? transport) : transport }
      : {}),
    ...(disabled === true ? { enabled: false } : {}),
    name,
  };
  for (const [input, variable] of variables)
    warnings.push(
      `server ${JSON.stringify(name)}: the input ${JSON.stringify(input)} was converted to the variable ${variable}. Set it before the server starts.`,
    );
  return { value: server, warnings };
}

const PLACEHOLDER_KEYS = new Set(['command', 'args', 'cwd', 'url', 'env', 'headers', 'oauth']);

/**
 * Converts placeholders to this program's syntax. In these files, `${NAME}`, `${env:NAME}` and
 * `${input:name}` (for which a client prompts) are variables, and any other dollar sign is literal. Numbers
 * and booleans become strings.
 */
function texts(value: unknown, variableOf: (input: string) => string): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    return value
      .replaceAll(/\$(?!\{)/g, '$$$$')
      .replaceAll(/\$\{env:(\w+)\}/g, '$${$1}')
      .replaceAll(/\$\{input:([\w.-]+)\}/g, (_, input: string) => `\${${variableOf(input)}}`);
  }
  if (Array.isArray(value)) return value.map((item) => texts(item, variableOf));
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, texts(item, variableOf)]));
}
