import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hubSettings } from '#cli/packaging/hub/settings.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const settings = (env: NodeJS.ProcessEnv, offline = false) =>
  hubSettings({ HF_HOME: folder(), ...env }, offline);

test('defaults match those of huggingface_hub', () => {
  expect(settings({})).toEqual({
    endpoint: 'https://huggingface.co',
    token: undefined,
    cache: join(folder(), 'hub'),
    offlineBy: undefined,
    symlinks: true,
    metadataSeconds: 10,
    downloadSeconds: 10,
  });
  expect(hubSettings({ XDG_CACHE_HOME: '/x' }, false).cache).toBe('/x/huggingface/hub');
});

test('variables set the endpoint, the cache and timeouts, and disable links', () => {
  const env = {
    HF_ENDPOINT: 'https://mirror.example/hf/',
    HF_HUB_ETAG_TIMEOUT: '3',
    HF_HUB_DOWNLOAD_TIMEOUT: '60',
    HF_HUB_DISABLE_SYMLINKS: 'true',
    SHARED: '/shared',
    NAME: 'x',
    HF_HUB_CACHE: '$SHARED/${NAME}/hub',
    HUGGINGFACE_HUB_CACHE: '/old',
  };
  expect(settings(env)).toMatchObject({
    endpoint: 'https://mirror.example/hf',
    cache: '/shared/x/hub',
    metadataSeconds: 3,
    downloadSeconds: 60,
    symlinks: false,
  });
  expect(settings({ HUGGINGFACE_HUB_CACHE: '/old' }).cache).toBe('/old');
});

test('--offline or a variable disables the network', () => {
  expect(settings({}, true).offlineBy).toBe('--offline');
  expect(settings({ HF_HUB_OFFLINE: '1' }).offlineBy).toBe('HF_HUB_OFFLINE');
  expect(settings({ TRANSFORMERS_OFFLINE: 'yes' }).offlineBy).toBe('TRANSFORMERS_OFFLINE');
  expect(settings({ HF_HUB_OFFLINE: '0' }).offlineBy).toBeUndefined();
});

test('the token comes from a variable or a file', () => {
  expect(settings({ HF_TOKEN: ' hf_a\n', HUGGING_FACE_HUB_TOKEN: 'hf_b' }).token).toEqual({
    value: 'hf_a',
    origin: 'HF_TOKEN',
  });
  expect(settings({ HUGGING_FACE_HUB_TOKEN: 'hf_b' }).token?.value).toBe('hf_b');
  writeFileSync(join(folder(), 'token'), 'hf_c\n');
  expect(settings({}).token).toEqual({ value: 'hf_c', origin: join(folder(), 'token') });
  expect(settings({ HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' }).token).toBeUndefined();
  writeFileSync(join(folder(), 'other'), 'hf_d');
  expect(settings({ HF_TOKEN_PATH: join(folder(), 'other') }).token?.value).toBe('hf_d');
});

test.each([
  [{ HF_ENDPOINT: 'huggingface.co' }, /^Invalid HF_ENDPOINT "huggingface\.co": /],
  [{ HF_ENDPOINT: 'ftp://x' }, /it must be an http or https URL/],
  [{ HF_HUB_ETAG_TIMEOUT: 'soon' }, /^Invalid HF_HUB_ETAG_TIMEOUT "soon": it must be a number of seconds/],
  [{ HF_TOKEN: 'hf_secret text' }, /^The token in HF_TOKEN contains spaces/],
])('%j is rejected', (env, message) => {
  expect(() => settings(env)).toThrow(message);
});

test('an error about a token does not contain the token', () => {
  expect(() => settings({ HF_TOKEN: 'hf_secret text' })).not.toThrow(/secret/);
  mkdirSync(join(folder(), 'token'));
  expect(() => settings({})).toThrow(/^Cannot read the token in .*token: /);
});
