import { assert, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { imageName, imageTag } from '#cli/packaging/oci/image-name.ts';

it.each([
  ['sentiment', '1.0.0', 'localhost/sentiment:1.0.0'],
  ['Org/My Model_v2', '1.0+build 3', 'localhost/org/my-model-v2:1.0-build-3'],
  ['模型', '-', 'localhost/model:latest'],
  ['Modèle', '.5', 'localhost/modele:5'],
])('names the image for the model %j, version %j, %s', (model, version, name) => {
  expect(imageName(model, version)).toBe(name);
});

it('converts every model name to one that registries accept', () => {
  assert(
    property(string({ unit: 'grapheme' }), string({ unit: 'grapheme' }), (model, version) => {
      const path = '[a-z0-9]+(-[a-z0-9]+)*';
      expect(imageName(model, version)).toMatch(
        new RegExp(String.raw`^localhost/${path}(/${path})*:\w[\w.-]{0,127}$`),
      );
      expect(imageTag(version)).toMatch(/^\w[\w.-]{0,127}$/);
    }),
  );
});
