/** A request as plugins see it. */
export interface PluginRequest {
  readonly method: string;
  readonly url: string;
  /** Decoded, as the names in it are understood. */
  readonly path: string;
  /** Path and query as they were sent. */
  readonly requestUri: string;
  readonly remoteAddr: string;
  readonly headers: PluginHeaders;
  readonly body: Uint8Array;
}

/** An answer as plugins see it. Streams have an empty body. */
export interface PluginResponse {
  readonly statusCode: number;
  readonly headers: PluginHeaders;
  readonly body: Uint8Array;
}

/** Names are written as in `Content-Type`: plugins may compare them by case. One value each. */
export type PluginHeaders = Readonly<Record<string, string>>;

/** What a plugin says to a request or an answer. What is left out stays as it is. */
export interface PluginAnswer {
  /** Otherwise the client gets this answer, and nobody else is asked. */
  readonly continue: boolean;
  readonly statusCode?: number | undefined;
  /** Only those that change; an empty value takes a header out. */
  readonly headers?: PluginHeaders | undefined;
  readonly body?: Uint8Array | undefined;
  readonly modifiedRequest?: Partial<PluginRequest> | undefined;
}

/** Nothing to say. */
export const GO_ON: PluginAnswer = { continue: true };

/**
 * What may be shown to plugins of a request or an answer. gRPC servers take messages of at most 4 MiB unless told otherwise, and
 * the headers need some of it.
 */
export const MAX_PLUGIN_BODY_BYTES = 3_932_160;
