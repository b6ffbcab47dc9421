/** Maximum number of entries: keys come from clients, so their number would otherwise be unlimited. */
const MAX_REMEMBERED = 10_000;

/** Sets a value. If there are too many entries, deletes the one that was set least recently. */
export function remember<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
  max: number = MAX_REMEMBERED,
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
