import { useEffect, useState } from 'react';

/** What a series stands for; the colours are those of badges. */
export type ChartTone = 'bad' | 'open' | 'accent' | 'calm';

/** The CSS property of each colour. `strong-line` is the calm one that can still be seen on a panel. */
const properties = {
  ...{ bad: '--bad', open: '--open', accent: '--accent', calm: '--strong-line' },
  ...{ text: '--aside', line: '--line', area: '--calm-ground' },
};

/** The colours of a chart in the scheme of the page, as CSS colours that a canvas understands. */
export type ChartColours = Record<keyof typeof properties, string>;

/** Reads the colours in effect at `element`. */
export function readColours(element: HTMLElement): ChartColours {
  const probe = document.createElement('span');
  element.append(probe);
  // The value of a custom property may be `light-dark(…)`; only a property that uses it has a colour.
  const colour = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, colour(property)]));
  probe.remove();
  return colours as ChartColours;
}

/** Another number whenever the scheme of the page has changed. A canvas does not follow it by itself. */
export function useSchemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((before) => before + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', changed);
    const chosen = new MutationObserver(changed);
    chosen.observe(document.documentElement, { attributeFilter: ['data-scheme'] });
    return () => {
      system.removeEventListener('change', changed);
      chosen.disconnect();
    };
  }, []);
  return changes;
}
