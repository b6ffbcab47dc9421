import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  visit,
  type Document,
  type Pair,
  type ParsedNode,
} from 'yaml';
import type { SchemaIssue, Issue } from './issue.ts';

/** Determines the position of a problem in the text. */
export function locate(doc: Document.Parsed, finding: SchemaIssue): Issue {
  const { path, at, message, label } = finding;
  return { offset: offsetOf(doc, path, at), path: (label ?? path).join('.'), message };
}

/** Returns the node at a path. If the node is an alias, returns its target. */
export function nodeAt(doc: Document.Parsed, path: readonly string[]): ParsedNode | null {
  const node = path.length === 0 ? doc.contents : pairAt(doc, path)?.value;
  return follow(doc, node ?? null);
}

/** Returns the source text of a value: `1.0` where the value is the number 1. */
export function sourceAt(doc: Document.Parsed, text: string, path: readonly string[]): string {
  const range = nodeAt(doc, path)?.range;
  return range ? text.slice(range[0], range[1]).trim() : '';
}

/** Returns the dotted path of the key that starts at an offset. */
export function pathOfKey(doc: Document.Parsed, offset: number): string {
  let found: Pair[] = [];
  visit(doc, {
    Pair(_, pair, ancestors) {
      if (!isScalar(pair.key) || pair.key.range?.[0] !== offset) return undefined;
      found = [...ancestors.filter((node) => isPair(node)), pair];
      return visit.BREAK;
    },
  });
  return found.map((pair) => keyText(pair)).join('.');
}

/** Returns the start of the scalar that contains an offset or ends there. */
export function startOfScalarAround(doc: Document.Parsed, offset: number): number | undefined {
  let start: number | undefined;
  visit(doc, {
    Scalar(_, { range }) {
      if (range && range[0] <= offset && range[1] >= offset) start = range[0];
    },
  });
  return start;
}

function offsetOf(doc: Document.Parsed, path: readonly string[], at: SchemaIssue['at']): number {
  const pair = pairAt(doc, path);
  const item = pair ? undefined : itemAt(doc, path);
  if (item) return item.range[0];
  if (!pair)
    return path.length === 0 ? (doc.contents?.range[0] ?? 0) : offsetOf(doc, path.slice(0, -1), 'key');
  const value = pair.value?.range;
  // If a key has no value, returns the position of the key, because the value has an empty range
  // somewhere after the colon.
  return at === 'value' && value && value[1] > value[0] ? value[0] : pair.key.range[0];
}

/** Returns an item of a list; the last path segment is its index from 0. */
function itemAt(doc: Document.Parsed, path: readonly string[]): ParsedNode | undefined {
  const list = path.length === 0 ? null : nodeAt(doc, path.slice(0, -1));
  return isSeq<ParsedNode>(list) ? list.items[Number(path.at(-1))] : undefined;
}

function pairAt(
  doc: Document.Parsed,
  path: readonly string[],
): Pair<ParsedNode, ParsedNode | null> | undefined {
  let node: ParsedNode | null = doc.contents;
  let pair: Pair<ParsedNode, ParsedNode | null> | undefined;
  for (const segment of path) {
    node = follow(doc, node);
    if (isSeq<ParsedNode>(node)) {
      pair = undefined;
      node = node.items[Number(segment)] ?? null;
      continue;
    }
    if (!isMap<ParsedNode, ParsedNode | null>(node)) return undefined;
    // If a key is duplicated, the last one is used.
    pair = node.items.findLast((item) => keyText(item) === segment);
    node = pair?.value ?? null;
  }
  return pair;
}

function follow(doc: Document.Parsed, node: ParsedNode | null): ParsedNode | null {
  return isAlias(node) ? ((node.resolve(doc) as ParsedNode | undefined) ?? null) : node;
}

const keyText = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : '');
