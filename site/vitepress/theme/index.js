import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import VersionMenu from './VersionMenu.vue';
import './style.css';

// oxlint-disable-next-line import/no-default-export -- VitePress reads the default export.
export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'nav-bar-content-after': () => h(VersionMenu) }),
};
