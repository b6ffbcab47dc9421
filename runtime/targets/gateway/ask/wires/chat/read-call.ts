import { isObject } from '../../../../../core/json/is-object.ts';
import { countOr, textOr } from '../foreign-json.ts';
import type { Json, ToolCall, ToolCallDelta } from '../../shapes/chat.ts';

/** A call of a tool. Throws if it has to be told over a wire that has no word for it. */
export function readCall(call: Json, at: number, isTranslated: boolean): ToolCall {
  const called = readCalled(call, isTranslated);
  const { name = '', arguments: text = '' } = called.function ?? {};
  if (isTranslated && name === '') throw new Error('A call of a tool names no function.');
  return {
    ...called,
    id: textOr(call['id'], `call_${at}`),
    type: 'function',
    function: { name, arguments: text },
  };
}

/** A piece of one. */
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
    throw new Error('`function` is no object.');
  if (isTranslated && custom !== undefined) throw new Error('A call of a tool is no call of a function.');
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
  readonly extra_content?: NonNullable<ToolCall['extra_content']>;
}

/** Some write an object where its text belongs. */
const argumentsIn = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : textOr(value, ''));
