import type { Json as MetricJson } from '../../metrics/metric.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { createCallsAhead } from '../ahead.ts';
import { DEFAULT_CONCURRENCY, type EvaluationSpec, type Work, type WorkTools } from '../work.ts';
import { openBackend } from '../backends/open-backend.ts';
import { withSharedAnswers } from '../backends/shared-answers.ts';
import type { Pacing } from '../pacing.ts';
import { TASKS } from '../tasks/index.ts';
import type { ScorerTools } from './evaluation.ts';
import { evaluationResult } from './evaluation-result.ts';
import { customFamily } from './custom/custom-family.ts';
import { type ChosenFamily, checkMetrics, familiesOf } from './metrics.ts';
import { all } from './names.ts';
import { addRows, NO_ROWS, type RowCounts } from './row-counts.ts';
import { outcomeOf, samplesOf } from './rows.ts';
import { countBatch, type OpenedFamily, prepareBatch } from './score-batch.ts';

/** The state after a batch. States of metrics are stored by the name of their family. */
interface State {
  readonly counts: RowCounts;
  readonly families: Readonly<Record<string, MetricJson>>;
}

export async function openEvaluation(
  spec: EvaluationSpec,
  tools: WorkTools,
  checkpoint: Json | null,
  pacing: Pacing,
): Promise<Work> {
  const task = TASKS[spec.task.task];
  checkMetrics(task, spec.metrics, { judge: spec.judge !== null, embedder: spec.embedder !== null });
  const chosen = chosenFamilies(spec);
  const models = await openModels(spec, chosen, tools, pacing);
  const openAt = (from: Json | null): { opened: OpenedFamily[]; counts: RowCounts } => {
    const { counts, families } = (from as unknown as State | null) ?? { counts: NO_ROWS, families: {} };
    const opened = chosen.map(({ family, shows }) => ({
      family,
      shows,
      scorer: family.open({ ...models, pacing }, families[family.name]),
    }));
    return { opened, counts };
  };
  let { opened, counts } = await openOrClose(() => openAt(checkpoint), models);
  const calls = createCallsAhead(concurrencyOf(spec), async (rows, signal) => {
    const samples = samplesOf(spec, rows);
    let [promptTokens, completionTokens, cachedVerdicts] = [0, 0, 0];
    const prepared = await prepareBatch(opened, samples, {
      signal,
      spend(usage) {
        promptTokens += usage.promptTokens;
        completionTokens += usage.completionTokens;
        if (usage.isShared === true) cachedVerdicts += 1;
      },
    });
    return { samples, prepared, usage: { promptTokens, completionTokens }, cachedVerdicts };
  });

  return {
    ahead: models.judge && calls.ahead,
    // Answers are compared in no time, and verdicts of judges are kept.
    writesGroups: true,
    async run({ rows }, signal) {
      const { samples, prepared, usage, cachedVerdicts } = await calls.take(rows, signal);
      signal.throwIfAborted();
      const scored = countBatch(opened, prepared, samples.length);
      const { outcome, counted } = outcomeOf({ spec, task, rows, samples, scored, usage });
      counts = addRows(counts, { ...counted, cachedVerdicts });
      return outcome;
    },
    checkpoint() {
      const families = opened.map(({ family, scorer }) => [family.name, scorer.save()] as const);
      return { counts: { ...counts }, families: Object.fromEntries(families) };
    },
    resume: (from) => void ({ opened, counts } = openAt(from)),
    result: () => evaluationResult(spec, opened, counts),
    close: () => closeAll(models),
  };
}

const concurrencyOf = ({ judge }: Pick<EvaluationSpec, 'judge'>): number =>
  judge?.maxConcurrency ?? DEFAULT_CONCURRENCY;

/** The families of the requested metrics and of those that the user defines. */
const chosenFamilies = ({ task, metrics, customMetrics = [] }: EvaluationSpec): readonly ChosenFamily[] => [
  ...familiesOf(TASKS[task.task], metrics),
  ...customMetrics.map((metric) => ({ family: customFamily(metric), shows: all })),
];

type Models = Pick<ScorerTools, 'judge' | 'embedder'>;

async function openModels(
  spec: EvaluationSpec,
  chosen: readonly ChosenFamily[],
  tools: WorkTools,
  pacing: Pacing,
): Promise<Models> {
  const { judge, embedder } = spec;
  const needs = new Set(chosen.flatMap(({ family }) => family.needs));
  const options = { pacing, maxConcurrency: concurrencyOf(spec) };
  const judging =
    judge && needs.has('judge')
      ? withSharedAnswers(await openBackend(judge.backend, tools, options), judge.backend, tools.answers)
      : undefined;
  try {
    const embedding =
      embedder && needs.has('embedder') ? await openBackend(embedder.backend, tools, options) : undefined;
    return {
      judge: judging && { model: judging, generation: judge?.generation ?? {} },
      embedder: embedding,
    };
  } catch (error) {
    await judging?.close();
    throw error;
  }
}

async function openOrClose<Opened>(open: () => Opened, models: Models): Promise<Opened> {
  try {
    return open();
  } catch (error) {
    await closeAll(models);
    throw error;
  }
}

async function closeAll({ judge, embedder }: Models): Promise<void> {
  await Promise.all([judge?.model.close(), embedder?.close()]);
}
