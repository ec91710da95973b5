// Reads the palette from CSS, its only source. A canvas does not resolve `var()` or `light-dark()`, so each
// colour is painted on one pixel and read back, which also yields a format that Chart.js can parse.

const COLOUR_NAMES = ['text', 'muted', 'hairline', 'surface', 'neutral-line'] as const;

export interface ChartColours {
  readonly text: string;
  readonly muted: string;
  readonly hairline: string;
  readonly surface: string;
  /** Slot 0 is neutral, 1 to 8 are the series. */
  readonly series: readonly string[];
  readonly font: string;
}

let cached: { readonly scheme: string; readonly colours: ChartColours } | undefined;

/** @param scheme names the theme; the palette is cached until it changes */
export function readColours(element: HTMLElement, scheme: string): ChartColours {
  if (cached?.scheme !== scheme) cached = { scheme, colours: readPalette(element) };
  return cached.colours;
}

function readPalette(element: HTMLElement): ChartColours {
  const probe = document.createElement('span');
  element.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return toRgb(getComputedStyle(probe).color);
  };
  const [text = '', muted = '', hairline = '', surface = '', neutral = ''] = COLOUR_NAMES.map(read);
  const series = [neutral, ...Array.from({ length: 8 }, (_, at) => read(`series-${at + 1}`))];
  const font = getComputedStyle(element).fontFamily;
  probe.remove();
  return { text, muted, hairline, surface, series, font };
}

function toRgb(color: string): string {
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return color;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
  return `rgb(${r}, ${g}, ${b})`;
}

export function withAlpha(rgb: string, alpha: number): string {
  return rgb.replace('rgb(', 'rgba(').replace(')', `, ${alpha})`);
}
