import type { Kysely } from 'kysely';
import type { ListPage } from '../../store/page.ts';
import type { Schema } from '../../store/schema.ts';
import type { Search } from '../../store/search.ts';
import type { Owner, Viewer } from '../../shared/owner.ts';

/** A dataset cell: text in CSV, any JSON value in JSON Lines and Parquet. */
export type DatasetCell =
  | string
  | number
  | boolean
  | null
  | readonly DatasetCell[]
  | { readonly [name: string]: DatasetCell };
export type RowCells = Readonly<Record<string, DatasetCell>>;

/** Consecutive rows that are stored together. */
export interface RowChunk {
  /** Number of the first row, 0-based. */
  readonly firstRow: number;
  readonly rows: readonly RowCells[];
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
  /** The workflow whose outputs the dataset contains. */
  readonly runId: string | null;
  readonly generated: boolean;
  readonly generatedBy: string | null;
  readonly owner: Owner | null;
  readonly tags: readonly string[];
  /** Where it was imported from. */
  readonly source: string | null;
  readonly createdAt: number;
}

/** New values for a dataset; undefined leaves a value unchanged. */
interface DatasetChanges {
  readonly filename?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A file with rows. */
export interface UploadFile {
  /** The file extension determines the format: `.csv`, `.jsonl`, `.ndjson`, `.parquet`. */
  readonly filename: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether numeric labels are replaced by the names that the file lists for them. */
  readonly hasLabelNames?: boolean | undefined;
}

interface UploadOptions {
  /** Null for the master key. */
  readonly owner: Owner | null;
  /** New column names. */
  readonly columns?: ColumnMapping | undefined;
  readonly tags?: readonly string[] | undefined;
}

interface Upload extends UploadFile, UploadOptions {}

/** Files that are concatenated into one dataset. */
export interface FilesUpload extends UploadOptions {
  /** The dataset's name. */
  readonly filename: string;
  readonly files: AsyncIterable<UploadFile>;
  /** Where the files come from. */
  readonly source: string | null;
}

/** A dataset written by a job. */
export interface OutputOptions {
  readonly filename: string;
  /** The workflow, if any. */
  readonly runId: string | null;
  readonly generatedBy: string;
  readonly owner: Owner | null;
}

export interface Datasets {
  /**
   * Stores a dataset, which becomes visible after all rows are checked. Throws an InputError with the
   * position of an invalid row.
   */
  upload(upload: Upload): Promise<Dataset>;
  /** Stores the rows of several files as one dataset. */
  uploadFiles(upload: FilesUpload): Promise<Dataset>;
  /** Datasets, newest first, with their total count. */
  list(
    viewer: Viewer,
    page: ListPage,
    search?: Search,
  ): Promise<{ readonly total: number; readonly items: readonly Dataset[] }>;
  /** Reads a dataset. Throws a NotFoundError if it does not exist or is not visible. */
  get(viewer: Viewer, id: string): Promise<Dataset>;
  /** Updates a dataset. Throws a NotFoundError. */
  change(viewer: Viewer, id: string, changes: DatasetChanges): Promise<Dataset>;
  /** A job's output, even before it is complete. Throws a NotFoundError. */
  output(id: string): Promise<Dataset>;
  /** Deletes a dataset unless `check` throws. The dataset is locked during the check. */
  delete(viewer: Viewer, id: string, check?: (trx: Kysely<Schema>) => Promise<void>): Promise<void>;
  /** The rows from a row on, chunk by chunk. */
  rows(id: string, from?: number): AsyncGenerator<RowChunk, void>;
  /** Creates a dataset for a job's output. It is not visible until it is finished. */
  begin(db: Kysely<Schema>, output: OutputOptions): Promise<string>;
  /** Adds the next rows, in the caller's transaction. */
  append(db: Kysely<Schema>, id: string, chunk: RowChunk): Promise<void>;
  finish(db: Kysely<Schema>, id: string): Promise<Dataset>;
}

/** Maps column names in the file to new names, e.g. `examples: text`. */
export type ColumnMapping = Readonly<Record<string, string>>;
