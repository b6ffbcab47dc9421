import { messageOf } from '#contract/errors.ts';
import type { Output } from '#serve/cli/command.ts';
import { apiPath, type ManagerClient, withQuery } from './manager-client.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable, oneLine } from '#serve/cli/table.ts';

export interface ShowToolsOptions {
  /** If omitted, the tools of all servers are shown. */
  readonly server: string | undefined;
  readonly detail: string;
  readonly json: boolean;
}

/** A tool in the HTTP API's format, with its server name. */
interface ListedTool {
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: InputSchema;
}

interface InputSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown; readonly description?: unknown }>>;
  readonly required?: readonly string[] | null;
}

export async function showTools(
  manager: ManagerClient,
  { server, detail, json }: ShowToolsOptions,
  output: Output,
): Promise<number> {
  const servers =
    server === undefined ? ((await manager.get(apiPath('servers'))) as readonly string[]) : [server];
  const lists = await Promise.allSettled(servers.map((name) => listTools(manager, name, detail)));
  const tools = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  const failures = lists.flatMap((list) => (list.status === 'rejected' ? [list.reason as unknown] : []));
  if (server !== undefined && failures.length > 0) throw failures[0];
  for (const failure of failures) output.err(`Skipped a server: ${messageOf(failure)}\n`);
  print(tools, { detail, json }, output);
  return failures.length === 0 ? 0 : 1;
}

export async function searchTools(
  manager: ManagerClient,
  { query, limit, json }: { readonly query: string; readonly limit: number; readonly json: boolean },
  output: Output,
): Promise<number> {
  const answer = await manager.get(withQuery(apiPath('tools'), { q: query, limit: String(limit) }));
  const { tools } = answer as { tools: readonly ListedTool[] };
  print(tools, { detail: 'summary', json }, output);
  return 0;
}

async function listTools(manager: ManagerClient, server: string, detail: string): Promise<ListedTool[]> {
  const answer = await manager.get(withQuery(apiPath('servers', server, 'tools'), { detail }));
  const { tools } = answer as { tools: readonly Omit<ListedTool, 'server'>[] };
  return tools.map((tool) => ({ server, ...tool }));
}

function print(
  tools: readonly ListedTool[],
  { detail, json }: { readonly detail: string; readonly json: boolean },
  output: Output,
): void {
  if (json) printJson(output, tools);
  else if (tools.length === 0) output.err('No tools.\n');
  else if (detail === 'full') printLines(output, tools.flatMap(fullLines));
  else printLines(output, tableOf(tools));
}

const tableOf = (tools: readonly ListedTool[]): string[] =>
  formatTable(
    ['SERVER', 'TOOL', 'DESCRIPTION'],
    tools.map(({ server, name, title, description }) => [server, name, description ?? title ?? '']),
    stdoutTerminal(),
  );

function fullLines({ server, name, description = '', inputSchema = {} }: ListedTool): string[] {
  const { properties = {}, required } = inputSchema;
  const parameters = Object.entries(properties).map(([parameter, schema]) => {
    const mark = required?.includes(parameter) ? ', required' : '';
    const text = typeof schema.description === 'string' ? `: ${oneLine(schema.description)}` : '';
    return `    ${oneLine(parameter)} (${typeName(schema.type)}${mark})${text}`;
  });
  return [`${server} ${oneLine(name)}`, `  ${oneLine(description)}`, ...parameters, ''];
}

const typeName = (type: unknown): string =>
  typeof type === 'string' ? oneLine(type) : Array.isArray(type) ? oneLine(type.join(' or ')) : 'any';
