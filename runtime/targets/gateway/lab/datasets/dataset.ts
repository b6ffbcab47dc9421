import type { Kysely } from 'kysely';
import type { Page } from '../../store/page.ts';
import type { Schema } from '../../store/schema.ts';

/** A cell of CSV is text; JSON lines and Parquet may hold more. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };
export type Row = Readonly<Record<string, Cell>>;

/** A run of rows that lie together. */
export interface RowChunk {
  /** From 0. */
  readonly firstRow: number;
  readonly rows: readonly Row[];
}

export interface Dataset {
  readonly id: string;
  readonly filename: string;
  readonly format: 'job';
  readonly size: number;
  readonly rowCount: number;
  readonly columns: readonly string[];
  /** Whether every row has a ground truth. */
  readonly groundTruth: boolean;
  /** The workflow whose answers these are. */
  readonly runId: string | null;
  readonly generated: boolean;
  readonly generatedBy: string | null;
  readonly owner: string | null;
  readonly createdAt: number;
}

export interface Upload {
  /** Its ending says what it holds: `.csv`, `.jsonl`, `.ndjson`, `.parquet`. */
  readonly filename: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The user it belongs to; null for the master key. */
  readonly owner: string | null;
}

/** What work writes, in place of an upload. */
export interface OutputOptions {
  readonly filename: string;
  /** The workflow, if there is one. */
  readonly runId: string | null;
  readonly generatedBy: string;
  readonly owner: string | null;
}

/** Who looks: a user sees what is theirs, whoever has the master key sees all. */
export type Viewer = { readonly user: string } | 'everyone';

export interface Datasets {
  /** Reads and checks all of it before anybody sees it. Throws what is wrong with it, and where. */
  upload(upload: Upload): Promise<Dataset>;
  /** Newest first, and how many there are. */
  list(viewer: Viewer, page: Page): Promise<{ readonly total: number; readonly items: readonly Dataset[] }>;
  /** Throws a NotFoundError. */
  get(viewer: Viewer, id: string): Promise<Dataset>;
  /** What a job has written, also before it is complete. Throws a NotFoundError. */
  output(id: string): Promise<Dataset>;
  /** Unless `check` throws: while it looks, nobody begins to use the dataset. */
  delete(viewer: Viewer, id: string, check?: (trx: Kysely<Schema>) => Promise<void>): Promise<void>;
  /** From this row on, a chunk at a time. */
  rows(id: string, from?: number): AsyncGenerator<RowChunk, void>;
  /** Begins a dataset that work fills; nobody sees it before it is finished. */
  begin(db: Kysely<Schema>, output: OutputOptions): Promise<string>;
  /** Adds the next rows, in the caller's transaction. */
  append(db: Kysely<Schema>, id: string, chunk: RowChunk): Promise<void>;
  finish(db: Kysely<Schema>, id: string): Promise<Dataset>;
}
