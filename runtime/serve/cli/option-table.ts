import type { Option } from './command.ts';
import type { InheritedName } from '#core/cli/common-flags.ts';

export type Options = Readonly<Record<string, Option>>;

/** The options of a command line, by the names that help shows. */
export interface OptionTable {
  readonly options: Options;
  /** Maps each accepted name of an option to the name that help shows. */
  readonly shownNames: ReadonlyMap<string, string>;
}

/**
 * The options of a command and of its program. If a command uses a name for a different option, the
 * program's option is available under its next alias.
 */
export function optionTable(own: Options, shared: Options = {}): OptionTable {
  const taken = new Set(Object.entries(own).flatMap(([name, option]) => optionNames(name, option)));
  const others = Object.entries(shared).flatMap(([name, option]): [string, Option][] => {
    const shown = freeName(name, option, taken);
    if (shown === undefined) return [];
    return [[shown, { ...option, aliases: option.aliases?.filter((alias) => !taken.has(alias.name ?? '')) }]];
  });
  const options = { ...Object.fromEntries(others), ...own };
  const shownNames = Object.entries(options).flatMap(([shown, option]) =>
    optionNames(shown, option).map((name) => [name, shown] as const),
  );
  return { options, shownNames: new Map(shownNames) };
}

/** Returns the name under which a command with these options accepts a program option. */
export const freeName = (name: string, option: Option, taken: ReadonlySet<string>): string | undefined =>
  optionNames(name, option).find((candidate) => !taken.has(candidate));

export const optionNames = (name: string, { aliases = [] }: Option): string[] => [
  name,
  ...aliases.flatMap((alias) => alias.name ?? []),
];

/** The options that help and completion show. */
export const visibleOptions = (options: Options): Options =>
  Object.fromEntries(Object.entries(options).filter(([, { origin }]) => origin === undefined));

/**
 * Returns the environment variable that sets an option, and the value of the variable. An empty
 * variable counts as unset.
 */
export function variableOf(
  { env: own, aliases = [] }: Option,
  env: Readonly<Record<string, string | undefined>>,
): { readonly name: string; readonly value: string } | undefined {
  const names: readonly Pick<InheritedName, 'env' | 'words'>[] = [
    ...(own === undefined ? [] : [{ env: own }]),
    ...aliases,
  ];
  for (const { env: name, words } of names) {
    const value = name !== undefined && Object.hasOwn(env, name) ? env[name] : undefined;
    if (name !== undefined && value) return { name, value: wordFor(words, value) };
  }
  return undefined;
}

/** Returns the value for which a flag's value is an alias. Any other value is returned unchanged. */
export const chosenWord = ({ aliases = [] }: Option, flag: string, value: string): string =>
  wordFor(aliases.find(({ name }) => `--${name}` === flag)?.words, value);

const wordFor = (words: InheritedName['words'] = {}, value: string): string =>
  (Object.hasOwn(words, value) ? words[value] : undefined) ?? value;
