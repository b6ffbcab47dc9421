import type { Page } from 'playwright-core';

/** A user action on a large list or chart, repeated several times. */
export interface Interaction {
  readonly title: string;
  /** The starting page, as a hash; default: the start page. */
  readonly at?: string;
  /** Parts of the page that change on their own. */
  readonly ignored?: string;
  /** The actions in order; each one is timed. */
  readonly actions: readonly ((page: Page) => Promise<unknown>)[];
}

type Action = Interaction['actions'][number];

export const press =
  (name: string | RegExp): Action =>
  (page) =>
    page.getByRole('button', { name, exact: true }).first().click();

export const follow =
  (name: string): Action =>
  (page) =>
    page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name, exact: true })
      .click();

export const choose =
  (label: string, value: string): Action =>
  (page) =>
    page.getByLabel(label, { exact: true }).selectOption(value);

export const enter =
  (label: string, text: string): Action =>
  (page) =>
    page.getByLabel(label, { exact: true }).fill(text);

export const openFirst: Action = (page) => page.locator('main tbody th a').first().click();
