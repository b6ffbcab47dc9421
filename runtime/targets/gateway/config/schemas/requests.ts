import { REQUEST_POLICY, UNSUPPORTED_TOOLS, USER_FIELDS } from '../../providers/shapes/policies.ts';
import { choice, keys } from './shapes.ts';

export const requests = keys(
  {
    user_field: choice(
      USER_FIELDS,
      "Meaning of `user` in a request with an API key: payer, the user to bill, which must be the key’s own user, or end_user, the client's own user, which is only recorded.",
      REQUEST_POLICY.userField,
    ),
    unsupported_tools: choice(
      UNSUPPORTED_TOOLS,
      'Handling of tools that the model’s provider cannot run: drop them if others remain, or reject the request.',
      REQUEST_POLICY.unsupportedTools,
    ),
  },
  'How requests are interpreted.',
);
