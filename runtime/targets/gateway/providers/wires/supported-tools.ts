import type { ChatRequest, ChatTool } from '../shapes/chat.ts';
import type { RequestPolicy } from '../shapes/request-policy.ts';
import { refuse } from './refuse.ts';

/** A request whose tools all providers can call. */
export interface SupportedRequest {
  readonly chat: ChatRequest;
  /** Types of the tools that were dropped. */
  readonly dropped: readonly string[];
}

/**
 * Drops tools that only the provider of another API could run, such as a web search. Refuses the request if the policy requires it, or
 * if it makes no sense without them: because it has no other tools, or because the model has to call one of them.
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
