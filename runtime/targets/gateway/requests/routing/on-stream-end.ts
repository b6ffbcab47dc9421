import type { OpenedStream, StreamSummary } from '../../providers/streams/stream.ts';

/** Calls a function when a stream has ended, with its summary, or without one if it was discarded. */
export const onStreamEnd = (
  stream: OpenedStream,
  onEnd: (summary: StreamSummary | undefined) => void,
): OpenedStream => ({
  forward: (options) =>
    stream.forward({
      ...options,
      settle(summary) {
        onEnd(summary);
        return options.settle(summary);
      },
    }),
  cancel() {
    onEnd(undefined);
    stream.cancel();
  },
});
