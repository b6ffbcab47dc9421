import { describe, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { startScripted } from '../../scripted-provider.ts';
import { signedIn, useBusyGateway } from './busy-gateway.ts';

const chromium = await provideChromium();
const scripted = await startScripted();

describe.skipIf(chromium === undefined)('the page Provider health', () => {
  const pages = usePages(chromium);
  const gateway = useBusyGateway(scripted);

  test('shows the waiting requests by priority, and since when the first one waits', async () => {
    const { clock, context, url } = gateway();
    const gone = new AbortController();
    const wait = async (priority: 'low' | 'high'): Promise<void> => {
      const turn = context.providerQueue.open({
        model: 'openai:gpt-5',
        terms: { maxMs: 60_000, priority, userId: 'ada' },
        patience: { leftMs: 60_000 },
        signal: gone.signal,
        onWaited: () => undefined,
      });
      await turn.waitAfter(new AppError('OverloadedError', 'No room.'));
    };
    const since = clock.now();
    const waits = [wait('low')];
    clock.advance(100);
    waits.push(wait('low'), wait('high'));
    await pages.visit(
      `${url}/#/health`,
      async (page) => {
        const shown = page.getByRole('table', { name: 'Waiting requests' });
        await shown.waitFor();
        const rows = shown.locator('tbody tr');
        expect(await rows.nth(0).locator('th, td').allInnerTexts()).toEqual([
          'high',
          '1',
          expect.any(String),
        ]);
        expect(await rows.nth(1).locator('th, td').allInnerTexts()).toEqual(['low', '2', expect.any(String)]);
        const first = await rows.nth(1).locator('time').getAttribute('datetime');
        expect(Date.parse(first ?? '')).toBe(Math.floor(since));
        gone.abort();
        await Promise.allSettled(waits);
        await page.reload();
        await page.getByText('Circuit breakers').first().waitFor();
        await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0);
        expect(await shown.count()).toBe(0);
      },
      signedIn(gateway()),
    );
  }, 60_000);
});
