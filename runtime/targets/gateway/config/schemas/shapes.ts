import { Type } from 'typebox';
import { RULE_KEYWORD } from '#core/yaml/explain-value.ts';
import { DURATION_RULE } from '#core/time/duration.ts';

/** A mapping with these keys only. */
export const keys = <const Members extends Parameters<typeof Type.Object>[0]>(
  members: Members,
  description: string,
) => Type.Object(members, { additionalProperties: false, description });

export const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
export const count = (description: string, minimum = 1) =>
  Type.Optional(
    Type.Integer({
      minimum,
      description,
      [RULE_KEYWORD]: `a whole number of at least ${minimum}`,
    }),
  );

/** A duration. The resolver parses it. */
export const duration = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | number>({
      anyOf: [{ type: 'string' }, { type: 'number' }],
      description,
      [RULE_KEYWORD]: DURATION_RULE,
    }),
  );

export const RETENTION_RULE = 'a time such as 12h, 30d or 52w, or forever';
/** How long records are kept. The resolver parses it. */
export const retention = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, description, [RULE_KEYWORD]: RETENTION_RULE }));

export const DOLLARS_RULE = 'an amount in dollars of at least 0';
/** An amount in dollars. A text keeps all digits. */
export const dollars = (description: string) =>
  Type.Unsafe<string | number>({
    anyOf: [{ type: 'string' }, { type: 'number' }],
    description,
    [RULE_KEYWORD]: DOLLARS_RULE,
  });

/** One text or a list of texts, which must not be empty. */
export const texts = (description: string) =>
  Type.Unsafe<string | readonly string[]>({
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
    ],
    description,
    [RULE_KEYWORD]: 'a text or a list of texts',
  });

/** A mapping with any keys. */
export const mapOf = <Value>(values: object, description: string) =>
  Type.Optional(
    Type.Unsafe<Readonly<Record<string, Value>>>({
      type: 'object',
      additionalProperties: values,
      description,
    }),
  );

export const choice = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Optional(Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], description }));
