import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bertscore } from '#gateway/evaluation/metrics/text/bertscore.ts';
import { bleu } from '#gateway/evaluation/metrics/text/bleu.ts';
import { chrf } from '#gateway/evaluation/metrics/text/chrf.ts';
import { cer, wer } from '#gateway/evaluation/metrics/text/error-rate.ts';
import { exactMatch } from '#gateway/evaluation/metrics/text/exact-match.ts';
import { meteor } from '#gateway/evaluation/metrics/text/meteor.ts';
import { rouge } from '#gateway/evaluation/metrics/text/rouge.ts';
import type { TextRow } from '#gateway/evaluation/metrics/text/text-row.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { scoreRows } from '../golden-metrics.ts';
import { farOff } from './golden-texts.ts';

interface GoldenRow {
  readonly prediction: string;
  readonly references: readonly string[];
  readonly exact_match: readonly number[];
  readonly rouge: readonly (readonly number[])[];
  readonly bleu: number;
  readonly chrf: readonly number[];
  readonly meteor: number;
  readonly wer: number | null;
  readonly cer: number | null;
}

interface Golden {
  readonly rows: readonly GoldenRow[];
  readonly corpora: readonly {
    readonly rows: readonly number[];
    readonly bleu: number;
    readonly chrf: readonly number[];
  }[];
}

/** Results of rouge-score, sacrebleu, NLTK and jiwer, created by fixtures/scripts/make_references.py. */
const golden = JSON.parse(
  readFileSync(join(FIXTURES, 'golden', 'metrics-references.json'), 'utf8'),
) as Golden;

const rowOf = ({ prediction, references: [reference = '', ...otherReferences] }: GoldenRow): TextRow => ({
  prediction,
  reference,
  otherReferences,
});
const MAKERS = [exactMatch, rouge, bleu, chrf, meteor] as const;

test('row scores with several references match the libraries', () => {
  expect(golden.rows.filter(({ references }) => references.length > 1).length).toBeGreaterThan(100);
  const wrong = farOff(golden.rows, (row) => {
    const scores = MAKERS.map((make) => make({}).add(rowOf(row)));
    const [exact, rouges, bleus, chrfs, meteors] = scores;
    const found = [
      exact?.['exact_match'],
      exact?.['exact_match_normalized'],
      ...['rouge1', 'rouge2', 'rougeL', 'rougeLsum'].flatMap((type) =>
        ['mean', 'precision_mean', 'recall_mean'].map((kind) => rouges?.[`${type}_${kind}`]),
      ),
      bleus?.['bleu'],
      chrfs?.['chrf'],
      chrfs?.['chrf_plus_plus'],
      meteors?.['meteor_mean'],
      ...(row.wer === null ? [] : [wer({}).add(rowOf(row))['wer']]),
      ...(row.cer === null ? [] : [cer({}).add(rowOf(row))['cer']]),
    ].map((score) => score ?? Number.NaN);
    const rates = [row.wer, row.cer].filter((rate) => rate !== null);
    const wanted = [...row.exact_match, ...row.rouge.flat(), row.bleu, ...row.chrf, row.meteor, ...rates];
    return { found, wanted };
  });
  expect(wrong).toEqual([]);
});

test('corpus scores with several references match sacrebleu, even after a restart', () => {
  const wrong = farOff(golden.corpora, (corpus) => {
    const rows = corpus.rows.flatMap((number) => {
      const row = golden.rows[number];
      return row ? [rowOf(row)] : [];
    });
    const values = [bleu, chrf].map((make) => scoreRows(make, {}, rows).result.values);
    const found = [values[0]?.['bleu'], values[1]?.['chrf'], values[1]?.['chrf_plus_plus']];
    return { found: found.map((score) => score ?? Number.NaN), wanted: [corpus.bleu, ...corpus.chrf] };
  });
  expect(wrong).toEqual([]);
});

test('each BERTScore value uses the best reference', () => {
  const vectors = (...all: number[][]) => ({ vectors: all });
  const row = { prediction: vectors([1, 0], [0, 1]), reference: vectors([1, 0]) };
  const one = bertscore({}).add(row);
  const two = bertscore({}).add({ ...row, otherReferences: [vectors([1, 0], [0, 1], [1, 1])] });
  expect(one).toMatchObject({ bertscore_precision_mean: 0.5, bertscore_recall_mean: 1 });
  expect(two).toMatchObject({ bertscore_precision_mean: 1, bertscore_recall_mean: 1 });
});
