import { Type } from 'typebox';

/** The schema of a list of numbers in a result. */
export const numbers = (description: string) => Type.Array(Type.Number(), { description });

/** The schema of a token in a result. */
export const tokenInfo = Type.Object(
  {
    token: Type.String({ description: 'Token as written in the vocabulary.' }),
    token_id: Type.Integer(),
    start: Type.Integer({ description: 'Start of the token in the text, in Unicode code points.' }),
    end: Type.Integer({ description: 'End of the token in the text, in Unicode code points.' }),
  },
  { $id: 'TokenInfo' },
);

export const EXAMPLE_TOKEN = { token: 'Anna', token_id: 5075, start: 0, end: 4 };
