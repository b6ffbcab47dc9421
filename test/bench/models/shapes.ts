/** The dimensions of a BERT-like encoder. */
export interface ModelShape {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly intermediate: number;
  readonly vocabulary: number;
  readonly positions: number;
  /** Labels of a classifier; an encoder without them returns its last hidden state. */
  readonly labels?: readonly string[];
}

const VOCABULARY = 30_522;
const POSITIONS = 512;

const MINI_LM = {
  layers: 6,
  hidden: 384,
  heads: 12,
  intermediate: 1536,
  vocabulary: VOCABULARY,
  positions: POSITIONS,
};

/** The two most common sizes: MiniLM-L6 (90 MB), also as a classifier, and BERT-base (435 MB), in float32. */
export const SHAPES = {
  m6: MINI_LM,
  classifier: { ...MINI_LM, labels: ['negative', 'positive'] },
  base: {
    layers: 12,
    hidden: 768,
    heads: 12,
    intermediate: 3072,
    vocabulary: VOCABULARY,
    positions: POSITIONS,
  },
} as const satisfies Record<string, ModelShape>;

export type ModelName = keyof typeof SHAPES;
