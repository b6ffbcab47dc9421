import { type TSchema, Type } from 'typebox';
import type { Content } from './operation.ts';

/** The answer of an operation, in JSON. */
export const answerOf = (
  description: string,
  schema: Content['schema'],
  example: unknown,
): Content & { readonly description: string } => ({ description, schema, examples: { answer: example } });

/** A parameter that is one. */
export const wholeNumber = (minimum: number, maximum: number, fallback: number): TSchema =>
  Type.Integer({ minimum, maximum, default: fallback });
