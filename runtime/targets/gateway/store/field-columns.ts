import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { type BudgetLimit, limitsIn, limitsToText } from '../accounts/fields/budget-limits.ts';
import {
  type CellsOf,
  columnOf,
  type FieldTable,
  isEnough,
  nameOf,
  type PartTable,
  type SettableFields,
  type SimpleField,
  type ValuesOf,
} from '../accounts/fields/field.ts';
import { bigint, type Column, initially, integer, nanos, nullable, textColumn } from './define-table.ts';
import { storableText } from './storable-text.ts';

/** How to store a kind of field. */
interface Storage {
  readonly column: Column<unknown>;
  /** Converts a value that is neither null nor undefined. Default: stored as is. */
  readonly write?: (value: unknown) => unknown;
  /** Converts a cell that is not null. */
  readonly read?: (cell: never, field: SimpleField) => unknown;
  /** The cell for a new object. Default: null. */
  readonly initial?: (field: SimpleField) => unknown;
}

const TEXT: Storage = { column: nullable(textColumn) };
const NUMBER: Storage = { column: nullable(bigint) };
const WRITTEN = (value: unknown): string => storableText(String(value));
const isOn = (cell: number): boolean => cell === 1;
const wordOf = (cell: string, { words = [] }: SimpleField): string | undefined =>
  words.find((word) => word === cell);

const STORAGE: Readonly<Record<SimpleField['kind'], Storage>> = {
  id: { column: textColumn },
  owner: { column: textColumn },
  text: { ...TEXT, write: WRITTEN },
  reference: TEXT,
  zone: TEXT,
  word: {
    column: textColumn,
    read: (cell: string, field) => wordOf(cell, field) ?? field.words?.[0],
    initial: ({ words = [] }) => words[0],
  },
  wordOrNull: { ...TEXT, read: (cell: string, field) => wordOf(cell, field) ?? null },
  flag: {
    column: integer,
    write: Number,
    read: isOn,
    initial: ({ initially: isInitial }) => Number(isInitial === true),
  },
  choice: { column: nullable(integer), write: Number, read: isOn },
  rate: NUMBER,
  seconds: NUMBER,
  wait: NUMBER,
  amount: { column: nullable(nanos) },
  spending: { column: nanos },
  time: { column: bigint },
  timeOrNull: NUMBER,
  models: { ...TEXT, write: JSON.stringify, read: modelsOf },
  labels: { ...TEXT, write: JSON.stringify, read: modelsOf },
  metadata: {
    column: textColumn,
    write: JSON.stringify,
    read: (cell: string) => membersOf(parseJsonText(cell)),
    initial: () => '{}',
  },
  limits: {
    ...TEXT,
    write: (limits) => limitsToText(limits as readonly BudgetLimit[]),
    read: (cell: string) => limitsIn(cell) ?? null,
  },
  percentages: { ...TEXT, write: sortedPercentages, read: (cell: string) => parseJsonText(cell) },
};

/** The models in a cell; null for all. */
export function modelsOf(cell: string | null): readonly string[] | null {
  const models = cell === null ? null : parseJsonText(cell);
  return Array.isArray(models) ? models : null;
}

/** Percentages in ascending order. */
function sortedPercentages(percentages: unknown): string {
  return JSON.stringify([...new Set(percentages as readonly number[])].toSorted((a, b) => a - b));
}

/** All stored fields of a table, including those of object parts. */
const storedFields = (table: FieldTable): readonly (readonly [string, SimpleField])[] =>
  Object.entries(table).flatMap(([name, field]) =>
    field.isComputed ? [] : field.kind === 'parts' ? storedFields(field.parts) : [[name, field] as const],
  ) as readonly (readonly [string, SimpleField])[];

type ColumnsOf<Table> = { readonly [Name in keyof CellsOf<Table>]: Column<CellsOf<Table>[Name]> };

/** The columns for the fields. */
export const columnsOf = <Table extends FieldTable>(table: Table): ColumnsOf<Table> =>
  Object.fromEntries(
    storedFields(table).map(([name, field]) => {
      const { column } = STORAGE[field.kind];
      const [word] = field.kind === 'word' ? (field.words ?? []) : [];
      return [columnOf(name, field), word === undefined ? column : initially(column as Column<string>, word)];
    }),
  ) as ColumnsOf<Table>;

/** The cells of a new object with nothing set. */
export const emptyCells = <Table extends FieldTable>(table: Table): CellsOf<SettableFields<Table>> =>
  Object.fromEntries(
    storedFields(settable(table)).map(([name, field]) => [
      columnOf(name, field),
      STORAGE[field.kind].initial?.(field) ?? null,
    ]),
  ) as CellsOf<SettableFields<Table>>;

const settable = (table: FieldTable): FieldTable =>
  Object.fromEntries(
    Object.entries(table).filter(
      ([, { kind, settable: when }]) => kind !== 'id' && kind !== 'owner' && when !== 'never',
    ),
  );

/** The cells for the fields that are set, keyed by the program's names. */
export function cellsOf<Table extends FieldTable>(
  table: Table,
  changes: Readonly<Partial<Record<string, unknown>>>,
): Partial<CellsOf<Table>> {
  const cells = Object.entries(table).flatMap(([name, field]): [string, unknown][] => {
    const value = changes[nameOf(name, field)];
    if (value === undefined || field.isComputed) return [];
    if (field.kind !== 'parts')
      return [[columnOf(name, field), value === null ? null : writtenOf(field, value)]];
    const parts = membersOf(value);
    return Object.entries<SimpleField>(field.parts).map(([part, partField]) => {
      const member = parts[nameOf(part, partField)] ?? null;
      return [columnOf(part, partField), member === null ? null : writtenOf(partField, member)];
    });
  });
  return Object.fromEntries(cells) as Partial<CellsOf<Table>>;
}

const writtenOf = ({ kind }: SimpleField, value: unknown): unknown => STORAGE[kind].write?.(value) ?? value;

/** A row's values, without computed fields. */
export function valuesOf<Table extends FieldTable>(table: Table, row: CellsOf<Table>): StoredValues<Table> {
  const cells: Readonly<Record<string, unknown>> = row as object as Record<string, unknown>;
  const values = Object.entries(table)
    .filter(([, { isComputed }]) => !isComputed)
    .map(([name, field]) => [
      nameOf(name, field),
      field.kind === 'parts' ? partsOf(field.parts, cells) : readCell(name, field, cells),
    ]);
  return Object.fromEntries(values) as StoredValues<Table>;
}

type StoredValues<Table> = ValuesOf<{
  [Name in keyof Table as Table[Name] extends { readonly isComputed: true } ? never : Name]: Table[Name];
}>;

/** The object made of its parts; null if all parts without which it does not exist are null. */
function partsOf(parts: PartTable, cells: Readonly<Record<string, unknown>>): object | null {
  const needed = Object.entries(parts).filter(([, part]) => isEnough(part));
  if (needed.every(([name, field]) => cells[columnOf(name, field)] === null)) return null;
  return Object.fromEntries(
    Object.entries(parts).map(([name, field]) => [nameOf(name, field), readCell(name, field, cells)]),
  );
}

function readCell(name: string, field: SimpleField, cells: Readonly<Record<string, unknown>>): unknown {
  const cell = cells[columnOf(name, field)] ?? null;
  const { read } = STORAGE[field.kind];
  return cell === null || read === undefined ? cell : read(cell as never, field);
}
