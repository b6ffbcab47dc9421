/**
 * The vectors in a group, all of which have length 1. A search compares all vectors, so its result is
 * exact.
 */
export interface VectorIndex {
  readonly size: number;
  add(key: string, vector: Float32Array): void;
  delete(key: string): void;
  /** The most similar vector, if its cosine similarity reaches the threshold. */
  nearest(vector: Float32Array, threshold: number): Nearest | undefined;
}

export interface Nearest {
  readonly key: string;
  readonly similarity: number;
}

/** The distance is checked each time this many components have been compared. */
const BLOCK = 16;
const INITIAL_ROWS = 16;
/**
 * Rounding error of float32 vectors: after normalization, their length differs from 1 by less than this. It
 * is taken into account so that identical vectors have a similarity of 1.
 */
const ROUNDING = 1e-6;

export function createVectorIndex(dimensions: number): VectorIndex {
  let rows = new Float32Array(INITIAL_ROWS * dimensions);
  const keys: string[] = [];
  const places = new Map<string, number>();

  return {
    get size() {
      return keys.length;
    },
    add(key, vector) {
      const place = places.get(key) ?? keys.length;
      if ((place + 1) * dimensions > rows.length) {
        const larger = new Float32Array(rows.length * 2);
        larger.set(rows);
        rows = larger;
      }
      rows.set(vector, place * dimensions);
      keys[place] = key;
      places.set(key, place);
    },
    delete(key) {
      const place = places.get(key);
      if (place === undefined) return;
      places.delete(key);
      const last = keys.length - 1;
      const moved = keys.pop();
      if (place === last || moved === undefined) return;
      // The last vector is moved to the free slot.
      rows.copyWithin(place * dimensions, last * dimensions, (last + 1) * dimensions);
      keys[place] = moved;
      places.set(moved, place);
    },
    nearest(vector, threshold) {
      // For vectors of length 1, the squared distance is 2 - 2 * similarity, and it never decreases as more
      // components are compared.
      let limit = 2 - 2 * threshold + ROUNDING;
      let found: number | undefined;
      for (let place = 0, start = 0; place < keys.length; place += 1, start += dimensions) {
        let distance = 0;
        for (let at = 0; at < dimensions && distance <= limit;) {
          const end = Math.min(at + BLOCK, dimensions);
          for (; at < end; at += 1) {
            const difference = (rows[start + at] as number) - (vector[at] as number);
            distance += difference * difference;
          }
        }
        if (distance > limit) continue;
        // If distances are equal, the newest vector wins.
        limit = distance;
        found = place;
      }
      const key = found === undefined ? undefined : keys[found];
      return key === undefined ? undefined : { key, similarity: Math.min(1, 1 - limit / 2) };
    },
  };
}

/** Scales a vector to length 1; undefined if it has no direction. */
export function normalized(values: readonly number[]): Float32Array | undefined {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length === 0) return undefined;
  return Float32Array.from(values, (value) => value / length);
}
