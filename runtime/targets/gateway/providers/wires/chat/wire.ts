import type { ClientWire } from '../client-wire.ts';
import { fromChat } from './answer.ts';
import { nativeEdits, toChat } from './request.ts';
import { chatEncoder, chatSyntax } from './stream.ts';

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
