import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import type { ApprovalRule } from '../../../shared/tool-settings.ts';
import type { FunctionCall, FunctionTool, OwnCall, Recall, RequestedServer, Step } from './wire.ts';

// Members that several client APIs have in common.

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const objectsIn = (value: unknown): readonly Json[] => listIn(value).filter(isObject);
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The tool type of an MCP server in OpenAI's API, which all client APIs of the gateway accept. */
export const isServerTool = (tool: unknown): tool is Json => isObject(tool) && tool['type'] === 'mcp';

/** Reads `{"type": "mcp"}`. */
export function serverOf(tool: Json): RequestedServer {
  return {
    label: textIn(tool['server_label']),
    url: textIn(tool['server_url']),
    allowedTools: allowedIn(tool['allowed_tools']),
    approval: approvalIn(tool['require_approval']),
    written: tool,
  };
}

/** The list of tools, which can also be a filter with `tool_names`. */
function allowedIn(value: unknown): readonly string[] | undefined {
  const names = isObject(value) ? value['tool_names'] : value;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined;
}

function approvalIn(value: unknown): ApprovalRule | undefined {
  if (value === 'always' || value === 'never') return value;
  const { always, never } = membersOf(value);
  if (always !== undefined) return allowedIn(always) ?? 'always';
  // Only the tools that need no approval are listed.
  return never === undefined ? undefined : 'always';
}

/** Adds up the numbers in two usage objects. Other members are taken from the newer one. */
export function sumUsage(one: unknown, other: unknown): unknown {
  if (one === undefined || one === null) return other;
  if (other === undefined || other === null) return one;
  if (typeof one === 'number' && typeof other === 'number') return one + other;
  if (!isObject(one) || !isObject(other) || isRawNumber(one) || isRawNumber(other)) return other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, sumUsage(one[name], other[name])]));
}

/** The arguments of a call as an object; empty for invalid arguments. */
export function argumentsOf(text: string): Json {
  try {
    return membersOf(parseLossless(text));
  } catch {
    return {};
  }
}

/** The ID of an item. It contains the round, because calls of one round belong to one turn of the model. */
export const itemId = (round: number, id: string): string => `mcp_${round}_${id}`;

/** A call in the form of an `mcp_call` item of OpenAI's Responses API. */
export const callItem = ({ id, tool, args, output, isError }: Step, round: number): Json => ({
  type: 'mcp_call',
  id: itemId(round, id),
  server_label: tool.label,
  name: tool.tool,
  arguments: args,
  output: isError ? null : output,
  error: isError ? output : null,
});

/** A call that a client has sent back, with its result. */
interface ItemCall extends Omit<FunctionCall, 'name'> {
  readonly round: string;
  readonly label: string;
  readonly tool: string;
  readonly output: string;
}

function itemCall(item: Json): ItemCall {
  const { id, server_label: label, name, arguments: args, output, error } = item;
  const [, round = '', callId = String(id)] = /^mcp_(\d+)_(.*)$/s.exec(String(id)) ?? [];
  const result = textIn(output) ?? textIn(error) ?? JSON.stringify(output ?? error ?? '');
  return {
    id: callId,
    round,
    label: String(label),
    tool: String(name),
    args: textIn(args) ?? '{}',
    output: result,
  };
}

/** Reads `mcp_call` items; those of one round are together. */
export function roundsOf(items: readonly Json[]): ItemCall[][] {
  const rounds: ItemCall[][] = [];
  for (const call of items.map(itemCall)) {
    const last = rounds.at(-1);
    if (last?.[0]?.round === call.round) last.push(call);
    else rounds.push([call]);
  }
  return rounds;
}

/** The turns that a client's message is part of, if the message has exactly the calls with which they ended. */
export function recalledBy(calls: readonly OwnCall[], recall: Recall): readonly unknown[] | undefined {
  const [first] = calls;
  const found =
    first && (recall(first.id) ?? (first.itemId === undefined ? undefined : recall(first.itemId)));
  if (!found || found.calls.length !== calls.length) return undefined;
  const ids = new Set(calls.map(({ id }) => id));
  return first.id === '' || found.calls.every(({ id }) => ids.has(id)) ? found.turns : undefined;
}

/** A function in OpenAI's format. */
export const openAiFunction = ({ name, description, parameters }: FunctionTool): Json => ({
  name,
  ...(description !== undefined && { description }),
  parameters,
});

/** The data of an event as an object; undefined for an end marker or invalid JSON. */
export function eventData(data: string): Json | undefined {
  try {
    const value = parseLossless(data);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
