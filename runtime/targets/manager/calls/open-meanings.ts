import { dirname, join } from 'node:path';
import type { Registry } from 'prom-client';
import { systemClock } from '#platform/clock.ts';
import { pause } from '#platform/wait-for.ts';
import type { WatchChild } from '#serve/encoder/start-encoder.ts';
import type { Logger } from '#serve/log.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { SEARCH_ENCODER_KEY, type SearchEncoderSetting } from '../config/search-encoder.ts';
import { isPerUser } from '../config/spec.ts';
import { createMeanings, START_DELAY_MS } from '../meanings/meanings.ts';
import { observeMeanings } from '../meanings/metrics.ts';
import { requireEncoderFile } from '../meanings/require-encoder-file.ts';
import type { SearchEncoder } from '../meanings/search-encoder.ts';
import { openVectorFile } from '../meanings/vector-file.ts';
import type { Supervisor } from '../supervisor/managed-server.ts';
import type { Calls } from './call.ts';
import { createItemMeanings, type ItemMeanings } from './item-meanings.ts';
import { learnItems } from './learn-items.ts';

interface OpenMeaningsParts {
  readonly paths: ConfigPaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly supervisor: Pick<Supervisor, 'get' | 'subscribe'>;
  readonly calls: Pick<Calls, 'listAll'>;
  readonly watch?: WatchChild | undefined;
  readonly startDelayMs?: number | undefined;
}

/** Returns the folder of the vectors, next to the secrets file. */
const vectorsFolder = ({ runtime }: ConfigPaths): string => join(dirname(runtime), 'search-vectors');

/** Opens the encoder of the configuration, and starts to encode the items of the servers in the background. */
export function openItemMeanings(
  setting: SearchEncoderSetting,
  { paths, env, log, metrics, supervisor, calls, watch, startDelayMs = START_DELAY_MS }: OpenMeaningsParts,
): ItemMeanings & { readonly close: () => Promise<void> } {
  if (setting.kind === 'file') requireEncoderFile(setting.path);
  const encoder = openLater(async () => {
    const { openSearchEncoder } = await import('../meanings/search-encoder.ts');
    return openSearchEncoder(setting, {
      clock: systemClock,
      apiKey: env[SEARCH_ENCODER_KEY] || undefined,
      watch,
      onTrouble: (line) => log.warn(`search encoder: ${line}`),
    });
  });
  const name = setting.kind === 'file' ? setting.path : setting.url;
  const meanings = createMeanings({
    encoder,
    file: openVectorFile(vectorsFolder(paths), name, log),
    clock: systemClock,
    log,
    metrics: observeMeanings(metrics),
    startDelayMs,
  });
  const items = createItemMeanings(meanings, (server) => {
    const found = supervisor.get(server);
    return !found || isPerUser(found.spec());
  });
  const closing = new AbortController();
  // When a manager starts, its servers need the processors first.
  const started = pause(startDelayMs, systemClock, closing.signal);
  learnItems(supervisor, calls, { items, started, signal: closing.signal });
  return {
    ...items,
    close: async () => {
      closing.abort();
      await meanings.close();
    },
  };
}

/** An encoder that is opened with the first texts, so that its modules do not delay the start. */
function openLater(open: () => Promise<SearchEncoder>): SearchEncoder {
  let opened: Promise<SearchEncoder> | undefined;
  return {
    embed: async (texts, signal) => await (await (opened ??= open())).embed(texts, signal),
    close: async () => await (await opened)?.close(),
  };
}
