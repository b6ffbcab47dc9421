import type { SectionName } from './container/sections.ts';

/** File names in the folder that a build without an executable writes, by section. */
export const ASSETS = {
  weights: 'weights.bin',
  graph: 'graph.onnx',
  tokenizer: 'tokenizer.json',
  config: 'config.json',
  transform: 'transform.lua',
  manifest: 'manifest.json',
} as const satisfies Partial<Record<SectionName, string>>;
