import { membersOf } from '#core/json/members-of.ts';
import { recordOf } from '#core/values/keys.ts';
import type { BudgetLimit } from '../../accounts/fields/budget-limits.ts';
import { type Field, type FieldTable, nameOf, type ValuesOf } from '../../accounts/fields/field.ts';
import { inThisOrder } from '../../shared/in-this-order.ts';
import {
  formatDollars,
  formatTime,
  limitsText,
  modelsText,
  orDash,
  thresholdsText,
} from './format-values.ts';

/** An object as lines of text, with some fields first and some last. */
export const fieldRecord = <Table extends FieldTable>(
  table: Table,
  object: { readonly [Name in keyof ValuesOf<Table>]: unknown },
  { first, last = [] }: { readonly first: readonly string[]; readonly last?: readonly string[] },
): Record<string, string> => inThisOrder(recordOf(linesOf(table, membersOf(object))), first, last);

const linesOf = (
  table: FieldTable,
  values: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string])[] =>
  Object.entries(table).flatMap(([name, field]): readonly (readonly [string, string])[] => {
    const value = values[nameOf(name, field)] ?? null;
    if (field.kind === 'parts')
      return value === null
        ? linesOf(field.parts, {}).map(([part]) => [part, '-'])
        : linesOf(field.parts, membersOf(value));
    const { label = name.replaceAll('_', ' ') } = field;
    return label === '' ? [] : [[label, textOf(field, value)]];
  });

function textOf({ kind }: Field, value: unknown): string {
  if (typeof value === 'bigint') return formatDollars(value);
  if (kind === 'flag') return value === true ? 'yes' : 'no';
  if (kind === 'choice') return value === null ? 'default' : value === true ? 'on' : 'off';
  if (kind === 'metadata') return JSON.stringify(value);
  if (kind === 'time' || kind === 'timeOrNull') return formatTime(typeof value === 'number' ? value : null);
  if (kind === 'limits') return limitsText(value as readonly BudgetLimit[] | null);
  if (kind === 'percentages') return thresholdsText(value as readonly number[] | null);
  if (kind === 'labels') return orDash(Array.isArray(value) ? value.join(', ') : null);
  if (kind === 'models') return modelsText(value as readonly string[] | null);
  return orDash(typeof value === 'number' || typeof value === 'string' ? value : null);
}
