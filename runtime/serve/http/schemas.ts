import { type Static, type TOptional, type TSchema, type TUnsafe, Type } from 'typebox';

/** A member that may be left out or be null, which some clients send for what they do not set. */
export function optional<Schema extends TSchema>(schema: Schema): TOptional<TUnsafe<Static<Schema> | null>> {
  const { enum: values } = schema as { enum?: unknown[] };
  return Type.Optional(
    Type.Unsafe<Static<Schema> | null>({
      ...schema,
      nullable: true,
      ...(values ? { enum: [...values, null] } : {}),
    }),
  );
}

/** One of a few words. */
export const oneOf = <const Words extends readonly string[]>(
  words: Words,
  options: { description?: string; default?: Words[number] } = {},
): TUnsafe<Words[number]> => Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });

/** An object with any keys and only texts as values. */
export const textMap = (
  options: { description?: string; title?: string } = {},
): TUnsafe<Record<string, string>> =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    ...options,
  });
