/**
 * Random access to the bytes of a file. The contract reads containers through this interface, so that it needs no file system.
 */
export interface ByteSource {
  /** Name of the file in messages. */
  readonly name: string;
  readonly size: number;
  /** Returns exactly `length` bytes from `offset` on; throws if the file ends before that. */
  readAt(offset: number, length: number): Uint8Array;
}
