import { AppError } from '#contract/errors.ts';

/** The error for a feature of one client API that providers with other APIs do not support. */
export const refuse = (feature: string): AppError =>
  new AppError(
    'NotImplementedError',
    `The provider of this model does not support ${feature}. Remove it, or use a model of a provider with this API.`,
  );
