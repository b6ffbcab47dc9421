import type { Option } from './command.ts';

/** Returns the variable that sets an option, and its value. An empty variable counts as not set. */
export function variableOf(
  option: Option,
  env: Readonly<Record<string, string | undefined>>,
): { readonly name: string; readonly value: string } | undefined {
  for (const name of [option.env, ...(option.aliases ?? []).map((alias) => alias.env)]) {
    const value = name !== undefined && Object.hasOwn(env, name) ? env[name] : undefined;
    if (name !== undefined && value) return { name, value: chosenWord(option, value) };
  }
  return undefined;
}

/** Returns the choice in the spelling that help shows. */
export const chosenWord = ({ choiceAliases = {} }: Option, word: string): string =>
  (Object.hasOwn(choiceAliases, word) ? choiceAliases[word] : undefined) ?? word;
