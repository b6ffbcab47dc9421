import { toolName } from '../calls/tool-catalog.ts';
import { toolText } from '../http/routes/tools.ts';
import type { ToolResult } from '../shapes/results.ts';
import type { Output } from '#serve/cli/command.ts';
import { apiPath, type ManagerClient, withQuery } from './manager-client.ts';
import { printJson, printText, printable } from '#serve/cli/terminal.ts';
import { type ArgumentTypes, parsePairs } from './tool-arguments.ts';

export type ToolArguments =
  | { readonly values: Readonly<Record<string, unknown>> }
  | { readonly pairs: readonly string[] };

export interface CallToolOptions {
  readonly server: string;
  readonly tool: string;
  /** `key=value` pairs, converted to the types in the tool's schema. */
  readonly args: ToolArguments;
  /** Prints the complete result as JSON instead of its text. */
  readonly full: boolean;
  /** Whether the call counts as confirmed for approval rules. */
  readonly confirm: boolean;
}

/** Calls a tool and prints its result. Resolves with the exit code: 1 if the tool fails. */
export async function callToolOnce(
  manager: ManagerClient,
  { server, tool, args, full, confirm }: CallToolOptions,
  output: Output,
): Promise<number> {
  const body = 'pairs' in args ? parsePairs(args.pairs, await typesOf(manager, server, tool)) : args.values;
  const path = withQuery(apiPath('servers', server, 'tools', tool), { result: 'full' });
  const headers = confirm ? { 'x-confirm-tool': `${server}/${toolName(tool)}` } : undefined;
  const result = (await manager.post(path, body, headers)) as ToolResult;
  if (full) printJson(output, result);
  else if (result.isError) output.err(printable(`${toolText(result)}\n`));
  else printText(output, `${toolText(result)}\n`);
  return result.isError ? 1 : 0;
}

async function typesOf(manager: ManagerClient, server: string, tool: string): Promise<ArgumentTypes> {
  const { tools } = (await manager.get(apiPath('servers', server, 'tools'))) as {
    tools: readonly FullTool[];
  };
  const known = tools.find(({ name }) => name.toLowerCase() === tool.toLowerCase());
  const properties = known?.inputSchema?.properties ?? {};
  return (name) => (Object.hasOwn(properties, name) ? properties[name]?.type : undefined);
}

interface FullTool {
  readonly name: string;
  readonly inputSchema?: { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> };
}
