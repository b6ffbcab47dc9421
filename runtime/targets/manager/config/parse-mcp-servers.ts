import { explainJson } from '../../../core/json/explain-json.ts';
import { parseJsonText } from '../../../core/json/json-text.ts';
import type { TextFile } from './parse-toml.ts';
import type { Problem } from './problems.ts';
import { SERVER_KEYS } from './server-entry.ts';
import { usableName, variablePrefix } from './server-name.ts';
import { isTable, type Table } from './table-reader.ts';

/** Servers from a JSON file as desktop clients and editors write it, each with the keys of `[[servers]]`. */
export interface McpServersFile {
  readonly servers: readonly { readonly name: string; readonly value: unknown }[];
  readonly warnings: readonly string[];
}

/** Reads `{"mcpServers": {…}}`; comments and commas before a closing bracket are allowed. */
export function parseMcpServers(file: TextFile): McpServersFile | { readonly problem: Problem } {
  const problem = (message: string): { problem: Problem } => ({
    problem: { file: file.path, line: undefined, message },
  });
  const text = plainJson(file.text);
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (error) {
    return problem(`this is not valid JSON: ${explainJson(text, error)}`);
  }
  const servers = SERVER_TABLES.map((keys) => at(value, keys)).find((found) => isTable(found));
  if (!servers) return problem('it holds no servers. They are expected under "mcpServers".');
  const converted = Object.entries(servers).map(([name, server]) => ({ name, ...convert(name, server) }));
  return { servers: converted, warnings: converted.flatMap(({ warnings }) => warnings) };
}

/** Where clients keep them: most, one editor's own file, the same editor's settings. */
const SERVER_TABLES = [['mcpServers'], ['servers'], ['mcp', 'servers']];

const at = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce((inner, key) => (isTable(inner) ? inner[key] : undefined), value);

/** Comments become spaces, so that places in the text stay what they are. */
function plainJson(text: string): string {
  return text
    .replaceAll(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (part) =>
      part.startsWith('"') ? part : part.replaceAll(/[^\n]/g, ' '),
    )
    .replaceAll(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? ' ' : part));
}

/** Keys that mean something to the client alone. */
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
const TRANSPORTS: Readonly<Record<string, string>> = {
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
  sse: 'sse',
};

function convert(name: string, value: unknown): { value: unknown; warnings: string[] } {
  if (!isTable(value)) return { value, warnings: [] };
  const { type, transport = type, disabled, ...rest } = value;
  const known = Object.entries(rest).filter(([key]) => OWN_KEYS.has(key));
  const unknown = Object.keys(rest).filter((key) => !OWN_KEYS.has(key) && !CLIENT_KEYS.has(key));
  const warnings = unknown.map(
    (key) => `server ${JSON.stringify(name)}: ${JSON.stringify(key)} means nothing here and is left out.`,
  );
  const asked = new Map<string, string>();
  const ask = (input: string): string => {
    const variable = `${variablePrefix(usableName(name) ?? name)}${input.toUpperCase().replaceAll(/\W/g, '_')}`;
    asked.set(input, variable);
    return variable;
  };
  const isRemote = 'url' in rest && transport !== undefined;
  const server: Table = {
    tools: ['*'],
    ...Object.fromEntries(
      known.map(([key, item]) => [key, PLACEHOLDER_KEYS.has(key) ? texts(item, ask) : item]),
    ),
    ...(isRemote
      ? { transport: typeof transport === 'string' ? (TRANSPORTS[transport] ?? transport) : transport }
      : {}),
    ...(disabled === true ? { enabled: false } : {}),
    name,
  };
  for (const [input, variable] of asked)
    warnings.push(
      `server ${JSON.stringify(name)}: the client would ask for ${JSON.stringify(input)}; set the variable ${variable} instead.`,
    );
  return { value: server, warnings };
}

const PLACEHOLDER_KEYS = new Set(['command', 'args', 'cwd', 'url', 'env', 'headers', 'oauth']);

/**
 * In these files only `${NAME}`, `${env:NAME}` and `${input:name}`, which a client asks for, mean a variable; any other dollar
 * sign is one. Numbers stand for their texts.
 */
function texts(value: unknown, ask: (input: string) => string): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    return value
      .replaceAll(/\$(?!\{)/g, '$$$$')
      .replaceAll(/\$\{env:(\w+)\}/g, '$${$1}')
      .replaceAll(/\$\{input:([\w.-]+)\}/g, (_, input: string) => `\${${ask(input)}}`);
  }
  if (Array.isArray(value)) return value.map((item) => texts(item, ask));
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, texts(item, ask)]));
}
