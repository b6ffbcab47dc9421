import type { EventEncoder } from '../streams/stream.ts';
import { noticeChunk } from './dropped-notice.ts';
import { chunkWithOriginalNames } from './provider-names.ts';

export interface ClientView {
  /** The names of tools that were changed for the provider. */
  readonly originals: ReadonlyMap<string, string> | undefined;
  /** Notice for the client before the answer. */
  readonly notice: string | undefined;
}

/** An encoder of a stream with the client's names of tools, and with a notice before the first chunk. */
export function clientEncoder(encoder: EventEncoder, { originals, notice }: ClientView): EventEncoder {
  if (!originals && notice === undefined) return encoder;
  let pending = notice;
  return {
    ...encoder,
    encode(chunks) {
      const named = originals ? chunks.map((chunk) => chunkWithOriginalNames(chunk, originals)) : chunks;
      const [first] = named;
      if (pending === undefined || !first) return encoder.encode(named);
      const before = noticeChunk(first, pending);
      pending = undefined;
      return encoder.encode([before, ...named]);
    },
  };
}
