import { inputError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { createFetcher } from './fetcher.ts';
import { hubRefusal, openHub } from './hub.ts';
import { s3Headers, s3Refusal, s3Url } from './s3.ts';
import type { DatasetSource, OpenedSource } from './source.ts';
import { openUrl } from './url.ts';

interface SourceParts {
  readonly clock: Pick<Clock, 'now'>;
  /** Whether addresses of this machine and of private networks are allowed. */
  readonly local: boolean;
  readonly signal: AbortSignal;
  /** Name of the dataset, whose extension is the format of a single file. */
  readonly filename?: string | undefined;
}

/** Opens a source and calls `use` with its files. Throws an InputError if it cannot be read. */
export async function withSource<Result>(
  { source, hub, s3 }: DatasetSource,
  { clock, local, signal, filename }: SourceParts,
  use: (opened: OpenedSource) => Promise<Result>,
): Promise<Result> {
  const isHub = source.startsWith('hf:');
  const isS3 = source.startsWith('s3:');
  const explain = isHub ? hubRefusal : isS3 ? s3Refusal : () => undefined;
  const fetcher = createFetcher({ local, signal, explain });
  const open = async (): Promise<OpenedSource> => {
    if (isHub) {
      const opened = await openHub(fetcher, source, hub);
      return { ...opened, filename: filename ?? opened.filename };
    }
    if (isS3) {
      const url = s3Url(source, s3);
      return {
        ...(await openUrl(fetcher, url, { filename, headersOf: s3Headers(url, s3, () => clock.now()) })),
        origin: source,
      };
    }
    const url = URL.parse(source);
    if (!url || !/^https?:$/.test(url.protocol)) {
      throw inputError(
        `${JSON.stringify(source.slice(0, 200))} is not a source of datasets. Use http://, https://, hf:owner/name or s3://bucket/key.`,
      );
    }
    return await openUrl(fetcher, url, { filename });
  };
  try {
    return await use(await open());
  } finally {
    await fetcher.close();
  }
}
