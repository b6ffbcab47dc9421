import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely } from 'kysely';
import type { ActorKind, AuditOutcome } from '../../shared/record-words.ts';
import type { AuditRow } from '../record-schema.ts';
import type { Schema } from '../schema.ts';
import { storableText } from '../storable-text.ts';
import { changedStates } from './changed-states.ts';
import { createEventIds } from './event-ids.ts';

/** Who acts: a caller of the API, a user of the operating system, or the gateway itself. */
export interface Actor {
  readonly kind: ActorKind;
  /** Id of the key, or name of the user of the operating system. */
  readonly id?: string | undefined;
  /** User of the key. */
  readonly userId?: string | undefined;
  /** Address of the connection. */
  readonly address?: string | undefined;
  readonly forwardedFor?: string | undefined;
  readonly requestId?: string | undefined;
}

export interface AuditEvent {
  readonly at: number;
  /** The kind of object and what happened to it, e.g. `key.update`. */
  readonly action: string;
  /** Id or name of the object. */
  readonly object?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly reason?: string | undefined;
  /** The object before and after. Members that did not change are omitted, and secrets too. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
  readonly count?: number | undefined;
}

/** Records who changed what. Stores call it in the transaction of the change, so that neither is stored without the other. */
export interface AuditTrail {
  /** Runs work, of which all events have this actor. */
  actingAs<Result>(actor: Actor, work: () => Result): Result;
  record(db: Kysely<Schema>, event: AuditEvent): Promise<void>;
}

const GATEWAY: Actor = { kind: 'gateway' };
/** Clients choose some of the texts. */
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
