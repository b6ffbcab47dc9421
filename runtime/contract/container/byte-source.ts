/** Random access to a file's bytes. The contract reads containers through this, so that it needs no file system. */
export interface ByteSource {
  /** What to call the file in messages. */
  readonly name: string;
  readonly size: number;
  /** Exactly `length` bytes from `offset`; throws where the file ends before that. */
  readAt(offset: number, length: number): Uint8Array;
}
