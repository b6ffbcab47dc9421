import type { ListedPrice, PriceMap } from '../../accounts/price-map/price-map.ts';

export const listedView = ({ name, listed }: ListedPrice) => ({ model: name, ...listed });

export const mapHead = ({ date, source, size }: PriceMap) => ({ date, source, models: size });
