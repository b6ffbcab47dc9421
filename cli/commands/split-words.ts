import { Errors } from '@oclif/core';
import { distance } from 'fastest-levenshtein';
import { pushAll } from '#core/values/push-all.ts';

/** The part of oclif's metadata for a flag that is needed to find it on a command line. */
interface KnownFlag {
  readonly type: string;
  readonly char?: string | undefined;
}

interface SplitWords {
  /** The model and the flags of this command. */
  readonly own: readonly string[];
  /** The words for the executable. */
  readonly passed: readonly string[];
}

/** Flags that this command and the executable both get. */
const SHARED: ReadonlySet<string> = new Set(['json']);

/**
 * Splits the command line of a command that starts an executable. The flags of this command can be
 * anywhere; the first other word is the model, and the words after it are for the executable.
 */
export function splitWords(words: readonly string[], flags: Readonly<Record<string, KnownFlag>>): SplitWords {
  const own: string[] = [];
  const passed: string[] = [];
  let hasModel = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') {
      pushAll(passed, words.slice(at));
      break;
    }
    const name = flagName(word, flags);
    if (name !== undefined) {
      own.push(word);
      if (SHARED.has(name)) passed.push(word);
      const value = words[at + 1];
      if (flags[name]?.type !== 'boolean' && !word.includes('=') && value !== undefined) {
        own.push(value);
        at += 1;
      }
    } else if (hasModel) {
      refuseSimilar(word, flags);
      passed.push(word);
    } else if (word.startsWith('-') && word !== '-') {
      refuseSimilar(word, flags);
      throw new Errors.CLIError(`Unknown flag ${word}. Put flags of the executable after the model.`);
    } else {
      if (word === '')
        throw new Errors.CLIError(
          'The model is an empty text. Pass a folder or a model such as hf:org/name.',
        );
      own.push(word);
      hasModel = true;
    }
  }
  return { own, passed };
}

function flagName(word: string, flags: Readonly<Record<string, KnownFlag>>): string | undefined {
  const [, long] = /^--([a-z][\w-]*)(?:=|$)/s.exec(word) ?? [];
  if (long !== undefined) return Object.hasOwn(flags, long) ? long : undefined;
  const [, char] = /^-(\w)$/.exec(word) ?? [];
  return char === undefined ? undefined : Object.keys(flags).find((name) => flags[name]?.char === char);
}

/** Rejects a misspelled flag now, because the executable would reject it only after a long build. */
function refuseSimilar(word: string, flags: Readonly<Record<string, KnownFlag>>): void {
  const [, long] = /^--([a-z][\w-]*)(?:=|$)/s.exec(word) ?? [];
  if (long === undefined || long.length < 5) return;
  const meant = Object.keys(flags).find((name) => distance(long, name) <= MAX_EDITS);
  if (meant !== undefined) throw new Errors.CLIError(`Unknown flag --${long}; did you mean --${meant}?`);
}

const MAX_EDITS = 2;
