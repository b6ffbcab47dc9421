import type { SectionName } from './container/sections.ts';

/** File names in the assets folder that `build --no-build` writes, by section. */
export const ASSETS = {
  weights: 'weights.bin',
  graph: 'graph.onnx',
  tokenizer: 'tokenizer.json',
  config: 'config.json',
  transform: 'transform.lua',
  manifest: 'manifest.json',
} as const satisfies Partial<Record<SectionName, string>>;
