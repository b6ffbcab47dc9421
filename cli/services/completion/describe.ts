import { lookup } from '#core/values/lookup.ts';
import { PLATFORMS, shortName } from '#contract/platforms.ts';

/** A list that a shell reads when it completes a word: models in a cache, or files. */
export type Source = 'hub' | 'executables' | 'files';

/** The completions that a shell suggests for a word: a list of choices, file names, or lists that are read. */
export type Offer = readonly string[] | 'files' | { readonly sources: readonly Source[] };

export const isChoices = (offer: Offer): offer is readonly string[] => Array.isArray(offer);
export const sourcesOf = (offer: Offer): readonly Source[] =>
  offer === 'files' ? ['files'] : isChoices(offer) ? [] : offer.sources;

export interface CompletedFlag {
  readonly name: string;
  readonly char: string | undefined;
  readonly summary: string;
  /** Values to suggest; undefined if the flag has no value. */
  readonly value: Offer | undefined;
}

export interface CompletedCommand {
  /** The words of the command. For example, `base list` has two. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  readonly argument: Offer | undefined;
}

/** The part of oclif's metadata for commands that completion needs. */
export interface CommandMetadata {
  readonly id: string;
  readonly summary?: string | undefined;
  readonly flags: Readonly<Record<string, FlagMetadata>>;
  readonly args: Readonly<
    Record<string, { readonly name: string; readonly options?: readonly string[] | undefined }>
  >;
}

interface FlagMetadata {
  readonly name: string;
  readonly type: string;
  readonly char?: string | undefined;
  readonly summary?: string | undefined;
  readonly options?: readonly string[] | undefined;
}

export function describeCommands(commands: readonly CommandMetadata[]): CompletedCommand[] {
  return commands
    .map(({ id, summary = '', flags, args }) => ({
      words: id.split(':'),
      summary,
      flags: Object.values(flags)
        .map(describeFlag)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      argument:
        MODEL_ARGUMENTS[id] ?? Object.values(args).map(({ name, options }) => offer(name, options))[0],
    }))
    .toSorted((a, b) => (a.words.join(' ') < b.words.join(' ') ? -1 : 1));
}

const describeFlag = ({ name, char, summary = '', type, options }: FlagMetadata): CompletedFlag => ({
  name,
  char,
  summary,
  value: type === 'boolean' ? undefined : offer(name, options),
});

function offer(name: string, options: readonly string[] | undefined): Offer {
  if (options && options.length > 0) return options;
  if (name === 'platform') return PLATFORMS.map(shortName);
  return NEITHER_KNOWN_NOR_FILES.has(name) ? [] : 'files';
}

/** The arguments that are models: those in the cache of the hub (`hub`), and names of executables in the cache. */
const MODEL_ARGUMENTS = lookup<Offer>({
  build: { sources: ['hub', 'files'] },
  init: { sources: ['hub', 'files'] },
  validate: { sources: ['hub', 'files'] },
  try: { sources: ['hub', 'files'] },
  run: { sources: ['executables', 'hub', 'files'] },
  pull: { sources: ['hub'] },
  'cache:remove': { sources: ['executables'] },
});

const NEITHER_KNOWN_NOR_FILES = new Set(['name', 'reference', 'runtime-version', 'text']);

/** The first words of all commands, without duplicates. */
export function firstWords(commands: readonly CompletedCommand[]): Map<string, string> {
  return new Map(
    commands.map(({ words: [first = '', second], summary }) => [
      first,
      second === undefined ? summary : (TOPICS[first] ?? ''),
    ]),
  );
}

/** The second words of commands, grouped by first word. */
export function secondWords(commands: readonly CompletedCommand[]): Map<string, CompletedCommand[]> {
  const topics = new Map<string, CompletedCommand[]>();
  for (const command of commands) {
    const [first = '', second] = command.words;
    if (second !== undefined) topics.set(first, [...(topics.get(first) ?? []), command]);
  }
  return topics;
}

const TOPICS = lookup<string>({
  base: 'Manage cached base runtimes.',
  cache: 'Manage cached executables of `try` and `run`.',
  transform: 'Create and test Lua transforms.',
});
