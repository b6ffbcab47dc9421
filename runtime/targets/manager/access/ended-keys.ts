import type { Clock } from '#platform/clock.ts';
import { stateOf } from './key-file.ts';
import { type KeySource, userOfKey } from './manager-access.ts';

/** A key that calls can no longer use. */
export interface EndedKey {
  readonly user: string;
  readonly name: string;
  /** Whether the key was revoked or removed, and does not only have expired. */
  readonly isRevoked: boolean;
}

const INTERVAL_MS = 1000;

/** Reports keys that are revoked, removed or expire while the manager runs. Returns the function that ends the watch. */
export function watchEndedKeys(
  source: KeySource,
  clock: Clock,
  onEnded: (key: EndedKey) => void,
): () => void {
  let active = activeKeys(source, clock.now());
  let cancel: () => void = () => undefined;
  const check = (): void => {
    const records = new Map((source.keys() ?? []).map((record) => [record.hash, record]));
    const latest = activeKeys(source, clock.now());
    for (const [hash, name] of active) {
      if (latest.has(hash)) continue;
      const record = records.get(hash);
      onEnded({
        user: userOfKey(hash),
        name,
        isRevoked: record === undefined || record.revoked !== undefined,
      });
    }
    active = latest;
    cancel = clock.after(INTERVAL_MS, check);
  };
  cancel = clock.after(INTERVAL_MS, check);
  return () => cancel();
}

const activeKeys = (source: KeySource, now: number): ReadonlyMap<string, string> =>
  new Map(
    (source.keys() ?? [])
      .filter((record) => stateOf(record, now) === 'active')
      .map(({ hash, name }) => [hash, name]),
  );
