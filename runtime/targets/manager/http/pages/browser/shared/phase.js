import { badge } from '../components/facts.js';

/** @type {Record<string, 'good' | 'warning' | 'alarm' | 'plain'>} */
const KINDS = {
  running: 'good',
  idle: 'plain',
  installing: 'warning',
  starting: 'warning',
  stopping: 'warning',
  waiting: 'warning',
  failed: 'alarm',
};

/** @param {string} phase */
export const phaseBadge = (phase) => badge(phase, KINDS[phase] ?? 'plain');

/** @type {Record<string, 'good' | 'warning' | 'alarm' | 'plain'>} */
const HEALTH_KINDS = { ok: 'good', timeout: 'warning', unreachable: 'alarm' };

/** @param {string} status */
export const healthBadge = (status) => badge(status, HEALTH_KINDS[status] ?? 'plain');
