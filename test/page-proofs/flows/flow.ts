import type { Page } from 'playwright-core';
import type { Started } from '../programs/started.ts';

/** A user flow on the pages of a program. */
export interface Flow {
  readonly title: string;
  readonly of: (started: Started) => { readonly url: string; readonly key: string | undefined };
  /** Status codes of calls that are expected to fail. */
  readonly failures?: readonly number[];
  /** Starts on the program's first page. Throws an error if it fails. */
  readonly run: (page: Page, started: Started) => Promise<void>;
}

/** Throws an error if two texts differ. */
export function expectText(actual: string | null, expected: string): void {
  if (actual !== expected) throw new Error(`found "${actual}" instead of "${expected}"`);
}
