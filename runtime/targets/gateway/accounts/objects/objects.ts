import type { HeldAmount } from '../ledger/ledger.ts';
import type { Space, Viewer } from '../../shared/owner.ts';

/** An item is what a response created at the provider besides itself: its messages, calls and containers. */
export type ObjectKind = 'file' | 'batch' | 'response' | 'item';

/** What a provider continues to process after its response to the request. */
export type WorkKind = 'batch' | 'response';

export const isWork = (kind: ObjectKind): kind is WorkKind => kind === 'batch' || kind === 'response';

/** An object stored by a provider, and the user that it belongs to. */
export interface StoredObject {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly provider: string;
  /** The name of the provider's key that it was stored with; null if the provider had a single key. */
  readonly providerKey: string | null;
  readonly userId: string;
  /** The space that it belongs to; null if only the master key can see it. */
  readonly space: Space | null;
  readonly keyId: string | null;
  /** The model that processes it, `provider:model`. */
  readonly model: string | null;
  readonly createdAt: number;
  /** The last state reported by the provider. */
  readonly content: Readonly<Record<string, unknown>>;
  readonly plan: WorkPlan | undefined;
  /** Set while it is not paid for. */
  readonly held: HeldAmount | undefined;
}

/** Where an object is stored. */
export type ObjectPlace = Pick<StoredObject, 'kind' | 'id' | 'provider' | 'providerKey'>;

/** Work that a provider does later, as far as it is known beforehand. */
export interface WorkPlan {
  /** The route of the requests. */
  readonly endpoint: string;
  readonly model: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tags for its usage. */
  readonly tags?: readonly string[] | undefined;
  /** Digest of the policy that checked a batch's requests; undefined for files from earlier versions. */
  readonly policy?: string | undefined;
}

export interface ObjectPage {
  readonly limit: number;
  /** ID of the last object before the page. */
  readonly after?: string | undefined;
  readonly isOldestFirst?: boolean | undefined;
  /** File purpose. */
  readonly purpose?: string | undefined;
}

/** The objects that providers store for this gateway's users. */
export interface Objects {
  add(object: StoredObject): Promise<void>;
  /** Adds objects that are not known yet. */
  addMissing(objects: readonly StoredObject[]): Promise<void>;
  /** An object, whichever user it belongs to. */
  find(kind: ObjectKind, id: string): Promise<StoredObject | undefined>;
  /**
   * Throws a NotFoundError if one of the IDs belongs to an object that the viewer cannot see. Other IDs are
   * left to the provider. Returns where the objects are stored.
   */
  requireOwn(ids: ReadonlySet<string>, viewer: Viewer): Promise<readonly ObjectPlace[]>;
  /** Throws a NotFoundError for an object that does not exist or that the viewer cannot see. */
  require(kind: ObjectKind, id: string, viewer: Viewer): Promise<StoredObject>;
  /** Newest first. If there are more, returns one object more than the limit. */
  list(kind: ObjectKind, viewer: Viewer, page: ObjectPage): Promise<readonly StoredObject[]>;
  update(object: Pick<StoredObject, 'kind' | 'id'>, content: StoredObject['content']): Promise<void>;
  /** Records that an object is paid for. */
  paid(object: Pick<StoredObject, 'kind' | 'id'>): Promise<void>;
  delete(object: Pick<StoredObject, 'kind' | 'id'>): Promise<void>;
  /**
   * Takes unpaid objects that no gateway has checked since `before`, oldest check first. Other gateways do
   * not get them until then.
   */
  takeUnpaid(kind: ObjectKind, before: number): Promise<readonly StoredObject[]>;
  /** The keys that pay for unpaid objects. */
  keysOfUnpaid(): Promise<readonly string[]>;
  /** The unpaid objects that a key pays for. */
  unpaidOf(keyId: string): Promise<readonly StoredObject[]>;
  /** The unpaid batches that have a file as their input or output. */
  unpaidWith(fileId: string): Promise<readonly StoredObject[]>;
  /** Reservations older than this time that no object has, because a gateway was killed in between. */
  lostHolds(before: number): Promise<readonly HeldAmount[]>;
}
