/** Names come from clients, so there could be any number of them. */
const MAX_REMEMBERED = 10_000;

/** Sets a value, and deletes the one that was set first if there are too many. */
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
