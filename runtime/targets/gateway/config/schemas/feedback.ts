import { flagSetting, keys } from './shapes.ts';

export const feedback = keys(
  {
    enabled: flagSetting(
      'Accept feedback on responses. Requests are then indexed by their ID, which makes recording usage slower.',
      false,
    ),
  },
  'Feedback on responses.',
);
