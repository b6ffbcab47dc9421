import type { Behaviors } from './behavior.ts';

/** Documented behavior of `encoderfile` with models on the Hugging Face Hub. */
export const HUB = {
  'hub:build': {
    source: 'docs/hub.md',
    behavior:
      'build accepts hf:org/name on the command line and as `path` in a config; inspect shows the repository and the commit.',
  },
  'hub:pull-request': {
    source: 'docs/hub.md',
    behavior:
      'A revision can be a pull request (refs/pr/3), for pull and build, on the command line and in a config, with and without the cache.',
  },
  'hub:variant': {
    source: 'docs/hub.md',
    behavior:
      '--variant downloads one graph of a model on the Hub, and a model with several graphs is rejected if none is selected.',
  },
  'hub:init-and-validate': {
    source: 'docs/hub.md',
    behavior: 'init writes a config that refers to the model on the Hub, and validate accepts it.',
  },
  'hub:offline': {
    source: 'docs/hub.md',
    behavior:
      'A cached model can be built with --offline, with HF_HUB_OFFLINE or while the Hub is unavailable; building a model with a tokenizer from a folder never requires network access.',
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
