import { Type } from 'typebox';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { AppError } from '#contract/errors.ts';
import { modelName, openObject } from '../../requests/completions/endpoints/endpoint.ts';

/** The prompt whose tokens are counted. */
export const COUNT_SCHEMA = openObject({
  model: modelName,
  contents: Type.Array(openObject({}), { minItems: 1 }),
});

/** The prompt of a request of Gemini's API for a count, which has it in `contents` or in a whole request for an answer. */
export function promptOf(bytes: Uint8Array, model: string): Uint8Array {
  let body: Record<string, unknown>;
  try {
    body = { ...membersOf(parseJsonText(Buffer.from(bytes).toString('utf8'))) };
  } catch (cause) {
    throw new AppError('MalformedError', 'The body is not valid JSON.', { cause });
  }
  const whole = membersOf(body['generateContentRequest'] ?? body['generate_content_request']);
  const prompt = Object.keys(whole).length > 0 ? whole : body;
  return Buffer.from(JSON.stringify({ ...prompt, model }));
}
