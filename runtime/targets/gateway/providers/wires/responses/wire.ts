import type { ClientWire } from '../client-wire.ts';
import { fromChat } from './answer.ts';
import { nativeEdits, toChat } from './request.ts';
import { responsesEncoder, responsesSyntax } from './stream.ts';
import { isObject } from '#core/json/is-object.ts';

/** `/v1/responses`. @see https://platform.openai.com/docs/api-reference/responses */
export const responsesWire: ClientWire = {
  toChat,
  nativeEdits,
  fromChat,
  encoder: responsesEncoder,
  syntax: responsesSyntax,
  renames(json, model) {
    const { response } = json;
    if (isObject(response)) return { response: JSON.stringify({ ...response, model }) };
    return json['object'] === 'response' ? { model: JSON.stringify(model) } : undefined;
  },
};
