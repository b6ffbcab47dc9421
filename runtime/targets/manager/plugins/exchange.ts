/** A request as passed to plugins. */
export interface PluginRequest {
  readonly method: string;
  readonly url: string;
  /** The decoded path. */
  readonly path: string;
  /** Path and query as sent by the client. */
  readonly requestUri: string;
  readonly remoteAddr: string;
  readonly headers: PluginHeaders;
  readonly body: Uint8Array;
}

/** A response as passed to plugins. For streams, the body is empty. */
export interface PluginResponse {
  readonly statusCode: number;
  readonly headers: PluginHeaders;
  readonly body: Uint8Array;
}

/**
 * Headers with one value each. Names are capitalized like `Content-Type`, because plugins may compare them
 * case-sensitively.
 */
export type PluginHeaders = Readonly<Record<string, string>>;

/** A plugin's response for a request or response. Missing fields do not change anything. */
export interface PluginAnswer {
  /** Whether processing continues. Otherwise, the client gets this response and no further plugin runs. */
  readonly continue: boolean;
  readonly statusCode?: number | undefined;
  /** Changed headers; an empty value removes a header. */
  readonly headers?: PluginHeaders | undefined;
  readonly body?: Uint8Array | undefined;
  readonly modifiedRequest?: Partial<PluginRequest> | undefined;
}

/** The plugin response for no changes. */
export const CONTINUE: PluginAnswer = { continue: true };

/**
 * Maximum body size for plugins. By default, gRPC servers accept messages of up to 4 MiB. This size
 * includes the headers.
 */
export const MAX_PLUGIN_BODY_BYTES = 3_932_160;
