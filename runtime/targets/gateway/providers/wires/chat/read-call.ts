import { isObject } from '#core/json/is-object.ts';
import { countOr, textOr } from '../foreign-json.ts';
import type { ExtraContent, Json, ToolCall, ToolCallDelta } from '../../shapes/chat.ts';

/** Reads a tool call. Throws if it must be translated to an API that cannot express it. */
export function readCall(call: Json, at: number, isTranslated: boolean): ToolCall {
  const called = readCalled(call, isTranslated);
  const { name = '', arguments: text = '' } = called.function ?? {};
  if (isTranslated && name === '') throw new Error('A tool call has no function name.');
  return {
    ...called,
    id: textOr(call['id'], `call_${at}`),
    type: 'function',
    function: { name, arguments: text },
  };
}

/** Reads a part of a tool call in a stream. */
export function readCallDelta(call: Json, at: number, isTranslated: boolean): ToolCallDelta {
  const { id } = call;
  return {
    ...readCalled(call, isTranslated),
    index: countOr(call['index'], at),
    ...(typeof id === 'string' && { id, type: 'function' as const }),
  };
}

function readCalled({ function: called, custom, extra_content: extra }: Json, isTranslated: boolean): Called {
  if (called !== undefined && called !== null && !isObject(called))
    throw new Error('`function` is not an object.');
  if (isTranslated && custom !== undefined) throw new Error('A tool call is not a function call.');
  return {
    ...(called && {
      function: { name: textOr(called['name'], ''), arguments: argumentsIn(called['arguments']) },
    }),
    ...(isObject(custom) && {
      custom: { name: textOr(custom['name'], ''), input: textOr(custom['input'], '') },
    }),
    ...(isObject(extra) && { extra_content: extra }),
  };
}

interface Called {
  readonly function?: { readonly name: string; readonly arguments: string };
  readonly extra_content?: ExtraContent;
}

/** The arguments as text. Some providers send an object instead of its text. */
const argumentsIn = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : textOr(value, ''));
