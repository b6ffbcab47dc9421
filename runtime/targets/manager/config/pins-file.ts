import { explainJson } from '#core/json/explain-json.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import type { TextFile } from './parse-toml.ts';
import type { Problem, Report } from './problems.ts';
import { isTable, readTable, type TableReader } from './table-reader.ts';
import { definitionHash, type ToolDefinition, toolDefinition } from './tool-definition.ts';

/** A tool as it was when pinned. */
interface PinnedTool {
  readonly hash: string;
  readonly definition: ToolDefinition;
}

export type PinnedTools = Readonly<Record<string, PinnedTool>>;

/** Pinned tools by server. */
export interface PinsFile {
  readonly servers: ReadonlyMap<string, PinnedTools>;
  readonly problems: readonly PinsProblem[];
}

/** A problem with the file, or with one server's pins. */
interface PinsProblem extends Problem {
  readonly server?: string | undefined;
}

const FORMAT = 1;

/** Returns the path of the pins file: `.mcpd.pins.json` next to `.mcpd.toml`. */
export const pinsPath = (config: string): string => `${config.replace(/\.(?:toml|json)$/i, '')}.pins.json`;

/** Reads the pins. A missing file contains none. */
export function readPinsFile(file: TextFile | undefined): PinsFile {
  const problems: PinsProblem[] = [];
  const report: Report = ([, server], message) => {
    const of = server === undefined ? undefined : String(server);
    problems.push({ file: file?.path ?? '', line: undefined, message, server: of });
  };
  const servers = file ? readServers(file.text, report) : new Map<string, PinnedTools>();
  return { servers, problems };
}

function readServers(text: string, report: Report): Map<string, PinnedTools> {
  const servers = new Map<string, PinnedTools>();
  let value: unknown;
  try {
    value = parseLossless(text);
  } catch (error) {
    report([], `invalid JSON: ${explainJson(text, error)}`);
    return servers;
  }
  const file = readTable(isTable(value) ? value : {}, { path: [], label: '', report });
  if (file.any('version') !== FORMAT) {
    report([], `the pins must have version ${FORMAT}. Create the file with \`mcp-manager pin\`.`);
    return servers;
  }
  const tables = file.table('servers');
  for (const server of tables?.keys() ?? []) {
    const tools = tables?.table(server);
    const pinned = (tools?.keys() ?? []).flatMap((name): [string, PinnedTool][] => {
      const tool = readTool(server, name, tools?.table(name));
      return tool ? [[name, tool]] : [];
    });
    servers.set(server, Object.fromEntries(pinned));
  }
  return servers;
}

function readTool(server: string, name: string, table: TableReader | undefined): PinnedTool | undefined {
  if (!table) return undefined;
  const members = Object.fromEntries(table.keys().map((key) => [key, table.any(key)]));
  const definition = toolDefinition({ ...members, description: joined(members['description']) });
  const hash = table.text('hash');
  if (hash === definitionHash(name, definition)) return { hash, definition };
  table.report(
    `the hash does not match the definition, so the file was edited. Run \`mcp-manager pin ${server}\` to pin the current tools.`,
  );
  return undefined;
}

/**
 * Formats pins for readable diffs: fields are sorted and on separate lines, and descriptions are
 * split into lines.
 */
export function pinsText(servers: ReadonlyMap<string, PinnedTools>): string {
  const sorted = <Value>(entries: Iterable<[string, Value]>): [string, Value][] =>
    [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const tables = sorted(servers).map(([server, tools]) => [
    server,
    Object.fromEntries(
      sorted(Object.entries(tools)).map(([name, { hash, definition }]) => [
        name,
        { hash, ...definition, ...linesOf(definition) },
      ]),
    ),
  ]);
  return `${JSON.stringify({ version: FORMAT, servers: Object.fromEntries(tables) }, undefined, 2)}\n`;
}

const linesOf = ({ description }: ToolDefinition): { description?: string[] } =>
  typeof description === 'string' && description.includes('\n')
    ? { description: description.split('\n') }
    : {};

const joined = (description: unknown): unknown =>
  Array.isArray(description) ? description.join('\n') : description;
