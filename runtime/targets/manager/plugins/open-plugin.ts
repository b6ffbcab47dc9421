import type { PluginAnswer, PluginRequest, PluginResponse } from './exchange.ts';
import type { PluginFlow } from '../config/plugin-settings.ts';

/** A running plugin. */
export interface OpenPlugin {
  /** The configured flows that the plugin supports. */
  readonly flows: readonly PluginFlow[];
  /** Processes a request; rejects after the timeout, or if the plugin's response is invalid. */
  handleRequest(request: PluginRequest): Promise<PluginAnswer>;
  /** Processes a response; rejects after the timeout, or if the plugin's response is invalid. */
  handleResponse(response: PluginResponse): Promise<PluginAnswer>;
  /** Rejects if the plugin is unhealthy; undefined for kinds without a health check. */
  check?(): Promise<void>;
  /** Resolves with a description when the plugin exits; never rejects. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** The environment in which plugins run. */
export interface PluginEnvironment {
  /** The folder that plugin paths are relative to. */
  readonly baseFolder: string;
  /** The folder for sockets. */
  readonly socketFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly startTimeoutMs: number;
  /** Receives the lines that the plugin prints. */
  readonly onLog: (line: string) => void;
}
