import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseJsonText } from '#core/json/json-text.ts';
import { InterruptedError } from '#core/limits/interrupter.ts';
import { createInterrupter } from '#platform/interrupt.ts';
import { LINEAR_PATTERNS } from '#platform/json-schema/linear-patterns.ts';
import type { Judgement } from './judgement.ts';

/** Validates a text; explains the problem if it is invalid. */
export type AnswerSchema = (text: string) => Judgement;

/** Compiles a JSON Schema. If it is invalid, throws an error with a message for the operator. */
export function compileAnswerSchema(schema: object): AnswerSchema {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateFormats: false,
    code: { regExp: LINEAR_PATTERNS },
  });
  const validate = ajv.compile(schema);
  const canBlock = /"(?:uniqueItems|\$(?:dynamic|recursive)?[rR]ef|contains)"/.test(JSON.stringify(schema));
  const interrupter = createInterrupter();
  const isValid = (value: unknown): boolean => {
    try {
      // Only schemas with these keywords are validated in a thread with a time limit.
      return canBlock ? interrupter.run(MAX_CHECK_MS, () => validate(value)) : validate(value);
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error;
      throw new Error('validating the response against the schema took too long', { cause: error });
    }
  };
  return (text) => {
    // A response without text can consist of tool calls, which have their own schemas.
    if (text.trim() === '') return VALID;
    const parsed = jsonAtEnd(text);
    if (!parsed) return wrong('the response is not JSON');
    if (isValid(parsed.value)) return VALID;
    const [first] = validate.errors ?? [];
    return wrong(`${first?.instancePath || 'the response'} ${first?.message ?? 'is invalid'}`);
  };
}

const VALID: Judgement = { valid: true, score: 0, explanation: 'matches the schema' };
const wrong = (explanation: string): Judgement => ({ valid: false, score: 1, explanation });

/** Time limit for validating one response. `uniqueItems`, or references in `anyOf`, can take more than linear time. */
const MAX_CHECK_MS = 1000;

const MAX_TRIES = 64;

/** Parses the JSON at the end of a text, because reasoning can precede the response. */
function jsonAtEnd(text: string): { readonly value: unknown } | undefined {
  let at = 0;
  for (let tries = 0; tries < MAX_TRIES && at !== -1; tries += 1) {
    try {
      return { value: parseJsonText(text.slice(at)) };
    } catch {
      const next = text.slice(at + 1).search(/[{[]/);
      at = next === -1 ? -1 : at + 1 + next;
    }
  }
  return undefined;
}
