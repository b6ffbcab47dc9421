import type { Form } from '#serve/http/form.ts';
import type { Caller, Payer } from '../../accounts/identity/identity.ts';
import type { ObjectPage, StoredObject } from '../../accounts/objects/objects.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { ForwardedStream } from '../../providers/streams/stream.ts';

/** A request about a stored object. */
export interface StoredRequest {
  readonly caller: Caller;
  /** Authenticates the request's credential again, because the request can have waited since. */
  readonly callerAgain?: (() => Promise<Payer>) | undefined;
  /** The user specified in the request; only used with the master key. */
  readonly user: string | undefined;
  readonly requestId: string;
  /** Sets a response header. */
  readonly setHeader: (name: string, value: string) => void;
  readonly signal: AbortSignal;
}

export interface NewStoredRequest extends StoredRequest {
  /** The provider specified in the request. */
  readonly provider: string | undefined;
}

/** A response of any type, whose bytes are forwarded as they arrive. */
export interface StoredBytes {
  readonly type: string;
  /** The file name. */
  readonly filename?: string | undefined;
  readonly pieces: ForwardedStream;
}

interface ObjectList {
  readonly objects: readonly StoredObject[];
  readonly hasMore: boolean;
}

/** `/v1/files`. Responses are returned as received from the provider. */
export interface Files {
  upload(request: NewStoredRequest, form: Form): Promise<Uint8Array>;
  list(request: StoredRequest, page: ObjectPage): Promise<ObjectList>;
  get(request: StoredRequest, id: string): Promise<Uint8Array>;
  content(request: StoredRequest, id: string): Promise<StoredBytes>;
  delete(request: StoredRequest, id: string): Promise<Uint8Array>;
}

/** `/v1/batches`. */
export interface Batches {
  create(request: StoredRequest, body: Json): Promise<Uint8Array>;
  list(request: StoredRequest, page: ObjectPage): Promise<ObjectList>;
  get(request: StoredRequest, id: string): Promise<Uint8Array>;
  cancel(request: StoredRequest, id: string): Promise<Uint8Array>;
}

/** Responses that providers store. */
export interface Responses {
  /** `query` is passed on to the provider. It can contain `include[]` or `starting_after`, for example. */
  get(request: StoredRequest, id: string, query: string): Promise<Uint8Array>;
  /** Returns the events of a background response. */
  follow(request: StoredRequest, id: string, query: string): Promise<StoredBytes>;
  inputItems(request: StoredRequest, id: string, query: string): Promise<Uint8Array>;
  cancel(request: StoredRequest, id: string): Promise<Uint8Array>;
  delete(request: StoredRequest, id: string): Promise<Uint8Array>;
}

/** Objects that providers store for users. */
export interface Stored {
  readonly files: Files;
  readonly batches: Batches;
  readonly responses: Responses;
  /** Checks once which batches and responses have finished, and bills those. */
  readonly settle: () => Promise<void>;
  /** Stops the periodic checks. */
  readonly close: () => Promise<void>;
}
