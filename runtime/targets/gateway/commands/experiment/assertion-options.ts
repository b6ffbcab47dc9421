/** Options for commands that check assertions. */
export const ASSERTION_OPTIONS = {
  baseline: {
    value: 'experiment_id|file',
    help: 'Earlier experiment to compare with, or a .json file with its comparison, as printed with --json',
  },
  junit: { value: 'file', help: 'Write the models’ results and assertions as JUnit XML' },
} as const;
