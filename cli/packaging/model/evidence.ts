import type { GraphOutput } from './graph-outputs.ts';

/** Facts from a model's files that can indicate its type. */
export interface Evidence {
  /** The model folder, to find files that only models of some types have. */
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
  /** Outputs of the graph; empty if the build writes the graph. */
  readonly outputs: readonly GraphOutput[];
}

/**
 * The kinds of clues about a model's type, most certain first. Among equally certain clues, the
 * type that is listed first in `build-types.ts` is chosen.
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
  /** A class in config.json that indicates a head, which exports often omit. */
  'head',
  'labels',
  'shape',
  /** The model is an encoder of any kind. */
  'encoder',
] as const;

export interface Clue {
  readonly certainty: (typeof CERTAINTY)[number];
  /** The evidence, for messages: `config.json names BertModel`. */
  readonly because: string;
}

/** Returns a list with a clue if `isFound` is true, otherwise an empty list. */
export const clue = (certainty: Clue['certainty'], isFound: boolean, because: string): Clue[] =>
  isFound ? [{ certainty, because }] : [];

/** Returns a clue if config.json names a class with this suffix. */
export function classClue({ architectures }: Evidence, ending: string): Clue[] {
  const name = architectures.find((architecture) => architecture.endsWith(ending));
  return name === undefined ? [] : [{ certainty: 'class', because: `config.json names ${name}` }];
}

/** Whether config.json names a class with a head for a task. */
export const hasHead = ({ architectures }: Evidence): boolean =>
  architectures.some((name) => /For[A-Z]/.test(name));

/** Returns a clue if the graph has an output with this name. */
export const outputClue = ({ outputs }: Evidence, name: string): Clue[] =>
  clue(
    'output',
    outputs.some((output) => output.name === name),
    `the graph returns ${name}`,
  );
