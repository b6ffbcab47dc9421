import { inputError } from '#contract/errors.ts';
import {
  pairwise,
  pairwiseMessages,
  type PairwiseRow,
  readPairwiseVerdict,
} from '../../../metrics/text/pairwise.ts';
import { textOfRow } from '../../inference/words.ts';
import {
  type BatchContext,
  type CountRow,
  isUnanswered,
  type Judge,
  type MetricFamily,
  type Sample,
} from '../evaluation.ts';
import { cellText } from '../read-cells.ts';
import { all } from '../scorer.ts';
import { judgeVerdict, preparedRow } from './judge-call.ts';

/** The column with the outputs to compare with. */
const BASELINE = 'baseline';

/** A judge compares each output with a baseline, in both orders. Rows without a baseline are skipped. */
export const pairwiseFamily: MetricFamily = {
  name: 'pairwise',
  metrics: { pairwise: all },
  needs: ['judge'],
  shownAs: (value) => `pairwise_${value}`,
  open({ judge }, saved) {
    const metric = pairwise({}, saved);
    if (!judge?.model.chat) throw inputError('pairwise requires a generative model as judge.');
    return {
      prepare: (samples, context) =>
        Promise.all(
          samples.map(async (sample): Promise<CountRow> => {
            if (cellText(sample.row[BASELINE]).trim() === '') return () => ({});
            return await preparedRow(async () => {
              const { row, reason } = await comparedRow(sample, judge, context);
              return Object.assign(() => metric.add(row), { reasons: { win_rate: reason } });
            }, context);
          }),
        ),
      result: metric.result,
      save: metric.save,
    };
  },
};

async function comparedRow(
  sample: Sample,
  judge: Judge,
  context: BatchContext,
): Promise<{ readonly row: PairwiseRow; readonly reason: string }> {
  const [input, baseline] = [textOfRow(sample.row), cellText(sample.row[BASELINE])];
  if (isUnanswered(sample)) {
    const row: PairwiseRow = { modelFirst: 2, modelSecond: 1, longerBy: 0 };
    return { row, reason: 'The model gave no response.' };
  }
  const output = cellText(sample.prediction);
  const ask = (first: string, second: string) =>
    judgeVerdict(judge, pairwiseMessages({ input, first, second }), readPairwiseVerdict, context);
  const [modelFirst, modelSecond] = [await ask(output, baseline), await ask(baseline, output)];
  return {
    row: {
      modelFirst: modelFirst.winner,
      modelSecond: modelSecond.winner,
      longerBy: output.length - baseline.length,
    },
    reason: [modelFirst.reason, modelSecond.reason].filter((reason) => reason !== '').join(' / '),
  };
}
