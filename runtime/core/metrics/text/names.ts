import { JUDGE_DEFINITIONS } from './judge/definitions.ts';

/** What a metric reads beside predictions. */
type Needs = 'reference' | 'input' | 'encoder' | 'judge';

/** The metrics of generated text, and what has to be there for each. */
export const TEXT_METRICS: Readonly<Record<string, readonly Needs[]>> = {
  bertscore: ['reference', 'encoder'],
  bleu: ['reference'],
  chrf: ['reference'],
  exact_match: ['reference'],
  meteor: ['reference'],
  rouge: ['reference'],
  token_length: ['reference'],
  ...Object.fromEntries(
    JUDGE_DEFINITIONS.map(({ name, readsReference }) => [
      name,
      ['input', ...(readsReference ? ['reference' as const] : []), 'judge'] satisfies Needs[],
    ]),
  ),
};

/** Names that people may ask for and that cannot be had, with the way out. */
export const MISSING_TEXT_METRICS: Readonly<Record<string, string>> = {
  comet:
    'comet is not possible: it is a model of its own, which this program does not have. Take chrf, bertscore with an encoder or g_eval_translation with a judge.',
};
