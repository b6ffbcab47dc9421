/** A cached answer, as its client got it. */
export interface CacheEntry {
  readonly key: string;
  /** The whole body: JSON, or all events of a stream. */
  readonly body: Uint8Array;
  /** The model that answered, `provider:model`. */
  readonly target: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Types of tools that the model did not get. */
  readonly droppedTools: readonly string[];
  /** The key whose request has created it; null for a request without a key. */
  readonly keyId: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The experiment whose workflows share the answer. The answer is deleted with it. */
  readonly experimentId?: string | undefined;
}

/** The vector of a question. Only questions of the same group are compared. */
export interface QuestionVector {
  readonly group: string;
  /** Of length 1. */
  readonly vector: Float32Array;
}
