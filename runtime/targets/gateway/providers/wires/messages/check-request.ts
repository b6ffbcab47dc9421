import type { Json } from '../../shapes/chat.ts';
import type { AnthropicBlock, AnthropicTool } from '../../shapes/messages.ts';
import { contentAt, eachAt, isAbsent, optionalTextAt, objectAt, textAt } from '../request-members.ts';

/** A request of Anthropic's messages, with the members that are translated. */
export interface MessagesRequest extends Json {
  readonly system?: string | readonly AnthropicBlock[] | null;
  readonly messages: readonly MessageParam[];
  readonly tools?: readonly AnthropicTool[] | null;
  readonly tool_choice?: Json | null;
}

export interface MessageParam {
  readonly role: string;
  readonly content: string | readonly AnthropicBlock[];
}

/** Throws an InputError if a member that is translated does not have the form that Anthropic's API requires. */
export function checkRequest(body: Json): asserts body is MessagesRequest {
  const { system, messages, tools, tool_choice: choice } = body;
  contentAt(system, 'system', checkBlock);
  eachAt(messages, 'messages', ({ role, content }, place) => {
    textAt(role, `${place}.role`);
    contentAt(content, `${place}.content`, checkBlock);
  });
  eachAt(tools, 'tools', ({ type, name, description }, place) => {
    optionalTextAt(type, `${place}.type`);
    textAt(name, `${place}.name`);
    optionalTextAt(description, `${place}.description`);
  });
  if (!isAbsent(choice)) textAt(objectAt(choice, 'tool_choice')['type'], 'tool_choice.type');
}

function checkBlock(block: Json, place: string): void {
  const source = block['source'];
  switch (textAt(block['type'], `${place}.type`)) {
    case 'text':
      textAt(block['text'], `${place}.text`);
      break;
    case 'image':
    case 'document':
      textAt(objectAt(source, `${place}.source`)['type'], `${place}.source.type`);
      break;
    case 'tool_use':
      textAt(block['id'], `${place}.id`);
      textAt(block['name'], `${place}.name`);
      break;
    case 'tool_result':
      textAt(block['tool_use_id'], `${place}.tool_use_id`);
      contentAt(block['content'], `${place}.content`, checkBlock);
      break;
    default:
  }
}
