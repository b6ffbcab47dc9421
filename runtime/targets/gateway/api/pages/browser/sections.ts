import type { GatewaySection } from './parts/section.ts';
import { ACCOUNT } from './sections/account.ts';
import { ALERTS } from './sections/alerts.ts';
import { ALIASES } from './sections/aliases.ts';
import { AUDIT } from './sections/audit.ts';
import { BUDGETS } from './sections/budgets.ts';
import { GUARDRAILS } from './sections/guardrails.ts';
import { KEYS } from './sections/keys.ts';
import { LATENCY } from './sections/latency.ts';
import { OVERVIEW } from './sections/overview.ts';
import { PLAYGROUND } from './sections/playground.ts';
import { PRICES } from './sections/prices.ts';
import { PROVIDERS } from './sections/providers.ts';
import { FEEDBACK } from './sections/feedback.ts';
import { REQUESTS } from './sections/requests.ts';
import { REVIEW } from './sections/review.ts';
import { SHADOW } from './sections/shadow.ts';
import { SPENDING } from './sections/spending.ts';
import { TEAMS } from './sections/teams.ts';
import { USERS } from './sections/users.ts';
import type { Section } from '#serve/http/pages/browser/start-app.ts';
import { showExperiment } from './experiments/experiment-page.ts';
import { showExperiments } from './experiments/list-page.ts';
import { showNewExperiment } from './experiments/new-page.ts';

/** The experiment pages. */
const EXPERIMENT_SECTIONS: readonly Section[] = [
  { path: 'experiments', name: 'Experiments', group: 'Usage', show: showExperiments },
  { path: 'experiments/new', title: 'New experiment', show: showNewExperiment },
  { path: 'experiments/:id', title: 'Experiment', show: showExperiment },
];

export const SECTIONS: readonly GatewaySection[] = [
  ...OVERVIEW,
  ...SPENDING,
  ...REQUESTS,
  ...FEEDBACK,
  ...REVIEW,
  ...LATENCY,
  ...PLAYGROUND,
  ...EXPERIMENT_SECTIONS,
  ...KEYS,
  ...USERS,
  ...TEAMS,
  ...BUDGETS,
  ...ALERTS,
  ...PROVIDERS,
  ...ALIASES,
  ...SHADOW,
  ...PRICES,
  ...GUARDRAILS,
  ...AUDIT,
  ...ACCOUNT,
];
