import type { FixedShape } from '#contract/fixed-shape.ts';
import type { Manifest } from '#contract/manifest.ts';
import { quantizationFacts } from './quantization-facts.ts';

/** Rows of a table about the graph: its fixed shape, what the build changed and how it quantized; none if there is nothing to report. */
export const graphFacts = (manifest: Manifest): [string, string][] => {
  const { fixedShape, graphChanges = [] } = manifest;
  return [
    ...(fixedShape ? [['Shape', shapeFact(fixedShape)] satisfies [string, string]] : []),
    ...(graphChanges.length === 0 ? [] : [['Changes', graphChanges.join('; ')] satisfies [string, string]]),
    ...quantizationFacts(manifest),
  ];
};

function shapeFact({ texts, tokens }: FixedShape): string {
  const shape = `fixed shape [${texts ?? 'any'}, ${tokens ?? 'any'}]`;
  const effect = tokens === undefined ? '' : `; every text is padded to ${tokens} tokens`;
  return `${shape}${effect}. For speed, export with dynamic axes`;
}
