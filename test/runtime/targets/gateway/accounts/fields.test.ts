import { describe, expect, test } from 'vitest';
import { BUDGET_FIELDS } from '#gateway/accounts/fields/budgets.ts';
import { type Field, type FieldTable, nameOf, settableFields } from '#gateway/accounts/fields/field.ts';
import { ORGANIZATION_FIELDS, TEAM_FIELDS } from '#gateway/accounts/fields/groups.ts';
import { KEY_FIELDS } from '#gateway/accounts/fields/keys.ts';
import { USER_FIELDS } from '#gateway/accounts/fields/users.ts';
import { type Answer, gatewayOn, type OpenGateway } from '../api/open-gateway.ts';
import { keysOf } from '../api/tenants/keys-of.ts';
import { runCommand } from '../commands/run-command.ts';
import { describeDatabases, type TestDatabase } from '../databases.ts';

// Sets each field of each resource in every way, reads it from every response, and checks that it is rejected for
// users without permission. The fields come from the tables, so a new field of a known kind is tested automatically.

interface Resource {
  readonly name: string;
  readonly table: FieldTable;
  readonly path: string;
  readonly command: string;
  /** The member that contains the ID. */
  readonly id: string;
  /** Callers that can set a field: gateway members can set it only on keys and on service accounts of their teams. */
  readonly isOfTeams?: true;
}

const RESOURCES: readonly Resource[] = [
  { name: 'user', table: USER_FIELDS, path: '/v1/users', command: 'users', id: 'user_id', isOfTeams: true },
  { name: 'key', table: KEY_FIELDS, path: '/v1/keys', command: 'keys', id: 'id', isOfTeams: true },
  { name: 'team', table: TEAM_FIELDS, path: '/v1/teams', command: 'teams', id: 'team_id' },
  {
    name: 'organization',
    table: ORGANIZATION_FIELDS,
    path: '/v1/organizations',
    command: 'orgs',
    id: 'organization_id',
  },
  { name: 'budget', table: BUDGET_FIELDS, path: '/v1/budgets', command: 'budgets', id: 'budget_id' },
];

/** A value as the API accepts and returns it, and as commands accept it. */
interface Sample {
  readonly value: unknown;
  readonly text: string;
}

const SAMPLES: Partial<Record<Field['kind'], readonly [Sample, Sample]>> = {
  text: [
    { value: 'One', text: 'One' },
    { value: 'Two 🙂', text: 'Two 🙂' },
  ],
  zone: [
    { value: 'Europe/Berlin', text: 'Europe/Berlin' },
    { value: 'Asia/Tokyo', text: 'Asia/Tokyo' },
  ],
  flag: [
    { value: true, text: '' },
    { value: false, text: '' },
  ],
  choice: [
    { value: true, text: 'on' },
    { value: false, text: 'off' },
  ],
  rate: [
    { value: 7, text: '7' },
    { value: 1_000_000, text: '1000000' },
  ],
  wait: [
    { value: 30, text: '30' },
    { value: 0, text: '0' },
  ],
  seconds: [
    { value: 3600, text: '1h' },
    { value: 86_400, text: 'daily' },
  ],
  amount: [
    { value: 2.5, text: '2.50' },
    { value: 0, text: '0' },
  ],
  timeOrNull: [
    { value: '2090-01-01T00:00:00Z', text: '2090-01-01' },
    { value: '2091-02-03T00:00:00Z', text: '2091-02-03' },
  ],
  models: [
    { value: ['a:*'], text: 'a:*' },
    { value: ['b'], text: 'b' },
  ],
  labels: [
    { value: ['desk'], text: 'desk' },
    { value: ['desk', 'time'], text: 'desk,time' },
  ],
  metadata: [
    { value: { a: 'b' }, text: 'a=b' },
    { value: {}, text: '{}' },
  ],
  limits: [
    {
      value: [
        { max_budget: 5, budget_duration_sec: 18_000, calendar: null, time_zone: null, models: null },
        { max_budget: 20, budget_duration_sec: null, calendar: 'week', time_zone: null, models: null },
        {
          max_budget: 0.5,
          budget_duration_sec: null,
          calendar: null,
          time_zone: null,
          models: ['a:*', 'b:c'],
        },
      ],
      text: '5/5h, 20/week, 0.50/never a:* b:c',
    },
    {
      value: [
        {
          max_budget: 1,
          budget_duration_sec: null,
          calendar: 'day',
          time_zone: 'Asia/Tokyo',
          models: ['a:b'],
        },
      ],
      text: '[{"max_budget": 1, "calendar": "day", "time_zone": "Asia/Tokyo", "models": ["a:b"]}]',
    },
  ],
  percentages: [
    { value: [10, 90], text: '10,90' },
    { value: [], text: 'none' },
  ],
};

/** Objects that other objects reference. */
const NAMES = {
  budget: ['BUDGET', 'OTHER BUDGET'],
  team: ['crew', 'crew'],
  organization: ['acme', 'other'],
} as const;

/** Fields that must be set together with a field. */
const COMPANIONS: Readonly<Record<string, { readonly body: object; readonly flags: readonly string[] }>> = {
  time_zone: { body: { calendar: 'day' }, flags: ['--calendar', 'day'] },
};

const state = { budgets: new Map<string, string>() };
const idOf = (name: string): string => state.budgets.get(name) ?? name;

function samplesOf(field: Field): readonly [Sample, Sample] {
  if (field.kind === 'parts') {
    const parts = Object.entries(field.parts);
    const pick = (at: 0 | 1): Sample => ({
      value: Object.fromEntries(parts.map(([name, part]) => [name, samplesOf(part)[at].value])),
      text: '',
    });
    return [pick(0), pick(1)];
  }
  if (field.kind === 'owner') {
    return [
      { value: 'ann', text: 'ann' },
      { value: 'ann', text: 'ann' },
    ];
  }
  if (field.kind === 'word' || field.kind === 'wordOrNull') {
    const [first = '', second = ''] = field.words ?? [];
    return [
      { value: second, text: second },
      { value: first, text: first },
    ];
  }
  // A service account requires an existing team.
  const to = field.kind === 'reference' ? field.to : field.flag?.value === 'team_id' ? 'team' : undefined;
  if (to !== undefined) {
    const [one, other] = NAMES[to].map((name) => ({ value: idOf(name), text: idOf(name) }));
    if (one && other) return [one, other];
  }
  const samples = SAMPLES[field.kind];
  if (!samples) throw new Error(`no sample of the kind ${field.kind}`);
  return samples;
}

function flagsOf(name: string, field: Field, at: 0 | 1, when: 'create' | 'update'): readonly string[] {
  if (field.kind === 'parts')
    return Object.entries(field.parts).flatMap(([part, one]) => flagsOf(part, one, at, when));
  const { flag } = field;
  if (!flag) throw new Error(`${name} has no flag`);
  const word = flag.name ?? name.replaceAll('_', '-');
  const { value, text } = samplesOf(field)[at];
  if (field.kind !== 'flag') return [`--${word}`, text];
  if (when === 'create') return value === true ? [`--${word}`] : [];
  return [`--${(value === true ? flag.on : flag.off)?.name ?? ''}`];
}

const settable = ({ table }: Resource, when: 'create' | 'update'): readonly [string, Field][] =>
  settableFields(table, when).filter(([, { kind }]) => kind !== 'id');

async function start(database: TestDatabase): Promise<OpenGateway & { readonly url: string }> {
  const { clock, url, ...opened } = await database.start();
  const gateway = gatewayOn(opened, clock);
  const { ask } = gateway;
  for (const name of NAMES.budget) {
    const { body } = await ask('POST', '/v1/budgets', { name });
    state.budgets.set(name, body.budget_id);
  }
  for (const organization_id of NAMES.organization)
    await ask('POST', '/v1/organizations', { organization_id });
  await ask('POST', '/v1/teams', { team_id: 'crew' });
  for (const user_id of ['ann', 'chief']) await ask('POST', '/v1/users', { user_id });
  await ask('PUT', '/v1/teams/crew/members/chief', { role: 'admin' });
  return { ...gateway, url };
}

let created = 0;
const newId = ({ table }: Resource): object => {
  const id = Object.entries(table).find(([, { kind, settable: when }]) => kind === 'id' && when === 'create');
  return id ? { [id[0]]: `new-${(created += 1)}` } : {};
};

const ok = ({ status, body, text }: Answer): Record<string, unknown> => {
  if (status !== 200) throw new Error(text);
  return body as Record<string, unknown>;
};

describeDatabases((database) => {
  test('the API sets and returns every field', async () => {
    const { ask } = await start(database);
    for (const resource of RESOURCES) {
      for (const [name, field] of settable(resource, 'create')) {
        const [{ value }] = samplesOf(field);
        const { body: more = {} } = COMPANIONS[name] ?? {};
        const one = ok(await ask('POST', resource.path, { ...newId(resource), ...more, [name]: value }));
        expect([resource.name, name, one[name]]).toEqual([resource.name, name, value]);
      }
      const { [resource.id]: id } = ok(await ask('POST', resource.path, newId(resource)));
      const path = `${resource.path}/${encodeURIComponent(String(id))}`;
      for (const [name, field] of settable(resource, 'update')) {
        const before = ok(await ask('GET', path));
        for (const { value } of samplesOf(field)) {
          const { body: more = {} } = COMPANIONS[name] ?? {};
          const one = ok(await ask('PATCH', path, { ...more, [name]: value }));
          expect([resource.name, name, one[name]]).toEqual([resource.name, name, value]);
          expect(ok(await ask('GET', path))[name]).toEqual(value);
          const listed = ok(await ask('GET', resource.path)) as object as Record<string, unknown>[];
          expect(listed.find((other) => other[resource.id] === id)?.[name]).toEqual(value);
        }
        // An update keeps all other fields, and null clears a field that can be cleared.
        const cleared = await ask('PATCH', path, {
          [name]: null,
          ...(name === 'calendar' && { time_zone: null }),
        });
        const isCleared = cleared.status === 200;
        expect(isCleared ? cleared.body[name] : null).toEqual((isCleared && CLEARED[name]) || null);
        if (!isCleared) ok(await ask('PATCH', path, { [name]: before[name] }));
        const untouched = Object.entries(before).filter(([other]) => !CHANGING.has(other) && other !== name);
        expect(ok(await ask('GET', path))).toMatchObject({
          ...Object.fromEntries(untouched),
          ...(name === 'time_zone' && { calendar: 'day' }),
        });
        if (name === 'time_zone') ok(await ask('PATCH', path, { calendar: null }));
      }
    }
  });

  test('commands set and print every field', async () => {
    const { ask, url } = await start(database);
    const run = async (args: readonly string[]): Promise<Record<string, unknown>> => {
      const { code, out, err } = await runCommand([...args, '--json', '--database-url', url]);
      if (code !== 0) throw new Error(`${args.join(' ')}: ${err}${out}`);
      return JSON.parse(out) as Record<string, unknown>;
    };
    for (const resource of RESOURCES) {
      for (const [name, field] of settable(resource, 'create')) {
        const { flags = [] } = COMPANIONS[name] ?? {};
        const id = Object.values(newId(resource)) as string[];
        const one = await run([
          resource.command,
          'create',
          ...id,
          ...flags,
          ...flagsOf(name, field, 0, 'create'),
        ]);
        expect([resource.name, name, one[name]]).toEqual([resource.name, name, samplesOf(field)[0].value]);
      }
      const { [resource.id]: id } = ok(await ask('POST', resource.path, newId(resource)));
      for (const [name, field] of settable(resource, 'update')) {
        for (const at of [0, 1] as const) {
          const { flags = [] } = COMPANIONS[name] ?? {};
          const one = await run([
            resource.command,
            'update',
            String(id),
            ...flags,
            ...flagsOf(name, field, at, 'update'),
          ]);
          expect([resource.name, name, one[name]]).toEqual([resource.name, name, samplesOf(field)[at].value]);
          if (name === 'name') break;
        }
        if (name === 'calendar' || name === 'time_zone')
          await run(['budgets', 'update', String(id), '--calendar', 'none']);
        if (name === 'budget_duration_sec') await run(['budgets', 'update', String(id), '--every', 'none']);
      }
    }
  });

  test('a caller without permission cannot set a field', async () => {
    const gateway = await start(database);
    const { ask } = gateway;
    const { session } = keysOf(gateway);
    const [chief, ann] = [await session('chief'), await session('ann')];
    for (const resource of RESOURCES) {
      const isKey = resource.name === 'key';
      const owned = isKey
        ? { user_id: 'ann', team_id: 'crew' }
        : resource.isOfTeams
          ? { team_id: 'crew' }
          : {};
      const { [resource.id]: id } = ok(await ask('POST', resource.path, { ...newId(resource), ...owned }));
      const path = `${resource.path}/${encodeURIComponent(String(id))}`;
      for (const [name, field] of settable(resource, 'update')) {
        for (const { value } of samplesOf(field)) {
          const body = { ...COMPANIONS[name]?.body, [name]: value };
          // The owner of a key or any member can only switch off their own.
          const isOwners = isKey && field.isOwners === true && !(field.kind === 'flag' && value === true);
          const byMember = await ask('PATCH', path, body, ann);
          expect([resource.name, body, byMember.status]).toEqual([
            resource.name,
            body,
            isOwners ? 200 : isKey || !resource.isOfTeams ? 403 : 404,
          ]);
          // A team admin.
          const byChief = await ask('PATCH', path, body, chief);
          // A tighter value is accepted and stored; a looser one is rejected.
          const now = ok(await ask('GET', path))[name];
          const isSet = JSON.stringify(now) === JSON.stringify(value);
          expect([name, value, byChief.status]).toEqual([
            name,
            value,
            statusForChief(resource, field, isSet),
          ]);
        }
      }
      for (const [name, field] of settable(resource, 'create')) {
        const [{ value }] = samplesOf(field);
        const body = { ...newId(resource), ...COMPANIONS[name]?.body, [name]: value };
        expect([resource.name, name, (await ask('POST', resource.path, body, ann)).status]).toEqual([
          resource.name,
          name,
          // All callers can create a key for themselves in one of their teams, or a key that manages the gateway with
          // their own role.
          isKey && (name === 'scope' || name === 'team_id') ? 200 : 403,
        ]);
      }
    }
  });
});

/** The status for a team admin. Service accounts have no role, regardless of the caller. */
function statusForChief({ isOfTeams }: Resource, field: Field, isSet: boolean): number {
  if (!isOfTeams || field.teamAdmin === 'never') return 403;
  if (field.kind === 'word') return isSet ? 200 : 422;
  return field.teamAdmin === undefined || isSet ? 200 : 403;
}

/** Values of cleared fields, if not null. */
const CLEARED: Readonly<Record<string, unknown>> = { metadata: {}, time_zone: 'UTC' };

/** Derived members. */
const CHANGING = new Set(['updated_at', 'status', 'budget_started_at', 'next_budget_reset_at']);

describe('field tables', () => {
  test('every field has a unique name and a description, and every field that can be set has a command-line flag', () => {
    for (const { name: resource, table } of RESOURCES) {
      const names = Object.entries(table).map(([name, field]) => nameOf(name, field));
      expect([resource, new Set(names).size]).toEqual([resource, names.length]);
      for (const [name, field] of [...settableFields(table, 'create'), ...settableFields(table, 'update')]) {
        expect([resource, name, field.description === undefined]).toEqual([resource, name, false]);
        const hasFlag = field.kind === 'parts' || field.kind === 'id' || field.flag !== undefined;
        expect([resource, name, hasFlag]).toEqual([resource, name, true]);
      }
    }
  });
});
