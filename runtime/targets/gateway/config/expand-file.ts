import { type Environment, expand } from '#core/text/expand.ts';
import type { SchemaIssue } from '#core/yaml/issue.ts';
import { isObject } from '#core/json/is-object.ts';
import { pushAll } from '#core/values/push-all.ts';

type Path = readonly string[];

export interface ExpandedFile {
  readonly value: unknown;
  readonly findings: readonly SchemaIssue[];
  /** The text in the file if it differs from the value; otherwise undefined. */
  readonly written: (path: Path) => string | undefined;
}

/**
 * Expands variables in all strings of a file. If the setting is not a string, as in `port: ${PORT}`, the
 * expanded text is converted to the schema's type. Members without a value count as not set.
 */
export function expandFile(file: unknown, schema: object, env: Environment): ExpandedFile {
  const findings: SchemaIssue[] = [];
  const written = new Map<string, string>();

  const expandText = (text: string, path: Path, expected: SchemaNode | undefined): unknown => {
    const { text: expanded, problems } = expand(text, env, { bareNames: false });
    pushAll(
      findings,
      problems.map((message): SchemaIssue => ({ path, at: 'value', message })),
    );
    if (expanded === text) return text;
    written.set(keyOf(path), text);
    return convert(expanded, expected?.type);
  };
  const walk = (value: unknown, path: Path, expected: SchemaNode | undefined): unknown => {
    if (typeof value === 'string') return expandText(value, path, expected);
    if (Array.isArray(value))
      return value.map((item, index) => walk(item, [...path, String(index)], expected?.items));
    if (!isObject(value)) return value;
    const members = Object.entries(value)
      // An entry without a value, such as `providers: {openai: }`, is an entry with only defaults.
      .map(([key, member]) => [key, member ?? (isNamedEntry(expected) ? {} : undefined)] as const)
      .filter(([, member]) => member !== undefined);
    return Object.fromEntries(
      members.map(([key, member]) => [key, walk(member, [...path, key], memberOf(expected, key))]),
    );
  };
  const value = walk(file, [], schema);
  return { value, findings, written: (path) => written.get(keyOf(path)) };
}

interface SchemaNode {
  readonly type?: string;
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
}

const memberOf = (node: SchemaNode | undefined, key: string): SchemaNode | undefined =>
  node?.properties?.[key] ?? valuesOf(node);
const valuesOf = (node: SchemaNode | undefined): SchemaNode | undefined =>
  typeof node?.additionalProperties === 'object' ? node.additionalProperties : undefined;
const isNamedEntry = (node: SchemaNode | undefined): boolean => valuesOf(node)?.type === 'object';

/** Converts a string to a type. Returns it unchanged if that is impossible; validation then rejects it. */
function convert(text: string, type: string | undefined): unknown {
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  const isNumber = type === 'integer' || type === 'number';
  return isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

const keyOf = (path: Path): string => JSON.stringify(path);
