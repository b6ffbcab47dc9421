import { AppError } from '../../../../../contract/errors.ts';

export const answerTooLarge = (limit: number): AppError =>
  new AppError(
    'TooLargeError',
    `The provider's answer has more than ${limit} bytes, the maximum. \`max_response_bytes\` of the provider raises it.`,
  );
