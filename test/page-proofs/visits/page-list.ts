import type { Started } from '../programs/started.ts';

export interface PageEntry {
  readonly program: string;
  /** Path and hash, without the leading slash. */
  readonly path: string;
  /** A text that the page shows when it has data. */
  readonly shows?: string;
  /** The page lists names of users or servers, which can be hostile. */
  readonly hasNames?: boolean;
}

export interface PageGroup {
  readonly url: string;
  readonly key: string | undefined;
  readonly pages: readonly PageEntry[];
}

/** Every page of every program. */
export function pageGroups({ gateway, manager, encoder, ids }: Started): readonly PageGroup[] {
  return [
    { url: gateway.url, key: gateway.key, pages: [...gatewayPages(ids), ...experimentPages(ids)] },
    { url: manager.url, key: manager.key, pages: managerPages },
    {
      url: encoder.url,
      key: undefined,
      pages: [
        { program: 'encoder', path: '', shows: 'Praise' },
        { program: 'encoder', path: 'docs', shows: '/predict' },
      ],
    },
  ];
}

const gatewayPages = ({ key, request }: Started['ids']): readonly PageEntry[] =>
  [
    { path: '#/', shows: 'Spend by model' },
    { path: '#/spending?group=user', shows: 'ada' },
    { path: '#/requests', shows: 'lab:large' },
    { path: `#/requests/${request}`, shows: 'Prompt and answer', hasNames: true },
    { path: '#/feedback', shows: 'By model' },
    { path: '#/review', shows: 'Filter' },
    { path: '#/latency', shows: 'Duration of requests' },
    { path: '#/playground', shows: 'Second model' },
    { path: '#/keys', shows: 'nightly', hasNames: true },
    { path: `#/keys/${key}`, shows: 'nightly', hasNames: true },
    { path: '#/users', shows: 'grace', hasNames: true },
    { path: '#/users/ada', shows: 'ada', hasNames: true },
    { path: '#/teams', shows: 'Research', hasNames: true },
    { path: '#/teams/research', shows: 'Members', hasNames: true },
    { path: '#/budget-use', shows: 'Spent, held and left', hasNames: true },
    { path: '#/budgets', shows: 'tier 1', hasNames: true },
    { path: '#/alerts', shows: 'Send a test' },
    { path: '#/providers', shows: 'lab' },
    { path: '#/providers/lab', shows: 'lab' },
    { path: '#/health' },
    { path: '#/aliases', shows: 'fast' },
    { path: '#/aliases/fast', shows: 'lab:large' },
    { path: '#/shadow', shows: 'evaluated', hasNames: true },
    { path: '#/pricing', shows: 'lab:small' },
    { path: '#/pricing/lab%3Asmall', shows: 'History' },
    { path: '#/guardrails', shows: 'words' },
    { path: '#/audit', shows: 'key.create' },
    { path: '#/account', shows: 'Master key' },
    { path: '#/nowhere', shows: 'There is no page' },
    { path: 'docs', shows: '/v1/chat/completions' },
  ].map((entry) => ({ program: 'gateway', ...entry }));

const experimentPages = ({ experiment }: Started['ids']): readonly PageEntry[] =>
  [
    { path: '#/experiments', shows: 'Reviews', hasNames: true },
    { path: '#/experiments/new', shows: 'Start experiment' },
    { path: `#/experiments/${experiment}`, shows: 'ROC curve', hasNames: true },
  ].map((entry) => ({ program: 'experiments', ...entry }));

const managerPages: readonly PageEntry[] = [
  { path: '#/', shows: 'remote-0' },
  { path: '#/servers/echo', shows: 'Restart' },
  { path: '#/servers/echo/log', shows: 'lines', hasNames: true },
  { path: '#/servers/remote-0', shows: 'Restart' },
  { path: '#/servers/remote-0/tools', shows: 'search-0', hasNames: true },
  { path: '#/servers/remote-0/prompts', shows: 'summary', hasNames: true },
  { path: '#/servers/remote-0/resources', shows: 'memo', hasNames: true },
  { path: '#/servers/remote-0/configuration', shows: 'Review change' },
  { path: '#/tools?q=search', shows: 'search-0', hasNames: true },
  { path: '#/tools/remote-0/search-0', shows: 'Call tool', hasNames: true },
  { path: '#/clients', shows: 'Claude' },
  { path: '#/groups', shows: 'research' },
  { path: '#/configuration', shows: 'remote-0' },
  { path: '#/add', shows: 'Review change' },
  { path: '#/keys', shows: 'Edit' },
  { path: '#/keys/new', shows: 'Create key' },
  { path: '#/pins', shows: 'Pin its tools' },
  { path: '#/findings', shows: 'ignore-instructions' },
  { path: '#/audit', shows: 'search-0' },
  { path: 'sign-in?server=remote-0', shows: 'API key or access token' },
  { path: 'secrets', shows: 'API key or access token' },
  { path: 'docs', shows: '/api/v1/servers' },
].map((entry) => ({ program: 'manager', ...entry }));
