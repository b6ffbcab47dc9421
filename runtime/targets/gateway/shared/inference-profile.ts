/** Regions in the names of inference profiles of Amazon Bedrock: `us.anthropic.claude-…`. */
const REGION = /^(us-gov|us|eu|apac|jp|au|ca|in|global)\./;

/** The name of a model of Amazon Bedrock without the region of its inference profile. */
export const withoutRegion = (model: string): string => model.replace(REGION, '');
