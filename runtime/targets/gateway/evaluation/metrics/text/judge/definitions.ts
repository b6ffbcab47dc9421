/** A question that a judge answers with one score. */
export interface Criterion {
  /** Name in snake_case, used in names of values. */
  readonly name: string;
  /** A good output, described in a sentence or two. */
  readonly description: string;
  readonly steps: readonly string[];
}

export interface JudgeDefinition {
  /** Name in snake_case, the prefix of names of values. */
  readonly name: string;
  /** The task of the model whose output is judged. */
  readonly task: string;
  /** Whether the judge sees the reference. */
  readonly readsReference: boolean;
  readonly criteria: readonly Criterion[];
}

const FLUENCY_STEPS: readonly string[] = [
  'Look for mistakes in the output, whatever it says.',
  'A text that is hard to understand is in the lowest third of the scale, one that is understood in spite of its mistakes in the middle, one with hardly any in the highest.',
];

const SUMMARY_CRITERIA: readonly Criterion[] = [
  {
    name: 'coherence',
    description:
      'The sentences belong together and come in an order that makes sense: the output develops one subject instead of listing facts.',
    steps: [
      'Find the subject and the main points of the input.',
      'See whether the output presents them in a clear and logical order, each sentence leading to the next.',
    ],
  },
  {
    name: 'consistency',
    description:
      'Everything that the output states follows from the input. Invented or altered facts lower the score.',
    steps: ['List the facts that the output states.', 'Look each of them up in the input.'],
  },
  {
    name: 'fluency',
    description: 'Grammar, spelling, punctuation, choice of words and structure of sentences are right.',
    steps: FLUENCY_STEPS,
  },
  {
    name: 'relevance',
    description:
      'The output has what matters in the input and little else. Repetitions and side issues lower the score.',
    steps: [
      'Find the main points of the input.',
      'See which of them the output has, and what it has besides them.',
    ],
  },
];

const TRANSLATION_CRITERIA: readonly Criterion[] = [
  {
    name: 'consistency',
    description:
      'The output says what the input says: nothing is added, left out or changed in meaning. Names, numbers and negations are right.',
    steps: [
      'Go through the input statement by statement.',
      'Look for each in the output, and for what only the output has.',
    ],
  },
  {
    name: 'fluency',
    description:
      'The output reads as if it had been written in its language: grammar, spelling, punctuation, choice of words and structure of sentences are right.',
    steps: FLUENCY_STEPS,
  },
];

/** Predefined judgments. */
export const JUDGE_DEFINITIONS: readonly JudgeDefinition[] = [
  {
    name: 'g_eval_summarization',
    task: 'summarize a text',
    readsReference: true,
    criteria: SUMMARY_CRITERIA,
  },
  {
    name: 'g_eval_translation',
    task: 'translate a text',
    readsReference: true,
    criteria: TRANSLATION_CRITERIA,
  },
  {
    name: 'g_eval_translation_noref',
    task: 'translate a text',
    readsReference: false,
    criteria: TRANSLATION_CRITERIA,
  },
];
