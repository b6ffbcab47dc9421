/** @import { Filter } from '../components/filters.js' */

/**
 * The filters that lists of users and teams have.
 * @type {readonly Filter[]}
 */
export const ACCOUNT_FILTERS = [
  { key: 'search', title: 'Search', kind: 'text' },
  { key: 'status', title: 'Status', kind: 'choice', choices: ['active', 'blocked'] },
];
