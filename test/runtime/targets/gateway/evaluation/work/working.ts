import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import type {
  Backend,
  BatchOutcome,
  EvaluationSpec,
  InferenceSpec,
  Work,
  WorkTools,
} from '#gateway/evaluation/work/work.ts';
import { systemClock } from '#platform/clock.ts';
import type { Json } from '#gateway/providers/shapes/chat.ts';
import { openWork } from '#gateway/evaluation/work/open-work.ts';
import type { Pacing } from '#gateway/evaluation/work/pacing.ts';

export const signal = new AbortController().signal;

/** Waits like a production task, but without random jitter. */
const pacing: Pacing = { clock: systemClock, random: () => 0 };

export const toolsOf = (own: Partial<WorkTools> = {}): WorkTools => ({
  gateway: { url: 'http://127.0.0.1:9', token: 'worker-token-0123' },
  secret: async (name) => `secret-of-${name}`,
  log: () => undefined,
  trusted: true,
  ...own,
});

export const inferenceOf = (backend: Backend, own: Partial<InferenceSpec> = {}): InferenceSpec => ({
  type: 'inference',
  task: { task: 'text-classification' },
  backend,
  batchSize: 4,
  generation: {},
  systemPrompt: '',
  outputField: 'predictions',
  maxErrorRate: 0,
  ...own,
});

export const evaluationOf = (own: Partial<EvaluationSpec> = {}): EvaluationSpec => ({
  type: 'evaluation',
  task: { task: 'text-classification' },
  metrics: ['accuracy'],
  predictionField: 'predictions',
  batchSize: 4,
  judge: null,
  embedder: null,
  maxErrorRate: 0,
  ...own,
});

export const encoderAt = (baseUrl: string): Backend => ({ kind: 'encoder-url', baseUrl, secretName: null });

/** Runs a task that is closed after the test, whatever the outcome. */
export async function withWork<Result>(
  spec: InferenceSpec | EvaluationSpec,
  use: (work: Work) => Promise<Result>,
  options: { readonly tools?: WorkTools; readonly checkpoint?: Json | null } = {},
): Promise<Result> {
  const work = await openWork(spec, options.tools ?? toolsOf(), options.checkpoint ?? null, pacing);
  try {
    return await use(work);
  } finally {
    await work.close();
  }
}

/** All rows as one batch. */
export const runAll = (work: Work, rows: readonly RowCells[], firstRow = 0): Promise<BatchOutcome> =>
  work.run({ firstRow, rows }, signal);
