import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { lookup } from '#core/values/lookup.ts';
import type { ChatMessage, Json, Wire } from '../../providers/shapes/chat.ts';
import { CLIENT_WIRES } from '../../providers/wires/index.ts';
import type { FeedbackRow, PromptRow } from '../../store/record-schema.ts';

/** A logged request as the input and the output of a model. */
export interface LoggedExample {
  readonly row: PromptRow;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly unknown[];
  /** The model's output; null without one. */
  readonly answer: string | null;
  readonly feedback: ExampleFeedback;
}

/** The newest value of each kind, from any author. */
interface ExampleFeedback {
  readonly thumb: string | null;
  readonly score: number | null;
  readonly label: string | null;
  readonly text: string | null;
  readonly expectedOutput: string | null;
}

const WIRES = lookup<Wire>({
  '/v1/chat/completions': 'chat',
  '/v1/messages': 'messages',
  '/v1/responses': 'responses',
  '/v1/completions': 'completions',
});
const GEMINI = '/v1beta/';
/** Endpoints whose `input` is a text. */
const TEXT_INPUTS: ReadonlySet<string> = new Set(['/v1/classify', '/v1/embeddings', '/v1/moderations']);

/**
 * Reads a logged request; undefined if it has no text, if it was truncated, or if its endpoint takes neither
 * messages nor a text.
 */
export function loggedExample(row: PromptRow, feedback: readonly FeedbackRow[]): LoggedExample | undefined {
  if (row.truncated === 1) return undefined;
  const input = inputOf(row);
  if (!input || textOfLast(input.messages) === '') return undefined;
  return { row, ...input, answer: row.answer, feedback: newestFeedback(row, feedback) };
}

type Input = Pick<LoggedExample, 'messages' | 'tools'>;

function inputOf({ endpoint, request }: PromptRow): Input | undefined {
  let body: unknown;
  try {
    body = parseJsonText(request);
  } catch {
    return undefined;
  }
  if (!isObject(body)) return undefined;
  const wire = endpoint.startsWith(GEMINI) ? 'gemini' : WIRES[endpoint];
  if (wire !== undefined) return chatInput(wire, body);
  const { input } = body;
  return TEXT_INPUTS.has(endpoint) && typeof input === 'string'
    ? { messages: [{ role: 'user', content: input }], tools: [] }
    : undefined;
}

/** Throws no error for a request that the gateway's format cannot express: such a request is not an example. */
function chatInput(wire: Wire, body: Json): Input | undefined {
  try {
    const { messages, tools } = CLIENT_WIRES[wire].toChat(body);
    if (!Array.isArray(messages)) return undefined;
    return { messages: messages.map(flattened), tools: Array.isArray(tools) ? tools : [] };
  } catch {
    return undefined;
  }
}

/** A message whose text parts are joined, if it has only text parts. */
function flattened(message: ChatMessage): ChatMessage {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const texts = content.map(({ type, text }) => (type === 'text' ? text : undefined));
  return texts.every((text) => text !== undefined) ? { ...message, content: texts.join('\n') } : message;
}

/** The text of a message. */
export function messageText({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap(({ text }) => text ?? []).join('\n');
}

/** The text of the last message from the user. */
export const textOfLast = (messages: readonly ChatMessage[]): string =>
  messageText(messages.findLast(({ role }) => role === 'user') ?? { role: 'user' }).trim();

/** Clients choose request IDs, so feedback with the same ID can be on another user's request. */
function newestFeedback(
  { request_id: id, user_id: userId }: PromptRow,
  feedback: readonly FeedbackRow[],
): ExampleFeedback {
  const own = feedback.filter((one) => one.request_id === id && one.user_id === userId);
  const newest = <Name extends keyof FeedbackRow>(name: Name): FeedbackRow[Name] | null =>
    own.findLast((one) => one[name] !== null)?.[name] ?? null;
  return {
    thumb: newest('thumb'),
    score: newest('score'),
    label: newest('label'),
    text: newest('text'),
    expectedOutput: newest('expected_output'),
  };
}
