/** Which requests share cached responses: those with the same key, those of the same user, or all. */
export const CACHE_SCOPES = ['key', 'user', 'shared'] as const;

/**
 * Where to store responses: only in this process, or also in a database that several gateways can share.
 */
export const CACHE_STORES = ['memory', 'database'] as const;

/**
 * What is compared by similarity: only the last message (everything before it must be identical), or the
 * text of the whole conversation.
 */
export const QUESTIONS = ['last_message', 'conversation'] as const;

/** How to cache responses. Without these settings, nothing is cached. */
export interface CacheSettings {
  readonly scope: (typeof CACHE_SCOPES)[number];
  readonly store: (typeof CACHE_STORES)[number];
  readonly ttlMs: number;
  /** Maximum total size of the responses in memory, in bytes. */
  readonly maxBytes: number;
  /** Maximum total size of the responses in the database, in bytes. */
  readonly maxStoredBytes: number;
  /** Larger responses are not cached. */
  readonly maxAnswerBytes: number;
  /** Patterns for the models and aliases whose responses are cached; undefined for all. */
  readonly models: readonly string[] | undefined;
  /** Whether to cache responses that call tools. */
  readonly toolCalls: boolean;
  /** Whether to cache responses to requests with a temperature above 0. */
  readonly sampled: boolean;
  /** Undefined if a cached response is only returned for an identical request. */
  readonly semantic?: SemanticSettings | undefined;
}

/** How to find responses to similar questions. */
export interface SemanticSettings {
  /** The encoder's name in the configuration. */
  readonly encoder: string;
  /** Minimum cosine similarity. */
  readonly threshold: number;
  readonly question: (typeof QUESTIONS)[number];
  /** Maximum number of vectors in memory. */
  readonly maxEntries: number;
  /**
   * Maximum length of a question in UTF-16 code units. Longer questions are not compared, because an
   * encoder only reads the start of a long text; 400 code units are at most 512 tokens in nearly every
   * script.
   */
  readonly maxCharacters: number;
  /** Maximum time to wait for the encoder. */
  readonly timeoutMs: number;
}

const MIB = 1024 * 1024;

export const CACHE_DEFAULTS: Omit<CacheSettings, 'semantic'> = {
  scope: 'key',
  store: 'memory',
  ttlMs: 3_600_000,
  maxBytes: 64 * MIB,
  maxStoredBytes: 1024 * MIB,
  maxAnswerBytes: MIB,
  models: undefined,
  toolCalls: false,
  sampled: false,
};

export const SEMANTIC_DEFAULTS: Omit<SemanticSettings, 'encoder'> = {
  threshold: 0.97,
  question: 'last_message',
  maxEntries: 10_000,
  maxCharacters: 400,
  timeoutMs: 1000,
};
