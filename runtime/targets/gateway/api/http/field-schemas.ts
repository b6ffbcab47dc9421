import { type TOptional, type TSchema, type TUnsafe, Type } from 'typebox';
import { membersOf } from '#core/json/members-of.ts';
import { CALENDAR_UNITS } from '#core/time/calendar.ts';
import { recordOf } from '#core/values/keys.ts';
import { anyObject, closed, oneOf, orNull } from '#serve/http/schemas.ts';
import {
  type AnswerMemberOf,
  type AnswerOf,
  type BodyOf,
  type ChangesOf,
  type Field,
  type FieldTable,
  MAX_LABELS,
  MAX_PATTERNS,
  type MemberOf,
  nameOf,
  type NewOf,
  settableFields,
  type SimpleField,
} from '../../accounts/fields/field.ts';
import { type LimitBody, MAX_LIMIT_PATTERNS, MAX_LIMITS } from '../../accounts/fields/budget-limits.ts';
import { MAX_QUEUE_SECONDS } from '../../accounts/fields/shared-fields.ts';
import { inThisOrder } from '../../shared/in-this-order.ts';
import { dollars, momentOrNull, nonEmptyText, text, time, timeOrNull } from './fields.ts';
import { millisecondsOrNull, nanosIn, nanosOrNull } from './values.ts';

// Schemas for requests and responses, and body values, derived from field tables.

type When = 'create' | 'update';

/** How values of a field kind appear in requests and responses. */
interface Wire {
  readonly request: (description: string, field: SimpleField, when: When) => TSchema;
  /**
   * The schema in responses. Without a description of its own, it has the description for requests; with an
   * empty one, it has none.
   */
  readonly answer: (description: string, field: SimpleField) => TSchema;
  /**
   * Converts a value in a body; returns undefined if the value counts as not set. Default: the value is
   * unchanged.
   */
  readonly read?: (value: never, name: string) => unknown;
}

/** A schema that is the same in requests and responses. */
const same = (schema: Wire['answer']): Wire => ({ request: schema, answer: schema });
const described = (description: string): { readonly description?: string } =>
  description === '' ? {} : { description };
/** A string in responses, which only has a description if one is set for responses. */
const answerText = (_description: string, { shown = '' }: SimpleField): TSchema =>
  Type.String(described(shown));
const answerTextOrNull: Wire['answer'] = (description, field) => orNull(answerText(description, field));
/** For fields that are never set. */
const notSet = (_description: string, { kind }: SimpleField): TSchema => {
  throw new Error(`a field of the kind ${kind} cannot be set`);
};
/** For fields that null does not clear: null counts as not set. */
const unlessNull = (value: unknown): unknown => value ?? undefined;
const positive = (description: string): TSchema => orNull(Type.Integer({ minimum: 1 }), description);

const WIRES: Readonly<Record<SimpleField['kind'], Wire>> = {
  id: { request: (description) => nonEmptyText(description), answer: answerText },
  owner: {
    request: (description) => orNull(nonEmptyText(description)),
    answer: answerTextOrNull,
    read: unlessNull,
  },
  text: {
    request: (description, { maxLength }) => orNull(text(description, maxLength)),
    answer: answerTextOrNull,
  },
  reference: {
    request: (description, { to }) => orNull(to === 'team' ? nonEmptyText(description) : text(description)),
    answer: answerTextOrNull,
  },
  zone: same((description, { maxLength }) => orNull(text(description, maxLength))),
  word: {
    ...same((description, { words = [] }) => oneOf(words, described(description))),
    read: unlessNull,
  },
  wordOrNull: same((description, { words = [] }) => orNull(oneOf(words), description)),
  flag: {
    request(description, { nullMeans }, when) {
      const flag = Type.Boolean({ description });
      return nullMeans !== undefined && when === 'create' ? orNull(flag, nullMeans) : flag;
    },
    answer: (description) => Type.Boolean(described(description)),
    read: unlessNull,
  },
  choice: same((description) => orNull(Type.Boolean(), description)),
  rate: same(positive),
  seconds: same(positive),
  wait: same((description) => orNull(Type.Integer({ minimum: 0, maximum: MAX_QUEUE_SECONDS }), description)),
  amount: {
    ...same((description) => orNull(dollars(), description)),
    read: (amount: number | null, name) => nanosOrNull(name, amount),
  },
  spending: { request: notSet, answer: dollars },
  time: { request: notSet, answer: time },
  timeOrNull: {
    request: momentOrNull,
    answer: timeOrNull,
    read: (moment: string | number | null, name) => millisecondsOrNull(name, moment),
  },
  models: same((description) =>
    orNull(
      Type.Array(nonEmptyText('Pattern of models, e.g. `openai:gpt-*`, with `*` as a wildcard.'), {
        maxItems: MAX_PATTERNS,
      }),
      description,
    ),
  ),
  labels: same((description) =>
    orNull(
      Type.Array(nonEmptyText('Label of an MCP server in the configuration.'), { maxItems: MAX_LABELS }),
      description,
    ),
  ),
  metadata: {
    request: (description) => orNull(anyObject(description), 'Null is treated as an empty object.'),
    answer: anyObject,
    read: (metadata: object | null) => metadata ?? {},
  },
  limits: {
    request: (description) =>
      orNull(
        Type.Array(
          closed('NewBudgetLimit', {
            max_budget: dollars('Maximum spending per window, in US dollars.'),
            budget_duration_sec: Type.Optional(positive('Length of a window in seconds.')),
            calendar: Type.Optional(
              orNull(
                oneOf(CALENDAR_UNITS),
                'Resets the limit at the start of each day, week (Monday) or month.',
              ),
            ),
            time_zone: Type.Optional(orNull(text('Time zone for `calendar`. Null: UTC.', 64))),
            models: Type.Optional(
              orNull(
                Type.Array(nonEmptyText('Pattern of models, e.g. `openai:gpt-*`, with `*` as a wildcard.'), {
                  minItems: 1,
                  maxItems: MAX_LIMIT_PATTERNS,
                }),
                'Models whose cost counts, as `provider:model`. Null: all models.',
              ),
            ),
          }),
          { maxItems: MAX_LIMITS },
        ),
        description,
      ),
    answer: (description) =>
      orNull(
        Type.Array(
          closed('BudgetLimit', {
            max_budget: dollars('Maximum spending per window, in US dollars.'),
            budget_duration_sec: positive('Length of a window in seconds.'),
            calendar: orNull(oneOf(CALENDAR_UNITS)),
            time_zone: orNull(Type.String()),
            models: orNull(Type.Array(Type.String())),
          }),
        ),
        description,
      ),
    read: (limits: readonly LimitBody[] | null, name) =>
      limits === null
        ? null
        : limits.map((limit) => ({
            maxBudget: nanosIn(name, limit.max_budget),
            budgetDurationSec: limit.budget_duration_sec ?? null,
            calendar: limit.calendar ?? null,
            timeZone: limit.time_zone ?? null,
            models: limit.models ?? null,
          })),
  },
  percentages: same((description) =>
    orNull(Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), { maxItems: 10 }), description),
  ),
};

function requestSchema(field: Field, when: When): TSchema {
  const { description = '' } = field;
  return field.kind === 'parts'
    ? orNull(closed(field.schemas.request, requestMembers(field.parts, when)), description)
    : WIRES[field.kind].request(description, field, when);
}

function answerSchema(field: Field): TSchema {
  const { description = '', shown = description } = field;
  return field.kind === 'parts'
    ? Type.Union([closed(field.schemas.answer, answerMembers(field.parts)), Type.Null()], described(shown))
    : WIRES[field.kind].answer(shown, field);
}

type RequestMembers<Table, Now extends When> = {
  [Name in keyof BodyOf<Table, Now>]: Name extends keyof Table
    ? Table[Name] extends { readonly kind: 'id' }
      ? TUnsafe<string>
      : TOptional<TUnsafe<MemberOf<Table[Name]>>>
    : never;
};

/**
 * The members of a request that creates or changes an object. The members in `first` precede the others,
 * and an ID is required.
 */
export const requestMembers = <Table extends FieldTable, Now extends When>(
  table: Table,
  when: Now,
  first: readonly string[] = [],
): RequestMembers<Table, Now> =>
  inThisOrder(
    recordOf(
      settableFields(table, when).map(([name, field]): [string, TSchema] => {
        const schema = requestSchema(field, when);
        return [name, field.kind === 'id' ? schema : Type.Optional(schema)];
      }),
    ),
    first,
  ) as RequestMembers<Table, Now>;

type AnswerMembers<Table> = { [Name in keyof Table]: TUnsafe<AnswerMemberOf<Table[Name]>> };

/** An object's members in responses. */
export const answerMembers = <Table extends FieldTable>(table: Table): AnswerMembers<Table> =>
  recordOf(
    Object.entries(table).map(([name, field]): [string, TSchema] => [name, answerSchema(field)]),
  ) as AnswerMembers<Table>;

/** The object described by a create request. */
export const newOf = <Table extends FieldTable>(table: Table, body: object): NewOf<Table> =>
  readBody(table, body) as NewOf<Table>;

/** The changes in a request; null clears a field. */
export const changesOf = <Table extends FieldTable>(table: Table, body: object): ChangesOf<Table> =>
  readBody(table, body) as ChangesOf<Table>;

const readBody = (table: FieldTable, body: object): Readonly<Record<string, unknown>> =>
  recordOf(
    Object.entries(body).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
      const field = table[name];
      const read = field && readMember(field, name, value);
      return field === undefined || read === undefined ? [] : [[nameOf(name, field), read]];
    }),
  );

function readMember(field: Field, name: string, value: unknown): unknown {
  if (field.kind !== 'parts') {
    const { read } = WIRES[field.kind];
    return read ? read(value as never, name) : value;
  }
  if (value === null) return null;
  const members = membersOf(value);
  return recordOf(
    Object.entries(field.parts).map(([part, partField]): [string, unknown] => [
      nameOf(part, partField),
      readMember(partField, `${name}.${part}`, members[part] ?? null),
    ]),
  );
}

/** An example object for the documentation. Members that `own` omits have the values of an object with few settings. */
export const exampleOf = <Table extends FieldTable>(
  table: Table,
  own: Partial<AnswerOf<Table>>,
): AnswerOf<Table> =>
  recordOf(
    Object.entries(table).map(([name, { kind }]): [string, unknown] => [
      name,
      (own as Readonly<Record<string, unknown>>)[name] ?? PLAIN[kind] ?? null,
    ]),
  ) as AnswerOf<Table>;

const PLAIN: Partial<Record<Field['kind'], unknown>> = {
  flag: false,
  spending: 0,
  time: '2026-01-01T00:00:00Z',
  metadata: {},
};
