import { AppError, inputError } from '../../../../../../contract/errors.ts';
import {
  type Criterion,
  JUDGE_DEFINITIONS,
  type JudgeDefinition,
} from '../../../metrics/text/judge/definitions.ts';
import { judgeMessages } from '../../../metrics/text/judge/messages.ts';
import { judge as judgeMetric } from '../../../metrics/text/judge/metric.ts';
import { readVerdict, type Verdict } from '../../../metrics/text/judge/verdict.ts';
import { textOfRow } from '../../inference/text-of-row.ts';
import { atOnce } from '../../inference/at-once.ts';
import {
  type BatchContext,
  type CountRow,
  isUnanswered,
  type Judge,
  type MetricFamily,
  type Sample,
} from '../evaluation.ts';
import { all, asIs } from '../names.ts';
import { readText } from '../../read-text.ts';

/** Ask a language model about every row, once for each criterion. */
export const judgeFamilies: readonly MetricFamily[] = JUDGE_DEFINITIONS.map((definition) => ({
  name: definition.name,
  metrics: { [definition.name]: all },
  needs: ['judge'],
  shownAs: asIs,
  open({ judge, batchSize }, saved) {
    const metric = judgeMetric({ definition }, saved);
    if (!judge?.model.chat) {
      throw inputError(
        `${definition.name} needs a judge that writes${judge ? `, which ${judge.model.name} does not` : ''}.`,
      );
    }
    return {
      prepare: (samples, context) =>
        atOnce(samples, batchSize, async (sample): Promise<CountRow> => {
          try {
            const row = isUnanswered(sample)
              ? lowestOf(definition)
              : await verdictsOf(definition, judge, sample, context);
            return () => metric.add(row);
          } catch (error) {
            context.signal.throwIfAborted();
            return () => {
              throw AppError.from(error);
            };
          }
        }),
      result: metric.result,
      save: metric.save,
    };
  },
}));

/** There is nothing to judge. */
const lowestOf = ({ criteria }: JudgeDefinition): Record<string, Verdict> =>
  Object.fromEntries(criteria.map(({ name }) => [name, { score: 0, reason: 'The model gave no answer.' }]));

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

/** A judge that cannot be understood may be the next time. */
const ATTEMPTS = 3;

async function verdictOf(
  definition: JudgeDefinition,
  criterion: Criterion,
  { model, generation }: Judge,
  { row, prediction, truth }: Sample,
  { signal, spend }: BatchContext,
): Promise<Verdict> {
  const texts = { input: textOfRow(row), prediction: readText(prediction), reference: readText(truth) };
  const messages = judgeMessages(definition, criterion, texts);
  for (let attempt = 1; ; attempt++) {
    const reply = await model.chat?.(messages, generation, signal);
    spend({ promptTokens: reply?.promptTokens ?? 0, completionTokens: reply?.completionTokens ?? 0 });
    try {
      return readVerdict(reply?.text ?? '');
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
