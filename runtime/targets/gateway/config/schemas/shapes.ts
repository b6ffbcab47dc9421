import {
  type TArray,
  type TBoolean,
  type TInteger,
  type TNumber,
  type TOptional,
  type TString,
  type TUnsafe,
  Type,
} from 'typebox';
import { RULE_KEYWORD } from '#core/yaml/explain-value.ts';
import { DURATION_RULE } from '#core/time/duration.ts';

/** A mapping with only these keys. */
export const keys = <const Members extends Parameters<typeof Type.Object>[0]>(
  members: Members,
  description: string,
) => Type.Object(members, { additionalProperties: false, description });

/** A default that depends on something, as a sentence. */
interface Computed {
  readonly computed: string;
}
/** Marks a setting's default as dependent on the machine or on other settings. */
export const computed = (sentence: string): Computed => ({ computed: sentence });

/**
 * A schema that declares its setting's default. Resolvers, help, documentation and the published JSON Schema
 * take it from here.
 */
export type Defaulted<Schema, Value> = Schema &
  (Value extends undefined | Computed ? unknown : { readonly default: Value });

/** The schema members that document a setting: its description and its default. */
export const about = (description: string, fallback: unknown): Record<string, unknown> =>
  isComputed(fallback)
    ? { description: `${description} Default: ${fallback.computed}.` }
    : { description, ...(fallback !== undefined && { default: fallback }) };

const isComputed = (value: unknown): value is Computed =>
  typeof value === 'object' && value !== null && 'computed' in value;

type Fallback<Value> = Value | Computed | undefined;

export const textSetting = <const Value extends Fallback<string> = undefined>(
  description: string,
  fallback?: Value,
) =>
  Type.Optional(Type.String({ minLength: 1, ...about(description, fallback) })) as Defaulted<
    TOptional<TString>,
    Value
  >;
export const flagSetting = <const Value extends Fallback<boolean> = undefined>(
  description: string,
  fallback?: Value,
) => Type.Optional(Type.Boolean(about(description, fallback))) as Defaulted<TOptional<TBoolean>, Value>;
export const countSetting = <const Value extends Fallback<number> = undefined>(
  description: string,
  fallback?: Value,
  minimum = 1,
) =>
  Type.Optional(
    Type.Integer({
      minimum,
      ...about(description, fallback),
      [RULE_KEYWORD]: `a whole number of at least ${minimum}`,
    }),
  ) as Defaulted<TOptional<TInteger>, Value>;

/** A whole number, or `auto`. */
export const countOrAuto = <const Value extends number>(
  description: string,
  fallback: Value,
  { minimum = 1, maximum }: { readonly minimum?: number; readonly maximum?: number } = {},
) =>
  Type.Optional(
    Type.Unsafe<number | 'auto'>({
      anyOf: [{ type: 'integer', minimum, ...(maximum !== undefined && { maximum }) }, { const: 'auto' }],
      ...about(description, fallback),
      [RULE_KEYWORD]:
        maximum === undefined
          ? `a whole number of at least ${minimum}, or auto`
          : `a whole number from ${minimum} to ${maximum}, or auto`,
    }),
  ) as Defaulted<TOptional<TUnsafe<number | 'auto'>>, Value>;

/** A number within limits. */
export const numberSetting = <const Value extends Fallback<number> = undefined>(
  description: string,
  limits: { readonly minimum?: number; readonly maximum?: number; readonly exclusiveMinimum?: number },
  fallback?: Value,
) =>
  Type.Optional(Type.Number({ ...limits, ...about(description, fallback) })) as Defaulted<
    TOptional<TNumber>,
    Value
  >;

/** A list of strings. */
export const listSetting = <const Value extends Fallback<readonly string[]> = undefined>(
  description: string,
  fallback?: Value,
) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), about(description, fallback))) as Defaulted<
    TOptional<TArray<TString>>,
    Value
  >;

/** A duration. The resolver parses it. */
export const durationSetting = <const Value extends Fallback<string> = undefined>(
  description: string,
  fallback?: Value,
) =>
  Type.Optional(
    Type.Unsafe<string | number>({
      anyOf: [{ type: 'string' }, { type: 'number' }],
      ...about(description, fallback),
      [RULE_KEYWORD]: DURATION_RULE,
    }),
  ) as Defaulted<TOptional<TUnsafe<string | number>>, Value>;

export const RETENTION_RULE = 'a time such as 12h, 30d or 52w, or forever';
/** A retention. The resolver parses it. */
export const retention = <const Value extends string>(description: string, fallback: Value) =>
  Type.Optional(
    Type.String({ minLength: 1, ...about(description, fallback), [RULE_KEYWORD]: RETENTION_RULE }),
  ) as Defaulted<TOptional<TString>, Value>;

export const DOLLARS_RULE = 'an amount in dollars of at least 0';
/** An amount in dollars. A string keeps all digits. */
export const dollarsSetting = (description: string, fallback?: Computed) =>
  Type.Unsafe<string | number>({
    anyOf: [{ type: 'string' }, { type: 'number' }],
    ...about(description, fallback),
    [RULE_KEYWORD]: DOLLARS_RULE,
  });

/** A string or a non-empty list of strings. */
export const textsSetting = (description: string, fallback?: Computed) =>
  Type.Unsafe<string | readonly string[]>({
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
    ],
    ...about(description, fallback),
    [RULE_KEYWORD]: 'a string or a list of strings',
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

export const choice = <
  const Words extends readonly string[],
  const Value extends Fallback<Words[number]> = undefined,
>(
  words: Words,
  description: string,
  fallback?: Value,
) =>
  Type.Optional(
    Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...about(description, fallback) }),
  ) as Defaulted<TOptional<TUnsafe<Words[number]>>, Value>;
