import type { Wire } from '../shapes/chat.ts';
import { chatWire } from './chat/wire.ts';
import type { ClientWire } from './request-members.ts';
import { completionsWire } from './completions/wire.ts';
import { geminiWire } from './gemini/wire.ts';
import { messagesWire } from './messages/wire.ts';
import { responsesWire } from './responses/wire.ts';

export const CLIENT_WIRES: Readonly<Record<Wire, ClientWire>> = {
  chat: chatWire,
  messages: messagesWire,
  responses: responsesWire,
  completions: completionsWire,
  gemini: geminiWire,
};
