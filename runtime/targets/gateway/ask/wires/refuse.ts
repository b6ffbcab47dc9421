import { AppError } from '../../../../contract/errors.ts';

/** For what a client asks over one wire and no provider of another can do. */
export const refuse = (what: string): AppError =>
  new AppError(
    'NotImplementedError',
    `The provider of this model cannot do ${what}. Leave it out, or use a model of a provider that speaks this API itself.`,
  );
