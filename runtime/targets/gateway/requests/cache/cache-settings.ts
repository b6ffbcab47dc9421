/** Which requests share responses: those of one key, those of one user, or all. */
export const CACHE_SCOPES = ['key', 'user', 'shared'] as const;

/** Where to keep responses: only in this process, or also in the database, which several gateways can share. */
export const CACHE_STORES = ['memory', 'database'] as const;

/**
 * What must be similar: the last message, with everything before it identical, or the texts of the whole
 * conversation.
 */
export const QUESTIONS = ['last_message', 'conversation'] as const;

/** How to cache responses. Without these settings, nothing is cached. */
export interface CacheSettings {
  readonly scope: (typeof CACHE_SCOPES)[number];
  readonly store: (typeof CACHE_STORES)[number];
  readonly ttlMs: number;
  /** Maximum memory for responses. */
  readonly maxBytes: number;
  /** Maximum size of the responses in the database. */
  readonly maxStoredBytes: number;
  /** Larger responses are not cached. */
  readonly maxAnswerBytes: number;
  /** Model and alias patterns; undefined for all. */
  readonly models: readonly string[] | undefined;
  /** Whether to cache responses that call tools. */
  readonly toolCalls: boolean;
  /** Whether to cache responses to requests with a temperature above 0. */
  readonly sampled: boolean;
  /** Undefined if only identical requests share responses. */
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
   * Longer questions are not compared, because an encoder only reads the start of a long text. 400 UTF-16
   * code units are at most 512 tokens in nearly every script.
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
