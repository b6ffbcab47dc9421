import type { Nanos } from '../../shared/money.ts';

// Users, keys, teams, organizations and budgets are tables of fields (docs/decisions/0153). What follows from a field is derived from its
// row: the column and the types (store/field-columns.ts), the checks (accounts/identity/checks.ts), the schemas of requests and answers
// (api/http/field-schemas.ts), and the flags and the text of commands (commands/options/field-options.ts).

export type Metadata = Readonly<Record<string, unknown>>;

interface Types<Value, Body = Value, Answer = Value, Cell = Value> {
  readonly value: Value;
  readonly body: Body;
  readonly answer: Answer;
  readonly cell: Cell;
}

/** The kinds of fields, with the types of a value: in the program, in bodies of requests, in answers, and in the database. */
interface Kinds<Word extends string> {
  /** The id of the object itself. */
  readonly id: Types<string>;
  /** The id of the user that an object belongs to. */
  readonly owner: Types<string, string | null, string | null, string>;
  readonly text: Types<string | null>;
  /** The id of another object. */
  readonly reference: Types<string | null>;
  readonly zone: Types<string | null>;
  readonly word: Types<Word, Word, Word, string>;
  readonly wordOrNull: Types<Word | null, Word | null, Word | null, string | null>;
  readonly flag: Types<boolean, boolean | null, boolean, number>;
  /** On, off, or null for the setting of the configuration. */
  readonly choice: Types<boolean | null, boolean | null, boolean | null, number | null>;
  readonly rate: Types<number | null>;
  readonly seconds: Types<number | null>;
  readonly amount: Types<Nanos | null, number | null, number | null, Nanos | null>;
  readonly spending: Types<Nanos, never, number, Nanos>;
  readonly time: Types<number, never, string, number>;
  readonly timeOrNull: Types<number | null, string | number | null, string | null, number | null>;
  readonly models: Types<readonly string[] | null, string[] | null, readonly string[] | null, string | null>;
  readonly metadata: Types<Metadata, Record<string, unknown> | null, Metadata, string>;
  readonly percentages: Types<
    readonly number[] | null,
    number[] | null,
    readonly number[] | null,
    string | null
  >;
}

/** A flag of the commands that create and change an object. Fields without one are not set by commands. */
interface FieldFlag {
  /** Default: the name of the field. */
  readonly name?: string;
  /** Name of the value in help. */
  readonly value?: string;
  readonly help: string;
  /** The default, in the help of both commands. */
  readonly defaultText?: string;
  /** The default, in the help of the command that creates an object. */
  readonly createdWith?: string;
  /** The switches of the command that changes an object, for a field that is on or off. */
  readonly on?: Switch;
  readonly off?: Switch;
}

interface Switch {
  readonly name: string;
  readonly help: string;
  /** The only command that has it. */
  readonly only?: 'update';
}

interface Shared {
  /** What it is, in the schemas of requests and answers. */
  readonly description?: string;
  /** The same in answers, where it differs; empty for none. Default for texts: none. */
  readonly shown?: string;
  /** When it can be set. Default: when an object is created and later. */
  readonly settable?: 'create' | 'update' | 'never';
  /** Name in the program. Default: the name of the field in camel case. */
  readonly as?: string;
  /** Name of the column. Default: the name of the field; with `_nano` for an amount. */
  readonly column?: string;
  /** Whether it is computed, or read from another table. */
  readonly isComputed?: true;
  /** Name in the records that commands print; empty for fields that they do not print. Default: the words of the field. */
  readonly label?: string;
  readonly flag?: FieldFlag;
  /**
   * What an administrator of a team can set of the service accounts of the team, who otherwise needs the role admin: `tighter` what
   * allows less than before, `never` nothing. Default: everything.
   */
  readonly teamAdmin?: 'tighter' | 'never';
  /** Whether the owner of a key can change it: a flag can then only be cleared. */
  readonly isOwners?: true;
  /** Whether it is a limit that holds for all keys that a member creates in the team, if another user has set it. */
  readonly binds?: true;
  /** Whether it only has a meaning for keys that call models. */
  readonly isForModels?: true;
}

export interface SimpleField extends Shared {
  readonly kind: keyof Kinds<string>;
  /** The words of a field that is one of them. New objects have the first one by default. */
  readonly words?: readonly string[];
  /** Maximum length of a text in requests. Default: 256. */
  readonly maxLength?: number;
  /** The value of new objects, for a flag that is on. */
  readonly initially?: true;
  /** What null means when an object is created, for a flag that accepts it then. */
  readonly nullMeans?: string;
  /** What a reference names. */
  readonly to?: 'budget' | 'team' | 'organization';
  /** Whether the program can omit it, as a part of an object. */
  readonly isOptional?: true;
}

/** Several fields in one object, or null. Each has a column of its own. */
interface PartsField extends Shared {
  readonly kind: 'parts';
  readonly parts: PartTable;
  /** The error for flags of parts that have no meaning alone. */
  readonly incomplete: string;
  /** Name of the schema in requests and in answers. */
  readonly schemas: { readonly request: string; readonly answer: string };
}

export type Field = SimpleField | PartsField;
export type PartTable = Readonly<Record<string, SimpleField>>;

/** The fields of a resource by their names in the API, in the order of answers. */
export type FieldTable = Readonly<Record<string, Field>>;

/** Keeps the exact types of a table, from which those of rows, values, requests and answers follow. */
export const fields = <const Fields extends FieldTable>(table: Fields): Fields => table;

type WordsOf<One> = One extends { readonly words: readonly (infer Word extends string)[] } ? Word : string;
type SideOf<One, Side extends keyof Types<unknown>> = One extends {
  readonly kind: infer Kind extends keyof Kinds<string>;
}
  ? Kinds<WordsOf<One>>[Kind][Side]
  : never;
type PartsOf<One> = One extends { readonly kind: 'parts'; readonly parts: infer Parts } ? Parts : never;

/** A name of the API as the program writes it. */
export type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
type NameOf<Name, One> = One extends { readonly as: infer As extends string } ? As : Camel<Name & string>;
type SettableOf<One> = One extends { readonly settable: infer When } ? When : 'create' | 'update';
type NameIf<Name, When, One> = When extends SettableOf<One> ? NameOf<Name, One> : never;

/** An object of a resource, as the program knows it. */
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

/** Changes of an object: undefined keeps the current value, null clears it. */
export type ChangesOf<Table> = {
  readonly [Name in keyof Table as NameIf<Name, 'update', Table[Name]>]?: ValueOf<Table[Name]> | undefined;
};

/** The fields of a new object. */
export type NewOf<Table> = {
  readonly [Name in keyof Table as NameIf<Name, 'create', Table[Name]>]?: ValueOf<Table[Name]> | undefined;
};

/** The body of a request that creates an object or changes it. */
export type BodyOf<Table, When extends 'create' | 'update'> = {
  [Name in keyof Table as When extends SettableOf<Table[Name]> ? Name : never]: MemberOf<Table[Name]>;
};
export type MemberOf<One> = [PartsOf<One>] extends [never]
  ? SideOf<One, 'body'>
  : { [Name in keyof PartsOf<One>]?: SideOf<PartsOf<One>[Name], 'body'> } | null;

/** An object in an answer. */
export type AnswerOf<Table> = { readonly [Name in keyof Table]: AnswerMemberOf<Table[Name]> };
export type AnswerMemberOf<One> = [PartsOf<One>] extends [never]
  ? SideOf<One, 'answer'>
  : { readonly [Name in keyof PartsOf<One>]: SideOf<PartsOf<One>[Name], 'answer'> } | null;

/** The cells of a row. */
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

/** The fields of a table that are set by requests, without ids and owners. */
export type SettableFields<Table> = {
  [
    Name in keyof Table as Table[Name] extends
      | { readonly kind: 'id' | 'owner' }
      | { readonly settable: 'never' }
      ? never
      : Name
  ]: Table[Name];
};

/** The name of a field in the program. */
export const nameOf = (name: string, { as }: Pick<Field, 'as'>): string => as ?? camelOf(name);

export const camelOf = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The column of a field that has one. */
export const columnOf = (name: string, { column, kind }: SimpleField): string =>
  column ?? (kind === 'amount' ? `${name}_nano` : name);

/** The fields that can be set when an object is created, or when it is changed. */
export const settableFields = (table: FieldTable, when: 'create' | 'update'): readonly [string, Field][] =>
  Object.entries(table).filter(([, { settable }]) => settable === undefined || settable === when);

/** Some fields of a table, with other texts or rules. */
export function pickFields<const Table extends FieldTable, const Name extends keyof Table>(
  table: Table,
  names: readonly Name[],
): Pick<Table, Name> {
  return Object.fromEntries(Object.entries(table).filter(([name]) => names.includes(name as never))) as Pick<
    Table,
    Name
  >;
}

/** Adds a rule to all fields of a table. */
export const withRule = <Table extends FieldTable>(
  table: Table,
  rule: Pick<Shared, 'teamAdmin' | 'binds' | 'isForModels'>,
): Table =>
  Object.fromEntries(Object.entries(table).map(([name, field]) => [name, { ...field, ...rule }])) as Table;
