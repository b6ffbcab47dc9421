import { createYielder } from '#platform/run-yielding.ts';
import type { ScanAction } from '../config/tool-policy.ts';
import { itemHash } from '../config/item-definition.ts';
import { isPinnedAs } from '../config/pin-change.ts';
import type { ServerSpec } from '../config/spec.ts';
import { LIST_ITEMS, LIST_NAMES, type ListName } from '../shared/list-items.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import type { Finding } from './finding.ts';
import { compareNames, isMixed, type NamedTools, namedTool } from './rules/name-rules.ts';
import type { ReportedFinding, ScanOutcome, ScanReports } from './reports.ts';
import { releaseKey, type Releases } from './releases.ts';
import { scanValue, textsOf } from './scan-value.ts';
import type { Classify } from './classify.ts';

export interface DefinitionParts {
  readonly reports: ScanReports;
  readonly releases: Releases;
  readonly classify?: Classify | undefined;
}

/** An item that clients do not get. */
interface WithheldItem {
  readonly outcome: 'blocked' | 'held';
  readonly rule: Finding['rule'];
  /** Hash of the definition, which a release refers to. */
  readonly hash: string;
}

type Items = readonly ShapeOfParams[];

interface Visible {
  readonly spec: ServerSpec;
  /** Number of changes that can affect the items: releases, and tools of other servers. */
  readonly version: number;
  readonly items: Items;
}

/** Scans the items of lists and decides which of them clients get. */
export class ScannedDefinitions {
  readonly #parts: DefinitionParts;
  /** The findings of each item of a list that was scanned. */
  readonly #scanned = new WeakMap<Items, readonly (readonly Finding[])[]>();
  readonly #visible = new WeakMap<Items, Visible>();
  readonly #tools = new Map<string, NamedTools>();
  readonly #withheld = new Map<string, ReadonlyMap<string, WithheldItem>>();
  #version = 0;

  constructor(parts: DefinitionParts) {
    this.#parts = parts;
  }

  /** Scans a list, unless it was scanned before or the server is not scanned. */
  async scan(spec: ServerSpec, action: ScanAction, list: ListName, items: Items): Promise<void> {
    if (action === 'off' || this.#scanned.has(items)) return;
    const yieldToEventLoop = createYielder();
    const findings: (readonly Finding[])[] = [];
    let before = '';
    for (const item of items) {
      const description = typeof item['description'] === 'string' ? item['description'] : '';
      const found = await scanValue(item, 'definition');
      const split = found.length > 0 ? [] : await findSplit(before, description);
      const own = [...found, ...split];
      findings.push(own.length > 0 ? own : ((await this.#parts.classify?.(item)) ?? []));
      // What was found in this item alone must not be a finding of the next one.
      before = found.length > 0 ? '' : description;
      await yieldToEventLoop();
    }
    if (list === 'tools') this.#learnTools(spec.name, items);
    this.#scanned.set(items, findings);
  }

  /** Returns the items that clients get; undefined if the list must be scanned first. The result is the same object until something changes. */
  visible({ spec, action, list, items, isWhole }: ListToDecide): Items | undefined {
    if (action === 'off') {
      this.#withheld.delete(keyOf(spec.name, list));
      return items;
    }
    const known = this.#visible.get(items);
    if (known && known.spec === spec && known.version === this.#version) return known.items;
    const findings = this.#scanned.get(items);
    if (!findings) return undefined;
    const visible = this.#decide({ spec, action, list, items, findings, isWhole });
    const isSame =
      known?.items.length === visible.length && known.items.every((item, at) => item === visible[at]);
    const result = isSame ? known.items : visible;
    this.#visible.set(items, { spec, version: this.#version, items: result });
    return result;
  }

  /** Returns why clients do not get an item; undefined if they do. */
  withheld(server: string, list: ListName, name: string): WithheldItem | undefined {
    return this.#withheld.get(keyOf(server, list))?.get(name);
  }

  /** Releases an item that is held. Returns whether it was. */
  async release(server: string, list: ListName, name: string): Promise<boolean> {
    const item = this.withheld(server, list, name);
    if (item?.outcome !== 'held') return false;
    await this.#parts.releases.add(server, itemKey(list, name), item.hash);
    this.#applyReleases();
    return true;
  }

  /** Reads the releases again. Returns the servers with items that clients do not get. */
  async refresh(): Promise<readonly string[]> {
    await this.#parts.releases.refresh();
    this.#applyReleases();
    const withheld = [...this.#withheld].filter(([, items]) => items.size > 0);
    return [...new Set(withheld.map(([key]) => key.slice(0, key.lastIndexOf(' '))))];
  }

  #applyReleases(): void {
    this.#version += 1;
    this.#parts.reports.release(
      ({ server, kind, name, hash }) =>
        hash !== undefined && this.#parts.releases.has(server, releaseKey(kind, name), hash),
    );
  }

  forget(server: string): void {
    if (this.#tools.delete(server)) this.#version += 1;
    for (const list of LIST_NAMES) this.#withheld.delete(keyOf(server, list));
  }

  #learnTools(server: string, items: Items): void {
    const tools = items.map((item) => namedTool(String(item['name']), textsOf(item).texts));
    const before = this.#tools.get(server);
    const isSame =
      before?.tools.length === tools.length && before.tools.every(({ name }, at) => name === tools[at]?.name);
    this.#tools.set(server, { server, tools });
    if (!isSame) this.#version += 1;
  }

  #decide({ spec, action, list, items, findings, isWhole }: Decision): Items {
    const { kind, key } = LIST_ITEMS[list];
    const server = spec.name;
    const own = this.#tools.get(server);
    const others = [...this.#tools.values()].filter((one) => one.server !== server);
    const names = new Map((list === 'tools' ? own?.tools : undefined)?.map((tool) => [tool.name, tool]));
    const reported: Omit<ReportedFinding, 'at'>[] = [];
    // Pages of a list are decided one after another.
    const withheld = new Map(isWhole ? [] : this.#withheld.get(keyOf(server, list)));
    const visible = items.filter((item, at) => {
      const name = String(item[key]);
      withheld.delete(name);
      const named = names.get(name);
      const compared = own && named ? compareNames(own, named, others) : [];
      const mixed: Finding[] =
        list === 'tools' && isMixed(name)
          ? [{ rule: 'look-alike-name', pointer: '/name', excerpt: `${name} has letters of several scripts` }]
          : [];
      const certain = [...(findings[at] ?? []), ...mixed, ...compared.filter(({ isCertain }) => isCertain)];
      const uncertain = compared.filter(({ isCertain }) => !isCertain);
      if (certain.length + uncertain.length === 0) return true;
      const hash = itemHash(list, item);
      const outcome =
        certain.length === 0 ? 'reported' : this.#outcome(spec, action, { list, item, name, hash });
      const report = (outcomeOf: ScanOutcome, found: readonly Finding[]): void => {
        for (const { rule, pointer, excerpt, encoding } of found) {
          const common = { server, kind, name, outcome: outcomeOf, hash };
          reported.push({ ...common, rule, pointer, excerpt, ...(encoding && { encoding }) });
        }
      };
      report(outcome, certain);
      // It is unknown which of two similar tools is the imitation, so that withholding it could withhold the other one.
      report('reported', uncertain);
      if (outcome !== 'blocked' && outcome !== 'held') return true;
      withheld.set(name, { outcome, rule: certain[0]?.rule ?? 'look-alike-name', hash });
      return false;
    });
    this.#withheld.set(keyOf(server, list), withheld);
    const isKept = isWhole ? undefined : (name: string): boolean => !items.some((item) => item[key] === name);
    this.#parts.reports.replace(server, list, reported, isKept);
    return visible;
  }

  /**
   * What happens to an item with findings. A person accepts a definition by releasing or pinning it; another definition of the same name is a new
   * one, and is held again.
   */
  #outcome(
    { name: server, pins }: ServerSpec,
    action: ScanAction,
    { list, item, name, hash }: ItemFacts,
  ): ScanOutcome {
    if (action === 'block') return 'blocked';
    if (action !== 'quarantine') return 'reported';
    const accepted = pins !== undefined && isPinnedAs(pins, list, item);
    return accepted || this.#parts.releases.has(server, itemKey(list, name), hash) ? 'released' : 'held';
  }
}

interface ListToDecide {
  readonly spec: ServerSpec;
  readonly action: ScanAction;
  readonly list: ListName;
  readonly items: Items;
  /** Whether these are all items of the list. */
  readonly isWhole: boolean;
}

interface Decision extends ListToDecide {
  readonly findings: readonly (readonly Finding[])[];
}

interface ItemFacts {
  readonly list: ListName;
  readonly item: ShapeOfParams;
  readonly name: string;
  readonly hash: string;
}

/** Characters of two descriptions that are scanned together. */
const BORDER = 120;

/** Finds an instruction that begins in the description of an item and ends in the next one, which a model reads as one text. */
async function findSplit(before: string, description: string): Promise<readonly Finding[]> {
  if (before === '' || description === '') return [];
  const found = await scanValue([before.slice(-BORDER), description.slice(0, BORDER)], 'definition');
  return found.filter(({ pointer }) => pointer === '/0').map((one) => ({ ...one, pointer: '/description' }));
}

const keyOf = (server: string, list: ListName): string => `${server} ${list}`;
const itemKey = (list: ListName, name: string): string => releaseKey(LIST_ITEMS[list].kind, name);
