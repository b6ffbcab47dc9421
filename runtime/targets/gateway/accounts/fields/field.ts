import type { Nanos } from '../../shared/money.ts';
import type { BudgetLimit, LimitAnswer, LimitBody } from './budget-limits.ts';

// Users, keys, teams, organizations and budgets are tables of fields (docs/decisions/0153). Everything about
// a field is derived from its row: the column and the types (store/field-columns.ts), the checks
// (accounts/identity/checks.ts), the schemas of requests and responses (api/http/field-schemas.ts), and the
// flags and output of commands (commands/options/field-options.ts).

export type Metadata = Readonly<Record<string, unknown>>;

interface Types<Value, Body = Value, Answer = Value, Cell = Value> {
  readonly value: Value;
  readonly body: Body;
  readonly answer: Answer;
  readonly cell: Cell;
}

/**
 * Field kinds, with the types of their values: in the program, in request bodies, in responses, and in the
 * database.
 */
interface Kinds<Word extends string> {
  /** The object's own ID. */
  readonly id: Types<string>;
  /** ID of the user who owns an object. */
  readonly owner: Types<string, string | null, string | null, string>;
  readonly text: Types<string | null>;
  /** ID of another object. */
  readonly reference: Types<string | null>;
  readonly zone: Types<string | null>;
  readonly word: Types<Word, Word, Word, string>;
  readonly wordOrNull: Types<Word | null, Word | null, Word | null, string | null>;
  readonly flag: Types<boolean, boolean | null, boolean, number>;
  /** On, off, or null to use the configured setting. */
  readonly choice: Types<boolean | null, boolean | null, boolean | null, number | null>;
  readonly rate: Types<number | null>;
  readonly seconds: Types<number | null>;
  /** A waiting time in seconds, from 0. */
  readonly wait: Types<number | null>;
  readonly amount: Types<Nanos | null, number | null, number | null, Nanos | null>;
  readonly spending: Types<Nanos, never, number, Nanos>;
  readonly time: Types<number, never, string, number>;
  readonly timeOrNull: Types<number | null, string | number | null, string | null, number | null>;
  readonly models: Types<readonly string[] | null, string[] | null, readonly string[] | null, string | null>;
  /** Labels of MCP servers; null for none. */
  readonly labels: Types<readonly string[] | null, string[] | null, readonly string[] | null, string | null>;
  readonly limits: Types<
    readonly BudgetLimit[] | null,
    LimitBody[] | null,
    readonly LimitAnswer[] | null,
    string | null
  >;
  readonly metadata: Types<Metadata, Record<string, unknown> | null, Metadata, string>;
  readonly percentages: Types<
    readonly number[] | null,
    number[] | null,
    readonly number[] | null,
    string | null
  >;
}

/** A flag of the commands that create and change an object. Fields without one cannot be set by commands. */
interface FieldFlag {
  /** Default: the field name. */
  readonly name?: string;
  /** Value placeholder in help. */
  readonly value?: string;
  readonly help: string;
  /** The default as shown in help of both commands. */
  readonly defaultText?: string;
  /** The default as shown in help of the create command. */
  readonly createdWith?: string;
  /** The switches of the update command, for a field that is on or off. */
  readonly on?: Switch;
  readonly off?: Switch;
}

interface Switch {
  readonly name: string;
  readonly help: string;
  /** The only command with this flag. */
  readonly only?: 'update';
}

interface Shared {
  /** Description in the schemas of requests and responses. */
  readonly description?: string;
  /** Description in responses, if different; empty for none. Default for texts: none. */
  readonly shown?: string;
  /** When the field can be set. Default: when an object is created, and later. */
  readonly settable?: 'create' | 'update' | 'never';
  /** Name in the program. Default: the field name in camel case. */
  readonly as?: string;
  /** Column name. Default: the field name, with `_nano` for an amount. */
  readonly column?: string;
  /** Whether it is computed, or read from another table. */
  readonly isComputed?: true;
  /** Name in records printed by commands; empty for fields that they omit. Default: the words of the field name. */
  readonly label?: string;
  readonly flag?: FieldFlag;
  /**
   * What a team administrator without the role `admin` can set for the team's service accounts: `tighter` is
   * only what allows less than before, `off` is only to clear a flag, `never` is nothing. Default: everything.
   */
  readonly teamAdmin?: 'tighter' | 'off' | 'never';
  /** Whether the key's owner can change it: a flag can then only be cleared. */
  readonly isOwners?: true;
  /** Whether it is a limit that, if set by another user, applies to all keys that a member creates in the team. */
  readonly binds?: true;
  /** Whether it only has a meaning for keys that call models. */
  readonly isForModels?: true;
}

export interface SimpleField extends Shared {
  readonly kind: keyof Kinds<string>;
  /** The allowed words. New objects have the first one by default. */
  readonly words?: readonly string[];
  /** Maximum text length. Default: `MAX_TEXT_LENGTH`. */
  readonly maxLength?: number;
  /** Initial value in new objects, for a flag that is on. */
  readonly initially?: true;
  /** Meaning of null when an object is created, for a flag that accepts null then. */
  readonly nullMeans?: string;
  /** What a reference refers to. */
  readonly to?: 'budget' | 'team' | 'organization';
  /** Whether the program can omit it, as a part of an object. */
  readonly isOptional?: true;
  /** Whether an object with only this part exists, although the program can omit the part. */
  readonly isSufficient?: true;
}

/** Whether an object exists if this part is set. */
export const isEnough = ({ isOptional, isSufficient }: SimpleField): boolean =>
  isOptional !== true || isSufficient === true;

/** Several fields combined into one object, or null. Each has its own column. */
interface PartsField extends Shared {
  readonly kind: 'parts';
  readonly parts: PartTable;
  /** The error for flags of parts that have no meaning on their own. */
  readonly incomplete: string;
  /** Schema name in requests and in responses. */
  readonly schemas: { readonly request: string; readonly answer: string };
}

export type Field = SimpleField | PartsField;
export type PartTable = Readonly<Record<string, SimpleField>>;

/** A resource's fields by their API names, in response order. */
export type FieldTable = Readonly<Record<string, Field>>;

/** Keeps a table's exact types, from which those of rows, values, requests and responses are derived. */
export const fields = <const Fields extends FieldTable>(table: Fields): Fields => table;

type WordsOf<One> = One extends { readonly words: readonly (infer Word extends string)[] } ? Word : string;
type SideOf<One, Side extends keyof Types<unknown>> = One extends {
  readonly kind: infer Kind extends keyof Kinds<string>;
}
  ? Kinds<WordsOf<One>>[Kind][Side]
  : never;
type PartsOf<One> = One extends { readonly kind: 'parts'; readonly parts: infer Parts } ? Parts : never;

/** An API name as spelled in the program. */
export type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
type NameOf<Name, One> = One extends { readonly as: infer As extends string } ? As : Camel<Name & string>;
type SettableOf<One> = One extends { readonly settable: infer When } ? When : 'create' | 'update';
type NameIf<Name, When, One> = When extends SettableOf<One> ? NameOf<Name, One> : never;

/** A resource's object in the program. */
export type ValuesOf<Table> = {
  readonly [Name in keyof Table as NameOf<Name, Table[Name]>]: ValueOf<Table[Name]>;
};
type ValueOf<One> = [PartsOf<One>] extends [never] ? SideOf<One, 'value'> : PartValues<PartsOf<One>> | null;
type PartValues<Table> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly isOptional: true }
      ? never
      : NameOf<Name, Table[Name]>
  ]: SideOf<Table[Name], 'value'>;
} & {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly isOptional: true }
      ? NameOf<Name, Table[Name]>
      : never
  ]?: SideOf<Table[Name], 'value'> | undefined;
};

/** Changes to an object: undefined keeps the current value, null clears it. */
export type ChangesOf<Table> = {
  readonly [Name in keyof Table as NameIf<Name, 'update', Table[Name]>]?: ValueOf<Table[Name]> | undefined;
};

/** A new object's fields. */
export type NewOf<Table> = {
  readonly [Name in keyof Table as NameIf<Name, 'create', Table[Name]>]?: ValueOf<Table[Name]> | undefined;
};

/** The request body for creating or changing an object. */
export type BodyOf<Table, When extends 'create' | 'update'> = {
  [Name in keyof Table as When extends SettableOf<Table[Name]> ? Name : never]: MemberOf<Table[Name]>;
};
export type MemberOf<One> = [PartsOf<One>] extends [never]
  ? SideOf<One, 'body'>
  : { [Name in keyof PartsOf<One>]?: SideOf<PartsOf<One>[Name], 'body'> } | null;

/** An object in a response. */
export type AnswerOf<Table> = { readonly [Name in keyof Table]: AnswerMemberOf<Table[Name]> };
export type AnswerMemberOf<One> = [PartsOf<One>] extends [never]
  ? SideOf<One, 'answer'>
  : { readonly [Name in keyof PartsOf<One>]: SideOf<PartsOf<One>[Name], 'answer'> } | null;

/** A row's cells. */
export type CellsOf<Table> = OwnCells<Table> & PartCells<PartsOf<Table[keyof Table]>>;
type PartCells<Parts> = [Parts] extends [never] ? unknown : OwnCells<Parts>;
type OwnCells<Table> = {
  readonly [Name in keyof Table as ColumnOf<Name, Table[Name]>]: SideOf<Table[Name], 'cell'>;
};
type ColumnOf<Name, One> = One extends { readonly isComputed: true } | { readonly kind: 'parts' }
  ? never
  : One extends { readonly column: infer Column extends string }
    ? Column
    : One extends { readonly kind: 'amount' }
      ? `${Name & string}_nano`
      : Name;

/** The fields of a table that requests set, excluding IDs and owners. */
export type SettableFields<Table> = {
  [
    Name in keyof Table as Table[Name] extends
      | { readonly kind: 'id' | 'owner' }
      | { readonly settable: 'never' }
      ? never
      : Name
  ]: Table[Name];
};

/** Maximum number of characters of a text, if its field sets no other. */
export const MAX_TEXT_LENGTH = 256;
/** Maximum number of model patterns of an object. */
export const MAX_PATTERNS = 1000;
/** Maximum number of labels of an object. */
export const MAX_LABELS = 32;

/** A field's name in the program. */
export const nameOf = (name: string, { as }: Pick<Field, 'as'>): string => as ?? camelOf(name);

export const camelOf = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A field's column, if it has one. */
export const columnOf = (name: string, { column, kind }: SimpleField): string =>
  column ?? (kind === 'amount' ? `${name}_nano` : name);

/** The fields that can be set when an object is created, or when it is changed. */
export const settableFields = (table: FieldTable, when: 'create' | 'update'): readonly [string, Field][] =>
  Object.entries(table).filter(([, { settable }]) => settable === undefined || settable === when);

/** Some of a table's fields, with different texts or rules. */
export function pickFields<const Table extends FieldTable, const Name extends keyof Table>(
  table: Table,
  names: readonly Name[],
): Pick<Table, Name> {
  return Object.fromEntries(Object.entries(table).filter(([name]) => names.includes(name as never))) as Pick<
    Table,
    Name
  >;
}

/** Adds a rule to all of a table's fields. */
export const withRule = <Table extends FieldTable>(
  table: Table,
  rule: Pick<Shared, 'teamAdmin' | 'binds' | 'isForModels'>,
): Table =>
  Object.fromEntries(Object.entries(table).map(([name, field]) => [name, { ...field, ...rule }])) as Table;
