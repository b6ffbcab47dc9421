/**
 * Estimates a value's length as JSON without serializing it: exact except for string escapes and number
 * digits. Counting stops when it exceeds `limit`.
 */
export function jsonSize(value: unknown, limit: number = Infinity): number {
  let size = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && size <= limit) {
    const item = left.pop();
    if (typeof item === 'string') {
      size += item.length + 2;
    } else if (Array.isArray(item)) {
      size += item.length + 1;
      for (const part of item) left.push(part);
    } else if (typeof item === 'object' && item !== null) {
      for (const key of Object.keys(item)) {
        size += key.length + 4;
        left.push((item as Record<string, unknown>)[key]);
      }
      size += 1;
    } else {
      size += String(item).length;
    }
  }
  return size;
}
