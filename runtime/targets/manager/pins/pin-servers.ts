import { messageOf } from '#contract/errors.ts';
import { withFileLock } from '#platform/files/file-lock.ts';
import { writeText } from '#platform/files/write-text.ts';
import { readText } from '#platform/read-text.ts';
import { type PinnedServer, pinsText, readPinsFile } from '../config/pins-file.ts';
import { problemsError } from '../config/problems.ts';
import type { ServerSpec } from '../config/spec.ts';
import { compareItems, type ItemDifference } from './compare-items.ts';
import { readItems, type ReadItemsOptions } from './read-items.ts';

/** The outcome for one server. */
export type PinOutcome = { readonly server: string } & (
  | {
      readonly items: PinnedServer;
      readonly differences: readonly ItemDifference[];
      /** Whether the pins are from an earlier version and only cover some members of tools. */
      readonly isBasic: boolean;
    }
  | { readonly failure: string }
);

/** Reads the servers' items one server at a time, and compares them with the pins. */
export async function compareServers(
  file: string,
  servers: readonly ServerSpec[],
  options: ReadItemsOptions,
): Promise<PinOutcome[]> {
  const pinned = await readPins(
    file,
    servers.map(({ name }) => name),
  );
  const outcomes: PinOutcome[] = [];
  for (const spec of servers) {
    try {
      const items = await readItems(spec, options);
      const pins = pinned.get(spec.name);
      const differences = compareItems(pins, items);
      outcomes.push({ server: spec.name, items, differences, isBasic: pins?.scope === 'basic' });
    } catch (error) {
      options.signal.throwIfAborted();
      outcomes.push({ server: spec.name, failure: messageOf(error) });
    }
  }
  return outcomes;
}

/** Writes the servers' items to the file. Pins of other servers are kept. */
export const writePins = (file: string, outcomes: readonly PinOutcome[]): Promise<void> =>
  edit(
    file,
    outcomes.map(({ server }) => server),
    (pins) => {
      for (const outcome of outcomes) if ('items' in outcome) pins.set(outcome.server, outcome.items);
    },
  );

/** Removes servers' pins. Resolves with the names of servers that had pins. */
export async function removePins(file: string, servers: readonly string[]): Promise<string[]> {
  let removed: string[] = [];
  await edit(file, servers, (pins) => {
    removed = servers.filter((server) => pins.delete(server));
  });
  return removed;
}

const edit = (
  file: string,
  servers: readonly string[],
  change: (pins: Map<string, PinnedServer>) => void,
): Promise<void> =>
  withFileLock(file, async () => {
    const pins = new Map(await readPins(file, servers));
    change(pins);
    await writeText(file, pinsText(pins));
  });

/** Reads the pins. Problems with servers that are being pinned again are ignored. */
async function readPins(
  file: string,
  servers: readonly string[],
): Promise<ReadonlyMap<string, PinnedServer>> {
  const pins = readPinsFile(await readText(file));
  const problems = pins.problems.filter(({ server }) => server === undefined || !servers.includes(server));
  if (problems.length > 0) throw problemsError(problems);
  return pins.servers;
}
