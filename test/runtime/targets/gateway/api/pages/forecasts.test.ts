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

  test.each(['light', 'dark'] as const)(
    'draws the spending, its forecast and the limit (%s)',
    async (colorScheme) => {
      const { ask, url } = gateway();
      const [ada] = (await ask('GET', '/v1/budgets/forecasts?owner=user&id=ada')).body;
      await pages.visit(
        `${url}/#/budget-use`,
        async (page) => {
          const chart = page.locator('figure', { has: page.getByText(/^Forecast of/) });
          await chart.locator('svg .band').waitFor();
          const choice = page.getByLabel('Forecast of', { exact: true });
          expect(await choice.inputValue()).toBe('user:ada');
          expect(await chart.innerText()).toContain(
            `${dollars(ada.spend)} of ${dollars(ada.max_budget)} spent.`,
          );
          expect(await chart.innerText()).toContain('is expected to be exhausted on');
          // The limit, and the time at which it is reached, are two parts of a dashed line.
          const dashes = await chart.locator('svg .reference').getAttribute('d');
          expect(dashes?.match(/M/g)).toHaveLength(2);
          const visible = await chart
            .locator('svg .band')
            .evaluate((node) => node.ownerDocument.defaultView?.getComputedStyle(node).fill);
          expect(visible).toMatch(/^rgb/);
          await chart.getByText('Data as a table').click();
          const table = chart.getByRole('table');
          await table.waitFor();
          expect(await table.locator('thead th').allInnerTexts()).toEqual([
            'Time',
            'Spent',
            'Expected',
            'From',
            'To',
          ]);
          const last = ada.course.future.at(-1);
          expect(await table.locator('tbody tr').last().locator('td').allInnerTexts()).toEqual([
            '–',
            ...[last.expected, last.low, last.high].map(dollars),
          ]);

          await choice.selectOption({ label: `Key ${HOSTILE}` });
          await chart.getByText('Not enough data for a forecast').waitFor();
          expect(await chart.locator('svg .band').count()).toBe(0);
          await expect.poll(() => page.url()).toContain('owner=key');
          await page.reload();
          await chart.getByText('Not enough data for a forecast').waitFor();
        },
        { ...signedIn(gateway()), colorScheme },
      );
    },
    60_000,
  );
});
