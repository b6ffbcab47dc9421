import { isObject } from '#core/json/is-object.ts';
import { mapInnerSchemas } from '../shapes/inner-schemas.ts';
import type { Schema } from './plan.ts';

type Definitions = Record<string, Schema>;

const PREFIX = '#/$defs/';
/** Keywords whose schemas apply to the same value as the schema that contains them. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'] as const;

const definitionOf = (schema: Schema): string | undefined =>
  typeof schema['$ref'] === 'string' && schema['$ref'].startsWith(PREFIX)
    ? schema['$ref'].slice(PREFIX.length)
    : undefined;

/**
 * Removes references that lead back to their own definition for the same value, such as `A: { allOf: [A] }`.
 * Validators would follow them forever.
 */
export function breakCycles(definitions: Definitions): void {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (name: string): void => {
    const schema = definitions[name];
    if (!schema || done.has(name)) return;
    open.add(name);
    definitions[name] = withoutOpen(schema);
    open.delete(name);
    done.add(name);
  };
  const withoutOpen = (schema: Schema): Schema => {
    let result = schema;
    const target = definitionOf(schema);
    if (target !== undefined) {
      if (open.has(target)) {
        const { $ref: _ref, ...others } = schema;
        result = others;
      } else visit(target);
    }
    for (const keyword of SAME_VALUE) {
      if (keyword in result) {
        const replaced = mapInnerSchemas(keyword, result[keyword], (inner) =>
          isObject(inner) ? withoutOpen(inner) : inner,
        );
        result = { ...result, [keyword]: replaced };
      }
    }
    return result;
  };
  for (const name of Object.keys(definitions)) visit(name);
}

/** Returns a schema with its definitions. Those that are used once are written where they are used. */
export function inlineOnce(root: Schema, definitions: Definitions): Schema {
  const uses = new Map<string, number>();
  const count = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const target = definitionOf(value);
    if (target !== undefined) uses.set(target, (uses.get(target) ?? 0) + 1);
    for (const [keyword, member] of Object.entries(value)) mapInnerSchemas(keyword, member, count);
    return value;
  };
  count(root);
  for (const schema of Object.values(definitions)) count(schema);

  const replace = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const target = definitionOf(value);
    const definition = target === undefined ? undefined : definitions[target];
    const isInlined = definition !== undefined && uses.get(target ?? '') === 1 && canMerge(value);
    const { $ref: _ref, ...siblings } = value;
    const schema: Schema = isInlined ? { ...definition, ...siblings } : value;
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, member]) => [keyword, mapInnerSchemas(keyword, member, replace)]),
    );
  };
  const inlined = replace(root) as Schema;
  const kept = Object.entries(definitions).filter(([name]) => isUsed(name, uses));
  if (kept.length === 0) return inlined;
  const all = Object.fromEntries(kept.map(([name, schema]) => [name, replace(schema)]));
  return withUsed(inlined, all as Definitions);
}

const isUsed = (name: string, uses: ReadonlyMap<string, number>): boolean => (uses.get(name) ?? 0) > 0;

/** Whether a reference has no keywords next to it that the definition could also have. */
const canMerge = (schema: Schema): boolean =>
  Object.keys(schema).every((keyword) => keyword === '$ref' || keyword === 'description');

/** Keeps the definitions that the schema reaches. */
function withUsed(root: Schema, definitions: Definitions): Schema {
  const reached = new Set<string>();
  const open: unknown[] = [root];
  const look = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const target = definitionOf(value);
    if (target !== undefined && !reached.has(target) && definitions[target]) {
      reached.add(target);
      open.push(definitions[target]);
    }
    for (const [keyword, member] of Object.entries(value)) mapInnerSchemas(keyword, member, look);
    return value;
  };
  while (open.length > 0) look(open.pop());
  if (reached.size === 0) return root;
  const kept = Object.entries(definitions).filter(([name]) => reached.has(name));
  return { ...root, $defs: Object.fromEntries(kept) };
}
