import { Malformed, type ShapeOfParams, type Shape, isRecord } from './shape.ts';
import { createYielder } from '#platform/run-yielding.ts';
import { prompt, resource, resourceTemplate, toolShape } from './listed.ts';
import { LIST_ITEMS, type ListName } from '../shared/list-items.ts';
import { createCompileProblem, UncheckedSchema } from './schema-compiler.ts';

interface CheckedList {
  readonly items: readonly ShapeOfParams[];
  /** A message for each omitted item. Clients would otherwise reject the whole list. */
  readonly faults: readonly string[];
}

/** Checks each item of a list separately. */
export type CheckList = (list: ListName, items: readonly unknown[]) => Promise<CheckedList>;

export function createCheckList(): CheckList {
  const shapes: Record<ListName, Shape<ShapeOfParams>> = {
    tools: toolShape(createCompileProblem()),
    prompts: prompt,
    resources: resource,
    resourceTemplates: resourceTemplate,
  };
  return async (list, received) => {
    const { kind: what, key } = LIST_ITEMS[list];
    const shape = shapes[list];
    const yieldToEventLoop = createYielder();
    const items: ShapeOfParams[] = [];
    const faults: string[] = [];
    const used = usedItems(list, received);
    if (used.length < received.length)
      faults.push(
        `only the first ${used.length} of ${received.length} ${what}s are used; the others are omitted`,
      );
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

/** Maximum number of tools per server. Checking more names and schemas would block the manager for seconds. */
const MAX_TOOLS = 5000;

/** The items that are kept. */
export const usedItems = (list: ListName, items: readonly unknown[]): readonly unknown[] =>
  list === 'tools' && items.length > MAX_TOOLS ? items.slice(0, MAX_TOOLS) : items;

/** An item's schemas: for its arguments and its results. */
const MAX_SCHEMAS = 2;

/** Checks an item; a large schema is compiled in a thread, after which the item is checked again. */
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

/** Returns an item's name or, without a name, its position in the list. */
function nameOf(item: unknown, key: string, at: number): string {
  const name = isRecord(item) ? item[key] : undefined;
  return typeof name === 'string' && name !== ''
    ? JSON.stringify(name.slice(0, MAX_NAME_LENGTH))
    : String(at + 1);
}
