import type { Json } from '../../providers/shapes/chat.ts';
import type { Work, WorkSpec, WorkTools } from './work.ts';
import { openEvaluation } from './evaluation/open-evaluation.ts';
import { openInference } from './inference/open-inference.ts';
import { PACING, type Pacing } from './pacing.ts';

/** Opens a job's models, at its start or to continue from a checkpoint. Throws an AppError if the job cannot run. */
export function openWork(
  spec: WorkSpec,
  tools: WorkTools,
  checkpoint: Json | null,
  pacing: Pacing = PACING,
): Promise<Work> {
  return spec.type === 'evaluation'
    ? openEvaluation(spec, tools, checkpoint, pacing)
    : openInference(spec, tools, checkpoint, pacing);
}
