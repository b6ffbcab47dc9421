import type { PriceMap } from './price-map.ts';

/** The number of entries of a map that another one does not have, has with another price, or has in addition. */
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
