import type { Json } from '../../shapes/chat.ts';
import type { ErrorText } from '../provider.ts';

/** Gemini's errors are `{"error": {"code": 400, "message", "status", "details": [{"reason"}]}}`, sometimes inside a list. */
export function geminiErrorText(body: unknown): ErrorText {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  const { error } = (typeof first === 'object' && first !== null ? first : {}) as { readonly error?: Json };
  const { message, status, details } = error ?? {};
  const reasons = Array.isArray(details) ? (details as Json[]).map(({ reason }) => reason) : [];
  return {
    message: typeof message === 'string' ? message : undefined,
    code: [status, ...reasons].filter((part) => typeof part === 'string').join(' '),
  };
}
