import { inputError } from '../../../../contract/errors.ts';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import type { ChatMessage, ContentPart, Json } from '../shapes/chat.ts';

/** The parts of a message, whether it was written as a text or as parts. */
export function partsOf({ content }: ChatMessage): readonly ContentPart[] {
  if (typeof content !== 'string') return content ?? [];
  return content === '' ? [] : [{ type: 'text', text: content }];
}

/** All text of a message. */
export const textOfMessage = (message: ChatMessage): string =>
  partsOf(message)
    .map(({ text, refusal }) => text ?? refusal ?? '')
    .join('');

export interface DataUrl {
  readonly mediaType: string;
  readonly base64: string;
}

/** Undefined for URLs that lead elsewhere. */
export function readDataUrl(url: string): DataUrl | undefined {
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,/i.exec(url);
  return head?.[1] === undefined
    ? undefined
    : { mediaType: head[1].toLowerCase(), base64: url.slice(head[0].length) };
}

/** Arguments of a tool as an object, from the text that models write. */
export function readArguments(text: string, tool: string): Json {
  if (text.trim() === '') return {};
  try {
    const value: unknown = parseJsonText(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch {
    // Said below.
  }
  throw inputError(`The arguments of the call of \`${tool}\` are not a JSON object: ${text.slice(0, 100)}`);
}

export interface Turn {
  readonly role: string;
  readonly parts: readonly Json[];
}

/** All results of the tools that one answer called have to be in one turn, so turns of one role become one. */
export function mergedTurns(turns: readonly Turn[]): Turn[] {
  const all: Turn[] = [];
  for (const turn of turns.filter(({ parts }) => parts.length > 0)) {
    const last = all.at(-1);
    if (last?.role === turn.role) all[all.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] };
    else all.push(turn);
  }
  return all;
}

/** The texts of system messages, which other providers keep apart from the rest. */
export function splitSystem(messages: readonly ChatMessage[]): {
  readonly system: string;
  readonly rest: readonly ChatMessage[];
} {
  const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';
  return {
    system: messages.filter(isSystem).map(textOfMessage).join('\n\n'),
    rest: messages.filter((message) => !isSystem(message)),
  };
}
