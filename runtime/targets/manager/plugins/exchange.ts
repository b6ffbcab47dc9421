/** A request for plugins. */
export interface PluginRequest {
  readonly method: string;
  readonly url: string;
  /** The decoded path. */
  readonly path: string;
  /** Path and query as the client sent them. */
  readonly requestUri: string;
  readonly remoteAddr: string;
  readonly headers: PluginHeaders;
  readonly body: Uint8Array;
}

/** A response for plugins. The body of a stream is empty. */
export interface PluginResponse {
  readonly statusCode: number;
  readonly headers: PluginHeaders;
  readonly body: Uint8Array;
}

/** Headers with one value each. Names are written like `Content-Type`, because plugins can compare them case-sensitively. */
export type PluginHeaders = Readonly<Record<string, string>>;

/** The response from a plugin for a request or response. Missing members do not change anything. */
export interface PluginAnswer {
  /** Whether processing continues. Otherwise the client gets this answer, and no other plugin runs. */
  readonly continue: boolean;
  readonly statusCode?: number | undefined;
  /** Changed headers; an empty value removes a header. */
  readonly headers?: PluginHeaders | undefined;
  readonly body?: Uint8Array | undefined;
  readonly modifiedRequest?: Partial<PluginRequest> | undefined;
}

/** The response from a plugin that changes nothing. */
export const CONTINUE: PluginAnswer = { continue: true };

/**
 * Maximum size of a body for plugins. gRPC servers accept messages of at most 4 MiB by default, and the headers need a part of
 * it.
 */
export const MAX_PLUGIN_BODY_BYTES = 3_932_160;
