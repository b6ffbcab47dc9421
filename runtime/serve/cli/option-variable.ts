import type { InheritedName } from '#core/cli/common-flags.ts';
import type { Option } from './command.ts';

/** Returns the variable that sets an option, and its value. An empty variable counts as not set. */
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

/** Returns the choice that a value of a flag stands for. */
export const chosenWord = ({ aliases = [] }: Option, flag: string, value: string): string =>
  wordFor(aliases.find(({ name }) => `--${name}` === flag)?.words, value);

const wordFor = (words: InheritedName['words'] = {}, value: string): string =>
  (Object.hasOwn(words, value) ? words[value] : undefined) ?? value;
