import {
  type Static,
  type TNull,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnion,
  type TUnsafe,
  Type,
} from 'typebox';

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

/** An object with exactly these members. */
export const closed = <Properties extends TProperties>(
  name: string,
  properties: Properties,
  description?: string,
): TObject<Properties> =>
  Type.Object(properties, {
    $id: name,
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  });

/** An object with any members of any kind. */
export const anyObject = (description: string): TUnsafe<Record<string, unknown>> =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

/** A value that is always there, if only as null. */
export const orNull = <Schema extends TSchema>(
  schema: Schema,
  description?: string,
): TUnion<[Schema, TNull]> =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
