import { parseSync } from '@swc/core';

/** Keys of syntax nodes whose strings are not messages: module names, types and positions. */
const SKIPPED_KEYS = new Set(['span', 'source', 'typeAnnotation', 'typeParams', 'typeArguments']);

interface Quasi {
  readonly cooked?: string;
}

/**
 * String literals and templates in a source that look like sentences, because they contain two words separated by a space. `…` stands for a
 * value in a template.
 */
export function sentencesOf(source: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    const { type, value, quasis } = node as { type?: string; value?: unknown; quasis?: Quasi[] };
    if (type === 'StringLiteral') found.push(String(value));
    if (type === 'TemplateLiteral') found.push((quasis ?? []).map(({ cooked }) => cooked).join('…'));
    for (const [key, child] of Object.entries(node)) if (!SKIPPED_KEYS.has(key)) visit(child);
  };
  visit(parseSync(source, { syntax: 'typescript' }).body);
  return found.filter((text) => /[\p{L}…] [\p{L}…]/u.test(text));
}
