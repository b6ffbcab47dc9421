/** The sizes that make a BERT-like encoder what it is. */
export interface ModelShape {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly intermediate: number;
  readonly vocabulary: number;
  readonly positions: number;
}

const VOCABULARY = 30_522;
const POSITIONS = 512;

/** The two sizes people use most: MiniLM-L6 (90 MB) and BERT-base (435 MB), both in float32. */
export const SHAPES = {
  m6: {
    layers: 6,
    hidden: 384,
    heads: 12,
    intermediate: 1536,
    vocabulary: VOCABULARY,
    positions: POSITIONS,
  },
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
