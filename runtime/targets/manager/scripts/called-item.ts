import { AppError } from '#contract/errors.ts';
import type { CallKind, ToolRequest } from '#transform/tool-script/tool-script.ts';
import type { ServerCall } from '../calls/call.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** What a script calls, with the arguments of the call. */
export interface CalledItem {
  readonly kind: CallKind;
  readonly server: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly name: string;
  readonly args: ShapeOfParams;
}

/** A call of a script, as plugins changed it, and its caller. */
export interface InspectedCall extends Pick<ServerCall, 'caller' | 'headers' | 'meta'> {
  readonly item: CalledItem;
}

/**
 * Sends a call of a script through plugins. They can change the call before `run` makes it, change its result, or reject either of
 * them. The number identifies the call within the script.
 */
export type InspectCall = (
  item: CalledItem,
  number: number,
  run: (call: InspectedCall) => Promise<ShapeOfParams>,
) => Promise<ShapeOfParams>;

export const calledItem = ({ kind, server, tool }: ToolRequest, args: ShapeOfParams): CalledItem => ({
  kind,
  server,
  name: kind === 'resource' ? uriIn(args) : tool,
  args,
});

function uriIn({ uri }: ShapeOfParams): string {
  if (typeof uri === 'string') return uri;
  throw new AppError('InputError', 'read takes the URI of a resource as a text: { uri = "..." }');
}
