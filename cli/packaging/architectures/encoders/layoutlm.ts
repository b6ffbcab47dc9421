import { addPositions, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { encodeEmbedded } from './bert.ts';

/** LayoutLM, for texts without positions on a page: as in transformers, all coordinates are 0. */
export function layoutlm(g: EncoderGraph): Value {
  const zero = g.writer.integer(0);
  // Left and right, top and bottom, height and width.
  const boxes = ['x', 'x', 'y', 'y', 'h', 'w'].map((axis) =>
    g.lookUp(`embeddings.${axis}_position_embeddings`, zero),
  );
  return encodeEmbedded(
    g,
    boxes.reduce((sum, box) => g.add(sum, box), addPositions(g, wordEmbeddings(g))),
  );
}
