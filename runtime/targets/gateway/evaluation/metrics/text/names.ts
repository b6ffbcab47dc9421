/** Metrics that users may request and that are not available, each with the alternative. */
export const MISSING_TEXT_METRICS: Readonly<Record<string, string>> = {
  comet:
    'comet is not available: its model scores the vectors of three texts together, which no encoder executable does. Use chrf, bertscore with an encoder, or g_eval_translation with a judge.',
};
