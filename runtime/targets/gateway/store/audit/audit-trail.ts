import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely } from 'kysely';
import type { ActorKind, AuditOutcome } from '../../shared/record-words.ts';
import type { AuditRow } from '../record-schema.ts';
import type { Schema } from '../schema.ts';
import { storableText } from '../storable-text.ts';
import { changedStates } from './changed-states.ts';
import { createEventIds } from './event-ids.ts';

/** The actor: an API caller, an operating system user, or the gateway itself. */
export interface Actor {
  readonly kind: ActorKind;
  /** Key ID, or operating system user name. */
  readonly id?: string | undefined;
  /** The key's user. */
  readonly userId?: string | undefined;
  /** The connection's address. */
  readonly address?: string | undefined;
  readonly forwardedFor?: string | undefined;
  readonly requestId?: string | undefined;
}

export interface AuditEvent {
  readonly at: number;
  /** The object kind and what happened to the object, e.g. `key.update`. */
  readonly action: string;
  /** The object's ID or name. */
  readonly object?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly reason?: string | undefined;
  /** The object before and after. Unchanged members and secrets are omitted. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
  readonly count?: number | undefined;
}

/**
 * Records who changed what. Stores call it in the transaction of the change, so that neither is stored
 * without the other.
 */
export interface AuditTrail {
  /** Runs work, attributing all of its events to this actor. */
  actingAs<Result>(actor: Actor, work: () => Result): Result;
  record(db: Kysely<Schema>, event: AuditEvent): Promise<void>;
}

const GATEWAY: Actor = { kind: 'gateway' };
/** Clients choose some of these strings. */
const MAX_CHARACTERS = 512;

export function createAuditTrail(): AuditTrail {
  const actors = new AsyncLocalStorage<Actor>();
  const nextId = createEventIds();
  return {
    actingAs: (actor, work) => actors.run(actor, work),
    async record(db, event) {
      const row = rowOf(event, actors.getStore() ?? GATEWAY, nextId(event.at));
      await db.insertInto('gateway_audit').values(row).execute();
    },
  };
}

function rowOf(event: AuditEvent, actor: Actor, id: string): AuditRow {
  const { before, after } = changedStates(event.before, event.after);
  return {
    id,
    at: Math.floor(event.at),
    actor: actor.kind,
    actor_id: textOf(actor.id),
    actor_user: textOf(actor.userId),
    address: textOf(actor.address),
    forwarded_for: textOf(actor.forwardedFor),
    request_id: textOf(actor.requestId),
    action: event.action,
    object: textOf(event.object),
    outcome: event.outcome ?? 'success',
    reason: textOf(event.reason),
    before,
    after,
    count: event.count ?? 1,
  };
}

const textOf = (text: string | undefined): string | null =>
  text === undefined ? null : storableText(text.slice(0, MAX_CHARACTERS));
