import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { countShared } from '../../evaluation/metrics/text/text-row.ts';
import type { Endpoint } from '../completions/completion.ts';

/** What a model responded: its text and its tool calls. */
export interface ReadAnswer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}

export interface ToolCall {
  readonly name: string;
  /** JSON with sorted members, or the text as it is if it is not JSON. */
  readonly arguments: string;
}

type Members = Readonly<Record<string, unknown>>;

/** Collects the parts of a response, which can arrive in pieces. */
interface Parts {
  text: string;
  readonly calls: Map<string, { name: string; input: string }>;
}

/** Adds what one JSON object of the response contains: the whole response, or one event of a stream. */
type Reader = (parts: Parts, value: Members) => void;

const listOf = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.filter(isObject) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function addCall({ calls }: Parts, id: string, name: unknown, input: unknown): void {
  const call = calls.get(id) ?? { name: '', input: '' };
  call.name ||= textOf(name);
  call.input += typeof input === 'string' ? input : input === undefined ? '' : JSON.stringify(input);
  calls.set(id, call);
}

const readChat: Reader = (parts, value) => {
  const [choice] = listOf(value['choices']);
  const message = membersOf(choice?.['message'] ?? choice?.['delta']);
  const { content } = message;
  parts.text += Array.isArray(content)
    ? listOf(content)
        .map(({ text }) => textOf(text))
        .join('')
    : textOf(content);
  for (const [at, call] of listOf(message['tool_calls']).entries()) {
    const called = membersOf(call['function'] ?? call['custom']);
    const { index = at } = call;
    addCall(parts, JSON.stringify(index), called['name'], called['arguments'] ?? called['input']);
  }
};

const readMessages: Reader = (parts, value) => {
  const block = (one: Members, id: string): void => {
    if (one['type'] === 'text') parts.text += textOf(one['text']);
    if (one['type'] === 'tool_use') {
      // In a stream, the input of the first event is empty and follows in pieces.
      const isEmpty = isObject(one['input']) && Object.keys(one['input']).length === 0;
      addCall(parts, id, one['name'], isEmpty ? undefined : one['input']);
    }
  };
  for (const [at, one] of listOf(value['content']).entries()) block(one, String(at));
  const id = JSON.stringify(value['index']) ?? '';
  if (value['type'] === 'content_block_start') block(membersOf(value['content_block']), id);
  if (value['type'] === 'content_block_delta') {
    const delta = membersOf(value['delta']);
    if (delta['type'] === 'text_delta') parts.text += textOf(delta['text']);
    if (delta['type'] === 'input_json_delta') addCall(parts, id, undefined, delta['partial_json']);
  }
};

const readResponses: Reader = (parts, value) => {
  // The last event of a stream contains the whole response.
  const isStreamed = value['type'] === 'response.completed' || value['type'] === 'response.incomplete';
  const response = isStreamed ? membersOf(value['response']) : value;
  for (const [at, item] of listOf(response['output']).entries()) {
    if (item['type'] === 'message')
      for (const { type, text } of listOf(item['content']))
        if (type === 'output_text') parts.text += textOf(text);
    if (item['type'] === 'function_call' || item['type'] === 'custom_tool_call')
      addCall(parts, String(at), item['name'], item['arguments'] ?? item['input']);
  }
};

const readGemini: Reader = (parts, value) => {
  const [candidate] = listOf(value['candidates']);
  for (const part of listOf(membersOf(candidate?.['content'])['parts'])) {
    if (part['thought'] !== true) parts.text += textOf(part['text']);
    const call = membersOf(part['functionCall']);
    if (call['name'] !== undefined)
      addCall(parts, String(parts.calls.size), call['name'], call['args'] ?? {});
  }
};

const READERS: Partial<Record<Endpoint, Reader>> = {
  '/v1/chat/completions': readChat,
  '/v1/messages': readMessages,
  '/v1/responses': readResponses,
  '/v1beta/models/{model}:generateContent': readGemini,
  '/v1beta/models/{model}:streamGenerateContent': readGemini,
};

/** Whether responses of an endpoint can be read. */
export const isReadable = (endpoint: Endpoint): boolean => READERS[endpoint] !== undefined;

/** Reads a response, whole or streamed; undefined if it has neither text nor tool calls. */
export function readAnswer(endpoint: Endpoint, bytes: Uint8Array): ReadAnswer | undefined {
  const read = READERS[endpoint];
  if (!read) return undefined;
  const parts: Parts = { text: '', calls: new Map() };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  for (const json of text.trimStart().startsWith('{') ? [text] : dataOf(text)) {
    const value = parsed(json);
    if (isObject(value)) read(parts, value);
  }
  const toolCalls = [...parts.calls.values()].map(({ name, input }) => ({
    name,
    arguments: canonical(input === '' ? '{}' : input),
  }));
  return parts.text === '' && toolCalls.length === 0 ? undefined : { text: parts.text, toolCalls };
}

/** The data of server-sent events. */
const dataOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length));

function parsed(json: string): unknown {
  try {
    return parseJsonText(json);
  } catch {
    return undefined;
  }
}

const canonical = (text: string): string => {
  const value = parsed(text);
  return value === undefined ? text : JSON.stringify(sorted(value));
};

/** The same value with sorted members. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** A response as one text for a judge. */
export const shownAnswer = ({ text, toolCalls }: ReadAnswer): string =>
  [text, ...toolCalls.map((call) => `[calls the tool ${call.name} with ${call.arguments}]`)]
    .filter((part) => part !== '')
    .join('\n');

/**
 * How far two responses call the same tools, from 0 to 1. The same name with other arguments counts half. Two responses
 * that call no tools agree.
 */
export function toolAgreement(one: readonly ToolCall[], other: readonly ToolCall[]): number {
  if (one.length + other.length === 0) return 1;
  const shared = (keyOf: (call: ToolCall) => string): number => countShared(one.map(keyOf), other.map(keyOf));
  const equal = shared((call) => JSON.stringify([call.name, call.arguments]));
  const named = shared((call) => call.name);
  return (equal + named) / (one.length + other.length);
}
