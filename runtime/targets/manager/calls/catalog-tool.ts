import type { ToolChange } from '../supervisor/managed-server.ts';
import type { UpstreamTool } from './call.ts';

/** A tool that the configuration of its server allows. */
export interface CatalogTool {
  /** The name on the server. Filters, keys, groups and rules apply to it. */
  readonly own: string;
  /** The tool as clients see it, with the overrides of the configuration. */
  readonly shown: UpstreamTool;
  /** Whether lists omit the tool. */
  readonly hidden: boolean;
  /** How the tool differs from the pinned ones; undefined if it does not, or if the server is not pinned. */
  readonly change?: ToolChange['change'] | undefined;
  /** Whether the tool is blocked because of its change. */
  readonly blocked: boolean;
}
