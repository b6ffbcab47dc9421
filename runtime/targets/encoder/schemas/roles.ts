import type { Static } from 'typebox';
import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { TEXT_ROLES, type TextRole } from '#contract/multi-vector.ts';
import { undocumented } from '#serve/http/documented.ts';
import { oneOf, optional } from '#serve/http/schemas.ts';

const role = oneOf(TEXT_ROLES, {
  description:
    'Whether the texts are queries, whose values come from a table of token weights, or documents. Default: documents.',
});

/** The option of sparse models. Only some encode queries and documents differently. */
export const roleMembers = ({ sparse }: Pick<Manifest, 'sparse'>) => ({
  input_type: optional(sparse?.queries ? role : undocumented(oneOf(TEXT_ROLES))),
});

type RoleMember = Static<ReturnType<typeof roleMembers>['input_type']>;

/** Returns the role of a request's texts, and rejects it for models to which it makes no difference. */
export function roleOf(wanted: RoleMember | undefined, { sparse }: Manifest): TextRole | undefined {
  if (wanted && !sparse?.queries) {
    throw inputError(
      'input_type requires a model that encodes queries and documents differently, but this model encodes them in the same way. Remove it.',
    );
  }
  return wanted ?? undefined;
}
