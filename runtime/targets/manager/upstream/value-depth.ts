/** Whether lists and objects are nested deeper than `levels`. Stops at that depth. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isDeeperThan(item, levels - 1));
}
