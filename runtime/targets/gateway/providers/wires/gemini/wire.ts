import type { ClientWire } from '../client-wire.ts';
import { fromChat } from './answer.ts';
import { toChat } from './request.ts';
import { geminiEncoder, geminiSyntax } from './stream.ts';

/** `/v1beta/models/{model}:generateContent`. @see https://ai.google.dev/api/generate-content */
export const geminiWire: ClientWire = {
  toChat,
  fromChat,
  encoder: geminiEncoder,
  syntax: geminiSyntax,
  renames: (json, model) =>
    typeof json['modelVersion'] === 'string' ? { modelVersion: JSON.stringify(model) } : undefined,
};
