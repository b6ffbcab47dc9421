import { lookup } from '#core/values/lookup.ts';
import { membersOf } from '#core/json/members-of.ts';
import { recordOf } from '#core/values/keys.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import {
  type ChangesOf,
  type Field,
  type FieldTable,
  isEnough,
  nameOf,
  type NewOf,
  settableFields,
  type SimpleField,
} from '../../accounts/fields/field.ts';
import type { Administration } from '../../gateway-state.ts';
import { inThisOrder } from '../../shared/in-this-order.ts';
import { findBudget, findOrganization } from '../store/find-account.ts';
import { clearableValue, metadataOf, readToggle } from './changes.ts';
import {
  amountRule,
  countRule,
  waitRule,
  LIMITS_RULE,
  parseAmount,
  parseLimits,
  parsePercentages,
  parsePeriod,
  periodRule,
} from './limit-options.ts';
import { expiryOf } from './time-options.ts';

// Flags for commands that create and change an object, generated from field tables.

type When = 'create' | 'update';

/** The flags; those in `first` come first in help, those in `last` last. */
export const fieldOptions = (
  table: FieldTable,
  when: When,
  { first = [], last = [] }: { readonly first?: readonly string[]; readonly last?: readonly string[] } = {},
): Readonly<Record<string, Option>> =>
  inThisOrder(
    recordOf(settableFields(table, when).flatMap(([name, field]) => optionsOf(name, field, when))),
    first,
    last,
  );

function optionsOf(name: string, field: Field, when: When): readonly [string, Option][] {
  if (field.kind === 'parts')
    return Object.entries(field.parts).flatMap(([part, partField]) => optionsOf(part, partField, when));
  const { flag } = field;
  if (flag === undefined) return [];
  const { on, off, value, help, defaultText = when === 'create' ? flag.createdWith : undefined } = flag;
  const switches = [on, off]
    .filter((one) => one !== undefined && (one.only ?? when) === when)
    .flatMap((one): [string, Option][] => (one ? [[one.name, { help: one.help }]] : []));
  if (field.kind === 'flag') return when === 'update' ? switches : [[flagOf(name, field), { help }]];
  const option: Option = {
    ...(value === undefined ? {} : { value }),
    help,
    ...(defaultText === undefined ? {} : { defaultText }),
    ...(field.kind === 'word' ? { choices: field.words ?? [] } : {}),
    ...(field.kind === 'choice' ? { choices: Object.keys(CHOICES) } : {}),
    ...(field.kind === 'models' || field.kind === 'metadata' ? { repeatable: true } : {}),
  };
  return [[flagOf(name, field), option], ...switches];
}

const flagOf = (name: string, { flag }: Field): string => flag?.name ?? name.replaceAll('_', '-');

/** Flag values. Referenced objects are looked up once the database is open. */
export interface GivenFields<Values> {
  /** Whether no flag is set. */
  readonly isEmpty: boolean;
  /** Returns the values. `before` is the object to change. */
  readonly values: (state: Administration, before?: object) => Promise<Values>;
}

/** A value that depends on the database, or on the object to change. */
type Later = (state: Administration, before: object) => unknown;
const isLater = (value: unknown): value is Later => typeof value === 'function';

/** Parses the flags for a new object. Throws a UsageError if one is invalid. */
export const newFields = <Table extends FieldTable>(
  table: Table,
  invocation: Invocation,
): GivenFields<NewOf<Table>> => readFields(table, invocation, 'create');

/** Parses the flags for a change. Throws a UsageError if one is invalid or none is set. */
export function changedFields<Table extends FieldTable>(
  table: Table,
  invocation: Invocation,
): GivenFields<ChangesOf<Table>> {
  const given = readFields(table, invocation, 'update');
  if (given.isEmpty) throw new UsageError('Nothing to change. Set at least one option.');
  return given;
}

function readFields(table: FieldTable, invocation: Invocation, when: When): GivenFields<object> {
  const given = settableFields(table, when)
    .filter(([, { kind, flag }]) => kind === 'parts' || flag !== undefined)
    .map(([name, field]): [string, unknown] => [
      nameOf(name, field),
      field.kind === 'parts'
        ? readParts(name, field, { invocation, when })
        : READERS[field.kind]?.(invocation, flagOf(name, field), field, when),
    ]);
  return {
    isEmpty: given.every(([, value]) => value === undefined),
    values: async (state, before = {}) =>
      recordOf(
        await Promise.all(
          given.map(async ([name, value]): Promise<[string, unknown]> => [
            name,
            isLater(value) ? await value(state, before) : value,
          ]),
        ),
      ),
  };
}

type Reader = (invocation: Invocation, flag: string, field: SimpleField, when: When) => unknown;

const readText: Reader = (invocation, flag) => invocation.value(flag);

const READERS: Partial<Record<SimpleField['kind'], Reader>> = {
  owner: readText,
  text: readText,
  zone: readText,
  reference: readReference,
  word: (invocation, flag, { words = [] }) => words.find((word) => word === invocation.value(flag)),
  wordOrNull: (invocation, flag, { words = [] }) =>
    clearableValue(invocation, flag, {
      rule: words.join(', '),
      parse: (text) => words.find((word) => word === text),
    }),
  flag: (invocation, flag, field, when) =>
    when === 'create'
      ? invocation.flag(flag)
      : readToggle(invocation, field.flag?.on?.name ?? '', field.flag?.off?.name ?? ''),
  choice: (invocation, flag) => CHOICES[invocation.value(flag) ?? ''],
  rate: (invocation, flag) => clearableValue(invocation, flag, countRule),
  wait: (invocation, flag) => clearableValue(invocation, flag, waitRule),
  amount: (invocation, flag) => clearableValue(invocation, flag, { rule: amountRule, parse: parseAmount }),
  seconds: (invocation, flag) => clearableValue(invocation, flag, { rule: periodRule, parse: parsePeriod }),
  limits: (invocation, flag) => clearableValue(invocation, flag, { rule: LIMITS_RULE, parse: parseLimits }),
  percentages: (invocation, flag) =>
    clearableValue(invocation, flag, {
      rule: 'percentages from 1 to 100 separated by commas, or none',
      parse: parsePercentages,
      none: 'default',
    }),
  timeOrNull: (invocation, flag) => expiryOf(invocation, flag, Date.now()),
  metadata: (invocation) => metadataOf(invocation),
  models: readModels,
  labels: (invocation, flag) =>
    clearableValue(invocation, flag, { rule: 'labels separated by commas', parse: parseLabels }),
};

const parseLabels = (text: string): readonly string[] | undefined => {
  const labels = text.split(',').map((label) => label.trim());
  return labels.includes('') ? undefined : labels;
};

const CHOICES = lookup<boolean | null>({ on: true, off: false, default: null });

/**
 * Resolves a flag's reference, an ID or another name, to the object's ID; null for `none`. Teams are
 * identified by ID only.
 */
function readReference(invocation: Invocation, flag: string, { to }: SimpleField): unknown {
  const text = invocation.value(flag);
  if (text === undefined || to === 'team') return text;
  return async ({ budgets, identity }: Administration): Promise<string | null> => {
    if (text === 'none') return null;
    return to === 'budget'
      ? (await findBudget(budgets, text)).budgetId
      : (await findOrganization(identity, text)).id;
  };
}

/** Model patterns; null for all. */
function readModels(
  invocation: Invocation,
  flag: string,
  { flag: { off } = { help: '' } }: SimpleField,
  when: When,
): readonly string[] | null | undefined {
  const patterns = invocation.values(flag).map((text) => text.trim());
  if (patterns.includes('')) {
    throw new UsageError(`--${flag}: an empty pattern matches no model. Use * to match all models.`);
  }
  const isAny = off !== undefined && (off.only ?? when) === when && invocation.flag(off.name);
  if (!isAny) return patterns.length === 0 ? undefined : patterns;
  if (patterns.length > 0) throw new UsageError(`--${flag} conflicts with --${off.name}; use one of them.`);
  return null;
}

/** Parses the flags for an object's parts. Parts without a flag stay unchanged. */
function readParts(
  name: string,
  field: Extract<Field, { readonly kind: 'parts' }>,
  { invocation, when }: { readonly invocation: Invocation; readonly when: When },
): Later | object | null | undefined {
  const changes = recordOf(
    Object.entries(field.parts)
      .map(([part, partField]): [string, unknown] => [
        nameOf(part, partField),
        READERS[partField.kind]?.(invocation, flagOf(part, partField), partField, when),
      ])
      .filter(([, value]) => value !== undefined),
  );
  if (Object.keys(changes).length === 0) return undefined;
  if (when === 'create') return mergeParts(field, changes, {});
  return (_state, before) => mergeParts(field, changes, membersOf(membersOf(before)[nameOf(name, field)]));
}

function mergeParts(
  { parts, incomplete }: Pick<Extract<Field, { readonly kind: 'parts' }>, 'parts' | 'incomplete'>,
  changes: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
): object | null {
  const all = Object.entries(parts).map(([name, field]) => ({ ...field, member: nameOf(name, field) }));
  const values = { ...recordOf(all.map(({ member }) => [member, null])), ...before, ...changes };
  if (all.some((part) => isEnough(part) && values[part.member] !== null)) return values;
  if (all.some((part) => !isEnough(part) && Boolean(changes[part.member]))) throw new UsageError(incomplete);
  return null;
}
