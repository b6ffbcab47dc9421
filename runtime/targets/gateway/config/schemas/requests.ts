import { REQUEST_POLICY, UNSUPPORTED_TOOLS, USER_FIELDS } from '../../providers/shapes/policies.ts';
import { choice, keys } from './shapes.ts';

export const requests = keys(
  {
    user_field: choice(
      USER_FIELDS,
      "Meaning of `user` in a request with an API key: the user to bill, so that another user than the key's is rejected, or end_user, the client's own user, which is only recorded.",
      REQUEST_POLICY.userField,
    ),
    unsupported_tools: choice(
      UNSUPPORTED_TOOLS,
      'Treatment of tools that the provider of the model cannot run: drop them if others are left, or reject the request.',
      REQUEST_POLICY.unsupportedTools,
    ),
  },
  'How requests are read.',
);
