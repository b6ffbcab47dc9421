import { describe, expect, test } from 'vitest';
import { provideChromium } from '#test/helpers/chromium.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { startScripted } from '../../scripted-provider.ts';
import { HOSTILE, signedIn, useBusyGateway } from './busy-gateway.ts';

const chromium = await provideChromium();
const scripted = await startScripted();

interface Forecasted {
  readonly owner: { readonly id: string };
  readonly forecast: {
    readonly projected_spend: Readonly<Record<'expected' | 'low' | 'high', number>>;
    readonly exhausted_at: string | null;
  } | null;
}

const dollars = (amount: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(amount);

describe.skipIf(chromium === undefined)('the page Budget use', () => {
  const pages = usePages(chromium);
  const gateway = useBusyGateway(scripted);

  test('shows what will be spent, and when a budget will be exhausted', async () => {
    const { ask, url } = gateway();
    const budget = { name: 'large', max_budget: 1000, calendar: 'month' };
    const { budget_id } = (await ask('POST', '/v1/budgets', budget)).body;
    await ask('PATCH', '/v1/teams/research', { budget_id });
    const forecastOf = async (owner: string, id: string) => {
      const { body } = await ask('GET', `/v1/budgets/forecasts?owner=${owner}`);
      const found = (body as readonly Forecasted[]).find((one) => one.owner.id === id)?.forecast;
      if (!found) throw new Error(`${id} has no forecast.`);
      return found;
    };
    const [ada, research] = [await forecastOf('user', 'ada'), await forecastOf('team', 'research')];
    await pages.visit(
      `${url}/#/budget-use`,
      async (page) => {
        const shown = page.getByRole('table', { name: 'Budget use' });
        await shown.waitFor();
        const titles = await shown.locator('thead th').allInnerTexts();
        const cellOf = (owner: string, title: string) =>
          shown
            .locator('tbody tr', { has: page.getByRole('link', { name: owner, exact: true }) })
            .locator('th, td')
            .nth(titles.indexOf(title));
        const projected = ({ projected_spend: { expected, low, high } }: typeof ada): string =>
          `${dollars(expected)} (${dollars(low)} to ${dollars(high)})`;

        // A user who spends more than the budget until its reset.
        expect(await cellOf('User Ada Lovelace', 'Projected').innerText()).toBe(projected(ada));
        const time = cellOf('User Ada Lovelace', 'Exhausted').locator('time');
        const exhausted = Date.parse((await time.getAttribute('datetime')) ?? '');
        expect(exhausted).toBe(Date.parse(ada.exhausted_at ?? ''));
        expect(exhausted).toBeGreaterThan(gateway().clock.now());

        // A team that spends less.
        expect(await cellOf('Team Research', 'Projected').innerText()).toBe(projected(research));
        expect(await cellOf('Team Research', 'Exhausted').innerText()).toBe('No');

        // A key that has never been used.
        const key = `Key ${HOSTILE}`;
        expect(await cellOf(key, 'Projected').innerText()).toBe('Not enough data');
        expect(await cellOf(key, 'Exhausted').innerText()).toBe('');
      },
      signedIn(gateway()),
    );
  }, 60_000);
});
