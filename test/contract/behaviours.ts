/** What users can rely on: an id, where it is promised, and the promise. `coverage.test.ts` counts tests both ways. */
export const BEHAVIOURS = {
  'infer:sequence_classification:shape': {
    source: 'encoder contract 4.4',
    behaviour: 'infer prints {"predictions": [{label, score}], "metadata": null}, one per input, in order.',
  },
  'infer:token_classification:shape': {
    source: 'encoder contract 4.4',
    behaviour: 'infer prints {"predictions": [{tokens, labels}], "metadata": null}, one per input, in order.',
  },
  'infer:embedding:shape': {
    source: 'encoder contract 4.4',
    behaviour: 'infer prints {"embeddings": [[float]], "metadata": null}, one vector per input, in order.',
  },
  'infer:embedding:normalize': {
    source: 'encoder contract 4.4',
    behaviour: '--normalize=true gives vectors of length 1, --normalize=false leaves them as they are.',
  },
  'infer:embedding:pooling': {
    source: 'docs/infer.md',
    behaviour: '--pooling=none gives one vector per token, without special tokens.',
  },
  'infer:out-dir': {
    source: 'encoder contract 4.4',
    behaviour: '-o/--out-dir names the file that results are written to; nothing is printed then.',
  },
  'infer:format': {
    source: 'encoder contract 4.4',
    behaviour: '-f/--format accepts json, which is the default, and nothing else.',
  },
  'infer:empty': {
    source: 'encoder contract 7, design "Encoder semantics"',
    behaviour: 'An empty text is refused with "Cannot tokenize empty string", exit code 1.',
  },
  'infer:missing-inputs': {
    source: 'encoder contract 7',
    behaviour: 'No text at all is a usage error, exit code 2.',
  },
  'infer:unknown-flag': {
    source: 'encoder contract 7',
    behaviour: 'An unknown flag is one clear line and exit code 2.',
  },
  'infer:option-of-another-type': {
    source: 'docs/infer.md',
    behaviour: '--normalize for a model that is not an embedding model is refused with a reason.',
  },
  'infer:dash-text': {
    source: 'docs/infer.md',
    behaviour: 'A text that starts with a dash can be given after --.',
  },
  'infer:golden': {
    source: 'issue: fixture models',
    behaviour: 'Labels, scores and vectors of all golden texts are those that independent libraries compute.',
  },
  'infer:file:formats': {
    source: 'docs/infer.md',
    behaviour: '--input reads .txt, .jsonl and .csv, and writes a line of JSON per text, in order.',
  },
  'infer:file:bad-lines': {
    source: 'docs/infer.md',
    behaviour: 'A text that cannot be used gets a line with its error; the others are answered; exit code 1.',
  },
  'infer:file:resume': {
    source: 'docs/infer.md',
    behaviour:
      'A run that was killed continues where it stopped, and the result is the same as without the kill.',
  },
  'infer:file:reader-gone': {
    source: 'docs/infer.md',
    behaviour: 'When the reader of its output goes away (| head) it stops, quietly and with exit code 0.',
  },
  'infer:file:problems': {
    source: 'docs/infer.md',
    behaviour: 'A missing file, a folder, a missing column and broken CSV are each one clear sentence.',
  },
  'help:exit-codes': {
    source: 'design "Services decided"',
    behaviour: '--help is on every command with exit code 0; an unknown command has exit code 2.',
  },
  'inspect:facts': {
    source: 'docs/executable.md',
    behaviour: 'inspect tells name, type, labels and sizes, as a table or with --json.',
  },
  'verify:intact': {
    source: 'design "The executable format"',
    behaviour: 'verify reads every section and says that the file is intact.',
  },
  'executable:moved': {
    source: 'issue: the executable',
    behaviour:
      'It works copied, renamed (spaces, non-ASCII), through a symbolic link and from a read-only folder.',
  },
  'executable:read-only-home': {
    source: 'issue: the executable',
    behaviour: 'With a home folder that cannot be written it unpacks its libraries elsewhere.',
  },
  'executable:noexec': {
    source: 'issue: the executable',
    behaviour:
      'Where a cache folder forbids execution it uses the next one; where all do it says what to set.',
  },
  'executable:first-start-twice': {
    source: 'issue: the executable',
    behaviour: 'Several processes at the very first start at once all work, and leave one unpacked copy.',
  },
  'executable:no-network': {
    source: 'issue: the executable',
    behaviour: 'It needs no network.',
  },
  'executable:private': {
    source: 'docs/executable.md',
    behaviour: 'It leaves nothing in the home folder but its unpacked libraries: no telemetry, no device id.',
  },
  'executable:damaged-libraries': {
    source: 'design "The executable format"',
    behaviour: 'Unpacked libraries that were cut or belong to somebody else are replaced, not loaded.',
  },
  'executable:damaged': {
    source: 'issue: the executable',
    behaviour:
      'A truncated or altered file, a missing section and a newer format are each one sentence, exit code 1.',
  },
  'executable:stdout': {
    source: 'issue: the executable',
    behaviour: 'Stdout holds the result only, whatever the environment says to Node.',
  },
  'build:contract-options': {
    source: 'encoder contract 4.4',
    behaviour: 'build takes every option of the contract; flags override the config file.',
  },
  'build:default-output': {
    source: 'encoder contract 2',
    behaviour:
      'The default output is ./<name>.encoder in the current directory; names of any kind give a usable file.',
  },
  'build:assets': {
    source: 'encoder contract 2, 4.4',
    behaviour: '--no-build and build: false write the assets without an executable.',
  },
  'build:missing-files': {
    source: 'encoder contract 7',
    behaviour: 'Missing model files give the messages of the contract.',
  },
  'build:bad-model': {
    source: 'issue: bad input',
    behaviour: 'A broken or unfit ONNX model is one clear sentence, exit code 1, and nothing is written.',
  },
  'build:bad-tokenizer': {
    source: 'issue: bad input',
    behaviour: 'An invalid tokenizer, or that of another model, is refused.',
  },
  'build:bad-labels': {
    source: 'issue: bad input',
    behaviour: 'Missing or too few labels are refused with the numbers.',
  },
  'build:bad-config': {
    source: 'issue: bad input',
    behaviour: 'A broken config names file, line and column of every problem at once.',
  },
  'build:transform': {
    source: 'README',
    behaviour: 'A transform is refused with a reason, not silently left out, as long as it cannot be run.',
  },
  'build:bad-output': {
    source: 'issue: bad input',
    behaviour:
      'An output path that is a folder, unwritable or on a full disk is refused; an old file stays intact.',
  },
  'build:two-at-once': {
    source: 'issue: bad input',
    behaviour: 'Two builds to the same output at once both end well, and the file is whole.',
  },
  'build:killed': {
    source: 'issue: bad input',
    behaviour:
      'kill -9 during a build leaves the old file intact; the next build removes what was left behind.',
  },
  'build:cache-directory': {
    source: 'encoder contract 7',
    behaviour: "Without a home folder it says 'Cannot locate cache directory' and what to set.",
  },
  'build:platform': {
    source: 'encoder contract 4.4',
    behaviour:
      'Platforms have triples and short names; unknown ones are refused with a suggestion, as is a download that is forbidden.',
  },
} as const satisfies Record<string, { source: string; behaviour: string }>;

export type BehaviourId = keyof typeof BEHAVIOURS;
