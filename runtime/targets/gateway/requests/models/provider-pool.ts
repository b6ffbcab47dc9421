import { isDeepStrictEqual } from 'node:util';
import { fileState } from '#platform/file-state.ts';
import type { EncoderProgram, Provider, ProviderInstance } from '../../providers/adapters/provider.ts';

type ProviderConfig = ProviderInstance | EncoderProgram;

/** Open providers, each shared by all sets of models that configure it identically. */
export interface ProviderPool {
  /** Returns the providers of a configuration and opens those that are not open yet. If one throws, nothing has changed. */
  take(configs: readonly ProviderConfig[]): TakenProviders;
  /** Closes all providers, including those in use. Resolves when previously released ones are closed too. */
  close(): Promise<void>;
}

interface TakenProviders {
  readonly providers: readonly Provider[];
  /** The providers that were opened by this call. */
  readonly opened: readonly Provider[];
  /** Releases the providers; each one without other users is closed. Must be called once. */
  readonly giveBack: () => void;
}

interface Shared {
  readonly config: ProviderConfig;
  /** State of the executable's file: a replaced file makes it another provider. */
  readonly program: string | undefined;
  readonly provider: Provider;
  takers: number;
}

export function createProviderPool(open: (config: ProviderConfig) => Provider): ProviderPool {
  const all = new Set<Shared>();
  const closing = new Set<Promise<void>>();

  const close = (shared: Shared): void => {
    all.delete(shared);
    const closed = shared.provider.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const giveBack = (shared: Shared): void => {
    shared.takers -= 1;
    if (shared.takers === 0) close(shared);
  };
  return {
    take(configs) {
      const taken: Shared[] = [];
      const opened: Provider[] = [];
      try {
        for (const config of configs) {
          const program = 'path' in config ? fileState(config.path) : undefined;
          let shared = [...all].find(
            (one) => one.program === program && isDeepStrictEqual(one.config, config),
          );
          if (!shared) {
            shared = { config, program, provider: open(config), takers: 0 };
            all.add(shared);
            opened.push(shared.provider);
          }
          shared.takers += 1;
          taken.push(shared);
        }
      } catch (error) {
        taken.forEach(giveBack);
        throw error;
      }
      return {
        providers: taken.map(({ provider }) => provider),
        opened,
        giveBack: () => taken.forEach(giveBack),
      };
    },
    async close() {
      for (const shared of all) close(shared);
      await Promise.all(closing);
    },
  };
}
