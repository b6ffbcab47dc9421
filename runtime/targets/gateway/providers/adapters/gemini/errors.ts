import type { ErrorText } from '../provider.ts';
import { memberOf } from '#core/values/member-of.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Gemini's errors are `{"error": {"code": 400, "message", "status", "details": [{"reason"}]}}`, sometimes inside a list. */
export function geminiErrorText(body: unknown): ErrorText {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  const { message, status, details } = membersOf(memberOf(first, 'error'));
  const reasons = Array.isArray(details) ? details.map((detail) => memberOf(detail, 'reason')) : [];
  return {
    message: typeof message === 'string' ? message : undefined,
    code: [status, ...reasons].filter((part) => typeof part === 'string').join(' '),
  };
}
