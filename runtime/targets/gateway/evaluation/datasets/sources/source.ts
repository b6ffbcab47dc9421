import type { UploadFile } from '../dataset.ts';

/** Where the files of a dataset are. */
export interface DatasetSource {
  /** A URL, `hf:owner/name`, or `s3://bucket/key`. */
  readonly source: string;
  readonly hub: DatasetHubOptions;
  readonly s3: S3Options;
}

export interface DatasetHubOptions {
  /** Default: https://huggingface.co */
  readonly endpoint?: string | undefined;
  readonly config?: string | undefined;
  readonly split?: string | undefined;
  /** Branch, tag or commit. Default: the Parquet files that the hub makes of the main branch. */
  readonly revision?: string | undefined;
  readonly token?: string | undefined;
}

export interface S3Options {
  /** Default: that of Amazon for the region. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Whether the bucket is in the path instead of the host name. Default: true for an endpoint. */
  readonly pathStyle?: boolean | undefined;
  /** Without keys, the request is not signed. */
  readonly keys?:
    | {
        readonly accessKeyId: string;
        readonly secretAccessKey: string;
        readonly sessionToken?: string | undefined;
      }
    | undefined;
}

/** The files of a source. */
export interface OpenedSource {
  /** Name of the dataset. */
  readonly filename: string;
  /** The source for display, with the commit of a repository. */
  readonly origin: string;
  readonly files: AsyncIterable<UploadFile>;
}
