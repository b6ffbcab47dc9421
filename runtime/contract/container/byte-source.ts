/**
 * Random access to the bytes of a file. The code in this folder reads containers through this
 * interface, so that it does not depend on a file system.
 */
export interface ByteSource {
  /** Name of the file, for messages. */
  readonly name: string;
  readonly size: number;
  /** Returns exactly `length` bytes from `offset` on; throws if the file ends before that. */
  readAt(offset: number, length: number): Uint8Array;
}
