import type {
  ChatRequest,
  Json,
  ChatCompletion,
  ToolCall,
  ExtraContent,
  ChatChunk,
  ChunkChoice,
  ToolCallDelta,
} from '../../shapes/chat.ts';
import { memberOf } from '#core/values/member-of.ts';
import { membersOf } from '#core/json/members-of.ts';
import { readExtraContent, sealSignature, signatureIn, withSignature } from '../thought-signatures.ts';
import { callOfCustom, functionOfCustom, customInput, customNames } from '../custom-tools.ts';
import {
  contentAt,
  eachAt,
  isAbsent,
  optionalTextAt,
  objectAt,
  textAt,
  type AnswerFacts,
  type ClientWire,
} from '../request-members.ts';
import { DONE_TEXT, eventText, type EventEncoder } from '../../streams/stream.ts';
import { chatSyntax, isSigned, isUsageOnly, nativeEdits, requestsUsage } from './format.ts';

/** Validates a request, which is already in the internal format except for custom tools. Throws an InputError. */
function toChat(body: Json): ChatRequest {
  const request = withoutCustomTools(withOpenSignatures(body));
  checkRequest(request);
  return request;
}

/** Decodes Gemini signatures that a client has returned. */
function withOpenSignatures(body: Json): Json {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(isSigned)) return body;
  return { ...body, messages: messages.map((message: Json) => withExtra(message, readExtraContent)) };
}

/** A message in which the `extra_content` of the message itself and of its calls has been changed. */
function withExtra(message: Json, change: (extra: unknown) => unknown): Json {
  const changed = (json: Json): Json =>
    json['extra_content'] === undefined ? json : { ...json, extra_content: change(json['extra_content']) };
  const { tool_calls: calls } = message;
  return { ...changed(message), ...(Array.isArray(calls) && { tool_calls: calls.map(changed) }) };
}

/** Replaces custom tools and their calls with functions. */
function withoutCustomTools(body: Json): Json {
  const { tools, tool_choice: choice } = body;
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  const hasCalls = messages.some(
    ({ tool_calls: calls }: Json) => Array.isArray(calls) && calls.some(isCustom),
  );
  const isChosen = typeof choice === 'object' && choice !== null;
  if (!hasCalls && !isChosen && !(Array.isArray(tools) && tools.some(isCustom))) return body;
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: tools.map(functionOf) }),
    ...(hasCalls && { messages: messages.map(withoutCustomCalls) }),
    ...(isChosen && choiceOf(choice, tools)),
  };
}

const isCustom = (value: unknown): value is Json => memberOf(value, 'type') === 'custom';

function functionOf(tool: unknown, at: number): unknown {
  if (!isCustom(tool)) return tool;
  const { name, description, format } = objectAt(tool['custom'], `tools[${at}].custom`);
  return functionOfCustom({
    name: textAt(name, `tools[${at}].custom.name`),
    description: typeof description === 'string' ? description : undefined,
    format,
  });
}

function withoutCustomCalls(message: Json, at: number): Json {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  const place = `messages[${at}].tool_calls`;
  const called = (call: unknown, nth: number): unknown => {
    if (!isCustom(call)) return call;
    const { name, input } = objectAt(call['custom'], `${place}[${nth}].custom`);
    const id = textAt(call['id'], `${place}[${nth}].id`);
    const { extra_content: extra } = call;
    return {
      ...callOfCustom(
        id,
        textAt(name, `${place}[${nth}].custom.name`),
        textAt(input, `${place}[${nth}].custom.input`),
      ),
      ...(extra !== undefined && { extra_content: extra }),
    };
  };
  return { ...message, tool_calls: calls.map(called) };
}

/**
 * If the request forces the model to call a custom tool, its function is forced. If the request contains a
 * list of allowed tools, only those are kept.
 */
function choiceOf(choice: object, tools: unknown): Json {
  const custom = memberOf(choice, 'custom');
  if (isCustom(choice))
    return { tool_choice: { type: 'function', function: { name: memberOf(custom, 'name') } } };
  const { mode, tools: allowed } = membersOf(memberOf(choice, 'allowed_tools'));
  if (memberOf(choice, 'type') !== 'allowed_tools' || !Array.isArray(allowed)) return {};
  const names = new Set(allowed.map(nameOf));
  const left: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const kept = left.filter((tool) => names.has(nameOf(tool)));
  return { tools: kept.map(functionOf), tool_choice: mode === 'required' ? 'required' : 'auto' };
}

const nameOf = (tool: unknown): unknown =>
  memberOf(memberOf(tool, 'function') ?? memberOf(tool, 'custom'), 'name');

function checkRequest(body: Json): asserts body is ChatRequest {
  const { tool_choice: choice, response_format: format } = body;
  eachAt(body['messages'], 'messages', checkMessage);
  eachAt(body['tools'], 'tools', checkTool);
  if (typeof choice !== 'string' && !isAbsent(choice)) checkChoice(objectAt(choice, 'tool_choice'));
  if (!isAbsent(format)) textAt(objectAt(format, 'response_format')['type'], 'response_format.type');
}

function checkMessage(message: Json, place: string): void {
  textAt(message['role'], `${place}.role`);
  contentAt(message['content'], `${place}.content`, checkPart);
  optionalTextAt(message['tool_call_id'], `${place}.tool_call_id`);
  optionalTextAt(message['name'], `${place}.name`);
  eachAt(message['tool_calls'], `${place}.tool_calls`, (call, at) => {
    textAt(call['id'], `${at}.id`);
    const called = objectAt(call['function'], `${at}.function`);
    textAt(called['name'], `${at}.function.name`);
    textAt(called['arguments'], `${at}.function.arguments`);
  });
}

function checkPart({ type, text, refusal, image_url: image, file }: Json, place: string): void {
  textAt(type, `${place}.type`);
  optionalTextAt(text, `${place}.text`);
  optionalTextAt(refusal, `${place}.refusal`);
  if (!isAbsent(image)) textAt(objectAt(image, `${place}.image_url`)['url'], `${place}.image_url.url`);
  if (!isAbsent(file))
    optionalTextAt(objectAt(file, `${place}.file`)['file_data'], `${place}.file.file_data`);
}

function checkTool({ type, function: tool }: Json, place: string): void {
  // Tools of other types are kept; provider adapters reject those that they cannot translate.
  if (textAt(type, `${place}.type`) !== 'function') return;
  textAt(objectAt(tool, `${place}.function`)['name'], `${place}.function.name`);
}

function checkChoice({ type, function: tool }: Json): void {
  textAt(type, 'tool_choice.type');
  if (!isAbsent(tool)) textAt(objectAt(tool, 'tool_choice.function')['name'], 'tool_choice.function.name');
}

function fromChat(answer: ChatCompletion, request: Json): Json {
  const customs = customNames(request);
  if (customs.size === 0 && !answer.choices.some(({ message }) => hasSignature(message)))
    return { ...answer };
  const choices = answer.choices.map(({ message, ...choice }) => {
    const signed = withSealed(message);
    const { tool_calls: calls } = signed;
    return { ...choice, message: calls ? { ...signed, tool_calls: calls.map(callOf(customs)) } : signed };
  });
  return { ...answer, choices };
}

const callOf =
  (customs: ReadonlySet<string>) =>
  (call: ToolCall): Json => {
    const { id, function: called, extra_content: extra } = call;
    if (!customs.has(called.name)) return { ...call };
    const custom = { name: called.name, input: customInput(called.arguments) };
    return { id, type: 'custom', custom, ...(extra && { extra_content: extra }) };
  };

interface Signed {
  readonly extra_content?: ExtraContent;
  readonly tool_calls?: readonly SignedCall[] | null;
}

interface SignedCall {
  readonly id?: string;
  readonly extra_content?: ExtraContent;
}

/** Whether a message, or part of one, has a Gemini signature. */
const hasSignature = ({ extra_content: extra, tool_calls: calls }: Signed): boolean =>
  signatureIn(extra) !== undefined ||
  (calls ?? []).some((call) => signatureIn(call.extra_content) !== undefined);

/**
 * The same message with signatures encoded for the client. The gateway removes them again if the client
 * returns them and another provider would receive them.
 */
function withSealed<Message extends Signed>(message: Message): Message {
  if (!hasSignature(message)) return message;
  const { tool_calls: calls } = message;
  return { ...message, ...sealed('', message), ...(calls && { tool_calls: calls.map(sealedCall) }) };
}

const sealedCall = (call: SignedCall): SignedCall => ({ ...call, ...sealed(call.id ?? '', call) });

function sealed(id: string, { extra_content: extra }: SignedCall): SignedCall {
  const signature = signatureIn(extra);
  return signature === undefined ? {} : withSignature(sealSignature(id, signature));
}

/** Writes chunks as events. The usage is included only if the client requested it. */
function chatEncoder(request: Json, { model, created }: AnswerFacts): EventEncoder {
  const wantsUsage = requestsUsage(request);
  const customs = customNames(request);
  const restored = customs.size === 0 ? undefined : createCustomCalls(customs);
  return {
    encode: (chunks) =>
      (restored ? chunks.map(restored) : chunks)
        .map(sealedChunk)
        .filter((chunk) => wantsUsage || !isUsageOnly(chunk))
        .map((chunk) =>
          eventText({
            ...(wantsUsage ? chunk : withoutUsage(chunk)),
            created: chunk.created || created,
            model,
          }),
        )
        .join(''),
    end: () => ({ last: '', terminal: DONE_TEXT }),
  };
}

const sealedChunk = (chunk: ChatChunk): ChatChunk =>
  chunk.choices?.some(({ delta }) => delta && hasSignature(delta))
    ? {
        ...chunk,
        choices: chunk.choices.map((choice) =>
          choice.delta ? { ...choice, delta: withSealed(choice.delta) } : choice,
        ),
      }
    : chunk;

const withoutUsage = ({ usage: _usage, ...chunk }: ChatChunk): ChatChunk => chunk;

interface OpenCall {
  readonly choice: number;
  readonly index: number;
  readonly id: string | undefined;
  readonly name: string;
  readonly extra: ToolCallDelta['extra_content'];
  args: string;
}

/**
 * Converts function calls that were custom tools back to calls of those tools. The text of such a call is a
 * member of the arguments, so it is held back until the arguments are complete, i.e. until the next call or
 * the end of the choice arrives.
 */
function createCustomCalls(customs: ReadonlySet<string>): (chunk: ChatChunk) => ChatChunk {
  const open = new Map<string, OpenCall>();
  const keyOf = (choice: number, index: number): string => `${choice} ${index}`;

  /** The complete calls of a choice, as deltas; the call that continues is excluded. */
  const closed = (choice: number, current?: number): ToolCallDelta[] => {
    const done = [...open.values()].filter((call) => call.choice === choice && call.index !== current);
    for (const { index } of done) open.delete(keyOf(choice, index));
    return done.map(deltaOf);
  };
  const take = (choice: number, delta: ToolCallDelta): ToolCallDelta[] => {
    const { index, id, function: called, extra_content: extra } = delta;
    const known = open.get(keyOf(choice, index));
    const isNew =
      (called?.name ?? '') !== '' && (known === undefined || (id !== undefined && id !== known.id));
    if (known && !isNew) {
      known.args += called?.arguments ?? '';
      return [];
    }
    const before = closed(choice);
    if (!called || !customs.has(called.name ?? '')) return [...before, delta];
    const args = called.arguments ?? '';
    open.set(keyOf(choice, index), { choice, index, id, name: called.name ?? '', extra, args });
    return before;
  };
  const restored = (choice: ChunkChoice): ChunkChoice => {
    const { index, delta, finish_reason: finish } = choice;
    const calls = (delta?.tool_calls ?? []).flatMap((call) => take(index, call));
    const all = finish ? [...calls, ...closed(index)] : calls;
    if (all.length === 0 && !delta?.tool_calls) return choice;
    return { ...choice, delta: { ...delta, tool_calls: all.length > 0 ? all : null } };
  };
  return (chunk) => (chunk.choices ? { ...chunk, choices: chunk.choices.map(restored) } : chunk);
}

const deltaOf = ({ index, id, name, extra, args }: OpenCall): ToolCallDelta => ({
  index,
  ...(id !== undefined && { id }),
  type: 'custom',
  custom: { name, input: customInput(args) },
  ...(extra && { extra_content: extra }),
});

/** `/v1/chat/completions`. @see https://platform.openai.com/docs/api-reference/chat */
export const chatWire: ClientWire = {
  toChat,
  nativeEdits,
  fromChat,
  encoder: chatEncoder,
  syntax: chatSyntax,
  renames: (json, model) =>
    typeof json['model'] === 'string' ? { model: JSON.stringify(model) } : undefined,
};
