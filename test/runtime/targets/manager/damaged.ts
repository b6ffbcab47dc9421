const ODD = [undefined, null, true, 7, '', 'täxt', [], [null], {}, { a: null }];

/** Copies of the value with each part replaced by each unexpected value, one at a time. */
export function* damaged(value: unknown): Generator {
  yield* ODD;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    for (const odd of damaged(part)) {
      const copy = structuredClone(value) as Record<string, unknown>;
      copy[key] = odd;
      yield copy;
    }
  }
}
