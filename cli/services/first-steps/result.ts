import type { ModelType } from '#contract/model-types.ts';
import { inferExample } from '../build-executable/result.ts';
import { alignColumns, argumentWord } from '../text.ts';

export interface FoundModel {
  /** Path of the folder as the user would type it. */
  readonly path: string;
  /** The guessed type; undefined if the files do not specify it. */
  readonly modelType: ModelType | undefined;
}

/** What the current folder contains. */
export interface FolderContents {
  readonly version: string;
  /** Name of the config file. */
  readonly config: string | undefined;
  readonly models: readonly FoundModel[];
  /** File names of executables. */
  readonly executables: readonly string[];
}

type Row = readonly [command: string, description: string];

/** Maximum number of executables to show. */
const MAX_EXECUTABLES = 3;

/** Formats the commands that suit a folder. */
export function firstStepsText({ version, config, models, executables }: FolderContents): string {
  const found = [
    ...(config === undefined ? [] : [section(`This folder contains ${config}:`, configRows(config))]),
    // The config file describes the model next to it.
    ...models.filter(({ path }) => config === undefined || path !== '.').map(modelSection),
    ...executables.slice(0, MAX_EXECUTABLES).map(executableSection),
  ];
  const more = executables.length - MAX_EXECUTABLES;
  return `${[
    `encoderfile ${version}`,
    ...(found.length > 0 ? found : [section('Try a model from the Hugging Face Hub:', EXAMPLES)]),
    ...(more > 0 ? [`${more} more executables: ls *.encoder`] : []),
    'All commands: encoderfile help',
  ].join('\n\n')}\n`;
}

const section = (title: string, rows: readonly Row[]): string =>
  `${title}\n\n${alignColumns(rows.map(([command, text]) => [`  encoderfile ${command}`, text]))}`;

const configRows = (config: string): Row[] => [
  ['build', 'build the executable that it describes'],
  ['validate', `check ${config} and the model`],
  ['run . --local', 'build into the cache, and serve on this machine'],
];

function modelSection({ path, modelType }: FoundModel): string {
  const word = argumentWord(path);
  const place = path === '.' ? 'This folder' : path;
  const type = modelType === undefined ? ' --model-type TYPE' : '';
  const input = modelType === undefined ? '"some text"' : inferExample(modelType);
  const title = `${place} contains a model${modelType === undefined ? ' of unknown type' : ` (${modelType})`}:`;
  return section(title, [
    [`try ${word} ${input}${type}`, 'run it on an input'],
    [`build ${word}${type}`, 'build an executable'],
    [`init ${word}${type}`, 'write a config file with comments'],
  ]);
}

function executableSection(file: string): string {
  // A name that starts with a dash would be a flag.
  const word = argumentWord(file.startsWith('-') ? `./${file}` : file);
  return section(`${file} is an executable:`, [
    [`run ${word} --local`, 'serve it on this machine'],
    [`inspect ${word}`, 'show the model'],
    [`verify ${word}`, 'verify the checksums'],
  ]);
}

const EXAMPLES: readonly Row[] = [
  ['try hf:sentence-transformers/all-MiniLM-L6-v2 "some text"', 'compute a vector'],
  ['build hf:sentence-transformers/all-MiniLM-L6-v2', 'build an executable'],
  ['build ./model', 'build a model folder'],
];
