import { type TSchema, Type } from 'typebox';
import type { Content, Operation } from './operation.ts';

/** The JSON response of an operation. */
export const answerOf = <Schema extends TSchema>(
  description: string,
  schema: Schema,
  example: unknown,
): Omit<Content, 'schema'> & { readonly description: string; readonly schema: Schema } => ({
  description,
  schema,
  examples: { answer: example },
});

/** The response of an operation that does not return a body. */
export const noContent = (description: string): Operation['answer'] & { readonly empty: true } => ({
  description,
  empty: true,
});

/** Schema of an integer parameter. */
export const wholeNumber = (minimum: number, maximum: number, fallback: number): TSchema =>
  Type.Integer({ minimum, maximum, default: fallback });
