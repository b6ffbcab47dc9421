import { createHash } from 'node:crypto';
import { membersOf } from '#core/json/members-of.ts';
import type { HeaderReader } from '../../accounts/identity/identity.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { Session } from '../../shared/moved-sessions.ts';

/** Where a request can state its session. */
export const SESSION_SOURCES = ['header', 'prompt_cache_key', 'conversation', 'end_user', 'user'] as const;

type SessionSource = (typeof SESSION_SOURCES)[number];

/** How requests whose prompts begin alike get the same key and the same target of an alias. */
export interface AffinitySettings {
  /** The first one with a value identifies the session. */
  readonly sources: readonly SessionSource[];
  /** Names in lower case; the first one that a request has is used. */
  readonly headers: readonly string[];
  /** How long providers keep cached prompts after their last use. */
  readonly lifetimeMs: number;
}

export const AFFINITY_DEFAULTS: AffinitySettings = {
  // A user can have many sessions, so requests are only kept together by user if this is configured.
  sources: ['header', 'prompt_cache_key', 'conversation', 'end_user'],
  // Besides its own, those that coding agents send.
  headers: [
    'x-gateway-session',
    'x-session-id',
    'x-session-affinity',
    'x-claude-code-session-id',
    'session_id',
  ],
  lifetimeMs: 300_000,
};

interface SessionParts {
  readonly headers: HeaderReader;
  readonly body: Json;
  /** The client's own user. */
  readonly endUser: string | undefined;
  /** The user who pays. */
  readonly payer: string;
}

/** Longer values are cut, because hashing them would take time. */
const MAX_VALUE_LENGTH = 1024;

/**
 * The session of a request; undefined if the request does not state one. Its hash includes the payer, so
 * users do not share sessions, whatever values they send.
 */
export function sessionOf(parts: SessionParts, settings: AffinitySettings): Session | undefined {
  for (const source of settings.sources) {
    const value = valueOf(source, parts, settings);
    if (!value) continue;
    const text = JSON.stringify([parts.payer, source, value.slice(0, MAX_VALUE_LENGTH)]);
    return { id: sessionId(text), lifetimeMs: settings.lifetimeMs };
  }
  return undefined;
}

const sessionId = (text: string): string => createHash('sha256').update(text).digest('base64url');

function valueOf(
  source: SessionSource,
  { headers, body, endUser, payer }: SessionParts,
  { headers: names }: AffinitySettings,
): string | undefined {
  if (source === 'header') {
    for (const name of names) {
      const value = headers.get(name);
      if (value) return value;
    }
    return undefined;
  }
  if (source === 'end_user') return endUser;
  if (source === 'user') return payer;
  const value = body[source];
  // A conversation is an ID, or an object with one.
  const text = source === 'conversation' ? (membersOf(value)['id'] ?? value) : value;
  return typeof text === 'string' ? text : undefined;
}

/** The session in which a user's objects are stored, so that requests can refer to several of them. */
export const storageSession = (payer: string): Session => ({
  id: sessionId(JSON.stringify([payer, 'objects'])),
  lifetimeMs: AFFINITY_DEFAULTS.lifetimeMs,
});
