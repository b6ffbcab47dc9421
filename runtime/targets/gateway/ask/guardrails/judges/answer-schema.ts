import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseJsonText } from '../../../../../core/json/json-text.ts';
import { compileLinearPattern, isFoundIn } from '../../../../../platform/linear-pattern.ts';
import type { Judgement } from './judgement.ts';

/** Checks a text and explains its problem. */
export type AnswerSchema = (text: string) => Judgement;

/** Compiles a JSON Schema. Throws an error with a message for the operator if it is invalid. */
export function compileAnswerSchema(schema: object): AnswerSchema {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, code: { regExp: LINEAR } });
  const validate = ajv.compile(schema);
  return (text) => {
    // An answer can have only calls of tools, which have schemas of their own.
    if (text.trim() === '') return VALID;
    const parsed = jsonAtEnd(text);
    if (!parsed) return wrong('the answer is not JSON');
    if (validate(parsed.value)) return VALID;
    const [first] = validate.errors ?? [];
    return wrong(`${first?.instancePath || 'the answer'} ${first?.message ?? 'is invalid'}`);
  };
}

const VALID: Judgement = { valid: true, score: 0, explanation: 'matches the schema' };
const wrong = (explanation: string): Judgement => ({ valid: false, score: 1, explanation });

/** `pattern` in a schema is searched in text that a model wrote, so that it must not be able to block. */
const LINEAR = Object.assign(
  (source: string) => {
    const pattern = compileLinearPattern(source);
    // Ajv shares expressions with the same text.
    return { toString: () => source, test: (text: string): boolean => isFoundIn(pattern, text) };
  },
  { code: 'new RegExp' },
);

const MAX_TRIES = 64;

/** Reads the JSON that a text ends with: reasoning comes before the answer. */
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
