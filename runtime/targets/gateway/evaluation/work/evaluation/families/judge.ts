import { AppError, inputError } from '#contract/errors.ts';
import {
  type Criterion,
  JUDGE_DEFINITIONS,
  type JudgeDefinition,
  judgedMetric as judgeMetric,
  judgeValue,
  judgeMessages,
  readVerdict,
  type Verdict,
} from '../../../metrics/text/judge.ts';
import { textOfRow } from '../../inference/words.ts';
import type { ChatReply } from '../../backends/backend.ts';
import { isJobPause } from '../../job-pause.ts';
import {
  type BatchContext,
  type CountRow,
  isUnanswered,
  type Judge,
  type MetricFamily,
  type Sample,
} from '../evaluation.ts';
import { all, asIs } from '../scorer.ts';
import { cellText } from '../read-cells.ts';

/** Metrics for which a language model judges every row, with one call per criterion. */
export const judgeFamilies: readonly MetricFamily[] = JUDGE_DEFINITIONS.map(judgeFamily);

export function judgeFamily(definition: JudgeDefinition): MetricFamily {
  return {
    name: definition.name,
    metrics: { [definition.name]: all },
    needs: ['judge'],
    shownAs: asIs,
    open({ judge }, saved) {
      const metric = judgeMetric({ definition }, saved);
      if (!judge?.model.chat) {
        throw inputError(
          `${definition.name} requires a generative model as judge${judge ? `, not ${judge.model.name}` : ''}.`,
        );
      }
      return {
        prepare: (samples, context) =>
          Promise.all(
            samples.map(async (sample): Promise<CountRow> => {
              try {
                const row = isUnanswered(sample)
                  ? lowestOf(definition)
                  : await verdictsOf(definition, judge, sample, context);
                return Object.assign(() => metric.add(row), { reasons: reasonsOf(definition, row) });
              } catch (error) {
                context.signal.throwIfAborted();
                if (isJobPause(error)) throw error;
                return () => {
                  throw AppError.from(error);
                };
              }
            }),
          ),
        result: metric.result,
        save: metric.save,
      };
    },
  };
}

/** A judge's reasons, keyed by score name. */
const reasonsOf = (
  { name }: JudgeDefinition,
  row: Readonly<Record<string, Verdict>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(row).map(([criterion, { reason }]) => [judgeValue(name, criterion), reason]),
  );

/** The verdicts for a row without a response: the lowest score for every criterion. */
const lowestOf = ({ criteria }: JudgeDefinition): Record<string, Verdict> =>
  Object.fromEntries(criteria.map(({ name }) => [name, { score: 0, reason: 'The model gave no response.' }]));

async function verdictsOf(
  definition: JudgeDefinition,
  judge: Judge,
  sample: Sample,
  context: BatchContext,
): Promise<Record<string, Verdict>> {
  const verdicts: Record<string, Verdict> = {};
  for (const criterion of definition.criteria)
    verdicts[criterion.name] = await verdictOf(definition, criterion, judge, sample, context);
  return verdicts;
}

/**
 * Whether a verdict can be shared. A judge that is called again because its verdict was unreadable must not
 * get the same verdict from the cache.
 */
function isReadable({ text }: ChatReply): boolean {
  try {
    readVerdict(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Maximum number of calls per criterion. A model whose verdict is unreadable often responds correctly the
 * next time.
 */
const MAX_ATTEMPTS = 3;

async function verdictOf(
  definition: JudgeDefinition,
  criterion: Criterion,
  { model, generation }: Judge,
  { row, prediction, truth }: Sample,
  { signal, spend }: BatchContext,
): Promise<Verdict> {
  const texts = { input: textOfRow(row), prediction: cellText(prediction), reference: cellText(truth) };
  const messages = judgeMessages(definition, criterion, texts);
  for (let attempt = 1; ; attempt++) {
    const reply = await model.chat?.(messages, generation, signal, isReadable);
    if (reply) spend(reply);
    try {
      return readVerdict(reply?.text ?? '');
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
