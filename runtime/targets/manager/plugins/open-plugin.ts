import type { PluginAnswer, PluginRequest, PluginResponse } from './exchange.ts';
import type { PluginFlow } from '../config/plugin-settings.ts';

/** A plugin that can be asked. */
export interface OpenPlugin {
  /** Of the flows it is configured for, those it knows. */
  readonly flows: readonly PluginFlow[];
  /** Both reject when it does not answer in its time, or not with something usable. */
  handleRequest(request: PluginRequest): Promise<PluginAnswer>;
  handleResponse(response: PluginResponse): Promise<PluginAnswer>;
  /** Rejects if it is not well. Not all can be asked. */
  check?(): Promise<void>;
  /** Resolves, never rejects, with how it ended, whoever ended it. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** What plugins find around them. */
export interface PluginPlace {
  /** What their paths are relative to. */
  readonly baseFolder: string;
  /** Where sockets go. */
  readonly socketFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly startTimeoutMs: number;
  /** A line that the plugin printed. */
  readonly onLog: (line: string) => void;
}
