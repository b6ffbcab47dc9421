import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BleuTokenizer } from '#gateway/evaluation/metrics/text/bleu-tokens.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

type Rouge = readonly (readonly [fmeasure: number, precision: number, recall: number])[];

interface GoldenPair {
  readonly prediction: string;
  readonly reference: string;
  readonly exact_match: readonly number[];
  readonly token_length: readonly number[];
  readonly rouge: Rouge;
  readonly rouge_stemmed: Rouge;
  /** Sentence scores, per tokenizer. */
  readonly bleu: readonly number[];
  readonly chrf: readonly number[];
  readonly meteor: number;
}

interface GoldenCorpus {
  readonly pairs: readonly number[];
  readonly bleu: readonly number[];
  readonly precisions: readonly number[];
  readonly brevity_penalty: number;
  readonly chrf: readonly number[];
}

interface GoldenTexts {
  readonly bleu_tokenizers: readonly BleuTokenizer[];
  readonly pairs: readonly GoldenPair[];
  readonly corpora: readonly GoldenCorpus[];
  readonly stems: readonly string[];
  readonly bertscore: readonly {
    readonly vectors: readonly [readonly number[][], readonly number[][]];
    readonly weights?: readonly [readonly number[], readonly number[]];
    readonly scores: readonly number[];
  }[];
}

/** Results of rouge-score, sacrebleu, NLTK and numpy, created by fixtures/scripts/make_text_metrics.py. */
export function readGoldenTexts(): GoldenTexts {
  return JSON.parse(readFileSync(join(FIXTURES, 'golden', 'metrics-text.json'), 'utf8')) as GoldenTexts;
}

/** The cases in which a number differs by 1e-6 or more. */
export function farOff<Case>(
  cases: readonly Case[],
  numbersOf: (golden: Case) => { readonly found: readonly number[]; readonly wanted: readonly number[] },
): unknown[] {
  if (cases.length === 0) throw new Error('there are no golden cases');
  return cases.flatMap((golden) => {
    const { found, wanted } = numbersOf(golden);
    const isClose =
      found.length === wanted.length &&
      wanted.every((number, at) => Math.abs(number - (found[at] ?? Number.NaN)) < 1e-6);
    return isClose ? [] : [{ golden, found, wanted }];
  });
}
