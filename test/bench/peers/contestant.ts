import type { Program } from '../measure/child.ts';

/** A server for the same model, to be measured. */
export interface Contestant {
  /** The name in tables and plots. */
  readonly name: string;
  readonly precision: 'fp32' | 'int8';
  readonly isOurs: boolean;
  readonly serve: (port: number) => Program;
  /** The server's address, and the key of the texts in a request. */
  readonly path: '/v1/embeddings' | '/predict';
  /** Computes one text and exits; undefined if the program has no such mode. */
  readonly once?: (text: string) => Program;
  /** File size: an executable with the model, or undefined if it consists of several files. */
  readonly fileBytes?: number;
}
