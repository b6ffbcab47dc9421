/** @import { Section } from './start-app.js' */
import { EXPERIMENT_SECTIONS } from './experiments/sections.js';
import { ACCOUNT } from './sections/account.js';
import { ALERTS } from './sections/alerts.js';
import { ALIASES } from './sections/aliases.js';
import { AUDIT } from './sections/audit.js';
import { BUDGETS } from './sections/budgets.js';
import { GUARDRAILS } from './sections/guardrails.js';
import { KEYS } from './sections/keys.js';
import { LATENCY } from './sections/latency.js';
import { OVERVIEW } from './sections/overview.js';
import { PLAYGROUND } from './sections/playground.js';
import { PRICES } from './sections/prices.js';
import { PROVIDERS } from './sections/providers.js';
import { REQUESTS } from './sections/requests.js';
import { SPENDING } from './sections/spending.js';
import { TEAMS } from './sections/teams.js';
import { USERS } from './sections/users.js';

/**
 * A page, and who it is for.
 * @typedef {Section & { readers?: boolean, managers?: boolean, admins?: boolean }} GatewaySection
 */

/** @type {readonly GatewaySection[]} */
export const SECTIONS = [
  ...OVERVIEW,
  ...SPENDING,
  ...REQUESTS,
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
  ...PRICES,
  ...GUARDRAILS,
  ...AUDIT,
  ...ACCOUNT,
];
