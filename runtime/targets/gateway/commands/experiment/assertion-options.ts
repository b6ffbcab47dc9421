/** Options for commands that check assertions. */
export const ASSERTION_OPTIONS = {
  baseline: { value: 'experiment_id', help: 'Earlier experiment to compare with' },
  junit: { value: 'file', help: 'Write the models’ results and assertions as JUnit XML' },
} as const;
