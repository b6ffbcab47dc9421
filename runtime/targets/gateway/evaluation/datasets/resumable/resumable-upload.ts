import type { Dataset, ColumnMapping } from '../dataset.ts';
import type { Owner, Viewer } from '../../../shared/owner.ts';

/** An upload in several requests, which can resume after an interruption. */
export interface ResumableUpload {
  readonly id: string;
  readonly filename: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Number of stored bytes. It only equals the size once the dataset exists. */
  readonly offset: number;
  /** The dataset, once all bytes have been received. */
  readonly datasetId: string | null;
  readonly owner: Owner | null;
  readonly expiresAt: number;
}

interface NewResumableUpload {
  readonly filename: string;
  readonly size: number;
  readonly columns: ColumnMapping | undefined;
  readonly owner: Owner | null;
}

export interface ResumableUploads {
  readonly maxBytes: number;
  /** Creates an empty upload. Throws a TooLargeError, or an OverloadedError if the owner has too many. */
  create(upload: NewResumableUpload): Promise<ResumableUpload>;
  /** Throws a NotFoundError if it does not exist, has expired or is not visible. */
  get(viewer: Viewer, id: string): Promise<ResumableUpload>;
  /**
   * Stores bytes from an offset on, piece by piece, and creates the dataset after the last one. Throws a
   * ConflictError if the offset does not match; throws an InputError and ends the upload if the file is not a
   * valid dataset.
   */
  append(
    viewer: Viewer,
    id: string,
    offset: number,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<ResumableUpload & { readonly dataset?: Dataset }>;
  delete(viewer: Viewer, id: string): Promise<void>;
}
