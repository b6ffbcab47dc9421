import { membersOf } from '#core/json/members-of.ts';
import type { ErrorText } from '../provider.ts';

/** Errors are `{"message"}`; those of streams are `{"error": {"type", "message"}}`. A wrong clock gets a sentence of its own. */
export function bedrockErrorText(body: unknown): ErrorText {
  const members = membersOf(body);
  const { type, message = members['message'] ?? members['Message'] } = membersOf(members['error']);
  const text = typeof message === 'string' ? message : undefined;
  const isUnknown = text !== undefined && /model identifier is invalid/i.test(text);
  const isSkewed = text !== undefined && /signature (?:expired|not yet current)/i.test(text);
  return {
    message: isSkewed ? `The clock of this machine differs from Amazon's; correct it. ${text}` : text,
    code: isUnknown ? 'model_not_found' : typeof type === 'string' ? type : undefined,
  };
}
