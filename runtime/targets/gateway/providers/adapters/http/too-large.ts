import { AppError } from '#contract/errors.ts';

export const answerTooLarge = (limit: number): AppError =>
  new AppError(
    'TooLargeError',
    `The provider's response exceeds the maximum of ${limit} bytes. Raise \`max_response_bytes\` of the provider.`,
  );
