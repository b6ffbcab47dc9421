import type { UploadFile } from '../dataset.ts';
import type { BenchmarkOptions } from './benchmark-options.ts';

/** The location of a dataset's files. */
export interface DatasetSource {
  /** A URL, `hf:owner/name`, `s3://bucket/key`, or `benchmark:name`. */
  readonly source: string;
  readonly hub: DatasetHubOptions;
  readonly s3: S3Options;
  readonly benchmark: BenchmarkOptions;
}

export interface DatasetHubOptions {
  /** Default: https://huggingface.co */
  readonly endpoint?: string | undefined;
  readonly config?: string | undefined;
  readonly split?: string | undefined;
  /** Branch, tag or commit. Default: the hub's Parquet conversion of the main branch. */
  readonly revision?: string | undefined;
  readonly token?: string | undefined;
}

export interface S3Options {
  /** Default: Amazon's endpoint for the region. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Whether the bucket is in the path instead of the host name. Default: true with a custom endpoint. */
  readonly pathStyle?: boolean | undefined;
  /** Without keys, requests are not signed. */
  readonly keys?:
    | {
        readonly accessKeyId: string;
        readonly secretAccessKey: string;
        readonly sessionToken?: string | undefined;
      }
    | undefined;
}

/** The files at a source. */
export interface OpenedSource {
  /** The dataset's name. */
  readonly filename: string;
  /** The source for display, including a repository's commit. */
  readonly origin: string;
  readonly files: AsyncIterable<UploadFile>;
}
