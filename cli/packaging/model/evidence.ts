import type { GraphOutput } from './graph-outputs.ts';

/** What a model's files state. */
export interface Evidence {
  /** The model folder, for files that only some types have. */
  readonly folder: string;
  /** Name of the model, and its repository if known. */
  readonly name: string;
  readonly repository?: string | undefined;
  /** config.json; empty if there is none. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Classes and labels that config.json names. */
  readonly architectures: readonly string[];
  readonly labels: readonly string[];
  /** Classes of the modules in modules.json, without their packages. */
  readonly modules: readonly string[];
  /** Outputs of the graph; empty if the build writes it. */
  readonly outputs: readonly GraphOutput[];
}

/**
 * The certainty of a clue, from the most certain down. Among equal ones, the first type in
 * `build-types.ts` wins.
 */
export const CERTAINTY = [
  /** A file that only models of this type have. */
  'file',
  /** The class that config.json names. */
  'class',
  /** The name of an output. */
  'output',
  /** The name of the model. */
  'name',
  /** A head that exports often omit. */
  'head',
  'labels',
  'shape',
  /** Any encoder. */
  'encoder',
] as const;

export interface Clue {
  readonly certainty: (typeof CERTAINTY)[number];
  /** The evidence, for messages: `config.json names BertModel`. */
  readonly because: string;
}

/** A clue, if there is evidence. */
export const clue = (certainty: Clue['certainty'], isFound: boolean, because: string): Clue[] =>
  isFound ? [{ certainty, because }] : [];

/** The clue that config.json names a class with this suffix. */
export function classClue({ architectures }: Evidence, ending: string): Clue[] {
  const name = architectures.find((architecture) => architecture.endsWith(ending));
  return name === undefined ? [] : [{ certainty: 'class', because: `config.json names ${name}` }];
}

/** The clue that the graph has an output with this name. */
export const outputClue = ({ outputs }: Evidence, name: string): Clue[] =>
  clue(
    'output',
    outputs.some((output) => output.name === name),
    `the graph returns ${name}`,
  );
