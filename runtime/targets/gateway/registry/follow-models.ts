import { isDeepStrictEqual } from 'node:util';
import type { Secret } from '#core/text/redactions.ts';
import type { ModelEntries, StoredEntries } from '../accounts/registry/model-entries.ts';
import type { ModelsConfig } from '../requests/models/models-config.ts';
import type { WithStored } from '../config/stored-models.ts';

/** The models in a configuration file, and how to add stored entries to them. */
export interface FileModels {
  readonly models: ModelsConfig;
  readonly withStored: WithStored;
}

/** Keeps the models that requests use in sync with the configuration file and the database entries. */
export interface ModelFollower {
  /** The current configuration file. */
  readonly file: () => FileModels;
  /** The models that new requests use. */
  readonly current: () => ModelsConfig;
  /**
   * Applies changes that other processes stored at least a second ago. Only returns a promise if the database
   * must be read.
   */
  refresh(): Promise<void> | undefined;
  /** Applies all changes stored by the time it is called. */
  sync(): Promise<void>;
  /** Replaces the configuration file. If it throws, nothing has changed. */
  replaceFile(file: FileModels): void;
}

interface FollowerParts {
  readonly entries: ModelEntries;
  /** Applies models to new requests. */
  readonly apply: (models: ModelsConfig) => void;
  /** Called with secrets that must be redacted in logs. */
  readonly learn: (secrets: readonly Secret[]) => void;
  /** Called with the problems of entries that cannot be applied. */
  readonly onProblem: (problem: string) => void;
  readonly onError: (error: unknown) => void;
}

export function followModels(
  first: FileModels,
  { entries, apply, learn, onProblem, onError }: FollowerParts,
): ModelFollower {
  let file = first;
  let current = first.models;
  let stored: StoredEntries = { providers: [], aliases: [] };
  let known = -1;
  let running: Promise<void> | undefined;
  let reported: ReadonlySet<string> = new Set();

  /**
   * Nothing is awaited between reading `file` and `stored` and applying both, so that neither undoes a change
   * to the other.
   */
  const applyBoth = (nextFile: FileModels, nextStored: StoredEntries): void => {
    const merged = nextFile.withStored(nextStored);
    learn(merged.secrets);
    apply(merged.models);
    [file, stored, current] = [nextFile, nextStored, merged.models];
    const problems = [...named('Provider', merged.providers), ...named('Alias', merged.aliases)];
    for (const problem of problems) if (!reported.has(problem)) onProblem(problem);
    reported = new Set(problems);
  };
  const load = async (pending: number | Promise<number>): Promise<void> => {
    // The revision is read before the entries, so that older entries are never mistaken for those of a newer
    // revision.
    const revision = await pending;
    if (revision === known) return;
    const fresh = await entries.read();
    // Entries that cannot be applied are reported once, not for every request until the next change.
    known = revision;
    if (!isDeepStrictEqual(fresh, stored)) applyBoth(file, fresh);
  };
  const start = (pending: number | Promise<number>): Promise<void> => {
    const loading = load(pending).finally(() => {
      running = undefined;
    });
    running = loading;
    return loading;
  };
  return {
    file: () => file,
    current: () => current,
    refresh() {
      if (running) return running.catch(() => undefined);
      const revision = entries.revision();
      if (revision === known) return undefined;
      // Requests continue with the previous models; those that need the database report that it is
      // unavailable.
      return start(revision).catch(onError);
    },
    async sync() {
      await running?.catch(() => undefined);
      await start(entries.revision());
    },
    replaceFile: (fresh) => applyBoth(fresh, stored),
  };
}

const named = (noun: string, outcomes: ReadonlyMap<string, { readonly problem: string | null }>): string[] =>
  [...outcomes].flatMap(([name, { problem }]) => (problem === null ? [] : [`${noun} '${name}': ${problem}`]));
