import type { Batching, RunRules } from '#contract/batching.ts';

/** Describes for tables which texts share a run. */
export function batchingText({ batching = 'any', fixedShape }: RunRules): string {
  if (fixedShape?.texts === 1) return 'one text at a time, because the graph has this fixed shape';
  const count = fixedShape?.texts === undefined ? '' : `, ${fixedShape.texts} per run`;
  return `${TEXT[batching]}${count}`;
}

const TEXT: Readonly<Record<Batching, string>> = {
  any: 'any texts together',
  equal_length: 'only texts with the same number of tokens together',
  single: 'one text at a time, because batching changes the results of this model',
};
