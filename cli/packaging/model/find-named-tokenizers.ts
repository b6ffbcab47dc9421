import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Paths of `X-tokenizer.json` next to a graph, as packages have it that ship `X.onnx`: the one with the name of the graph, else all. Only
 * one is certain to belong to the graph.
 */
export function findNamedTokenizers(graph: string): string[] {
  const folder = dirname(graph);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .sort();
  const own = basename(graph).replace(/\.onnx$/, SUFFIX);
  return (names.includes(own) ? [own] : names).map((name) => join(folder, name));
}

const SUFFIX = '-tokenizer.json';
