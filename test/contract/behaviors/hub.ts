import type { Behaviors } from './behavior.ts';

/** What `encoderfile` promises about models on the Hugging Face Hub. */
export const HUB = {
  'hub:build': {
    source: 'docs/hub.md',
    behavior:
      'build accepts hf:org/name, also as path in a config; inspect shows the repository and the commit.',
  },
  'hub:variant': {
    source: 'docs/hub.md',
    behavior:
      '--variant downloads one graph of a model on the Hub, and several graphs without a choice are rejected.',
  },
  'hub:init-and-validate': {
    source: 'docs/hub.md',
    behavior: 'init writes a config that refers to the model on the Hub, and validate accepts it.',
  },
  'hub:offline': {
    source: 'docs/hub.md',
    behavior:
      'A cached model is built without a network, with --offline, HF_HUB_OFFLINE or an unavailable Hub; folders never need one.',
  },
  'hub:refusals': {
    source: 'docs/hub.md',
    behavior:
      'Missing, private and gated models, invalid tokens, references and responses, and models without a graph each cause a one-sentence error.',
  },
  'hub:config-of-repository': {
    source: 'docs/hub.md#what-is-downloaded',
    behavior:
      'An encoderfile.yml in a repository on the Hub is ignored, because it could refer to files on this machine.',
  },
} as const satisfies Behaviors;
