import { type TSchema, Type } from 'typebox';
import type { Content } from './operation.ts';

/** The JSON response of an operation. */
export const answerOf = (
  description: string,
  schema: Content['schema'],
  example: unknown,
): Content & { readonly description: string } => ({ description, schema, examples: { answer: example } });

/** Schema of an integer parameter. */
export const wholeNumber = (minimum: number, maximum: number, fallback: number): TSchema =>
  Type.Integer({ minimum, maximum, default: fallback });
