import { type Environment, expand } from '../../../core/text/expand.ts';
import type { Finding } from '../../../core/yaml/issue.ts';
import { isObject } from '../../../core/json/is-object.ts';

type Path = readonly string[];

export interface ExpandedFile {
  readonly value: unknown;
  readonly findings: readonly Finding[];
  /** The text that stands in the file, where it is not the value. */
  readonly written: (path: Path) => string | undefined;
}

/**
 * Puts variables into all texts of a file. What is given to a setting that is no text, as in `port: ${PORT}`, is read as what
 * the schema wants. Members without a value count as not there.
 */
export function expandFile(file: unknown, schema: object, env: Environment): ExpandedFile {
  const findings: Finding[] = [];
  const written = new Map<string, string>();

  const expandText = (text: string, path: Path, wanted: SchemaNode | undefined): unknown => {
    const { text: expanded, problems } = expand(text, env, { bareNames: false });
    findings.push(...problems.map((message): Finding => ({ path, at: 'value', message })));
    if (expanded === text) return text;
    written.set(keyOf(path), text);
    return readAs(expanded, wanted?.type);
  };
  const walk = (value: unknown, path: Path, wanted: SchemaNode | undefined): unknown => {
    if (typeof value === 'string') return expandText(value, path, wanted);
    if (Array.isArray(value))
      return value.map((item, index) => walk(item, [...path, String(index)], wanted?.items));
    if (!isObject(value)) return value;
    const members = Object.entries(value)
      // A provider without a word about it is one all the same.
      .map(([key, member]) => [key, member ?? (isNamedEntry(wanted) ? {} : undefined)] as const)
      .filter(([, member]) => member !== undefined);
    return Object.fromEntries(
      members.map(([key, member]) => [key, walk(member, [...path, key], memberOf(wanted, key))]),
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

/** As it is, if it is no such thing: then the schema refuses it. */
function readAs(text: string, type: string | undefined): unknown {
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  const isNumber = type === 'integer' || type === 'number';
  return isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

const keyOf = (path: Path): string => JSON.stringify(path);
