import type { Behaviors } from './behavior.ts';

/** What `infer` promises. */
export const INFER = {
  'infer:sequence_classification:shape': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: 'infer prints {"predictions": [{label, score}], "metadata": null}, one per input, in order.',
  },
  'infer:token_classification:shape': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: 'infer prints {"predictions": [{tokens, labels}], "metadata": null}, one per input, in order.',
  },
  'infer:sequence_classification:top-k': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: '--top-k adds the labels with the highest scores, like /predict; other model types reject it.',
  },
  'infer:token_classification:aggregation': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior:
      '--aggregation adds the same entities as /predict, for each strategy and for files; none adds no entities.',
  },
  'infer:embedding:shape': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: 'infer prints {"embeddings": [[float]], "metadata": null}, one vector per input, in order.',
  },
  'infer:embedding:normalize': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: '--normalize=true returns vectors of length 1, --normalize=false returns them unchanged.',
  },
  'infer:embedding:pooling': {
    source: 'docs/infer.md',
    behavior: '--pooling=none returns one vector per token, without special tokens.',
  },
  'infer:out-dir': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: '-o/--out-dir sets the output file, and nothing is printed to stdout.',
  },
  'infer:format': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: '-f/--format accepts only json, the default.',
  },
  'infer:empty': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: 'An empty text is rejected with "Cannot tokenize empty string", exit code 1.',
  },
  'infer:missing-inputs': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'Passing no text at all is a usage error, exit code 2.',
  },
  'infer:unknown-flag': {
    source: 'docs/troubleshooting.md#command-lines-of-all-programs',
    behavior: 'An unknown flag causes a one-line error and exit code 2.',
  },
  'infer:option-of-another-type': {
    source: 'docs/infer.md',
    behavior: '--normalize is rejected with a reason if the model is not an embedding model.',
  },
  'infer:dash-text': {
    source: 'docs/infer.md',
    behavior: 'A text that starts with a dash can be passed after --.',
  },
  'infer:golden': {
    source: 'docs/build.md#model-types',
    behavior: 'Labels, scores and vectors of all golden texts match those of independent libraries.',
  },
  'infer:timing': {
    source: 'docs/infer.md',
    behavior: '--timing prints on stderr how long each step takes: a table, or one line of JSON with --json.',
  },
  'infer:file:formats': {
    source: 'docs/infer.md',
    behavior: '--input reads .txt, .jsonl and .csv, and writes one JSON line per text, in order.',
  },
  'infer:file:bad-lines': {
    source: 'docs/infer.md',
    behavior: 'An invalid text gets a line with its error; the others get results, and the exit code is 1.',
  },
  'infer:file:blank': {
    source: 'docs/infer.md',
    behavior: 'Blank lines of text and JSON Lines files are skipped, and their number is printed.',
  },
  'infer:file:utf8': {
    source: 'docs/infer.md',
    behavior: 'A file that is not UTF-8 causes an error with the line number.',
  },
  'infer:file:failed-texts': {
    source: 'docs/infer.md',
    behavior:
      'A text for which the transform or the model fails gets a line with the error; the others get results, and the exit code is 1.',
  },
  'infer:not-finite': {
    source: 'docs/infer.md',
    behavior:
      'NaN or infinity from the transform or the model causes a one-sentence error on stderr and exit code 1.',
  },
  'infer:file:resume': {
    source: 'docs/infer.md',
    behavior: 'A killed run resumes where it stopped, with the same result as an uninterrupted run.',
  },
  'infer:file:reader-gone': {
    source: 'docs/infer.md',
    behavior:
      'If the reader of its output exits (| head), infer stops without an error and with exit code 0.',
  },
  'infer:file:resume-failed': {
    source: 'docs/infer.md',
    behavior: 'A resumed run also exits with 1 if a text failed before the run was killed.',
  },
  'infer:output:input': {
    source: 'docs/infer.md',
    behavior:
      'An output path that is the input file or the running executable is rejected, also through links.',
  },
  'infer:output:stream': {
    source: 'docs/infer.md',
    behavior: 'Devices, pipes and inherited descriptors are written in place; a symbolic link is kept.',
  },
  'infer:output:locked': {
    source: 'docs/infer.md',
    behavior: 'A second run with --input and the same output is rejected while the first one is running.',
  },
  'infer:file:problems': {
    source: 'docs/infer.md',
    behavior:
      'A missing file, a folder, a missing column and invalid CSV each cause a clear one-sentence error.',
  },
  'infer:truncated': {
    source: 'docs/infer.md',
    behavior: 'A warning on stderr reports the number of truncated texts.',
  },
} as const satisfies Behaviors;
