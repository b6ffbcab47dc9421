import type { SectionName } from './container/sections.ts';

/** File names in the assets folder that `build --no-build` writes, by section. */
export const ASSETS = {
  weights: 'weights.bin',
  graph: 'graph.onnx',
  tokenizer: 'tokenizer.json',
  config: 'config.json',
  transform: 'transform.lua',
  layers: 'layers.bin',
  manifest: 'manifest.json',
  // Not README.md or LICENSE: a folder with a user's own files must not look like one that a build
  // wrote.
  license: 'model-license.txt',
  card: 'model-card.md',
} as const satisfies Partial<Record<SectionName, string>>;
