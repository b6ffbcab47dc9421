import type { ChatRequest, Json } from '../../shapes/chat.ts';
import { contentAt, eachAt, isAbsent, optionalTextAt, objectAt, textAt } from '../request-members.ts';

/** Checks a request, which is already in the internal format. Throws an InputError. */
export function toChat(body: Json): ChatRequest {
  checkRequest(body);
  return body;
}

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
