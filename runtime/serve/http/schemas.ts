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

/** A field that can be omitted or null, because some clients send null for fields that are not set. */
export function optional<Schema extends TSchema>(schema: Schema): TOptional<TUnsafe<Static<Schema> | null>> {
  const values = 'enum' in schema && Array.isArray(schema.enum) ? schema.enum : undefined;
  return Type.Optional(
    Type.Unsafe<Static<Schema> | null>({
      ...schema,
      nullable: true,
      ...(values ? { enum: [...values, null] } : {}),
    }),
  );
}

/** One of a fixed set of strings. */
export const oneOf = <const Words extends readonly string[]>(
  words: Words,
  options: { description?: string; default?: Words[number] } = {},
): TUnsafe<Words[number]> => Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });

/** An object with arbitrary keys and string values. */
export const textMap = (
  options: { description?: string; title?: string } = {},
): TUnsafe<Record<string, string>> =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    ...options,
  });

/** An object with exactly these fields. */
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

/** An object with arbitrary fields. */
export const anyObject = (description: string): TUnsafe<Record<string, unknown>> =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

/** A required value that can be null. */
export const orNull = <Schema extends TSchema>(
  schema: Schema,
  description?: string,
): TUnion<[Schema, TNull]> =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
