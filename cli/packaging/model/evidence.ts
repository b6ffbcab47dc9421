import type { GraphOutput } from './graph-outputs.ts';

/** What the files of a model state. */
export interface Evidence {
  /** The folder of the model, for files that only some types have. */
  readonly folder: string;
  /** Name of the model, and its repository if that is known. */
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

/** How certain a clue is, from the most certain. The first type of `build-types.ts` wins among equal ones. */
export const CERTAINTY = [
  /** A file that only models of this type have. */
  'file',
  /** The class that config.json names. */
  'class',
  /** The name of an output. */
  'output',
  /** The name of the model. */
  'name',
  /** A head that is often omitted of an export. */
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

/** The clue that config.json names a class with this ending. */
export function classClue({ architectures }: Evidence, ending: string): Clue[] {
  const name = architectures.find((architecture) => architecture.endsWith(ending));
  return name === undefined ? [] : [{ certainty: 'class', because: `config.json names ${name}` }];
}

/** The clue that the graph has an output of this name. */
export const outputClue = ({ outputs }: Evidence, name: string): Clue[] =>
  clue(
    'output',
    outputs.some((output) => output.name === name),
    `the graph returns ${name}`,
  );
