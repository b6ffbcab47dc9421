import { Malformed, type Params, type Shape } from './shape.ts';
import { createYielder } from '../../../platform/run-yielding.ts';
import { prompt, resource, resourceTemplate, toolShape } from './listed.ts';
import { createCompileProblem } from './schema-compiler.ts';
import { isRecord } from './values.ts';

interface ListKind {
  /** What an item is called in sentences. */
  readonly what: string;
  readonly key: string;
  readonly shape: Shape<Params>;
}

/** The lists of servers, as results call them. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

interface CheckedList {
  readonly items: readonly Params[];
  /** A sentence for each item that is left out, because clients would refuse the whole list for it. */
  readonly faults: readonly string[];
}

/** Checks each item of a list by itself. */
export type CheckList = (list: ListName, items: readonly unknown[]) => Promise<CheckedList>;

export function createCheckList(): CheckList {
  const kinds: Record<ListName, ListKind> = {
    tools: { what: 'tool', key: 'name', shape: toolShape(createCompileProblem()) },
    prompts: { what: 'prompt', key: 'name', shape: prompt },
    resources: { what: 'resource', key: 'uri', shape: resource },
    resourceTemplates: { what: 'resource template', key: 'uriTemplate', shape: resourceTemplate },
  };
  return async (list, given) => {
    const { what, key, shape } = kinds[list];
    const yieldToOthers = createYielder();
    const items: Params[] = [];
    const faults: string[] = [];
    for (const [at, item] of given.entries()) {
      try {
        items.push(shape(item));
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        faults.push(`${what} ${nameOf(item, key, at)} is left out: ${error.message}`);
      }
      // Schemas can take milliseconds to check.
      await yieldToOthers();
    }
    return { items, faults };
  };
}

const MAX_NAME = 80;

/** Its name, or where it is in its list. */
function nameOf(item: unknown, key: string, at: number): string {
  const name = isRecord(item) ? item[key] : undefined;
  return typeof name === 'string' && name !== '' ? JSON.stringify(name.slice(0, MAX_NAME)) : String(at + 1);
}
