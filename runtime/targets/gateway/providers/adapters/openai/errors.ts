import type { ErrorText } from '../provider.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Reads `{"error": {"message", "type", "code"}}`, and variants of compatible servers: `error` as text, `detail`, `message`. */
export function openAiErrorText(body: unknown): ErrorText {
  const { error, message, detail, code, type } = membersOf(body);
  if (typeof error === 'object' && error !== null) {
    const { message: text, code: own, type: kind } = membersOf(error);
    return { message: textOr(text), code: [own, kind].filter((part) => typeof part === 'string').join(' ') };
  }
  const text = [error, message, detail].find((part) => typeof part === 'string');
  return { message: textOr(text), code: [code, type].filter((part) => typeof part === 'string').join(' ') };
}

const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
