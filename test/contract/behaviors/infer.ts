import type { Behaviors } from './behavior.ts';

/** Documented behavior of `infer`. */
export const INFER = {
  'infer:sequence_classification:shape': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior:
      'infer prints {"predictions": [{label, score}], "metadata": null}, with one prediction per input, in order.',
  },
  'infer:token_classification:shape': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior:
      'infer prints {"predictions": [{tokens, labels}], "metadata": null}, with one prediction per input, in order.',
  },
  'infer:sequence_classification:top-k': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior:
      '--top-k adds the labels with the highest scores, as in /predict; the option is rejected for other model types.',
  },
  'infer:token_classification:aggregation': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior:
      '--aggregation adds the same entities as /predict, for each strategy and for files; `none` adds no entities.',
  },
  'infer:embedding:shape': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior:
      'infer prints {"embeddings": [[float]], "metadata": null}, with one vector per input, in order.',
  },
  'infer:embedding:normalize': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior:
      'With --normalize=true, infer returns vectors of length 1; with --normalize=false, it returns them unchanged.',
  },
  'infer:embedding:pooling': {
    source: 'docs/infer.md',
    behavior: 'With --pooling=none, infer returns one vector per token, without special tokens.',
  },
  'infer:out-dir': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: '-o/--out-dir sets the output file, and nothing is printed to stdout.',
  },
  'infer:format': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: '-f/--format accepts only json, which is the default.',
  },
  'infer:empty': {
    source: 'docs/infer.md#texts-as-arguments',
    behavior: 'An empty text is rejected with "Cannot tokenize empty string" and exit code 1.',
  },
  'infer:missing-inputs': {
    source: 'docs/troubleshooting.md#starting-an-executable',
    behavior: 'Passing no text is a usage error with exit code 2.',
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
    behavior: 'Labels, scores and vectors for all golden texts match those of independent libraries.',
  },
  'infer:timing': {
    source: 'docs/infer.md',
    behavior:
      '--timing prints the duration of each step to stderr, as a table or, with --json, as one line of JSON.',
  },
  'infer:device': {
    source: 'docs/gpu.md',
    behavior:
      '--device requires --input. With auto, a run without a GPU uses the CPU and prints the reason; with gpu, it fails with the reason.',
  },
  'infer:gpu-libraries': {
    source: 'docs/gpu.md#cuda',
    behavior:
      '--gpu-libraries requires a device, and rejects folders without the libraries of CUDA, libraries of another version, and files that are not libraries.',
  },
  'infer:file:formats': {
    source: 'docs/infer.md',
    behavior: '--input reads .txt, .jsonl and .csv files, and infer writes one JSON line per text, in order.',
  },
  'infer:file:bad-lines': {
    source: 'docs/infer.md',
    behavior:
      'For an invalid text, the output contains a line with the error; all other texts produce results, and the exit code is 1.',
  },
  'infer:file:blank': {
    source: 'docs/infer.md',
    behavior:
      'Blank lines in text and JSON Lines files are skipped, and the number of skipped lines is printed.',
  },
  'infer:file:utf8': {
    source: 'docs/infer.md',
    behavior: 'A file that is not UTF-8 causes an error with the line number.',
  },
  'infer:file:failed-texts': {
    source: 'docs/infer.md',
    behavior:
      'For a text on which the transform or the model fails, the output contains a line with the error; all other texts produce results, and the exit code is 1.',
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
      'If the reader of its output exits (| head), infer stops without an error and exits with code 0.',
  },
  'infer:file:resume-failed': {
    source: 'docs/infer.md',
    behavior: 'A resumed run also exits with code 1 if a text failed before the run was killed.',
  },
  'infer:output:input': {
    source: 'docs/infer.md',
    behavior:
      'An output path that is the input file or the running executable is rejected, even if it is a link.',
  },
  'infer:output:stream': {
    source: 'docs/infer.md',
    behavior: 'Devices, pipes and inherited descriptors are written in place, and a symbolic link is kept.',
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
