import { addFirstTask, addPositions, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { encodeEmbedded } from './bert.ts';

/** ERNIE, which is BERT, but some models also have embeddings of the task. */
export function ernie(g: EncoderGraph): Value {
  const positioned = addPositions(g, wordEmbeddings(g));
  return encodeEmbedded(g, g.config.flag('use_task_id', false) ? addFirstTask(g, positioned) : positioned);
}
