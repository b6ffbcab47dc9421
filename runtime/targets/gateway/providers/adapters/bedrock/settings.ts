import type { AwsKeySources } from '../access/aws-keys.ts';

/** Amazon Bedrock in a region. */
export interface BedrockSettings {
  readonly kind: 'bedrock';
  readonly region: string;
  /** URL of the API that lists models. */
  readonly controlUrl: string;
  /** Undefined if requests have an API key. */
  readonly keys: AwsKeySources | undefined;
}
