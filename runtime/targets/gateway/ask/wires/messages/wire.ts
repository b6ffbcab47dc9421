import type { Json } from '../../shapes/chat.ts';
import type { ClientWire } from '../client-wire.ts';
import { fromChat } from './answer.ts';
import { toChat } from './request.ts';
import { messagesEncoder, messagesSyntax } from './stream.ts';

/** `/v1/messages`. @see https://docs.anthropic.com/en/api/messages */
export const messagesWire: ClientWire = {
  toChat,
  fromChat,
  encoder: messagesEncoder,
  syntax: messagesSyntax,
  renames(json, model) {
    const { message } = json as { readonly message?: Json };
    if (json['type'] === 'message_start') return { message: JSON.stringify({ ...message, model }) };
    return json['type'] === 'message' ? { model: JSON.stringify(model) } : undefined;
  },
};
