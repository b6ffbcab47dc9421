import { inputError } from '#contract/errors.ts';
import { schemaSizeProblem } from '#core/json/schema-size.ts';
import { type AnswerSchema, compileAnswerSchema } from '../../../requests/guardrails/judges/answer-schema.ts';
import { objectIn } from './read-members.ts';

/** Compiled schemas by text. Compiling takes about 30 ms, and rows often have the same schema. */
const compiled = new Map<string, AnswerSchema>();
const MAX_COMPILED = 64;

/**
 * Reads a JSON Schema in a row, and returns whether the JSON at the end of a text is valid against it. The schema is
 * compiled on the first use, in the worker: the gateway only checks its size. Throws an InputError.
 */
export function readRowSchema(value: unknown, name: string): (text: string) => boolean {
  const schema = objectIn(value, name);
  const problem = schemaSizeProblem(schema);
  if (problem !== undefined) throw inputError(`The JSON Schema in \`${name}\` ${problem}.`);
  const key = JSON.stringify(schema);
  return (text) => {
    const validate = compiled.get(key) ?? compileAnswerSchema(schema);
    compiled.delete(key);
    compiled.set(key, validate);
    for (const oldest of compiled.keys()) if (compiled.size > MAX_COMPILED) compiled.delete(oldest);
    return text.trim() !== '' && validate(text).valid;
  };
}
