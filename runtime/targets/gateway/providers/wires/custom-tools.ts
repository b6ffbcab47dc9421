import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { ChatTool, Json, ToolCall, ChatRequest } from '../shapes/chat.ts';
import type { RequestPolicy } from '../shapes/policies.ts';
import { refuse } from './request-members.ts';

// The input of OpenAI's custom tools is arbitrary text. Other APIs only support functions, whose arguments
// are an object. Therefore, a custom tool is converted to a function with a single string argument, and
// calls to that function are converted back to calls to the custom tool.

const MEMBER = 'input';

interface CustomTool {
  readonly name: string;
  readonly description: string | undefined;
  /** The grammar of the tool's input, if any. */
  readonly format: unknown;
}

export function functionOfCustom({ name, description, format }: CustomTool): ChatTool {
  const definition = memberOf(memberOf(format, 'grammar') ?? format, 'definition');
  const syntax = memberOf(memberOf(format, 'grammar') ?? format, 'syntax');
  const grammar =
    typeof definition === 'string' ? ` It must match this ${String(syntax)} grammar:\n${definition}` : '';
  const input = { type: 'string', description: `The input of the tool, as plain text.${grammar}` };
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters: {
        type: 'object',
        properties: { [MEMBER]: input },
        required: [MEMBER],
        additionalProperties: false,
      },
    },
  };
}

/** The function call to which a custom tool call is converted. */
export const callOfCustom = (id: string, name: string, input: string): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify({ [MEMBER]: input }) },
});

/**
 * The input of a custom tool, taken from the arguments of its function. Arguments in any other format are
 * used as the input unchanged.
 */
export function customInput(args: string): string {
  try {
    const input = memberOf(parseJsonText(args), MEMBER);
    return typeof input === 'string' ? input : args;
  } catch {
    return args;
  }
}

/** The names of a request's custom tools, in the format of OpenAI's chat completions or responses. */
export function customNames({ tools }: Json): ReadonlySet<string> {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const names = list
    .filter((tool) => memberOf(tool, 'type') === 'custom')
    .map((tool) => memberOf(memberOf(tool, 'custom') ?? tool, 'name'));
  return new Set(names.filter((name) => typeof name === 'string'));
}

/** A request that only contains tools that all providers can call. */
interface SupportedRequest {
  readonly chat: ChatRequest;
  /** The types of the dropped tools. */
  readonly dropped: readonly string[];
}

/**
 * Drops tools that only another API's provider could run, such as a web search. Rejects the request if the
 * policy requires this, or if the request is useless without these tools: because it has no other tools, or
 * because it forces the model to call one of them.
 */
export function withSupportedTools(
  chat: ChatRequest,
  policy: RequestPolicy['unsupportedTools'],
): SupportedRequest {
  const tools = chat.tools ?? [];
  const kept = tools.filter(isFunction);
  if (kept.length === tools.length) return { chat, dropped: [] };
  const dropped = tools.filter((tool) => !isFunction(tool)).map(({ type }) => type);
  const forced = typeof chat.tool_choice === 'object' ? chat.tool_choice?.function?.name : undefined;
  const isForced = forced !== undefined && !kept.some((tool) => tool.function?.name === forced);
  if (policy === 'refuse' || kept.length === 0 || isForced) throw refuse(`the tool \`${dropped[0]}\``);
  return { chat: { ...chat, tools: kept }, dropped };
}

const isFunction = ({ type }: ChatTool): boolean => type === 'function';
