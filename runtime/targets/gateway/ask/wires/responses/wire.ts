import type { Json } from '../../shapes/chat.ts';
import type { ClientWire } from '../client-wire.ts';
import { fromChat } from './answer.ts';
import { toChat } from './request.ts';
import { responsesEncoder, responsesSyntax } from './stream.ts';

/** `/v1/responses`. @see https://platform.openai.com/docs/api-reference/responses */
export const responsesWire: ClientWire = {
  toChat,
  fromChat,
  encoder: responsesEncoder,
  syntax: responsesSyntax,
  renames(json, model) {
    const { response } = json as { readonly response?: Json };
    if (response) return { response: JSON.stringify({ ...response, model }) };
    return json['object'] === 'response' ? { model: JSON.stringify(model) } : undefined;
  },
};
