/** Region prefixes in Amazon Bedrock inference profile names: `us.anthropic.claude-…`. */
const REGION = /^(us-gov|us|eu|apac|jp|au|ca|in|global)\./;

/** An Amazon Bedrock model name without the region of its inference profile. */
export const withoutRegion = (model: string): string => model.replace(REGION, '');
