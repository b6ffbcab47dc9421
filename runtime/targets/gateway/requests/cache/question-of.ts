import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { SemanticSettings } from './cache-settings.ts';

/** The part of a request that can be similar instead of equal. */
export interface Question {
  readonly text: string;
  /** The rest of the conversation and the numbers of the text, which must be equal. */
  readonly exact: string;
  /** The member of the body that the conversation is in. */
  readonly member: string;
}

/** The members with the conversation. */
const MEMBERS: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'messages',
  '/v1/messages': 'messages',
  '/v1/responses': 'input',
  '/v1/completions': 'prompt',
  '/v1beta/models/{model}:generateContent': 'contents',
  '/v1beta/models/{model}:streamGenerateContent': 'contents',
};

/** Returns the question of a request; undefined if it must not be compared with others. */
export function questionOf(
  endpoint: string,
  body: Json,
  { question, maxCharacters }: Pick<SemanticSettings, 'question' | 'maxCharacters'>,
): Question | undefined {
  const member = MEMBERS[endpoint];
  if (member === undefined) return undefined;
  const messages = messagesIn(body[member]);
  const last = messages.at(-1);
  if (!last || !isUser(last)) return undefined;
  const compared =
    question === 'last_message' ? [last] : messages.filter((message) => !isInstruction(message));
  const texts = compared.map(textIn);
  if (!texts.every((text) => text !== undefined)) return undefined;
  const text = texts.join('\n').trim();
  if (text === '' || text.length > maxCharacters) return undefined;
  const rest = messages.filter((message) => !compared.includes(message));
  const others = compared.map((message) => ({ ...message, content: null, parts: null }));
  return { text, exact: JSON.stringify([rest, others, numbersIn(text)]), member };
}

/** The messages of any API, as objects. */
function messagesIn(conversation: unknown): readonly Json[] {
  if (typeof conversation === 'string') return [{ role: 'user', content: conversation }];
  return Array.isArray(conversation) && conversation.every(isObject) ? conversation : [];
}

/** Gemini’s API allows a message without a role. */
const isUser = (message: Json): boolean => {
  const { role } = message;
  return role === 'user' || (role === undefined && 'parts' in message);
};

const isInstruction = (message: Json): boolean => ['system', 'developer'].includes(String(message['role']));

/** The text of a message; undefined if it has anything else, for example an image. */
function textIn(message: Json): string | undefined {
  const content = message['content'] ?? message['parts'];
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part: unknown) => (isTextPart(part) ? memberOf(part, 'text') : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined;
}

const TEXT_TYPES = new Set<unknown>([undefined, 'text', 'input_text', 'output_text']);

const isTextPart = (part: unknown): boolean => TEXT_TYPES.has(memberOf(part, 'type'));

/** Encoders hardly distinguish numbers: questions about 2023 and 2024 have nearly the same vector. */
const numbersIn = (text: string): readonly string[] => text.match(/\p{N}+(?:[.,:]\p{N}+)*/gu) ?? [];
