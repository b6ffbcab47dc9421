import type { Command, Invocation, Option, Output } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { printResult, recordLines } from '../show/format-values.ts';
import { type StoreContext, storeCommand } from './store-command.ts';

type Options = Readonly<Record<string, Option>>;
type Row = Parameters<typeof formatTable>[1][number];
type Work<Result> = (context: StoreContext) => Promise<Result>;

/** Differences between resources in the commands `list`, `get`, `update` and `delete`. */
interface Existing<Item> {
  /** The argument that identifies an object, e.g. `<user_id|alias>`. */
  readonly argument: string;
  readonly find: (context: StoreContext, text: string) => Promise<Item>;
  /** The object as JSON. */
  readonly view: (item: Item) => object;
  /** The object as lines of text. */
  readonly record: (item: Item) => Readonly<Record<string, string>>;
  /** Whether reading the objects encrypts or decrypts secrets. */
  readonly needsMasterKey?: boolean;
  /** Prints warnings about an object that was created or changed. */
  readonly warn?: (item: Item, context: StoreContext) => void;
  readonly list: {
    readonly summary: string;
    readonly options?: Options;
    readonly prepare: (invocation: Invocation) => Work<readonly Item[]>;
    /** The sentence for an empty list. */
    readonly none: string;
    readonly heads: readonly string[];
    readonly rows: (
      items: readonly Item[],
      context: StoreContext,
    ) => readonly Row[] | Promise<readonly Row[]>;
  };
  readonly get: { readonly summary: string };
  readonly update: {
    readonly summary: string;
    readonly options: Options;
    readonly prepare: (invocation: Invocation, text: string) => Work<Item>;
  };
  readonly delete: {
    readonly summary: string;
    /** Returns the deleted object, as JSON and as a sentence. */
    readonly run: (text: string, context: StoreContext) => Promise<readonly [id: object, sentence: string]>;
  };
}

/** The differences between resources, including those in the command `create`. */
interface Resource<Item> extends Existing<Item> {
  readonly create: {
    readonly summary: string;
    /** The argument with the new object's ID; undefined if the ID is generated. */
    readonly argument?: string;
    readonly options: Options;
    /** Parses the command line before the database is opened. */
    readonly prepare: (invocation: Invocation, id: string) => Work<Item>;
  };
}

/** A resource's commands. */
export const resourceCommands = <Item>(
  resource: Resource<Item>,
): Readonly<Record<'create' | 'list' | 'get' | 'update' | 'delete', Command>> => ({
  create: createCommand(resource),
  ...existingCommands(resource),
});

/** A resource's commands, with its own `create`. */
export const existingCommands = <Item>(
  resource: Existing<Item>,
): Readonly<Record<'list' | 'get' | 'update' | 'delete', Command>> => ({
  list: listCommand(resource),
  get: getCommand(resource),
  update: updateCommand(resource),
  delete: deleteCommand(resource),
});

function show<Item>(
  { view, record }: Pick<Existing<Item>, 'view' | 'record'>,
  item: Item,
  { output, json }: { readonly output: Output; readonly json: boolean },
): void {
  if (json) printJson(output, view(item));
  else printLines(output, recordLines(record(item)));
}

/** The command that lists all objects. */
export const listCommand = <Item>({
  list,
  view,
  needsMasterKey = false,
}: Pick<Existing<Item>, 'list' | 'view' | 'needsMasterKey'>): Command =>
  storeCommand({
    summary: list.summary,
    options: list.options ?? {},
    needsMasterKey,
    prepare(invocation) {
      const load = list.prepare(invocation);
      return async (context) => {
        const { output, json } = context;
        const items = await load(context);
        if (json) return printJson(output, items.map(view));
        if (items.length === 0) return output.err(`${list.none}\n`);
        const rows = await list.rows(items, context);
        return printLines(output, formatTable(list.heads, rows, stdoutTerminal()));
      };
    },
  });

const getCommand = <Item>(resource: Existing<Item>): Command =>
  storeCommand({
    summary: resource.get.summary,
    positionals: resource.argument,
    options: {},
    needsMasterKey: resource.needsMasterKey ?? false,
    prepare(invocation) {
      const [text] = exactly(invocation, resource.argument);
      return async (context) => show(resource, await resource.find(context, text), context);
    },
  });

function createCommand<Item>(resource: Resource<Item>): Command {
  const { argument, prepare, ...command } = resource.create;
  return storeCommand({
    ...command,
    ...(argument === undefined ? {} : { positionals: argument }),
    needsMasterKey: resource.needsMasterKey ?? false,
    prepare(invocation) {
      const [id = ''] = argument === undefined ? [] : exactly(invocation, argument);
      return showing(resource, prepare(invocation, id));
    },
  });
}

function updateCommand<Item>(resource: Existing<Item>): Command {
  const { prepare, ...command } = resource.update;
  return storeCommand({
    ...command,
    positionals: resource.argument,
    needsMasterKey: resource.needsMasterKey ?? false,
    prepare(invocation) {
      const [text] = exactly(invocation, resource.argument);
      return showing(resource, prepare(invocation, text));
    },
  });
}

const showing =
  <Item>(resource: Existing<Item>, work: Work<Item>): Work<void> =>
  async (context) => {
    const item = await work(context);
    show(resource, item, context);
    resource.warn?.(item, context);
  };

/** The command that deletes one object. */
export const deleteCommand = ({
  argument,
  delete: { summary, run },
}: Pick<Existing<never>, 'argument' | 'delete'>): Command =>
  storeCommand({
    summary,
    positionals: argument,
    options: {},
    prepare(invocation) {
      const [text] = exactly(invocation, argument);
      return async (context) => {
        const [id, sentence] = await run(text, context);
        printResult(context, { ...id, deleted: true }, sentence);
      };
    },
  });
