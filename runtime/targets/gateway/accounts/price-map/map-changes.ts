import type { PriceMap } from './price-map.ts';

/** Number of entries that a map lacks, prices differently, or has in addition, compared with another one. */
export function changesBetween(before: PriceMap, now: PriceMap) {
  const textsOf = (map: PriceMap): Map<string, string> =>
    new Map(map.search('').map(({ name, listed }) => [name, JSON.stringify(listed)]));
  const [old, fresh] = [textsOf(before), textsOf(now)];
  const names = [...fresh.keys()];
  return {
    added: names.filter((name) => !old.has(name)).length,
    changed: names.filter((name) => old.has(name) && old.get(name) !== fresh.get(name)).length,
    removed: [...old.keys()].filter((name) => !fresh.has(name)).length,
  };
}
