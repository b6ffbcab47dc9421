import type { SectionName } from './container/sections.ts';

/** File name of each section in the assets folder that `build --no-build` writes. */
export const ASSETS = {
  weights: 'weights.bin',
  graph: 'graph.onnx',
  tokenizer: 'tokenizer.json',
  config: 'config.json',
  transform: 'transform.lua',
  layers: 'layers.bin',
  'label-tokenizer': 'label-tokenizer.json',
  'image-graph': 'image-graph.onnx',
  static: 'static.bin',
  manifest: 'manifest.json',
  // These names must differ from README.md and LICENSE, so that a folder with a user's own files is
  // not mistaken for an assets folder.
  license: 'model-license.txt',
  card: 'model-card.md',
} as const satisfies Partial<Record<SectionName, string>>;
