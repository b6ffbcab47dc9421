import type { ChatRequest, Json } from '../../shapes/chat.ts';
import { memberOf } from '#core/values/member-of.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { MemberEdits } from '../../../shared/json-members.ts';
import { readExtraContent, withoutSealed } from '../thought-signatures.ts';
import { callOfCustom, functionOfCustom } from '../custom-tools.ts';
import { contentAt, eachAt, isAbsent, optionalTextAt, objectAt, textAt } from '../request-members.ts';

/** Checks a request, which is already in the internal format but for custom tools. Throws an InputError. */
export function toChat(body: Json): ChatRequest {
  const request = withoutCustomTools(withOpenSignatures(body));
  checkRequest(request);
  return request;
}

const isSigned = (message: unknown): boolean =>
  memberOf(message, 'extra_content') !== undefined ||
  [memberOf(message, 'tool_calls')].flat().some((call) => memberOf(call, 'extra_content') !== undefined);

/** Opens the signatures of Gemini that a client has returned. */
function withOpenSignatures(body: Json): Json {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(isSigned)) return body;
  return { ...body, messages: messages.map((message: Json) => withExtra(message, readExtraContent)) };
}

/** A message with the changed `extra_content` of its text and its calls. */
function withExtra(message: Json, change: (extra: unknown) => unknown): Json {
  const changed = (json: Json): Json =>
    json['extra_content'] === undefined ? json : { ...json, extra_content: change(json['extra_content']) };
  const { tool_calls: calls } = message;
  return { ...changed(message), ...(Array.isArray(calls) && { tool_calls: calls.map(changed) }) };
}

/** Removes signatures that only the gateway can open. */
export function nativeEdits({ messages }: Json): MemberEdits {
  if (!Array.isArray(messages) || !messages.some(isSigned)) return {};
  const left = messages.map((message: Json) => {
    const { tool_calls: calls } = message;
    return {
      ...withoutSealed(message),
      ...(Array.isArray(calls) && { tool_calls: calls.map(withoutSealed) }),
    };
  });
  return { messages: JSON.stringify(left) };
}

/** Replaces custom tools, and their calls, by functions. */
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

/** A choice of a custom tool is one of its function; a list of allowed tools leaves only those. */
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
  // Adapters of providers reject other types of tools if they cannot translate them.
  if (textAt(type, `${place}.type`) !== 'function') return;
  textAt(objectAt(tool, `${place}.function`)['name'], `${place}.function.name`);
}

function checkChoice({ type, function: tool }: Json): void {
  textAt(type, 'tool_choice.type');
  if (!isAbsent(tool)) textAt(objectAt(tool, 'tool_choice.function')['name'], 'tool_choice.function.name');
}
