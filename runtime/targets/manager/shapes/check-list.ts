import { Malformed, type ShapeOfParams, type Shape, isRecord } from './shape.ts';
import { createYielder } from '#platform/run-yielding.ts';
import { prompt, resource, resourceTemplate, toolShape } from './listed.ts';
import { createCompileProblem, UncheckedSchema } from './schema-compiler.ts';

interface ListKind {
  /** The noun for an item in messages. */
  readonly what: string;
  readonly key: string;
  readonly shape: Shape<ShapeOfParams>;
}

/** The lists of servers, by the member of the result that contains the items. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

interface CheckedList {
  readonly items: readonly ShapeOfParams[];
  /** A message for each item that is omitted, because clients would reject the whole list because of it. */
  readonly faults: readonly string[];
}

/** Checks each item of a list separately. */
export type CheckList = (list: ListName, items: readonly unknown[]) => Promise<CheckedList>;

export function createCheckList(): CheckList {
  const kinds: Record<ListName, ListKind> = {
    tools: { what: 'tool', key: 'name', shape: toolShape(createCompileProblem()) },
    prompts: { what: 'prompt', key: 'name', shape: prompt },
    resources: { what: 'resource', key: 'uri', shape: resource },
    resourceTemplates: { what: 'resource template', key: 'uriTemplate', shape: resourceTemplate },
  };
  return async (list, received) => {
    const { what, key, shape } = kinds[list];
    const yieldToEventLoop = createYielder();
    const items: ShapeOfParams[] = [];
    const faults: string[] = [];
    const used = usedItems(list, received);
    if (used.length < received.length)
      faults.push(`the first ${used.length} of ${received.length} ${what}s are used, the others are omitted`);
    for (const [at, item] of used.entries()) {
      try {
        items.push(await checked(shape, item));
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        faults.push(`${what} ${nameOf(item, key, at)} is omitted: ${error.message}`);
      }
      // Checking a schema can take milliseconds.
      await yieldToEventLoop();
    }
    return { items, faults };
  };
}

/** Maximum number of tools of a server. Names and schemas of more would take the manager from other servers for seconds. */
const MAX_TOOLS = 5000;

/** The items of a list that are used. */
export const usedItems = (list: ListName, items: readonly unknown[]): readonly unknown[] =>
  list === 'tools' && items.length > MAX_TOOLS ? items.slice(0, MAX_TOOLS) : items;

/** Schemas of one item: of its arguments and of its results. */
const MAX_SCHEMAS = 2;

/** Checks an item; a large schema is compiled in a thread before the item is checked again. */
async function checked(shape: Shape<ShapeOfParams>, item: unknown): Promise<ShapeOfParams> {
  for (let schemas = 0; ; schemas += 1) {
    try {
      return shape(item);
    } catch (error) {
      if (!(error instanceof UncheckedSchema) || schemas === MAX_SCHEMAS) throw error;
      await error.check();
    }
  }
}

const MAX_NAME_LENGTH = 80;

/** Returns the name of an item or, without a name, its position in the list. */
function nameOf(item: unknown, key: string, at: number): string {
  const name = isRecord(item) ? item[key] : undefined;
  return typeof name === 'string' && name !== ''
    ? JSON.stringify(name.slice(0, MAX_NAME_LENGTH))
    : String(at + 1);
}
