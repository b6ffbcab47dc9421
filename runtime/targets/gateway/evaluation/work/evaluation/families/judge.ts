import { inputError } from '#contract/errors.ts';
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
import {
  type BatchContext,
  isUnanswered,
  type Judge,
  type MetricFamily,
  type Sample,
} from '../evaluation.ts';
import { all, asIs } from '../scorer.ts';
import { cellText } from '../read-cells.ts';
import { judgeVerdict, preparedRow } from './judge-call.ts';

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
            samples.map((sample) =>
              preparedRow(async () => {
                const row = isUnanswered(sample)
                  ? lowestOf(definition)
                  : await verdictsOf(definition, judge, sample, context);
                return Object.assign(() => metric.add(row), { reasons: reasonsOf(definition, row) });
              }, context),
            ),
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

function verdictOf(
  definition: JudgeDefinition,
  criterion: Criterion,
  judge: Judge,
  { row, prediction, truth }: Sample,
  context: BatchContext,
): Promise<Verdict> {
  const texts = { input: textOfRow(row), prediction: cellText(prediction), reference: cellText(truth) };
  const messages = judgeMessages(definition, criterion, texts);
  return judgeVerdict(judge, messages, (text) => readVerdict(text), context);
}
