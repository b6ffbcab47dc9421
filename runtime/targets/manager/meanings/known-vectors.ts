import { MAX_VECTOR_BYTES } from './vector-file.ts';

interface Known {
  readonly vector: Float32Array;
  /** Whether the vector can be written to the file. */
  isShared: boolean;
  usedAt: number;
}

const MAX_VECTORS = 20_000;
/** A vector that was used more recently is not replaced: if all items were too many, each search would compute some again. */
const MIN_UNUSED_MS = 3_600_000;

/** The vectors in memory, limited in number and size. The least recently used come first. */
export class KnownVectors {
  readonly #vectors = new Map<string, Known>();
  readonly #maxCount: number;
  readonly dimension: number;

  constructor(dimension: number) {
    this.dimension = dimension;
    const bytes = dimension * Float32Array.BYTES_PER_ELEMENT;
    this.#maxCount = Math.min(MAX_VECTORS, Math.floor(MAX_VECTOR_BYTES / bytes));
  }

  get size(): number {
    return this.#vectors.size;
  }

  /** Returns a vector, and marks it as used now. */
  use(hash: string, isShared: boolean, now: number): Float32Array | undefined {
    const known = this.#vectors.get(hash);
    if (!known) return undefined;
    known.isShared ||= isShared;
    known.usedAt = now;
    this.#vectors.delete(hash);
    this.#vectors.set(hash, known);
    return known.vector;
  }

  /** Whether there is room for one more vector, possibly that of an unused one. */
  hasRoom(now: number): boolean {
    if (this.#vectors.size < this.#maxCount) return true;
    const [oldest] = this.#vectors.values();
    return oldest !== undefined && now - oldest.usedAt > MIN_UNUSED_MS;
  }

  add(hash: string, vector: Float32Array, isShared: boolean, usedAt: number): void {
    this.#vectors.set(hash, { vector, isShared, usedAt });
    for (const oldest of this.#vectors.keys()) {
      if (this.#vectors.size <= this.#maxCount) return;
      this.#vectors.delete(oldest);
    }
  }

  /** The vectors that can be written to the file. */
  shared(): ReadonlyMap<string, Float32Array> {
    const shared = [...this.#vectors].filter(([, { isShared }]) => isShared);
    return new Map(shared.map(([hash, { vector }]) => [hash, vector]));
  }
}
