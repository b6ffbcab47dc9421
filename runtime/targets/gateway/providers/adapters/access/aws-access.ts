import type { Clock } from '#platform/clock.ts';
import type { Access } from './authorized-upstream.ts';
import type { Renewed } from './renewed.ts';
import { type AwsKeys, signV4 } from './sign-v4.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

export interface AwsAccessParts {
  readonly keys: Renewed<AwsKeys>;
  readonly region: string;
  readonly service: string;
  /** URL that the paths of requests are appended to. */
  readonly baseUrl: string;
  readonly clock: Clock;
}

/** Signs requests to a service of Amazon. */
export function awsAccess({ keys, region, service, baseUrl, clock }: AwsAccessParts): Access {
  const base = trimEndOf(baseUrl, '/');
  return {
    async headers({ method, path, body }) {
      const now = clock.now();
      return signV4(
        { method, url: new URL(base + path), body },
        { keys: await keys.get(), region, service, now },
      );
    },
    refused: () => keys.forget(),
  };
}
