import type { ClientWire } from '../client-wire.ts';
import { fromChat } from './answer.ts';
import { nativeEdits, toChat } from './request.ts';
import { messagesEncoder, messagesSyntax } from './stream.ts';
import { membersOf } from '#core/json/members-of.ts';

/** `/v1/messages`. @see https://docs.anthropic.com/en/api/messages */
export const messagesWire: ClientWire = {
  toChat,
  nativeEdits,
  fromChat,
  encoder: messagesEncoder,
  syntax: messagesSyntax,
  renames(json, model) {
    if (json['type'] === 'message_start')
      return { message: JSON.stringify({ ...membersOf(json['message']), model }) };
    return json['type'] === 'message' ? { model: JSON.stringify(model) } : undefined;
  },
};
